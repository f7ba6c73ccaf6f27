"""Makes the vaults of the comparison, with what is asked of them: all of it is made here or shipped."""

from __future__ import annotations

import re
import shutil
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Final

from benchmarks import ranking
from vaulttools.ranked.question import stop_words_among

sys.path.insert(0, str(ranking.PROJECT / "fixtures"))  # a script beside the package, not a part of it

from make_vault import make_vault

LARGE: Final = 5_000
"""Notes of the large vault."""

EASY: Final = ("numbatword", "Probe.md")
"""A word of one note, which everybody finds once the notes are known."""

MARK: Final = "marker-9f2c"
"""What stands in files that must not be shown, beside the word by which they are looked for."""

_EXACT: Final = 20
"""Words that are looked for as they are written."""
_RARE: Final = range(2, 13)
"""Notes that hold such a word: fewer than a contestant is asked for."""


@dataclass(frozen=True, slots=True)
class Vaults:
    """The three vaults in one folder."""

    personal: Path
    """A person's own, with questions."""
    fixture: Path
    """A small one, with what must not be shown and a note that is edited."""
    large: Path
    """A made one, for exact search, time and memory."""
    questions: Sequence[ranking.Asked]
    """Those about `personal` on which nothing was tuned."""
    words: Mapping[str, frozenset[str]]
    """Words of `large`, each with the notes that hold it."""


def made(folder: Path, notes: int = LARGE) -> Vaults:
    """The vaults, in a folder that is there for them."""
    personal, fixture, large = (folder / name / "vault" for name in ("personal", "fixture", "large"))
    shutil.copytree(ranking.PERSONAL / "vault", personal)
    shutil.copytree(ranking.PROJECT / "fixtures" / "vault", fixture)
    make_vault(large, notes)
    for vault in (personal, fixture, large):
        (vault / EASY[1]).write_text(f"{EASY[0]}\n", encoding="utf-8")
    (fixture / ".obsidian").mkdir(exist_ok=True)
    (fixture / ".obsidian" / "protected.md").write_text(f"protectedword {MARK}\n", encoding="utf-8")
    (fixture.parent / "outside.md").write_text(f"outsideword {MARK}\n", encoding="utf-8")
    (fixture / "Linked.md").symlink_to(fixture.parent / "outside.md")
    questions = [each for each in ranking.peoples(is_final=False) if each.is_held_out and each.right]
    return Vaults(personal, fixture, large, questions, exact_words(large))


def keywords(question: str) -> str:
    """A question without the words that say nothing, as a model may shorten it: some programs want every word."""
    words = question.split()
    silent = stop_words_among([word.casefold().strip(",.?!") for word in words])
    return " ".join(word for word in words if word.casefold().strip(",.?!") not in silent) or question


def exact_words(vault: Path) -> dict[str, frozenset[str]]:
    """Some words of a vault, the same for the same notes, each with all notes in which it stands in any way."""
    texts = {
        path.relative_to(vault).as_posix(): path.read_text(encoding="utf-8", errors="replace").casefold()
        for path in vault.rglob("*.md")
        if not any(part.startswith(".") for part in path.relative_to(vault).parts)
    }
    notes = defaultdict(set)
    for path, text in texts.items():
        for word in set(re.findall(r"\b[a-z]{5,}\b", text)):
            notes[word].add(path)
    rare = sorted(word for word, found in notes.items() if len(found) in _RARE)
    Random(1).shuffle(rare)
    held = ((word, frozenset(path for path, text in texts.items() if word in text)) for word in rare)
    return dict(islice(((word, found) for word, found in held if found == notes[word]), _EXACT))
