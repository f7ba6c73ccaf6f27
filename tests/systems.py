"""A plugin of pytest: tests that cannot run on Windows, or not under Wine, and how many they are by reason."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest
from hypothesis import settings

_MARKERS: Final = {"not_on_windows": "Windows", "not_under_wine": "Wine"}
"""By marker, what lacks something that a test needs: Windows itself, or only Wine, which imitates it."""


def module_path() -> str:
    """The `PYTHONPATH` of a child process that finds this checkout first, and then what this process finds by its own:
    under Wine all packages."""
    return os.pathsep.join(filter(None, [str(Path(__file__).parent.parent), os.environ.get("PYTHONPATH")]))


def is_wine() -> bool:
    """Whether this is a Python for Windows that runs under Wine, which alone exports this function."""
    if sys.platform != "win32":
        return False
    import ctypes

    return hasattr(ctypes.windll.ntdll, "wine_get_version")


def reason_of(markers: Iterable[pytest.Mark], *, windows: bool, wine: bool) -> str | None:
    """Returns why a test with these markers is left out here, after who is the cause; None if it runs."""
    is_left_out = {"not_on_windows": windows, "not_under_wine": wine}
    for marker in markers:
        if is_left_out.get(marker.name):
            (reason,) = marker.args
            return f"{_MARKERS[marker.name]}: {reason}"
    return None


_LONGEST_UNDER_WINE: Final = 480.0
"""Seconds of one test; elsewhere `pyproject.toml` says them."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """A process takes 0.2 s under Wine, not 2 ms, and many of the random examples start some."""
    if not is_wine():
        return
    config.option.timeout = config.option.timeout or _LONGEST_UNDER_WINE
    if "VAULTTOOLS_EXAMPLES" not in os.environ:
        settings.register_profile("Wine", settings.get_profile("any machine"), max_examples=10)
        settings.load_profile("Wine")


_NEED_NUMPY: Final = "tests/meaning/", "tests/ranked/test_fusion.py"


class _LeftOut(pytest.Module):
    """A module that cannot be imported here: in its place is one whose tests have its names, and are left out."""

    def _getobj(self) -> ModuleType:
        @pytest.mark.not_under_wine("numpy does not run there")
        def test() -> None:
            raise NotImplementedError

        module = ModuleType(self.path.stem)
        for name in re.findall(r"^def (test_\w+)", self.path.read_text(encoding="utf-8"), re.MULTILINE):
            setattr(module, name, test)
        return module


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    needs_numpy = module_path.relative_to(parent.config.rootpath).as_posix().startswith(_NEED_NUMPY)
    return _LeftOut.from_parent(parent, path=module_path) if needs_numpy and is_wine() else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    windows, wine = sys.platform == "win32", is_wine()
    for item in items:
        if reason := reason_of(item.iter_markers(), windows=windows, wine=wine):
            item.add_marker(pytest.mark.skip(reason=reason))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    counted: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", ()):
        if isinstance(report.longrepr, tuple):
            counted[report.longrepr[2].removeprefix("Skipped: ")] += 1
    for cause in _MARKERS.values():
        reasons = {reason: number for reason, number in counted.items() if reason.startswith(f"{cause}: ")}
        if reasons:
            terminalreporter.section(f"left out since {cause} lacks what they need: {sum(reasons.values())}")
            for reason, number in sorted(reasons.items(), key=lambda each: (-each[1], each[0])):
                terminalreporter.write_line(f"{number:5} {reason}")
