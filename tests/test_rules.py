"""`tests/rules.md` lists every rule of Obsidian's, and each test that is named after one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

TESTS = Path(__file__).parent
PAGE = TESTS / "rules.md"

LAST: Final = ("S47", "C06", "T09", "P10", "L18", "A02", "B02", "K02", "M01", "D01", "F01", "N01", "H01", "X01", "E09")
"""The last rule under each letter, in the order of the list in the project's plan."""

IDS = [f"rule-{last[0]}{number:02}" for last in LAST for number in range(1, int(last[1:]) + 1)]

_TEST = re.compile(r"^def test_rules?_(\w+)\(", re.MULTILINE)
_NAMED = re.compile(r"((?:[A-Z][0-9]{2}_)+)[a-z]\w+")
_ROW = re.compile(r"^- \*\*(rule-[A-Z][0-9]{2})\*\* (.+)$", re.MULTILINE)

ROWS = _ROW.findall(PAGE.read_text(encoding="utf-8"))


def named_after_rules() -> dict[str, set[str]]:
    """The tests that are named after each rule; every other test has another name, or one in lower case."""
    found: dict[str, set[str]] = {}
    for path in TESTS.rglob("test_*.py"):
        for name in _TEST.findall(path.read_text(encoding="utf-8")):
            named = _NAMED.fullmatch(name)
            assert named or name.islower(), f"no rule can be read in {name} ({path.name})"
            for rule in named[1].strip("_").split("_") if named else ():
                found.setdefault(f"rule-{rule}", set()).add(f"test_rule_{name}")
    return found


def test_every_rule_has_one_row() -> None:
    assert [rule for rule, _ in ROWS] == IDS


def test_no_test_is_named_after_a_missing_rule() -> None:
    assert named_after_rules().keys() <= set(IDS)


@pytest.mark.parametrize(("rule", "text"), ROWS, ids=[row[0] for row in ROWS])
def test_a_rule_has_a_test_of_its_name_or_its_row_disclaims_it(rule: str, text: str) -> None:
    assert ("*Here:* not ours: " in text) is (rule not in named_after_rules())
