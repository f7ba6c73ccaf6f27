"""Sets the bounds of every answer, each with its unit."""

from __future__ import annotations

from typing import Final

TEXT_BYTES: Final = 50 * 1024
"""UTF-8 bytes in the text of one answer, notices included: some 12,000 tokens of a model's context."""

LINE_CHARACTERS: Final = 512
"""Characters of a note's line that are shown before it is cut and marked; a longer one is data more often than text."""

CONTEXT_LINES: Final = 20
"""Most lines of context on each side of a match."""

RESULTS: Final = 10_000
"""Most results a caller may ask for."""

COUNTED_FILES: Final = 100
"""Matching files after which `search_files` stops counting, unless more are asked for."""

KEPT_HITS: Final = 2_000
"""Matching lines kept of one file; more are counted and not held."""

NAMED_PATHS: Final = 5
"""Paths that a notice or a `skipped` entry names; the rest is a number."""

NOTICE_CHARACTERS: Final = 1_000
"""Characters of one notice: a pattern quoted in it may be ten times as long."""

TIME_LIMIT: Final = 10.0
"""Seconds of work that is no call of a tool; a call has `time_limit` of the configuration."""

FILE_BYTES: Final = 100 * 1024 * 1024
"""Bytes beyond which a file is passed over as too large (fault-C10). ripgrep streams files, but a multiline
pattern makes it hold one whole, and so do we for a file that is shown."""

FOLDER_DEPTH: Final = 256
"""Nested folders a walk enters (fault-T04)."""

PATHS: Final = 100
"""Entries of a list of paths (fault-P20)."""

PATH_BYTES: Final = 4_096
"""Bytes of a path a caller may give (fault-P14; PATH_MAX of Linux)."""

NAME_BYTES: Final = 255
"""Bytes of one name in such a path (fault-P14; NAME_MAX of every common file system)."""

NAME_CHARACTERS: Final = 200
"""Characters of one path in a notice, so that five of them leave room for results."""
