"""What `search`, `search_files` and `grep` share: readings of the pattern, and hints when nothing was found."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.conftest import MakeVault
from tests.resources.test_archives import packed
from vaulttools import InvalidGlob, InvalidPattern, Vault, VaultConfig

NOTHING = {
    "search": "No matches found",
    "search_files": "No files found matching the pattern.",
    "grep": "No matches found",
}
"""The sentence of each tool."""

WHERE = {"search": "paths", "search_files": "file_pattern", "grep": "path"}
"""The argument that names a file."""


@pytest.mark.parametrize("tool", NOTHING)
@pytest.mark.parametrize(
    ("pattern", "file", "notices"),
    [
        ("hit", None, ["2 files match when case is ignored."]),
        ("hit", "b.md", ["b.md was searched and holds no match.", "1 file matches when case is ignored."]),
        ("h.t$", "b.md", ["b.md was searched and holds no match.", "1 file matches when case is ignored."]),
        (" HIT ", None, ["1 file matches when the blanks around the pattern are left out."]),
        ("absent", None, []),
        ("absent", "b.md", ["b.md was searched and holds no match."]),
    ],
)
def test_an_empty_answer_says_what_another_reading_finds(
    make_vault: MakeVault, tool: str, pattern: str, file: str | None, notices: list[str]
) -> None:
    vault = make_vault({"a.md": "Hit\n", "b.md": "HIT\n", "c.md": "x\n"})
    result = vault.call(tool, {"pattern": pattern, WHERE[tool]: file})
    assert result.details["notices"] == notices
    shown = "\n".join(notices if tool == "search" else (f"[{notice}]" for notice in notices))
    assert result.text == "\n\n".join(filter(None, [NOTHING[tool], shown]))


@pytest.mark.parametrize("tool", NOTHING)
@pytest.mark.parametrize("name", ["t.zip", "t.tar.gz", "T.TGZ"])
def test_a_notice_says_how_to_search_the_members_of_an_archive(make_vault: MakeVault, tool: str, name: str) -> None:
    vault = make_vault({})
    (vault.path / name).write_bytes(packed(name, [("a.md", b"needle\n" * 9)]))
    notice = f"{name} is an archive: search looks only into members that are named, as in {name}:a.md."
    assert vault.call(tool, {"pattern": "needle", WHERE[tool]: name}).details["notices"] == [notice]
    assert vault.search("needle", f"{name}:a.md").found


@pytest.mark.parametrize("tool", NOTHING)
def test_a_notice_says_that_a_binary_file_may_hold_packed_text(make_vault: MakeVault, tool: str) -> None:
    vault = make_vault({"a.md.gz": gzip.compress(b"needle\n"), "b.md": "\0hay\n"})
    notice = "a.md.gz is binary: only its bytes were searched, and no packed text."
    assert vault.call(tool, {"pattern": "needle", WHERE[tool]: "a.md.gz"}).details["notices"] == [notice]


def test_other_readings_are_of_the_same_lines_and_files(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "Hit\n", "b.md": "HIT\n"})
    assert vault.search("hit", "b.md:1-1").notices == ["1 file matches when case is ignored."]
    assert vault.search("hit", "b.md:2-2").notices == ["Line 2 is past the end: b.md has 1 line."]
    assert vault.grep("hit", glob="b*").notices == ["1 file matches when case is ignored."]
    assert vault.search("hit", paths=["a.md", "b.md"]).notices[0] == "a.md, b.md were searched and hold no match."
    assert vault.search_files("absent", file_pattern="b*").notices == []


@pytest.mark.parametrize("tool", NOTHING)
@pytest.mark.parametrize(
    ("found", "hidden", "notices"),
    [
        (1, 3, ["4 files match when case is ignored."]),
        (1, 2, []),
        (20, 20, ["40 files match when case is ignored."]),
        (20, 19, []),
        (50, 70, ["100 or more files match when case is ignored."]),
        (51, 70, []),
    ],
)
def test_many_more_files_that_case_hides_are_reported_beside_some_that_match(
    make_vault: MakeVault, tool: str, found: int, hidden: int, notices: list[str]
) -> None:
    words = ["Word"] * found + ["word"] * hidden
    vault = make_vault({f"{number:03}.md": f"{word}\n" for number, word in enumerate(words)})
    given = vault.call(tool, {"pattern": "Word"}).details["notices"]
    assert [notice for notice in given if "case is ignored" in notice] == notices


def test_a_notice_is_one_line_whatever_the_pattern(make_vault: MakeVault) -> None:
    assert "\n" not in make_vault({"a.md": "x\n"}).search("x{}\ny\x1b").text.split("\n\n")[1]


@pytest.mark.parametrize("tool", NOTHING)
def test_an_incomplete_search_never_says_that_nothing_matches(tmp_path: Path, tool: str) -> None:
    (tmp_path / "big.md").write_text("x" * 2000 + " hit\n", encoding="utf-8")
    (tmp_path / "a.md").write_text("x\n", encoding="utf-8")
    answer = Vault.open(tmp_path, config=VaultConfig(max_file_size=1000)).answer(tool, {"pattern": "hit"})
    assert answer.text == "No matches in the 1 file searched; the search is incomplete: 1 file too large (big.md)."
    assert not answer.complete


@pytest.mark.parametrize("tool", NOTHING)
def test_the_typed_method_raises_what_call_returns(make_vault: MakeVault, tool: str) -> None:
    vault = make_vault({"a.md": "hit"})
    with pytest.raises(InvalidPattern) as refusal:
        getattr(vault, tool)("(?P<")
    assert vault.call(tool, {"pattern": "(?P<"}).text == str(refusal.value)


@pytest.mark.parametrize("file_pattern", ["[abc", "{a,b", "x/{a"])
def test_a_malformed_glob_is_refused(make_vault: MakeVault, file_pattern: str) -> None:
    with pytest.raises(InvalidGlob, match=r"^Invalid glob pattern: "):
        make_vault({"a.md": "hit"}).search_files("hit", file_pattern=file_pattern)


TABLE = (
    "# Books\n\n## 2026\n\n| Title | Stars |\n|---|--:|\n| Dune | 4 |\n| Emma | 5 |\n| - | - |\n| Walden | 5 |\n\n"
    "Last | line\n"
)


@pytest.mark.parametrize(
    ("pattern", "context_lines", "rows"),
    [
        ("Walden", 0, ["Line 3:   ## 2026", "Line 5:   | Title | Stars |", "Line 10: > | Walden | 5 |"]),
        (
            "Emma|Walden",  # what was shown once is not shown again
            0,
            [
                *("Line 3:   ## 2026", "Line 5:   | Title | Stars |", "Line 8: > | Emma | 5 |"),
                *("", "Line 10: > | Walden | 5 |"),
            ],
        ),
        (
            "Dune",
            2,
            ["Line 3:   ## 2026", "Line 5:   | Title | Stars |", "Line 6:   |---|--:|", "Line 7: > | Dune | 4 |"],
        ),
        ("Title", 0, ["Line 5: > | Title | Stars |"]),
        ("Last", 0, ["Line 12: > Last | line"]),
    ],
)
def test_a_row_of_a_table_comes_with_its_heading_and_the_header_row(
    make_vault: MakeVault, pattern: str, context_lines: int, rows: list[str]
) -> None:
    answer = make_vault({"a.md": TABLE}).search_files(pattern, context_lines=context_lines)
    assert answer.text.split("\n")[3 : 3 + len(rows)] == rows
    lines = TABLE.split("\n")
    excerpts = answer.files[0].excerpts
    assert all(each.lines == lines[each.start_line - 1 :][: len(each.lines)] for each in excerpts)
    above = {f"Line {line.line}:   {line.text}" for each in excerpts for line in each.above or ()}
    assert above == {row for row in rows if row[:7] in ("Line 3:", "Line 5:") and ">" not in row} - {
        f"Line {each.start_line + offset}:   {line}" for each in excerpts for offset, line in enumerate(each.lines)
    }


@pytest.mark.parametrize(
    ("paths", "head"),
    [
        (None, " 3|## 2026\n...\n 5|| Title | Stars |\n...\n 9|| - | - |\n*10|| Walden | 5 |\n"),
        ("a.md:4-10", " 5|| Title | Stars |\n...\n 9|| - | - |\n*10|| Walden | 5 |"),  # nothing from outside the range
    ],
)
def test_search_shows_the_header_row_as_lines_that_do_not_follow_each_other(
    make_vault: MakeVault, paths: str | None, head: str
) -> None:
    assert head in make_vault({"a.md": TABLE}).search("Walden", paths).text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "| a | b |\n| x | y |\n"),  # no row of dashes, so no table
        ("a.md", "| a | b |\n|---|---|\n\n| x | y |\n"),  # an empty line ends a table
        ("a.md", "\n|---|---|\n| x | y |\n"),
        ("a.txt", "| a | b |\n|---|---|\n| x | y |\n"),
    ],
)
def test_what_is_no_row_of_a_table_in_a_note_comes_alone(make_vault: MakeVault, name: str, text: str) -> None:
    answer = make_vault({name: text}).search_files(r"x \|", file_pattern=name, context_lines=0)
    assert [each.above for each in answer.files[0].excerpts] == [None]


def test_a_table_in_a_quote_has_a_header_row_too(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "> [!note] Title\n> | a | b |\n> |---|---|\n> | x | y |\n"})
    assert "Line 2:   > | a | b |\nLine 4: > > | x | y |" in vault.search_files("x", context_lines=0).text
