"""`find`: what is listed, in which order, limits, time, progress."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clock import StandingClock
from tests.conftest import MakeVault
from tests.passed_over import examples
from tests.tools.conftest import posix_only
from vaulttools import Vault
from vaulttools.core import limits
from vaulttools.core.work import Work
from vaulttools.files import catalogue
from vaulttools.resources.urls import Backed, Virtual

NOTHING = "No files found matching pattern"


def text_of(vault: Vault, paths: str | list[str], **arguments: Any) -> str:
    """The text of an answer or a refusal."""
    return vault.call("find", {"paths": paths, **arguments}).text


def files_of(vault: Vault, paths: str | list[str], **arguments: Any) -> list[str]:
    """The paths found, newest first."""
    return vault.find(paths, **arguments).files


def aged(vault: Vault, *names: str) -> None:
    """Make everything as old as the epoch, then the names newer than that, the first one newest."""
    for path in vault.path.rglob("*"):
        os.utime(path, (0, 0), follow_symlinks=False)
    for second, name in enumerate(reversed(names), start=1):
        os.utime(vault.path / name, (second, second), follow_symlinks=False)


TREE = {
    "a.md": "",
    "B.md": "",
    "Daily/2026-11-17.md": "",
    "Daily/2026-11-18.md": "",
    "Daily/old/2020.md": "",
    "pic.png": "",
    ".hidden.md": "",
    ".dot/x.md": "",
}


# What is listed


@pytest.mark.parametrize(
    ("paths", "files"),
    [
        ("*.md", set(TREE) - {"pic.png"}),
        ("Daily/*.md", {"Daily/2026-11-17.md", "Daily/2026-11-18.md"}),
        ("Daily/**/*.md", {"Daily/2026-11-17.md", "Daily/2026-11-18.md", "Daily/old/2020.md"}),
        ("Daily/*", {"Daily/2026-11-17.md", "Daily/2026-11-18.md", "Daily/old/"}),
        ("Daily", {"Daily/2026-11-17.md", "Daily/2026-11-18.md", "Daily/old/", "Daily/old/2020.md"}),
        ("Daily/old/", {"Daily/old/2020.md"}),
        ("./Daily/2026-11-1?.md", {"Daily/2026-11-17.md", "Daily/2026-11-18.md"}),
        ("{a,B}.md", {"a.md", "B.md"}),
        ("./[!a].md", {"B.md"}),
        ("pic.png", {"pic.png"}),
        ("**/old", {"Daily/old/"}),
        (["a.md", "Daily/old", "*.png"], {"a.md", "Daily/old/2020.md", "pic.png"}),
        ('["a.md", "B.md"]', {"a.md", "B.md"}),
        ("Daily\\*.md", {"Daily/2026-11-17.md", "Daily/2026-11-18.md"}),
    ],
)
def test_globs_files_and_folders_are_found(make_vault: MakeVault, paths: str | list[str], files: set[str]) -> None:
    assert set(files_of(make_vault(TREE), paths)) == files


def test_the_root_is_searched_as_a_dot_and_refused_as_a_slash(make_vault: MakeVault) -> None:
    vault = make_vault(TREE)
    everything = {*TREE, "Daily/", "Daily/old/", ".dot/"}
    assert set(files_of(vault, ".")) == set(files_of(vault, "**")) == everything
    assert set(files_of(vault, str(vault.path))) == everything
    assert text_of(vault, "/") == text_of(vault, ["a.md", " / "]) == "Searching from root directory '/' is not allowed"


def test_hidden_names_can_be_left_out_but_not_when_they_are_named(make_vault: MakeVault) -> None:
    vault = make_vault(TREE)
    assert set(files_of(vault, "*.md", hidden=False)) == {name for name in TREE if name[0] != "." and "md" in name}
    assert files_of(vault, ".hidden.md", hidden=False) == [".hidden.md"]
    assert files_of(vault, ".dot", hidden=False) == [".dot/x.md"]
    assert text_of(vault, ".*", hidden=False) == f"{NOTHING}\n\n[Passed over: 2 hidden (.dot, .hidden.md).]"


def test_excluded_files_are_left_out_unless_asked_for_or_named(make_vault: MakeVault) -> None:
    vault = make_vault(
        {".obsidian/app.json": '{"userIgnoreFilters": ["Old/", "/^dra.t/"]}', "Old/a.md": "", "draft.md": ""}
    )
    assert text_of(vault, "*.md") == (
        f"{NOTHING}\n\n[Passed over: 2 excluded (Old, draft.md), include_excluded=true searches them.]"
    )
    assert set(files_of(vault, "*.md", include_excluded=True)) == {"Old/a.md", "draft.md"}
    assert files_of(vault, "draft.md") == ["draft.md"]


@posix_only
def test_links_are_listed_and_not_descended_unless_they_are_named(make_vault: MakeVault, tmp_path: Path) -> None:
    vault = make_vault({"real/a.md": ""})
    (tmp_path / "outside").mkdir()
    (vault.path / "folder").symlink_to("real")
    (vault.path / "file.md").symlink_to("real/a.md")
    (vault.path / "broken.md").symlink_to("nowhere")
    (vault.path / "out").symlink_to(tmp_path / "outside")
    os.mkfifo(vault.path / "p.fifo")
    assert set(files_of(vault, "*")) == {"broken.md", "file.md", "folder", "out", "p.fifo", "real/", "real/a.md"}
    assert files_of(vault, "*.md", hidden=False, gitignore=False) == files_of(vault, "*.md")
    assert text_of(vault, "file.md") == "file.md"
    assert text_of(vault, "broken.md") == "broken.md"
    assert text_of(vault, "p.fifo") == "p.fifo"
    assert files_of(vault, "folder") == files_of(vault, "folder/*.md") == ["folder/a.md"]
    assert text_of(vault, "out") == "Path is outside the vault: out"
    assert examples(vault.find("*")) == {"symlink": ["folder", "out"]}  # not the linked file: it is listed


@posix_only
@pytest.mark.parametrize("name", ["test:1-2", "[id]/p.md", "a,b.md", "a\\b.md", "*.txt"])
def test_a_literal_name_wins_over_every_other_reading(make_vault: MakeVault, name: str) -> None:
    vault = make_vault({name: "", "i/p.md": "", "a/b.md": "", "x.txt": "", "test": ""})
    assert files_of(vault, name) == [name]
    assert text_of(vault, name) == name


def test_urls_are_found_by_the_file_behind_them_and_virtual_ones_refused(make_vault: MakeVault) -> None:
    vault = make_vault({"Projects/plan.md": "", "a.md": ""})
    vault.register_resolver("mail", lambda url: [Virtual(url, "x")])
    vault.register_resolver("note", lambda url: [Backed("a.md")])
    assert text_of(vault, "obsidian://open?vault=vault&file=plan") == "Projects/plan.md"
    assert text_of(vault, "[[plan]]") == "Projects/plan.md"
    assert set(files_of(vault, ["note://x", "Projects"])) == {"a.md", "Projects/plan.md"}
    assert text_of(vault, "mail://x") == "find lists files of the vault; search reads mail://x"
    assert text_of(vault, "vaulttools://docs") == "find lists files of the vault; search reads vaulttools://docs"
    assert text_of(vault, "note://*") == "Glob patterns are not supported for internal URLs: note://*"


# Refused, missing, nothing


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"paths": []}, "`paths` must contain non-empty globs or paths"),
        ({"paths": None}, "paths must be a list of texts, got null"),
        ({"paths": ""}, "`paths` must contain non-empty globs or paths"),
        ({"paths": ["*.md", " "]}, "`paths` must contain non-empty globs or paths"),
        ({"paths": "a.md,b"}, 'paths is an array — pass ["a", "b"] not ["a,b"]: a.md,b'),
        ({"paths": "gone"}, "Path not found: gone"),
        ({"paths": ["gone", "nowhere/*"]}, "Path not found: gone, nowhere/*"),
        ({"paths": "a.md/*"}, "Path is not a directory: a.md"),
        ({"paths": "*.{md"}, "Invalid glob pattern: *.{md: unclosed brace, { without }; \\{ is the sign itself"),
        ({"paths": "../*"}, "Path is outside the vault: ../"),
        ({"paths": "*", "limit": 0}, "Limit must be a positive number"),
        ({"paths": "*", "limit": -3}, "Limit must be a positive number"),
        ({"paths": "*", "limit": float("nan")}, "Limit must be a positive number"),
        ({"paths": "*", "limit": float("inf")}, "Limit must be a positive number"),
        ({"paths": "*", "limit": "many"}, 'limit must be a whole number, 1 or more, got "many"'),
        ({"paths": "*", "timeout": "soon"}, 'timeout must be a number, 0 or more, got "soon"'),
        (
            {"paths": "*", "depth": 1},
            "unknown argument 'depth'; accepted are: paths, hidden, gitignore, modified_after, modified_before, "
            "limit, timeout",
        ),
        ({}, "paths is required: a list of texts"),
    ],
)
def test_a_wrong_argument_is_refused_in_one_sentence(
    make_vault: MakeVault, arguments: dict[str, Any], sentence: str
) -> None:
    result = make_vault({"a.md": "", "b/c.md": ""}).call("find", arguments)
    assert result.is_error
    assert result.text.startswith(sentence)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("find", {"paths": "garden"}),
        ("search", {"pattern": "x", "paths": "garden"}),
        ("grep", {"pattern": "x", "path": "garden"}),
    ],
)
def test_a_name_that_is_no_path_is_answered_with_paths(
    make_vault: MakeVault, tool: str, arguments: dict[str, Any]
) -> None:
    vault = make_vault({"Projects/Garden plan.md": "x", ".git/garden.md": "x", "b.md": ""})
    result = vault.call(tool, arguments)
    assert result.is_error
    assert result.text == "Path not found: garden; did you mean Projects/Garden plan.md?"
    assert vault.call(tool, {**arguments, list(arguments)[-1]: "*/gardens.md"}).text.count("did you mean") == 0
    text = vault.call(tool, {**arguments, list(arguments)[-1]: "projects"}).text
    assert text == "Path not found: projects; did you mean Projects?"


def test_missing_paths_among_several_are_skipped_and_reported(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "", "b/c.md": ""})
    answer = vault.find(["gone.md", "a.md", "nowhere/**"])
    assert answer.text == "a.md\n\n[Skipped missing paths: gone.md, nowhere/**]"
    assert answer.missing_paths == ["gone.md", "nowhere/**"]
    assert text_of(vault, ["gone.md", "*.txt"]) == f"{NOTHING}\n\n[Skipped missing paths: gone.md]"


def test_where_nothing_matches_up_to_five_paths_in_another_case_are_named(make_vault: MakeVault) -> None:
    vault = make_vault({f"Plan {number}.MD": "" for number in range(7)} | {"x/README": ""})
    assert text_of(vault, "readme*") == f"{NOTHING}\n\n[With case ignored there are: x/README]"
    assert text_of(vault, ["plan*.md", "X*/readme*"]) == (
        f"{NOTHING}\n\n[With case ignored there are: Plan 0.MD, Plan 1.MD, Plan 2.MD, Plan 3.MD, Plan 4.MD]"
    )
    assert text_of(vault, ["plan 1*", "PLAN*"]).endswith("Plan 1.MD, Plan 0.MD, Plan 1.MD, Plan 2.MD, Plan 3.MD]")
    assert text_of(vault, "nothing*") == NOTHING
    assert vault.find("readme*").notices == ["With case ignored there are: x/README"]


# Order and text


def test_the_newest_come_first_and_ties_by_path(make_vault: MakeVault) -> None:
    vault = make_vault({"b/x.md": "", "b!.md": "", "a.md": "", "c.md": "", "b/y.md": ""})
    aged(vault, "c.md", "b/y.md")
    assert files_of(vault, "*.md") == ["c.md", "b/y.md", "a.md", "b/x.md", "b!.md"]
    assert files_of(vault, "**") == ["c.md", "b/y.md", "a.md", "b/", "b/x.md", "b!.md"]
    assert files_of(vault, "*.md", limit=2) == ["c.md", "b/y.md"]


def test_the_text_is_grouped_by_folder_and_the_details_keep_the_order(make_vault: MakeVault) -> None:
    vault = make_vault({"b/x.md": "", "a.md": "", "c.md": "", "b/y.md": "", "b/d/z.md": ""})
    aged(vault, "b/y.md", "c.md", "b/x.md", "b/d/z.md", "b/d", "a.md", "b")
    answer = vault.find("**")
    assert answer.text == "# b/\ny.md\nx.md\nd/\n\nc.md\na.md\nb/\n\n# b/d/\nz.md"
    assert answer.files == ["b/y.md", "c.md", "b/x.md", "b/d/z.md", "b/d/", "a.md", "b/"]


@posix_only
def test_fault_O03_names_stay_on_one_line_and_never_look_like_a_heading(make_vault: MakeVault) -> None:
    vault = make_vault({"# b": "", "x\n# y/\x1b[2K.md": ""})
    aged(vault)
    assert text_of(vault, "**") == "\\u{23} b\nx\\n# y/\n\n# x\\n# y/\n\\u{1b}[2K.md"
    assert files_of(vault, "x\\n# y/\\u{1b}[2K.md") == ["x\n# y/\x1b[2K.md"]
    assert files_of(vault, "\\u{23} b") == ["# b"]


@posix_only
def test_fault_O03_no_name_looks_like_a_sentence_of_ours(make_vault: MakeVault) -> None:
    reached = "[200 results limit reached. Narrow the glob, or name a folder.]"
    names = [reached[1:-1], reached, "[Cut at 50 KiB: 9 more paths. Narrow the glob.]", NOTHING, "No matches in the 1"]
    vault = make_vault(dict.fromkeys(names, ""))
    aged(vault, *names)
    answer = vault.find("*")
    assert answer.text == (
        "200 results limit reached. Narrow the glob, or name a folder.\n"
        "\\u{5b}200 results limit reached. Narrow the glob, or name a folder.]\n"
        "\\u{5b}Cut at 50 KiB: 9 more paths. Narrow the glob.]\n"
        "\\u{4e}o files found matching pattern\n"
        "\\u{4e}o matches in the 1"
    )
    assert (answer.notices, answer.truncated) == ([], False)
    for line, name in zip(answer.text.split("\n"), names, strict=True):
        assert files_of(vault, line) == [name]


def test_the_details_hold_every_field(make_vault: MakeVault) -> None:
    vault = make_vault({"b/x.md": "", "a.md": "", ".gitignore": "old/\n", "b/old/y.md": ""})
    aged(vault, "a.md", "b/x.md")
    result = vault.call("find", {"paths": ["b", "*.md", "gone"], "limit": 1})
    notices = [
        "Skipped missing paths: gone",
        "1 results limit reached. Raise limit, narrow the glob, or name a folder.",
    ]
    assert result.details == {
        "complete": True,
        "searched": 2,
        "passed_over": [{"kind": "ignored", "count": 2, "examples": ["b/old", "b/old"]}],
        "notices": notices,
        "scope_path": "b, *.md",
        "file_count": 1,
        "files": ["a.md"],
        "truncated": True,
        "result_limit_reached": 1,
        "missing_paths": ["gone"],
    }
    assert result.text == "a.md\n\n" + "\n".join(f"[{notice}]" for notice in notices)


# Limits


@pytest.mark.parametrize(
    ("limit", "count", "reached"),
    [(200, 200, None), (201, 200, 200), (100_000, 200, 200), (1.9, 1, 1), (0.5, 1, 1), ("3", 3, 3), (None, 200, None)],
)
def test_only_more_than_the_limit_reaches_it(
    make_vault: MakeVault, limit: Any, count: int, reached: int | None
) -> None:
    vault = make_vault({f"{number:03}.md": "" for number in range(201 if limit in (201, 100_000) else 200)})
    answer = vault.find("*.md", limit=limit)
    assert (answer.file_count, answer.result_limit_reached, answer.truncated) == (count, reached, reached is not None)
    to_go_on = (
        "Narrow the glob, or name a folder." if reached == 200 else "Raise limit, narrow the glob, or name a folder."
    )
    assert answer.notices == ([f"{reached} results limit reached. {to_go_on}"] if reached else [])


@posix_only
def test_the_text_is_never_over_fifty_kib(make_vault: MakeVault) -> None:
    folder = "/".join("ü" * 120 for _ in range(2))
    vault = make_vault({f"{folder}{number}/{'é' * 100}.md": "" for number in range(90)})
    answer = vault.find("*.md")
    assert len(answer.text.encode()) <= limits.TEXT_BYTES
    assert (answer.file_count, answer.truncated) == (90, True)
    shown = answer.text.count(".md")
    assert answer.text.endswith(f"\n\n[Cut at 50 KiB: {90 - shown} more paths. Narrow the glob.]")


def test_ten_thousand_bad_ignore_lines_do_not_crowd_out_the_paths(make_vault: MakeVault) -> None:
    files = {f"{number}/.gitignore": "bad\\\n" * 40 for number in range(300)}
    answer = make_vault({"a.md": "", **files}).find("*.md")
    assert len(answer.text.encode()) <= limits.TEXT_BYTES
    assert answer.text.startswith("a.md\n\n[0/.gitignore:1: the line ignores nothing: ")
    assert "\n[0/.gitignore: 20 more lines ignore nothing]\n" in answer.text
    assert answer.file_count == 1


# Time and progress


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> StandingClock:
    """The clock of `Work` and `find`."""
    made = StandingClock()
    monkeypatch.setattr(time, "monotonic", made.monotonic)
    return made


def slowed(monkeypatch: pytest.MonkeyPatch, clock: StandingClock, seconds: float) -> None:
    """Let each entry of a walk take so long."""
    walk = catalogue.walk

    def slow(*arguments: Any, **named: Any) -> Iterator[catalogue.Entry]:
        for entry in walk(*arguments, **named):
            yield entry
            clock.now += seconds

    monkeypatch.setattr(catalogue, "walk", slow)


@pytest.mark.scan_only
def test_a_timeout_returns_what_was_found_and_says_so(
    make_vault: MakeVault, clock: StandingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault({f"{number}.md": "" for number in range(9)})
    aged(vault)
    slowed(monkeypatch, clock, 0.125)
    answer = vault.find("*.md", timeout=0.5)
    notice = "find timed out after 0.5s; returning 4 partial matches — increase timeout or narrow pattern"
    assert answer.text == f"0.md\n1.md\n2.md\n3.md\n\n[{notice}]"
    assert (answer.truncated, answer.complete, answer.notices) == (True, False, [notice])
    assert answer.result_limit_reached is None


@pytest.mark.scan_only
def test_a_timeout_without_results_never_says_that_there_are_none(
    make_vault: MakeVault, clock: StandingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault({f"{number}/x.txt": "" for number in range(9)} | {"z.md": ""})
    slowed(monkeypatch, clock, 1)
    answer = vault.find("*.md", timeout=2)
    assert answer.text == (
        "No matches in the 0 files searched; the search is incomplete: "
        "stopped after 2 s, not everything was looked at.\n"
        "\n"
        "[find timed out after 2s; returning 0 partial matches — increase timeout or narrow pattern]"
    )
    assert (answer.truncated, answer.complete, answer.file_count) == (True, False, 0)


@pytest.mark.parametrize(
    ("timeout", "seconds"), [(None, 5), (0, 0.5), (-1, 0.5), (0.1, 0.5), (7, 7), ("2.5", 2.5), (61, 60), (1e9, 60)]
)
def test_the_timeout_is_clamped(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, timeout: Any, seconds: float
) -> None:
    given = []
    monkeypatch.setattr(Work, "limit_to", lambda self, limit: given.append(limit))
    make_vault({"a.md": ""}).find("*.md", timeout=timeout)
    assert {*given} == {seconds}  # asked again, since the vault was made just before


@pytest.mark.scan_only
def test_progress_is_reported_at_most_every_two_hundred_milliseconds(
    make_vault: MakeVault, clock: StandingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault({f"{number}.md": "" for number in range(9)})
    slowed(monkeypatch, clock, 0.0625)
    reports: list[tuple[float, str]] = []
    vault.find("*.md", on_progress=lambda text: reports.append((clock.now - 1_000, text)))
    assert reports == [
        (0.25, "0.md\n1.md\n2.md\n3.md\n4.md"),
        (0.5, "0.md\n1.md\n2.md\n3.md\n4.md\n5.md\n6.md\n7.md\n8.md"),
    ]
    vault.find("0.md", on_progress=lambda text: reports.append((0, text)))
    assert len(reports) == 2  # a fast search reports no progress


# What is walked


@pytest.mark.scan_only
@pytest.mark.parametrize(
    ("paths", "folders"),
    [
        ("a/b/*.md", {"a/b"}),
        ("a/*/x.md", {"a", "a/b", "a/c"}),
        ("a/{b,gone}/*.md", {"a", "a/b"}),
        ("{a/b,z}/*", {"", "a", "a/b", "z"}),
        ("a/b/**", {"a/b", "a/b/deep"}),
        (["a/b/*", "z/*"], {"a/b", "z"}),
        ("a/b", {"a/b", "a/b/deep"}),
        (["a/b", "z"], {"a/b", "a/b/deep", "z"}),
        (["a/c", "a/b/x.md"], {"a/c"}),
        ("a/b/x.md", set()),
        ("./*.md", {""}),
    ],
)
def test_nothing_is_walked_that_the_paths_cannot_reach(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, paths: str | list[str], folders: set[str]
) -> None:
    vault = make_vault(dict.fromkeys(("a/b/x.md", "a/b/deep/x.md", "a/c/x.md", "z/x.md", "y/b/x.md", "x.md"), ""))
    listed = set()
    listing = catalogue.listed

    def spied(root: Any, folder: str) -> Any:
        listed.add(folder)
        return listing(root, folder)

    monkeypatch.setattr(catalogue, "listed", spied)
    vault.find(paths)
    assert listed == folders


def test_files_come_in_the_order_of_their_notes_dates(make_vault: MakeVault) -> None:
    vault = make_vault(
        {
            "2026-05-12.md": "a day",
            "log.md": "## 2026-03-01\nrain\n## 2026-06-01\nsun\n",
            "plan.md": "---\ndate: 2024-01-01\n---\n",
            "photo.png": "x",
        }
    )
    os.utime(vault.path / "photo.png", (0, 0))
    newest = ["log.md", "2026-05-12.md", "plan.md", "photo.png"]
    assert vault.find("*.*", sort="note_date").files == newest
    assert vault.find("*.*", sort="-note_date").files == newest[::-1]
    assert vault.find("*.*", sort="-modified").files[0] == "photo.png"
