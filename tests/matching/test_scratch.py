"""Scratch copies, and what they are for: many texts to one ripgrep."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vaulttools import Vault
from vaulttools.matching import scratch
from vaulttools.matching.process import Running
from vaulttools.matching.ripgrep import Ripgrep


def test_copies_are_removed_whatever_happens() -> None:
    with pytest.raises(KeyError), scratch.copies([("a.md", b"x"), ("b/c.md", b"y")]) as (folder, names):
        kept = Path(folder)
        assert {path: (kept / name).read_bytes() for name, path in names.items()} == {"a.md": b"x", "b/c.md": b"y"}
        raise KeyError
    assert not kept.exists()


@given(st.lists(st.integers(0, 40_000_000), max_size=8), st.integers(0, 3))
def test_groups_hold_every_text_once_in_order(sizes: list[int], many: int) -> None:
    class Sized(bytes):
        size = 0

        def __len__(self) -> int:
            return self.size

    def text(size: int) -> Sized:
        made = Sized()
        made.size = size
        return made

    texts = [(str(number), text(size)) for number, size in enumerate([*sizes, *[1] * (many * 499)])]
    groups = list(scratch.grouped(texts))
    assert [item for group in groups for item in group] == texts
    assert all(len(group) <= scratch.GROUP_FILES for group in groups)
    assert all(sum(len(item) for _, item in group[:-1]) < scratch.GROUP_BYTES for group in groups)


@pytest.mark.parametrize(
    ("pattern", "matching"),
    [(r"(?<=\[\[)Note 7[^\]]*", 1), (r"(?<=Note 7\]\]\n)line", 1), (r"(?<!e)\s*$", 40), (r"(?<=\[\[)zzz[^\]]*", 0)],
)
def test_a_vault_of_windows_notes_takes_a_handful_of_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, matching: int
) -> None:
    for number in range(40):
        (tmp_path / f"{number}.md").write_bytes(f"see [[Note {number}]]\r\nline two\r\n".encode())
    started = []
    start = Ripgrep.start

    def counted(
        self: Ripgrep, arguments: Iterable[str], folder: str | None = None, stdin: bytes | None = None
    ) -> Running:
        started.append(folder)
        return start(self, arguments, folder, stdin)

    monkeypatch.setattr(Ripgrep, "start", counted)
    answer = Vault.open(tmp_path).search_files(pattern, case_sensitive=False, max_results=100)
    assert (answer.total_files, answer.complete, answer.searched) == (matching, True, 40)
    assert len(started) < 20
