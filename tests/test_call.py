"""A call: one snapshot of the index, whatever it asks and however often it looks again."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import MakeVault
from vaulttools import Vault
from vaulttools.answers import all_notes
from vaulttools.call import Call
from vaulttools.core.work import Work
from vaulttools.index.background import BackgroundIndex
from vaulttools.index.snapshot import Snapshot
from vaulttools.index.tree import Changes, Tree

NOTES = {
    "plan.md": "---\nstatus: active\ntags: [work]\n---\n# Plan\n\nThe café needs [[inbox]] and [[nowhere]]. #work\n",
    "inbox.md": "- [ ] call the café 📅 2026-11-20\n- [ ] mend the roof\n",
    "Roof/slates.md": "Slates for the roof, see [[plan]].\n",
    "all.base": "views:\n  - type: table\n    name: all\n",
    "board.canvas": '{"nodes": [{"id": "1", "type": "text", "text": "galvanised gutters"}], "edges": []}',
}

CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "a question": ("query", {"query": "which slates are for the roof"}),
    "a question with a tag": ("query", {"query": "café tag:work"}),
    "a question with a property, sorted": (
        "query",
        {"query": "café", "properties": {"status": "active"}, "sort": "name"},
    ),
    "a question about a period": ("query", {"query": "the café in November 2026"}),
    "a question whose words only a canvas has": ("query", {"query": "galvanised gutters of the café"}),
    "a question for a list": ("query", {"query": "all open tasks"}),
    "notes like one": ("query", {"like": "plan"}),
    "a query without results": ("query", {"query": "cafe\u0301 Roof", "mode": "obsidian", "match_case": True}),
    "a context": ("context", {"question": "the roof and the café"}),
    "a search without results": ("search_files", {"pattern": "CAFÉ", "tags": ["none"]}),
    "a search of parts": ("search", {"pattern": "NONE", "paths": ["plan.md:1-3", "Roof"]}),
    "a grep without results": ("grep", {"pattern": "NONE"}),
    "links out": ("links", {"note": "plan"}),
    "backlinks": ("links", {"note": "plan", "direction": "back"}),
    "links of depth 2": ("links", {"note": "plan", "depth": 2}),
    "mentions": ("links", {"note": "plan", "direction": "mentions"}),
    "unresolved links": ("links", {"direction": "unresolved"}),
    "a base": ("base", {"base": "all", "where": 'file.name == "plan"', "columns": ["note_date"]}),
    "tasks with a tag": ("tasks", {"tags": ["work"]}),
    "tags": ("tags", {}),
    "properties": ("properties", {}),
    "several texts": ("read", {"notes": ["plan", "inbox", "slates"]}),
    "files by the dates of notes": ("find", {"paths": ["**/*.md"], "sort": "note_date"}),
    "a survey in two forms": ("survey", {"terms": ["cafe\u0301"]}),
}


@pytest.fixture
def vault(make_vault: MakeVault) -> Vault:
    vault = make_vault(NOTES)
    vault.build_index()
    vault.read_structures()
    return vault


@pytest.mark.parametrize("what", CALLS)
def test_a_call_takes_one_snapshot(what: str, vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[Snapshot] = []
    view = BackgroundIndex.view

    def counted(index: BackgroundIndex, since: float, *, pinned: bool = False) -> Snapshot | None:
        found = view(index, since, pinned=pinned)
        if found is not None and pinned:
            taken.append(found)
        return found

    monkeypatch.setattr(BackgroundIndex, "view", counted)
    tool, arguments = CALLS[what]
    result = vault.call(tool, arguments)
    assert not result.is_error, result.text
    assert len(taken) == 1


def test_a_call_that_asks_for_no_notes_starts_no_index(make_vault: MakeVault) -> None:
    call = Call(make_vault(NOTES).session, Work())
    assert call.selected("*.md", (), ignore_case=False) == ((), ())
    assert not call.has_lost_index
    assert "indexes" not in vars(call.session)


def test_a_second_look_sees_what_the_first_saw_and_a_call_that_is_asked_again_what_is_there_now(vault: Vault) -> None:
    call = Call(vault.session, Work())
    first = call.snapshot
    (vault.path / "new.md").write_text("new", encoding="utf-8")
    again = call.again()
    assert again.snapshot is first is call.snapshot
    assert again.work is not call.work
    assert call.anew().snapshot is not first


def test_a_call_that_has_chosen_does_not_wait_again(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Snapshot, "is_known", lambda *_: False)
    monkeypatch.setattr(Snapshot, "has_words_of", lambda *_: False)
    wait, waited = Call.waited, list[float]()

    def counted(call: Call, seconds: float) -> Call:
        waited.append(seconds)
        return wait(call, seconds)

    monkeypatch.setattr(Call, "waited", counted)
    call, _ = all_notes.awaited(Call(vault.session, Work()))
    before = len(waited)
    assert before
    assert all_notes.awaited(call.again())[0].snapshot is call.snapshot
    assert all_notes.awaited_briefly(call)[0] is call
    assert len(waited) == before


def test_without_a_watch_a_call_compares_the_vault_once(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAULTTOOLS_WATCH", "off")
    vault = make_vault(NOTES)
    vault.build_index()
    compare, compared = Tree.compare, list[Tree]()

    def counted(tree: Tree) -> Changes:
        compared.append(tree)
        return compare(tree)

    monkeypatch.setattr(Tree, "compare", counted)
    monkeypatch.setattr("vaulttools.files.catalogue.changed_folders", lambda *_: ())
    assert vault.search_files("roof").total_files
    assert len(compared) == 1
