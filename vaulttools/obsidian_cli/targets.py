"""Finds the file or folder that a command means, as the app finds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vaulttools.answers import all_notes
from vaulttools.call import Call
from vaulttools.core import paths
from vaulttools.core.folding.identity import composed
from vaulttools.errors import VaultToolsError
from vaulttools.files import document as documents
from vaulttools.files.document import Document, NotRead
from vaulttools.files.scope import Walk
from vaulttools.obsidian_cli.asked import Asked
from vaulttools.obsidian_cli.said import AppError, Unfinished

if TYPE_CHECKING:
    from vaulttools.notes.note import Note
    from vaulttools.resources.periodic import PeriodicNote

_NO_FILE = "No active file. Use file=<name> or path=<path> to specify a file."
_NO_NOTE = "File is not a markdown file."


def file(call: Call, asked: Asked) -> str:
    """Returns the path of the file that `file=` or `path=` means.

    Raises:
        AppError: there is none, or neither is given.
    """
    found = optional_file(call, asked)
    if found is None:
        raise AppError(_NO_FILE)
    return found


def optional_file(call: Call, asked: Asked) -> str | None:
    """Returns the path of the file that `file=` or `path=` means; None if neither is given.

    Raises:
        AppError: there is none, or `active` is given: no file is active without the app.
    """
    given = asked.values
    if "path" in given:
        return _exact(call, given["path"], "file", "File")
    if "file" in given:
        found = call.waited(0).links().resolve(given["file"])
        if found is None:
            files(call)  # the name may be where the walk could not look
            raise AppError(f'File "{given["file"]}" not found.')
        return found
    if asked.has("active"):
        raise AppError(_NO_FILE)
    return None


def note(call: Call, asked: Asked) -> Note:
    """Returns the note that `file=` or `path=` means.

    Raises:
        AppError: there is none, it is no note, or it cannot be read.
    """
    return note_at(call, file(call, asked))


def note_at(call: Call, path: str) -> Note:
    """Returns the note at a path.

    Raises:
        AppError: it is no note, or cannot be read.
    """
    if not paths.is_note(path):
        raise AppError(_NO_NOTE)
    return call.notes().note(document(call, path))


def document(call: Call, path: str) -> Document:
    """Returns the text of a file.

    Raises:
        AppError: it cannot be read.
    """
    try:
        return documents.read(call.session.root, path, call.session.config.max_file_size)
    except NotRead as error:
        raise AppError(f'File "{paths.portable(path)}" cannot be read: {error.reason}.') from error


def folder(call: Call, given: str) -> str | None:
    """Returns the path of a folder, `""` for the root; None if the app would see none."""
    if not given.strip("/"):
        return ""
    try:
        return _exact(call, given.strip("/"), "folder", "Folder")
    except AppError:
        return None


def files(call: Call, folder: str = "") -> list[str]:
    """Returns the paths of all files in a folder that the app shows, in path order.

    What the walk could not look at, and links, which the app follows, are passed over.
    """
    scope = call.scope((Walk(folder),), (), hidden=False, include_excluded=True)
    found = []
    for path, kind, left_out in all_notes.listed(scope):
        if left_out is None or left_out == "not downloaded":
            found += [path] if kind == "file" else []
        else:
            call.work.pass_over(path, left_out, is_folder=kind == "folder")
    return found


def daily(call: Call) -> tuple[PeriodicNote, str | None]:
    """Returns the daily note, and its path if it is there.

    Raises:
        OutsideVault, AccessDenied: the vault's settings lead there.
        AppError: its settings cannot be read.
    """
    try:
        found = call.session.periodic.named("daily")
    except OSError as error:
        raise AppError(f"The settings of daily notes cannot be read: {error.strerror}.") from error
    assert found is not None
    place = call.session.root.locate(found.path)
    return found, place.path if place.kind == "file" else None


def _exact(call: Call, given: str, kind: str, called: str) -> str:
    """Returns a path if exactly this one is there, in whatever Unicode form, and the app shows it.

    Raises:
        AppError: it is not.
        Unfinished: the system did not let us look.
    """
    try:
        place = call.session.root.locate(given)
    except VaultToolsError as error:
        if isinstance(error.__cause__, OSError):
            raise Unfinished(str(error)) from error
        call.work.warn(str(error))
    else:
        is_hidden = any(part.startswith(".") for part in place.path.split("/"))
        meant = {composed(given), composed(paths.unshown(given))}  # also a name as other commands print it
        if place.kind == kind and composed(place.path) in meant and not is_hidden:
            return place.path
    raise AppError(f'{called} "{given}" not found.')
