"""Asks 40 questions each over 20 notes in Korean, Japanese, Russian, Arabic, Hebrew, Hindi and Chinese.

    python benchmarks/scripts.py [--half tuning|held-out|all] [--missed] [--vaults FOLDER]

Half of the notes are as on a Mac, with names and texts decomposed; half as on Windows, with CRLF and some with a byte
order mark. `scripts/LANGUAGE.txt` holds for each note a line `@@ PATH mac|win`, its text, and its questions as lines
`?? KIND QUESTION`, which were written before anything ranked them. `shared` questions have words of their note, perhaps
in another form; `title` ones are its name; `sign` ones are an emoji or a sign in it. Words alone answer.
"""

from __future__ import annotations

import argparse
import tempfile
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vaulttools import Vault, VaultConfig
from vaulttools.errors import BadArgument

SCRIPTS: Final = Path(__file__).parent / "scripts"
KINDS: Final = ("shared", "title", "sign")
_WITH_MARK: Final = 3
"""Each so manyth note from Windows begins with a byte order mark."""


@dataclass(frozen=True)
class Note:
    """A note, with the questions that it alone answers."""

    path: str
    system: str
    text: str
    questions: Sequence[tuple[str, str]]
    """Kind and text."""


def notes(language: str) -> Iterator[Note]:
    """Yield the notes of a language."""
    source = unicodedata.normalize("NFC", (SCRIPTS / f"{language}.txt").read_text(encoding="utf-8"))
    for block in source.split("@@ ")[1:]:
        head, *lines = block.splitlines()
        path, system = head.rsplit(" ", 1)
        asked = [line[3:].split(" ", 1) for line in lines if line.startswith("?? ")]
        text = "\n".join(line for line in lines if not line.startswith("?? ")).strip() + "\n"
        yield Note(path, system, text, [(kind, question) for kind, question in asked])


def write(folder: Path, some: Sequence[Note]) -> None:
    """Write notes as their systems would."""
    from_windows = 0
    for note in some:
        name, data = unicodedata.normalize("NFD", note.path), unicodedata.normalize("NFD", note.text).encode()
        if note.system == "win":
            mark = b"" if from_windows % _WITH_MARK else b"\xef\xbb\xbf"
            name, data = note.path, mark + note.text.replace("\n", "\r\n").encode()
            from_windows += 1
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def asked(some: Sequence[Note], half: str) -> Iterator[tuple[str, str, str]]:
    """Yield kind, question and path; within a kind the halves take turns."""
    numbers: Counter[str] = Counter()
    for note in some:
        for kind, question in note.questions:
            if half in ("all", ("tuning", "held-out")[numbers[kind] % 2]):
                yield kind, question, note.path
            numbers[kind] += 1


def place_of(vault: Vault, question: str, path: str) -> int | None:
    """Return the place of a note among the five best, from 1; None if it is not among them."""
    try:
        found = [unicodedata.normalize("NFC", note.path) for note in vault.query(question, limit=5).notes]
    except BadArgument:
        return None
    return found.index(path) + 1 if path in found else None


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("tuning", "held-out", "all"), default="tuning")
    parser.add_argument("--missed", action="store_true", help="name the questions whose note is not among five")
    parser.add_argument("--vaults", type=Path, help="keep the vaults there, one folder for each language")
    given = parser.parse_args()
    places: dict[tuple[str, str], list[int | None]] = defaultdict(list)
    languages = sorted(path.stem for path in SCRIPTS.glob("*.txt"))
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        for language in languages:
            some = list(notes(language))
            root = (given.vaults or Path(folder, "vaults")) / language
            write(root, some)
            config = VaultConfig(meaning="off", index_folder=Path(folder, "index"))
            with Vault.open(root, config=config) as vault:
                vault.build_index()
                for kind, question, path in asked(some, given.half):
                    place = place_of(vault, question, path)
                    for name in (language, "all"):
                        places[name, kind].append(place)
                    if place is None:
                        missed.append(f"{language}, {kind}: {question} ({path})")
    print(f"| half: {given.half} | " + " | ".join(f"{kind}: n | note@5 | note@1" for kind in KINDS) + " |")
    print("|---" + "|--:" * 3 * len(KINDS) + "|")
    for language in (*languages, "all"):
        print(f"| {language} | " + " | ".join(_cells(places[language, kind]) for kind in KINDS) + " |")
    if given.missed:
        print("\n".join(missed))


def _cells(places: Sequence[int | None]) -> str:
    among_five = sum(place is not None for place in places) / len(places)
    return f"{len(places)} | {among_five:.2f} | {places.count(1) / len(places):.2f}"


if __name__ == "__main__":
    main()
