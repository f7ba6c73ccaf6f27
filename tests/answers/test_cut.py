"""Pages: at most 50 KiB of whole lines; no file crowds out another; a cut says how much is missing."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from vaulttools.answers.cut import Section, fit
from vaulttools.core import limits


def _section(name: str, count: int, width: int = 9, closing: str = "") -> Section:
    return Section(f"## {name}", [f"{name}{number:04} ".ljust(width, ".") for number in range(count)], closing)


def _kept(text: str, name: str) -> int:
    return len(re.findall(rf"^{name}[0-9]{{4}} ", text, re.MULTILINE))


def test_an_answer_that_fits_stays_whole() -> None:
    sections = [Section("## a.md", ["1", "", "2"], "(3 more)"), Section("## b.md", ["3"])]
    fitted = fit("Found 2 matching files:", sections, ["[One.]", "[Two.]"])
    assert fitted.text == ("Found 2 matching files:\n\n## a.md\n1\n\n2\n(3 more)\n\n## b.md\n3\n\n[One.]\n[Two.]")
    assert list(fitted.cut) == []


def test_an_answer_may_be_its_first_line_alone() -> None:
    assert fit("No files found matching the pattern.", [], []).text == "No files found matching the pattern."


def test_a_file_does_not_crowd_out_another() -> None:
    text = fit("Found:", [_section("a", 9_000), _section("b", 3), _section("c", 9_000)], []).text
    assert _kept(text, "b") == 3
    assert 0 <= _kept(text, "a") - _kept(text, "c") <= 1
    assert limits.TEXT_BYTES - 60 < len(text.encode()) <= limits.TEXT_BYTES


def test_the_details_are_those_of_the_lines_in_the_text() -> None:
    lines = [f"{number} {'x' * 500}" for number in range(200)]
    odd = [number if number % 2 else None for number in range(200)]
    long, named = Section("## a.md", lines, details=odd), Section("## b.md", ["1"], details=["b.md"])
    fitted = fit("Found 2:", [long, named], [])
    assert fitted.kept[0] is not None and 50 < fitted.kept[0] < 200
    assert fitted.shown == [*range(1, fitted.kept[0], 2), "b.md"]
    assert fit("Found 1:", [named], []).shown == ["b.md"]


def test_a_cut_says_how_much_is_missing_before_the_last_notice() -> None:
    sections = [_section("a", 2_000, 100), _section("b", 1, 60_000), _section("c", 1)]
    fitted = fit("Found:", sections, ["[First.]", "[How to go on.]"])
    *shown, cut, last = fitted.text.split("\n")
    missing = 2_002 - sum(_kept("\n".join(shown), name) for name in "abc")
    assert shown[-2:] == ["", "[First.]"]
    assert cut == f"[Cut at 50 KiB: {missing:,} more lines and 1 whole file. Narrow the pattern or the paths.]"
    assert last == "[How to go on.]"
    assert list(fitted.cut) == [cut[1:-1]]


def test_a_cut_gives_the_advice_of_its_tool() -> None:
    *_, cut = fit("Found:", [_section("a", 1, 60_000), _section("b", 1)], [], advice="Lower limit.").text.split("\n")
    assert cut == "[Cut at 50 KiB: 1 more line and 1 whole file. Lower limit.]"


def test_a_closing_line_stays_when_lines_are_cut() -> None:
    text = fit("Found:", [_section("a", 9_000, 20, "(7 more matches in this file)")], []).text
    assert "\n(7 more matches in this file)\n\n[Cut at 50 KiB:" in text


def test_a_section_may_be_its_heading_alone() -> None:
    sections = [Section(f"## {number:04} {'x' * 90}", []) for number in range(1_000)]
    text = fit("Found:", sections, []).text
    shown = text.count("\n## ")
    assert 0.9 * limits.TEXT_BYTES < len(text.encode()) <= limits.TEXT_BYTES
    assert f"[Cut at 50 KiB: {1_000 - shown:,} whole files." in text


def test_a_cut_leaves_no_blank_lines_at_its_end() -> None:
    lines = [line for number in range(4_000) for line in (f"{number} ".ljust(20, "."), "")]
    text = fit("Found:", [Section("## a.md", lines)], []).text
    assert "\n\n\n" not in text


def test_a_section_without_lines_keeps_its_heading() -> None:
    named, long = Section("## b.md", []), Section("## a.md", [f"Line {number}: {'x' * 500}" for number in range(200)])
    fitted = fit("Found 2:", [named, long, named], [])
    assert "## b.md\n\n## a.md\nLine 0: " in fitted.text and fitted.text.count("## b.md") == 2
    assert (fitted.kept[0], fitted.kept[2]) == (0, 0)
    assert fitted.text.count("Line ") == fitted.kept[1]


def test_endless_notices_leave_room_for_the_hits() -> None:
    notices = [f"[Warning {number}: {'x' * 90}]" for number in range(2_000)]
    text = fit("Found:", [_section("a", 9_000, 100)], [*notices, "[How to go on.]"]).text
    assert len(text.encode()) <= limits.TEXT_BYTES
    assert _kept(text, "a") > 200
    assert text.endswith(" more notices]\n" + text[text.rindex("[Cut") :])
    assert text.endswith("\n[How to go on.]")
    shown = text.count("[Warning ")
    assert f"[{2_000 - shown:,} more notices]" in text


def test_an_endless_notice_is_cut() -> None:
    text = fit(
        "Found:", [_section("a", 1)], [f"[The braces in '{'日' * 10_000}' were taken literally.]", "[Last.]"]
    ).text
    assert f"[The braces in '{'日' * 984}…]\n[Last.]" in text


_TEXTS = st.text("ab \t日🙂é\x1b\\[]", max_size=30)
_LINES = st.tuples(_TEXTS, st.sampled_from([1, 1, 1, 40, 1_000]))  # a text and the number of its repetitions
_SECTIONS = st.tuples(_LINES, st.lists(_LINES, min_size=1, max_size=4), st.sampled_from([1, 3, 100]), st.booleans())


@given(
    given_sections=st.lists(_SECTIONS, max_size=8),
    given_notices=st.lists(_LINES, max_size=12),
    copies=st.sampled_from([1, 1, 20]),
    between=st.sampled_from(["\n\n", "\n"]),
)
def test_fault_O01_no_answer_is_ever_larger_than_50_kib(
    given_sections: list[tuple[tuple[str, int], list[tuple[str, int]], int, bool]],
    given_notices: list[tuple[str, int]],
    copies: int,
    between: str,
) -> None:
    sections = [
        Section(f"## {text * times}", [line * number for line, number in lines] * repeated, "(more)" if closed else "")
        for (text, times), lines, repeated, closed in given_sections
    ] * copies
    notices = [f"[{text * times}]" for text, times in given_notices] * copies
    text = fit("Found some:", sections, notices, between).text
    assert len(text.encode()) <= limits.TEXT_BYTES
    whole = {"Found some:", "", *notices}
    whole.update(line for section in sections for line in (section.heading, section.closing, *section.lines))
    assert all(line.startswith("[") for line in text.split("\n") if line not in whole)
    if notices:
        assert text.endswith((notices[-1][: limits.NOTICE_CHARACTERS], "…]", "paths.]"))
