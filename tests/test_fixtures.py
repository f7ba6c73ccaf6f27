"""The shipped vault is what its README says, and can be checked out on every system."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pytest

from tests.passed_over import examples
from vaulttools import Vault
from vaulttools.files.protection import Protection

FIXTURES = Path(__file__).parent.parent / "fixtures"
VAULT = FIXTURES / "vault"

FILES = sorted(path.relative_to(VAULT).as_posix() for path in VAULT.rglob("*") if path.is_file())
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}


def readme_section(heading: str) -> str:
    """The text below a heading of the README."""
    text = (FIXTURES / "README.md").read_text(encoding="utf-8")
    return text.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]


def rows(heading: str) -> dict[str, str]:
    """The rows of a section's table: the text in backticks first, and the words after it."""
    return dict(re.findall(r"^\| `(.+?)` \| (.+?) \|$", readme_section(heading), re.MULTILINE))


def text_of(name: str) -> str:
    """The text of a file of the vault."""
    return (VAULT / name).read_text(encoding="utf-8")


def test_the_readme_has_a_row_for_every_file_and_no_other() -> None:
    assert sorted(rows("The vault, file by file")) == FILES


def test_every_row_says_what_the_file_shows() -> None:
    assert all(words.strip() for words in rows("The vault, file by file").values())


@pytest.mark.parametrize("name", FILES)
def test_names_can_be_checked_out_everywhere(name: str) -> None:
    assert unicodedata.is_normalized("NFC", name)
    for part in name.split("/"):
        assert not re.search(r'[<>:"|?*\\\x00-\x1f]', part)
        assert not part.endswith((".", " "))
        assert not _RESERVED.fullmatch(part)
        assert len(part.encode()) < 200


def test_no_two_names_are_one_where_case_is_ignored() -> None:
    assert len({unicodedata.normalize("NFC", name).casefold() for name in FILES}) == len(FILES)


def test_the_canary_is_in_every_protected_file_and_in_no_other() -> None:
    protection = Protection.of()
    holding = [name for name in FILES if b"CANARY" in (VAULT / name).read_bytes()]
    assert holding == [name for name in FILES if protection.folder_of(name) is not None]
    assert holding


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith((".json", ".canvas"))])
def test_json_parses(name: str) -> None:
    json.loads(text_of(name))


@pytest.mark.parametrize("name", [name for name in FILES if not name.endswith(".png")])
def test_what_git_or_an_editor_would_change_lies_in_no_file(name: str) -> None:
    data = (VAULT / name).read_bytes()
    assert b"\r" not in data
    assert not data.startswith(b"\xef\xbb\xbf")
    text = data.decode("utf-8")
    assert unicodedata.is_normalized("NFC", text)
    assert not re.search(r"[ \t]+$", text, re.MULTILINE)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


def test_no_file_is_a_link_or_an_ignore_file() -> None:
    assert not [path for path in VAULT.rglob("*") if path.is_symlink()]
    assert not {".gitignore", ".ignore", ".rgignore"} & {Path(name).name for name in FILES}


# The words to search for


@pytest.mark.parametrize(("word", "place"), list(rows("Words to search for").items()))
def test_a_word_occurs_where_the_readme_says(word: str, place: str) -> None:
    found = Vault.open(VAULT).search_files(word, max_results=100)
    if word == "CANARY":
        assert found.total_files == 0
        return
    number = re.match(r"(\w+) notes?\b", place)
    assert number is not None
    assert found.total_files == _WORDS[number[1]]
    named = re.findall(r"`([^`]+\.md)` \((\d+)", place)
    assert [(file.path, str(file.match_count)) for file in found.files] == named or not named


def test_todo_occurs_in_further_files_that_the_readme_names() -> None:
    besides = [name for name in FILES if b"TODO" in (VAULT / name).read_bytes()]
    protected = [name for name in besides if Protection.of().folder_of(name) is not None]
    ordinary = {file.path for file in Vault.open(VAULT).search_files("TODO").files}
    assert len(protected) == 3
    assert set(besides) - set(protected) - ordinary == (
        {"Board.canvas", "Attachments/seed-packet.png", "Archive/plan.md", ".hidden.md"}
    )


def test_the_vault_leaves_its_archive_out_and_hides_a_note() -> None:
    vault = Vault.open(VAULT)
    assert examples(vault.search_files("absent"))["excluded"] == ["Archive"]
    hidden = [name for name in FILES if name.startswith(".") or "/." in name]
    assert examples(vault.search_files("absent"))["hidden"] == hidden[:1]
