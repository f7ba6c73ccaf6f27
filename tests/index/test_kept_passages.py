"""Passages of notes are kept by row, as many as fit, and never outlive a change of the note."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vaulttools import Vault, VaultConfig
from vaulttools.files.key import Key
from vaulttools.index import passages
from vaulttools.index.kept_passages import KeptPassages
from vaulttools.index.passages import Passages
from vaulttools.index.store import Row
from vaulttools.notes.note import Note


def _row(path: str, digest: bytes = b"1") -> Row:
    return Row(path, 1, Key(1, 1, 1, 1), 1, "text", 0, digest)


def _of(count: int) -> Passages:
    made = passages.of(
        Note("a.md", "".join(f"# Number {number}\n\n{'One two three. ' * 40}\n\n" for number in range(count)))
    )
    assert len(made.starts) == count
    return made


def test_they_are_kept_for_the_very_same_row() -> None:
    kept, held = KeptPassages(), _of(2)
    kept.keep({_row("a.md"): held})
    assert kept.of([_row("a.md"), _row("b.md")]) == {"a.md": held}
    assert kept.of([_row("a.md", b"2")]) == {}


def test_those_used_longest_ago_go_first_and_more_than_fit_are_not_kept() -> None:
    kept = KeptPassages(most=5)
    kept.keep({_row("a.md"): _of(2), _row("b.md"): _of(2)})
    kept.of([_row("a.md")])
    kept.keep({_row("long.md"): _of(6), _row("a.md"): _of(2), _row("c.md"): _of(3)})
    assert (sorted(kept.of(map(_row, ("a.md", "b.md", "c.md", "long.md")))), kept.size) == (["a.md", "c.md"], 5)
    kept.reset_after_fork()
    assert (kept.of([_row("a.md")]), kept.size) == ({}, 0)


TEXTS = st.lists(st.sampled_from(["one two\n\n", "# Two\n\nthree\n", "| one |\n| - |\n| two |\n", "\n"]), max_size=4)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=st.lists(st.tuples(st.integers(0, 3), TEXTS.map("".join)) | st.booleans(), max_size=12))
def test_after_edits_and_renames_they_are_those_of_the_index(steps: list[tuple[int, str] | bool]) -> None:
    notes = [f"{number}.md" for number in range(4)]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as index:
        for name in notes:
            Path(folder, name).write_text("# One\n\ntwo three\n\none two\n", encoding="utf-8")
        with Vault.open(folder, config=VaultConfig(index_folder=index)) as vault:
            for step in [True, *steps]:
                if isinstance(step, tuple):
                    Path(folder, notes[step[0]]).write_text(step[1], encoding="utf-8")
                elif step:
                    vault.build_index()
                else:
                    os.replace(Path(folder, notes[0]), Path(folder, notes[1]))
                    Path(folder, notes[0]).write_text("one\n", encoding="utf-8")
                view = vault._opened.indexes.own.view(time.monotonic())
                assert view is not None
                held = {path: passages.load(data) for path, data in view.passages(notes).items()}
                assert [view.loaded_passages(notes) for _ in range(2)] == [held] * 2
