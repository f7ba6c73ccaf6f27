"""Ignore rules as `search`, `find` and `grep` follow them: which files they leave out, and what they say.

That each decision is git's is shown in `tests/files/test_ignores.py` and, for whole trees, in `test_against_git.py`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.conftest import MakeVault
from tests.passed_over import examples
from tests.tools.conftest import posix_only
from vaulttools import Vault


def seen(vault: Vault, path: str = ".", *, gitignore: bool = True) -> set[str]:
    """The notes that all three tools see below a path; they must agree."""
    pattern = "hit"
    listed = {file for file in vault.find(path, gitignore=gitignore).files if file.endswith(".md")}
    assert set(vault.search(pattern, [path, path], gitignore=gitignore).files) == listed
    assert {match.path for match in vault.grep(pattern, path, gitignore=gitignore).matches} == listed
    return listed


def notes(*names: str) -> dict[str, str]:
    """Notes that all match."""
    return dict.fromkeys(names, "hit\n")


def test_fault_T06_nested_files_negation_and_anchors_decide_as_in_git(make_vault: MakeVault) -> None:
    vault = make_vault(
        {
            ".gitignore": "drafts/\n*.tmp.md\n!keep.tmp.md\n/top.md\n# comment\n\ndeep/**/x.md\n",
            "a/.gitignore": "!b.tmp.md\nonly-here.md\n",
            **notes("a.md", "x.tmp.md", "keep.tmp.md", "top.md", "a/top.md", "drafts/d.md", "a/drafts/d.md"),
            **notes("a/b.tmp.md", "a/only-here.md", "only-here.md", "deep/1/2/x.md", "deep/y.md"),
        }
    )
    assert seen(vault) == {"a.md", "keep.tmp.md", "a/top.md", "a/b.tmp.md", "only-here.md", "deep/y.md"}


def test_later_kinds_of_ignore_files_win(make_vault: MakeVault) -> None:
    vault = make_vault(
        {
            ".git/info/exclude": "e.md\ng.md\n",
            ".gitignore": "!g.md\na.md\nb.md\n",
            ".ignore": "!a.md\nc.md\n",
            ".rgignore": "!c.md\nd.md\n",
            **notes("a.md", "b.md", "c.md", "d.md", "e.md", "g.md", "x.md"),
        }
    )
    assert seen(vault) == {"a.md", "c.md", "g.md", "x.md"}


def test_gitignore_false_brings_back_all_but_node_modules(make_vault: MakeVault) -> None:
    vault = make_vault(
        {
            ".git/info/exclude": "a.md\n",
            ".gitignore": "b.md\nout/\n",
            ".ignore": "c.md\n",
            **notes("a.md", "b.md", "c.md", "out/d.md", "node_modules/e.md"),
        }
    )
    assert seen(vault) == set()
    assert seen(vault, gitignore=False) == {"a.md", "b.md", "c.md", "out/d.md"}


def test_node_modules_is_pruned_at_any_depth_unless_a_path_names_it(make_vault: MakeVault) -> None:
    vault = make_vault(notes("a.md", "node_modules/b.md", "x/node_modules/y/c.md", "my_node_modules.md"))
    assert seen(vault) == {"a.md", "my_node_modules.md"}
    assert examples(vault.search("hit"))["ignored"] == ["node_modules", "x/node_modules"]
    assert vault.search("absent").notices == ["Passed over: 2 ignored (node_modules, x/node_modules)."]
    assert seen(vault, "node_modules") == {"node_modules/b.md"}
    assert seen(vault, "x/node_modules/y") == {"x/node_modules/y/c.md"}
    assert vault.search("hit", "x/node_modules/**").files == ["x/node_modules/y/c.md"]


def test_a_folder_named_exactly_is_searched_and_the_rules_inside_it_hold(make_vault: MakeVault) -> None:
    vault = make_vault(
        {
            ".gitignore": "out/\n*.tmp.md\n",
            "out/.gitignore": "secret.md\n",
            "out/in/.gitignore": "more.md\n",
            **notes("out/a.md", "out/secret.md", "out/b.tmp.md", "out/in/c.md", "out/in/more.md", "x/d.tmp.md"),
        }
    )
    assert seen(vault) == set()
    assert seen(vault, "out") == {"out/a.md", "out/b.tmp.md", "out/in/c.md"}
    assert seen(vault, "out/in") == {"out/in/c.md"}
    assert seen(vault, "x") == set()
    assert vault.search("hit", "out/*.md").files == ["out/a.md", "out/b.tmp.md"]


@pytest.mark.parametrize("name", ["out/a.md", "b.tmp.md", "out/secret.md"])
def test_a_file_named_exactly_is_searched_whatever_ignores_it(make_vault: MakeVault, name: str) -> None:
    files = notes("out/a.md", "b.tmp.md", "out/secret.md")
    vault = make_vault({".gitignore": "out/\n*.tmp.md\n", "out/.gitignore": "secret.md\n", **files})
    assert vault.search("hit", name).text == "*1|hit"
    assert vault.find(name).files == [name]
    assert vault.grep("hit", name).text == f"{name}:1: hit"


def test_search_files_sees_what_obsidian_sees(make_vault: MakeVault) -> None:
    vault = make_vault({".gitignore": "*\n", **notes("a.md", "node_modules/b.md")})
    assert [file.path for file in vault.search_files("hit").files] == ["a.md", "node_modules/b.md"]
    assert seen(vault) == set()


# Above the vault


def vault_in(folder: Path, files: Mapping[str, str]) -> Vault:
    """The vault `v/notes` below a folder with other files."""
    for name, text in {**files, **notes("v/notes/a.md", "v/notes/b.md", "v/notes/sub/c.md")}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Vault.open(folder / "v" / "notes")


REPOSITORY = {".git/HEAD": "ref: refs/heads/main\n"}


def test_rules_above_the_vault_hold_inside_a_repository(tmp_path: Path) -> None:
    rules = {".gitignore": "b.md\n", "v/.ignore": "/notes/sub/\n", ".git/info/exclude": "d.md\n"}
    assert seen(vault_in(tmp_path / "1", REPOSITORY | rules)) == {"a.md"}
    assert seen(vault_in(tmp_path / "1", {}), gitignore=False) == {"a.md", "b.md", "sub/c.md"}


def test_rules_above_the_vault_do_not_hold_without_a_repository(tmp_path: Path) -> None:
    assert seen(vault_in(tmp_path, {".gitignore": "b.md\n", "v/.ignore": "*\n"})) == {"a.md", "b.md", "sub/c.md"}


def test_rules_above_a_repository_do_not_hold(tmp_path: Path) -> None:
    files = {".gitignore": "*\n", "v/.git/HEAD": "", "v/.gitignore": "b.md\n"}
    assert seen(vault_in(tmp_path, files)) == {"a.md", "sub/c.md"}


@pytest.mark.parametrize("rule", ["*\n", "v/\n", "notes\n", "/v/notes/\n", "v/*\n"])
def test_rules_that_would_ignore_the_vault_itself_do_not_empty_it(tmp_path: Path, rule: str) -> None:
    vault = vault_in(tmp_path, REPOSITORY | {".gitignore": rule, "v/.gitignore": "", "v/notes/.gitignore": "b.md\n"})
    assert seen(vault) == {"a.md", "sub/c.md"}
    assert vault.search("hit").notices == []


def test_global_excludes_do_not_apply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    (home / ".config" / "git").mkdir(parents=True)
    (home / ".config" / "git" / "ignore").write_text("*\n", encoding="utf-8")
    (home / ".gitconfig").write_text(f"[core]\n\texcludesFile = {home}/.config/git/ignore\n", encoding="utf-8")
    (home / ".ripgreprc").write_text("--glob=!*\n", encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(home / ".ripgreprc"))
    assert seen(vault_in(tmp_path / "r", REPOSITORY)) == {"a.md", "b.md", "sub/c.md"}


# Faults


def test_fault_T07_a_bad_line_is_one_warning_and_the_others_hold(make_vault: MakeVault) -> None:
    vault = make_vault(
        {".gitignore": "bad\\\nb.md\n[x\n", "s/.ignore": "c.md\nd[\n", **notes("a.md", "b.md", "s/c.md")}
    )
    warnings = [
        ".gitignore:1: the line ignores nothing: it ends in a lone backslash",
        ".gitignore:3: the line ignores nothing: it holds a [ without ]",
        "s/.ignore:2: the line ignores nothing: it holds a [ without ]",
    ]
    assert seen(vault) == {"a.md"}
    for answer in (vault.search("hit"), vault.grep("hit"), vault.find("*.md"), vault.search("hit", ["s", ".", "s"])):
        assert sorted(answer.notices) == warnings
        assert all(warning in answer.text for warning in warnings)
    assert vault.search("hit", gitignore=False).notices == []


def test_a_file_of_bad_lines_is_reported_in_a_few_sentences(make_vault: MakeVault) -> None:
    vault = make_vault({".gitignore": "bad\\\n" * 10_000 + "b.md\n", **notes("a.md", "b.md")})
    assert seen(vault) == {"a.md"}
    notices = vault.search("hit").notices
    assert len(notices) == 21
    assert notices[-1] == ".gitignore: 9,980 more lines ignore nothing"


def test_fault_T09_byte_order_marks_and_crlf_do_no_harm(make_vault: MakeVault) -> None:
    vault = make_vault({".gitignore": b"\xef\xbb\xbfa.md\r\nb.md\r\n", **notes("a.md", "b.md", "c.md")})
    assert seen(vault) == {"c.md"}


@posix_only
def test_fault_T08_an_ignore_file_that_cannot_be_used_is_reported(make_vault: MakeVault, tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("*\n", encoding="utf-8")
    vault = make_vault({**notes("a.md", "x/a.md"), "big/.gitignore": "*\n" * 600_000, **notes("big/a.md")})
    (vault.path / ".gitignore").symlink_to(tmp_path / "rules")
    (vault.path / "x" / ".ignore").mkdir()
    os.mkfifo(vault.path / ".rgignore")
    assert vault.search("hit").files == ["a.md", "big/a.md", "x/a.md"]
    assert vault.search("hit").notices == [
        ".gitignore: skipped, it is a symlink",
        ".rgignore: skipped, it is no regular file",
        "big/.gitignore: skipped, it is larger than 1 MiB",
        "x/.ignore: skipped, it is a folder",
        "Passed over: 1 link that is not followed (.gitignore).",
    ]


@posix_only
def test_a_warning_is_one_line_whatever_the_folder_is_called(make_vault: MakeVault) -> None:
    vault = make_vault({"x\n*1|forged\x1b[2K/.gitignore": "bad\\\n", **notes("a.md")})
    tail = "x\\x0a*1|forged\\x1b[2K/.gitignore:1: the line ignores nothing: it ends in a lone backslash"
    assert vault.search("hit").text == f"# a.md\n*1|hit\n\n{tail}"
    assert vault.find("*.md").text == f"a.md\n\n[{tail}]"
    assert vault.grep("hit").text == f"a.md:1: hit\n\n[{tail}]"
