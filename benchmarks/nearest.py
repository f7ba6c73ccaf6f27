"""Measures CPU and memory of finding the nearest of 100,000 passages: `python benchmarks/nearest.py`.

The vectors are random; they are kept and read like those of a model.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

from vaulttools.meaning.embedders import EmbedderKey
from vaulttools.meaning.static_fit import KEPT
from vaulttools.meaning.store import VectorStore
from vaulttools.meaning.vectors import Near, in_eight_bits

PASSAGES = 100_000
TOGETHER = 10_000
QUESTIONS = 200
NEAREST = 150


def main() -> None:
    """Keeps the vectors, asks, and prints."""
    drawn = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        store = VectorStore(Path(folder), EmbedderKey("random", "1", ""))
        store.begin(b"", PASSAGES)
        for start in range(0, PASSAGES, TOGETHER):
            rows = in_eight_bits(drawn.normal(size=(TOGETHER, KEPT)).astype(np.float32))
            keys = range(start, start + TOGETHER)
            store.put([(key, row.tobytes()) for key, row in zip(keys, rows, strict=True)])
        start_time = time.thread_time()
        vectors = store.vectors()
        print(f"{len(vectors):,} vectors read in {(time.thread_time() - start_time) * 1000:.0f} ms of CPU")
        print(f"{store.path.stat().st_size / PASSAGES:.0f} bytes of disk a passage")
        times: list[float] = []
        for asked in drawn.normal(size=(QUESTIONS, KEPT)).astype(np.float32):
            start_time = time.thread_time()
            near = Near(vectors, asked / np.linalg.norm(asked))
            near.nearest(NEAREST)
            times.append((time.thread_time() - start_time) * 1000)
        print(f"The nearest: median {statistics.median(times):.1f} ms of CPU, {max(times):.1f} at most")


if __name__ == "__main__":
    main()
