"""What is built and installed: the source archive, the wheel, and the wheel in an environment with nothing else."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from email import message_from_string
from email.message import Message
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest

import vaulttools
from vaulttools.cli.mcp import NEEDS_EXTRA

REPOSITORY = Path(__file__).parent.parent
USERS = dict(os.environ)
"""The environment outside of tests: pip finds its cache and settings in it."""

SCRIPT = """\
from vaulttools import Vault

with Vault.open(".") as vault:
    answer = vault.search_files("seed", max_results=1)
    paths: list[str] = [file.path for file in answer.files]
"""

PAGES = """\
import json
from vaulttools.resources import urls

print(json.dumps({page.name: page.text for page in urls.documentation("vaulttools://docs")}))
"""

pytestmark = pytest.mark.skipif(not (REPOSITORY / "pyproject.toml").exists(), reason="not in a source tree")


def run(*words: str | Path, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> str:
    """The output of a command, which must succeed."""
    ran = subprocess.run(words, env=env, cwd=cwd, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source archive, and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, REPOSITORY)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    [path] = built.glob("*.whl")
    return path


_PAGE = REPOSITORY / "vaulttools" / "server" / "page"


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return message_from_string(archive.read(name).decode("utf-8"))


def test_the_source_archive_holds_what_the_repository_holds(built: Path) -> None:
    if not (REPOSITORY / ".git").exists() or shutil.which("git") is None:
        pytest.skip("needs git, and a repository to compare with")
    kept = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=REPOSITORY).split("\0")
    there = {name for name in kept if (REPOSITORY / name).is_file()}
    [path] = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert inside - {"PKG-INFO"} == there - {".ci/run", ".gitattributes", ".github/workflows/test.yml"}


def test_the_wheel_holds_the_package_its_types_and_its_pages(wheel: Path) -> None:
    files = [*(REPOSITORY / "vaulttools").rglob("*.py"), *_PAGE.glob("templates/*.html")]
    files += filter(Path.is_file, _PAGE.glob("static/**/*"))  # what comes from others with its licence
    files += (
        path for path in (REPOSITORY / "vaulttools/ranked").glob("english_*") if path.suffix != ".py"
    )  # with their licence
    files += (REPOSITORY / "vaulttools/meaning").glob("vocabulary.*")
    files += (REPOSITORY / "vaulttools/core/folding").glob("simplified.*")
    package = {path.relative_to(REPOSITORY).as_posix() for path in files}
    pages = {path.relative_to(REPOSITORY / "docs").as_posix() for path in (REPOSITORY / "docs").rglob("*.md")}
    inside = {name for name in names(wheel) if ".dist-info/" not in name}
    types = {"vaulttools/py.typed", "vaulttools/methods.pyi"}
    assert inside == package | types | {f"vaulttools/documentation/{page}" for page in pages}


def test_the_wheel_and_the_source_archive_hold_the_licences_of_others(wheel: Path, built: Path) -> None:
    shipped = (REPOSITORY / "THIRD-PARTY-LICENSES.txt").read_bytes()
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith("licenses/THIRD-PARTY-LICENSES.txt")]
        assert archive.read(name) == shipped
    [path] = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        inside = archive.extractfile(f"{path.name.removesuffix('.tar.gz')}/THIRD-PARTY-LICENSES.txt")
        assert inside is not None and inside.read() == shipped


def test_the_metadata_says_what_an_index_of_packages_shows(wheel: Path) -> None:
    said = metadata(wheel)
    assert said["Name"] == "vaulttools"
    assert said["Version"] == vaulttools.__version__
    assert said["License-Expression"] == "MIT"
    assert said["Author"] == "the vaulttools authors"
    assert said["Description-Content-Type"] == "text/markdown"
    assert said.get_payload() == (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert {"Typing :: Typed", "Programming Language :: Python :: 3.14"} <= set(said.get_all("Classifier", []))
    assert {"mcp"} <= set(said.get_all("Provides-Extra", []))


def test_the_requirements_without_an_extra_are_those_that_are_needed(wheel: Path) -> None:
    asked = [line for line in metadata(wheel).get_all("Requires-Dist", []) if "extra ==" not in line]
    assert not [line for line in asked if line.startswith(("mcp", "pytest", "mypy", "ruff", "build"))]


@pytest.mark.registry
@pytest.mark.timeout(300)
def test_the_wheel_installs_and_runs_where_nothing_else_is(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one test, since installing takes most of its time: about 20 s."""
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--retries", "0")
    probe = subprocess.run(
        [*pip, "download", "--no-deps", "--dest", tmp_path, "filelock"], env=USERS, capture_output=True
    )
    if probe.returncode:
        pytest.skip("no registry of packages can be reached")
    monkeypatch.delenv("PYTHONPATH", raising=False)
    clean = tmp_path / "clean"
    venv.create(clean, with_pip=False)
    scripts = clean / ("Scripts" if sys.platform == "win32" else "bin")
    python, command = scripts / "python", scripts / "vaulttools"
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "a.md").write_text("# A\n\na seed\n", encoding="utf-8")

    def install(what: str) -> None:
        run(*pip, "--python", python, "install", what, env=USERS)

    install(str(wheel))
    assert run(command, "--version") == f"vaulttools {vaulttools.__version__}\n"
    assert run(python, "-m", "vaulttools", "--version") == f"vaulttools {vaulttools.__version__}\n"
    where = run(python, "-c", "import vaulttools; print(vaulttools.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(clean)
    assert "> a seed" in run(command, "--vault", vault, "search-files", "seed")
    assert "a.md" in run(command, "--vault", vault, "query", "seed")

    shipped = json.loads(run(python, "-c", PAGES, cwd=tmp_path))
    docs = REPOSITORY / "docs"
    assert shipped == {
        f"vaulttools://docs/{page.relative_to(docs).with_suffix('').as_posix()}": page.read_text(encoding="utf-8")
        for page in docs.rglob("*.md")
    }
    assert "*1|# `query`\n" in run(command, "--vault", vault, "search", r"\A# ", "vaulttools://docs/tools/query")

    refused = subprocess.run([command, "--vault", vault, "mcp"], capture_output=True, text=True, encoding="utf-8")
    assert (refused.returncode, refused.stdout, refused.stderr) == (2, "", f"error: {NEEDS_EXTRA}\n")
    install(f"{wheel}[mcp]")
    assert served(command, vault)["serverInfo"]["version"] == vaulttools.__version__

    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    cache = tmp_path / "mypy"
    mypy = (sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={cache}")
    run(*mypy, "--python-executable", python, script, cwd=tmp_path)
    script.write_text(SCRIPT.replace("list[str]", "list[int]"), encoding="utf-8")
    wrong = subprocess.run([*mypy, "--python-executable", python, script], cwd=tmp_path, capture_output=True, text=True)
    assert wrong.returncode == 1 and "List[str]" in wrong.stdout, wrong.stdout
    run(python, script, cwd=vault)


def served(command: Path, vault: Path) -> dict[str, dict[str, str]]:
    """What the MCP server answers to a client's first message; it goes when the client does."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    server = subprocess.Popen(
        [command, "--vault", vault, "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    with server:
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write(f"{json.dumps(message)}\n")
        server.stdin.flush()
        result: dict[str, dict[str, str]] = json.loads(server.stdout.readline())["result"]
    assert server.returncode == 0
    return result


def test_every_package_that_is_imported_comes_with_a_dependency() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [each for name, some in project["optional-dependencies"].items() if name != "dev" for each in some]
    declared = {"vaulttools"}  # the installed package may require what `pyproject.toml` no longer names
    waiting = [*project["dependencies"], *extras]
    while waiting:
        if (name := _name(waiting.pop())) not in declared:
            declared.add(name)
            with suppress(PackageNotFoundError):  # packages of another system, or of an extra that is not installed
                waiting += [each for each in requires(name) or () if "extra ==" not in each]
    imported = {
        name.partition(".")[0]
        for path in (REPOSITORY / "vaulttools").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names])
    }
    of_others = imported - sys.stdlib_module_names - {"", "vaulttools", "__future__"}
    known = packages_distributions()
    missing = {name for name in of_others if not declared & {_name(each) for each in known.get(name, [name])}}
    assert missing == set()


def _name(requirement: str) -> str:
    """The package of a requirement, as names are compared."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", requirement, maxsplit=1)[0]).lower()
