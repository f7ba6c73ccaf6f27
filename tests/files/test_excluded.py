"""Excluded files: what `app.json` may hold, and what it excludes from a search (rule-E02 to rule-E07)."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from tests.conftest import MakeVault
from tests.passed_over import counts
from vaulttools import Vault, VaultConfig
from vaulttools.answers.answer import Omission
from vaulttools.files import settings
from vaulttools.files.settings import DEFAULT_FILES, DEFAULT_FOLDERS, Excluded
from vaulttools.matching.ripgrep import Ripgrep

posix_only = pytest.mark.not_on_windows("no pipe is a file of a folder there")

DAILY = ("Daily/2024-01-02.md", "Daily/2025-01-02.md")
NOTES = dict.fromkeys(("Archive/a.md", "Archive/b/c.md", "Projects/archive.md", *DAILY, "x.md", "É.md"), "needle\n")


def app_json(*entries: object) -> str:
    """The settings with these filters."""
    return json.dumps({"userIgnoreFilters": list(entries)})


def left(vault: Vault, **arguments: bool | str) -> list[str]:
    """The notes that a search reaches."""
    return [file.path for file in vault.search_files("needle", max_results=100, **arguments).files]  # type: ignore[arg-type]


# What the settings say


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([], Excluded()),
        (["Archive/"], Excluded(texts=("archive/",))),
        (["É", "E\u0301"], Excluded(texts=("é", "é"))),
        ([r"/^Daily\/2024/"], Excluded(patterns=(r"^Daily\/2024",))),
        (["//", "/"], Excluded(texts=("//", "/"))),
        (["/a/", "/b"], Excluded(("/b",), ("a",))),
        (["", None, 3, ["x"], "y"], Excluded(texts=("y",))),
    ],
)
def test_rule_E06_an_entry_is_plain_text_or_a_regex_between_slashes(
    tmp_path: Path, entries: list[object], expected: Excluded
) -> None:
    (tmp_path / "app.json").write_text(app_json(*entries), encoding="utf-8")
    assert settings.excluded(tmp_path) == expected


@pytest.mark.parametrize(
    "written",
    [
        *(b"", b"{", b"[]", b"null", b"3", b'"x"', b"\xff\xfe", b"[" * 100_000, b'{"a":' * 100_000),
        *(b'{"userIgnoreFilters": %s}' % given for given in (b"null", b'"Archive/"', b'{"a": 1}')),
        b'{"userIgnoreFilter": ["Archive/"]}',
    ],
)
def test_settings_that_obsidian_would_not_write_exclude_nothing(tmp_path: Path, written: bytes) -> None:
    (tmp_path / "app.json").write_bytes(written)
    assert settings.excluded(tmp_path) == Excluded()


def test_a_vault_without_settings_excludes_nothing(tmp_path: Path) -> None:
    assert settings.excluded(tmp_path / "absent") == Excluded()
    (tmp_path / "app.json").mkdir()
    assert settings.excluded(tmp_path) == Excluded()


@posix_only
def test_settings_that_are_a_fifo_are_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "app.json")
    assert settings.excluded(tmp_path) == Excluded()


@pytest.mark.parametrize(
    ("entry", "path", "covered"),
    [
        ("archive/", "Archive/a.md", True),
        ("archive/", "my archive/a.md", True),
        ("archive/", "archive.md", False),
        ("archive/", "a/archive", False),
        ("a.md", "b/a.md", True),
        ("a.md", "b/A.MD", True),
        (".md", "x.md", True),
        ("*", "a.md", False),
        ("é", "E\u0301.md", True),
    ],
)
def test_rule_E06_a_plain_entry_is_looked_for_anywhere_in_the_path(entry: str, path: str, covered: bool) -> None:
    text = settings.Excluded(texts=(entry,))
    assert text.covers(path) is covered


def test_a_folder_is_covered_when_everything_below_it_is() -> None:
    rules = Excluded(texts=("archive/",))
    assert rules.covers("Archive", is_folder=True)
    assert not rules.covers("Archived", is_folder=True)
    assert not Excluded(texts=("archive/a",)).covers("Archive", is_folder=True)


# Through a vault


@pytest.mark.parametrize(
    ("entries", "out"),
    [
        pytest.param([], set(), id="none"),
        pytest.param(["Archive/"], {"Archive/a.md", "Archive/b/c.md"}, id="folder"),
        pytest.param(["archive"], {"Archive/a.md", "Archive/b/c.md", "Projects/archive.md"}, id="any part, any case"),
        pytest.param(["Daily/2024-01-02.md", "x.md"], {"Daily/2024-01-02.md", "x.md"}, id="files"),
        pytest.param(["e\u0301"], {"É.md"}, id="unicode form"),
        pytest.param([r"/^Daily\/2024-/"], {"Daily/2024-01-02.md"}, id="regex"),
        pytest.param(["/^archive/"], {"Archive/a.md", "Archive/b/c.md"}, id="regex ignores case"),
        pytest.param([r"/\d{4}-\d\d/"], {"Daily/2024-01-02.md", "Daily/2025-01-02.md"}, id="regex classes"),
        pytest.param(["/^x\\.md$/", "Daily/"], {"x.md", "Daily/2024-01-02.md", "Daily/2025-01-02.md"}, id="both kinds"),
        pytest.param(["/(?<!b/)c.md/", "/^(?!.*q)x/"], {"x.md"}, id="look-around"),
        pytest.param(["/./"], set(NOTES), id="everything"),
        pytest.param(["//"], set(), id="two slashes are text"),
    ],
)
def test_rule_E05_E06_excluded_files_are_out_unless_requested(
    make_vault: MakeVault, entries: list[str], out: set[str]
) -> None:
    vault = make_vault({**NOTES, ".obsidian/app.json": app_json(*entries)})
    everything = sorted(NOTES, key=str.encode)
    assert left(vault) == [path for path in everything if path not in out]
    assert left(vault, include_excluded=True) == everything
    found = vault.search_files("needle")
    assert found.complete
    assert set(counts(found)) == ({"excluded"} if out else set())


def test_rule_E04_excluded_notes_are_out_of_every_view_but_links_to_them_still_resolve(
    make_vault: MakeVault,
) -> None:
    old = "---\nstatus: old\n---\n#old name [[name]]"
    files = {"Archive/a.md": old, "name.md": "[[a]]", ".obsidian/app.json": app_json("Archive/")}
    vault = make_vault(files)
    assert vault.query("old", mode="obsidian").notes == []
    assert [note.path for note in vault.query("old", mode="obsidian", include_excluded=True).notes] == ["Archive/a.md"]
    assert (vault.tags().tags, vault.properties().properties) == ([], [])
    assert vault.links(note="name", direction="mentions").links == []
    assert vault.links(note="name", direction="back").links == []
    assert [(link.target, link.resolved) for link in vault.links(note="name").links] == [("Archive/a.md", True)]
    assert vault.read("a").path == "Archive/a.md"


def test_an_excluded_file_named_exactly_is_searched(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, ".obsidian/app.json": app_json("Archive/", "/^x/")})
    for path in ("Archive/a.md", "x.md"):
        assert left(vault, file_pattern=path) == [path]
    assert left(vault, file_pattern="Archive/*.md") == left(vault, file_pattern="x*") == []


def test_a_configuration_may_switch_the_exclusion_off(make_vault: MakeVault) -> None:
    path = make_vault({**NOTES, ".obsidian/app.json": app_json("Archive/", "/x/")}).path
    assert left(Vault.open(path, config=VaultConfig(respect_excluded=False))) == sorted(NOTES, key=str.encode)


def test_the_settings_are_read_anew_by_every_call(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, ".obsidian/app.json": app_json()})
    before = left(vault)
    (vault.path / ".obsidian" / "app.json").write_text(app_json("x.md"), encoding="utf-8")
    assert left(vault) == [path for path in before if path != "x.md"]


def test_rule_E03_settings_in_a_config_folder_of_another_name_hold(make_vault: MakeVault) -> None:
    assert "x.md" not in left(make_vault({**NOTES, ".my-config/app.json": app_json("x.md")}))


def test_the_settings_of_the_configured_config_folder_hold(make_vault: MakeVault) -> None:
    files = {".obsidian/app.json": app_json("Archive/"), ".laptop/app.json": app_json("x.md")}
    path = make_vault({**NOTES, **files}).path
    assert "x.md" not in left(Vault.open(path, config=VaultConfig(config_folder=".laptop")))
    assert "x.md" in left(Vault.open(path, config=VaultConfig()))


@pytest.mark.parametrize("entry", ["/(/", "/a{9999999}/", "/[/", "/\ud800/", "/a\0b/", r"/\8/", "/(?<n>a)(?<n>b)/"])
def test_an_invalid_regex_excludes_nothing_and_is_reported_once(make_vault: MakeVault, entry: str) -> None:
    vault = make_vault({**NOTES, ".obsidian/app.json": app_json(entry, entry, "x.md")})
    found = vault.search_files("needle", max_results=100)
    assert [file.path for file in found.files] == [path for path in sorted(NOTES, key=str.encode) if path != "x.md"]
    refusals = [notice for notice in found.notices if "ripgrep cannot read a /regex/" in notice]
    assert len(refusals) == 1
    json.dumps(found.model_dump(mode="json"), ensure_ascii=False).encode()


def test_an_excluded_folder_counts_once_and_a_regex_counts_each_file(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, ".obsidian/app.json": app_json("Archive/", "/^Daily/")})
    assert vault.search_files("absent").passed_over == [
        Omission(kind="excluded", count=3, examples=["Archive", "Daily/2024-01-02.md", "Daily/2025-01-02.md"])
    ]


@pytest.mark.parametrize("reason", ["time limit", "ripgrep died"])
def test_a_file_is_not_shown_when_matching_the_regexes_was_cut_off(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    vault = make_vault({**NOTES, ".obsidian/app.json": app_json("/^Daily/")})
    monkeypatch.setattr(Ripgrep, "lines_matching", lambda self, entry, paths, work: ({paths.index("x.md")}, reason))
    for answer in (vault.search_files("needle"), vault.search("needle"), vault.grep("needle"), vault.find("*.md")):
        assert (answer.found, answer.complete) == (False, False)
        assert counts(answer) == {"excluded": 1, reason: 6}
    assert vault.find(["*.md", "x.md"]).files == ["x.md"]


def test_a_name_with_a_line_feed_is_one_path_to_a_regex(make_vault: MakeVault) -> None:
    if sys.platform == "win32":
        pytest.skip("no such name")
    vault = make_vault(
        {"a\nx.md": "needle", "b.md": "needle", "c.md": "needle", ".obsidian/app.json": app_json("/^b/")}
    )
    assert left(vault) == ["a\nx.md", "c.md"]


# The default excludes, compared with a whole-path reading by pathspec

SPEC = GitIgnoreSpec.from_lines([*(f"{name}/" for name in DEFAULT_FOLDERS), *DEFAULT_FILES])
NAMES = st.sampled_from(
    [*sorted(DEFAULT_FOLDERS), "Build", "x.build", "a.log", "a.LOG", "a.log.md", ".log", "x.min.js", "min.js", "map"]
)
NAME = NAMES | st.text(st.characters(codec="utf-8", exclude_characters="/\0\n"), min_size=1, max_size=8).filter(
    lambda name: name not in (".", "..")
)


@given(st.lists(NAME, min_size=1, max_size=4))
def test_a_walk_that_asks_by_name_decides_as_pathspec_does_by_path(names: list[str]) -> None:
    *folders, name = names
    left_out = any(settings.is_default(folder, is_folder=True) for folder in folders)
    assert (left_out or settings.is_default(name, is_folder=False)) == SPEC.match_file("/".join(names))


@pytest.mark.parametrize(
    ("path", "folder"),
    [("", None), ("a/b", None), ("build", "build"), ("a/tmp/b/dist", "a/tmp"), ("Build/tmp.md", None)],
)
def test_the_left_out_folder_of_a_path(path: str, folder: str | None) -> None:
    assert settings.default_folder_of(path) == folder
