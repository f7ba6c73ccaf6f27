"""A folder that is named by a link inside the vault: every tool with `folder` answers as for the folder itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.conftest import MakeVault
from tests.obsidian_cli.asking import asked
from vaulttools import Vault, tools

FILES = {
    "Real/a.md": "---\nkind: seed\n---\n# A\n\nOnions keep #garden [[Nowhere]]\n\n- [ ] sow onions\n",
    "Real/deep/b.md": "Onions and more, [[a]] #garden\n",
    "Other/c.md": "Onions elsewhere #other [[b]]\n\n- [ ] water onions\n",
}

CALLS: list[tuple[str, Mapping[str, Any]]] = [
    ("base", {"where": "true"}),
    ("context", {"question": "how long do onions keep"}),
    ("links", {"direction": "orphans"}),
    ("links", {"direction": "unresolved"}),
    ("links", {"note": "a", "direction": "back"}),
    ("links", {"note": "a", "direction": "mentions"}),
    ("properties", {}),
    ("query", {"query": "onions"}),
    ("query", {"query": "onions", "mode": "obsidian"}),
    ("query", {"query": "tag:#garden", "mode": "obsidian"}),
    ("tags", {}),
    ("tasks", {}),
]


def test_every_tool_that_takes_a_folder_is_asked() -> None:
    taking = {name for name in tools.NAMES if "folder" in tools.named(name).request.model_fields}
    assert taking == {name for name, _ in CALLS}


@pytest.mark.not_on_windows("links need a right there")
@pytest.mark.parametrize("index", ["auto", "off"])
@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_a_link_to_a_folder_is_answered_as_the_folder(
    name: str, arguments: Mapping[str, Any], index: Any, make_vault: MakeVault
) -> None:
    folder = make_vault(FILES).path
    (folder / "Link").symlink_to("Real")
    (folder / "Other" / "Below").symlink_to("../Real/deep")
    with Vault.open(folder, index=index) as vault:
        if index == "auto":
            vault.build_index()
        for link, real in (("Link", "Real"), ("Link/deep", "Real/deep"), ("Other/Below", "Real/deep")):
            by_link = vault.call(name, {**arguments, "folder": link})
            by_name = vault.call(name, {**arguments, "folder": real})
            # Next steps keep the caller's word for the folder.
            text = json.dumps(by_link.details).replace(f'{link}\\"', f'{real}\\"')
            assert json.loads(text) == by_name.details
            assert by_link.is_error is by_name.is_error is False


@pytest.mark.not_on_windows("links need a right there")
@pytest.mark.parametrize("given", ["Link", "Link/deep"])
def test_the_apps_command_line_searches_it_too(given: str, make_vault: MakeVault) -> None:
    vault = make_vault(FILES)
    (vault.path / "Link").symlink_to("Real")
    found = asked(vault, ["search", "query=onions", f"path={given}"])
    assert found.out == asked(vault, ["search", "query=onions", f"path={given.replace('Link', 'Real')}"]).out
    assert "Real/deep/b.md" in found.out
