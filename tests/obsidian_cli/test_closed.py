"""No command shows a name or a word of a protected folder, however it is asked; nothing is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import write_files
from tests.obsidian_cli.asking import asked
from tests.test_protection import digest
from vaulttools import Vault, VaultConfig
from vaulttools.obsidian_cli.commands import BUILT, Command

SECRET = (
    "---\ntags: [CANARY]\nCANARYprop: x\naliases: [CANARYalias]\n---\n"
    "# CANARY\nword [[CANARYlink]] [[open]]\n- [ ] CANARY\n"
)
CLOSED = ("Private", ".obsidian", ".git", ".trash")
FILES = {
    "open.md": "word [[hidden]] #tag\n- [ ] task\n",
    "b.base": "views:\n  - type: table\n    order: [file.path, tags]\n",
    **{f"{folder}/hidden.md": SECRET for folder in CLOSED},
    "Private/KANARI.base": "views:\n  - type: table\n    name: CANARY\n",
}
GIVEN = [
    *("Private/hidden.md", "Private/KANARI.base", "Private/", ".obsidian/hidden.md", ".git/hidden.md", "hidden"),
    *("./Private/hidden.md", "private/hidden.md", "x/../Private/hidden.md", "PRIVATE", ".obsidian", "hidden.md"),
    *("Private\\hidden.md", "//Private/hidden.md", "Priv*", "KANARI.base", "KANARI", "open/../Private/hidden.md"),
    *("../vault/Private/hidden.md", "{vault}/Private/hidden.md", "obsidian://open?file=Private/hidden"),
]


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    folder = tmp_path / "vault"
    write_files(folder, FILES)
    before = digest(folder)
    with Vault.open(folder, config=VaultConfig(protected=("Private",), index="off")) as opened:
        yield opened
    assert digest(folder) == before


def _lines(command: Command, given: str) -> Iterator[list[str]]:
    """Every parameter of a command with a value, every flag and format alone."""
    required = [f"{each.name}=word" for each in command.parameters if each.is_required]
    yield [command.name, *required]
    for each in command.parameters:
        others = [word for word in required if not word.startswith(f"{each.name}=")]
        yield [command.name, *others, f"{each.name}={given}" if each.value else each.name]
        for name in command.formats:
            yield [command.name, *others, f"{each.name}={given}" if each.value else each.name, f"format={name}"]


@pytest.mark.parametrize("command", [each for each in BUILT if each.needs_vault], ids=lambda each: each.name)
def test_nothing_closed_is_shown(vault: Vault, command: Command) -> None:
    for given in (*GIVEN, "word", "CANARY*"):
        written = given.format(vault=vault.path) if "{" in given else given
        for words in _lines(command, written):
            printed = asked(vault, words)
            shown = "\n".join((printed.out, *printed.err)).replace(written, "")
            assert "CANARY" not in shown, words
            if "KANARI" not in written:
                assert "KANARI" not in shown, words


@pytest.mark.parametrize("given", GIVEN)
def test_a_closed_file_is_one_that_is_not_there(vault: Vault, given: str) -> None:
    written = given.format(vault=vault.path) if "{" in given else given
    for command in ("read", "file", "outline", "links", "backlinks", "properties", "tags", "tasks", "wordcount"):
        for key in ("file", "path"):
            printed = asked(vault, [command, f"{key}={written}"])
            assert (printed.out, printed.status) == (f'Error: File "{written}" not found.', 0), (command, key)


def test_a_daily_note_in_a_closed_place_is_not_named(tmp_path: Path) -> None:
    write_files(tmp_path, {".obsidian/daily-notes.json": '{"folder": "../Elsewhere"}'})
    with Vault.open(tmp_path, index="off") as vault:
        for command in ("daily:path", "daily:read"):
            printed = asked(vault, command)
            assert (printed.out, printed.status) == ("", 1) and "Elsewhere" not in "".join(printed.err)
