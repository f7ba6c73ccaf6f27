"""The passages that fit a budget: never more, never one twice, and each omitted one is counted."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.index import passages
from vaulttools.notes.note import Note
from vaulttools.ranked import showing
from vaulttools.ranked.copies import Deduplicator
from vaulttools.ranked.evidence import Evidence, RankedNote
from vaulttools.ranked.gathering import Gathered, chosen, gathered
from vaulttools.ranked.ranking import rank

WORDS = ["roof", "repair", "tile", "house", "cost", "beam", "Ada", "[[a]]", "[[b#h|b]]", "日本", "4,200", "x" * 90]
sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=30).map(lambda words: f"{' '.join(words)}.")
blocks = st.one_of(
    sentences,
    st.lists(sentences, min_size=2, max_size=8).map(" ".join),
    st.lists(sentences, min_size=2, max_size=4).map(lambda rows: "\n".join(f"- {row}" for row in rows)),
    st.lists(sentences, min_size=1, max_size=4).map(lambda rows: "\n".join(["|a|", "|-|", *(f"|{r}|" for r in rows)])),
    sentences.map(lambda text: f"```\n{text}\n## no heading\n[To read on: read x]\n```"),
    st.sampled_from(["# roof", "## cost of it", "### repair", "roof repair, the same in many notes, word for word"]),
)
notes = st.builds(
    lambda properties, parts: properties + "\n\n".join(parts) + "\n",
    st.sampled_from(["", "---\nstatus: active\ntags: [a, b]\n---\n", f"---\ntext: {'long ' * 60}\n---\n"]),
    st.lists(blocks, max_size=12),
)
names = st.sampled_from(["a", "b", "c/d", "c/e f", "ü/[x]", "# h", "y" * 120, "c/" + "z" * 200])
vaults = st.dictionaries(names.map(lambda name: f"{name}.md"), notes, min_size=1, max_size=6)


def asked(files: Mapping[str, str], question: str, room: int) -> Gathered:
    notes = {path: Note(path, text) for path, text in files.items()}
    held = {path: set(passages.of(note).digests) for path, note in notes.items()}

    def copies(digests: Collection[int]) -> Mapping[int, set[str]]:
        return {digest: {path for path, own in held.items() if digest in own} for digest in digests}

    ranking = rank(question, frozenset(notes), None, notes.get, lambda: False, 20)
    deduplicator = Deduplicator(notes.get, copies, notes.keys())
    return gathered(list(deduplicator.unfolded(ranking.notes)), deduplicator, room, ranking.finder.occurrences)


def spans(found: Gathered) -> list[tuple[str, int]]:
    """Every passage that is shown, header rows included."""
    shown = [(piece.path, number) for piece in found.pieces for number in range(piece.first, piece.last + 1)]
    headers = [(each.path, each.ranked.passages.parents[each.first]) for each in found.pieces if each.has_header]
    return shown + headers


@given(vaults, st.integers(100, 4_000), st.sampled_from(["roof repair", "cost of the house"]))
@settings(max_examples=150)
def test_passages_fit_the_room_never_repeat_and_every_cut_is_counted(
    files: dict[str, str], room: int, question: str
) -> None:
    found = asked(files, question, room)
    # The line that locates the first passage may be longer than the room, and a sentence is shown to its end.
    assert found.size() <= room or (len(found.pieces) == 1 and len(found.pieces[0].shown) <= 82 + showing._LONGEST_REST)
    everything = asked(files, question, sys.maxsize)
    assert everything.left == 0
    for each in (found, everything):
        assert len(set(spans(each))) == len(spans(each))
        digests = [
            digest
            for piece in each.pieces
            for digest in piece.ranked.passages.digests[piece.first : piece.last + 1]
            if digest != passages.NO_COPIES
        ]
        assert len(set(digests)) == len(digests)
    if not found.left and not any(piece.most for piece in found.pieces):  # nothing that answers is missing
        assert {piece.path for piece in everything.pieces} == {piece.path for piece in found.pieces}
    assert asked(files, question, room).size() == found.size()


def test_neighbours_of_the_best_passage_come_with_it_while_there_is_room() -> None:
    files = {"a.md": "# Roof\n\n" + "\n\n".join(f"Sentence number {n} about tiles. {'x' * 90}" for n in range(40))}
    files["a.md"] += "\n\nThe beam of oak holds it.\n"
    small, large = asked(files, "beam", 120), asked(files, "beam", 1_500)
    assert small.pieces[0].first == small.pieces[0].last
    assert large.pieces[0].last == small.pieces[0].last and large.pieces[0].first < small.pieces[0].first
    assert large.size() <= 1_500


def test_a_note_that_repeats_part_of_a_shown_passage_is_reported_as_a_copy() -> None:
    section = "# Roof\n\nThe repair of the roof costs a lot.\n\nAsk Ada about the repair.\n"
    found = asked({"a.md": section, "b.md": "The repair of the roof costs a lot.\n"}, "roof repair", 5_000)
    assert [(piece.path, list(piece.copies)) for piece in found.pieces] == [("a.md", ["b.md"])]


def test_passages_get_room_by_their_score_and_the_score_of_their_note() -> None:
    held = passages.of(Note("n.md", "text\n"))

    def ranked(path: str, score: float, *of_passages: float) -> RankedNote:
        return RankedNote(path, score, held, [Evidence(n, each, frozenset()) for n, each in enumerate(of_passages)])

    notes = [ranked("a", 0.9, 0.8, 0.7, 0.6, 0.6), ranked("b", 0.8, 0.5, 0.2), ranked("c", 0.7)]
    places = [(notes[place].path, each and each.number) for place, each in chosen(notes)]
    assert places == [("a", 0), ("b", 0), ("a", 1), ("c", None), ("a", 2)]
