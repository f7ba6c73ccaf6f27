"""From 0.3 to this version: what 0.3 made, runs or was set up to do is met by this version as its users expect.

The real 0.3 runs, out of this repository's history.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.request import Request, urlopen

import pytest

from tests.conftest import own_places, write_files
from vaulttools import Vault, __version__, tools

REPOSITORY: Final = Path(__file__).parent.parent
OLD: Final = "0f3679e1e568804d90a664823be48286835eb7dc"
"""The commit "version 0.3.0"."""
NOTES: Final = {"Roof.md": "# Roof\nWe decided on slate. #house\n- [ ] call the roofer\n", "Closed/key.md": "secret\n"}


class Machine(NamedTuple):
    """An account with a vault, where 0.3 is installed first."""

    vault: Path
    packages: Path
    """The folder that holds `vaulttools`, of the version that is installed."""
    variables: Mapping[str, str]

    @property
    def home(self) -> Path:
        return Path(self.variables["HOME"])

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-P", "-m", "vaulttools", "--vault", str(self.vault), *words]

    def run(self, *words: str, given: str | None = None) -> str:
        """The output of a command; errors too."""
        done = subprocess.run(
            self.command(*words),
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            env=self.variables,
            cwd=self.home,
            check=False,
        )
        assert "Traceback" not in done.stdout, done.stdout
        return done.stdout

    def version(self) -> str:
        """The version of the package that is installed."""
        code = "import vaulttools; print(vaulttools.__version__)"
        done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, env=self.variables, check=True)
        return done.stdout.decode().strip()

    def upgrade(self) -> None:
        """Replace 0.3 by this version in its place, as an installer does."""
        shutil.rmtree(self.packages / "vaulttools")
        (self.packages / "vaulttools").symlink_to(REPOSITORY / "vaulttools", target_is_directory=True)
        assert self.version() == __version__


@pytest.fixture(scope="session")
def old_package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that holds the package of 0.3."""
    command = ["git", "-c", "safe.directory=*", "archive", OLD, "vaulttools"]
    if shutil.which("git") is None:
        pytest.skip("there is no git")
    archive = subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=False)
    if archive.returncode:
        pytest.skip("this copy of the repository has no history back to 0.3")
    folder = tmp_path_factory.mktemp("0.3")
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.0 to 3.11.3 lack it
        files.extractall(folder)
    return folder


@pytest.fixture
def machine(tmp_path: Path, old_package: Path) -> Machine:
    write_files(tmp_path / "vault", NOTES)
    packages, home = tmp_path / "packages", tmp_path / "home"
    home.mkdir()
    shutil.copytree(old_package, packages)
    places = {"PYTHONPATH": str(packages), "PYTHONDONTWRITEBYTECODE": "1", "VAULTTOOLS_MEANING": "off"}
    variables = {**os.environ, **own_places(home), **places, "HOME": str(home)}
    made = Machine(tmp_path / "vault", packages, variables)
    assert made.version() == "0.3.0"
    return made


def digests(folder: Path) -> dict[Path, str]:
    """The content of each index file of a folder."""
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("index-*.sqlite")}


def test_an_index_of_0_3_stays_as_it_is_beside_the_new_one(machine: Machine) -> None:
    machine.run("index", "build")
    before = digests(machine.home)
    assert len(before) == 1
    machine.upgrade()
    machine.run("index", "build")
    assert "call the roofer" in machine.run("tasks")
    assert "We decided on slate" in machine.run("query", "slate")
    after = digests(machine.home)
    assert len(after) == 2
    assert before.items() <= after.items()
    machine.run("index", "clear")
    assert digests(machine.home) == {}


@pytest.mark.not_on_windows("there is no daemon")
def test_a_daemon_of_0_3_is_not_asked_by_this_version(machine: Machine, old_package: Path) -> None:
    machine.run("index", "build")
    assert "serves this vault's commands" in machine.run("daemon", "start")
    old = Machine(machine.vault, machine.packages, machine.variables)
    try:
        machine.upgrade()
        # 0.3 knows neither `--also` nor `connector`.
        assert "We decided on slate" in machine.run("query", "what covers the house", "--also", "slate")
        assert machine.run("daemon", "status") == "No resident process serves this vault.\n"
    finally:
        (machine.packages / "vaulttools").unlink()
        shutil.copytree(old_package / "vaulttools", machine.packages / "vaulttools")
        assert "ends" in old.run("daemon", "stop")


@contextmanager
def serving(machine: Machine) -> Iterator[str]:
    """The address of a server that runs."""
    command = machine.command("serve", ":0")
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, encoding="utf-8", env=machine.variables
    ) as server:
        assert server.stderr is not None
        said = server.stderr.readline()
        found = re.search(r"http://[^\s/]+", said)
        assert found is not None, said
        try:
            yield found[0]
        finally:
            server.terminate()
            server.communicate()


def got(address: str) -> str:
    with urlopen(Request(address, headers={"Accept": "text/markdown"}), timeout=60) as answer:
        return str(answer.read().decode("utf-8"))


def test_a_server_of_0_3_goes_on_beside_this_version(machine: Machine, tmp_path: Path) -> None:
    with serving(machine) as address:
        newer = Machine(machine.vault, tmp_path / "newer", {**machine.variables, "PYTHONPATH": str(tmp_path / "newer")})
        newer.packages.mkdir()
        (newer.packages / "vaulttools").symlink_to(REPOSITORY / "vaulttools", target_is_directory=True)
        newer.run("index", "build")
        assert "another program listens there" in newer.run("serve", address.removeprefix("http://"))
        (machine.vault / "New.md").write_text("Slate is grey.\n", encoding="utf-8")
        assert "Slate is grey" in newer.run("query", "slate")
        assert got(f"{address}/vault/New.md") == "Slate is grey.\n"
        with serving(newer) as other:
            assert got(f"{other}/vault/New.md") == "Slate is grey.\n"


SIGNS: Final = (".cursor", ".codex", ".gemini", ".lmstudio", "config/Claude", "config/Code/User")
"""The folders by which `init` finds a program on Linux."""


def entries(home: Path) -> dict[str, Any]:
    """The entry of each settings file that names this package, by the file's name below `home`."""
    found = {}
    for path in sorted(home.rglob("*")):
        if path.suffix in (".json", ".toml") and "vaulttools" in (text := path.read_text("utf-8")):
            settings = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
            groups = ("mcpServers", "mcp_servers", "servers")
            found[path.relative_to(home).as_posix()] = next(settings[each] for each in groups if each in settings)
    return found


@pytest.mark.not_on_windows("the places of settings are those of Linux")
@pytest.mark.skipif(sys.platform == "darwin", reason="the places of settings are those of Linux")
def test_assistants_that_0_3_set_up_start_this_version(machine: Machine) -> None:
    for sign in SIGNS:
        (machine.home / sign).mkdir(parents=True)
    (machine.home / ".cursor/mcp.json").write_text('{"mcpServers": {"other": {"command": "x"}}}', encoding="utf-8")
    machine.run("init", "--write")
    before = entries(machine.home)
    assert len(before) == len(SIGNS)
    machine.upgrade()
    machine.run("init", "--write")
    after = entries(machine.home)
    assert after.keys() == before.keys()
    assert after[".cursor/mcp.json"]["other"] == {"command": "x"}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}) + "\n"
    for settings in (*before.values(), *after.values()):
        words = settings["vaulttools"]["args"]
        started = subprocess.run(
            [sys.executable, "-P", "-m", "vaulttools", *words[words.index("--vault") :]],
            input=asked,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=machine.variables,
            check=True,
        )
        assert json.loads(started.stdout)["result"]["serverInfo"]["version"] == __version__


def test_a_setting_that_was_retired_is_named_in_one_sentence(machine: Machine) -> None:
    settings = machine.home / "config/vaulttools/vaulttools.toml"
    settings.parent.mkdir(parents=True)
    folder = machine.home / "model2vec"
    text = f'[house]\npath = "{machine.vault}"\nembedder = "{folder}"\nprotected = ["Closed"]\n'
    settings.write_text(text.replace("\\", "/"), encoding="utf-8")
    machine.run("index", "build")
    machine.upgrade()
    wanting = machine._replace(variables={**machine.variables, "VAULTTOOLS_MEANING": "on"})
    answer = wanting.run("query", "slate")
    assert "We decided on slate" in answer
    assert "endpoint" in answer
    assert "secret" not in machine.run("grep", "secret")


def test_each_argument_of_the_tools_of_0_3_is_understood(machine: Machine) -> None:
    code = "import json; from vaulttools import Vault; print(json.dumps(Vault.open({!r}).tool_definitions('mcp')))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code.format(str(machine.vault))],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=machine.variables,
        check=True,
    )
    named = {each["name"]: each["inputSchema"]["properties"] for each in json.loads(done.stdout)}
    assert named.keys() <= {*tools.NAMES}
    with Vault.open(machine.vault, index="off") as vault:
        for name, arguments in named.items():
            for argument in arguments:
                text = vault.call(name, {argument: None}).text
                assert "nknown" not in text, f"{name}: {text}"
