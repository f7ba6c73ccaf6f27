"""The order of notes is that of all notes looked at in full, however few are."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from vaulttools.index.passages import Passages
from vaulttools.notes.note import Note
from vaulttools.notes.quantities import Quantity
from vaulttools.ranked import question
from vaulttools.ranked.evidence import best, combined
from vaulttools.ranked.finder import Finder
from vaulttools.ranked.order import BestFirst, Candidate, RankedNote
from vaulttools.ranked.scoring import score
from vaulttools.ranked.weights import NOTE

WORDS = ["anchor", "chain", "harbour", "tide", "rope", "sail"]
LINE = st.lists(st.sampled_from([*WORDS, *"abcdefgh"]), max_size=9).map(" ".join)
LINES = st.tuples(st.sampled_from(["", "", "- ", "# ", "## ", "| ", "\n"]), LINE).map("".join)
TEXTS = st.lists(LINES, max_size=14).map("\n".join)
NAMES = st.sampled_from([f"{word} {number}.md" for word in WORDS for number in range(5)])


@given(
    notes=st.dictionaries(NAMES, st.tuples(TEXTS, st.integers(0, 1)), max_size=16),
    asked=st.lists(st.sampled_from(WORDS), min_size=1, max_size=5, unique=True),
    rarities=st.lists(st.sampled_from([0.1, 0.7, 2.5, 6.0]), min_size=5, max_size=5),
    gone=st.sets(NAMES, max_size=2),
    wanted=st.integers(0, 16),
    languages=st.sampled_from([frozenset[str](), frozenset(["en"])]),
    quantity=st.sampled_from([Quantity.NONE, Quantity.NUMBER]),
)
def test_the_order_is_that_of_all_notes_looked_at_in_full(
    notes: dict[str, tuple[str, int]],
    asked: list[str],
    rarities: list[float],
    gone: set[str],
    wanted: int,
    languages: frozenset[str],
    quantity: Quantity,
) -> None:
    finder = Finder(question.read(" ".join(asked)).terms)
    rarities = rarities[: len(asked)]
    read = {path: Note(path, text) for path, (text, _) in notes.items()}
    places = {path: finder.places(note) for path, note in read.items()}
    candidates = [
        Candidate(path, score(places[path], rarities), places[path], turn) for path, (_, turn) in notes.items()
    ]

    def passages(paths: Sequence[str]) -> dict[str, Passages]:
        return {path: finder.passages(read[path]) for path in paths if path not in gone}

    full = []
    for each in candidates:
        if each.path not in gone:
            held = finder.passages(read[each.path])
            evidence = best(each.places, held, rarities, quantity)
            worth = combined(each.score, evidence[0].score if evidence else 0.0)
            if languages and held.language not in languages:
                worth = max(0.001, round(worth * NOTE.other_language, 3))
            full.append((each.turn, -worth, each.path, RankedNote(each.path, worth, held, evidence)))
    expected = [note for *_, note in sorted(full, key=lambda each: each[:3])]

    found = BestFirst(candidates, rarities, passages, sorted, languages, quantity)
    assert bool(found) == bool(expected)
    assert [note for note, _ in zip(found, range(wanted), strict=False)] == expected[:wanted]
    held_together = {note.path for note in found.holding(lambda places: all(map(any, places.found)))}
    assert held_together >= {note.path for note in expected if all(map(any, places[note.path].found))}
    assert list(found) == expected
    assert len(found) == len(expected)
