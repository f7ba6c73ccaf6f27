"""Makes the vaults of the comparison and their questions, from data that is made here or shipped."""

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
"""How many notes the large vault has."""

EASY: Final = ("numbatword", "Probe.md")
"""A word of one note, which every contestant finds as soon as it knows the notes."""

MARK: Final = "marker-9f2c"
"""The secret text of files that must not be shown; they also hold a word that is searched for."""

_EXACT: Final = 20
"""How many words are searched for as they are written."""
_RARE: Final = range(2, 13)
"""How many notes hold such a word: fewer than a contestant has to give."""


@dataclass(frozen=True, slots=True)
class Vaults:
    """The three vaults in one folder."""

    personal: Path
    """The vault of one person, with questions."""
    fixture: Path
    """A small vault with secrets and with a note that is edited."""
    large: Path
    """A generated vault, for exact search, time and memory."""
    questions: Sequence[ranking.Asked]
    """The questions about `personal` that were not used for tuning."""
    words: Mapping[str, frozenset[str]]
    """Words of `large`, each with the notes that hold it."""


def made(folder: Path, notes: int = LARGE) -> Vaults:
    """The vaults, in a folder of their own."""
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
    asked = [each for each in ranking.peoples(is_final=False) if each.vault == ranking.PERSONAL.name]
    questions = [each for each in asked if each.is_held_out and each.right]
    return Vaults(personal, fixture, large, questions, exact_words(large))


def keywords(question: str) -> str:
    """A question without the words that say nothing, as a model may shorten it: some programs require every word."""
    words = question.split()
    silent = stop_words_among([word.casefold().strip(",.?!") for word in words])
    return " ".join(word for word in words if word.casefold().strip(",.?!") not in silent) or question


def exact_words(vault: Path) -> dict[str, frozenset[str]]:
    """Some words of a vault, always the same for the same notes, each with all notes that hold it in any form."""
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
