"""A note that is renamed while a call runs is in the answer, or the answer names it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import pytest

from tests.conftest import write_files
from tests.faulty import Fault, faulty
from tests.test_injection import ALL
from vaulttools import Vault, VaultConfig
from vaulttools.vault import ToolResult

NOTE: Final = "---\nstatus: rare\ntags: [kiwi]\n---\n# Quince\nquince zebra [[target-quince]]\n- [ ] peel the quince\n"
FILES: Final = {
    "m/note.md": NOTE,
    "m/other.md": "apple\n",
    "b/c.md": "---\nstatus: common\n---\napple [[other]] #plum\n",
    "x/d.md": "apple\n",
}
CALLS: Final[list[tuple[str, dict[str, Any]]]] = [
    ("search_files", {"pattern": "quince"}),
    ("search_files", {"pattern": "quince", "tags": ["kiwi"]}),
    ("search", {"pattern": "quince zebra"}),
    ("grep", {"pattern": "quince zebra"}),
    ("find", {"paths": "**/*note*.md"}),
    ("survey", {"terms": ["quince"]}),
    ("scout", {"query": "quince"}),
    ("query", {"query": "quince", "mode": "obsidian"}),
    ("query", {"query": "tag:kiwi", "mode": "obsidian"}),
    ("query", {"query": "quince zebra"}),
    ("query", {"query": "quince zebra", "tags": ["kiwi"]}),
    ("context", {"question": "quince zebra"}),
    ("tags", {"name": "kiwi"}),
    ("properties", {"name": "status"}),
    ("tasks", {}),
    ("links", {"direction": "unresolved"}),
    ("base", {"where": 'status == "rare"'}),
]
SIGNS: Final = {"survey": "quince,2", "tags": "kiwi", "properties": "rare"}
"""What an answer with the note holds, where that is not the note's name."""
PLACES: Final = {
    "to an earlier folder": ("a/note2.md",),
    "to a later folder": ("z/note2.md",),
    "to and fro": ("a/note2.md", "m/note.md"),
}


@pytest.fixture(params=["off", "auto"])
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[tuple[Path, Vault]]:
    """A vault with empty folders before and behind the note, open without and with an index."""
    folder = tmp_path / "vault"
    write_files(folder, FILES)
    for name in "az":
        (folder / name).mkdir()
    config = VaultConfig(index_folder=str(tmp_path / "index"), index=request.param, meaning="off", time_limit=60)
    with Vault.open(folder, config=config) as vault:
        if request.param == "auto":
            vault.build_index()
        yield folder, vault


def has_it(name: str, result: ToolResult) -> bool:
    """Whether an answer holds the note, or says which names changed and is not complete."""
    if SIGNS.get(name, "note") in result.text or "quince" in result.text.replace("No ", "").split("\n")[-1]:
        return True
    return not result.details["complete"] and "names changed meanwhile (" in result.text


@pytest.mark.parametrize("places", PLACES.values(), ids=PLACES.keys())
@pytest.mark.parametrize("call", CALLS, ids=lambda call: " ".join(map(str, (call[0], *call[1].values()))))
def test_a_note_that_is_renamed_at_any_call_to_the_disk_is_found(
    folder: tuple[Path, Vault], places: tuple[str, ...], call: tuple[str, dict[str, Any]]
) -> None:
    root, vault = folder
    with faulty(Fault()) as counted:
        assert has_it(call[0], vault.call(*call))
    for at in range(0, counted.calls, 1 if ALL else 3):
        steps = iter(places)

        def rename(steps: Iterator[str] = steps) -> None:
            shutil.move(next(root.glob("*/note*.md")), root / next(steps))

        with faulty(Fault(at, change=rename, lasts=len(places))) as fault:
            result = vault.call(*call)
        assert has_it(call[0], result), (fault.where, result.text)
        shutil.move(next(root.glob("*/note*.md")), root / "m/note.md")
        vault.call(*call)


@pytest.mark.parametrize("name", ["search_files", "query", "grep", "base"])
def test_no_answer_beside_a_renaming_process_is_empty_and_complete(folder: tuple[Path, Vault], name: str) -> None:
    root, vault = folder
    script = (
        "import os, sys, time\n"
        "a, b = sys.argv[1:]\n"
        "print(flush=True)\n"
        "while True:\n"
        "    os.rename(a, b); time.sleep(.003); os.rename(b, a); time.sleep(.003)\n"
    )
    arguments = [sys.executable, "-c", script, str(root / "m/note.md"), str(root / "z/note2.md")]
    calls = cycle([each for each in CALLS if each[0] == name])
    with subprocess.Popen(arguments, stdout=subprocess.PIPE) as mover:
        assert mover.stdout is not None
        mover.stdout.readline()
        try:
            for _ in range(100):
                call = next(calls)
                result = vault.call(*call)
                assert has_it(name, result), (call, result.text)
        finally:
            mover.kill()
