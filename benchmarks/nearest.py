"""Measures the CPU that the nearest of 100,000 passages take: `python benchmarks/nearest.py`.

The notes are made up, and vectors drawn at random; half of them have the English model's part. Index, vectors and
questions go the product's own ways, but that no model embeds.
"""

from __future__ import annotations

import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import numpy as np

from vaulttools import Vault, VaultConfig
from vaulttools.core.work import Work
from vaulttools.index import passages as stored
from vaulttools.ranked.meaning import background, parts
from vaulttools.ranked.meaning.packaged_model import PARTS

NOTES, PASSAGES = 5_000, 20
FOLDERS = 29
QUESTIONS = 200
NOISE = 1.0
"""How long what is added to a passage's vector to make a question's is, in lengths of the vector."""


def make_vault(folder: Path) -> None:
    """Notes of so many passages each, no two of which are equal."""
    words = [f"w{number:04d}" for number in range(5_000)]
    draw = random.Random(1)
    for note in range(NOTES):
        place = folder / f"{note % FOLDERS:02d}" / f"{note:04d}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        text = (" ".join(draw.choices(words, k=70)) for _ in range(PASSAGES))
        place.write_text("\n\n".join(text) + "\n", encoding="utf-8")


def vectors(count: int) -> np.ndarray:
    """Whole vectors of both models at random; the second half lacks the English one."""
    drawn = np.random.default_rng(2).normal(size=(count, 896)).astype(np.float32)
    for part in PARTS:
        own = drawn[:, part.first : part.first + part.dimensions]
        own /= np.linalg.norm(own, axis=1, keepdims=True)
    drawn[count // 2 :, PARTS[1].first :] = 0
    return drawn


def fill(vault: Vault) -> np.ndarray:
    """Keep a vector for each passage; some of the vectors."""
    opened = vault._opened
    meaning, view = opened.meaning, opened.view(Work())
    assert meaning is not None
    assert view is not None
    notes = [f"{note % FOLDERS:02d}/{note:04d}.md" for note in range(NOTES)]
    digests = [each for data in view.passages(notes).values() for each in stored.digests(data)]
    random.Random(3).shuffle(digests)
    drawn = vectors(len(digests))
    for start in range(0, len(digests), 10_000):
        some = slice(start, start + 10_000)
        meaning.store().put(list(zip(digests[some], parts.packed(drawn[some], PARTS), strict=True)), 896)
    return drawn[:: len(drawn) // QUESTIONS][:QUESTIONS]


def measured(vault: Vault, asked: np.ndarray, folder: str | None) -> Iterator[float]:
    """Milliseconds of CPU for each question, in English and in another language in turn."""
    opened = vault._opened
    meaning, view = opened.meaning, opened.view(Work())
    assert meaning is not None
    assert view is not None
    notes = frozenset(
        f"{note % FOLDERS:02d}/{note:04d}.md" for note in range(NOTES) if folder in (None, f"{note % FOLDERS:02d}")
    )
    noise = np.random.default_rng(4).normal(size=asked.shape).astype(np.float32) * NOISE / np.sqrt(512)
    for number, vector in enumerate(asked + noise):
        with patch.object(meaning, "asked", return_value=vector):
            start = time.thread_time()
            near = meaning.near("", {"en"} if number % 2 else {"de"}, view, notes)
            yield (time.thread_time() - start) * 1000
            assert near


def main() -> None:
    """Make the vault, ask, and print."""
    os.environ.pop("VAULTTOOLS_MEANING", None)
    background.START_SECONDS = 1_000_000.0  # type: ignore[misc]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "vault")
        make_vault(folder)
        with Vault.open(folder, config=VaultConfig(index_folder=str(Path(temporary, "index")))) as vault:
            vault.build_index()
            asked = fill(vault)
            status = vault.meaning_status()
            assert status is not None
            print(f"The nearest of {status.passages:,} passages, ms of CPU:")
            for name in (None, "07"):
                list(measured(vault, asked[:5], name))
                times = list(measured(vault, asked, name))
                for language, some in (("English", times[1::2]), ("another language", times[::2])):
                    where = f"in all {NOTES:,} notes" if name is None else f"in a folder of {NOTES // FOLDERS}"
                    print(f"{where}, in {language}: median {statistics.median(some):.1f}, most {max(some):.1f}")


if __name__ == "__main__":
    main()
