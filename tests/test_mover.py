"""While one thread changes a vault, another gets answers without a gap.

Every test run has twelve programs for each way of knowing names, which ask every call of the mover. `make fuzz` runs
others, for `VAULTTOOLS_FUZZ_SECONDS` in each way, and makes one that fails as small as it can.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import SystemRandom
from time import monotonic, monotonic_ns
from typing import Any

import pytest

from tests import mover
from tests.fuzzing import SECONDS
from tests.mover import CALLS, CHANGES, MODES, Asked, Fault, Mode, Program, World
from vaulttools.vault import ToolResult

PROGRAMS = 12
"""So many ask each call of the mover at least once."""

pytestmark = pytest.mark.not_on_windows("Windows renames no folder while a file of it is open")


def numbers() -> Iterator[int]:
    """The numbers of the programs to run: the same few in every test run, or others for the seconds of a long one."""
    if not SECONDS:
        yield from range(PROGRAMS)
        return
    until = monotonic() + SECONDS
    for number in count(SystemRandom().randrange(1_000_000)):
        if monotonic() > until:
            return
        yield number


@pytest.mark.timeout(int(SECONDS) + 600)
@pytest.mark.parametrize("mode", MODES)
def test_what_exists_throughout_a_call_is_in_the_answer_or_is_named(mode: Mode) -> None:
    for number in numbers():
        program = mover.program(number)
        wrong = [fault for fault in mover.run(program, mode)[1] if fault.kind != mover.TWICE]
        if wrong:
            print(f"{mode}, program {number}: {program}\n{wrong[0].report}")  # should the next take too long
            least, fault = mover.minimal(program, mode, wrong[0]) if SECONDS else (program, wrong[0])
            pytest.fail(f"{mode}, program {number}: {least}\n{fault.report}", pytrace=False)


# The mover itself


@pytest.fixture(scope="module")
def at_rest(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, list[Asked]]:
    """A vault that nobody changes, and the answer to each call."""
    program = Program((), tuple((kind, 0) for kind in CALLS))
    return mover.raced(program, "watch", tmp_path_factory.mktemp("rest"), rounds=1)


def kinds(world: World, asked: Asked) -> list[str]:
    return [fault.kind for fault in mover.faults(world, [asked])]


def test_no_answer_of_a_vault_at_rest_is_wrong(at_rest: tuple[World, list[Asked]]) -> None:
    world, asked = at_rest
    assert [fault.report for fault in mover.faults(world, asked)] == []
    assert {each.kind for each in asked} == CALLS.keys()


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"text": "No matches."}, "left out"),
        ({"text": "No matches.", "details": {"complete": False}}, "incomplete, but not named"),
        ({"text": "[incomplete: names changed (zone/k)]", "details": {"complete": False}}, "incomplete, but not named"),
        ({"text": "[incomplete: names changed (zone)]", "details": {"complete": False}}, None),
        ({"text": "[incomplete: names changed (x.md and 9 more)]", "details": {"complete": False}}, None),
        ({"text": "[incomplete: names changed (zone)]"}, "left out"),
        ({"text": "zone, with more", "details": {"complete": False}}, "incomplete, but not named"),
        ({"is_error": True}, "error"),
    ],
)
def test_an_answer_without_its_notes_is_wrong_for_every_call(
    at_rest: tuple[World, list[Asked]], change: dict[str, Any], kind: str | None
) -> None:
    world, asked = at_rest
    for each in asked:
        wrong = replace(each, result=replace(each.result, **change), at_rest=False)
        assert kinds(world, wrong) == ([] if kind is None else [kind]), each.kind


def answer(text: str) -> ToolResult:
    return ToolResult(text, {"complete": True}, is_error=False)


def test_an_answer_with_what_is_gone_is_wrong(tmp_path: Path) -> None:
    world = World(tmp_path)
    old, file = world.contents[0], world.files[0]
    before = monotonic_ns()
    world.rename(0)
    world.overwrite(0)
    others = " ".join(content.sign for content in world.contents[1:])
    asked = Asked("grep", {}, None, monotonic_ns(), monotonic_ns(), answer(others), at_rest=False)
    assert kinds(world, asked) == []
    for text in (old.sign, f"{file.sign}-a.md", f"{file.sign}-a"):
        gone = replace(asked, result=answer(f"{others} {text}"))
        assert kinds(world, gone) == ["not there any more, or not yet"]
        assert kinds(world, replace(gone, begun=before)) == []  # it was there when the call began
    twice = replace(asked, begun=before, result=answer(f"{others} {file.sign}-a.md {file.sign}-b.md"))
    assert kinds(world, twice) == [mover.TWICE]


def test_a_note_that_comes_or_goes_during_a_call_may_be_in_the_answer_or_not(tmp_path: Path) -> None:
    world = World(tmp_path)
    rest = " ".join(content.sign for content in world.contents[1:])
    begun = monotonic_ns()
    world.remove(0)
    world.bring_back(0)
    asked = Asked("grep", {}, None, begun, monotonic_ns(), answer(rest), at_rest=False)
    assert kinds(world, asked) == []
    assert kinds(world, replace(asked, result=answer(f"{rest} {world.contents[0].sign}"))) == []


def test_the_log_says_what_is_on_the_disk_after_every_change(tmp_path: Path) -> None:
    world = World(tmp_path)
    for pick, name in enumerate([*CHANGES, *reversed(CHANGES)] * 3):
        CHANGES[name](world, pick)
        now = monotonic_ns()
        on_disk = {path.relative_to(world.root).as_posix(): path for path in world.root.glob("zone/**/file*")}
        assert on_disk.keys() == {world.path(file) for file in world.files if file.existed_throughout(now, now)}
        held = {path.read_text(encoding="utf-8") for path in on_disk.values()}
        assert held == {content.text for content in world.contents if content.existed_throughout(now, now)}
        assert {path.stem for path in on_disk.values()} == {
            thing.sign for thing in world.names.values() if thing.may_have_existed(now, now)
        }


def test_a_program_that_fails_is_made_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(program: Program, mode: Mode) -> tuple[list[Asked], list[Fault]]:
        fails = "move" in {change[0] for change in program.changes}
        return [], [Fault("left out", call, "") for call, _ in program.calls if fails and call == "grep"]

    monkeypatch.setattr(mover, "run", run)
    changes = tuple((kind, 1, 0.0) for kind in ("write", "move", "remove"))
    large = Program(changes, (("find", 0), ("grep", 0)), has_second=True)
    small, _ = mover.minimal(large, "watch", Fault("left out", "grep", ""))
    assert small == Program((("move", 1, 0.0),), (("grep", 0),))
