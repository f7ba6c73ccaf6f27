"""What was read of notes outlives a process, and is believed only where it is right."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import write_files
from vaulttools import Vault
from vaulttools.index import kept_facts, location, state
from vaulttools.index.store import Store

MakeVault = Callable[[Mapping[str, str | bytes]], Vault]

KEPT: dict[int, tuple[bytes, Any]] = {
    1: (b"1" * 16, ((3, "target"), (4, "\udc80"))),
    7: (b"7" * 16, (("a", "b/c"), {"x": [1, 1.0, True, None, "ä"]}, True, False)),
}


def only(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def test_what_is_kept_comes_back_as_it_was(tmp_path: Path) -> None:
    kept_facts.save(tmp_path / "index", "query", KEPT)
    assert repr(kept_facts.load(tmp_path / "index", "query")) == repr(KEPT)
    assert kept_facts.load(tmp_path / "index", "links") == {}


@given(place=st.integers(0, 10_000), data=st.binary(min_size=1, max_size=8), cut=st.booleans())
def test_a_damaged_file_is_passed_over(place: int, data: bytes, cut: bool, tmp_path_factory: Any) -> None:
    folder = tmp_path_factory.mktemp("kept")
    kept_facts.save(folder / "index", "query", KEPT)
    whole = only(folder).read_bytes()
    at = place % len(whole)
    damaged = whole[:at] + (b"" if cut else data + whole[at + len(data) :])
    only(folder).write_bytes(damaged)
    expected = KEPT if damaged == whole else {}
    assert kept_facts.load(folder / "index", "query") == expected


def test_what_other_code_wrote_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept_facts.save(tmp_path / "index", "query", KEPT)
    monkeypatch.setattr(kept_facts, "_code", lambda: "other")
    assert kept_facts.load(tmp_path / "index", "query") == {}
    monkeypatch.setattr(kept_facts, "_code", lambda: None)
    assert kept_facts.load(tmp_path / "index", "query") == {}


def test_what_is_more_than_plain_values_is_not_kept(tmp_path: Path) -> None:
    kept_facts.save(tmp_path / "index", "tasks", {1: (b"1", object())})
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_takes_nothing_costs_nothing(tmp_path: Path) -> None:
    kept_facts.save(tmp_path / "none" / "index", "query", KEPT)
    assert kept_facts.load(tmp_path / "none" / "index", "query") == {}


def test_nothing_that_marshal_would_choke_on_is_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept_facts.save(tmp_path / "index", "query", KEPT)
    file = only(tmp_path)
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    monkeypatch.setattr(marshal, "loads", lambda data: pytest.fail("it was decoded"))
    assert kept_facts.load(tmp_path / "index", "query") == {}


def test_another_process_answers_from_what_one_has_read(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, later: None
) -> None:
    monkeypatch.setattr(state, "_FEW_FACTS", 3)
    files = {f"{number}.md": f"---\nn: {number}\n---\n#tag/{number} [[{number + 1}]]\n- [ ] x\n" for number in range(9)}
    folder = make_vault(files).path
    calls: list[tuple[str, dict[str, Any]]] = [
        ("tags", {}),
        ("properties", {}),
        ("links", {"direction": "unresolved"}),
        ("query", {"query": "tag:#tag/3 OR [n:5] OR task-todo:x", "mode": "obsidian"}),
    ]

    def answers(index: str | None = None) -> list[str]:
        with Vault.open(folder, index="off" if index else None) as vault:
            if index is None:
                vault.build_index()
            return [vault.call(name, arguments).text for name, arguments in calls]

    first = answers()
    with Vault.open(folder) as vault:
        database = location.of(vault._opened.root).database
    assert sorted(file.name.partition(".facts-")[2] for file in database.parent.glob("*.facts-*")) == [
        "links",
        "properties",
        "query",
        "tags",
    ]
    with monkeypatch.context() as patch:
        patch.setattr(Store, "structures", lambda *_: pytest.fail("a structure was read"))
        assert answers() == first
    write_files(folder, {"3.md": "#other\n", "new.md": "#tag/new\n"})
    assert answers() == answers("off") != first
    with Vault.open(folder) as vault:
        vault.clear_index()
    assert list(database.parent.glob("*.facts-*")) == []
