"""`search`: what `paths` may hold, exact text, caps, notices, errors.

The rows of `fixtures/cases/search-find.json` run in `tests/test_cases.py`; `docs/sources.md` lists differences.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.clock import LIMIT, time_runs_out_when
from tests.conftest import MakeVault
from tests.resources.test_archives import packed
from tests.tools.conftest import posix_only
from vaulttools import Vault, VaultConfig
from vaulttools.answers.answer import Omission
from vaulttools.core import limits
from vaulttools.files import content_caches
from vaulttools.matching import ripgrep
from vaulttools.resources.urls import Backed, Virtual
from vaulttools.vault import Snapshot

NOTHING = "No matches found"


def text_of(vault: Vault, pattern: str, paths: str | list[str] | None = None, **arguments: Any) -> str:
    """The text of an answer or a refusal."""
    return vault.call("search", {"pattern": pattern, "paths": paths, **arguments}).text


def files_of(vault: Vault, pattern: str, paths: str | list[str] | None = None, **arguments: Any) -> list[str]:
    """The files of a page."""
    return vault.search(pattern, paths, **arguments).files


def again(vault: Vault, **config: Any) -> Vault:
    """The same folder under another configuration."""
    return Vault.open(vault.path, config=VaultConfig(**config))


def numbered(count: int, text: str = "hit") -> str:
    """So many lines, each the text and its number."""
    return "".join(f"{text} {number}\n" for number in range(1, count + 1))


# What `paths` may hold


SMALL = {"a.md": "hit\n", "b/c.md": "one\nhit\n", "b/d/e.txt": "hit\n", ".hidden.md": "hit\n", "z.csv": "miss\n"}


@pytest.mark.parametrize("paths", [None, [], "[]", "/", ".", "./", ["/"], "'.'"])
def test_empty_paths_and_the_root_mean_the_vault(make_vault: MakeVault, paths: Any) -> None:
    vault = make_vault(SMALL)
    assert files_of(vault, "hit", paths) == [".hidden.md", "a.md", "b/c.md", "b/d/e.txt"]


@pytest.mark.parametrize(
    ("paths", "files"),
    [
        ("b", ["b/c.md", "b/d/e.txt"]),
        ("b/", ["b/c.md", "b/d/e.txt"]),
        ("b/d/..", ["b/c.md", "b/d/e.txt"]),
        ("*.md", [".hidden.md", "a.md", "b/c.md"]),
        ("b/*", ["b/c.md"]),
        ("b/**", ["b/c.md", "b/d/e.txt"]),
        ("{a,b/c}.md", ["a.md", "b/c.md"]),
        ("**/*.txt", ["b/d/e.txt"]),
        (["b", "a.md"], ["a.md", "b/c.md", "b/d/e.txt"]),
        (["b", "*.md", "b/c.md"], [".hidden.md", "a.md", "b/c.md", "b/d/e.txt"]),
        ('["b/c.md", "a.md"]', ["b/c.md", "a.md"]),
        ([" 'b/c.md' ", "`a.md`", '"z.csv"'], ["b/c.md", "a.md"]),
        ("b\\d", ["b/d/e.txt"]),
        (".hidden.md", [".hidden.md"]),
        ("[ab]*/*.md", ["b/c.md"]),
    ],
)
def test_files_folders_globs_and_lists_are_searched(
    make_vault: MakeVault, paths: str | list[str], files: list[str]
) -> None:
    assert files_of(make_vault(SMALL), "hit", paths) == files


def test_absolute_paths_inside_the_vault_are_accepted(make_vault: MakeVault) -> None:
    vault = make_vault(SMALL)
    assert files_of(vault, "hit", str(vault.path / "b")) == ["b/c.md", "b/d/e.txt"]
    assert files_of(vault, "hit", f"{vault.path.as_posix()}/b/*.md") == ["b/c.md"]
    assert vault.search("hit", str(vault.path / "b")).scope_path == "b"


def test_a_list_of_exact_files_keeps_the_callers_order(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "hit\n", "b.md": "hit\n", "c.md": "hit\n"})
    assert text_of(vault, "hit", ["c.md", "a.md", "b.md"]) == "# c.md\n*1|hit\n\n# a.md\n*1|hit\n\n# b.md\n*1|hit"
    assert files_of(vault, "hit", ["c.md", "a.md", "."]) == ["a.md", "b.md", "c.md"]


def test_a_file_named_twice_is_searched_once(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "hit\n", "b.md": "hit\n"})
    answer = vault.search("hit", ["b.md", "a.md", "./b.md", str(vault.path / "b.md"), "b.md:1-1"])
    assert answer.text == "# b.md\n*1|hit\n\n# a.md\n*1|hit"
    assert (answer.searched, answer.total_files) == (2, 2)
    walked = vault.search("hit", [".", "*.md", "a.md", "."])
    assert (walked.files, walked.searched) == (["a.md", "b.md"], 2)


def test_a_file_named_whole_and_with_a_range_is_searched_whole(make_vault: MakeVault) -> None:
    vault = make_vault({"b/a.md": "hit\nhit\n"})
    assert text_of(vault, "hit", ["b/a.md:2-2", "b/a.md"]) == "# b/a.md\n*1|hit\n*2|hit"
    assert text_of(vault, "hit", ["b/a.md:2-2", "b"]) == "# b/a.md\n*1|hit\n*2|hit"
    assert text_of(vault, "hit", ["b/a.md:2-2", "./b/a.md:2-2"]) == "# b/a.md\n*2|hit"


@posix_only
@pytest.mark.parametrize("name", ["test:1-2", "[id]/p.md", "a,b.md", "a\\b.md", "*.md", "'q'.md", " blank .md", "x:3"])
def test_a_literal_name_wins_over_every_other_reading(make_vault: MakeVault, name: str) -> None:
    vault = make_vault({name: "hit\n", "i/p.md": "no\n", "test": "hit\nhit\n", "a/b.md": "no\n", "other.md": "hit\n"})
    assert text_of(vault, "hit", name) == "*1|hit"
    assert files_of(vault, "hit", [name]) == [name]
    if name != "x:3":
        assert vault.search("hit", [name, "other.md"]).files == [name, "other.md"]


@posix_only
def test_a_literal_name_may_carry_a_range_too(make_vault: MakeVault) -> None:
    vault = make_vault({"test:1-2": "hit\nhit\nhit\n", "[id]/p.md": "hit\nhit\n", "a,b.md": "hit\nhit\n"})
    assert text_of(vault, "hit", "test:1-2:2-2") == "*2|hit"
    assert text_of(vault, "hit", "[id]/p.md:2") == "*2|hit"
    assert text_of(vault, "hit", "a,b.md:1-1") == "*1|hit"


def test_a_glob_may_be_longer_than_a_name(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "hit\n", "b.md": "hit\n"})
    glob = "{" + ",".join(f"name{number:05}" for number in range(60)) + ",a}.md"
    assert files_of(vault, "hit", glob) == ["a.md"]
    assert [file.path for file in vault.search_files("hit", file_pattern=glob).files] == ["a.md"]


@posix_only
def test_a_fifo_that_is_named_is_reported_and_the_rest_is_searched(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "hit\n", "b.md": "hit\n"})
    os.mkfifo(vault.path / "p.fifo")
    answer = vault.search("hit", ["b.md", "p.fifo", "a.md"])
    assert answer.text == "# b.md\n*1|hit\n\n# a.md\n*1|hit\n\nSkipped: p.fifo (not a regular file)"
    assert answer.notices == ["Skipped: p.fifo (not a regular file)"]
    assert answer.passed_over == [Omission(kind="not a regular file", count=1, examples=["p.fifo"])]
    assert answer.complete
    assert files_of(vault, "hit") == ["a.md", "b.md"]


@posix_only
def test_links_are_followed_when_they_are_named_and_in_no_walk(make_vault: MakeVault, tmp_path: Path) -> None:
    vault = make_vault({"real/a.md": "hit\n"})
    (tmp_path / "outside.md").write_text("hit CANARY\n", encoding="utf-8")
    (vault.path / "link.md").symlink_to("real/a.md")
    (vault.path / "folder").symlink_to("real")
    (vault.path / "out.md").symlink_to(tmp_path / "outside.md")
    assert files_of(vault, "hit") == ["real/a.md"]
    assert files_of(vault, "hit", "folder/*.md") == ["folder/a.md"]
    assert files_of(vault, "hit", ["link.md", "folder"]) == ["folder/a.md", "link.md"]
    assert text_of(vault, "hit", "out.md") == "Path is outside the vault: out.md"


# Links and URLs


NOTES = {
    "Projects/plan.md": "# Plan\nhit 2\n\n## Risks\nhit 5\n\n### Deep\nhit 8\n\n## Goals\nhit 11\n",
    "inbox.md": "hit\n",
    "Ü ber.md": "hit\n",
    "a/Note.md": "# H hit\n\nhit\nhit ^para\n\n- hit ^item\n  - hit\n- hit\n\n^list\n\nhit\n",
}


@pytest.mark.parametrize(
    ("path", "lines"),
    [
        ("[[plan]]", [2, 5, 8, 11]),
        ("[[Projects/plan]]", [2, 5, 8, 11]),
        ("[[plan|another name]]", [2, 5, 8, 11]),
        ("[[plan#Risks]]", [5, 8]),
        ("[[plan#Risks#Deep]]", [8]),
        ("[[plan#Goals|g]]", [11]),
        ("obsidian://open?vault=vault&file=plan", [2, 5, 8, 11]),
        ("obsidian://open?vault=vault&file=Projects%2Fplan.md", [2, 5, 8, 11]),
        ("obsidian://open?file=Projects/plan%23Risks", [5, 8]),
        ("obsidian://vault/vault/Projects/plan.md", [2, 5, 8, 11]),
        ("obsidian://vault/vault/plan", [2, 5, 8, 11]),
        ("obsidian://vault/vault/plan:5-8", [5, 8]),
        ("OBSIDIAN://open?vault=vault&file=%C3%9C%20ber", [1]),
        ("[[Note#^para]]", [3, 4]),
        ("[[Note#^PARA]]", [3, 4]),
        ("[[Note#^item]]", [6, 7]),
        ("[[Note#^list]]", [6, 7, 8]),
        ("[[Note#H#^para]]", [3, 4]),
        ("obsidian://open?file=Note%23%5Eitem", [6, 7]),
    ],
)
def test_links_and_obsidian_urls_lead_to_their_file_section_or_block(
    make_vault: MakeVault, path: str, lines: list[int]
) -> None:
    text = text_of(make_vault(NOTES), "hit", path)
    assert [int(number) for number in re.findall(r"^\*(\d+)\|", text, re.MULTILINE)] == lines
    assert not text.startswith("#")


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("[[nowhere]]", "Path not found: [[nowhere]]"),
        ("[[plan#Nowhere]]", "Heading not found: Nowhere in Projects/plan.md"),
        ("[[plan#Rsks]]", "Heading not found: Rsks in Projects/plan.md; did you mean Risks?"),
        ("[[plan#^block]]", "Block not found: ^block in Projects/plan.md; it has none"),
        ("obsidian://open?vault=Other&file=plan", "Vault is not open: Other"),
        ("obsidian://vault/Other/plan", "Vault is not open: Other"),
        ("obsidian://open?vault=vault&file=nowhere", "Path not found: obsidian://open?vault=vault&file=nowhere"),
        ("obsidian://open?vault=vault&file=*", "Glob patterns are not supported for internal URLs: obsidian://open?v"),
        ("obsidian://open?vault=vault&file=.obsidian%2Fapp.json", "Access denied: '.obsidian/' is a protected folder"),
        ("obsidian://open?vault=vault&file=..%2Fx.md", "Path is outside the vault: ../x.md"),
        ("vaulttools://docs/*.md", "Glob patterns are not supported for internal URLs: vaulttools://docs/*.md"),
        ("vaulttools://docs/nowhere", "Unknown page: nowhere; pages are "),
        ("mail://inbox", "Unknown URL scheme: mail://inbox; known are obsidian://, vaulttools://"),
    ],
)
def test_a_link_or_url_that_leads_nowhere_is_refused_with_the_reason(
    make_vault: MakeVault, path: str, sentence: str
) -> None:
    result = make_vault(NOTES).call("search", {"pattern": "hit", "paths": path})
    assert result.is_error
    assert result.text.startswith(sentence)


def test_the_documentation_is_searched_as_virtual_pages(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "x\n"})
    everything = vault.search("vaulttools", "vaulttools://docs")
    order = [f"{name}.md" for name in everything.files]  # `obsidian-cli.md` comes before `obsidian.md`
    assert order == sorted(order)
    assert all(name.startswith("vaulttools://docs/") for name in everything.files)
    assert everything.scope_path == "vaulttools://docs"
    page = vault.search("^# ", "vaulttools://docs/tools/search")
    assert page.text.startswith("*1|# `search`\n")
    assert page.files == ["vaulttools://docs/tools/search"]
    assert vault.search("^# ", page.files).text == page.text


def test_an_embedding_program_adds_resolvers(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "hit\nhit\n"})
    vault.register_resolver("mail", lambda url: [Virtual(f"{url}/{number}", f"hit {number}\n") for number in (2, 1)])
    vault.register_resolver("note", lambda url: [Backed("a.md")])
    assert text_of(vault, "hit", "mail://inbox") == "# mail://inbox/2\n*1|hit 2\n\n# mail://inbox/1\n*1|hit 1"
    assert text_of(vault, "hit", "note://any:2-2") == "*2|hit"
    assert files_of(vault, "hit", ["note://any", "mail://x", "."]) == ["a.md", "mail://x/1", "mail://x/2"]


def test_a_resolver_leads_to_nothing_outside_the_vault(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "hit\n"})
    vault.register_resolver("bad", lambda url: [Backed("../secret.md")])
    vault.register_resolver("gone", lambda url: [])
    assert text_of(vault, "hit", "bad://x") == "Path is outside the vault: ../secret.md"
    assert text_of(vault, "hit", "gone://x") == "Path not found: gone://x"
    assert text_of(vault, "hit", ["gone://x", "a.md"]) == "*1|hit\n\nSkipped missing paths: gone://x"


# Missing paths and refused arguments


def test_missing_paths_among_several_are_skipped_and_reported(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "hit\n", "b/c.md": "hit\n"})
    answer = vault.search("hit", ["gone.md", "b", "nowhere/*.md", "a.md"])
    assert answer.text == "# a.md\n*1|hit\n\n# b/c.md\n*1|hit\n\nSkipped missing paths: gone.md, nowhere/*.md"
    assert answer.missing_paths == ["gone.md", "nowhere/*.md"]
    assert text_of(vault, "absent", ["gone.md", "b"]) == f"{NOTHING}\n\nSkipped missing paths: gone.md"
    assert text_of(vault, "hit", ["gone.md", "x/"]) == "Path not found: gone.md, x/"
    many = [f"{number}.md" for number in range(8)]
    assert text_of(vault, "hit", ["b", *many]).endswith(
        "\n\nSkipped missing paths: 0.md, 1.md, 2.md, 3.md, 4.md and 3 more"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"pattern": ""}, "Pattern must not be empty"),
        ({"pattern": " \t"}, "Pattern must not be empty"),
        ({"skip": -1}, "Skip must be a non-negative number"),
        ({"skip": "-0.5"}, "Skip must be a non-negative number"),
        ({"skip": float("nan")}, "Skip must be a non-negative number"),
        ({"skip": float("inf")}, "Skip must be a non-negative number"),
        ({"skip": "two"}, 'skip must be a whole number, 0 or more, got "two"'),
        ({"paths": ""}, "`paths` must contain non-empty paths or globs"),
        ({"paths": ["a.md", "  "]}, "`paths` must contain non-empty paths or globs"),
        ({"paths": "''"}, "`paths` must contain non-empty paths or globs"),
        ({"paths": "a.md,b/c.md"}, 'paths is an array — pass ["a", "b"] not ["a,b"]: a.md,b/c.md'),
        ({"paths": ["a.md, b"]}, 'paths is an array — pass ["a", "b"] not ["a,b"]: a.md, b'),
        ({"paths": ["x"] * 101}, "`paths` may hold at most 100 entries, got 101"),
        ({"paths": 5.5}, "paths must be a list of texts, got 5.5"),
        ({"paths": "*.md:1-2"}, "Line-range selector requires a single file, not a glob: *.md:1-2"),
        ({"paths": "b:1-2"}, "Line-range selector requires a single file: b is a directory"),
        ({"paths": "gone.md:1-2"}, "Path not found for line-range selector: gone.md:1-2"),
        ({"paths": "a.md:5-2"}, "Invalid range 5-2: end must be >= start."),
        ({"paths": "a.md:0"}, "Line selector 0 is invalid; lines are 1-indexed. Use :1."),
        ({"paths": "a.md:3+0"}, "Invalid range 3+0: count must be >= 1."),
        ({"paths": "gone.md"}, "Path not found: gone.md"),
        ({"paths": "gone.zip:a.md"}, "Path not found: gone.zip:a.md"),
        ({"paths": "*.{md"}, "Invalid glob pattern: *.{md: unclosed brace, { without }; \\{ is the sign itself"),
        ({"paths": "a.md/*"}, "Path is not a directory: a.md"),
        ({"paths": "../x"}, "Path is outside the vault: ../x"),
        ({"paths": "/etc/*.conf"}, "Path is outside the vault: /etc/"),
        ({"paths": ".obsidian/*.json"}, "Access denied: '.obsidian/' is a protected folder"),
        ({"paths": ["a.md", ".trash"]}, "Access denied: '.trash/' is a protected folder"),
        ({"pattern": "[[wiki"}, r"Invalid regex: [[wiki: unclosed character class. To find it literally use \[\[wiki"),
        (
            {"path": "a.md"},
            "unknown argument 'path'; give paths=[\"a.md\"] instead; accepted are: pattern, paths, i, gitignore, skip",
        ),
    ],
)
def test_a_wrong_argument_is_refused_in_one_sentence(
    make_vault: MakeVault, arguments: dict[str, Any], sentence: str
) -> None:
    vault = make_vault({"a.md": "hit\n", "b/c.md": "hit\n", ".obsidian/app.json": "{}", ".trash/x.md": "hit"})
    result = vault.call("search", {"pattern": "hit", **arguments})
    assert result.is_error
    assert result.text.startswith(sentence)
    assert result.details == {"error": result.text}


def test_a_sentence_of_refusal_is_bounded_too(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "hit\n"})
    for paths in ("../" + "x" * 1_000_000, ["😀" * 60 + str(number) for number in range(100)], "x" * 1_000_000):
        assert len(text_of(vault, "hit", paths).encode()) < limits.TEXT_BYTES


# Line ranges


@pytest.mark.parametrize(
    ("selector", "lines"),
    [
        (":5-7", [5, 6, 7]),
        (":5..7", [5, 6, 7]),
        (":L5-L7", [5, 6, 7]),
        (":l5+3", [5, 6, 7]),
        (":9-", [9, 10]),
        (":9", [9, 10]),
        (":2-3,9-10", [2, 3, 9, 10]),
        (":2-3,3-4", [2, 3, 4]),
    ],
)
def test_a_selector_shows_its_lines_and_no_others(make_vault: MakeVault, selector: str, lines: list[int]) -> None:
    vault = make_vault({"a.md": numbered(10)})
    shown = text_of(vault, "hit", f"a.md{selector}").replace("...\n", "")
    assert shown == "\n".join(f"*{number}|hit {number}" for number in lines)


def test_a_range_behind_the_two_thousandth_match_works(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": numbered(5_000)})
    assert text_of(vault, "hit", "a.md:4999-") == "*4999|hit 4999\n*5000|hit 5000"
    assert text_of(vault, "hit", ["a.md:4999-5000", "a.md:1-1"]) == (
        "# a.md\n*1|hit 1\n...\n*4999|hit 4999\n*5000|hit 5000"
    )


# Text, exactly


@pytest.mark.parametrize(
    ("text", "path", "shown"),
    [
        pytest.param(
            "".join("hit\n" if n in (2, 9, 20) else f"{n}\n" for n in range(1, 25)),
            "a.md",
            " 1|1\n*2|hit\n 3|3\n 4|4\n 5|5\n...\n 8|8\n*9|hit\n 10|10\n 11|11\n 12|12\n...\n"
            " 19|19\n*20|hit\n 21|21\n 22|22\n 23|23",
            id="one line before, three after, and a gap between",
        ),
        pytest.param(
            "hit\n2\n3\n4\n5\nhit\n", "a.md", "*1|hit\n 2|2\n 3|3\n 4|4\n 5|5\n*6|hit", id="windows that touch are one"
        ),
        pytest.param("1\n2\nhit\n4\n5\n6\n", "a.md:3-4", "*3|hit\n 4|4", id="no context outside a range"),
        pytest.param(
            "1\n2\nhit\n4\n5\n6\n7\nhit\n9\n",
            "a.md:2-4,8-9",
            " 2|2\n*3|hit\n 4|4\n...\n*8|hit\n 9|9",
            id="no context between two ranges",
        ),
        pytest.param(
            "x \t\nhit\x1b[2K\u202e  \n# b.md\n...\n",
            "a.md",
            " 1|x\n*2|hit\\x1b[2K\\u{202e}\n 3|# b.md\n 4|...",
            id="trailing blanks are lost, and controls are shown",
        ),
    ],
)
def test_lines_have_numbers_and_matching_ones_a_mark(make_vault: MakeVault, text: str, path: str, shown: str) -> None:
    assert text_of(make_vault({"a.md": text}), "hit", path) == shown
    assert text_of(make_vault({"a.md": text}), "hit", path, skip=3) == shown  # one file has no pages


def test_context_follows_the_configuration(make_vault: MakeVault) -> None:
    vault = again(make_vault({"a.md": "1\n2\nhit\n4\n5\n"}), search_context_before=2, search_context_after=0)
    assert text_of(vault, "hit", "a.md") == " 1|1\n 2|2\n*3|hit"


def test_several_files_have_headings_and_one_that_is_found_in_a_folder_has_too(make_vault: MakeVault) -> None:
    vault = make_vault({"b/a.md": "hit\n", "b/c.md": "x\n"})
    assert text_of(vault, "hit", "b") == "# b/a.md\n*1|hit"
    assert text_of(vault, "hit", "b/*.md") == "# b/a.md\n*1|hit"
    assert text_of(vault, "hit", ["b/a.md", "b/c.md"]) == "# b/a.md\n*1|hit"
    assert text_of(vault, "hit", "b/a.md") == "*1|hit"


def test_files_come_in_path_order_component_by_component(make_vault: MakeVault) -> None:
    vault = make_vault(dict.fromkeys(("b.md", "a!.md", "a/x.md", "a/B.md", "B.md", "a b/c.md"), "hit"))
    order = ["B.md", "a/B.md", "a/x.md", "a b/c.md", "a!.md", "b.md"]
    assert files_of(vault, "hit") == files_of(vault, "hit", ["b.md", "a", "a b", "*.md"]) == order


def test_a_long_line_is_cut_around_its_first_match_and_reported(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "hit" + "y" * 600, "b.md": "x" * 600 + "hit" + "y" * 600, "c.md": "hit"})
    answer = vault.search("hit", ["a.md", "b.md"])
    first, second = (line for line in answer.text.split("\n") if line.startswith("*"))
    assert first == f"*1|hit{'y' * 509}…"
    assert second == f"*1|…{'x' * 80}hit{'y' * 429}…"
    assert (answer.lines_truncated, answer.truncated) == (True, True)
    assert (vault.search("hit", "c.md").lines_truncated, vault.search("hit", "c.md").truncated) == (False, False)


def test_a_pattern_across_lines_marks_every_line_it_touches(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "1\nfoo\r\nbar\n4\n", "b.md": "foo\nbar"})
    assert text_of(vault, r"foo\nbar", "a.md") == " 1|1\n*2|foo\n*3|bar\n 4|4"
    assert vault.search("foo\nbar").file_matches == {"a.md": 2, "b.md": 2}


def test_fault_T11_what_was_left_out_is_reported_when_nothing_was_found(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "x\n", "b.md": b"hit\x00", ".gitignore": "c.md\n", "c.md": "hit\n"})
    assert text_of(vault, "hit") == f"{NOTHING}\n\nPassed over: 1 binary (b.md); 1 ignored (c.md)."
    assert text_of(vault, "x") == "# a.md\n*1|x"


def test_excluded_files_are_searched_when_asked_for_or_named(make_vault: MakeVault) -> None:
    vault = make_vault({".obsidian/app.json": '{"userIgnoreFilters": ["Old/", "/sk.p/"]}', "Old/a.md": "hit\n"} | SMALL)
    assert "Old/a.md" not in files_of(vault, "hit")
    assert "Old/a.md" in files_of(vault, "hit", include_excluded=True)
    assert files_of(vault, "hit", "Old/a.md") == ["Old/a.md"]


# Pages and caps


def test_a_page_holds_twenty_files_and_says_how_to_go_on(make_vault: MakeVault) -> None:
    vault = make_vault({f"{number:02}.md": "hit\n" for number in range(45)})
    first = vault.search("hit")
    blocks = [f"# {number:02}.md\n*1|hit" for number in range(20)]
    hint = "Showing files 1-20 of 45. Use skip=20 for the next page, or narrow paths/pattern."
    assert first.text == "\n\n".join([*blocks, hint])
    assert (first.total_files, first.total_is_exact, first.next_skip, first.file_limit_reached) == (45, True, 20, 20)
    assert (first.file_count, first.match_count, first.truncated, first.notices) == (20, 20, True, [hint])
    last = vault.search("hit", skip=40)
    assert last.text == "\n\n".join(f"# {number:02}.md\n*1|hit" for number in range(40, 45))
    assert (last.next_skip, last.file_limit_reached, last.truncated, last.notices) == (None, None, False, [])


def test_pages_add_up_to_all_files(make_vault: MakeVault) -> None:
    vault = make_vault({f"{number:02}.md": "hit\n" for number in range(45)})
    pages = [vault.search("hit", skip=skip).files for skip in (0, 20, 40)]
    assert [file for page in pages for file in page] == [f"{number:02}.md" for number in range(45)]
    assert files_of(vault, "hit", skip=7)[0] == files_of(vault, "hit", skip=7.9)[0] == "07.md"
    assert files_of(vault, "hit", skip="7")[0] == files_of(vault, "hit", skip=7.0)[0] == "07.md"


def test_counting_stops_a_hundred_files_after_the_page(make_vault: MakeVault) -> None:
    vault = make_vault({f"{number:03}.md": "hit\n" for number in range(141)})
    first, second = vault.search("hit"), vault.search("hit", skip=20)
    assert first.text.endswith(
        "\n\nShowing files 1-20 of more than 120. Use skip=20 for the next page, or narrow paths/pattern."
    )
    assert (first.total_files, first.total_is_exact) == (120, False)
    assert second.text.endswith(
        "\n\nShowing files 21-40 of more than 140. Use skip=40 for the next page, or narrow paths/pattern."
    )
    assert vault.search("hit", skip=21).notices == [
        "Showing files 22-41 of 141. Use skip=41 for the next page, or narrow paths/pattern."
    ]


@pytest.mark.parametrize(("pattern", "skip", "total"), [("hit", 2, 2), ("hit", 2**70, 2), ("alone", 1, 1)])
def test_fault_O09_a_page_past_the_end_says_so_and_never_that_there_are_no_matches(
    make_vault: MakeVault, pattern: str, skip: int, total: int
) -> None:
    vault = make_vault({"a.md": "hit\n", "b.md": "hit alone\n"})
    answer = vault.search(pattern, skip=skip)
    files = "1 file" if total == 1 else f"{total} files"
    assert answer.text == f"No more results ({files} total; skip={skip} is past the end)"
    assert (answer.total_files, answer.file_count, answer.next_skip, answer.notices) == (total, 0, None, [])
    assert text_of(vault, "absent", skip=skip) == NOTHING


def test_twenty_matches_of_a_file_are_shown_among_several(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": numbered(21), "b.md": numbered(20), "c.md": numbered(3)})
    answer = vault.search("hit")
    assert answer.file_matches == {"a.md": 20, "b.md": 20, "c.md": 3}
    assert (answer.per_file_limit_reached, answer.truncated, answer.match_count) == (20, True, 43)
    assert answer.text.endswith(
        "\n\nShowing the first 20 matching lines of a.md (21). Search such a file alone for up to 200."
    )
    assert vault.search("hit", ["b.md", "c.md"]).per_file_limit_reached is None


def test_two_hundred_matches_of_a_file_searched_alone_are_shown(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": numbered(3_000), "b.md": numbered(200)})
    answer = vault.search("hit", "a.md")
    notice = "Showing the first 200 of 3,000 matching lines. Narrow the pattern, or use a line range (:N-M)."
    assert answer.text == "\n".join(f"*{number}|hit {number}" for number in range(1, 201)) + f"\n\n{notice}"
    assert (answer.per_file_limit_reached, answer.match_count, answer.notices) == (200, 200, [notice])
    assert text_of(vault, "hit", "a.md:501-").endswith(notice.replace("3,000", "2,500"))
    exact = vault.search("hit", "b.md")
    assert (exact.match_count, exact.per_file_limit_reached, exact.truncated) == (200, None, False)


def test_a_match_that_is_not_shown_as_one_is_not_shown_as_context(make_vault: MakeVault) -> None:
    text = text_of(make_vault({"a.md": "hit\nx\n" * 30, "b.md": ""}), "hit", ["a.md", "b.md"])
    assert text.split("\n\n")[0].split("\n")[-3:] == [" 38|x", "*39|hit", " 40|x"]


def test_a_hot_file_never_hides_later_files(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": numbered(20_000), "b/z.md": "hit\n", "z.md": "hit\n"})
    for paths in (None, "*.md", ["z.md", "a.md", "b/z.md"], ["b", "a.md", "z.md"]):
        assert vault.search("hit", paths).file_matches == {"a.md": 20, "b/z.md": 1, "z.md": 1}


def test_the_text_is_filled_round_robin_to_fifty_kib_and_notices_follow_the_cut(make_vault: MakeVault) -> None:
    vault = make_vault({f"{number:02}.md": f"hit {'ü' * 490}\n" * 21 for number in range(25)})
    answer = vault.search("hit", [".", "gone.md"])
    assert limits.TEXT_BYTES - 2_000 < len(answer.text.encode()) <= limits.TEXT_BYTES
    *sections, notices = answer.text.split("\n\n")
    shown = [section.count("\n*") for section in sections]
    assert len(shown) == 20
    assert max(shown) - min(shown) <= 1
    missing, limit, cut, hint = notices.split("\n")
    assert missing == "Skipped missing paths: gone.md"
    assert limit == (
        "Showing the first 20 matching lines of 00.md (21), 01.md (21), 02.md (21), 03.md (21), 04.md (21) and 15 more."
        " Search such a file alone for up to 200."
    )
    assert cut == f"[Cut at 50 KiB: {20 * 20 - sum(shown)} more lines. Narrow the pattern or the paths.]"
    assert hint == "Showing files 1-20 of 25. Use skip=20 for the next page, or narrow paths/pattern."
    assert (answer.truncated, answer.file_matches["19.md"]) == (True, 20)


# Time


@posix_only
@pytest.mark.parametrize("paths", [None, "a.md", ["a.md", "b.md"], "*.md"])
def test_a_timeout_is_reported_and_never_says_that_there_are_no_matches(
    make_vault: MakeVault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, paths: str | list[str] | None
) -> None:
    real = ripgrep.locate().command
    slow = tmp_path / "rg"
    begun = tmp_path / "begun"
    checked = f'case "$* " in --version*|*" - ") exec {real} "$@";; esac'  # a check of version or pattern
    body = f"{checked}\ntouch {begun}\nexec sleep 600\n"
    slow.write_text(f"#!/bin/sh\n{body}", encoding="utf-8")
    slow.chmod(0o755)
    files = {"a.md": "hit\n", "b.md": "hit\n"} if paths != "a.md" else {"a.md": "hit\n"}
    vault = again(make_vault(files), rg=str(slow), time_limit=LIMIT)
    time_runs_out_when(monkeypatch, begun.exists)
    answer = vault.search("h[ij]t", paths, cancel=Event())
    left = f"{len(files)} file{'s' if len(files) > 1 else ''}"
    by_paths = "paths" if isinstance(paths, list) else "paths to the files from a.md on"
    narrow = "pattern" if paths == "a.md" else by_paths
    assert answer.text == (
        f"No matches in the 0 files searched; the search is incomplete: stopped after 60 s, {left} not searched.\n\n"
        f"To go on, narrow {narrow}, or raise time_limit in the configuration."
    )
    assert (answer.complete, answer.total_files, answer.searched) == (False, 0, 0)


@posix_only
@pytest.mark.scan_only
def test_what_was_found_before_a_timeout_is_shown(
    make_vault: MakeVault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = ripgrep.locate().command
    slow = tmp_path / "rg"
    late = f'touch "{tmp_path}/late"; exec sleep 600'
    other = f'mkdir "{tmp_path}/busy.$$"; {real} "$@"; status=$?; rmdir "{tmp_path}/busy.$$"; exit $status'
    slow.write_text(f'#!/bin/sh\ncase "$*" in *late.md*) {late};; esac\n{other}\n', encoding="utf-8")
    slow.chmod(0o755)
    vault = make_vault({f"{number:03}.md": "hit\n" for number in range(192)} | {"late.md": "hit\n"})

    def only_the_late_one_runs() -> bool:
        return (tmp_path / "late").exists() and not list(tmp_path.glob("busy.*"))

    time_runs_out_when(monkeypatch, only_the_late_one_runs)
    answer = again(vault, rg=str(slow), time_limit=LIMIT).search("hit", "*.md", skip=180, cancel=Event())
    assert answer.file_count == 12
    way_on = "To go on, narrow paths to the files from late.md on, or raise time_limit in the configuration."
    assert answer.text.endswith(f"\n\nThe search is incomplete: stopped after 60 s, 1 file not searched.\n{way_on}")
    (tmp_path / "late").unlink()
    time_runs_out_when(monkeypatch, only_the_late_one_runs)
    past = again(vault, rg=str(slow), time_limit=LIMIT).search("hit", "*.md", skip=500, cancel=Event())
    assert past.text == (
        "No more results (192 files total; skip=500 is past the end)\n"
        "\n"
        f"The search is incomplete: stopped after 60 s, 1 file not searched.\n{way_on}"
    )


# Hashline mode


def test_hashline_mode_shows_a_tag_for_each_file(make_vault: MakeVault) -> None:
    files = {"a.md": "1\nhit\n3\n4\n5\n6\n7\nhit\n", "b.md": "hit\n"}
    vault = again(make_vault(files), hashline=True)
    a, b = content_caches.tag(files["a.md"]), content_caches.tag(files["b.md"])
    assert text_of(vault, "hit", "a.md") == (f"¶a.md#{a}\n 1:1\n*2:hit\n 3:3\n 4:4\n 5:5\n...\n 7:7\n*8:hit")
    assert text_of(vault, "hit", ["b.md", "a.md:1-2"]) == f"# b.md#{b}\n*1:hit\n\n# a.md#{a}\n 1:1\n*2:hit"
    assert text_of(vault, "hit", "b*.md") == f"# b.md#{b}\n*1:hit"


def test_a_tag_leads_back_to_the_text_and_tells_whether_it_changed(make_vault: MakeVault) -> None:
    text = "Ünï hit  \r\nx\r\n"
    vault = again(make_vault({"a.md": text}), hashline=True)
    tag = vault.search("hit", "a.md").text[6:10]
    assert tag == content_caches.tag(text) and re.fullmatch("[0-9A-F]{4}", tag)
    assert vault.snapshot("a.md", tag) == Snapshot("Ünï hit  \nx\n", changed=False)
    (vault.path / "a.md").write_text("Ünï hit\nx\n", encoding="utf-8", newline="")
    assert vault.snapshot("a.md", tag) == Snapshot("Ünï hit  \nx\n", changed=False)
    (vault.path / "a.md").write_text("Ünï hit\ny\n", encoding="utf-8", newline="")
    assert vault.snapshot("a.md", tag) == Snapshot("Ünï hit  \nx\n", changed=True)
    (vault.path / "a.md").unlink()
    assert vault.snapshot("a.md", tag) == Snapshot("Ünï hit  \nx\n", changed=True)
    assert vault.snapshot("a.md", "0000") is None
    assert vault.snapshot("b.md", tag) is None


def test_plain_mode_keeps_no_texts(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "hit\n"})
    vault.search("hit")
    assert vault.snapshot("a.md", content_caches.tag("hit\n")) is None


def test_virtual_texts_and_members_of_archives_have_no_anchors(make_vault: MakeVault) -> None:
    vault = again(make_vault({"a.md": "hit\n", "b.zip": packed("b.zip", [("m.md", b"hit\n")])}), hashline=True)
    vault.register_resolver("mail", lambda url: [Virtual(url, "x\nhit\n")])
    tag = content_caches.tag("hit\n")
    assert text_of(vault, "hit", ["a.md", "mail://x", "b.zip:m.md"]) == (
        f"# a.md#{tag}\n*1:hit\n\n# mail://x\n 1|x\n*2|hit\n\n# b.zip:m.md\n*1|hit"
    )
    assert text_of(vault, "hit", "mail://x") == " 1|x\n*2|hit"
    assert vault.snapshot("mail://x", content_caches.tag("x\nhit\n")) is None


# Archives


MEMBERS = {
    "2024/a.md": "1\n2\nhit ü\n4\n".encode(),
    "b.md": b"hit\r\nhit\r\n",
    "bin.md": b"hit\x00",
    "latin.md": b"hit \xff\n",
}
ARCHIVES = {name: packed(name, MEMBERS.items()) for name in ("notes.zip", "notes.tar", "notes.tar.gz", "sub/notes.TGZ")}


@pytest.mark.parametrize("archive", ARCHIVES)
def test_fault_Z02_members_of_archives_are_searched_and_nothing_is_left_on_disk(
    make_vault: MakeVault, archive: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault(ARCHIVES)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    before = sorted(vault.path.rglob("*"))
    assert text_of(vault, "hit", f"{archive}:2024/a.md") == " 2|2\n*3|hit ü\n 4|4"
    assert text_of(vault, "hit", f"{archive}:b.md:2-2") == "*2|hit"
    assert text_of(vault, "hit", [f"{archive}:b.md:2", f"{archive}:2024/a.md:3-3"]) == (
        f"# {archive}:b.md\n*2|hit\n\n# {archive}:2024/a.md\n*3|hit ü"
    )
    assert text_of(vault, "hit", f"{archive}:bin.md") == (f"Cannot search archive member(s): {archive}:bin.md (binary)")
    assert list(scratch.iterdir()) == []
    assert sorted(vault.path.rglob("*")) == before


def test_a_member_that_cannot_be_read_among_others_is_reported(make_vault: MakeVault) -> None:
    vault = make_vault({"n.zip": ARCHIVES["notes.zip"], "a.md": "hit\n", "broken.zip": b"PK\x03\x04 no zip"})
    answer = vault.search("hit", ["n.zip:latin.md", "a.md", "n.zip:gone.md", "n.zip:b.md:1-1"])
    assert answer.text == (
        "# a.md\n*1|hit\n\n# n.zip:b.md\n*1|hit\n\n"
        "Cannot search archive member(s): n.zip:latin.md (not UTF-8), n.zip:gone.md (Archive file 'gone.md' not found)"
        "\nThe search is incomplete: 1 file unreadable (n.zip:latin.md)."
    )
    assert answer.files == ["a.md", "n.zip:b.md"]
    assert text_of(vault, "hit", ["n.zip:bin.md", "broken.zip:x.md"]) == (
        "Cannot search archive member(s): n.zip:bin.md (binary), broken.zip:x.md (not a readable archive)"
    )
    assert text_of(vault, "absent", ["n.zip:b.md", "n.zip:gone.md"]) == (
        f"{NOTHING}\n\nCannot search archive member(s): n.zip:gone.md (Archive file 'gone.md' not found)"
    )


def test_fault_Z01_an_archive_bomb_is_refused_by_its_size(make_vault: MakeVault) -> None:
    vault = make_vault({"bomb.zip": packed("b.zip", [("a.md", b"hit\n" * 5_000_000)])})
    refusal = text_of(vault, "hit", "bomb.zip:a.md")
    assert refusal.startswith("Cannot search archive member(s): bomb.zip:a.md (too large: ")
    assert refusal.endswith("at most 10 MB)")


@posix_only
def test_an_archive_behind_a_link_out_of_the_vault_is_refused(make_vault: MakeVault, tmp_path: Path) -> None:
    vault = make_vault({"a.md": "x\n"})
    (tmp_path / "out.zip").write_bytes(packed("b.zip", [("a.md", b"CANARY")]))
    (vault.path / "in.zip").symlink_to(tmp_path / "out.zip")
    assert text_of(vault, "CANARY", "in.zip:a.md") == "Path is outside the vault: in.zip"


# Details


NO_DETAILS: dict[str, object] = {
    "complete": True,
    "searched": 2,
    "passed_over": [{"kind": "ignored", "count": 1, "examples": ["e.md"]}],
    "notices": ["Passed over: 1 ignored (e.md)."],
    "scope_path": ".",
    "match_count": 0,
    "file_count": 0,
    "files": [],
    "file_matches": {},
    "pages": {},
    "file_limit_reached": None,
    "per_file_limit_reached": None,
    "lines_truncated": False,
    "truncated": False,
    "missing_paths": [],
    "total_files": 0,
    "total_is_exact": True,
    "next_skip": None,
}


def test_the_details_hold_every_field_with_and_without_matches(make_vault: MakeVault) -> None:
    vault = make_vault(
        {"a.md": numbered(22), "b/c.md": "x\nhit\n", "b/d.md": "x\n", ".gitignore": "e.md", "e.md": "none"}
    )
    result = vault.call("search", {"pattern": "hit", "paths": ["b", "a.md", "gone.md", "b"]})
    missing = "Skipped missing paths: gone.md"
    limit = "Showing the first 20 matching lines of a.md (22). Search such a file alone for up to 200."
    assert result.details == NO_DETAILS | {
        "searched": 3,
        "passed_over": [],
        "notices": [missing, limit],
        "scope_path": "b, a.md",
        "match_count": 21,
        "file_count": 2,
        "files": ["a.md", "b/c.md"],
        "file_matches": {"a.md": 20, "b/c.md": 1},
        "per_file_limit_reached": 20,
        "truncated": True,
        "missing_paths": ["gone.md"],
        "total_files": 2,
    }
    assert result.text.endswith(f"\n\n{missing}\n{limit}")
    assert vault.call("search", {"pattern": "none"}).details == NO_DETAILS | {"searched": 4}


def test_another_case_is_reported_for_lines_of_a_file_beside_a_folder_without_it(make_vault: MakeVault) -> None:
    vault = make_vault({"b.md": "HIT\n"} | {f"a/{number}.md": "x\n" for number in range(250)})
    assert vault.search("hit", ["a", "b.md:1-1"]).notices == ["1 file matches when case is ignored."]


def test_lines_past_the_end_of_a_file_are_reported(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "hit\nhit\n", "b.md": "hit\n", "c.md": "none\n"})
    answer = vault.search("hit", ["a.md:2000-", "b.md:1-9", "c.md:5"])
    assert (answer.file_matches, answer.notices) == ({"b.md": 1}, [])
    answer = vault.search("hit", ["a.md:2000-", "c.md:1-9"])
    assert answer.text == "No matches found\n\nLine 2000 is past the end: a.md has 2 lines."
