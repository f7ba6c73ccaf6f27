"""A config folder that is made while a vault is open is closed at once, as one that was there before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.conftest import write_files
from vaulttools import Vault
from vaulttools.errors import AccessDenied
from vaulttools.resources.urls import Virtual

SECRET = "SECRET"
TEXT = f"{SECRET} canary"
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("read", {"note": ".cfg/s.md"}),
    ("grep", {"pattern": SECRET}),
    ("search", {"pattern": SECRET}),
    ("search", {"pattern": SECRET, "paths": [".cfg"]}),
    ("find", {"paths": ["**"]}),
    ("search_files", {"pattern": SECRET, "file_pattern": ".cfg/**"}),
    ("query", {"query": SECRET}),
]


@pytest.fixture(params=["auto", "off"])
def vault(request: pytest.FixtureRequest, tmp_path: Path) -> Vault:
    """An open vault that was searched; its dot-folder holds no settings."""
    index: Literal["auto", "off"] = request.param
    write_files(tmp_path / "vault", {"a.md": "open", ".cfg/s.md": TEXT, ".cfg/sub/s.md": TEXT})
    opened = Vault.open(tmp_path / "vault", index=index)
    request.addfinalizer(opened.close)
    if index == "auto":
        opened.build_index()
    assert SECRET in opened.grep(pattern=SECRET).text
    return opened


@pytest.mark.parametrize("name", ["app.json", "core-plugins.json"])
@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_a_config_folder_made_while_a_vault_is_open_is_closed(
    vault: Vault, name: str, tool: str, arguments: dict[str, Any]
) -> None:
    (vault.path / ".cfg" / name).write_text("{}", encoding="utf-8")
    shown = vault.call(tool, arguments)
    assert "canary" not in shown.text
    assert "s.md" not in shown.text.replace("note .cfg/s.md", "")
    with Vault.open(vault.path, index="off") as anew:
        assert _without_haste(shown.text) == _without_haste(anew.call(tool, arguments).text)


def _without_haste(text: str) -> str:
    """The answer without the notice of a busy machine, where a call does not wait for the index."""
    return text.replace("[Ranked without an index.]", "").rstrip()


def test_the_session_that_the_server_asks_is_closed_too(vault: Vault) -> None:
    (vault.path / ".cfg/app.json").write_text("{}", encoding="utf-8")
    with pytest.raises(AccessDenied):
        vault.session.root.locate(".cfg/s.md")


def test_what_was_registered_stays_registered(vault: Vault) -> None:
    vault.register_resolver("mail", lambda url: [Virtual("mail", f"letter of {url}")])
    (vault.path / ".cfg/app.json").write_text("{}", encoding="utf-8")
    assert "letter of mail://x" in vault.search(pattern="letter", paths=["mail://x"]).text


@pytest.mark.not_on_windows("links need rights there")
@pytest.mark.parametrize(
    "made",
    [
        lambda folder: (folder / ".loop").symlink_to(".loop"),
        lambda folder: (folder / ".there").symlink_to("."),
        lambda folder: (folder / ".gone").symlink_to("nowhere"),
    ],
)
def test_a_link_with_a_dot_is_the_same_before_and_after_opening(vault: Vault, made: Callable[[Path], None]) -> None:
    made(vault.path)
    with Vault.open(vault.path, index="off") as anew:
        for name in (".loop/a.md", ".there/a.md", ".gone/a.md", ".loop"):
            assert vault.call("read", {"note": name}).text == anew.call("read", {"note": name}).text
        assert vault.find(paths=["**"]).text == anew.find(paths=["**"]).text
