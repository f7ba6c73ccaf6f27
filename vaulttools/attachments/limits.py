"""Sets the limits of one extraction, with units and reasons, and words its messages."""

from __future__ import annotations

from typing import Final

FILE_BYTES: Final = 50 * 1024 * 1024
"""Bytes of the largest attachment that is read. Larger ones hold pictures."""

SECONDS: Final = 10.0
"""Seconds after which an extraction is ended. PDFium reads about 500 pages a second (measured)."""

PAGES_SECONDS: Final = 7.0
"""Seconds after which no further page is begun: the text of those before is kept."""

CPU_SECONDS: Final = 10
"""Seconds of CPU that an extraction has, where nobody is left to end it."""

WALL_SECONDS: Final = 15
"""Likewise of the clock."""

MEMORY_BYTES: Final = 512 * 1024 * 1024
"""Address space of the process that extracts. Python and PDFium take 60 MB of it."""

IDLE_SECONDS: Final = 30.0
"""Seconds after which a child that nobody has asked ends: it holds 30 MB, and a new one takes 0.1 s to start."""

LENGTH: Final = 4
"""Bytes of the length before an answer."""

ANSWER_BYTES: Final = 128 * 1024 * 1024
"""Bytes of the largest answer that is taken: `extracted.CHARACTERS` in UTF-8, with the parts."""

NOTHING: Final = "nothing"
"""The kind that a child is asked for to see whether it works."""
