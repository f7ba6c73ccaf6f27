"""The room of an answer is shared out: the best note comes first, the room suffices, and each call gives the same."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ranked.test_gathering import notes as texts
from tests.ranked.test_showing import nothing_else_holds
from vaulttools.index import passages
from vaulttools.notes.note import Note
from vaulttools.ranked.allotment import Allotted, allotted, every_passage
from vaulttools.ranked.copies import Deduplicator
from vaulttools.ranked.evidence import Evidence, RankedNote
from vaulttools.ranked.ranking import rank
from vaulttools.ranked.showing import _LONGEST_REST, ShownNote
from vaulttools.ranked.weights import SHARING, Sharing

LEAST = 120 + 60 + _LONGEST_REST
"""Characters by which a text may exceed its room: the shortest beginning of a passage, the end of its sentence, and its
place."""

NAMES = st.sampled_from(["a.md", "b.md", "c/d.md", "c/e f.md", "ü/[x].md", "# h.md"])
VAULTS = st.dictionaries(NAMES, texts, min_size=1, max_size=6)


def size(note: ShownNote) -> int:
    """The characters of a note in the text of an answer, with the blank line below it."""
    return len("\n".join([note.heading, *note.lines])) + 2


def undescribed(note: Note, is_first: bool) -> tuple[str, str]:
    return "", ""


def shared(files: Mapping[str, str], room: int, *, is_sorted: bool = False) -> tuple[Allotted, Sequence[RankedNote]]:
    """What an answer shows of a vault for one question, and the notes in order."""
    notes = {path: Note(path, text) for path, text in files.items()}
    held = {path: set(passages.of(note).digests) for path, note in notes.items()}

    def copies(digests: Collection[int]) -> Mapping[int, set[str]]:
        return {digest: {path for path, own in held.items() if digest in own} for digest in digests}

    ranking = rank("cost of the roof repair", frozenset(notes), None, notes.get, lambda: False, 20)
    deduplicator = Deduplicator(notes.get, copies, notes.keys())
    found = list(deduplicator.unfolded(ranking.notes))
    return allotted(found, deduplicator, room, ranking.finder.occurrences, described, is_sorted=is_sorted), found


def described(note: Note, is_first: bool) -> tuple[str, str]:
    return "2026-05-12", "status: active; tags: a, b" if is_first else ""


@given(VAULTS, st.integers(300, 6_000), st.booleans())
@settings(max_examples=60)
def test_an_answer_fits_the_room_and_is_the_same_every_time(files: dict[str, str], room: int, is_sorted: bool) -> None:
    found, notes = shared(files, room, is_sorted=is_sorted)
    assert sum(map(size, found.notes)) <= room + LEAST
    assert found == shared(files, room, is_sorted=is_sorted)[0]
    places = [[note.path for note in notes].index(each.note.path) for each in found.notes]
    assert places == sorted(places)
    for each in found.notes:
        lines = [line for passage in each.passages for line in range(passage.start_line, passage.end_line + 1)]
        assert lines == sorted(lines)
        assert sum(passage.start_line <= each.best_line <= passage.end_line for passage in each.passages) <= 2


@given(VAULTS, st.integers(300, 6_000))
@settings(max_examples=60)
def test_notes_far_below_the_best_are_only_named_and_farther_ones_omitted(files: dict[str, str], room: int) -> None:
    found, notes = shared(files, room)
    best = max((note.score for note in notes), default=0)
    assert all(each.note.score >= best * SHARING.stop for each in found.notes)
    assert len(found.notes) <= SHARING.notes
    assert all(each.score >= best * SHARING.named for each in found.also)
    named = {each.note.path for each in found.notes} | {each.path for each in found.also}
    assert named == {note.path for note in notes if note.score >= best * SHARING.named}


def paragraphs(count: int, name: str) -> str:
    """A text of so many passages that all differ."""
    return "\n\n".join(f"## {name} {number}\n\n{f'Word{number} of {name}. ' * 30}" for number in range(count))


class Scored:
    """Notes with given scores, whose passages all answer equally well."""

    def __init__(self, scores: Sequence[float], sizes: Sequence[int]) -> None:
        numbered = enumerate(sizes)
        self.read = {f"{number}.md": Note(f"{number}.md", paragraphs(size, str(number))) for number, size in numbered}
        self.notes = [
            RankedNote(path, score, held, [Evidence(each, 1.0, frozenset()) for each in range(len(held.starts))])
            for (path, note), score in zip(self.read.items(), scores, strict=True)
            if (held := passages.of(note))
        ]

    def allotted(self, room: int, *, is_sorted: bool = False, sharing: Sharing = SHARING) -> Allotted:
        deduplicator = nothing_else_holds(self.read)
        return allotted(self.notes, deduplicator, room, lambda _: (), undescribed, is_sorted=is_sorted, sharing=sharing)


SCORES = st.lists(st.floats(0.7, 1.0), min_size=1, max_size=8).map(lambda scores: sorted(scores, reverse=True))


@given(SCORES, st.integers(2_000, 6_000))
@settings(max_examples=25)
def test_the_best_of_equally_long_notes_have_text_and_the_first_leaves_room(scores: list[float], room: int) -> None:
    made = Scored(scores, [12] * len(scores))
    found = made.allotted(room)
    assert [each.note for each in found.notes] == made.notes[: len(found.notes)]
    assert size(found.notes[0]) <= room * SHARING.most + LEAST


def test_a_long_note_shows_passages_about_as_good_as_the_best_and_the_one_after_it() -> None:
    made = Scored([1.0], [12])
    scores = {4: 1.0, 9: SHARING.passage, 1: SHARING.passage - 0.01}
    made.notes[0] = RankedNote(
        "0.md",
        1.0,
        made.notes[0].passages,
        [Evidence(number, score, frozenset()) for number, score in scores.items()],
    )
    [note] = made.allotted(6_000).notes
    starts = made.notes[0].passages.starts
    shown = {
        number for number, start in enumerate(starts) for each in note.passages if each.span[0] <= start < each.span[1]
    }
    headings = made.notes[0].passages.headings
    assert shown == {4, 9} | ({5} if headings[5] == headings[4] else set())
    assert note.best is not None
    assert note.best.span[0] == starts[4]
    small = made.allotted(600).notes[0]
    assert [each.span[0] for each in small.passages] == [starts[4]]


def test_scores_decide_nothing_when_notes_are_sorted_by_something_else() -> None:
    made = [Scored(scores, [12] * 4).allotted(6_000, is_sorted=True) for scores in ([0.1, 1.0, 0.01, 0.5], [1.0] * 4)]
    one, other = ([(each.note.path, each.lines) for each in found.notes] for found in made)
    assert one == other
    assert [path for path, _ in one] == ["0.md", "1.md", "2.md", "3.md"]


def test_notes_sorted_by_something_else_get_about_the_same_room() -> None:
    found = Scored([0.5] * 4, [12] * 4).allotted(8_000, is_sorted=True)
    sizes = [size(each) for each in found.notes]
    assert max(sizes) - min(sizes) < 1_000  # about a passage


def test_a_note_that_has_become_unreadable_takes_no_room_from_the_others() -> None:
    made, alone = Scored([1.0, 0.9, 0.8], [12] * 3), Scored([0.9, 0.8], [12] * 2)
    del made.read["0.md"]
    found, expected = made.allotted(5_000), alone.allotted(5_000)
    assert [list(each.passages) for each in found.notes[:1]] == [[]]
    assert [len(each.passages) for each in found.notes[1:]] == [len(each.passages) for each in expected.notes]


def test_the_names_of_copies_take_room() -> None:
    text = paragraphs(8, "same")
    files = {"a.md": text, f"{'long/' * 50}b.md": text}
    notes = {path: Note(path, each) for path, each in files.items()}
    held = {path: set(passages.of(note).digests) for path, note in notes.items()}
    deduplicator = Deduplicator(
        notes.get, lambda some: {d: {p for p, own in held.items() if d in own} for d in some}, notes.keys()
    )
    of_note = passages.of(notes["a.md"])
    ranked = [RankedNote("a.md", 1.0, of_note, [Evidence(0, 1.0, frozenset())])]
    found = allotted(ranked, deduplicator, 400, lambda _: (), undescribed)
    assert "also in: " in "\n".join(found.notes[0].lines)
    assert sum(map(size, found.notes)) <= 400 + 2 * LEAST


def test_without_notes_there_is_nothing_to_share_out() -> None:
    assert allotted([], nothing_else_holds({}), 1_000, lambda _: (), undescribed) == Allotted([], [])


def test_every_other_note_shows_its_best_passage() -> None:
    made = Scored([1.0, 0.5, 0.2], [12, 12, 12])
    made.notes[1] = RankedNote("1.md", 0.5, made.notes[1].passages, [Evidence(7, 1.0, frozenset())])
    made.notes[2] = RankedNote("2.md", 0.2, made.notes[2].passages, [])
    del made.read["0.md"]
    found = every_passage(made.notes, nothing_else_holds(made.read), lambda _: ())
    assert [[each.span[0] for each in note.passages] for note in found] == [
        [],
        [made.notes[1].passages.starts[7]],
        [made.notes[2].passages.starts[0]],
    ]
