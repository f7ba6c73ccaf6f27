"""Arguments that nobody would send: each call is answered within its bounds, and the server goes on (fault-M02)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.conftest import FIXTURES, OUR_FAULT, own_places, write_files
from tests.server.serving import Raw, raw_mcp
from vaulttools import tools
from vaulttools.core import limits
from vaulttools.tools.definitions import definitions

CALLS = 500

STRUCTURED_BYTES = 4 * limits.TEXT_BYTES
"""The bound of the structured content as JSON: it has what the text shows, with numbers and names."""

DEFINITIONS = definitions("mcp")

TEXTS = st.one_of(
    st.sampled_from(
        [
            *("TODO", ".", "", " ", "seed|TODO", "[[", "(", r"(?<=a)b", r"\b(\w+)\s+\1\b", "a{1000}{1000}", "*"),
            *("**/*.md", "{a,b", "[", "..", "../..", "/etc/passwd", ".obsidian/app.json", ".git"),
            *("Projects", "inbox", "Projects/plan.md", "inbox.md:1-2", "[[plan#Risks]]", "a.zip:b"),
            *("vaulttools://docs", "obsidian://open?file=inbox", "true", "null", "-1", "1e400", "NaN", "[1,2]"),
            *('{"a": 1}', "x" * 5_000, "\0", "\ud800", "é", "\u202e"),
        ]
    ),
    st.text(max_size=20),
)
VALUES = st.recursive(
    st.one_of(TEXTS, st.none(), st.booleans(), st.integers(), st.integers(-2, 30), st.floats()),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(TEXTS, children, max_size=3),
    max_leaves=5,
)


def _fitting(property_: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that an argument may well take."""
    if "enum" in property_:
        return st.sampled_from(property_["enum"])
    if isinstance(property_["type"], list):
        return st.one_of([_fitting({"type": kind}) for kind in property_["type"]])
    return {
        "string": TEXTS,
        "boolean": st.booleans(),
        "integer": st.integers(-1, 100),
        "number": st.floats(0, 2),
        "array": TEXTS | st.lists(TEXTS, max_size=3),
        "object": st.dictionaries(TEXTS, VALUES, max_size=2),
    }[property_["type"]]


@st.composite
def _calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A tool, with most of its required arguments and some of the others, most of them of the right type."""
    definition = draw(st.sampled_from(DEFINITIONS))
    schema = definition["inputSchema"]
    arguments: dict[str, Any] = {}
    for name, property_ in schema["properties"].items():
        if draw(st.integers(0, 9)) < (9 if name in schema.get("required", ()) else 3):
            arguments[name] = draw(_fitting(property_) if draw(st.integers(0, 9)) < 8 else VALUES)
    if draw(st.integers(0, 9)) == 0:
        arguments |= draw(st.dictionaries(TEXTS, VALUES, max_size=1))
    return definition["name"], arguments


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Raw]:
    """One server for all calls."""
    home = tmp_path_factory.mktemp("home")
    table = f"[fuzzed]\npath = '{FIXTURES / 'vault'}'\ntime_limit = 1\n"
    places = ("config/vaulttools", "local/vaulttools/vaulttools")  # the second on Windows
    write_files(home, {f"{place}/vaulttools.toml": table for place in places})
    with raw_mcp(FIXTURES / "vault", "--tools", "all", **own_places(home)) as raw:
        yield raw
        status, _, errors = raw.hang_up()
        assert (status, errors) == (0, b"")


NUMBERS = count(1)
VALIDATORS = {each["name"]: Draft202012Validator(each["outputSchema"]) for each in DEFINITIONS}


@given(call=_calls())
@pytest.mark.timeout(400)
@settings(max_examples=CALLS, deadline=None, suppress_health_check=list(HealthCheck))
def test_fault_M02_any_arguments_are_answered_within_bounds(raw: Raw, call: tuple[str, dict[str, Any]]) -> None:
    name, arguments = call
    number = next(NUMBERS)
    raw.call(number, name, arguments)
    answer = raw.read()
    if "error" in answer:  # what is no JSON to the SDK, such as a lone surrogate
        assert (answer["id"], answer["error"]["code"]) == (number, -32602)
        return
    assert answer["id"] == number
    result = answer["result"]
    (block,) = result["content"]
    assert 0 < len(block["text"].encode()) <= limits.TEXT_BYTES
    assert not OUR_FAULT.search(block["text"])
    assert os.fspath(Path(FIXTURES).parent) not in block["text"]
    if not result["isError"]:
        VALIDATORS[name].validate(result["structuredContent"])
        assert len(json.dumps(result["structuredContent"])) <= STRUCTURED_BYTES


def test_every_tool_is_fuzzed() -> None:
    assert set(VALIDATORS) == set(tools.NAMES)
