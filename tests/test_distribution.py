"""The forms in which the product is distributed: the bundle, the registry's description, the Dockerfile."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import vaulttools
from vaulttools import Vault, tools
from vaulttools.cli.main import main
from vaulttools.cli.mcp import parse

REPOSITORY = Path(__file__).parent.parent
FOLDER = REPOSITORY / "distribution"
SKILL = REPOSITORY / "docs" / "skills" / "vaulttools" / "SKILL.md"
MANIFESTS = {
    ".claude-plugin/plugin.json": ("${CLAUDE_PLUGIN_ROOT}", {"${user_config.vault}": "fixtures/vault"}),
    "gemini-extension.json": ("${extensionPath}", {}),
}
"""Of each manifest that starts the server: the variable for the plugin's folder, and what else its program fills in."""

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="not in a source tree")


def described() -> dict[str, object]:
    return runpy.run_path(str(FOLDER / "described.py"))


def written(path: str) -> dict[str, Any]:
    """A manifest of the repository."""
    manifest: dict[str, Any] = json.loads((REPOSITORY / path).read_text(encoding="utf-8"))
    return manifest


def test_no_file_of_others_is_shipped_without_its_licence() -> None:
    licences = runpy.run_path(str(FOLDER / "licences.py"))
    assert licences["text"]() == (REPOSITORY / "THIRD-PARTY-LICENSES.txt").read_text(encoding="utf-8")
    licences["text"].__globals__["OURS"] = licences["OURS"] - {"vaulttools/server/page/static/page.js"}
    with pytest.raises(ValueError, match=r"neither ours nor in SHIPPED .*: vaulttools/server/page/static/page\.js"):
        licences["text"]()


def test_a_bundle_starts_the_server_on_the_folder_that_its_user_chose(capsys: pytest.CaptureFixture[str]) -> None:
    manifest = described()["manifest"]()  # type: ignore[operator]
    assert manifest["version"] == vaulttools.__version__
    words = manifest["server"]["mcp_config"]["args"]
    assert words[:4] == ["run", "--directory", "${__dirname}", manifest["server"]["entry_point"]]
    started = [word.replace("${user_config.vault}", str(REPOSITORY / "fixtures" / "vault")) for word in words[4:]]
    assert main([*started, "--print-config", "generic"]) == 0
    assert json.loads(capsys.readouterr().out)["args"][-1] == "mcp"


def test_what_a_bundle_starts_is_the_program() -> None:
    code = described()["entry_point"]()  # type: ignore[operator]
    printed = subprocess.run(
        [sys.executable, "-c", code, "--version"], capture_output=True, text=True, encoding="utf-8"
    )
    assert printed.stdout == f"vaulttools {vaulttools.__version__}\n"


def test_a_bundle_names_the_tools_that_are_offered() -> None:
    manifest = described()["manifest"]()  # type: ignore[operator]
    assert [tool["name"] for tool in manifest["tools"]] == list(parse([], ["V"]).tools)
    assert all(tool["description"] == tools.named(tool["name"]).summary for tool in manifest["tools"])


def test_a_bundle_takes_the_package_from_its_own_wheel_alone() -> None:
    project = tomllib.loads(described()["bundle_project"]("vaulttools-1-py3-none-any.whl"))  # type: ignore[operator]
    assert project["tool"]["uv"]["sources"] == {"vaulttools": {"path": "vaulttools-1-py3-none-any.whl"}}
    assert project["project"]["dependencies"] == ["vaulttools[files,mcp]"]


def test_the_registry_gets_this_version() -> None:
    server = json.loads((REPOSITORY / "server.json").read_text(encoding="utf-8"))
    [package] = server["packages"]
    assert server["version"] == package["version"] == vaulttools.__version__
    assert len(server["description"]) <= 100  # the bound of the registry


@pytest.mark.parametrize("path", MANIFESTS)
def test_a_plugin_has_the_name_and_the_version_of_the_package(path: str) -> None:
    manifest = written(path)
    assert (manifest["name"], manifest["version"]) == ("vaulttools", vaulttools.__version__)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", manifest["name"])


@pytest.mark.parametrize(("path", "folder", "filled"), [(path, *each) for path, each in MANIFESTS.items()])
def test_a_plugin_starts_the_server_from_its_own_folder_and_never_from_an_index(
    path: str,
    folder: str,
    filled: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    [server] = written(path)["mcpServers"].values()
    assert server["command"] == "uvx"
    option, package, command, *words = server["args"]
    assert (option, package) == ("--from", f"{folder}[files,mcp]")
    assert command in described()["project"]()["scripts"]  # type: ignore[operator]
    monkeypatch.chdir(REPOSITORY)
    monkeypatch.setenv("VAULTTOOLS_VAULT", "fixtures/vault")
    assert main([*(filled.get(word, word) for word in words), "--print-config", "generic"]) == 0
    *_, vault, last = json.loads(capsys.readouterr().out)["args"]
    assert (Path(vault), last) == (REPOSITORY / "fixtures" / "vault", "mcp")


def test_each_plugin_asks_for_the_vault_that_its_server_gets() -> None:
    asked = written(".claude-plugin/plugin.json")["userConfig"]
    assert {name: option["required"] for name, option in asked.items()} == {"vault": True}
    assert [setting["envVar"] for setting in written("gemini-extension.json")["settings"]] == ["VAULTTOOLS_VAULT"]


def test_the_marketplace_offers_the_plugin_of_its_own_folder() -> None:
    marketplace, plugin = written(".claude-plugin/marketplace.json"), written(".claude-plugin/plugin.json")
    [offered] = marketplace["plugins"]
    assert marketplace["owner"]["name"]
    assert {key: offered[key] for key in ("name", "version")} == {key: plugin[key] for key in ("name", "version")}
    assert offered["source"].startswith("./")
    assert (REPOSITORY / offered["source"] / ".claude-plugin" / "plugin.json").exists()


def test_the_skill_is_found_by_the_plugin_and_has_the_form_of_agent_skills() -> None:
    skills = written(".claude-plugin/plugin.json")["skills"]
    assert skills.startswith("./")
    assert list((REPOSITORY / skills).glob("*/SKILL.md")) == [SKILL]
    head = yaml.safe_load(SKILL.read_text(encoding="utf-8").split("---\n")[1])
    assert head.keys() <= {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
    assert head["name"] == SKILL.parent.name
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", head["name"]) and len(head["name"]) <= 64
    assert 1 <= len(head["description"]) <= 1024


def test_the_dockerfile_has_steps_that_can_be_rehearsed() -> None:
    """`distribution/rehearse.py` runs them where no Docker is."""
    steps = list(runpy.run_path(str(FOLDER / "rehearse.py"))["steps"]((REPOSITORY / "Dockerfile").read_text("utf-8")))
    known = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "ENTRYPOINT", "CMD"}
    assert {name for name, _ in steps} == known
    copied = [source for name, words in steps if name == "COPY" for source in words.split()[:-1]]
    assert [source for source in copied if source[0] not in "-/" and not (REPOSITORY / source).exists()] == []
    assert [words for name, words in steps if name == "USER"] == ["65532"]


def test_the_skill_is_short_and_its_calls_are_understood(small_vault: Path) -> None:
    skill = SKILL.read_text(encoding="utf-8")
    assert len(skill.encode()) < 3_000
    rows = re.findall(r"^\| [^|]+ \| `(\w+)`[^|]* \| `(\{.*\})` \|$", skill, re.MULTILINE)
    assert len(rows) == skill.count("\n| ") - 1  # all rows but the names of the columns
    offered = parse([], ["V"]).tools
    assert [name for name, _ in rows if name not in offered and f"`{name}`, where it is offered" not in skill] == []
    with Vault.open(small_vault) as vault:
        assert [name for name, arguments in rows if vault.call(name, json.loads(arguments)).is_error] == []
