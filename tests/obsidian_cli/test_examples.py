"""The examples of Obsidian's help page and of its official skill, unchanged."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from tests.conftest import FIXTURES
from tests.test_protection import digest
from vaulttools.cli import main as cli
from vaulttools.obsidian_cli.commands import BY_NAME

Printed = pytest.CaptureFixture[str]

READING = [
    *(
        "help",
        'search query="meeting notes"',
        "read",
        "tasks daily",
        "tags counts",
        'vault="My Vault" search query="test"',
    ),
    *("read file=Recipe", 'read path="Templates/Recipe.md"', "read --copy", 'search query="TODO" --copy', "tasks"),
    *("tasks todo", "tasks file=Recipe done", "tasks daily total", "tasks verbose", "tasks 'status=?'"),
    *('read file="My Note"', 'search query="search term" limit=10', "tasks daily todo", "tags sort=count counts"),
    *('backlinks file="My Note"', "vault", "vaults", "files", "version", "daily:path"),
]
"""Those that read: a result, the sentence of an empty answer, or an error, all with status 0."""

REFUSED = [
    *("daily", 'daily:append content="- [ ] Buy groceries"', 'create name="Trip to Paris" template=Travel'),
    *("diff file=README from=1 to=3", "devtools", "plugin:reload id=my-plugin", "dev:screenshot path=screenshot.png"),
    *(
        'eval code="app.vault.getFiles().length"',
        "create",
        'create name=Note content="Hello world"',
        "vault=Notes daily",
    ),
    *('create name=Note content="Hello" open overwrite', r'create name=Note content="# Title\n\nBody text"', "diff"),
    *("diff file=Recipe", "diff filter=sync", "task file=Recipe line=8", 'task ref="Recipe.md:8" toggle'),
    *("task daily line=3 done", 'create name="My Note" content="Hello world"', "dev:errors", "dev:mobile on"),
    *('create name="My Note" silent overwrite', 'append file="My Note" content="New line"', "daily:read"),
    *('daily:append content="- [ ] New task"', 'property:set name="status" value="done" file="My Note"', ""),
    *('dev:dom selector=".workspace-leaf" text', "dev:console level=error", 'dev:css selector=".workspace-leaf"'),
]
"""Those that write, open or need the app; and the daily note, which is not there."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the shipped vault with the notes that the examples name."""
    folder = tmp_path_factory.mktemp("examples") / "My Vault"
    shutil.copytree(FIXTURES / "vault", folder)
    (folder / "Recipe.md").write_text("Recipe\n- [x] cook\n- [?] eat\n", encoding="utf-8")
    (folder / "My Note.md").write_text("search term, meeting notes, test, TODO\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("line", READING)
def test_a_reading_example_works_without_the_app(folder: Path, line: str, capsys: Printed) -> None:
    assert cli.main(["--no-index", "--vault", str(folder), "obsidian", *shlex.split(line)]) == 0
    printed = capsys.readouterr()
    missing = {"read", "read --copy"}  # no file is active without the app
    assert (printed.out.startswith("Error: No active file")) == (line in missing)
    assert "Error" not in printed.out or line in {*missing, 'read path="Templates/Recipe.md"'}


@pytest.mark.parametrize("line", REFUSED)
def test_a_writing_example_is_refused_and_changes_nothing(folder: Path, line: str, capsys: Printed) -> None:
    before = digest(folder)
    assert (
        cli.main(["--no-index", "--today", "2020-01-01", "--vault", str(folder), "obsidian", *shlex.split(line)]) == 1
    )
    printed = capsys.readouterr()
    assert printed.out == "" and len(printed.err.splitlines()) == 1
    assert digest(folder) == before


def test_each_command_of_the_examples_is_known() -> None:
    words = [[word for word in shlex.split(line) if not word.startswith("vault=")] for line in (*READING, *REFUSED)]
    assert {each[0] for each in words if each} <= BY_NAME.keys()
