"""The generator of vaults: one seed gives one tree, and the probe words occur as promised."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import frontmatter
import pytest

FIXTURES = Path(__file__).parent.parent / "fixtures"
sys.path.insert(0, str(FIXTURES))  # a script beside the package, not a part of it

from make_vault import ABSENT, COMMON, NEWEST, RARE, Stats, make_vault, run  # noqa: E402

DIGEST = "4ce0b1d9c39212efb774f1263b9cfb8e6267d1b59dca10f9b844a44183b6ad1c"  # equal on Python 3.11, 3.12 and 3.13


def digest(folder: Path) -> str:
    """Over path, time in seconds and bytes of each file, in path order."""
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
        if path.is_file():
            total.update(f"{path.relative_to(folder).as_posix()}\n{int(path.stat().st_mtime)}\n".encode())
            total.update(path.read_bytes())
    return total.hexdigest()


def notes_of(folder: Path) -> dict[str, str]:
    """Path to text, strictly decoded."""
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in folder.rglob("*.md")}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Stats]:
    folder = tmp_path_factory.mktemp("generated")
    return folder, make_vault(folder, notes=400, seed=7, mean_bytes=2000)


def test_one_seed_gives_the_same_bytes_and_times_on_every_platform(tmp_path: Path) -> None:
    make_vault(tmp_path / "pinned", notes=60, seed=1, mean_bytes=1500)
    assert digest(tmp_path / "pinned") == DIGEST


def test_another_seed_gives_another_vault(tmp_path: Path) -> None:
    make_vault(tmp_path / "other", notes=60, seed=2, mean_bytes=1500)
    assert digest(tmp_path / "other") != DIGEST


def test_the_probe_words_occur_in_as_many_notes_as_promised(vault: tuple[Path, Stats]) -> None:
    folder, stats = vault
    notes = notes_of(folder)
    assert tuple(sorted(path for path, text in notes.items() if RARE in text)) == stats.rare
    assert (len(stats.rare), stats.common) == (5, 240)
    assert sum(COMMON in text for text in notes.values()) == 240
    assert [path for path in stats.rare if notes[path].lower().count(RARE) != 1] == []
    assert sum(COMMON in text.lower() for text in notes.values()) == 240


def test_the_absent_word_is_in_no_file_and_no_name(vault: tuple[Path, Stats]) -> None:
    folder, _ = vault
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert [path for path in files if ABSENT.encode() in path.read_bytes().lower()] == []
    assert [path for path in folder.rglob("*") if ABSENT in path.name.lower()] == []


def test_the_stats_count_what_is_on_disk(vault: tuple[Path, Stats]) -> None:
    folder, stats = vault
    notes = list(folder.rglob("*.md"))
    attachments = list((folder / "Attachments").iterdir())
    folders = [path for path in folder.rglob("*") if path.is_dir()]
    size = sum(path.stat().st_size for path in notes)
    assert (len(notes), len(attachments), len(folders), size) == (
        stats.notes,
        stats.attachments,
        stats.folders,
        stats.bytes,
    )
    assert 0.7 < size / (400 * 2000) < 1.4


def test_every_kind_of_content_occurs(vault: tuple[Path, Stats]) -> None:
    folder, _ = vault
    text = "\n".join(notes_of(folder).values())
    kinds = (
        "\n## ",
        "\n  - ",
        "\n- [ ] ",
        "\n- [x] ",
        "\n```",
        "\n~~~",
        "\n> [!",
        "\n| --- ",
        "\n%%",
        "[[",
        "![[",
        " #",
    )
    properties = ("tags:", "aliases:", "status:", "rating:", "done: true", "done:\n", "due:", "up:")
    assert [kind for kind in (*kinds, *properties) if kind not in text] == []
    assert any("а" <= letter <= "я" for letter in text)
    assert any("一" <= letter <= "龯" for letter in text)


def test_no_line_end_but_a_newline_is_written(vault: tuple[Path, Stats]) -> None:
    folder, _ = vault
    assert [path for path, text in notes_of(folder).items() if "\r" in text or not text.endswith("\n")] == []


def test_every_frontmatter_is_valid_yaml(vault: tuple[Path, Stats]) -> None:
    folder, _ = vault
    parsed = [frontmatter.loads(text).metadata for text in notes_of(folder).values() if text.startswith("---\n")]
    assert len(parsed) > 200
    assert [properties for properties in parsed if "created" not in properties] == []


def test_folders_are_nested_and_times_are_spread(vault: tuple[Path, Stats]) -> None:
    folder, _ = vault
    assert {path.count("/") for path in notes_of(folder)} >= {0, 1, 2, 3}
    times = {path.stat().st_mtime for path in folder.rglob("*.md")}
    assert len(times) > 390
    assert max(times) <= NEWEST.timestamp()


def test_one_note_of_a_hundred_or_more_is_large(vault: tuple[Path, Stats]) -> None:
    folder, _ = vault
    assert max(path.stat().st_size for path in folder.rglob("*.md")) > 39 * 2000


@pytest.mark.parametrize("notes", [1, 2, 5, 12])
def test_a_vault_may_be_tiny(tmp_path: Path, notes: int) -> None:
    stats = make_vault(tmp_path / "new" / "vault", notes, mean_bytes=1)
    assert (stats.notes, len(stats.rare), stats.common) == (notes, min(notes, 5), round(notes * 0.6))
    assert len(notes_of(tmp_path)) == notes
    assert json.loads((tmp_path / "new/vault/.obsidian/app.json").read_bytes()) == {"userIgnoreFilters": []}


def test_a_folder_that_holds_anything_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".kept").touch()
    with pytest.raises(FileExistsError):
        make_vault(tmp_path, notes=1)
    assert [path.name for path in tmp_path.iterdir()] == [".kept"]


@pytest.mark.parametrize(("notes", "mean_bytes"), [(0, 100), (-1, 100), (1, 0)])
def test_impossible_sizes_are_refused_before_anything_is_written(tmp_path: Path, notes: int, mean_bytes: int) -> None:
    with pytest.raises(ValueError, match="1 or more"):
        make_vault(tmp_path / "vault", notes, mean_bytes=mean_bytes)
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_writes_once_and_refuses_the_second_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [str(tmp_path / "vault"), "--notes", "3", "--seed", "4", "--mean-bytes", "300"]
    assert (run(arguments), run(arguments)) == (0, 2)
    printed = capsys.readouterr()
    assert printed.out.startswith("3 notes, 0.0 MB, 2 attachments, ")
    assert printed.err == f"error: Folder is not empty: {tmp_path / 'vault'}\n"
