"""How much of the package a warm call passes through: modules, functions, and how deeply they are nested."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import pytest

import vaulttools
from tests.conftest import on_a_known_disk
from vaulttools import Vault, VaultConfig
from vaulttools.meaning.embedders import SWITCH, is_wanted

PACKAGE = str(Path(vaulttools.__file__).parent)


class Size(NamedTuple):
    modules: int
    functions: int
    depth: int


EXTRA = "query with the extra"
MOST = {"search_files": Size(54, 265, 18), "query": Size(80, 581, 24), EXTRA: Size(90, 620, 24)}
"""What a call may pass through; lower these figures when a call gets simpler, and never raise them."""

CALLS: dict[str, Callable[[Vault], object]] = {
    "search_files": lambda vault: vault.search_files("TODO"),
    "query": lambda vault: vault.query("how long do onion seeds keep"),
    EXTRA: lambda vault: vault.query("how long do onion seeds keep"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="without a file watch each call looks at the files itself")
@on_a_known_disk
@pytest.mark.parametrize("tool", CALLS)
def test_a_warm_call_passes_through_no_more_of_the_package_than_before(
    tool: str, small_vault: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAULTTOOLS_WATCH", "auto")
    monkeypatch.delenv(SWITCH, raising=False)
    config = VaultConfig(index_folder=tmp_path, meaning="auto" if tool == EXTRA else "off")
    if tool == EXTRA and not is_wanted(config):
        pytest.skip("the extra is not installed")
    with Vault.open(small_vault, config=config) as vault:
        vault.build_index()
        if tool == EXTRA:
            vault.wait_for_meaning()
        for _ in range(3):
            CALLS[tool](vault)
        size = size_of(lambda: CALLS[tool](vault))
    with capsys.disabled():
        print(f"\n{tool}: {size}")
    assert all(now <= most for now, most in zip(size, MOST[tool], strict=True)), size


def size_of(call: Callable[[], object]) -> Size:
    """The modules and functions of the package that a call enters in this thread, and the deepest nesting of them."""
    entered: set[CodeType] = set()
    depth = deepest = 0

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal depth, deepest
        if event not in ("call", "return") or not frame.f_code.co_filename.startswith(PACKAGE):
            return
        if event == "return":
            depth -= 1
            return
        entered.add(frame.f_code)
        depth += 1
        deepest = max(deepest, depth)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return Size(len({code.co_filename for code in entered}), len(entered), deepest)
