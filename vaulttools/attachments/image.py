"""Measures an image, and scales it down until it fits into an answer.

Only common formats are decoded. Runs only in the child process.
"""

from __future__ import annotations

import io
from typing import IO, Final

from PIL import BmpImagePlugin, GifImagePlugin, Image, JpegImagePlugin, PngImagePlugin, TiffImagePlugin, WebPImagePlugin

from vaulttools.attachments.extracted import PICTURE_BYTES, SHOWN_AS_THEY_ARE, Picture

_FORMATS: Final = tuple(
    plugin.format
    for plugin in (
        BmpImagePlugin.BmpImageFile,
        GifImagePlugin.GifImageFile,
        JpegImagePlugin.JpegImageFile,
        PngImagePlugin.PngImageFile,
        TiffImagePlugin.TiffImageFile,
        WebPImagePlugin.WebPImageFile,
    )
)

_SIDE: Final = 1_568
"""Most pixels of the longer side after scaling: models scale larger images down themselves."""

_PIXELS: Final = 50_000_000
"""Pillow warns above so many pixels and refuses twice as many: four bytes per pixel fit into the memory limit."""

_QUALITY: Final = 80

Image.MAX_IMAGE_PIXELS = _PIXELS
Image.preinit()  # loads modules while files can still be opened


def extract(file: IO[bytes]) -> Picture | None:
    """Returns the picture of an opened file; None if it is not a readable image.

    Raises:
        MemoryError, Image.DecompressionBombError: the image exceeds the limits.
    """
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    try:
        image = Image.open(file, formats=_FORMATS)
        mime_type = Image.MIME[image.format or ""]
        if mime_type in SHOWN_AS_THEY_ARE and size <= PICTURE_BYTES:
            file.seek(0)
            return Picture(mime_type, image.width, image.height, image.width, image.height, file.read())
        return _scaled(image)
    except (OSError, SyntaxError, ValueError, KeyError, EOFError):
        return None


def _scaled(image: Image.Image) -> Picture:
    width, height = image.size
    image.draft("RGB", (_SIDE, _SIDE))
    shown = image.convert("RGBA" if "A" in image.getbands() or "transparency" in image.info else "RGB")
    side = _SIDE
    while True:
        shown.thumbnail((side, side))
        data = io.BytesIO()
        if shown.mode == "RGB":
            shown.save(data, "JPEG", quality=_QUALITY)
        else:
            shown.save(data, "PNG")
        if data.tell() <= PICTURE_BYTES:
            mime_type = "image/jpeg" if shown.mode == "RGB" else "image/png"
            return Picture(mime_type, width, height, shown.width, shown.height, data.getvalue())
        side = side * 2 // 3
