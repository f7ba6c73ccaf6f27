"""The forms in which the product is distributed: the bundle, the registry's description, the Dockerfile."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import vaulttools
from vaulttools import Vault, tools
from vaulttools.cli.main import main
from vaulttools.cli.mcp import parse

REPOSITORY = Path(__file__).parent.parent
FOLDER = REPOSITORY / "distribution"

pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="not in a source tree")


def described() -> dict[str, object]:
    return runpy.run_path(str(FOLDER / "described.py"))


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


def test_the_dockerfile_has_steps_that_can_be_rehearsed() -> None:
    """`distribution/rehearse.py` runs them where no Docker is."""
    steps = list(runpy.run_path(str(FOLDER / "rehearse.py"))["steps"]((REPOSITORY / "Dockerfile").read_text("utf-8")))
    known = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "ENTRYPOINT", "CMD"}
    assert {name for name, _ in steps} == known
    copied = [source for name, words in steps if name == "COPY" for source in words.split()[:-1]]
    assert [source for source in copied if source[0] not in "-/" and not (REPOSITORY / source).exists()] == []
    assert [words for name, words in steps if name == "USER"] == ["65532"]


def test_the_skill_is_short_and_its_calls_are_understood(small_vault: Path) -> None:
    skill = (REPOSITORY / "docs" / "skill" / "SKILL.md").read_text(encoding="utf-8")
    assert len(skill.encode()) < 3_000
    rows = re.findall(r"^\| [^|]+ \| `(\w+)`[^|]* \| `(\{.*\})` \|$", skill, re.MULTILINE)
    assert len(rows) == skill.count("\n| ") - 1  # all rows but the names of the columns
    offered = parse([], ["V"]).tools
    assert [name for name, _ in rows if name not in offered and f"`{name}`, where it is offered" not in skill] == []
    with Vault.open(small_vault) as vault:
        assert [name for name, arguments in rows if vault.call(name, json.loads(arguments)).is_error] == []
