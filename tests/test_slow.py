"""The list of slow tests, which `make quick` leaves out: what it names is there, and how it is made."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests import slow

ROOT = Path(__file__).parent.parent


def test_every_name_in_the_list_is_a_test() -> None:
    listed = slow.listed()
    assert listed == sorted(set(listed))
    for name in listed:
        file, test, *_ = slow.function_of(name).split("::")
        assert test in _defined(ROOT / file), name


def _defined(file: Path) -> set[str]:
    """The names that a module defines; Hypothesis makes a class of tests by an assignment."""
    body = ast.parse(file.read_text(encoding="utf-8")).body
    names = {each.name for each in body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    targets = [target for each in body if isinstance(each, ast.Assign) for target in each.targets]
    return names | {target.id for target in targets if isinstance(target, ast.Name)}


def test_a_test_is_listed_whole_if_most_of_its_cases_are_slow() -> None:
    cases = {"a.py::one[1]": True, "a.py::one[2]": True, "a.py::one[3]": False, "a.py::two[1]": True}
    assert slow.names_of({**cases, "a.py::two[2]": False, "a.py::three": True, "a.py::four": False}) == [
        "a.py::one",
        "a.py::three",
        "a.py::two[1]",
    ]


def test_a_run_of_some_files_changes_what_the_list_says_of_them() -> None:
    before = ["a.py::gone", "a.py::quick", "b.py::slow"]
    assert slow.renewed(before, {"a.py::quick": False, "a.py::slow": True}) == ["a.py::slow", "b.py::slow"]


@pytest.mark.parametrize(
    ("case", "is_left_out"),
    [("a.py::one", True), ("a.py::one[1]", True), ("a.py::two[1]", True), ("a.py::two[2]", False), ("a.py::on", False)],
)
def test_a_listed_test_is_left_out_with_all_cases_and_a_listed_case_alone(case: str, is_left_out: bool) -> None:
    assert slow.is_in({"a.py::one", "a.py::two[1]"}, case) == is_left_out
