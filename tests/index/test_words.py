"""The table of words: which notes hold them, and where."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.index.indexes import Indexed
from vaulttools.core.folding.words import folded
from vaulttools.index import words
from vaulttools.index.file import WORDS_TOKENIZER
from vaulttools.index.publisher import Publisher
from vaulttools.index.snapshot import Snapshot
from vaulttools.index.words import Places, Spelling

NOTES = {
    "a.md": "---\naliases: [Anchor]\n---\n# Chains\n\nThe anchor and the anchors.\n",
    "b.md": "A chain of anchoring.\n",
    "été.md": "Summer.\n",
    "RouterReset.md": "x\n",
}


@pytest.fixture
def present(indexed: Indexed, later: None) -> Iterator[Publisher]:
    store = indexed.holding(NOTES)
    yield Publisher(indexed.root, store, None, 1_000_000)
    store.close()


@pytest.fixture
def known(present: Publisher) -> Snapshot:
    return present.latest


def asked(
    known: Snapshot,
    *spellings: str,
    most: int = 10,
    among: frozenset[str] = frozenset(NOTES),
    read: frozenset[str] = frozenset(),
) -> dict[str, object]:
    hits = known.words([[Spelling(text)] for text in spellings], most, among, read)
    assert hits is not None
    return {"counts": hits.counts, "notes": list(hits.places)}


def test_words_are_found_in_any_inflection_case_and_accents(known: Snapshot) -> None:
    assert asked(known, "ANCHORED", "ete") == {"counts": [2, 1], "notes": ["été.md", "a.md", "b.md"]}


def test_a_name_is_found_by_its_parts(known: Snapshot) -> None:
    assert asked(known, "router", "reset", "routerreset")["counts"] == [1, 1, 1]


def test_places_are_grouped_by_part(known: Snapshot) -> None:
    hits = known.words([[Spelling("anchor")], [Spelling("chain")]], 10, frozenset(NOTES), frozenset())
    assert hits is not None
    assert [[list(part) for part in parts] for parts in hits.places["a.md"].found] == [
        [[2, 5], [], [0], [], []],
        [[0], [], [], [0], []],
    ]
    assert list(hits.places["a.md"].lengths) == [6, 1, 1, 1, 0]
    assert hits.notes == 4


def test_names_and_values_of_properties_are_a_part_without_those_that_name_the_note(
    known: Snapshot, indexed: Indexed
) -> None:
    indexed.write({"c.md": "---\naliases: [Buoy]\nstatus: drifting\nof: [chain, buoy]\n---\nText.\n"})
    store = known._store
    indexed.update(store)
    now = Publisher(indexed.root, store, None, 1_000_000).latest
    hits = now.words([[Spelling("buoy")], [Spelling("status")]], 10, frozenset({"c.md"}), frozenset())
    assert hits is not None
    assert [[list(part) for part in parts] for parts in hits.places["c.md"].found] == [
        [[], [], [0], [], [4]],
        [[], [], [], [], [0]],
    ]


def test_a_request_leaves_nothing_behind(known: Snapshot) -> None:
    """FTS5 keeps every registered function, and what it holds, as long as the connection lives."""
    before = [each for each in gc.get_objects() if isinstance(each, Places)]  # those of other tests' parameters
    for _ in range(3):
        assert asked(known, "anchor", "chain")["counts"] == [2, 2]
    gc.collect()
    left = {id(each) for each in gc.get_objects() if isinstance(each, Places)}
    assert left == set(map(id, before))


def test_a_word_may_be_given_by_its_beginning_and_in_several_spellings(known: Snapshot) -> None:
    hits = known.words(
        [[Spelling("anch", is_beginning=True)], [Spelling("nowhere"), Spelling("summer")]],
        10,
        frozenset(NOTES),
        frozenset(),
    )
    assert hits is not None
    assert hits.counts == [2, 1]


def test_only_the_given_notes_are_returned_and_all_are_counted(known: Snapshot) -> None:
    assert asked(known, "anchor", among=frozenset({"b.md"})) == {"counts": [2], "notes": ["b.md"]}
    assert asked(known, "anchor", among=frozenset()) == {"counts": [2], "notes": []}


def test_the_best_are_returned_and_the_others_counted(known: Snapshot) -> None:
    assert asked(known, "anchor", "summer", most=1) == {"counts": [2, 1], "notes": ["été.md"]}


def test_an_empty_request_finds_nothing(known: Snapshot) -> None:
    assert asked(known) == {"counts": [], "notes": []}
    assert asked(known, "nowhere") == {"counts": [0], "notes": []}


@pytest.mark.parametrize("text", ['"', '" OR body : "', "a* NEAR(b)", "title:x", "a\0b", "", "-", "\ud800", "(" * 99])
def test_fault_I20_no_text_is_an_operator_of_the_query(known: Snapshot, text: str) -> None:
    assert asked(known, text)["counts"] == [0] if text != "a\0b" else True


def test_stems_are_found_by_their_beginning_and_length(known: Snapshot) -> None:
    assert known.stems("c", 1, 9) == ["chain"]
    assert known.stems("c", 1, 4) == []
    assert known.stems("\U0010ffff", 1, 9) == []


def test_the_notes_that_hold_a_stem_are_found(known: Snapshot) -> None:
    assert known.with_stem("chain", frozenset()) == {"a.md", "b.md"}
    assert known.with_stem("chain", frozenset({"b.md"})) == {"a.md"}
    assert known.with_stem("chains", frozenset()) == set()


def test_pieces_of_text_are_found_as_they_are_folded(known: Snapshot) -> None:
    assert known.with_text("nchors", frozenset()) == {"a.md"}
    assert known.with_text("nchors", frozenset({"a.md"})) == set()
    assert known.with_text("-", frozenset()) == set(), "one sign of ASCII narrows nothing"


def test_a_changed_note_is_not_returned_and_counts_as_before_unless_the_caller_has_read_it(
    present: Publisher, indexed: Indexed
) -> None:
    indexed.write({"b.md": "Now something else.\n"})
    present.catch_up()
    now = present.latest
    assert now.changed() == {"b.md"}
    assert asked(now, "anchor") == {"counts": [2], "notes": ["a.md"]}
    assert asked(now, "anchor", read=frozenset({"b.md"})) == {"counts": [1], "notes": ["a.md"]}


def test_a_deleted_note_does_not_count_before_it_is_forgotten(present: Publisher, indexed: Indexed) -> None:
    (indexed.vault / "b.md").unlink()
    present.catch_up()
    now = present.latest
    there = frozenset(NOTES) - {"b.md"}
    assert asked(now, "anchor", among=there) == {"counts": [1], "notes": ["a.md"]}
    assert now.with_stem("chain", frozenset()) == {"a.md"}
    assert now.with_text("chain", frozenset()) == {"a.md"}
    hits = now.words([[Spelling("anchor")]], 10, there, frozenset())
    assert hits is not None
    assert hits.notes == 3


def test_a_word_is_counted_anew_when_a_change_is_indexed(present: Publisher, indexed: Indexed) -> None:
    assert asked(present.latest, "anchor", "chain") == asked(present.latest, "anchor", "chain")
    indexed.write({"b.md": "Now something else, with a chain.\n"})
    present.catch_up()
    assert asked(present.latest, "anchor")["counts"] == [2]
    pending = present.pending()
    indexed.update(present.store)
    present.settle(pending)
    now = present.latest
    assert asked(now, "anchor", "chain", "something")["counts"] == [1, 2, 1]
    assert asked(now, "anchor", "something")["counts"] == [1, 1]


@given(st.text(max_size=60))
def test_the_words_of_a_text_are_those_in_the_table(text: str) -> None:
    text = text.replace("\0", "").encode("utf-8", "replace").decode()
    connection = apsw.Connection(":memory:")
    connection.execute(
        f'CREATE VIRTUAL TABLE t USING fts5 (x, tokenize="{" ".join(map(repr, WORDS_TOKENIZER))}");'
        "CREATE VIRTUAL TABLE v USING fts5vocab (t, instance)"
    )
    connection.execute("INSERT INTO t VALUES (?)", (folded(text),))
    table = [(place, stem) for stem, place in connection.execute("SELECT term, offset FROM v ORDER BY offset")]
    assert [(place, stem) for place, (_, _, stem) in enumerate(words.tokens(text))] == table
    data = text.encode()
    assert all(data[start:end].decode() for start, end, _ in words.tokens(text))


@given(st.text(max_size=60) | st.text(st.characters(max_codepoint=127), max_size=60))
def test_the_count_of_words_is_the_number_of_words(text: str) -> None:
    text = text.replace("\0", "")
    assert words.count(text) == len(words.tokens(text))


_INFLECTED = ["Sensibility", "hoping", "hopes", "dying", "élan", "Elans", "ties", "tied", "relational", "a_b", "ied\n"]


@given(st.lists(st.sampled_from(_INFLECTED)))
def test_the_first_word_of_a_stem_is_the_first_among_all_words(written: list[str]) -> None:
    text = " ".join(written)
    for _, _, stem in words.tokens(text):
        first = next(text.encode()[start:end].decode().lower() for start, end, s in words.tokens(text) if s == stem)
        assert words.first_written(stem, text) == first
    assert words.first_written("nowher", text) == ""


def test_words_are_counted_as_they_are_split_around_every_character() -> None:
    for code in (*range(0x80, 0xD800), *range(0xE000, 0x10000), *range(0x1F000, 0x1F100), *range(0xE0000, 0xE0200)):
        character = chr(code)
        text = f"a{character}b {character} c{character}"
        assert words.count(text) == len(words.tokens(text)), f"{code:x}"
