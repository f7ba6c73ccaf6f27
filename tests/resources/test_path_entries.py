"""What the `paths` of a call name."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.conftest import MakeVault
from tests.passed_over import counts, examples
from vaulttools.errors import BadArgument, PathNotFound
from vaulttools.resources import archives

links = pytest.mark.not_on_windows("not every user may make links, and Wine reads none back")

JOINED = r'^paths is an array — pass \["a", "b"\] not \["a,b"\]: '


@pytest.mark.parametrize(
    "entry",
    ["a,b", "a.md,b.md", "a.md, b.md", "src/*.ts,lib/*.ts", "x.md,y.md", "a,*.md", "x, y/*.md,a.md", "a.md:1-2,b.md"],
)
def test_an_entry_that_joins_several_is_refused(entry: str, make_vault: MakeVault) -> None:
    vault = make_vault({"a/n.md": "hit\n", "b/n.md": "hit\n", "a.md": "hit\n", "b.md": "hit\n", "x, y/n.md": "hit\n"})
    for call in (vault.search, lambda _, paths: vault.find(paths)):
        with pytest.raises(BadArgument, match=JOINED):
            call("hit", paths=[entry])


@pytest.mark.parametrize(
    ("entry", "files"),
    [
        ("a, b/*.md", ["a, b/n.md"]),
        ("a, b", ["a, b/n.md"]),
        ("k, l/n, m*.txt", ["k, l/n, m1.txt"]),
        ("Smith, J*.md", ["Smith, John.md"]),
        ("Smith, John.md", ["Smith, John.md"]),
        ("Smith, John.md:1-2", ["Smith, John.md"]),
        ("{a, b,c}/n.md", ["c/n.md"]),
        ("Smith[,] *.md", ["Smith, John.md"]),
    ],
)
def test_a_comma_in_a_name_is_part_of_the_name(entry: str, files: list[str], make_vault: MakeVault) -> None:
    names = ("a, b/n.md", "k, l/n, m1.txt", "Smith, John.md", "c/n.md")
    vault = make_vault(dict.fromkeys(names, "hit\n"))
    assert vault.search("hit", paths=[entry]).files == files


def test_a_missing_name_with_a_comma_is_not_found(make_vault: MakeVault) -> None:
    with pytest.raises(PathNotFound, match=r"^Path not found: Nope, x\.md$"):
        make_vault({"a.md": "hit\n"}).search("hit", paths=["Nope, x.md"])


def test_a_link_may_carry_a_line_range(make_vault: MakeVault) -> None:
    vault = make_vault({"deep/Note.md": "# H\nhit\nhit\nhit\n"})
    assert vault.search("hit", paths=["[[Note]]:1-3"]).match_count == 2
    for part in ("H", "^id"):
        with pytest.raises(BadArgument, match=r"^A link to a part of a note names its lines already: "):
            vault.search("hit", paths=[f"[[Note#{part}]]:1-2"])
    with pytest.raises(PathNotFound):
        vault.search("hit", paths=["[[Nope]]:1-2"])


@links
def test_a_file_that_a_link_also_names_is_searched_once(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "hit\nhit\n", "b.md": "hit\n"})
    (vault.path / "link.md").symlink_to("a.md")
    assert vault.search("hit", paths=["a.md", "b.md", "link.md"]).file_matches == {"a.md": 2, "b.md": 1}
    assert vault.search("hit", paths=["link.md:2", "a.md:1-1"]).file_matches == {"link.md": 2}


def _zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.md", "text\n")
        archive.writestr("latin.md", b"\xe9\n")
        archive.writestr("null.md", b"\0")
        archive.writestr("large.md", b"x" * (archives.MEMBER_BYTES + 1))
        archive.writestr("folder/", b"")


@pytest.mark.parametrize(
    ("member", "skipped"),
    [("latin.md", "unreadable"), ("large.md", "too large"), ("null.md", None), ("folder", None), ("nope.md", None)],
)
def test_a_member_that_cannot_be_read_leaves_the_search_incomplete(
    member: str, skipped: str | None, make_vault: MakeVault
) -> None:
    vault = make_vault({})
    _zip(vault.path / "n.zip")
    answer = vault.search("hit", paths=["n.zip:a.md", f"n.zip:{member}"])
    assert (list(counts(answer)), answer.complete) == ([skipped] if skipped else [], skipped is None)
    first = answer.text.splitlines()[0]
    if skipped:
        assert first.startswith(
            f"No matches in the 1 file searched; the search is incomplete: 1 file {skipped} (n.zip:"
        )
    else:
        assert first == "No matches found"
    assert f"Cannot search archive member(s): n.zip:{member} (" in answer.text
    with pytest.raises(BadArgument, match=r"^Cannot search archive member\(s\): "):
        vault.search("hit", paths=[f"n.zip:{member}"])


def test_an_archive_that_is_not_searched_leaves_the_search_incomplete(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "UNPACKED_BYTES", 64 * 1024)
    vault = make_vault({})
    with tarfile.open(vault.path / "n.tgz", "w:gz") as archive:
        for name, content in {"a.md": b"text\n", "b.bin": bytes(1 << 20)}.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    answer = vault.search("hit", paths=["n.tgz:a.md"])
    assert (answer.complete, examples(answer)["too large"]) == (False, ["n.tgz"])
