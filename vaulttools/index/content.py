"""Computes the index content of one file: tokens, words, structure, key."""

from __future__ import annotations

import errno
import re
import sys
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, get_args

import xxhash

from vaulttools.attachments.extracted import FAILURES, Failure
from vaulttools.core.folding.identity import is_mixed
from vaulttools.core.folding.words import folded
from vaulttools.core.paths import is_note
from vaulttools.core.spelling import apart
from vaulttools.files import disk, document
from vaulttools.files.disk import Key
from vaulttools.files.document import Document, NotRead, digest
from vaulttools.files.root import Root
from vaulttools.index import tokenizer
from vaulttools.index.tokenizer import Tokens
from vaulttools.notes.properties.numerals import Numeral
from vaulttools.notes.properties.values import in_words
from vaulttools.patterns.requirements import fold

if TYPE_CHECKING:
    from vaulttools.attachments.texts import Attachments
    from vaulttools.notes.note import Note

State = Literal["text", "binary", "unread"]
"""`unread` files are candidates of every search: unreadable, too large, changing, half decodable, or attachments
without all of their text."""

STATES: Final[tuple[State, ...]] = get_args(State)
"""The states; the table holds positions in this tuple."""

NoText = Failure | Literal["not extracted whole"]
"""Why the text of an attachment is missing or incomplete."""

INDEXED_BYTES: Final = 16 * 1024 * 1024
"""Larger files (bytes) are not indexed: parsing takes seconds, and ripgrep reads them in milliseconds."""

HAS_CR: Final = 1
"""A flag: the text holds a carriage return."""
HAS_LONE_CR: Final = 2
"""A flag: the text holds a carriage return without a line feed after it."""
HAS_FAILED: Final = 4
"""A flag of an unread file: reading failed for a reason that may pass, and is tried again later (fault-S05)."""
LACKS_WORDS: Final = 8
"""A flag of a note that has only its structure in the index: searches cannot find it by its text yet."""

_REASONS: Final[tuple[NoText, ...]] = (*FAILURES, "not extracted whole")
_REASON_BIT: Final = 4
"""The first bit of the reason for an unread attachment: its position in `_REASONS`, from 1."""

LASTING: Final = frozenset((errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL)) - (
    frozenset((errno.EACCES,)) if sys.platform == "win32" else frozenset()
)
"""Errors that stay until somebody removes their cause. Windows gives EACCES also for a file that another program has
open for itself, which passes."""

EXTRACTION_SECONDS: Final = 25.0
"""Longest wait for the text of an attachment: the limit of one extraction, after that of another."""

_LONE_CR: Final = re.compile(r"\r(?!\n)")
_UNREAD_KEY: Final = Key(0, 0, 0, 0)
_NO_TOKENS: Final = Tokens()


class ToRead(NamedTuple):
    """A file to read, and which parts of it."""

    path: str
    facts_alone: bool = False
    """Only the structure of a note is wanted."""
    known: tuple[bytes, bytes] | None = None
    """The indexed digest of a note's text, and its structure in the form of `Content.structure`; None: not indexed."""


class WordColumns(NamedTuple):
    """The columns of the word table."""

    body: str
    """Text after the properties."""
    title: str
    """The note's name, also split at capitals inside it, and its property `title`."""
    aliases: str
    headings: str
    properties: str
    """Names and values of the other properties."""


@dataclass(frozen=True, slots=True)
class Content:
    """One file as it was at one moment."""

    path: str
    key: Key
    checked: int
    """Nanoseconds since 1970, taken before the file was opened."""
    state: State
    flags: int = 0
    digest: bytes = b""
    """XXH3-128 of the decoded text; BLAKE2 of the bytes for an attachment; empty if the file was not read."""
    tokens: Tokens = _NO_TOKENS
    """Tokens of the folded text. A reading process leaves out of `words` those that it has sent before."""
    words: WordColumns | None = None
    """Folded. None unless the text of a note or attachment was read; likewise `passages`."""
    structure: bytes | None = None
    """The output of `notes.packing` for a note, `sealed`; None if the index has it already."""
    passages: bytes | None = None
    """The output of `index.passages`."""

    @property
    def characters(self) -> int:
        """Characters of tokens and body: a measure of the work to write them."""
        return len(self.tokens.text) + (0 if self.words is None else len(self.words.body))


def read(root: Root, file: ToRead, attachments: Attachments | None = None) -> Content | None:
    """Returns the wanted parts of a file; None if it is gone. No file content makes it raise."""
    path = file.path
    scanned, document = _scanned(root, path, attachments)
    if scanned is None or document is None:
        return scanned
    from vaulttools.notes.note import Note

    if file.facts_alone:
        return replace(
            scanned,
            flags=scanned.flags | LACKS_WORDS,
            structure=_structure(Note(path, document.text, is_logseq=root.is_logseq)),
        )
    from vaulttools.index import passages
    from vaulttools.notes.note import ExtractedNote
    from vaulttools.notes.packing import PackedNote

    found = _text(scanned, document.text)
    digest, structure = file.known or (b"", b"")
    note: Note
    if not is_note(path):
        note = ExtractedNote.of(document)
    elif digest == scanned.digest:
        note = Note(path, document.text, PackedNote(unsealed(structure)), root.is_logseq)
    else:
        note = Note(path, document.text, is_logseq=root.is_logseq)
        found = replace(found, structure=_structure(note))
    return replace(found, words=_folded(words_of(note)), passages=passages.dump(note))


def scan(root: Root, path: str, attachments: Attachments | None = None) -> Content | None:
    """Like `read`, without words and structure, which cost ten times the rest."""
    scanned, document = _scanned(root, path, attachments)
    return scanned if scanned is None or document is None else _text(scanned, document.text)


def reason_of(flags: int) -> NoText | None:
    """Returns why an attachment with these flags lacks all or part of its text; None: complete, or no attachment."""
    number = flags >> _REASON_BIT
    return _REASONS[number - 1] if 0 < number <= len(_REASONS) else None


DIGEST_BYTES: Final = 16
"""Size of the result of `digest`."""


def _scanned(root: Root, path: str, attachments: Attachments | None) -> tuple[Content | None, Document | None]:
    """Returns the state of a file, with tokens if it is no note, and the text of a note or attachment if any."""
    if (
        attachments is not None
        and attachments.is_attachment(path)
        and (found := _extracted(attachments, path)) is not None
    ):
        return found
    checked = time.time_ns()
    try:
        data, status = document.read_bytes(root, path, INDEXED_BYTES)
    except NotRead as error:
        cause = error.__cause__
        if isinstance(cause, FileNotFoundError | NotADirectoryError) and disk.is_gone(root.absolute(path)):
            return None, None
        return _unread(path, _key_at(root, path), checked, _flags_of(cause)), None
    content, text = _decoded(path, Key.of(status), checked, data)
    return content, Document(path, text) if is_note(path) and content.state == "text" else None


def _extracted(attachments: Attachments, path: str) -> tuple[Content, Document | None] | None:
    """Like `_scanned`, for an attachment; None if it is gone, cannot be opened, or is treated as any other file.

    An attachment without its complete text is unread, so that every search looks at it; its flags hold the reason. The
    words of the extracted part are indexed.
    """
    checked = time.time_ns()
    try:
        look = attachments.look(path, EXTRACTION_SECONDS)
    except NotRead as error:
        if error.reason == "not extracted yet":  # no process could be started
            return _unread(path, _UNREAD_KEY, checked, HAS_FAILED), None
        return None
    key, extracted = Key.of(look.status), look.extracted
    if extracted is None:
        return None
    reason: NoText | None = extracted.failure or (None if extracted.is_whole else "not extracted whole")
    flags = 0 if reason is None else (_REASONS.index(reason) + 1) << _REASON_BIT
    state: State = "text" if reason is None else "unread"
    if extracted.failure is not None:
        return Content(path, key, checked, state, flags, look.digest), None
    text = extracted.text
    return Content(path, key, checked, state, flags, look.digest), Document(path, text, parts=extracted.parts)


def _decoded(path: str, key: Key, checked: int, data: bytes) -> tuple[Content, str]:
    if _is_broken_utf16(data):
        return _unread(path, key, checked), ""
    text = document.decode(path, data).text
    content = Content(path, key, checked, "text", flags=_flags(text), digest=digest(text))
    if "\0" in text:
        return replace(content, state="binary", tokens=tokenizer.binary_tokens(fold(text))), text
    return content if is_note(path) else _text(content, text), text


def _text(content: Content, text: str) -> Content:
    """Returns the content with the tokens of its text."""
    return replace(content, tokens=tokenizer.tokens(fold(text), is_mixed=is_mixed(text)))


def hanging(path: str) -> Content:
    """Returns the content of a file whose reading hangs (fault-S06)."""
    return _unread(path, _UNREAD_KEY, time.time_ns(), HAS_FAILED)


def _unread(path: str, key: Key, checked: int, flags: int = 0) -> Content:
    return Content(path, key, checked, "unread", flags)


def _flags_of(cause: BaseException | None) -> int:
    """Returns the flags of a file that could not be read: errors such as EIO are often gone soon (fault-S05)."""
    return HAS_FAILED if isinstance(cause, OSError) and cause.errno not in LASTING else 0


def _key_at(root: Root, path: str) -> Key:
    """Returns the key of a file that cannot be opened; a key that no file has if `stat` fails, too."""
    try:
        return Key.of(disk.stat(root.absolute(path), follow_symlinks=False))
    except OSError:
        return _UNREAD_KEY


def _is_broken_utf16(data: bytes) -> bool:
    """Whether a file with a UTF-16 mark holds invalid units, which decoders treat differently."""
    for mark, encoding in document.UTF16:
        if data.startswith(mark):
            try:
                data.decode(encoding)
            except UnicodeDecodeError:
                return True
    return False


def _flags(text: str) -> int:
    if "\r" not in text:
        return 0
    return HAS_CR | HAS_LONE_CR if _LONE_CR.search(text) else HAS_CR


def words_of(note: Note) -> WordColumns:
    """Returns the columns of a note in the word table: the words of what it says."""
    own = note.properties.get("title")
    name = note.title.encode("utf-8", "replace").decode()  # fault-N04
    parts = " ".join(apart(name))
    titles = (name, *([parts] if parts != name else []), str(own) if isinstance(own, str | Numeral) else "")
    return WordColumns(
        body=_body(note),
        title="\n".join(titles),
        aliases="\n".join(note.aliases),
        headings="\n".join(note.said_headings),
        properties=in_words({name: value for name, value in note.properties.items() if name not in _IN_OTHER_COLUMNS}),
    )


def _folded(columns: WordColumns) -> WordColumns:
    return WordColumns(*map(folded, columns))


_IN_OTHER_COLUMNS: Final = frozenset(("title", "aliases", "alias"))


def _body(note: Note) -> str:
    return note.said.text[note.said.offset(note.body_line) :]


def _structure(note: Note) -> bytes:
    from vaulttools.notes.packing import dump

    return sealed(dump(note))


_SEAL_BYTES: Final = 8


def sealed(data: bytes) -> bytes:
    """Returns bytes for `unsealed`, which notices damage: a damaged structure would be read as another one."""
    return xxhash.xxh3_64_digest(data) + data


def unsealed(data: bytes) -> bytes:
    """Returns what was `sealed`.

    Raises:
        ValueError: it is damaged.
    """
    held = data[_SEAL_BYTES:]
    if xxhash.xxh3_64_digest(held) != data[:_SEAL_BYTES]:
        raise ValueError("the bytes are damaged")
    return held
