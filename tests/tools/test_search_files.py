"""`search_files`: exact text, totals, bounds, filters, notices.

`docs/sources.md` lists differences from the document: its JavaScript RegExp is ripgrep's dialect here, its
`createSearchFilesTool` the registry entry and `tool_definitions`.
"""

from __future__ import annotations

import gc
import os
import subprocess
import weakref
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.conftest import MakeVault
from vaulttools import BadArgument, Cancelled, InvalidPattern, Vault
from vaulttools.answers.shown_lines import Excerpt, FileMatch
from vaulttools.core import limits
from vaulttools.matching import search

NOTHING = "No files found matching the pattern."


def text_of(vault: Vault, pattern: str, **arguments: Any) -> str:
    """The text of an answer."""
    return vault.call("search_files", {"pattern": pattern, **arguments}).text


def files_of(vault: Vault, pattern: str, **arguments: Any) -> list[str]:
    """The paths of an answer, in its order."""
    return [file.path for file in vault.search_files(pattern, **arguments).files]


def lines_of(vault: Vault, pattern: str, **arguments: Any) -> list[int]:
    """The matching lines shown of all files."""
    answer = vault.search_files(pattern, **arguments)
    return [line for file in answer.files for shown in file.excerpts for line in shown.matching_lines]


# The acceptance criteria of the document, one test each, in its order


@pytest.mark.parametrize(
    ("pattern", "lines"),
    [
        (r"TODO", [1, 4]),
        (r"TODO|FIXME", [1, 2, 4]),
        (r"^TODO", [1]),
        (r"call$", [1, 4]),
        (r"\d{4}-\d{2}-\d{2}", [3]),
        (r"(?i)todo", [1, 3, 4]),
        (r"b[aeiou]y", [2]),
        (r"é", [3]),
        (r"\bpl\w+", [4]),
        (r"(?<=FIXME )buy", [2]),
        (r"(l)\1", [1, 4]),
        (r"buy\n2026", [2, 3]),
    ],
)
def test_searches_content_with_the_regex_given(make_vault: MakeVault, pattern: str, lines: list[int]) -> None:
    vault = make_vault({"a.md": "TODO call\nFIXME buy\n2026-11-20 todo café\nplease TODO call\n"})
    assert lines_of(vault, pattern) == lines


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [
        ("[[wiki", r"Invalid regex: [[wiki: unclosed character class. To find it literally use \[\[wiki"),
        ("*x", r"Invalid regex: *x: repetition operator missing expression. To find it literally use \*x"),
        (r"\8", r"Invalid regex: \8: reference to non-existent subpattern. To find it literally use \\8"),
        ("x\\", "Invalid regex: x\\: it ends in a lone backslash. To find it literally use x\\\\"),
        ("", "Pattern must not be empty"),
        (" \t", "Pattern must not be empty"),
    ],
)
def test_handles_an_invalid_regex_with_a_clear_sentence(small_vault: Path, pattern: str, sentence: str) -> None:
    with Vault.open(small_vault) as vault:
        result = vault.call("search_files", {"pattern": pattern})
    assert (result.text, result.details, result.is_error) == (sentence, {"error": sentence}, True)


def test_returns_matching_file_paths_with_line_based_excerpts(make_vault: MakeVault) -> None:
    plan = [f"{number}" for number in range(1, 91)]
    plan[41] = "matching line"
    plan[79] = "another match"
    vault = make_vault({"Projects/plan.md": "\n".join(plan), "inbox.md": "a\nb\nmatching\n"})
    assert text_of(vault, "match", context_lines=1) == (
        "Found 2 matching files:\n"
        "\n"
        "## Projects/plan.md\n"
        "Line 41:   41\n"
        "Line 42: > matching line\n"
        "Line 43:   43\n"
        "\n"
        "Line 79:   79\n"
        "Line 80: > another match\n"
        "Line 81:   81\n"
        "\n"
        "## inbox.md\n"
        "Line 2:   b\n"
        "Line 3: > matching"
    )


def test_respects_max_results_with_ten_as_default(make_vault: MakeVault) -> None:
    vault = make_vault({f"{number:02}.md": "hit\n" for number in range(12)})
    assert files_of(vault, "hit") == files_of(vault, "hit", max_results=10) == [f"{n:02}.md" for n in range(10)]
    assert text_of(vault, "hit", max_results=1) == (
        "Found 12 matching files:\n"
        "\n"
        "## 00.md\n"
        "Line 1: > hit\n"
        "\n"
        "[Showing 1 of 12 matching files. Raise max_results or narrow the pattern.]"
    )


def test_follows_the_tool_pattern_with_handler_and_input_schema(small_vault: Path) -> None:
    with Vault.open(small_vault) as vault:
        definition = vault.tool_definitions("mcp")[0]
    schema = definition["inputSchema"]
    assert schema["required"] == ["pattern"]
    assert {name: (kind["type"], kind.get("default")) for name, kind in schema["properties"].items()} == {
        "pattern": ("string", None),
        "file_pattern": ("string", None),
        "context_lines": ("integer", 2),
        "max_results": ("integer", 10),
        "case_sensitive": ("boolean", True),
        "fixed": ("boolean", None),
        "within": ("string", None),
        "tags": ("array", None),
        "properties": ("object", None),
        "modified_after": ("string", None),
        "output": ("string", "excerpts"),
        "max_per_file": ("integer", 5),
        "include_excluded": ("boolean", None),
    }
    assert definition["description"].startswith(
        "Search file contents using regex patterns. Returns matching file paths with excerpts showing context "
        "around matches"
    )


@pytest.mark.parametrize(
    ("file_pattern", "files"),
    [
        (None, ["Projects/deep/b.md", "Projects/p.md", "a.md"]),
        ("*.md", ["Projects/deep/b.md", "Projects/p.md", "a.md"]),
        ("Projects/**", ["Projects/deep/b.md", "Projects/p.md"]),
        ("projects/*.MD", ["Projects/p.md"]),
        ("*.{csv,txt}", ["c.csv"]),
        ("./a.md", ["a.md"]),
        ("Projects", ["Projects/deep/b.md", "Projects/p.md"]),
        ("nowhere/**", []),
    ],
)
def test_defines_file_pattern_and_selects_files_by_it(
    make_vault: MakeVault, file_pattern: str | None, files: list[str]
) -> None:
    hit = "hit\n"
    vault = make_vault({"a.md": hit, "c.csv": hit, "Projects/p.md": hit, "Projects/deep/b.md": hit})
    assert files_of(vault, "hit", file_pattern=file_pattern) == files


# Text, exactly


@pytest.mark.parametrize(
    ("text", "arguments", "shown"),
    [
        pytest.param("hit\n", {}, "1: > hit", id="one line"),
        pytest.param("1\n2\n3\nhit\n5\n6\n7\n", {}, "2:   2|3:   3|4: > hit|5:   5|6:   6", id="two lines around it"),
        pytest.param("1\n2\n3\nhit\n5\n6\n", {"context_lines": 2}, "2:   2|3:   3|4: > hit|5:   5|6:   6", id="asked"),
        pytest.param("1\n2\nhit\n4\n", {"context_lines": 0}, "3: > hit", id="none around it"),
        pytest.param(
            "hit\n2\n3\nhit\nhit\n6\n7\n8\nhit\n",
            {"context_lines": 1},
            "1: > hit|2:   2|3:   3|4: > hit|5: > hit|6:   6||8:   8|9: > hit",
            id="excerpts that touch are one, and every match is marked",
        ),
        pytest.param(
            "hit\nx\n" * 12,
            {"context_lines": 0},
            "1: > hit||3: > hit||5: > hit||7: > hit||9: > hit|(7 more matches in this file)",
            id="five excerpts of a file",
        ),
        pytest.param(
            "hit\nx\n" * 6,
            {"context_lines": 0},
            "1: > hit||3: > hit||5: > hit||7: > hit||9: > hit|(1 more match in this file)",
            id="one left out",
        ),
        pytest.param(
            "hit\n" * 67,
            {},
            "|".join([*(f"{number}: > hit" for number in range(1, 61)), "(7 more matches in this file)"]),
            id="sixty lines of an excerpt",
        ),
    ],
)
def test_lines_have_numbers_and_matching_ones_a_mark(
    make_vault: MakeVault, text: str, arguments: dict[str, Any], shown: str
) -> None:
    rows = [row if not row or row.startswith("(") else f"Line {row}" for row in shown.split("|")]
    expected = "\n".join(["Found 1 matching file:", "", "## a.md", *rows])
    assert text_of(make_vault({"a.md": text}), "hit", **arguments) == expected


def test_several_hits_on_one_line_count_once_and_frontmatter_lines_are_counted(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "---\nkey: 1\n---\nhit hit hit\n"})
    answer = vault.search_files("hit", context_lines=0)
    assert answer.files == [
        FileMatch(
            path="a.md",
            match_count=1,
            excerpts=[Excerpt(start_line=4, lines=["hit hit hit"], matching_lines=[4], heading=[])],
        )
    ]


def test_trailing_blanks_are_lost_in_the_text_and_kept_in_the_details(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "x \t\n\nhit  \n   \n"})
    answer = vault.search_files("hit")
    assert answer.text == "Found 1 matching file:\n\n## a.md\nLine 1:   x\nLine 2:\nLine 3: > hit\nLine 4:"
    assert answer.files[0].excerpts[0].lines == ["x \t", "", "hit  ", "   "]


def test_a_long_line_is_cut_around_its_first_match(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "hit" + "y" * 600, "b.md": "x" * 600 + "hit" + "y" * 600})
    first, second = (line for line in text_of(vault, "hit").split("\n") if line.startswith("Line"))
    assert first == f"Line 1: > hit{'y' * 509}…"
    assert second.startswith("Line 1: > …x") and second.endswith("y…") and "xhity" in second
    assert len(second) == len("Line 1: > ") + 512 + 2
    assert vault.search_files("hit").files[1].excerpts[0].lines == ["x" * 600 + "hit" + "y" * 600]


SECTIONS = "---\nstatus: active\n---\n# Title\n\nfirst hit\nsecond hit \n\n```\n# no heading\nhit\n```\nend hit b\n"
BLANKS = "a\na b \n\n# a\nb\n\na\nlast a"


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        (SECTIONS, {"pattern": "hit$"}),
        (SECTIONS, {"pattern": "hit\nsecond", "context_lines": 1}),
        (SECTIONS, {"pattern": "^$", "context_lines": 0}),
        (SECTIONS, {"pattern": r"\s$"}),
        (SECTIONS, {"pattern": "hit", "within": "code"}),
        (SECTIONS, {"pattern": "hit", "properties": {"status": "active"}}),
        *((BLANKS, {"pattern": pattern}) for pattern in ("a", "a$", r"\s$", "^$", r"a\n", r"(?<=a) b", r"[^a]$")),
        *((BLANKS, {"pattern": pattern}) for pattern in ("b\n\na", ".", r"\W")),
    ],
)
def test_fault_C05_a_file_with_crlf_gives_the_answer_of_its_twin(
    make_vault: MakeVault, text: str, arguments: dict[str, Any]
) -> None:
    ends = (text, text.replace("\n", "\r\n"), text.replace("b\n", "b\r\n"))
    plain, crlf, mixed = (make_vault({"a.md": content}).call("search_files", arguments) for content in ends)
    assert plain.details["total_files"] == 1
    assert crlf == mixed == plain


# Totals


@pytest.mark.parametrize(
    ("files", "arguments", "total", "exact"),
    [
        (100, {"max_results": 1}, 100, True),
        (101, {"max_results": 1}, 100, False),
        (101, {"max_results": 1, "sort": "matches"}, 100, False),
        (101, {"max_results": 1, "sort": "modified"}, 100, False),
        (103, {"max_results": 102}, 102, False),
        (103, {"max_results": 103}, 103, True),
    ],
)
def test_files_are_counted_up_to_a_hundred_or_to_as_many_as_are_asked_for(
    make_vault: MakeVault, files: int, arguments: dict[str, Any], total: int, exact: bool
) -> None:
    answer = make_vault({f"{n:03}.md": "hit\n" for n in range(files)}).search_files("hit", **arguments)
    shown, of = arguments["max_results"], f"{'' if exact else 'more than '}{total}"
    assert answer.text.split("\n")[0] == f"Found {of} matching files:"
    assert (answer.total_files, answer.total_is_exact, len(answer.files)) == (total, exact, shown)
    showing = f"Showing {shown} of {of} matching files. Raise max_results or narrow the pattern."
    assert answer.notices[-1:] == ([] if shown == files else [showing])


def test_the_text_stays_within_fifty_kib_and_says_what_was_cut(make_vault: MakeVault) -> None:
    vault = make_vault({f"{n:02}.md": f"hit {'ü' * 500}\n" * 60 for n in range(12)})
    answer = vault.search_files("hit")
    assert len(answer.text.encode()) <= limits.TEXT_BYTES
    first, *_, cut, showing = answer.text.split("\n")
    assert first == "Found 12 matching files:"
    assert cut.startswith("[Cut at 50 KiB: ") and cut.endswith(" more lines. Narrow the pattern or the paths.]")
    assert showing == "[Showing 10 of 12 matching files. Raise max_results or narrow the pattern.]"
    shown = [section.count("\nLine ") for section in answer.text.split("\n\n## ")[1:]]
    assert len(shown) == 10 and max(shown) - min(shown) <= 1
    assert all(len(file.excerpts[0].lines) == 60 for file in answer.files)


# Details


def test_the_heading_is_the_breadcrumb_of_the_first_match(make_vault: MakeVault) -> None:
    text = (
        "# Project X\n\n## Goals\n\na hit\n\n## Risks\n\n```sh\n# no heading\n```\n\n"
        "b hit\nc hit\n\nPlain\n=====\n\nd hit\n"
    )
    answer = make_vault({"a.md": text}).search_files("hit", context_lines=0)
    assert [(shown.start_line, shown.heading) for shown in answer.files[0].excerpts] == [
        (5, ["Project X", "Goals"]),
        (13, ["Project X", "Risks"]),
        (19, ["Plain"]),
    ]


def test_the_details_hold_what_every_answer_holds(small_vault: Path) -> None:
    with Vault.open(small_vault) as vault:
        details = vault.call("search_files", {"pattern": "Wilhelmine", "context_lines": 0}).details
    assert {key: value for key, value in details.items() if key != "files"} == {
        "complete": True,
        "searched": 19,
        "passed_over": [
            {"kind": "hidden", "count": 1, "examples": [".hidden.md"]},
            {"kind": "excluded", "count": 1, "examples": ["Archive"]},
        ],
        "notices": [],
        "total_files": 1,
        "total_is_exact": True,
    }


# Which files


def test_only_notes_are_searched_unless_a_glob_says_otherwise(make_vault: MakeVault) -> None:
    vault = make_vault({"a.MD": "hit", "b.txt": "hit", "c.canvas": "hit", ".d.md": "hit", "x/.y/e.md": "hit"})
    assert files_of(vault, "hit") == ["a.MD"]
    assert files_of(vault, "hit", file_pattern="**") == ["a.MD", "b.txt", "c.canvas"]


# Pattern options


def test_fixed_takes_the_pattern_as_plain_text(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "a.b (x) [[Note]]\naxb\n"})
    assert lines_of(vault, "a.b", fixed=True, context_lines=0) == [1]
    assert lines_of(vault, "(x) [[Note]]", fixed=True) == [1]
    assert lines_of(vault, "a.b") == [1, 2]


def test_case_matters_unless_a_call_ignores_it(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "Hit\nhit\nÉTÉ\n"})
    assert lines_of(vault, "hit") == [2]
    assert lines_of(vault, "hit", case_sensitive=False) == [1, 2]
    assert lines_of(vault, "été", case_sensitive=False) == [3]


# Filters

PARTS = """\
---
status: hit one
---
# Heading hit

Body hit.

```
code hit
# hit no heading
```

- [ ] task hit
- item hit

%% comment hit %%

Setext hit
----------
"""


@pytest.mark.parametrize(
    ("within", "lines"),
    [
        (None, [2, 4, 6, 9, 10, 13, 14, 16, 18]),
        ("anywhere", [2, 4, 6, 9, 10, 13, 14, 16, 18]),
        ("body", [4, 6, 9, 10, 13, 14, 16, 18]),
        ("frontmatter", [2]),
        ("headings", [4, 18]),
        ("code", [9, 10]),
        ("tasks", [13]),
        ("comments", [16]),
    ],
)
def test_within_keeps_the_lines_of_one_part(make_vault: MakeVault, within: str | None, lines: list[int]) -> None:
    assert lines_of(make_vault({"a.md": PARTS}), "hit", within=within) == lines


def test_match_count_counts_within_the_part(make_vault: MakeVault) -> None:
    answer = make_vault({"a.md": PARTS, "b.md": "no code, a hit\n"}).search_files("hit", within="code", context_lines=0)
    assert [(file.path, file.match_count) for file in answer.files] == [("a.md", 2)]
    assert answer.text == "Found 1 matching file:\n\n## a.md\nLine 9: > code hit\nLine 10: > # hit no heading"


@pytest.mark.parametrize(
    ("tags", "files"),
    [
        ("work", ["body.md", "nested.md", "yaml.md"]),
        (["#Work"], ["body.md", "nested.md", "yaml.md"]),
        ("work/deep", ["nested.md"]),
        (["work", "home"], ["yaml.md"]),
        ("wor", []),
        ([], ["body.md", "code.md", "nested.md", "yaml.md"]),
    ],
)
def test_tags_are_all_wanted_and_hold_the_nested_ones(
    make_vault: MakeVault, tags: str | list[str], files: list[str]
) -> None:
    vault = make_vault(
        {
            "body.md": "hit #work\n",
            "code.md": "hit `#work`\n",
            "nested.md": "hit #Work/deep\n",
            "yaml.md": "---\ntags: [work, home]\n---\nhit\n",
        }
    )
    assert files_of(vault, "hit", tags=tags) == files


@pytest.mark.parametrize(
    ("properties", "files"),
    [
        ({"status": "active"}, ["one.md"]),
        ({"STATUS": "Act"}, ["one.md"]),
        ({"status": None}, ["two.md"]),
        ({"missing": None}, []),
        ({"with": "Jörg"}, ["one.md"]),
        ({"with": "Ines"}, ["one.md"]),
        ({"public": True}, ["one.md"]),
        ({"public": "false"}, ["two.md"]),
        ({"priority": 2}, ["one.md"]),
        ({"priority": 2.0}, ["one.md"]),
        ({"budget": 450.5}, ["one.md"]),
        ({"start": "2026-09-01"}, ["one.md"]),
        ({"with": None}, []),
        ({"note": None}, []),
        ({"status": "active", "public": "true"}, ["one.md"]),
        ({"status": "active", "public": "false"}, []),
        ({}, ["one.md", "three.md", "two.md"]),
    ],
)
def test_properties_match_as_plain_text_in_any_element(
    make_vault: MakeVault, properties: dict[str, Any], files: list[str]
) -> None:
    vault = make_vault(
        {
            "one.md": "---\nstatus: active\nwith:\n  - Jörg Müller\n  - Ines\npublic: true\npriority: 2\n"
            "budget: 450.5\nstart: 2026-09-01\n---\nhit\n",
            "two.md": '---\nstatus:\npublic: false\nwith: []\nnote: ""\n---\nhit\n',
            "three.md": "hit\n",
        }
    )
    assert files_of(vault, "hit", properties=properties) == files


def test_filters_apply_to_notes_and_leave_other_files_out(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "hit #work\n", "b.txt": "hit #work\n"})
    assert files_of(vault, "hit", file_pattern="*") == ["a.md", "b.txt"]
    assert files_of(vault, "hit", file_pattern="*", tags="work") == ["a.md"]
    assert files_of(vault, "hit", file_pattern="*", within="body") == ["a.md"]
    assert files_of(vault, "hit", file_pattern="b.txt", tags="work") == []


def test_rule_P10_a_note_with_broken_frontmatter_is_still_found(small_vault: Path) -> None:
    with Vault.open(small_vault) as vault:
        assert files_of(vault, r"^date: \{\{date", within="frontmatter") == ["Templates/Daily note.md"]


# Order


def test_sort_by_matches_is_most_first_and_ties_by_path(make_vault: MakeVault) -> None:
    vault = make_vault(
        {"b.md": "hit\n", "a.md": "hit\n", "z.md": "hit\nx\nhit\n", "a/c.md": "hit\n", "m.md": "hit\nhit\n"}
    )
    assert files_of(vault, "hit", sort="matches") == ["m.md", "z.md", "a/c.md", "a.md", "b.md"]


def test_sort_by_modified_is_newest_first_and_ties_by_path(make_vault: MakeVault) -> None:
    vault = make_vault(dict.fromkeys(("a.md", "b.md", "c.md", "d.md"), "hit\n"))
    for name, second in {"a.md": 100, "b.md": 300, "c.md": 200, "d.md": 300}.items():
        os.utime(vault.path / name, (second, second))
    assert files_of(vault, "hit", sort="modified") == ["b.md", "d.md", "c.md", "a.md"]
    assert files_of(vault, "hit", sort="modified", max_results=2) == ["b.md", "d.md"]
    assert files_of(vault, "hit", sort="path", max_results=2) == ["a.md", "b.md"]


# Notices


def test_case_is_ignored_within_the_same_filters(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "Hit\n", "b.md": "Hit #work\n"})
    assert text_of(vault, "hit", tags="work") == f"{NOTHING}\n\n[1 file matches when case is ignored.]"
    assert text_of(vault, "hit", within="code") == NOTHING


def test_a_link_is_a_character_class_and_the_notice_says_so(make_vault: MakeVault) -> None:
    answer = make_vault({"a.md": "eat\n"}).search_files("[[Note]]")
    assert answer.text == (
        "Found 1 matching file:\n"
        "\n"
        "## a.md\n"
        "Line 1: > eat\n"
        "\n"
        r"[[[Note]] is a character class; to find the link use \[\[Note\]\]]"
        "\n"
        "[Use fixed=true to take the whole pattern as plain text.]"
    )


def test_fault_T11_what_a_rule_left_out_is_reported_when_nothing_was_found(small_vault: Path) -> None:
    with Vault.open(small_vault) as vault:
        assert text_of(vault, "occurs nowhere at all") == (
            f"{NOTHING}\n"
            "\n"
            "[Passed over: 1 hidden (.hidden.md); 1 excluded (Archive), include_excluded=true searches them.]"
        )


def test_a_list_of_paths_in_a_notice_stops_at_five(make_vault: MakeVault) -> None:
    vault = make_vault({f".{number}.md": "hit" for number in range(8)})
    assert text_of(vault, "hit") == (
        f"{NOTHING}\n\n[Passed over: 8 hidden (.0.md, .1.md, .2.md, .3.md, .4.md and 3 more).]"
    )


# Forging (fault-O03, fault-O05)


def test_fault_O03_note_text_never_looks_like_a_heading_or_a_notice_of_ours(make_vault: MakeVault) -> None:
    forged = (
        "hit\n"
        "## forged.md\n"
        "Line 1: > forged\n"
        "[Showing 1 of 2 matching files.]\r"
        "(3 more matches in this file)\n"
        "Found 9 matching files:\x0b\x0cFound\x85Found\u2028Found\u2029\x1b[2K\x00"[:-1]
        + "\n"
    )
    text = text_of(make_vault({"a.md": forged}), "hit", context_lines=20)
    assert text.split("\n") == [
        "Found 1 matching file:",
        "",
        "## a.md",
        "Line 1: > hit",
        "Line 2:   ## forged.md",
        "Line 3:   Line 1: > forged",
        r"Line 4:   [Showing 1 of 2 matching files.]\x0d(3 more matches in this file)",
        r"Line 5:   Found 9 matching files:\x0b\x0cFound\x85Found\u{2028}Found\u{2029}\x1b[2K",
    ]
    assert len(text.splitlines()) == 8


def test_fault_O03_a_vault_setting_cannot_forge_a_heading_in_a_notice(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "hit", ".obsidian/app.json": r'{"userIgnoreFilters": ["/(\n]\n\n## forged.md/"]}'})
    assert text_of(vault, "hit") == (
        "Found 1 matching file:\n"
        "\n"
        "## a.md\n"
        "Line 1: > hit\n"
        "\n"
        "[ripgrep cannot read a /regex/ of the vault's excluded files; it excludes nothing.]"
    )


SHAPES = {
    "a.md": "---\nStatus: Final\ndue: 2026-11-20\n---\n" + "\n\n".join(["word"] * 9),
    "b/c.md": "word\n",
    "d.txt": "word\n",
}


def test_paths_alone_and_counts_with_properties_beside_them(make_vault: MakeVault) -> None:
    vault = make_vault(SHAPES)
    assert vault.search_files("word", output="paths").text == "Found 2 matching files:\n\na.md\nb/c.md"
    answer = vault.search_files("word", output="counts", columns=["DUE", "status", "none"])
    assert answer.text == "Found 2 matching files:\n\na.md: 9 (due: 2026-11-20; Status: Final)\nb/c.md: 1"
    assert [file.properties for file in answer.files] == [{"due": "2026-11-20", "Status": "Final"}, {}]
    assert [file.excerpts for file in answer.files] == [[], []]
    excerpts = vault.search_files("word", columns=["status"], file_pattern="{a.md,d.txt}", max_results=1)
    assert excerpts.text.startswith("Found 2 matching files:\n\n## a.md (Status: Final)\nLine 3:")


@pytest.mark.parametrize(("most", "left"), [(1, 8), (5, 4), (9, 0)])
def test_max_per_file_bounds_the_excerpts_of_one_file(make_vault: MakeVault, most: int, left: int) -> None:
    answer = make_vault(SHAPES).search_files("word", context_lines=0, file_pattern="a.md", max_per_file=most)
    assert len(answer.files[0].excerpts) == most
    assert ("more match" in answer.text) == bool(left)
    assert f"({left} more matches in this file)" in answer.text or not left


# One by one

MANY: dict[str, str | bytes] = {
    **{
        f"{number // 10}/n{number:03}.md": f"---\nn: {number % 3}\n---\n# H\nword {number}\n\n- [ ] word\n"
        for number in range(90)
    },
    "a.md": "# One\n" + "word\n\n\n\n\n\n" * 9,
    "crlf.md": "word\r\nx\rword",
    "nul.md": "word\0",
    "bad.md": b"\xffword\n",
}


@pytest.mark.parametrize(
    "arguments",
    [
        {"pattern": "word"},
        {"pattern": r"^$", "context_lines": 0, "max_per_file": 2},
        {"pattern": r"word\n\n", "file_pattern": "[0-3]/*"},
        {"pattern": "WORD", "case_sensitive": False, "sort": "matches", "output": "counts"},
        {"pattern": "word", "within": "tasks", "columns": ["n"]},
        {"pattern": "word", "properties": {"n": "1"}, "sort": "modified"},
        {"pattern": ".", "within": "headings", "sort": "matches"},
        {"pattern": "nowhere"},
    ],
)
def test_all_files_one_by_one_are_those_of_one_answer(make_vault: MakeVault, arguments: dict[str, Any]) -> None:
    with make_vault(MANY) as vault:
        answer = vault.search_files(**arguments, max_results=10_000)
        files = vault.iter_search_files(**arguments)
        assert [*files] == answer.files
        assert (files.complete, files.notices) == (answer.complete, answer.notices)


def test_files_one_by_one_do_not_end_at_the_bound_of_an_answer(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "RESULTS", 20)
    assert len([*make_vault(MANY).iter_search_files("word")]) == 93


def test_a_caller_who_stops_leaves_no_ripgrep_behind(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Spied(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Spied)
    monkeypatch.setattr(search, "READ_TOGETHER", 2)
    vault = make_vault(MANY)
    with vault.iter_search_files("w.rd") as files:
        assert len([next(files) for _ in range(12)]) == 12
    assert [*files] == []
    assert started
    assert all(process.returncode is not None for process in started)


def test_files_one_by_one_end_with_the_cancellation(make_vault: MakeVault) -> None:
    cancel = Event()
    files = make_vault(MANY).iter_search_files("word", cancel=cancel)
    next(files)
    cancel.set()
    with pytest.raises(Cancelled):
        list(files)


def test_what_is_wrong_is_refused_before_the_first_file(make_vault: MakeVault) -> None:
    vault = make_vault(MANY)
    with pytest.raises(InvalidPattern):
        vault.iter_search_files("[[wiki")
    with pytest.raises(BadArgument, match="find gives no files one by one"):
        vault.stream("find", {"pattern": "*"})


@pytest.mark.parametrize("arguments", [{"max_results": 1}, {"max_results": 1_000, "pattern": "$"}, {"within": "body"}])
def test_an_answer_is_freed_without_the_garbage_collector(small_vault: Path, arguments: dict[str, Any]) -> None:
    with Vault.open(small_vault) as vault:
        gc.disable()
        try:
            found = weakref.ref(vault.search_files(**{"pattern": "o"} | arguments).files[0])
            assert found() is None, "it would wait for the collector, which pauses while many files are shown"
        finally:
            gc.enable()
