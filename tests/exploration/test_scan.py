"""Counting several patterns: one run for all of them gives what a run for each gives."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Literal, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vaulttools import VaultConfig
from vaulttools.call import Call
from vaulttools.core.work import Work
from vaulttools.exploration import scan
from vaulttools.exploration.scan import Scan
from vaulttools.exploration.toon import Count
from vaulttools.files.scope import Walk
from vaulttools.matching import matcher
from vaulttools.matching.search import Search
from vaulttools.opening import open_folder
from vaulttools.patterns import pattern

Boundary = Literal["fixed", "identifier", "word"]

LINES = st.lists(
    st.sampled_from(["auth ", "author", "token", "_", "é", "tokenauth", "oken a", "$auth$", "."]), max_size=6
)
TERMS = st.sampled_from(
    ["auth", "author", "token", "auth ", "thor", "oken", "$auth", "token.", "_auth", "hautht", "éaut"]
)

BYTES = st.sampled_from(
    [b"auth ", b"author", b"token", b"\n", b"\n\n", b"\r\n", b"\0", b"\xff", "é".encode(), b"\xef\xbb\xbf", b"_ ./0.md"]
)
UTF16 = LINES.map(lambda lines: "\n".join(lines).encode("utf-16"))


def apart(folder: str, terms: list[str], mode: Boundary, index: str | None = None) -> tuple[list[Scan], list[Scan]]:
    """The scans of the terms, counted together and each alone; with an index in a folder, if one is given."""
    vault = open_folder(folder, VaultConfig(index_folder=index), has_index=index is not None)
    if index is not None:
        vault.indexes.own.wait(None, None)
    patterns = [vault.ripgrep.compile(term, mode, ignore_case=False) for term in terms]

    def search(given: pattern.Pattern) -> Search:
        call = Call(vault, Work())
        scope = call.scope((Walk(),), (), hidden=False, include_excluded=False)
        return call.search(given, scope)

    found = scan.several(search(patterns[0]), patterns), [scan.one(search(each)) for each in patterns]
    vault.close()
    return found


@settings(suppress_health_check=list(HealthCheck))
@given(
    files=st.lists(st.lists(LINES.map("".join), max_size=6).map("\n".join), min_size=1, max_size=3),
    terms=st.lists(TERMS, min_size=2, max_size=5),
    mode=st.sampled_from(get_args(Boundary)),
)
def test_patterns_counted_together_are_counted_as_each_alone(
    files: list[str], terms: list[str], mode: Boundary
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for index, text in enumerate(files):
            (Path(folder) / f"{index}.md").write_text(text, encoding="utf-8", newline="")
        together, alone = apart(folder, terms, mode)
    assert together == alone


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(
    files=st.lists(LINES.map("\n".join), min_size=1, max_size=9),
    terms=st.lists(TERMS, min_size=2, max_size=5),
    mode=st.sampled_from(get_args(Boundary)),
)
def test_patterns_that_an_index_finds_in_few_files_are_counted_as_each_alone(
    files: list[str], terms: list[str], mode: Boundary
) -> None:
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as index:
        for number, text in enumerate(files):
            (Path(folder) / f"{number}.md").write_text(text, encoding="utf-8", newline="")
        together, alone = apart(folder, terms, mode, index)
    assert together == alone


@pytest.mark.parametrize("read_here", [-1, 256], ids=["ripgrep", "this process"])
@settings(max_examples=20, suppress_health_check=list(HealthCheck))
@given(
    files=st.lists(st.lists(BYTES, max_size=8).map(b"".join) | UTF16, min_size=1, max_size=6),
    terms=st.lists(TERMS | st.sampled_from(["é", "\ufeffauth"]), min_size=2, max_size=5),
)
def test_plain_texts_counted_by_one_run_over_known_files_are_counted_as_each_alone(
    files: list[bytes], terms: list[str], read_here: int
) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory() as index,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(matcher, "_READ_HERE", read_here)
        for number, data in enumerate(files):
            (Path(folder) / f"{number}.md").write_bytes(data)
        together, alone = apart(folder, terms, "fixed", index)
    assert together == alone


@pytest.mark.parametrize(("matches", "files", "broad"), [(1_000, 100, False), (1_001, 1, True), (101, 101, True)])
def test_more_than_1000_lines_or_100_files_are_broad(matches: int, files: int, broad: bool) -> None:
    assert scan.is_broad(Count(matches), Count(files)) is broad
