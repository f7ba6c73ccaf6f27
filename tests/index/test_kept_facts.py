"""Facts of texts, in memory and beside the index."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.index import kept_facts, kept_file
from vaulttools.index.kept_facts import KeptFacts

# The first eight bytes are those by which a fact is looked for, so that some have them in common.
digests = st.builds(
    lambda beginning, end: bytes([beginning]) * 8 + bytes([end]) * 8, st.integers(0, 4), st.integers(0, 4)
)


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_facts, "FEW", 3)
    monkeypatch.setattr(kept_facts, "_MOST_OLD", 2)


@given(steps=st.lists(st.sets(digests, max_size=8), max_size=5), gone=st.sets(digests))
def test_a_process_knows_every_fact_that_was_put_and_the_next_one_all_but_a_few(
    steps: list[set[bytes]], gone: set[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    database = tmp_path_factory.mktemp("kept") / "index"
    facts, known = KeptFacts("tags", database), set[bytes]()
    for step in steps:
        for digest in step:
            facts.put(digest, (digest.hex(),))
        known |= step
        facts.keep(known - gone)
        assert all(facts.get(digest) == (digest.hex(),) for digest in known - gone)
        for each in (facts, KeptFacts("tags", database)):
            assert all(each.get(digest) in (None, (digest.hex(),)) for digest in known)
        later = KeptFacts("tags", database)
        assert sum(later.get(digest) is None for digest in known - gone) <= kept_facts.FEW + kept_facts._MOST_OLD
    assert facts.get(b"?" * 16) is None


def test_few_new_facts_are_not_written_and_many_are(tmp_path: Path) -> None:
    facts = KeptFacts("tags", tmp_path / "index")
    texts = [bytes([number]) * 16 for number in range(20)]
    for digest in texts[:3]:
        facts.put(digest, "fact")
    facts.keep(texts)
    assert list(tmp_path.iterdir()) == []
    facts.put(texts[3], "fact")
    facts.keep(texts)
    assert [KeptFacts("tags", tmp_path / "index").get(digest) for digest in texts[:5]] == [*["fact"] * 4, None]


def test_of_facts_about_texts_that_no_note_has_only_the_last_ones_stay(tmp_path: Path) -> None:
    texts = [bytes([number]) * 16 for number in range(20)]
    for database in (None, tmp_path / "index"):
        facts = KeptFacts("tags", database)
        for digest in texts[:10]:
            facts.put(digest, "fact")
        facts.keep(texts[:6])
        assert [facts.get(digest) for digest in texts[:10]] == [*["fact"] * 6, None, None, "fact", "fact"]
        for digest in texts[10:]:
            facts.put(digest, "fact")
        facts.keep(texts[10:])
        assert sum(facts.get(digest) is not None for digest in texts[:10]) <= 4


def test_facts_that_are_more_than_plain_values_stay_in_memory(tmp_path: Path) -> None:
    facts = KeptFacts("tasks", tmp_path / "index")
    texts, fact = [bytes([number]) * 16 for number in range(9)], Path("x")
    for digest in texts:
        facts.put(digest, fact)
    facts.keep(texts)
    assert [facts.get(digest) for digest in texts] == [fact] * 9
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_is_passed_over_and_written_anew(tmp_path: Path) -> None:
    texts = [bytes([number]) * 16 for number in range(9)]

    def in_a_new_process() -> KeptFacts:
        return KeptFacts("tags", tmp_path / "index")

    def write(facts: KeptFacts) -> None:
        for number, digest in enumerate(texts):
            facts.put(digest, number)
        facts.keep(texts)

    write(in_a_new_process())
    (file,) = tmp_path.iterdir()
    assert in_a_new_process().get(texts[1]) == 1
    file.write_bytes(file.read_bytes()[:-4])
    assert in_a_new_process().get(texts[1]) is None
    assert kept_file.load(tmp_path / "index", "facts-tags") is None
    write(in_a_new_process())
    assert [in_a_new_process().get(digest) for digest in texts] == list(range(9))
