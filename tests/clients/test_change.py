"""Changing one client's file: nothing of others is changed, lost, or shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.clients import change
from vaulttools.clients.change import Unchangeable
from vaulttools.clients.registry import CLIENTS, Client

BY_NAME = {client.name: client for client in CLIENTS}
CURSOR, VSCODE, CODEX = BY_NAME["cursor"], BY_NAME["vscode"], BY_NAME["codex"]
ENTRY = {"command": "/opt/vt", "args": ["--vault", "/n", "mcp"]}

BOM = b"\xef\xbb\xbf"

CONTENTS = {
    "cursor": [
        None,
        b"",
        b"{}",
        b'\xef\xbb\xbf{"mcpServers": {}}\r\n',
        b'{"mcpServers": {"other": {"env": {"KEY": "sk-secret"}}}}',
        b'{\n\t// mine\n\t"mcpServers": {\n\t},\n}\n',
        b'{ "theme": "dark" }',
        b'{"mcpServers": {\n}, "mcpServers2": {"a": []}}',
    ],
    "codex": [None, b"", b'model = "o3"', b"[mcp_servers.other.env]\r\nKEY = 'sk-secret'\r\n", b"\n\n# end"],
}


def added(client: Client, before: bytes | None, backup: bytes | None = None, vault: str = "/n") -> change.ConfigChange:
    entry = {"command": "/opt/vt", "args": ["--vault", vault, "mcp"]}
    return change.added(client, Path(_file(client)), before, backup, entry, "vaulttools")


def removed(client: Client, before: bytes | None, backup: bytes | None = None) -> change.ConfigChange:
    return change.removed(client, Path(_file(client)), before, backup, "vaulttools")


def _file(client: Client) -> str:
    return "config.toml" if client is CODEX else "mcp.json"


CASES = [(BY_NAME[name], content) for name, contents in CONTENTS.items() for content in contents]


@pytest.mark.parametrize(("client", "content"), CASES)
def test_removing_gives_back_the_bytes(client: Client, content: bytes | None) -> None:
    made = added(client, content)
    assert made.backup == content
    assert made.after is not None and made.after.startswith(BOM) == (content or b"").startswith(BOM)
    again = added(client, made.after, made.backup, vault="/other")
    assert (again.action, again.backup) == ("update", None)
    for each in (made, again):
        gone = removed(client, each.after, made.backup)
        assert (gone.action, gone.after) == ("remove", content)


@pytest.mark.parametrize(("client", "content"), CASES)
def test_adding_twice_and_removing_nothing_change_nothing(client: Client, content: bytes | None) -> None:
    made = added(client, content)
    assert added(client, made.after).action == "none"
    assert removed(client, content).action == "none"


@settings(max_examples=40)
@given(st.sampled_from(CASES), st.sampled_from([b'{"x": 1}', b"a = 1\n", b""]))
def test_later_changes_by_others_stay(case: tuple[Client, bytes | None], since: bytes) -> None:
    """A backup is not restored unless the file was made from it."""
    client, content = case
    made = added(client, content)
    assert made.after is not None
    edited = made.after.replace(b"sk-secret", b"sk-newer") + (b"\n# later\n" if client is CODEX else b"\n// later\n")
    gone = removed(client, edited, since)
    assert gone.after is not None
    assert b"later" in gone.after and b"/opt/vt" not in gone.after
    assert (b"sk-newer" in gone.after) == (b"sk-secret" in (content or b""))


@pytest.mark.parametrize(("client", "content"), CASES)
def test_only_our_own_block_is_shown(client: Client, content: bytes | None) -> None:
    made = added(client, content)
    block = (
        ("+ [mcp_servers.vaulttools]", '+ command = "/opt/vt"', '+ args = ["--vault", "/n", "mcp"]')
        if client is CODEX
        else ('+ "vaulttools": {', '+   "command": "/opt/vt",', '+   "args": ["--vault", "/n", "mcp"]', "+ }")
    )
    assert made.lines == block
    assert removed(client, made.after).lines == tuple(line.replace("+", "-", 1) for line in block)


def test_additions_of_a_user_to_our_entry_are_kept_and_only_counted() -> None:
    own = {"command": "/old", "args": ["--vault", "/n", "mcp"], "env": {"KEY": "sk-secret"}, "disabled": False}
    before = json.dumps({"mcpServers": {"vaulttools": own}}).encode()
    made = added(CURSOR, before)
    assert made.after == before.replace(b"/old", b"/opt/vt")
    assert made.backup == before
    assert made.lines == (
        '  "vaulttools": {',
        '-   "command": "/old",',
        '+   "command": "/opt/vt",',
        '    "args": ["--vault", "/n", "mcp"]',
        "  }",
        "  … 2 more settings of this entry",
    )
    gone = removed(CURSOR, before)
    assert gone.after == b'{"mcpServers": {}}'
    assert gone.lines[-1] == "- … 2 more settings of this entry"


def test_clients_that_name_the_transport_get_it() -> None:
    made = added(VSCODE, None)
    assert json.loads(made.after or b"") == {"servers": {"vaulttools": {"type": "stdio", **ENTRY}}}


@pytest.mark.parametrize(
    ("client", "content", "sentence"),
    [
        (CURSOR, b'{"KEY": "sk-secret"', "it cannot be read as JSON: line 1: expecting ',' delimiter"),
        (CODEX, b"KEY = sk-secret", "it cannot be read as TOML: line 1: it breaks the rules of TOML"),
        (CURSOR, b"\xff\xfe{\x00}\x00", "it is not UTF-8"),
        (CURSOR, b"[]", "it is not an object"),
        (CURSOR, b'{"mcpServers": []}', "its mcpServers is not an object that can be added to"),
        (CODEX, b"mcp_servers = {}", "its mcp_servers is not an object that can be added to"),
        (CURSOR, b'{"mcpServers": {"vaulttools": "x"}}', "its vaulttools is not an object"),
        (
            CURSOR,
            b'{"mcpServers": {"vaulttools": {"url": "http://127.0.0.1:1/mcp"}}}',
            "its vaulttools is a server at an address: remove it first, with --remove",
        ),
    ],
)
def test_an_unchangeable_file_is_refused_in_one_sentence(client: Client, content: bytes, sentence: str) -> None:
    with pytest.raises(Unchangeable) as caught:
        added(client, content)
    assert str(caught.value) == sentence


def test_an_entry_that_occurs_twice_is_not_half_removed() -> None:
    with pytest.raises(Unchangeable, match="it cannot be changed safely"):
        removed(CURSOR, b'{"mcpServers": {"vaulttools": {}, "vaulttools": {}}}')
