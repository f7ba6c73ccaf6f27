"""Passages are copies of each other if they say the same with the same numbers."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.index import passages
from vaulttools.index.words import count
from vaulttools.notes.note import Note
from vaulttools.notes.passages import digest
from vaulttools.ranked.allotment import every_passage
from vaulttools.ranked.copies import Deduplicator, Print
from vaulttools.ranked.evidence import Evidence, RankedNote

TEXT = "The client asks for a name and a password, and after three wrong ones it waits for ten minutes before the next."


def made(text: str, properties: str = "") -> Print:
    """The print of a text, as if it were one passage however long it is."""
    note = Note("a.md", properties)
    is_short = count(text) < passages.FEWEST_WORDS_OF_A_COPY
    return Print(text, passages.NO_COPIES if is_short else digest(text), passages.digest_of_properties(note))


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("", "", True),
        ("", "---\n---\n", True),
        ("---\na: 1\nb: [x, y]\n---\n", "---\nb:\n  - x\n  - y\nA: 1\n---\n", True),
        ("", "---\na: 1\n---\n", False),
        ("---\na: 1\n---\n", "---\na: 2\n---\n", False),
        ("---\na: 1\n---\n", "---\na: '1'\n---\n", False),
        ("---\na: 1\n---\n", "---\na: 1\nb: 2\n---\n", False),
        ("---\na: [x, y]\n---\n", "---\na: [y, x]\n---\n", False),
        ("---\na: {b: 1}\n---\n", "---\na: {b: 2}\n---\n", False),
        ("---\na: [\n---\n", "---\na: {\n---\n", False),
    ],
)
def test_passages_are_copies_only_if_the_properties_of_their_notes_agree(one: str, other: str, agree: bool) -> None:
    assert made(TEXT, one).is_copy_of(made(TEXT, other)) == agree
    of_one, of_other = (passages.of(Note("a.md", f"{each}{TEXT}\n")).digests for each in (one, other))
    assert (list(of_one) == list(of_other)) == agree
    near = TEXT.replace("name", "username")
    assert made(TEXT, one).is_copy_of(made(near, other)) == agree


@pytest.mark.parametrize(
    ("other", "is_copy"),
    [
        (TEXT, True),
        (TEXT.upper().replace(" ", "\n"), True),
        (TEXT.replace("name", "username"), True),
        (TEXT.replace("three", "3"), False),
        (TEXT.replace("a name and a password", "a key"), False),
        ("Der Client fragt nach Name und Passwort und wartet nach drei falschen zehn Minuten bis zum nächsten.", False),
        ("", False),
    ],
)
def test_copies_say_the_same_and_differ_in_no_number(other: str, is_copy: bool) -> None:
    assert made(TEXT).is_copy_of(made(other)) == is_copy
    assert made(other).is_copy_of(made(TEXT)) == is_copy


def test_short_passages_are_copies_only_when_they_are_the_same() -> None:
    assert made("One two three four five.").is_copy_of(made("one two\nthree four five."))
    assert not made("Coming soon.").is_copy_of(made("Coming soon."))
    assert not made("One two three four five.").is_copy_of(made("One two three four six."))


WORDS = st.lists(st.sampled_from(("the", "Client", "asks", "3", "10,5", "\n", "wait", "for")), max_size=40)


@settings(max_examples=200)
@given(WORDS, WORDS, st.integers(0, 40))
def test_near_copies_share_seven_of_ten_shingles_and_their_numbers(
    words: list[str], others: list[str], cut: int
) -> None:
    text, other = " ".join(words), " ".join([*words[:cut], *others])
    split = [re.findall(r"\w+", each.casefold()) for each in (text, other)]
    one, two = ({tuple(each[start : start + 3]) for start in range(len(each) - 2)} for each in split)
    numbers = [set(re.findall(r"\d[\d.,]*", each)) for each in (text, other)]
    is_near = min(map(len, split)) >= 12 and len(one & two) >= 0.7 * len(one | two) and numbers[0] == numbers[1]
    is_long = min(len(text), len(other)) >= 0.5 * max(len(text), len(other))
    is_same = text.split() == other.split()
    wanted = min(map(len, split)) >= 5 and (is_same or (is_near and is_long))
    assert made(text).is_copy_of(made(other)) == wanted


@pytest.mark.parametrize(
    ("time_for", "read"), [(0, []), (3, ["0.md", "1.md", "2.md"]), (9, [f"{n}.md" for n in range(9)])]
)
def test_notes_are_compared_while_there_is_time_and_the_rest_is_kept_uncompared(time_for: int, read: list[str]) -> None:
    notes = {f"{number}.md": Note(f"{number}.md", f"{TEXT} {number}") for number in range(9)}
    ranked = [RankedNote(path, 1.0, passages.of(note), [Evidence(0, 1.0, frozenset())]) for path, note in notes.items()]
    asked: list[str] = []

    def reader(path: str) -> Note | None:
        asked.append(path)
        return notes[path]

    deduplicator = Deduplicator(reader, lambda _: {}, notes.keys(), lambda: time_for - len(asked))
    assert list(deduplicator.unfolded(ranked)) == ranked
    assert (asked, deduplicator.is_cut) == (read, time_for < len(notes))
    asked.clear()
    shown = every_passage(ranked, deduplicator, lambda _: ())
    assert (asked, [bool(each.passages) for each in shown]) == (read, [each.path in read for each in ranked])
