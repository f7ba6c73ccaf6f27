"""Makes extracted text plain: resolves ligatures, joins hyphenated words, removes control characters."""

from __future__ import annotations

import re
from typing import Final

HYPHEN: Final = "\ufffe"
"""PDFium's replacement of a hyphen at a line end, followed by the rest of the word without a line end."""

_LIGATURES: Final = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u00a0": " ", "\u00ad": ""}
)
"""Ligatures, the no-break space and the soft hyphen: nobody types them in a search."""

_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff\uffff]")
_BROKEN: Final = re.compile(rf"(\w+){HYPHEN}(\w+)")
_LINE_ENDS: Final = re.compile(r"\r\n|[\r\x0b\x0c]")
_BLANKS: Final = re.compile(r"[ \t]+$", re.MULTILINE)


def plain(text: str) -> str:
    """Returns the text of a page or paragraph in searchable form; `joined` handles hyphens at line ends."""
    return _BLANKS.sub("", _CONTROLS.sub("", _LINE_ENDS.sub("\n", text).translate(_LIGATURES)))


def joined(texts: list[str]) -> list[str]:
    """Joins words that are hyphenated at line ends: with the hyphen if the document has the word so elsewhere
    (`update-alternatives`), else without (`function`)."""
    if not any(HYPHEN in text for text in texts):
        return texts
    hyphenated = {word for text in texts for word in re.findall(r"\w+-\w+", text)}

    def whole(match: re.Match[str]) -> str:
        first, second = match.groups()
        return f"{first}-{second}" if f"{first}-{second}" in hyphenated else f"{first}{second}"

    return [_BROKEN.sub(whole, text).replace(HYPHEN, "-") for text in texts]
