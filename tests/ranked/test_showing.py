"""The passages of a note as lines of an answer: whole or cut around the words of the question, and where to read on."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools.files.document import Document, DocumentPart
from vaulttools.index import passages
from vaulttools.notes.note import ExtractedNote, Note
from vaulttools.notes.passages import cut, sentence_starts
from vaulttools.ranked import question
from vaulttools.ranked.allotment import allotted
from vaulttools.ranked.copies import Deduplicator
from vaulttools.ranked.evidence import Evidence, RankedNote
from vaulttools.ranked.finder import Finder
from vaulttools.ranked.ranking import rank
from vaulttools.ranked.showing import (
    _LONGEST_REST,
    LINE_CHARACTERS,
    NamedLine,
    ShownNote,
    ShownPassage,
    TermsOf,
    around_terms,
    best_line,
    compact,
    heading_of,
    lines_of,
    named_line,
    passage_of,
    reading_on,
    span_around_terms,
    written,
)


def nothing_else_holds(notes: Mapping[str, Note]) -> Deduplicator:
    """A deduplicator for notes without copies."""
    return Deduplicator(notes.get, lambda digests: dict.fromkeys(digests, frozenset()), notes.keys())


def passage(note: Note, first: int, last: int | None = None, room: int = 10_000, asked: str = "lead") -> ShownPassage:
    """Some passages of a note, as an answer shows them."""
    ranked = RankedNote(note.path, 1.0, passages.of(note), [])
    numbers = first, first, first if last is None else last
    occurrences = Finder(question.read(asked).terms).occurrences
    return passage_of(note, ranked, numbers, room, nothing_else_holds({note.path: note}), occurrences)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\n\n\n  two  \n\t\nthree", "one\n  two\nthree"),
        ("| a   | b |\n|-----|:----:|\n| 1   | 2\t\t|", "| a | b |\n|---|:---:|\n| 1 | 2 |"),
        ("a   b ----- c", "a   b ----- c"),
        ("", ""),
    ],
)
def test_blank_lines_and_the_padding_of_tables_are_left_out(text: str, expected: str) -> None:
    assert compact(text) == expected


SENTENCES = "First comes ore. Then comes lead. Then comes tin. Lead and tin make solder. And so on."


@pytest.mark.parametrize(
    ("asked", "room", "expected"),
    [
        ("lead", 500, SENTENCES),
        ("lead", 20, "…Then comes lead.…"),
        ("lead tin", 30, "…Lead and tin make solder.…"),
        ("ore", 20, "First comes ore.…"),
        ("on", 12, "…And so on."),
        ("nothing", 20, "First comes ore.…"),
    ],
)
def test_a_text_is_cut_to_the_sentences_with_most_terms(asked: str, room: int, expected: str) -> None:
    assert around_terms(SENTENCES, room, Finder(question.read(asked).terms).occurrences) == expected


@given(st.lists(st.sampled_from(["lead", "tin.", "Ore", "\n", "x" * 50, "語。"]), max_size=60), st.integers(20, 300))
def test_a_cut_text_is_never_longer_than_its_room_but_for_the_end_of_a_sentence_with_a_term(
    words: list[str], room: int
) -> None:
    text = " ".join(words)
    occurrences = Finder(question.read("lead tin").terms).occurrences
    found = around_terms(text, room, occurrences)
    assert len(found) <= room + 2 + _LONGEST_REST
    if len(found) > room + 2:
        start, end = span_around_terms(text, room, occurrences)
        last = max(edge for edge in sentence_starts(text) if edge < end)
        assert end in {len(text[:edge].rstrip()) for edge in (*sentence_starts(text), len(text))} | {len(text)}
        assert occurrences(text[max(start, last) : end])
    assert found.strip("…") in text
    assert found == text or len(text) > room


def slow_span(text: str, room: int, terms_of: TermsOf) -> tuple[int, int]:
    """The part with most terms; every term is looked at for every sentence."""
    places = terms_of(text)
    best = (-1, 0, 0)
    for start in sentence_starts(text):
        end = start + cut(text[start:], room)
        held = len({term for offset, term in places if start <= offset < end})
        if held > best[0] or best[2] <= best[1]:
            best = (held, start, end)
    _, start, end = best
    return start, start + len(text[start:end].rstrip()) if end < len(text) else end


@given(
    st.lists(st.sampled_from(["lead", "tin", "zinc.", "Ore", "\n", "x" * 20, "語。"]), max_size=80).map(" ".join),
    st.integers(1, 120),
)
def test_the_part_with_most_terms_is_what_a_look_at_every_term_for_every_sentence_finds(text: str, room: int) -> None:
    occurrences = Finder(question.read("lead tin ore").terms).occurrences
    assert span_around_terms(text, room, occurrences) == slow_span(text, room, occurrences)


LONG = "Nothing is said here at all. " * 40


def test_a_list_item_comes_with_the_items_that_contain_it() -> None:
    deep = "\n".join(f"    - {letter * 9} {LONG[:290]}" for letter in "abcdef")
    note = Note("a.md", f"{LONG}\n\n- Metals\n  - Other\n  - Soft\n{deep}\n")
    numbers = [
        number
        for number, start in enumerate(passages.of(note).starts)
        if note.text[start:].startswith("    - ") or note.text[start - 4 : start] == "    "
    ]
    assert numbers
    found = passage(note, numbers[-1])
    assert found.shown.startswith("- Metals\n  - Soft\n")
    assert "Other" not in found.shown


def test_a_cut_passage_says_where_it_was_cut() -> None:
    note = Note("a.md", f"# Ore\n\nLead is soft.\n\n\n{LONG[:400]}\n\n# Tin\n\n{LONG}\n")
    found = passage(note, 0, room=40)
    assert found.shown.endswith("…")
    assert found.cut is not None
    assert found.span[0] < found.cut < found.span[1]
    assert passage(note, 0).cut is None


def test_a_shown_passage_has_its_lines_its_headings_and_its_copies() -> None:
    text = f"# Top\n\n{LONG}\n\n## Sub\n\nLead is a soft metal.\n"
    notes = {path: Note(path, text) for path in ("a.md", "b.md", "c.md", "d.md", "e.md")}
    held = passages.of(notes["a.md"])
    last = len(held.starts) - 1
    deduplicator = Deduplicator(notes.get, lambda digests: dict.fromkeys(digests, notes.keys()), notes.keys())
    ranked = RankedNote("a.md", 1.0, held, [])
    found = passage_of(notes["a.md"], ranked, (last, last, last), 500, deduplicator, lambda _: ())
    assert (found.start_line, found.end_line, found.heading) == (5, 7, ("Top", "Sub"))
    assert lines_of(found) == [
        "Lines 5-7, under Top:",
        "  ## Sub",
        "  Lead is a soft metal.",
        "also in: b.md, c.md and 2 more",
    ]


def shown(note: Note, *found: ShownPassage, date: str = "", properties: str = "") -> ShownNote:
    ranked = RankedNote(note.path, 1.0, passages.of(note), [])
    return ShownNote(ranked, found, found[0].start_line if found else 0, note.line_count, date, properties)


def test_a_note_is_whole_when_all_of_it_is_shown() -> None:
    note = Note("a.md", f"# Lead\n\n{LONG}\n\n# Tin\n\nTin.\n")
    last = len(passages.of(note).starts) - 1
    assert shown(note, passage(note, 0, last)).is_whole
    assert not shown(note, passage(note, 0, last, room=100)).is_whole
    assert not shown(note, passage(note, 0)).is_whole
    assert not shown(note, passage(note, last)).is_whole
    assert not shown(note).is_whole


def test_passages_of_an_attachment_name_their_pages() -> None:
    note = ExtractedNote.of(Document("a.pdf", "one\n\ntwo\n", parts=(DocumentPart(1, 1, ()), DocumentPart(3, 2, ()))))
    found = shown(note, passage(note, 0), passage(note, 1))
    assert found.heading == heading_of("a.pdf", 1) == "## a.pdf, page 1"
    assert found.lines == ["Line 1:", "  one", "Page 2, line 3:", "  two"]


@pytest.mark.parametrize(
    ("date", "expected"),
    [("2026-05-12", "12 May 2026"), ("2026-12-01", "1 December 2026"), ("2026-05", "2026-05"), ("", "")],
)
def test_a_date_is_written_as_people_do(date: str, expected: str) -> None:
    assert written(date) == expected


PARAGRAPHS = [f"Paragraph {number} says nothing{' at all, whatever it is about' * 20}." for number in range(6)]
BETWEEN = "\n\n".join(PARAGRAPHS)
WRAPPED = "\n".join(f"Line {number} of a long paragraph, at whose beginning" for number in range(3, 60))


@pytest.mark.parametrize(
    ("notes", "note", "line"),
    [
        # the line that follows, after blank lines
        ({"a.md": f"Ore.\n\n# Lead\n\nLead sulphate.\n\n\n## More\n\n{BETWEEN}\n"}, "a.md", "## More"),
        ({"a.md": f"---\nx: 1\n---\nLead sulphate.\n\n# More\n\n{BETWEEN}\n"}, "a.md", "# More"),
        # the place of the cut, in the middle of a paragraph or after a line of it
        ({"a.md": f"Lead sulphate.\n\n{BETWEEN}\n"}, "a.md", PARAGRAPHS[1]),
        ({"a.md": f"Lead sulphate is old:\n{WRAPPED}\n"}, "a.md", None),
        ({"a.md": f"```\n{'x' * 30}\n\nlead sulphate\n{WRAPPED}\n```\n"}, "a.md", None),
        # nothing follows the best passage, whatever comes before it
        ({"a.md": f"# Ore\n\n{BETWEEN}\n\n## Lead\n\nLead sulphate of lead.\n"}, None, None),
        # the best note is shown whole: nothing is said about another one
        ({"a.md": "Lead sulphate.\n", "b.md": f"Of lead.\n\n{BETWEEN}\n"}, None, None),
        ({"a.md": "Lead sulphate.\n"}, None, None),
        ({"a.md": "---\nx: 1\n---\n\nLead sulphate.\n\n"}, None, None),
    ],
)
def test_reading_goes_on_at_the_first_omitted_line(notes: dict[str, str], note: str | None, line: str | None) -> None:
    read = {path: Note(path, text) for path, text in notes.items()}
    ranking = rank("lead sulphate", frozenset(read), None, read.get, lambda: False, 20)
    deduplicator = nothing_else_holds(read)
    notes_shown = allotted(ranking.notes, deduplicator, 2_000, ranking.finder.occurrences, lambda *_: ("", "")).notes
    found = reading_on(notes_shown, read.get)
    assert (found and found[0]) == note
    if found is None or note is None:
        return
    lines = notes[note].split("\n")
    assert line in (None, lines[found[1] - 1])
    text = "\n".join(line for each in notes_shown for line in each.lines)
    assert f"  {lines[found[1] - 1]}\n" not in text  # not whole
    if line is None:
        assert f"  {lines[found[1] - 2]}" in text


def named(text: str, asked: str = "lead ore") -> NamedLine:
    """The line that speaks for a note, by its best passage."""
    note = Note("a.md", text)
    found = passages.of(note)
    terms = Finder(question.read(asked).terms)
    held = [len({term for _, term in terms.occurrences(note.text[s : s + n])}) for s, n in spans(found)]
    best = held.index(max(held)) if held else 0
    return named_line(RankedNote("a.md", 1.0, found, [Evidence(best, 1.0, frozenset())]), note, terms.occurrences)


def spans(found: passages.Passages) -> list[tuple[int, int]]:
    return list(zip(found.starts, found.lengths, strict=True))


@pytest.mark.parametrize(
    ("text", "line", "shown"),
    [
        ("The ore.\n\nThe lead in an ore.\nThe lead.\n", 3, "The lead in an ore."),
        ("---\na: b\n---\n\n# Lead\n\n- ore   of lead\n", 7, "- ore of lead"),
        ("Nothing of it.\n", 1, "Nothing of it."),
        ("", None, ""),
        (f"{'Much else. ' * 30}Lead is in the ore. {'And so on. ' * 30}\n", 1, "…Much else. "),
    ],
)
def test_a_note_that_is_only_named_has_the_line_with_most_words(text: str, line: int | None, shown: str) -> None:
    found = named(text)
    assert (found.path, found.line) == ("a.md", line)
    assert found.text.startswith(shown)
    assert "Lead is in the ore." in found.text or "Much else" not in text
    place = "" if line is None else f", line {line}: {found.text}"
    assert str(found) == f"- a.md{place}"


def test_a_note_that_cannot_be_read_is_named_alone() -> None:
    ranked = RankedNote("Gone [x].md", 1.0, passages.of(Note("Gone [x].md", "lead")), [])
    assert str(named_line(ranked, None, lambda text: [])) == "- Gone [x].md"


LINES = st.lists(
    st.sampled_from(["lead", "ore", "zinc. ", "\n", "\n\n# ", "- ", "| ", "é日本 ", "word " * 30]), max_size=40
)


@given(LINES.map(" ".join))
def test_the_line_of_a_named_note_is_in_the_note_and_holds_as_many_words_as_any(text: str) -> None:
    found = named(text)
    lines = text.split("\n")
    assert len(found.text) <= LINE_CHARACTERS + 2
    assert "\n" not in found.text
    if found.line is None:
        assert not passages.of(Note("a.md", text)).starts
        return
    own = compact(lines[found.line - 1].replace("\t", " ")).split()
    assert " ".join(found.text.strip("…").split()) in " ".join(own)
    count = Finder(question.read("lead ore").terms).occurrences
    note = passages.of(Note("a.md", text))
    most = max(
        len({term for _, term in count(line)})
        for start, length in spans(note)
        for line in text[start : start + length].split("\n")
    )
    assert len({term for _, term in count(lines[found.line - 1])}) == most


@given(LINES.map(" ".join), st.integers(0, 30))
def test_the_best_line_is_what_a_look_at_each_line_finds(text: str, start: int) -> None:
    occurrences = Finder(question.read("lead ore zinc").terms).occurrences
    note = Note("a.md", text)
    start = min(start, len(note.text))
    lines = note.text[start:].split("\n")
    held = [len({term for _, term in occurrences(line)}) if line.strip() else -1 for line in lines]
    found = best_line(note, start, len(note.text), occurrences(note.text[start:]), occurrences)
    assert found.line == note.text.count("\n", 0, start) + 1 + held.index(max(held))


def test_the_words_of_a_note_are_looked_for_once_however_many_lines_it_has() -> None:
    asked: list[int] = []

    def occurrences(text: str) -> list[tuple[int, int]]:
        asked.append(len(text))
        return Finder(question.read("lead").terms).occurrences(text)

    note = Note("a.md", "much else\n" * 1_000 + "lead\n")
    assert best_line(note, 0, len(note.text), occurrences(note.text), occurrences).line == 1_001
    assert sum(asked) <= 2 * len(note.text)
