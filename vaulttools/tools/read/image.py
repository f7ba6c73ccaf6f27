"""Shows an image: its size, the notes that embed it, and the picture itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final
from urllib.parse import quote

from vaulttools.attachments import kinds, process
from vaulttools.attachments.extracted import Picture
from vaulttools.call import Call
from vaulttools.core import extras, paths
from vaulttools.core.work import named
from vaulttools.errors import BadArgument, VaultToolsError
from vaulttools.files import disk
from vaulttools.files.scope import Walk
from vaulttools.models import BaseModel, Field
from vaulttools.session import Session

_NOTES: Final = 200
"""Notes with the name of an image that are searched for links to it."""


class Embed(BaseModel):
    """A link to the image."""

    path: str = Field(description="The note.")
    line: int = Field(description="From 1.")


class Image(BaseModel):
    """An image."""

    mime_type: str = Field(description="Of the picture that is shown.")
    width: int = Field(description="Pixels of the file's image.")
    height: int
    bytes: int = Field(description="Of the file.")
    embedded_in: list[Embed] = Field(description="Links and embeds in notes that lead to it.")


def drawn(vault: Session, path: str) -> tuple[Picture, int]:
    """Returns the picture of a file, and the bytes of the file.

    Raises:
        BadArgument: it cannot be read, is no image, or the extra that draws it is missing.
    """
    name = paths.shown(path)
    if not kinds.is_installed():
        raise BadArgument(f"Cannot read {name}: binary. It is an image; to see it: {extras.install('files')}")
    try:
        descriptor = vault.root.open(path)
    except (VaultToolsError, OSError) as error:
        raise BadArgument(f"Cannot read {name}: unreadable") from error
    try:
        size = disk.fstat(descriptor).st_size
        if size > min(kinds.FILE_BYTES, vault.config.max_file_size):
            raise BadArgument(f"Cannot read {name}: too large")
        picture = process.draw(descriptor)
    except (OSError, process.CannotExtract) as error:
        raise BadArgument(f"Cannot read {name}: unreadable") from error
    finally:
        disk.close(descriptor)
    if picture is None:
        raise BadArgument(f"Cannot read {name}: no image that can be shown, or one beyond the limits")
    return picture, size


def embeds(call: Call, path: str) -> list[Embed]:
    """Returns the links and embeds in notes that lead to a file, in path order."""
    name = path.rpartition("/")[2]
    pattern = "|".join(dict.fromkeys(map(re.escape, (name, quote(name)))))
    compiled = call.session.ripgrep.compile(pattern, "regex", ignore_case=True)
    scope = call.scope((Walk(notes_only=True),), (), hidden=False, include_excluded=False)
    search = call.search(compiled, scope)
    holding = [file.path for file in islice(search.matching(), _NOTES)]
    links = call.links()
    reader = call.notes()

    def found() -> Iterator[Embed]:
        for note in holding:
            document = reader.document_or_tally(note, call.work)
            if document is None:
                continue
            for each in reader.note(document).references:
                if each.kind != "external" and links.resolve(each.target, note) == path:
                    yield Embed(path=paths.portable(note), line=each.line)

    return list(found())


def sentences(path: str, picture: Picture, size: int, found: list[Embed]) -> list[str]:
    """Returns what the text says about an image, one sentence a line."""
    scaled = picture.shown_width != picture.width or picture.shown_height != picture.height
    shown = f", shown at {picture.shown_width:,} x {picture.shown_height:,}" if scaled else ""
    first = f"{paths.shown(path)}, an image of {picture.width:,} x {picture.height:,} pixels, {size:,} bytes{shown}"
    if not found:
        return [first, "No note embeds it."]
    places = [f"{paths.unshown(each.path)}:{each.line}" for each in found]
    return [first, f"Embedded in {named(places)}."]
