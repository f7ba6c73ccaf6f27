"""A plugin of pytest: which tests are slow, and `--quick`, which leaves them out.

`slow.txt` lists them. `--list-slow` writes it anew for the files that it runs.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Final

import pytest

LIST: Final = Path(__file__).with_name("slow.txt")

PROCESSOR_SECONDS: Final = 0.5
"""A test is slow that takes more of the processor's time, with the processes that it waits for: a second by the clock,
on a machine that does something else too. Such tests take more than half of the time of all."""

CLOCK_SECONDS: Final = 5.0
"""So is one that takes longer by the clock, since it waits; on a busy machine, every test waits for a while."""

_MOST: Final = 0.5
"""With more than this share of its cases a test is listed as a whole: cases come and go."""

_PROPERTY: Final = "seconds"


def function_of(name: str) -> str:
    """The name of a test without the parameters of its case."""
    return name.partition("[")[0]


def listed() -> list[str]:
    """The names in the list: of tests, and of single cases."""
    return LIST.read_text(encoding="utf-8").splitlines()


def is_in(names: AbstractSet[str], case: str) -> bool:
    """Whether a case is among names of tests and cases."""
    return not names.isdisjoint((case, function_of(case)))


def names_of(slow: Mapping[str, bool]) -> list[str]:
    """The names that a list needs for cases that are slow or not: of the test if most of its cases are."""
    cases = Counter(map(function_of, slow))
    slow_cases = Counter(function_of(name) for name, is_slow in slow.items() if is_slow)
    whole = {function for function, number in slow_cases.items() if number > cases[function] * _MOST}
    found = {name: function_of(name) for name, is_slow in slow.items() if is_slow}
    return sorted({function if function in whole else name for name, function in found.items()})


def renewed(before: Iterable[str], slow: Mapping[str, bool]) -> list[str]:
    """The list after a run of cases that were slow or not; what it says of other files stays."""
    ran = {name.partition("::")[0] for name in slow}
    return sorted([*(name for name in before if name.partition("::")[0] not in ran), *names_of(slow)])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out the tests in tests/slow.txt")
    parser.addoption("--list-slow", action="store_true", help="rewrite tests/slow.txt for the files that are run")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--quick"):
        return
    slow = frozenset(listed())
    config.hook.pytest_deselected(items=[item for item in items if is_in(slow, item.nodeid)])
    items[:] = [item for item in items if not is_in(slow, item.nodeid)]


@contextmanager
def _timed(item: pytest.Item) -> Generator[None]:
    """Add what the block takes to what is said of a test."""
    processor, clock = sum(os.times()[:4]), monotonic()
    try:
        yield
    finally:
        took = (_PROPERTY, [sum(os.times()[:4]) - processor, monotonic() - clock])
        item.user_properties.append(took)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    if fixturedef.scope != "function":  # tests share it: the first of them pays for all
        return (yield)
    with _timed(request.node):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    with _timed(item):
        return (yield)


_slow: Final[dict[str, bool]] = {}
"""Every case that ran, and whether it was slow."""


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "teardown":
        took = [value for name, value in report.user_properties if name == _PROPERTY]
        processor, clock = (sum(part) for part in zip(*took, strict=True)) if took else (0.0, 0.0)
        _slow[report.nodeid] = processor > PROCESSOR_SECONDS or clock > CLOCK_SECONDS


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.getoption("--list-slow") and not hasattr(session.config, "workerinput"):
        LIST.write_text("".join(f"{name}\n" for name in renewed(listed(), _slow)), encoding="utf-8")
