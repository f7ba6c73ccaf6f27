"""Many clients at once; `make load` is the long form, over a large vault."""

from __future__ import annotations

from pathlib import Path

from benchmarks.load import CALLS, REQUESTS, load, named, table
from tests.conftest import write_files


def test_fault_M08_fifty_clients_at_once_are_all_answered_while_notes_change(tmp_path: Path) -> None:
    write_files(
        tmp_path, {f"{number}.md": f"# A question {number}\n- [ ] TODO #tag [[gone]]\n" for number in range(50)}
    )
    loaded = load(tmp_path, clients=50, seconds=2)
    assert loaded.errors == []
    assert set(loaded.seconds) == {name for name, _ in CALLS} | {named(method, path) for method, path, _ in REQUESTS}
    assert len(table(loaded)) == 2 + len(loaded.seconds)
