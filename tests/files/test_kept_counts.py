"""Numbers of matching lines are kept by pattern, path and stat key, and never outlive a change of the file."""

from __future__ import annotations

import os
import tempfile
import time
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import HOUR, MakeVault
from vaulttools import Vault, VaultConfig
from vaulttools.files.content_caches import KeptCounts
from vaulttools.files.disk import GRANULARITY, Key
from vaulttools.matching.process import Runs
from vaulttools.matching.ripgrep import Ripgrep
from vaulttools.patterns.pattern import Pattern

CHECKED = 10 * GRANULARITY
OLD = Key(1, 1, 1, 1)
OTHER = Key(2, 1, 1, 1)
YOUNG = Key(1, CHECKED - 1, 1, 1)

PATTERNS = ["one", "three two", r"\w{5}", r"^\w+$", "o.e", r"two\n\s*three", r"e$"]
TERMS = [["one", "two"], ["one", "ones", "two"], ["three", "\ufeffone"]]
LINES = st.lists(st.sampled_from(["one", "ones two", "three", "two\r", "\0", "\ufeffone", "x\ry", ""]), max_size=4)


def test_the_pattern_used_longest_ago_goes_first() -> None:
    kept = KeptCounts(most=4)
    for pattern in ("a", "b"):
        kept.keep(pattern, CHECKED, [(name, OLD, 1) for name in ("1.md", "2.md")])
    kept.of("a", [], [])
    kept.keep("c", CHECKED, [("1.md", OLD, 1)])
    assert [kept.of(pattern, ["1.md"], [OLD]) for pattern in "abc"] == [[1], [None], [1]]
    kept.keep("d", CHECKED, [(f"{number}.md", OLD, 1) for number in range(5)])  # more than fit in push nothing out
    assert kept.size == 3


@pytest.mark.usefixtures("later")
def test_files_that_did_not_change_are_not_counted_again(
    make_vault: MakeVault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make_vault({f"{number}.md": "hello\n" for number in range(4)})
    vault.build_index()
    counted: list[list[str]] = []
    start_count = Ripgrep.start_count

    def started(self: Ripgrep, pattern: Pattern, folder: str, files: list[str], *rest: object, **more: object) -> Runs:
        counted.append(list(files))
        return start_count(self, pattern, folder, files, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Ripgrep, "start_count", started)
    assert vault.grep(r"\w{5}").total_matches == 4
    assert vault.grep(r"\w{5}", max_results=1).total_matches == 4
    (tmp_path / "vault/2.md").write_text("hello\nworld\n", encoding="utf-8")
    assert vault.grep(r"\w{5}").total_matches == 5
    assert counted == [["0.md", "1.md", "2.md", "3.md"], ["2.md"]]


@settings(max_examples=12, suppress_health_check=list(HealthCheck))
@given(
    steps=st.lists(
        st.tuples(st.integers(0, 3), LINES.map("\n".join))
        | st.sampled_from(PATTERNS)
        | st.sampled_from(TERMS)
        | st.none(),
        min_size=4,
        max_size=14,
    ),
    watch=st.sampled_from(["auto", "off"]),
)
def test_answers_with_kept_numbers_and_bytes_equal_those_of_a_vault_without_caches(
    steps: list[object], watch: str
) -> None:
    now, sizes = time.time_ns, count(1)
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory() as index,
        pytest.MonkeyPatch.context() as patch,
    ):
        # No file is too young to be kept, and no size occurs twice: each key changes, however coarse the clock is.
        patch.setattr(time, "time_ns", lambda: now() + HOUR)
        patch.setenv("VAULTTOOLS_WATCH", watch)
        for number in range(4):
            Path(folder, f"{number}.md").write_text("one\nthree two\n" + " " * next(sizes), encoding="utf-8")
        with (
            Vault.open(folder, config=VaultConfig(index_folder=index)) as vault,
            Vault.open(folder, index="off") as fresh,
        ):
            vault.build_index()
            for step in steps:
                if isinstance(step, tuple):
                    Path(folder, f"{step[0]}.md").write_bytes(step[1].encode() + b"\n" + b" " * next(sizes))
                elif isinstance(step, str):
                    assert vault.grep(step).text == fresh.grep(step).text
                    assert vault.search_files(step).text == fresh.search_files(step).text
                elif isinstance(step, list):
                    assert vault.survey(step).overall == fresh.survey(step).overall
                else:
                    os.replace(Path(folder, "0.md"), Path(folder, "1.md"))
                    Path(folder, "0.md").write_text("ones two\n" + " " * next(sizes), encoding="utf-8")
