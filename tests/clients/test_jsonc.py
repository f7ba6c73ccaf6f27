"""JSON with comments is read, and an edit changes one member and no other byte."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.clients import jsonc
from vaulttools.clients.jsonc import MalformedConfig, NotAnObject

PATH = ("mcpServers", "vaulttools")
ENTRY = {"command": "/opt/vt", "args": ["--vault", "/n", "mcp"]}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Nothing yet
        ("", '{\n  "s": {\n    "v": 1\n  }\n}\n'),
        (" \n", '{\n  "s": {\n    "v": 1\n  }\n}\n'),
        ("{}", '{\n  "s": {\n    "v": 1\n  }\n}'),
        ("{\n}\n", '{\n  "s": {\n    "v": 1\n  }\n}\n'),
        # The first member of an object, with the indentation of the text
        ('{\n    "s": {\n        "a": 1\n    }\n}', '{\n    "s": {\n        "v": 1,\n        "a": 1\n    }\n}'),
        ('{\n\t"s": {}\n}', '{\n\t"s": {\n\t\t"v": 1\n\t}\n}'),
        ('{\r\n "b": 2\r\n}', '{\r\n "s": {\r\n  "v": 1\r\n },\r\n "b": 2\r\n}'),
        ('{"s": {"a": 1}}', '{"s": {"v": 1, "a": 1}}'),
        ('{"b":[]}', '{"s": {"v": 1}, "b":[]}'),
        # Comments and commas keep their places
        ('{\n "s": { // mine\n  "a": 1, // one\n }\n}', '{\n "s": { // mine\n  "v": 1,\n  "a": 1, // one\n }\n}'),
        ('{\n "s": { // none\n }\n}', '{\n "s": {\n  "v": 1 // none\n }\n}'),
        ('// top\n{\n "s": {"a": 1,}\n}', '// top\n{\n "s": {"v": 1, "a": 1,}\n}'),
        # Replaced in place
        ('{"s": {"a": 1, "v" : [2, 3] /* c */}}', '{"s": {"a": 1, "v" : 1 /* c */}}'),
    ],
)
def test_a_value_is_put_into_the_text(before: str, after: str) -> None:
    assert jsonc.put(before, ("s", "v"), 1) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"s": {"v": 1}}', '{"s": {}}'),
        ('{"s": {\n  "v": 1, // c\n}}', '{"s": { // c\n}}'),
        ('{"s": {"v": 1, "a": 2}}', '{"s": {"a": 2}}'),
        ('{"s": {"a": 2, "v": 1}}', '{"s": {"a": 2}}'),
        ('{"s": {\n  "a": 2, // two\n  "v": 1 // one\n}}', '{"s": {\n  "a": 2 // two // one\n}}'),
        ('{"s": {\n  "a": 2,\n  "v": 1 /* c */,\n  "b": 3\n}}', '{"s": {\n  "a": 2, /* c */\n  "b": 3\n}}'),
        ('{ // c\n  "s": {"v": 1}, "b": 3}', '{ // c\n  "s": {}, "b": 3}'),
        ('{"s": { // c }\n  "v": 1, "b": 3}}', '{"s": { // c }\n "b": 3}}'),
        ('{"s": {"b": 3, // c }\n  "v": 1}}', '{"s": {"b": 3 // c }\n}}'),
        ('{"s": {"a": 2}}', '{"s": {"a": 2}}'),
        ("", ""),
    ],
)
def test_a_member_is_taken_out_of_the_text(before: str, after: str) -> None:
    assert jsonc.removed(before, ("s", "v")) == after


@pytest.mark.parametrize(
    ("text", "line"),
    [
        *(("", 1), ('{"a": }', 1), ('{\n"a" 1}', 2), ('{\n"a": 1\n"b": 2}', 3), ("[1\n 2]", 2), ("{a: 1}", 1)),
        *(("{,}", 1), ("[ /**/ ,]", 1), ("[1,,]", 1), ('{"a": 1', 1), ("{} {}", 1), ("{} /* open", 1)),
        *(('{"a": "\t"}', 1), ('{"a": "// \n}', 1), ("[" * 100_000, 1), ("1" * 10_000, 1)),
    ],
)
def test_a_broken_text_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(MalformedConfig, match=f"^line {line}: [a-z]"):
        jsonc.read(text)


@pytest.mark.parametrize(("text", "key"), [("[]", ""), ('"x"', ""), ('{"s": []}', "s"), ('{"s": null}', "s")])
def test_a_value_that_cannot_hold_a_member_is_named(text: str, key: str) -> None:
    with pytest.raises(NotAnObject) as caught:
        jsonc.put(text, ("s", "v"), 1)
    assert caught.value.key == key


def listed(value: Any) -> Any:
    """Plain JSON in the form of `read`: objects as pairs in order."""
    if isinstance(value, dict):
        return tuple((key, listed(each)) for key, each in value.items())
    return list(map(listed, value)) if isinstance(value, list) else value


KEYS = st.sampled_from(["a", "mcpServers", "vault", "ü", "// no", "}", '"', "vaulttools2"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_text_that_json_writes_is_read_as_json_reads_it(value: Any) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=1, ensure_ascii=False)):
        assert jsonc.read(text) == listed(json.loads(text))


GAPS = st.lists(
    st.sampled_from([" ", "\t", "\n", "\r\n", "\r", "  ", "// c, }\n", '/* "x": { */', "/**/", "// \r\n"]), max_size=2
).map("".join)


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """The value in one of the many ways to write it."""
    if isinstance(value, dict | list):
        ends = "{}" if isinstance(value, dict) else "[]"
        parts = []
        for each in value:
            key = f"{json.dumps(each)}{draw(GAPS)}:{draw(GAPS)}" if isinstance(value, dict) else ""
            inner = value[each] if isinstance(value, dict) else each
            parts.append(f"{draw(GAPS)}{key}{draw(written(inner))}{draw(GAPS)}")
        trailing = draw(st.sampled_from(["", ","])) if parts else ""
        return f"{ends[0]}{','.join(parts)}{trailing}{draw(GAPS)}{ends[1]}"
    return json.dumps(value, ensure_ascii=False)


SETTINGS = (
    st.fixed_dictionaries(
        {}, optional={"a": VALUES, "mcpServers": st.dictionaries(KEYS, VALUES, max_size=3), "b": VALUES}
    )
    .flatmap(written)
    .flatmap(lambda text: st.tuples(GAPS, st.just(text), GAPS).map("".join))
)


@settings(max_examples=150)
@given(SETTINGS)
def test_an_entry_comes_and_goes_and_every_other_byte_stays(text: str) -> None:
    before = dict(jsonc.read(text))
    after = jsonc.put(text, PATH, ENTRY)

    servers = dict(before.get("mcpServers", ()))
    assert dict(dict(jsonc.read(after))["mcpServers"]) == {**servers, "vaulttools": listed(ENTRY)}
    assert [pair for pair in jsonc.read(after) if pair[0] != "mcpServers"] == [
        pair for pair in jsonc.read(text) if pair[0] != "mcpServers"
    ]
    if servers or (before and "mcpServers" not in before):  # one piece is inserted, and the rest stays
        start = next((at for at, (one, other) in enumerate(zip(text, after, strict=False)) if one != other), len(text))
        assert after.endswith(text[start:])
    if servers:
        assert jsonc.removed(after, PATH) == text
    else:
        left = dict(jsonc.read(jsonc.removed(after, PATH)))
        assert left == {**before, "mcpServers": ()}


@settings(max_examples=50)
@given(SETTINGS, st.sampled_from(["command", "args", "type"]))
def test_a_changed_value_changes_nothing_else(text: str, key: str) -> None:
    added = jsonc.put(text, PATH, ENTRY)
    changed = jsonc.put(added, (*PATH, key), "new")
    assert jsonc.read(changed) != jsonc.read(added)
    back = jsonc.removed(changed, (*PATH, key)) if key not in ENTRY else jsonc.put(changed, (*PATH, key), ENTRY[key])
    assert back == added


SLOW = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
"""Strings and comments, without a way to say that one is not closed: quadratic where many begin and none ends."""


@settings(max_examples=500)
@given(st.lists(st.sampled_from(['"', "\\", "/", "*", "//", "/*", "*/", "\n", ",", "[", "]", "1", " ", '"a"'])))
def test_what_is_not_closed_is_read_as_by_the_slow_expression(pieces: list[str]) -> None:
    text = "".join(pieces)
    slow = SLOW.sub(lambda each: each[0] if each[0][0] == '"' else re.sub(r"[^\r\n]", " ", each[0]), text)

    def read(text: str) -> Any:
        try:
            return jsonc.read(text)
        except MalformedConfig:
            return "malformed"

    without_comments = jsonc._uncommented(text)
    assert read(text) == read(slow)
    if read(text) != "malformed":
        assert without_comments == slow


@pytest.mark.parametrize(
    "text", ['{"a": "' + '\\"' * 300_000, "/*" * 300_000, '"/*' * 300_000, "[," * 300_000, "," + " " * 300_000]
)
def test_a_text_in_which_nothing_is_closed_is_read_once(text: str) -> None:
    with pytest.raises(MalformedConfig):  # it took minutes
        jsonc.read(text)
