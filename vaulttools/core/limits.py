"""Defines the limits of every answer, with units."""

from __future__ import annotations

from typing import Final

TEXT_BYTES: Final = 50 * 1024
"""Most UTF-8 bytes in the text of one answer, with notices: some 12,000 tokens of a model's context."""

LINE_CHARACTERS: Final = 512
"""A shown line of a note is cut and marked after so many characters; longer ones are usually data, not text."""

CONTEXT_LINES: Final = 20
"""Most context lines on each side of a match."""

RESULTS: Final = 10_000
"""Most results a caller may ask for."""

COUNTED_FILES: Final = 100
"""`search_files` stops counting after so many matching files, unless the caller asks for more."""

KEPT_HITS: Final = 2_000
"""Most matching lines kept of one file; more are only counted."""

NAMED_PATHS: Final = 5
"""Most paths that a notice or an entry of `passed_over` names; the rest is a number."""

NOTICE_CHARACTERS: Final = 1_000
"""Most characters of one notice: a quoted pattern can be ten times as long."""

TIME_LIMIT: Final = 10.0
"""Seconds for work outside tool calls; a call has the configured `time_limit`."""

FILE_BYTES: Final = 100 * 1024 * 1024
"""Larger files (bytes) are skipped as too large (fault-C10). ripgrep streams files, but holds a whole file in memory
for a multiline pattern, and so do we for a shown file."""

FOLDER_DEPTH: Final = 256
"""Deepest nesting of folders that a walk enters (fault-T04)."""

PATHS: Final = 100
"""Most entries in a list of paths (fault-P20)."""

PATH_BYTES: Final = 4_096
"""Most bytes of a path from a caller (fault-P14; PATH_MAX of Linux)."""

NAME_BYTES: Final = 1_020
"""Most bytes of one name in such a path (fault-P14): 255 characters, which Linux takes for bytes; a Mac, and NTFS with
fewer, has them in any script."""

NAME_CHARACTERS: Final = 200
"""Most characters of one path in a notice, so that five of them leave room for results."""
