"""Gathers what the page of one note or file shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from threading import Event
from typing import Any, Final, TypeAlias

from markupsafe import Markup

from vaulttools.attachments.kinds import kind_of
from vaulttools.bases.definition import is_base
from vaulttools.core import paths, render
from vaulttools.core.folding.identity import identity, is_same
from vaulttools.errors import BadArgument, Cancelled, InvalidBase, PartNotFound
from vaulttools.notes.canvas import is_canvas
from vaulttools.notes.links.resolution import parse_linktext
from vaulttools.notes.note import Note
from vaulttools.notes.parts import Heading
from vaulttools.server.page import neighbourhood
from vaulttools.server.page.addresses import Addresses
from vaulttools.server.page.asking import NOT_YET, ask
from vaulttools.server.page.neighbourhood import Diagram
from vaulttools.server.page.rendering.context import RenderContext, is_image
from vaulttools.server.page.rendering.note import Rendering
from vaulttools.server.page.rendering.values import Addressed, elements
from vaulttools.server.page.vault_notes import Soon, TextExcerpt, VaultNotes
from vaulttools.tools.links import LinkFound, LinksAnswer
from vaulttools.tools.read import ReadAnswer
from vaulttools.vault import Vault

_BACKLINKS: Final = 200
"""Links to a note that are listed."""

_BACKLINK_CHARACTERS: Final = 400
"""Characters shown of a line that links to the note."""

_LINE_CHARACTERS: Final = 2_000
"""Characters shown of a line of a file that is not a note."""

_LINKS_SECONDS: Final = 3.0
"""Seconds for the links of a note. It takes longer only while the vault is indexed for the first time, and the note
should not wait for that."""

_PREVIEW_READ: Final = 4_000
"""Characters read for a preview: properties come first, and are not shown."""

_PREVIEW_CHARACTERS: Final = 1_000
"""Characters of a preview."""

_BEFORE: Final = 20
"""Lines shown before the requested line, if a note is too long for one page."""


Property: TypeAlias = tuple[str, list[Markup]]
"""A property's name, and the elements of its list or its one value as safe HTML; no elements if it is empty."""


@dataclass(frozen=True, slots=True)
class NotePage:
    """What the page of a file shows."""

    path: str
    html: Markup | None = None
    """A note as safe HTML."""
    text: str = ""
    """The text of a file that is not a note."""
    image: str = ""
    """The address of an image."""
    properties: Sequence[Property] = ()
    outline: Sequence[Heading] = ()
    backlinks: Sequence[tuple[str, Sequence[tuple[int, Markup]]]] = ()
    """The notes that link to it; for each, the linking lines with their numbers, as safe HTML."""
    backlinks_summary: str = ""
    backlinks_complete: bool = True
    picture: Diagram | None = None
    is_document: bool = False
    """Whether the text is that of a document, such as a PDF file."""
    excerpt: TextExcerpt | None = None
    """The lines shown, if they are not all."""
    notices: Sequence[str] = ()


def page(
    vault: Vault,
    addresses: Addresses,
    name: str,
    at: str,
    line: int | None,
    chosen: Mapping[str, str],
    cancel: Event,
) -> NotePage:
    """Gather the page of a file; `at` names a part as links write it, `line` a line from 1. `chosen` are the views and
    pages of its bases and canvases.

    Raises:
        VaultToolsError: it cannot be read.
    """
    notes = VaultNotes(vault, cancel)
    if is_image(name) and (path := notes.resolve(f"/{name}", "")) is not None:
        return _with_links(vault, addresses, NotePage(path, image=addresses.file(path)), cancel)
    rendering = Rendering(notes, addresses, chosen)
    notices: list[str] = []
    try:
        path, html = _with_views(rendering, notes, name, at)
        if html is not None:
            return _with_links(vault, addresses, NotePage(path, html=html), cancel)
    except InvalidBase as error:
        notices.append(str(error))
    try:
        text = notes.lines(name)
    except BadArgument as error:
        if not kind_of(name):
            raise
        # A scan, or a document that nothing here can read, is still a file that a reader has a program for.
        return _with_links(vault, addresses, NotePage(notes.path(name), is_document=True, notices=[str(error)]), cancel)
    wanted = min(line or 1, text.total_lines)
    for before in (_BEFORE, 0):  # the lines before may fill the page
        if text.end_line < wanted:
            text = notes.lines(text.path, max(1, wanted - before))
    notices += text.notices
    shown = NotePage(text.path, notices=notices, excerpt=None if text.is_whole else text)
    if not paths.is_note(text.path):
        lines = "\n".join(render.line(each, most=_LINE_CHARACTERS) for each in text.text.split("\n"))
        return _with_links(
            vault, addresses, replace(shown, text=lines, is_document=kind_of(text.path) is not None), cancel
        )
    # Empty lines replace the lines before, so that all lines keep their numbers.
    note = Note(text.path, "\n" * (text.start_line - 1) + text.text)
    missing: list[str] = []
    if at:
        line, missing = _line_of(note, at)
    context = RenderContext(note, notes, addresses, lambda *_: "")
    head, body = _without_title(note)
    rendered = replace(
        shown,
        html=Markup(rendering.html(note.path, body, line)),  # noqa: S704 - it is sanitised
        properties=properties(note, addresses, context.address_of),
        outline=[each for each in note.headings if each is not head],
        notices=[*shown.notices, *note.warnings, *missing],
    )
    return _with_links(vault, addresses, rendered, cancel)


def address_in_canvas(vault: Vault, addresses: Addresses, name: str, line: int, cancel: Event) -> str:
    """Returns the address of the card that holds a line of a canvas; "" without one, and for any other file.

    Raises:
        VaultToolsError: there is no such file, or it cannot be read.
    """
    notes = VaultNotes(vault, cancel)
    return Rendering(notes, addresses).address_in_canvas(notes.path(name), line) if is_canvas(name) else ""


def _with_views(
    rendering: Rendering, notes: VaultNotes, name: str, at: str, line: int | None = None
) -> tuple[str, Markup | None]:
    """Returns the path of a base or a canvas, and what it shows as safe HTML; None for any other file. Of a canvas it
    shows the card of `line` alone, if one is given.

    Raises:
        InvalidBase: the base cannot be read.
        VaultToolsError: there is no such file, or it cannot be read.
    """
    if not (is_base(name) or is_canvas(name)):
        return name, None
    path = notes.path(name)
    html = rendering.base(path, at) if is_base(path) else rendering.canvas(path, line)
    return path, None if html is None else Markup(html)  # noqa: S704 - it is sanitised


def preview(
    vault: Vault, addresses: Addresses, name: str, at: str, line: int | None, cancel: Event
) -> tuple[str, Markup]:
    """Returns the path of a note, and its beginning as safe HTML, empty if there is none. It begins at the part `at`
    (as links write it) or at `line`, if one is given.

    Raises:
        VaultToolsError: it cannot be read, or has no such part.
    """
    notes = VaultNotes(vault, cancel)
    rendering = Rendering(notes, addresses, is_preview=True)
    try:
        path, shown = _with_views(rendering, notes, name, at, line)
        if shown is not None:
            return path, shown
    except InvalidBase:
        pass  # its text is shown
    _, headings, block, _ = parse_linktext(f"#{at}" if at else "")
    part: dict[str, Any] = {"block": block} if block else {"heading": list(headings)} if headings else {}
    part |= {"start_line": line} if line and not part else {}
    answer: ReadAnswer = ask(vault, "read", {"note": name, **part, "max_chars": _PREVIEW_READ}, cancel)
    if not paths.is_note(answer.path):
        return answer.path, Markup("<pre>{}</pre>").format(answer.content[:_PREVIEW_CHARACTERS])
    text = answer.content
    if not part:
        note = Note(answer.path, text)
        text = "\n".join(_without_title(note)[1].split("\n")[note.body_line - 1 :])
    text = text.strip("\n")
    cut = text if len(text) <= _PREVIEW_CHARACTERS else f"{text[:_PREVIEW_CHARACTERS]}{render.ELLIPSIS}"
    html = rendering.passage(answer.path, cut)
    return answer.path, Markup(html)  # noqa: S704 - it is sanitised


def _without_title(note: Note) -> tuple[Heading | None, str]:
    """Returns the heading that a note begins with if it says the note's title, which is shown above it; and the text
    with empty lines in its place, so that all lines keep their numbers."""
    lines = note.text.split("\n")
    head = next(iter(note.headings), None)
    if head is None or not is_same(head.text, paths.title(note.path)):
        return None, note.text
    if "".join(lines[note.body_line - 1 : head.line - 1]).strip():
        return None, note.text
    lines[head.line - 1 : head.last_line] = [""] * (head.last_line - head.line + 1)
    return head, "\n".join(lines)


def _line_of(note: Note, at: str) -> tuple[int | None, list[str]]:
    """Returns the line of the part that a link names after its `#`; or a notice that there is no such part."""
    _, headings, block, _ = parse_linktext(f"#{at}")
    name = paths.shown(note.path)
    try:
        if block is not None:
            return note.required_block(block, name).start_line, []
        return (note.required_section(headings, name).line if headings else None), []
    except PartNotFound as error:
        return None, [str(error)]


def _with_links(vault: Vault, addresses: Addresses, page: NotePage, cancel: Event) -> NotePage:
    """Add the links from and to the file to its page."""
    out: LinksAnswer | None = None
    asked = {"note": page.path, "direction": "back", "limit": _BACKLINKS}
    soon = Soon(cancel, _LINKS_SECONDS)
    try:
        back: LinksAnswer = ask(vault, "links", asked, soon)
        if paths.is_note(page.path):
            out = ask(vault, "links", {**asked, "direction": "out"}, soon)
    except Cancelled:
        if cancel.is_set():
            raise
        return replace(page, backlinks_summary=NOT_YET)
    except BadArgument:  # a member of an archive, or another text that is not a file of the vault
        return page
    rendering = Rendering(VaultNotes(vault, cancel), addresses)
    sources = [each for each in back.notes if each.path != page.path]
    targets = [] if out is None else [each for each in out.notes if each.path != page.path]
    return replace(
        page,
        backlinks=[
            (source, [_backlink(link, rendering) for link in {link.line: link for link in links}.values()])
            for source, links in groupby(back.links, key=attrgetter("source"))
        ],
        backlinks_summary=back.text.rstrip(":").replace(f" to {paths.shown(page.path)}", "", 1),
        backlinks_complete=back.complete,
        picture=neighbourhood.drawn(sources, targets, addresses),
    )


def _backlink(link: LinkFound, rendering: Rendering) -> tuple[int, Markup]:
    # A paragraph may be one long line, with the link at its end.
    at = identity(link.text).find(identity(paths.title(link.target)))
    text = render.line(link.text.lstrip(), max(at, 0), most=_BACKLINK_CHARACTERS)
    return link.line, Markup(rendering.passage(link.source, text))  # noqa: S704 - it is sanitised


def properties(note: Note, addresses: Addresses, addressed: Addressed) -> list[Property]:
    """Returns the properties of a note in their order."""
    return [
        (render.visible(name), [Markup(each) for each in elements(name, value, addresses, addressed)])  # noqa: S704
        for name, value in note.properties.items()
    ]
