"""The configuration: its fields and bounds, and which table of `vaulttools.toml` a vault gets."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from platformdirs import user_config_path
from pydantic import ValidationError

from tests.conftest import MakeVault
from vaulttools import AccessDenied, BadArgument, Vault, VaultConfig
from vaulttools.user_file import Followed, UserFile

posix_only = pytest.mark.not_on_windows("links")


def for_vault(folder: Path, file: Path | None = None) -> VaultConfig:
    """The configuration of a vault by a file, or by the user's."""
    return Followed(folder, file=None if file is None else UserFile(file)).now()


def toml(folder: Path, text: str) -> Path:
    """A configuration file that holds the text, with `NOTES` for a folder of notes."""
    (folder / "notes").mkdir(exist_ok=True)
    file = folder / "vaulttools.toml"
    file.write_text(text.replace("NOTES", (folder / "notes").as_posix()), encoding="utf-8")
    return file


# Fields


def test_the_defaults_suit_an_ordinary_vault() -> None:
    config = VaultConfig()
    assert (config.protected, config.config_folder, config.hashline, config.respect_excluded) == ((), None, False, True)
    assert (config.search_context_before, config.search_context_after, config.time_limit) == (1, 3, 10)
    assert (config.rg, config.max_file_size) == (None, 100 * 1024 * 1024)


@pytest.mark.parametrize(
    "wrong",
    [
        {"time_limit": 0},
        {"time_limit": -1},
        {"time_limit": float("nan")},
        {"time_limit": float("inf")},
        {"search_context_before": -1},
        {"search_context_after": 21},
        {"max_file_size": 0},
        {"protected": "Private"},
        {"hashline": "perhaps"},
        {"no_such_field": 1},
    ],
)
def test_a_value_out_of_bounds_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        VaultConfig(**wrong)


def test_a_configuration_cannot_be_changed() -> None:
    config = VaultConfig()
    with pytest.raises(ValidationError):
        setattr(config, "hashline", True)  # noqa: B010 - a type checker sees it too


def test_every_field_says_what_it_is() -> None:
    assert all(field.description for field in VaultConfig.model_fields.values())


# The user's file


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", VaultConfig()),
        ('[other]\npath = "/nowhere"\ntime_limit = 20\n', VaultConfig()),
        ('[any name]\npath = "NOTES"\n'.replace("any name", '"any name"'), VaultConfig()),
        (
            '[n]\npath = "NOTES"\ntime_limit = 20\nprotected = ["Private"]\n',
            VaultConfig(time_limit=20, protected=("Private",)),
        ),
        ('[n]\npath = "NOTES/"\nhashline = true\n', VaultConfig(hashline=True)),
        ('[n]\npath = "NOTES/../notes"\nhashline = true\n', VaultConfig(hashline=True)),
        (
            '[a]\npath = "/nowhere"\n[b]\npath = "NOTES"\ntime_limit = 5\n[c]\npath = "NOTES"\n',
            VaultConfig(time_limit=5),
        ),
    ],
)
def test_the_first_table_whose_path_is_the_vault_holds(tmp_path: Path, text: str, expected: VaultConfig) -> None:
    assert for_vault(tmp_path / "notes", toml(tmp_path, text)) == expected


@posix_only
def test_a_path_may_go_by_the_home_folder_or_by_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    file = toml(tmp_path, '[n]\npath = "~/notes"\ntime_limit = 7\n')
    (tmp_path / "link").symlink_to("notes")
    assert for_vault(tmp_path / "notes", file).time_limit == for_vault(tmp_path / "link", file).time_limit == 7


def test_a_path_of_a_user_who_does_not_exist_is_no_vault(tmp_path: Path) -> None:
    assert for_vault(tmp_path / "notes", toml(tmp_path, '[n]\npath = "~nobody-here/notes"\n')) == VaultConfig()


def test_no_file_is_the_defaults(tmp_path: Path) -> None:
    assert for_vault(tmp_path, tmp_path / "absent.toml") == VaultConfig()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[n\n", "cannot be read"),
        ("[n]\npath = 'NOTES'\ntime_limit = 20\n[n]\n", "cannot be read"),
        ("[n]\ntime_limit = 20\n", "has no 'path' in the table [n]"),
        ("time_limit = 20\n", "has no 'path' in the table [time_limit]"),
        ("[n]\npath = 'NOTES'\ntime_limt = 20\n", "'time_limt' is not usable"),
        ("[n]\npath = 'NOTES'\ntime_limit = 'long'\n", "'time_limit' is not usable"),
        ("[n]\npath = 'NOTES'\ntime_limit = nan\n", "'time_limit' is not usable"),
        ("[n]\npath = 'NOTES'\nprotected = ['a', 3]\n", "'protected.1' is not usable"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_a_sentence(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(BadArgument) as refusal:
        for_vault(tmp_path / "notes", toml(tmp_path, text))
    assert expected in str(refusal.value)
    assert "\n" not in str(refusal.value) or "cannot be read" in expected
    assert "http" not in str(refusal.value)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"\xff\xfe")
    (tmp_path / "b.toml").mkdir()
    for name in ("a.toml", "b.toml"):
        with pytest.raises(BadArgument, match="cannot be read"):
            for_vault(tmp_path, tmp_path / name)


def test_a_vault_opened_without_a_configuration_takes_the_users(tmp_path: Path) -> None:
    folder = user_config_path("vaulttools")
    folder.mkdir(parents=True)
    toml(tmp_path, '[n]\npath = "NOTES"\nprotected = ["Private"]\n').rename(folder / "vaulttools.toml")
    (tmp_path / "notes" / "Private").mkdir()
    (tmp_path / "notes" / "Private" / "a.md").write_text("needle", encoding="utf-8")
    assert Vault.open(tmp_path / "notes").search_files("needle").total_files == 0
    assert Vault.open(tmp_path / "notes", config=VaultConfig()).search_files("needle").total_files == 1


def test_what_lies_in_the_vault_configures_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / "a.md").write_text("needle", encoding="utf-8")
    table = f'[n]\npath = "{tmp_path.as_posix()}"\nprotected = ["a.md"]\nrg = "/nowhere/rg"\n'
    for name in ("vaulttools.toml", ".vaulttools.toml", ".obsidian/vaulttools.toml", "pyproject.toml"):
        (tmp_path / name).write_text(table, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert Vault.open(tmp_path).search_files("needle").total_files == 1


# What the fields do


@pytest.mark.parametrize("settings", ["app.json", "core-plugins.json"])
def test_rule_E03_every_config_folder_at_the_root_is_protected(tmp_path: Path, settings: str) -> None:
    for name in (".obsidian", ".obsidian-phone", ".laptop", ".other", "plain", "deep/.nested"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "a.md").write_text("needle", encoding="utf-8")
        if name != ".other":
            (tmp_path / name / settings).write_text("{}", encoding="utf-8")
    vault = Vault.open(tmp_path, config=VaultConfig())
    assert _reached(vault) == [".other/a.md", "deep/.nested/a.md", "plain/a.md"]


def test_the_configured_config_folder_is_protected_beside_those_that_are_found(tmp_path: Path) -> None:
    for name in (".obsidian", ".phone", ".cfg", ".other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text("needle", encoding="utf-8")
    (tmp_path / ".phone" / "app.json").write_text("{}", encoding="utf-8")
    vault = Vault.open(tmp_path, config=VaultConfig(config_folder=".cfg"))
    assert _reached(vault) == [".other/a.md"]
    with pytest.raises(AccessDenied, match=r"'\.cfg/' is a protected folder"):
        vault._opened.root.locate(".CFG/a.md")


def _reached(vault: Vault) -> list[str]:
    """Every `a.md` that can be named."""
    names = [os.path.relpath(path, vault.path).replace(os.sep, "/") for path in map(str, vault.path.rglob("a.md"))]
    return sorted(name for name in names if vault.search_files("needle", file_pattern=name).total_files)


def test_a_protected_folder_may_be_named_absolutely_and_must_lie_inside(make_vault: MakeVault, tmp_path: Path) -> None:
    path = make_vault({"Private/a.md": "needle", "b.md": "needle"}).path
    vault = Vault.open(path, config=VaultConfig(protected=(str(path / "Private"),)))
    assert [file.path for file in vault.search_files("needle").files] == ["b.md"]
    with pytest.raises(BadArgument, match="lies outside the vault"):
        Vault.open(path, config=VaultConfig(protected=(str(tmp_path / "elsewhere"),)))


def test_a_user_without_a_home_folder_has_the_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless(*_: object) -> Path:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr(platformdirs, "user_config_path", homeless)
    assert for_vault(tmp_path) == VaultConfig()


def test_an_index_folder_in_the_vault_is_refused(tmp_path: Path) -> None:
    config = VaultConfig(index_folder=str(tmp_path / "notes" / "index"))
    (tmp_path / "notes").mkdir()
    with pytest.raises(BadArgument) as error:
        Vault.open(tmp_path / "notes", config=config)
    assert str(error.value) == f"The index folder must not lie in the vault: {tmp_path / 'notes' / 'index'}"
    assert list((tmp_path / "notes").iterdir()) == []
