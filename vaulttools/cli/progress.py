"""Shows how far a long piece of work has come, on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def progress(delay: float = 0.0, what: str = "Indexing", unit: str = "files") -> Iterator[Callable[[int, int], None]]:
    """What shows how many of how many files are done, as a bar where stderr is a terminal, after so many seconds."""
    start, is_seen = time.monotonic(), sys.stderr.isatty()
    bars: list[Any] = []

    def on_progress(done: int, total: int) -> None:
        if not bars:
            if not is_seen or time.monotonic() < start + delay:
                return
            from tqdm import tqdm  # 20 ms, which few commands need

            bars.append(tqdm(desc=what, unit=f" {unit}", leave=False, file=sys.stderr, initial=done))
        [bar] = bars
        bar.total = total
        bar.update(done - bar.n)

    try:
        yield on_progress
    finally:
        for bar in bars:
            bar.close()
