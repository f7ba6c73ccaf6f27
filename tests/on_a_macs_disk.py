"""What holds on a disk that ignores case and Unicode form: `tests/test_mac_disk.py` runs it there."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from platformdirs import user_config_path

from tests.conftest import write_files
from vaulttools import BadArgument, Vault, VaultConfig
from vaulttools.cli import init
from vaulttools.clients.registry import CLIENTS, Machine
from vaulttools.errors import AccessDenied, OutsideVault, PathNotFound
from vaulttools.files.real_path import real_path
from vaulttools.server.vault_pool import VaultPool

VAULT: Final = "Größe"
FILES: Final = {
    "Über/Plan.md": "needle [[Äpfel]] #ort\n",
    "Äpfel.md": "needle back to [[plan]]\n",
    "Secret/there.md": "needle CANARY #CANARY\n",
    "Team/Secret/there.md": "needle CANARY\n",
}


def spellings(text: str) -> list[str]:
    """A text in both Unicode forms, in each of three cases."""
    cases = (text, text.lower(), text.swapcase())
    return [unicodedata.normalize(form, case) for form in ("NFC", "NFD") for case in cases]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A vault, as its disk lists it."""
    write_files(tmp_path / VAULT, FILES)
    (name,) = os.listdir(tmp_path)
    return tmp_path / name


@pytest.fixture
def vault(folder: Path) -> Iterator[Vault]:
    """The same vault, open, with one folder closed."""
    with Vault.open(folder, config=VaultConfig(protected=["secret"])) as vault:
        yield vault


def test_the_disk_is_like_a_macs(folder: Path) -> None:
    assert all((folder.parent / each / "ÄPFEL.MD").is_file() for each in spellings(VAULT))
    with pytest.raises(OSError, match="Invalid or incomplete multibyte"):
        (folder / os.fsdecode(b"\xff.md")).touch()


@pytest.mark.parametrize("spelling", spellings(VAULT))
def test_a_vault_is_one_in_every_spelling_and_what_a_person_closed_stays_closed(folder: Path, spelling: str) -> None:
    settings = user_config_path("vaulttools") / "vaulttools.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'[it]\npath = "{folder.parent / VAULT.upper()}"\nprotected = ["Secret"]\n', encoding="utf-8")
    with Vault.open(folder.parent / spelling) as vault:
        assert vault.path == folder
        answer = vault.search_files("needle")
        assert answer.complete and "CANARY" not in answer.text and len(answer.files) == 2
        vault.build_index()
    (index,) = {each.parent for each in Path(os.environ["XDG_CACHE_HOME"]).rglob("*.sqlite")}
    assert (index / "vault.txt").read_text(encoding="utf-8") == f"{folder}\n"


@pytest.mark.parametrize("given", [each for name in ("Secret", "Team/Secret") for each in spellings(name)])
def test_a_protected_folder_is_closed_in_every_spelling(vault: Vault, folder: Path, given: str) -> None:
    for path in (given, f"{given}/there.md", f"{folder}/{given}/there.md"):
        with pytest.raises(AccessDenied):
            vault.read(path)
        with pytest.raises(AccessDenied):
            vault.query("needle", folder=path)
    with pytest.raises(AccessDenied):
        vault.find(paths=f"{given}/**")
    for answer in (vault.find(paths="**/[sS]*/**"), vault.query("CANARY"), vault.tags()):
        assert "there.md" not in answer.text and "#CANARY" not in answer.text


@pytest.mark.parametrize("target", ["SECRET", "../{vault}/sEcret", "{root}/{vault}/SECRET"])
def test_a_link_to_a_protected_folder_is_closed_whatever_spelling_it_has(
    vault: Vault, folder: Path, target: str
) -> None:
    (folder / "link").symlink_to(target.format(vault=VAULT.swapcase(), root=folder.parent))
    with pytest.raises(AccessDenied):
        vault.read("LINK/there.md")
    assert "CANARY" not in vault.search_files("CANARY").text.replace("'CANARY'", "")


def test_a_link_may_spell_the_folders_of_its_own_vault_in_any_way(vault: Vault, folder: Path) -> None:
    (folder / "link.md").symlink_to(folder.parent / VAULT.swapcase() / "ÜBER" / "plan.md")
    assert "needle" in vault.read("link.md").text


@pytest.mark.parametrize("given", spellings("Über/Plan.md"))
def test_a_note_has_the_name_that_its_disk_lists(vault: Vault, folder: Path, given: str) -> None:
    (listed,) = (f"{each}/Plan.md" for each in os.listdir(folder) if each.casefold()[-3:] == "ber")
    for spelling in (given, f"{folder}/{given}", f"{folder.parent}/{VAULT.swapcase()}/{given}"):
        assert [each.path for each in vault.search_files("needle", file_pattern=spelling).files] == [listed], spelling
    assert vault.outline(given).path == listed
    with pytest.raises(OutsideVault):
        vault.read(f"{folder.parent}/Other/{given}")


@pytest.mark.parametrize("is_indexed", [True, False])
def test_a_note_that_gets_another_spelling_is_found_by_it_alone(folder: Path, is_indexed: bool) -> None:
    with Vault.open(folder, index="auto" if is_indexed else "off") as vault:
        assert len(vault.search_files("needle", file_pattern="*pfel.md").files) == 1
        os.rename(folder / "Äpfel.md", folder / "aside")  # the kernel does not ask for a rename to the same file
        os.rename(folder / "aside", folder / "äPFEL.md")
        (found,) = vault.search_files("needle", file_pattern="*PFEL.md").files
        assert unicodedata.normalize("NFC", found.path) == "äPFEL.md"
        assert vault.links(direction="unresolved").text.startswith("No ")


def test_an_index_or_settings_in_the_vault_are_refused_in_every_spelling(folder: Path, tmp_path: Path) -> None:
    inside = tmp_path / VAULT.swapcase()
    with pytest.raises(BadArgument, match="must not lie in the vault"):
        Vault.open(folder, config=VaultConfig(index_folder=str(inside / "index")))
    (tmp_path / ".cursor").symlink_to(inside, target_is_directory=True)
    machine = Machine("macos", tmp_path, {})
    cursor = next(each for each in CLIENTS if each.name == "cursor")
    text, _, is_well = init.run(init.InitOptions([cursor], True, False, False), [str(folder)], machine)
    assert "it lies in a vault" in text and not is_well
    assert {*os.listdir(folder)} == {*os.listdir(inside)} and len(os.listdir(folder)) == 4


def test_a_host_has_a_vault_by_its_listed_name_alone(folder: Path) -> None:
    pool = VaultPool(str(folder.parent))
    others = [each for each in spellings(VAULT) if each != folder.name]
    assert pool.has(folder.name) and not any(map(pool.has, others))
    pool.close()


def test_a_name_that_the_disk_cannot_have_is_not_there(vault: Vault) -> None:
    with pytest.raises(PathNotFound):
        vault.read("a\\xff.md")


def test_a_path_that_is_not_there_keeps_its_spelling(folder: Path) -> None:
    assert real_path(folder.parent / VAULT.swapcase() / "New" / "er") == str(folder / "New" / "er")
