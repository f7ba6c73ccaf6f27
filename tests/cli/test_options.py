"""Options: each is made from a field of a request, and means that field."""

from __future__ import annotations

import argparse

import pytest

from vaulttools import tools
from vaulttools.answers.request import schema
from vaulttools.cli import options
from vaulttools.errors import BadArgument

BOOLEANS = [
    (name, field)
    for name in tools.NAMES
    for field, property_ in schema(tools.named(name).request)["properties"].items()
    if property_.get("type") == "boolean"
]


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize(("tool", "field"), BOOLEANS)
def test_each_of_the_two_options_of_a_boolean_means_its_value(tool: str, field: str, value: bool) -> None:
    """Also of a field that is itself called `no_…`: `--no-due` is no denial of `--due`."""
    request = tools.named(tool).request
    needed = ["x" for _ in options.required(request)] + [f"--{option}=x" for option in request.options.values()]
    given = options.words({field: value}, request)
    assert options.parse(tools.named(tool), [*needed, *given])[field] is value


def test_a_boolean_whose_name_begins_with_no_is_among_them() -> None:
    assert ("tasks", "no_due") in BOOLEANS


@pytest.mark.parametrize("tool", tools.NAMES)
def test_no_option_has_a_name_that_newer_versions_of_python_refuse(tool: str) -> None:
    """Python 3.14's `BooleanOptionalAction` refuses `--no-due`; earlier versions understood it as a denial."""
    made = options._parser(tools.named(tool))._actions
    assert not any(isinstance(action, argparse.BooleanOptionalAction) for action in made)


@pytest.mark.parametrize("option", ["--overdue", "--no-overdue", "--no-due"])
def test_a_boolean_with_a_value_is_refused(option: str) -> None:
    with pytest.raises(BadArgument) as refused:
        options.parse(tools.named("tasks"), [f"{option}=true"])
    assert str(refused.value) == f"{option} takes no value"
