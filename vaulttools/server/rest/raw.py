"""Sends a file so that a browser can do nothing but show pictures."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

from starlette.responses import Response, StreamingResponse

from vaulttools.core import paths
from vaulttools.core.work import Work
from vaulttools.files import disk
from vaulttools.server.rest.asking import NotThere
from vaulttools.session import Session

PICTURES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/avif"})
"""What a browser may show in place: raster images, which hold no script, as SVG may."""

HEADERS: Final = {
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "private, no-cache",
}

AT_ONCE_BYTES: Final = 1 << 18
"""Size of the largest file that is sent at once."""

_PIECE: Final = 1 << 18
"""Bytes of a larger one that are read at a time."""


class Opened:
    """A file that was opened to be sent; its size is that of this moment."""

    def __init__(self, vault: Session, path: str) -> None:
        """Raises: NotThere: it cannot be read."""
        try:
            descriptor = vault.root.open(path)
            self.size = disk.fstat(descriptor).st_size
            self._file = disk.fdopen(descriptor, "rb")
        except OSError as error:
            raise NotThere from error
        self.path = path

    def response(self, work: Work, *, is_head: bool = False) -> Response:
        """The whole file, as it is on disk."""
        kind = kind_of(self.path)
        headers = {**HEADERS, "Content-Length": str(self.size)}
        if kind not in PICTURES:
            name = self.path.rpartition("/")[2]
            headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name.encode('utf-8', 'replace'))}"
        if is_head:
            self._file.close()
            return Response(headers=headers, media_type=kind)
        if self.size <= AT_ONCE_BYTES:
            # A stream goes to another thread for each piece, and waits there behind every busy thread of this process.
            with self._file:
                data = self._file.read(self.size)
            return Response(data, headers={**headers, "Content-Length": str(len(data))}, media_type=kind)
        return StreamingResponse(self._chunks(), headers=headers, media_type=kind)

    def _chunks(self) -> Iterator[bytes]:
        """So many bytes as were promised: a file that grows meanwhile is cut, of one that shrinks the rest is missing,
        which the client sees."""
        left = self.size
        with self._file:
            while left and (chunk := self._file.read(min(_PIECE, left))):
                left -= len(chunk)
                yield chunk


def kind_of(path: str) -> str:
    """The media type of a file, by its name."""
    if paths.is_note(path):
        return "text/markdown; charset=utf-8"
    return mimetypes.guess_type(path.rpartition("/")[2], strict=False)[0] or "application/octet-stream"
