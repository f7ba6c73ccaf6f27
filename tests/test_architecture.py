"""The shape of the package: which modules import which, when, and what is public."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import vaulttools

PACKAGE = Path(vaulttools.__file__).parent

LAYERS = [
    ["errors"],
    ["plain_models"],
    ["models"],
    ["config"],
    ["core"],
    ["patterns"],
    ["files"],
    ["user_file"],
    ["attachments"],
    ["matching"],
    ["notes"],
    ["index"],
    ["query"],
    ["meaning"],
    ["bases"],
    ["resources"],
    ["session"],
    ["opening"],
    ["call"],
    ["answers"],
    ["ranked"],
    ["exploration"],
    ["tools"],
    ["methods"],
    ["vault"],
    ["server"],
    ["clients"],
    ["obsidian_cli"],
    ["cli"],
    ["__main__"],
]
"""From the lowest up; a module imports from its own layer or from lower ones."""


@cache
def _modules() -> dict[str, ast.Module]:
    return {
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): ast.parse(
            path.read_text(encoding="utf-8")
        )
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def _layer(module: str) -> int:
    head = module.split(".")[0]
    return next(index for index, layer in enumerate(LAYERS) if head in layer)


def _imported(tree: ast.AST) -> set[str]:
    """The modules that a piece of code imports; of a package of ours, those of its modules that are named."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            inside = {f"{node.module}.{alias.name}" for alias in node.names}
            ours = {name for name in inside if name.removeprefix("vaulttools.") in _modules()}
            names |= ours or {node.module}
    return names


@pytest.mark.parametrize("module", [name for name in _modules() if name != "__init__"])
def test_imports_point_down(module: str) -> None:
    own = [name.removeprefix("vaulttools.") for name in _imported(_modules()[module]) if name.startswith("vaulttools.")]
    assert [name for name in own if _layer(name) > _layer(module)] == []


LATE_ALL_THE_SAME = {
    # This runs before it is clear which models are wanted, ours or pydantic's.
    *("cli.main", "cli.surroundings"),
    # What a program that embeds us may do without, though no command does.
    *("user_file", "files.temporary", "index.location", "matching.process", "opening", "session", "call"),
}


NOT_EVERYWHERE = {"fcntl"}
"""Modules that some systems lack. Since Python 3.14, `subprocess` loads this one for every command."""


def test_an_import_is_at_the_top_unless_some_command_does_without_it(small_vault: Path) -> None:
    """An import inside a function must save something, as a rule start-up time of a command."""
    _loaded_by("--vault", str(small_vault), "tags")  # which makes the index
    commands = (["tags"], ["find", "*.md"], ["read", "inbox.md"], ["search-files", "TODO"])
    by_all = set.intersection(*(_loaded_by("--vault", str(small_vault), *words) for words in commands)) - NOT_EVERYWHERE
    first = {"__init__", *(name.removeprefix("vaulttools.") for name in _loaded_by("--version"))}
    superfluous = {
        name: late & by_all
        for name, tree in _modules().items()
        if name not in first | LATE_ALL_THE_SAME and not _is_program(tree) and (late := _imported_late(tree)) & by_all
    }
    assert superfluous == {}


def _imported_late(tree: ast.Module) -> set[str]:
    """What is imported inside functions; of our own packages, their modules."""
    late: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            late |= _imported(node)
    return late


def _is_program(tree: ast.Module) -> bool:
    """Whether a module is run as `python -m`: it may have to do something before it imports what it needs."""
    return isinstance(tree.body[-1], ast.If) and ast.unparse(tree.body[-1].test) == "__name__ == '__main__'"


OUTSIDE_THE_VAULT = (
    *("cli.output", "cli.handover", "cli.resident", "server.mcp.stdio"),
    *("attachments.worker", "attachments.store"),
    *(
        "index.early_listing",
        "index.kept_facts",
        "index.file",
        "index.database",
        "index.location",
        "index.filesystems",
        "index.inotify",
    ),
)
"""Modules that reach the disk elsewhere: the terminal and pipes, the descriptor that a child was sent, the index's
own files, the list of mounts."""


@pytest.mark.parametrize("module", [name for name in _modules() if name not in ("files.disk", *OUTSIDE_THE_VAULT)])
def test_what_lies_in_a_vault_is_reached_in_one_place(module: str) -> None:
    """Tests can then let every call of ours fail (`tests/test_injection.py`)."""
    calls = {"open", "read", "stat", "lstat", "fstat", "scandir", "listdir", "fdopen", "access", "walk", "readlink"}
    used = {
        node.attr
        for node in ast.walk(_modules()[module])
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os"
    }
    # What tells which flags a system has is no call.
    assert used & calls <= ({"open"} if module == "files.root" else set())


def test_pydantic_is_imported_in_one_place() -> None:
    """The stand-in for pydantic then works everywhere."""
    imports = {name for name, tree in _modules().items() if "pydantic" in _imported(tree)}
    assert {name for name in imports if not name.startswith("server.")} == {"models"}


def test_no_tool_imports_another() -> None:
    from vaulttools import tools

    for name in tools.NAMES:
        imported = _imported(_modules()[f"tools.{name}"])
        assert not imported & {f"vaulttools.tools.{other}" for other in tools.NAMES if other != name}


def test_every_module_says_its_duty_first() -> None:
    assert [name for name, tree in _modules().items() if not ast.get_docstring(tree)] == []


def test_what_is_public_is_what_a_caller_can_meet() -> None:
    """Every error, the vault and its configuration, and whatever a method of `Vault` returns but the tools' answers."""
    from vaulttools import errors, vault

    raised = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}
    returned: set[str] = set()
    for name, method in vars(vault.Vault).items():
        if callable(method) and not name.startswith("_"):
            returned |= set(re.findall(r"\b[A-Z]\w+", str(method.__annotations__.get("return", ""))))
    expected = {"__version__", "Vault", "VaultConfig", *raised, *returned} - {"Any", "Callable", "None", "Path"}
    assert vaulttools.__all__ == sorted(expected)
    assert all(getattr(vaulttools, name) is not None for name in vaulttools.__all__)


def test_a_module_begins_with_what_it_does_in_at_most_fifteen_words() -> None:
    """A verb and its object: `Splits a pattern into …`; for a tool they follow its name."""
    summaries = {name: (ast.get_docstring(tree) or "").split("\n")[0] for name, tree in _modules().items()}
    assert {name: text for name, text in summaries.items() if not 1 < len(text.split()) <= 15} == {}


@pytest.mark.parametrize("module", _modules())
def test_a_docstring_says_what_a_function_returns_not_to_return_it(module: str) -> None:
    documented = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    texts = [ast.get_docstring(node) or "" for node in ast.walk(_modules()[module]) if isinstance(node, documented)]
    assert [text for text in texts if re.search(r"(?:^|[.;] )(?:Return|Yield) ", text)] == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    def imported(name: str) -> set[str]:
        return {each.removeprefix("vaulttools.") for each in _imported(_modules()[name])} & set(_modules())

    # Preparing fails with a circle, if there is one.
    TopologicalSorter({name: imported(name) - {name} for name in _modules()}).prepare()


def _loaded_by(*arguments: str) -> set[str]:
    code = (
        "import sys, os\n"
        "from vaulttools.__main__ import main\n"
        "printed, sys.stdout = sys.stdout, open(os.devnull, 'w', encoding='utf-8')\n"
        f"main({list(arguments)!r}, is_alone=True)\n"
        "loaded = sorted(sys.modules)\n"
        "import json\n"
        "print(json.dumps(loaded), file=printed)"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=True)
    return set(json.loads(printed.stdout))


def test_version_imports_neither_pydantic_nor_markdown_it_nor_argparse() -> None:
    loaded = _loaded_by("--version")
    assert not loaded & {"pydantic", "markdown_it", "yaml", "argparse", "subprocess", "asyncio", "platformdirs"}
    assert not loaded & {"typing", "json", "pathlib", "re"}


def test_a_command_imports_no_pydantic_and_nothing_that_only_others_need(small_vault: Path) -> None:
    arguments = "--vault", str(small_vault), "tags"
    assert not _loaded_by(*arguments) & {"pydantic", "pydantic_core"}
    loaded = _loaded_by(*arguments)  # the index is there by now
    assert not loaded & {"email", "filelock", "importlib.metadata", "multiprocessing", "pydantic", "tqdm"}
    assert not loaded & {
        f"vaulttools.{name}"
        for name in ("index.build", "matching.search", "notes.note", "patterns.pattern", "tools.links")
    }


def test_a_command_about_links_imports_no_search(small_vault: Path) -> None:
    loaded = _loaded_by("--vault", str(small_vault), "links", "--direction", "orphans")
    assert not loaded & {"pydantic", "vaulttools.matching.search"}


def test_a_search_without_hits_imports_no_markdown_parser_and_no_yaml(small_vault: Path) -> None:
    loaded = _loaded_by("--vault", str(small_vault), "search-files", "occurs nowhere at all")
    assert not loaded & {"markdown_it", "yaml", "frontmatter", "asyncio", "tarfile"}
