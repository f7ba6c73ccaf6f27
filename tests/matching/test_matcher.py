"""Plain text in files that an index knows is found without ripgrep, and ripgrep would give the same answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MakeVault
from tests.systems import is_wine
from vaulttools import Vault
from vaulttools.files import content_caches
from vaulttools.matching import matcher, process, ripgrep

_MANY = 50 if is_wine() else 200
"""A scan reads the status of each some times, and under Wine that takes 7 ms: 200 do not fit the time limit there."""

NOTES: dict[str, str | bytes] = {
    "a.md": "# Head\n\none word\r\nWORD \u212aelvin\n",
    "b/c.md": "no\nword word\nword" + " and more" * 200,
    "b/marked.md": b"\xef\xbb\xbfword\xff word\n",
    "nul.md": b"word\0",
    **{f"many/{number:03}.md": f"kelvin\n{'a common word' if number % 2 else ''}\n" * 3 for number in range(_MANY)},
}

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("search_files", {"pattern": "word"}),
    ("search_files", {"pattern": "Word|one", "case_sensitive": False, "max_results": 200}),
    ("search_files", {"pattern": "word", "sort": "matches", "output": "counts", "max_results": 200}),
    ("search_files", {"pattern": "(?i)KELVIN", "sort": "modified", "max_per_file": 1}),
    ("search_files", {"pattern": "word w", "fixed": True}),
    ("search_files", {"pattern": "KELVIN"}),
    ("search_files", {"pattern": "nowhere"}),
    ("search_files", {"pattern": "word", "within": "body", "file_pattern": "b/**"}),
    ("grep", {"pattern": "word", "max_results": 5}),
    ("grep", {"pattern": "one word"}),
    ("search", {"pattern": "and more"}),
    ("search", {"pattern": "kelvin", "i": True, "paths": "many"}),
]


@contextmanager
def _without_ripgrep() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ripgrep, "Running", lambda command, *_: pytest.fail(f"started: {command}"))
        yield


def _counted_processes(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The commands of the processes that are started from now on."""
    started: list[object] = []

    class Counted(process.Running):
        def __init__(self, command: Sequence[str], folder: str | None, stdin: bytes | None) -> None:
            started.append(command)
            super().__init__(command, folder, stdin)

    monkeypatch.setattr(ripgrep, "Running", Counted)
    return started


@pytest.mark.usefixtures("young_kept")
@pytest.mark.parametrize(("tool", "arguments"), CALLS)
@pytest.mark.parametrize("is_stale", [False, True])
def test_plain_text_is_found_the_same_with_and_without_a_process(
    make_vault: MakeVault, tool: str, arguments: dict[str, Any], is_stale: bool
) -> None:
    vault = make_vault(NOTES)
    vault.build_index()
    vault.call("search_files", {"pattern": "warm"})
    if is_stale:
        (vault.path / "many/002.md").write_text("Kelvin\nthe last word\n", encoding="utf-8")
        (vault.path / "new.md").write_bytes(b"one word\n\0")
    with Vault.open(vault.path, index="off") as scanned:
        expected = scanned.call(tool, arguments)
    for _ in range(2):  # the second time with kept values
        with _without_ripgrep():
            assert vault.call(tool, arguments) == expected
    assert vault.session.contents.size > 0 or arguments["pattern"] == "nowhere"


@pytest.mark.parametrize(
    "name_and_text",
    [
        ("wide.md", "\ufeffword".encode("utf-16-le")),
        ("wide in the other order.md", "\ufeffword".encode("utf-16-be")),
        ("large.md", b"word\n" + b"x" * content_caches.LARGEST),
        ("gone.md", None),
        ("closed.md", b""),
    ],
    ids=lambda each: each[0],
)
def test_a_file_that_is_left_to_ripgrep_is_found_too(
    make_vault: MakeVault, name_and_text: tuple[str, bytes | None]
) -> None:
    name, text = name_and_text
    vault = make_vault({**NOTES, name: "word"})
    vault.build_index()
    vault.search_files("word")
    path: Path = vault.path / name
    path.unlink()
    if name == "closed.md":
        path.mkdir()
    elif text is not None:
        path.write_bytes(text)
    with Vault.open(vault.path, index="off") as scanned:
        assert vault.search_files("word", max_results=200) == scanned.search_files("word", max_results=200)


@pytest.mark.parametrize(("name", "most"), [("_READ_HERE", 3), ("_READ_BYTES", 100)])
def test_many_files_that_are_not_kept_are_left_to_ripgrep(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, name: str, most: int
) -> None:
    vault = make_vault(NOTES)
    vault.build_index()
    with Vault.open(vault.path, index="off") as scanned:
        expected = scanned.search_files("word")
    started = _counted_processes(monkeypatch)
    monkeypatch.setattr(matcher, name, most)
    assert vault.search_files("word") == expected
    assert started


@pytest.mark.parametrize(
    ("pattern", "matching"),
    [(r"(?<=\[\[)Note 7[^\]]*", 1), (r"(?<=Note 7\]\]\n)line", 1), (r"(?<!e)\s*$", 40), (r"(?<=\[\[)zzz[^\]]*", 0)],
)
def test_a_vault_of_windows_notes_needs_only_a_few_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, matching: int
) -> None:
    for number in range(40):
        (tmp_path / f"{number}.md").write_bytes(f"see [[Note {number}]]\r\nline two\r\n".encode())
    started = _counted_processes(monkeypatch)
    monkeypatch.setattr(matcher, "GROUP_FILES", 15)
    answer = Vault.open(tmp_path).search_files(pattern, case_sensitive=False, max_results=100)
    assert (answer.total_files, answer.complete, answer.searched) == (matching, True, 40)
    assert len(started) < 20
