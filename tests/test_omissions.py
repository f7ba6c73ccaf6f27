"""Every tool tells every kind of omission that concerns it: the table in `docs/reliability.md` is what these calls say.

`pytest tests/test_omissions.py --update-transcripts` writes the table; the diff is reviewed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from tests.conftest import write_files
from tests.passed_over import examples
from tests.test_docs import REPOSITORY
from vaulttools import Vault, VaultConfig, tools
from vaulttools.core.work import PROPERTIES
from vaulttools.files import disk

pytestmark = pytest.mark.not_on_windows("Windows lets not every user make links")

PAGE: Final = REPOSITORY / "docs" / "reliability.md"
_TABLE: Final = re.compile(r"^\|tool\|(?:.*\|\n)+", re.MULTILINE)

COPY: Final = "plan.sync-conflict-20241121-120000.md"
NOTE: Final = "---\ntags: [proj]\nstatus: open\n---\n# Plan\n\nneedle [[gone]]\n- [ ] needle #proj\n"
FILES: Final = {
    "plan.md": NOTE,
    COPY: NOTE,
    "broken.md": "---\ntitle: Meeting: the plan\nstatus: open\ntags: [proj]\n---\nneedle [[plan]] #proj\n",
    "costly.md": "a" * 40 + "!\n",
    "easy.md": "aa\n",
    "Closed/in.md": NOTE,
    "Archive/old.md": NOTE,
    "Private/diary.md": NOTE,
    ".obsidian/app.json": '{"userIgnoreFilters": ["Archive/"]}',
}
COSTLY: Final = "(?=a)(aa?)+$"
"""Takes PCRE2 beyond its limit in `costly.md`, and matches in `easy.md`."""

KINDS: Final = {
    "link": ("symlink", "Linked"),
    "properties": (PROPERTIES, "broken.md"),
    "folder": ("unreadable", "Closed"),
    "pattern": ("pattern too costly", "costly.md"),
    "rules": ("excluded", "Archive"),
    "copy": ("", COPY),
}
"""By column of the table: the kind in the details, and what is named. A linked folder, a note with broken YAML, a
folder that cannot be listed, one that costs a pattern too much, an excluded folder, a conflict copy that is shown."""


class Calls(NamedTuple):
    """The arguments of one tool: a call that finds something and one that finds nothing, the same with a filter by tags
    or properties, and a call with a costly pattern. None: the tool has no such call."""

    found: Mapping[str, Any]
    nothing: Mapping[str, Any] | None
    filtered: Mapping[str, Any] | None = None
    costly: Mapping[str, Any] | None = None


TAGS: Final = {"tags": ["proj"]}
CALLS: Final[dict[str, Calls]] = {
    "search_files": Calls(
        {"pattern": "needle"},
        {"pattern": "nowhere"},
        {"pattern": "needle", "properties": {"status": "open"}},
        {"pattern": COSTLY},
    ),
    "search": Calls({"pattern": "needle"}, {"pattern": "nowhere"}, None, {"pattern": COSTLY}),
    "grep": Calls({"pattern": "needle"}, {"pattern": "nowhere"}, None, {"pattern": COSTLY}),
    "find": Calls({"paths": ["*.md"]}, {"paths": ["*.nowhere"]}),
    "query": Calls({"query": "needle"}, {"query": "nowhere"}, {"query": "needle"} | TAGS),
    "query, obsidian": Calls(
        {"query": "needle", "mode": "obsidian"},
        {"query": "nowhere", "mode": "obsidian"},
        {"query": "[status:open]", "mode": "obsidian"},
        {"query": f"/{COSTLY}/", "mode": "obsidian"},
    ),
    "context": Calls({"question": "needle"}, {"question": "nowhere"}, {"question": "needle"} | TAGS),
    "tags": Calls({}, {"name": "nowhere"}, {}),
    "properties": Calls({}, {"name": "nowhere"}, {}),
    "tasks": Calls({}, {"text": "nowhere"}, TAGS),
    "base": Calls(
        {"where": 'file.ext == "md"'}, {"where": 'file.ext == "nowhere"'}, {"where": 'status == "open"'}
    ),
    "links": Calls({"direction": "orphans"}, {"note": "easy", "direction": "back"}),
    "survey": Calls({"terms": ["needle"], "paths": [".", COPY]}, {"terms": ["nowhere"]}),
    "scout": Calls({"query": "needle"}, {"query": "nowhere"}, None, {"query": COSTLY, "mode": "regex"}),
    "sample": Calls({"query": "needle", "file": COPY}, None),
    "show": Calls({"query": "needle", "file": COPY}, None),
    "read": Calls({"note": COPY}, None),
    "outline": Calls({"note": COPY}, None),
}  # fmt: skip


def told(vault: Vault, name: str, arguments: Mapping[str, Any] | None, column: str) -> bool:
    """Whether an answer tells a kind of omission, in its details and in a sentence."""
    if arguments is None:
        return False
    result = vault.call(name.partition(",")[0], arguments)
    assert not result.is_error, (name, result.text)
    assert "Private" not in str(result.details["passed_over"]) + str(result.details["notices"])
    kind, path = KINDS[column]
    first = result.text.split("\n")[0]
    sentences = [*result.details["notices"], *([first] if "incomplete" in first else [])]
    assert all(sentence in result.text for sentence in result.details["notices"]), (name, result.text)
    is_named = any(path in sentence for sentence in sentences if not kind or "conflict copy" not in sentence)
    if kind:
        assert is_named <= (path in examples(result.details).get(kind, ())), (name, column, result.details)
    return is_named if kind else any("conflict copy" in sentence for sentence in sentences)


def cell(vault: Vault, name: str, column: str) -> str:
    calls = CALLS[name]
    if column == "properties":
        return "yes" if told(vault, name, calls.filtered, column) else ""
    if column == "pattern":
        return "yes" if told(vault, name, calls.costly, column) else ""
    if column == "copy":
        return "yes" if told(vault, name, calls.found, column) else ""
    found, nothing = (told(vault, name, arguments, column) for arguments in (calls.found, calls.nothing))
    return "yes" if found and nothing else "empty" if nothing else "found" if found else ""


def table(vault: Vault) -> str:
    rows = [["tool", *KINDS], ["---"] * (len(KINDS) + 1)]
    rows += [[f"`{name}`", *(cell(vault, name, column) for column in KINDS)] for name in CALLS]
    return "".join(f"|{'|'.join(row)}|\n" for row in rows)


@pytest.fixture(params=["scan", "index"])
def vault(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    """A vault with every kind of omission."""
    folder, outside = tmp_path / "vault", tmp_path / "outside"
    write_files(folder, FILES)
    write_files(outside, {"ext.md": NOTE})
    (folder / "Linked").symlink_to(outside)
    (folder / "Diary").symlink_to("Private")
    scandir = disk.scandir

    def refusing(path: Any) -> Any:
        if os.fspath(path).endswith("/Closed"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(disk, "scandir", refusing)
    config = VaultConfig(index_folder=tmp_path / "index", protected=["Private"])
    with Vault.open(folder, config=config, index="off" if request.param == "scan" else "auto") as vault:
        if request.param == "index":
            vault.build_index()
        yield vault


def test_every_tool_tells_every_kind_of_omission_that_concerns_it(vault: Vault, request: pytest.FixtureRequest) -> None:
    page = PAGE.read_text(encoding="utf-8")
    made = table(vault)
    if request.config.getoption("--update-transcripts"):
        PAGE.write_text(_TABLE.sub(lambda _: made, page), encoding="utf-8", newline="\n")
    else:
        (kept,) = _TABLE.findall(page)
        assert made == kept


ELSEWHERE: Final[dict[str, Mapping[str, Any]]] = {
    "search_files": {"pattern": "nowhere", "file_pattern": "Open/**"},
    "search": {"pattern": "nowhere", "paths": ["Open"]},
    "grep": {"pattern": "nowhere", "path": "Open"},
    "find": {"paths": ["Open/*.nowhere"]},
    "query": {"query": "nowhere", "folder": "Open"} | TAGS,
    "query, obsidian": {"query": "tag:#nowhere", "mode": "obsidian", "glob": "Open/*.md"},
    "context": {"question": "nowhere", "folder": "Open"} | TAGS,
    "tags": {"folder": "Open"},
    "properties": {"glob": "Open/**"},
    "tasks": {"folder": "Open"} | TAGS,
    "base": {"where": 'status == "open"', "folder": "Open"},
    "survey": {"terms": ["nowhere"], "paths": ["Open"]},
    "scout": {"query": "nowhere", "path": "Open"},
}
"""Calls about a folder from which nothing is missing."""


@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_lies_outside_the_folder_and_globs_of_a_call_is_not_told(vault: Vault, name: str) -> None:
    write_files(vault.path, {"Open/a.md": "# A\n"})
    answer = vault.call(name.partition(",")[0], ELSEWHERE[name])
    assert answer.details["passed_over"] == []
    assert not any(path in answer.text for _, path in KINDS.values())


@pytest.mark.parametrize("name", ["search_files", "query"])
def test_a_link_into_a_protected_folder_is_not_told(vault: Vault, name: str) -> None:
    answer = vault.call(name, CALLS[name].nothing)
    assert "Linked" in answer.text
    assert "Diary" not in answer.text + str(answer.details)


def test_columns_of_a_note_whose_properties_cannot_be_read_are_told_as_missing(vault: Vault) -> None:
    answer = vault.search_files("needle", columns=["status"])
    assert [file.path for file in answer.files if not file.properties] == ["broken.md"]
    assert examples(answer)[PROPERTIES] == ["broken.md"]


def test_a_linked_folder_is_told_as_soon_as_it_is_there_and_no_longer_when_it_is_gone(vault: Vault) -> None:
    (vault.path / "Linked").rename(vault.path / "Renamed")
    assert examples(vault.search_files("needle"))["symlink"] == ["Renamed"]
    (vault.path / "Renamed").unlink()
    assert "symlink" not in examples(vault.search_files("needle"))


def test_the_table_has_every_tool() -> None:
    assert {name.partition(",")[0] for name in CALLS} == {*tools.NAMES}
