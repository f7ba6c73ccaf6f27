"""Faults of the disk, injected: the Nth call fails, for every N, and no answer is wrong.

Whatever fails, an answer is the true one, or one that says what it lacks, or one sentence of refusal; and the next
one, when nothing fails any more, is true, and so is the index.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest

from tests.conftest import MakeVault, write_files
from tests.faulty import ERRORS, Fault, faulty
from vaulttools import Vault, VaultConfig, VaultToolsError
from vaulttools.index import background as live
from vaulttools.vault import ToolResult

FILES: Final = {
    "a.md": "---\ntags: [work]\n---\none needle\n",
    "b/c.md": "# Head\nneedle #play [[a]]\n",
    "b/d.txt": "needle\n",
    "b/é.md": "other\n",
    "left/e.md": "needle\n",
    "ignored.md": "needle\n",
    ".gitignore": "ignored.md\n",
    ".obsidian/app.json": '{"userIgnoreFilters": ["left/"]}',
}

ASKED: Final[list[tuple[str, dict[str, Any]]]] = [
    ("search_files", {"pattern": "needle"}),
    ("search_files", {"pattern": "nowhere"}),
    ("search", {"pattern": "needle", "paths": ["b", "a.md"]}),
    ("find", {"paths": "**"}),
    ("grep", {"pattern": "needle"}),
    ("survey", {"terms": ["needle"]}),
    ("read", {"note": "a"}),
    ("outline", {"note": "b/c.md"}),
    ("search", {"pattern": "other", "paths": "b/e\u0301.md"}),
]
"""The calls made while the disk fails: every tool that reads in a way of its own."""

OF_STRUCTURE: Final[list[tuple[str, dict[str, Any]]]] = [
    ("tags", {}),
    ("links", {"note": "a.md", "direction": "back"}),
    ("properties", {}),
    ("query", {"query": "needle", "mode": "obsidian"}),
    ("query", {"query": "needles", "mode": "ranked"}),
]
"""Further calls, which only an index answers."""

ALL: Final = "VAULTTOOLS_FUZZ_SECONDS" in os.environ
"""Whether each call fails with each error, once and permanently; otherwise the errors take turns."""


def faults(calls: int, every: int) -> Iterator[Fault]:
    """One in so many calls fails once; every seventh of these keeps failing (not with ENOENT, which would then be
    true). In the long run each call fails."""
    for at in range(0, calls, 1 if ALL else every):
        for number in ERRORS if ALL else [ERRORS[at % len(ERRORS)]]:
            yield Fault(at, number)
            if number != errno.ENOENT and (ALL or at % (7 * every) == 0):
                yield Fault(at, number, lasts=calls * 100)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries that wait for a while happen at once."""
    monkeypatch.setattr(live, "_AGAIN_SECONDS", 0.01)
    monkeypatch.setattr(live, "LATER_SECONDS", 0.01)


def opened(folder: Path, index: str) -> Vault:
    config = VaultConfig(index_folder=str(folder.parent / "index"), time_limit=60)
    return Vault.open(folder, config=config, index="auto" if index == "auto" else "off")


def asked(vault: Vault, calls: list[tuple[str, dict[str, Any]]]) -> list[ToolResult]:
    return [vault.call(*call) for call in calls]


def assert_honest(result: ToolResult, truth: ToolResult, case: str) -> None:
    """An answer is the true one, or says what it lacks, or is one sentence of refusal."""
    assert "for a reason of its own" not in result.text, case
    if result.is_error:
        assert "\n" not in result.text, case
        assert "Traceback" not in result.text, case
    elif sorted(result.text.splitlines()) != sorted(truth.text.splitlines()):  # `find` may not know what is newer
        assert not result.details["complete"] or "cannot be" in result.text, (case, result.text)
    json.dumps(result.details)


def anew(folder: Path) -> None:
    """Restores the state before the first cycle: without the new note, and without an index."""
    (folder / "new.md").unlink(missing_ok=True)
    with opened(folder, "auto") as vault:
        vault.clear_index()


def test_any_failing_call_while_scanning_gives_an_honest_answer(make_vault: MakeVault) -> None:
    folder = make_vault(FILES).path

    def answers() -> list[ToolResult]:
        try:
            vault = opened(folder, "off")
        except VaultToolsError as error:
            return [ToolResult(str(error), {}, is_error=True)] * len(ASKED)
        with vault:
            return asked(vault, ASKED)

    truth = answers()
    assert not any(result.is_error for result in truth)
    with faulty(Fault()) as counted:
        assert answers() == truth
    assert counted.calls > 200
    for fault in faults(counted.calls, every=4):
        with faulty(fault):
            found = answers()
        for call, result, true in zip(ASKED, found, truth, strict=True):
            assert_honest(result, true, f"{fault}, {call}")
    assert answers() == truth


def test_any_failing_call_while_indexing_gives_an_honest_answer(make_vault: MakeVault) -> None:
    folder = make_vault(FILES).path
    calls = [*ASKED[:2], *OF_STRUCTURE]

    def cycle() -> list[ToolResult]:
        """Index the vault, change it, index that, ask."""
        found = [ToolResult("refused", {}, is_error=True)] * len(calls)
        with suppress(VaultToolsError), opened(folder, "auto") as vault:
            with suppress(VaultToolsError):
                vault.build_index()
            write_files(folder, {"new.md": "needle new\n"})
            with suppress(VaultToolsError):
                vault.build_index()
            found = asked(vault, calls)
        write_files(folder, {"new.md": "needle new\n"})
        return found

    truth = cycle()
    assert not any(result.is_error for result in truth)
    anew(folder)
    with faulty(Fault()) as counted:
        assert cycle() == truth
    assert counted.calls > 100
    for fault in faults(counted.calls, every=4):
        anew(folder)
        with faulty(fault):
            found = cycle()
        for call, result, true in zip(calls, found, truth, strict=True):
            assert_honest(result, true, f"{fault}, {call}")
        with opened(folder, "auto") as vault:
            vault.build_index()
            assert asked(vault, calls) == truth, fault
            assert vault.verify_index() == [], fault


def _replaced(folder: Path) -> None:
    """Replaces a file as editors do."""
    write_files(folder, {"a.md.tmp": "other words\n"})
    os.replace(folder / "a.md.tmp", folder / "a.md")


def _emptied(folder: Path) -> None:
    (folder / "b/c.md").write_bytes(b"")


def _gone(folder: Path) -> None:
    (folder / "b/c.md").unlink()


def _moved(folder: Path) -> None:
    (folder / "b").rename(folder / "z")


def _turned(folder: Path) -> None:
    (folder / "a.md").unlink()
    write_files(folder, {"a.md/in.md": "needle\n"})


MEANWHILE: Final[list[tuple[str, dict[str, Any]]]] = [
    ("search_files", {"pattern": "needle", "context_lines": 0}),
    ("find", {"paths": "**"}),
    ("read", {"note": "a.md"}),
]


@pytest.mark.parametrize("index", ["off", "auto"])
@pytest.mark.parametrize("change", [_replaced, _emptied, _gone, _moved, _turned])
def test_a_change_at_any_call_is_seen_or_not_and_by_the_next_call_for_sure(
    change: Callable[[Path], None], index: str, tmp_path: Path
) -> None:
    """Between listing, status and reading: fault-T03, fault-T12, fault-C12, fault-C13, fault-C14, fault-I16."""
    folder = tmp_path / "vault"

    def made(*, changed: bool) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        write_files(folder, FILES)
        if changed:
            change(folder)

    def truth() -> list[ToolResult]:
        with opened(folder, "off") as vault:
            return asked(vault, MEANWHILE)

    made(changed=True)
    after = truth()
    made(changed=False)
    before = truth()
    with opened(folder, index) as vault, faulty(Fault()) as counted:
        if index == "auto":
            vault.build_index()
            counted.calls = 0
        asked(vault, MEANWHILE)
    for at in range(0, counted.calls, 1 if ALL else 5):
        made(changed=False)
        with opened(folder, index) as vault:
            if index == "auto":
                vault.build_index()
            with faulty(Fault(at, change=lambda: change(folder))) as fault:
                found = asked(vault, MEANWHILE)
            case = f"{change.__name__} at {at} {fault.where}"
            for result, old, new in zip(found, before, after, strict=True):
                assert "for a reason of its own" not in result.text, case
                if not result.is_error and result.details["complete"]:
                    assert _lines(result) <= _lines(old) | _lines(new), case
            if not fault.end():  # it may happen in the thread of the index
                change(folder)
            now = asked(vault, MEANWHILE)
            for result, new in zip(now, after, strict=True):
                assert _lines(result) == _lines(new), case
            if index == "auto":
                vault.build_index()
                assert vault.verify_index() == [], case


def _lines(result: ToolResult) -> set[str]:
    """The lines of an answer without the one that counts; files written in one moment may come in any order."""
    return {line for line in result.text.splitlines() if not line.startswith("Found ")}
