"""TOML settings: one table comes and goes, and every other byte stays."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.clients import toml
from vaulttools.clients.jsonc import MalformedConfig, NotAnObject

PATH = ("mcp_servers", "vaulttools")
ENTRY = {"command": "/opt/vt", "args": ("--vault", 'C:\\"n"', "mcp")}
TABLE = '[mcp_servers.vaulttools]\ncommand = "/opt/vt"\nargs = ["--vault", "C:\\\\\\"n\\"", "mcp"]\n'

PIECES = [
    'model = "o3"  # best\n',
    "# a comment\n\n",
    "[mcp_servers.other]\ncommand = 'x'\n",
    '[mcp_servers.other.env]\nKEY = "secret"\n',
    '  [projects."/home/a"]\n  trust = """\n[mcp_servers.vaulttools]\n"""\n',
    "[[profiles]]\nname = 1\n",
    "[[profiles]]\nname = 2\n",
    "\n\n",
]
FILES = (
    st.lists(st.sampled_from(PIECES), unique=True)
    .map(lambda pieces: "".join(sorted(pieces, key=lambda piece: piece.lstrip().startswith("["))))
    .flatmap(lambda text: st.sampled_from([text, text.rstrip("\n"), text.replace("\n", "\r\n")]))
)


def test_the_table_is_appended() -> None:
    assert toml.put("", PATH, ENTRY) == TABLE
    assert toml.put("a = 1\n", PATH, ENTRY) == f"a = 1\n\n{TABLE}"
    assert toml.put("a = 1", PATH, ENTRY) == f"a = 1\n{TABLE}"


@settings(max_examples=60)
@given(FILES)
def test_a_table_comes_and_goes_and_every_other_byte_stays(text: str) -> None:
    after = toml.put(text, PATH, ENTRY)
    assert after.startswith(text)
    expected = tomllib.loads(text)
    expected.setdefault("mcp_servers", {})["vaulttools"] = {"command": "/opt/vt", "args": list(ENTRY["args"])}
    assert tomllib.loads(after) == expected
    assert toml.removed(after, PATH, ("command", "args")) == text


def test_a_value_is_changed_in_its_place() -> None:
    text = f"{TABLE}timeout = 5 # s\n\n[mcp_servers.vaulttools.env]\nA = 'b'\n"
    changed = toml.put(text, PATH, {"command": "/new", "args": ENTRY["args"]})
    assert changed == text.replace("/opt/vt", "/new")


def test_a_table_goes_with_everything_that_others_added() -> None:
    text = f"a = 1\n\n{TABLE}timeout = 5 # s\n[mcp_servers.vaulttools.env]\nA = 'b'\n[z]\nb = 2\n"
    assert tomllib.loads(toml.removed(text, PATH, ("command", "args"))) == {"a": 1, "z": {"b": 2}}


@pytest.mark.parametrize("text", ["a = ", "[a]\n[a]\n", "a = 1\na = 2\n", "\x00"])
def test_a_broken_text_is_refused(text: str) -> None:
    with pytest.raises(MalformedConfig):
        toml.put(text, PATH, ENTRY)


@pytest.mark.parametrize("text", ["mcp_servers = 1\n", "mcp_servers = {}\n", "[mcp_servers]\nvaulttools = 1\n"])
def test_a_place_that_cannot_be_added_to_is_refused(text: str) -> None:
    with pytest.raises(NotAnObject):
        toml.put(text, PATH, ENTRY)
