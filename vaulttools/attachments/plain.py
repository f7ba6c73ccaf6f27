"""Makes extracted text plain: resolves ligatures, joins hyphenated words, removes control characters."""

from __future__ import annotations

import re
from typing import Final

HYPHEN: Final = "\ufffe"
"""What PDFium puts in place of a hyphen at the end of a line, whose word goes on without a line end."""

_LIGATURES: Final = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u00a0": " ", "\u00ad": ""}
)
"""Ligatures, the blank that does not break, and the hyphen that is not shown: nobody types them in a search."""

_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff\uffff]")
_BROKEN: Final = re.compile(rf"(\w+){HYPHEN}(\w+)")
_LINE_ENDS: Final = re.compile(r"\r\n|[\r\x0b\x0c]")
_BLANKS: Final = re.compile(r"[ \t]+$", re.MULTILINE)


def plain(text: str) -> str:
    """The text of one page or paragraph as it is searched; hyphens at line ends are left to `joined`."""
    return _BLANKS.sub("", _CONTROLS.sub("", _LINE_ENDS.sub("\n", text).translate(_LIGATURES)))


def joined(texts: list[str]) -> list[str]:
    """The pages with the words whole that a hyphen divides: with the hyphen where the document writes them so elsewhere
    (`update-alternatives`), else without (`function`)."""
    if not any(HYPHEN in text for text in texts):
        return texts
    hyphenated = {word for text in texts for word in re.findall(r"\w+-\w+", text)}

    def whole(match: re.Match[str]) -> str:
        first, second = match.groups()
        return f"{first}-{second}" if f"{first}-{second}" in hyphenated else f"{first}{second}"

    return [_BROKEN.sub(whole, text).replace(HYPHEN, "-") for text in texts]
