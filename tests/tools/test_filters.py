"""The glob filters `search_files.file_pattern` and `grep.glob`: one reading for both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import MakeVault
from tests.passed_over import counts, examples
from tests.tools.conftest import posix_only
from vaulttools import Vault
from vaulttools.errors import BadArgument, OutsideVault

NOTES = dict.fromkeys(("a.md", "real/b.md", "real/deep/c.md", "other/d.md", "real/e.txt"), "hit\n")

Look = Callable[[Vault, str], list[str]]


def by_pattern(vault: Vault, file_pattern: str) -> list[str]:
    return [file.path for file in vault.search_files("hit", file_pattern=file_pattern).files]


def by_glob(vault: Vault, glob: str, path: str | None = None) -> list[str]:
    return [match.path for match in vault.grep("hit", glob=glob, path=path).matches]


@pytest.mark.parametrize("look", [by_pattern, by_glob])
@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("*.md", ["a.md"]),
        ("real", ["real/b.md", "real/deep/c.md", "real/e.txt"]),
        ("real/", ["real/b.md", "real/deep/c.md", "real/e.txt"]),
        ("a.md", ["a.md"]),
        ("real/../real/*.md", ["real/b.md"]),
        ("**/c.md", ["real/deep/c.md"]),
    ],
)
def test_an_absolute_filter_is_read_from_the_root(
    look: Look, name: str, files: list[str], make_vault: MakeVault
) -> None:
    vault = make_vault(NOTES)
    assert look(vault, f"{vault.path.as_posix()}/{name}") == files


@pytest.mark.parametrize("folder", ["[x]", "{a,b}"])
def test_an_absolute_filter_may_lead_through_folders_called_like_globs(folder: str, tmp_path: Path) -> None:
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "a.md").write_text("hit\n", encoding="utf-8")
    with Vault.open(tmp_path / folder) as vault:
        assert by_pattern(vault, f"{vault.path.as_posix()}/*.md") == ["a.md"]
        assert vault.search("hit", paths=[f"{vault.path.as_posix()}/*.md"]).files == ["a.md"]


@pytest.mark.parametrize("glob", ["../*.md", "/etc/*", "../a.md", "real/../../x/**"])
def test_a_filter_that_leads_outside_the_vault_is_refused(glob: str, make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    for look in (by_pattern, by_glob):
        with pytest.raises(OutsideVault, match=r"^Path is outside the vault: "):
            look(vault, glob)


@posix_only
@pytest.mark.parametrize("link", ["out", "out/*.md"])
def test_a_filter_behind_a_link_out_of_the_vault_is_refused(link: str, make_vault: MakeVault, tmp_path: Path) -> None:
    vault = make_vault(NOTES)
    (tmp_path / "outside").mkdir()
    (vault.path / "out").symlink_to(tmp_path / "outside")
    for look in (by_pattern, by_glob):
        with pytest.raises(OutsideVault):
            look(vault, link)


@pytest.mark.parametrize("glob", [".obsidian", ".obsidian/app.md", ".obsidian/*", "**/app.md", "{.obsidian,x}/*"])
def test_a_filter_that_lies_in_a_protected_folder_selects_nothing(glob: str, make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, ".obsidian/app.md": "hit\n"})
    assert (by_pattern(vault, glob), by_glob(vault, glob)) == ([], [])


@posix_only
@pytest.mark.parametrize("name", [r"a\b.md", "[id]/p.md", "a,b.md", "{x}.md", "new\nline.md"])
def test_a_filter_that_is_the_name_of_a_file_means_that_file(name: str, make_vault: MakeVault) -> None:
    vault = make_vault({name: "hit\n", "a/b.md": "hit\n", "i/p.md": "hit\n"})
    assert by_glob(vault, name) == by_pattern(vault, name) == [name]


@posix_only
def test_a_filter_takes_a_name_as_it_is_shown(make_vault: MakeVault) -> None:
    vault = make_vault({"new\nfold/a.md": "hit\n", "new\nfold/b\r.md": "hit\n", "c.md": "hit\n"})
    for look in (by_pattern, by_glob):
        assert look(vault, r"new\nfold") == ["new\nfold/a.md", "new\nfold/b\r.md"]
        assert look(vault, r"new\nfold/b\r.md") == ["new\nfold/b\r.md"]


@posix_only
def test_a_filter_behind_a_link_into_a_protected_folder_selects_nothing(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, ".obsidian/app.md": "hit\n"})
    (vault.path / "door").symlink_to(".obsidian")
    for glob in ("door", "door/*.md", f"door/{{{'x' * 300},*}}.md"):
        assert (by_pattern(vault, glob), by_glob(vault, glob)) == ([], [])


@posix_only
def test_a_filter_follows_the_links_that_it_names(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    (vault.path / "folder").symlink_to("real")
    (vault.path / "link.md").symlink_to("other/d.md")
    for look in (by_pattern, by_glob):
        assert look(vault, "folder") == ["folder/b.md", "folder/deep/c.md", "folder/e.txt"]
        assert look(vault, "folder/*.md") == ["folder/b.md"]
        assert look(vault, "link.md") == ["link.md"]


def test_a_file_named_by_a_filter_is_searched_whatever_the_rules_say(make_vault: MakeVault) -> None:
    vault = make_vault(
        {
            ".gitignore": "ignored.md\n",
            ".obsidian/app.json": '{"userIgnoreFilters": ["excluded/"]}',
            "ignored.md": "hit\n",
            "excluded/x.md": "hit\n",
            ".hidden/h.md": "hit\n",
        }
    )
    for name in ("ignored.md", "excluded/x.md", ".hidden/h.md"):
        assert by_glob(vault, name) == by_pattern(vault, name) == [name]
    assert by_glob(vault, "ignore?.md") == by_glob(vault, "excluded/*.md") == []
    assert by_pattern(vault, "excluded/*.md") == by_pattern(vault, ".hidden/*.md") == []


def test_a_glob_of_grep_selects_only_below_its_path(make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    assert by_glob(vault, "a.md", "real") == by_glob(vault, "other", "real") == []
    assert by_glob(vault, "real", "real/deep") == by_glob(vault, "real/deep", "real") == ["real/deep/c.md"]
    assert by_glob(vault, "real", "real/b.md") == by_glob(vault, "*.md", "real/b.md") == ["real/b.md"]
    assert by_glob(vault, "real/deep", "real/b.md") == []


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_blank_filter_selects_every_file(blank: str, make_vault: MakeVault) -> None:
    vault = make_vault(NOTES)
    assert vault.search_files("hit", file_pattern=blank) == vault.search_files("hit")
    assert vault.grep("hit", glob=blank, path="") == vault.grep("hit")


def test_a_glob_that_selects_no_file_is_reported_with_what_other_case_selects(make_vault: MakeVault) -> None:
    vault = make_vault({"Boat/a.md": "boat\n", "b.md": "hit\n"})
    assert vault.grep("boat", glob="Nope/*").notices == ["glob selected no file to search."]
    other = ["With case ignored there are: Boat/a.md."]
    assert vault.grep("boat", glob="boat/*").notices == ["glob selected no file to search.", *other]
    assert vault.search("boat", "Boat/*.MD").notices == ["paths selected no file to search.", *other]
    assert vault.search_files("boat", file_pattern="Nope/*").notices == ["file_pattern selected no file to search."]
    assert vault.grep("nothing", glob="Boat/*").notices == []
    assert vault.grep("nothing", glob="b.md").notices == ["b.md was searched and holds no match."]


@pytest.mark.parametrize(
    ("folders", "given", "meant"),
    [
        (["Boat", "Old/Boat", "Old/Boats"], "boat", "Boat or Old/Boat"),
        (["Boat", "Old/boat"], "boats", "Boat or Old/boat"),
        (["v1.2", "x/v1.3"], "V1.2", "v1.2"),
        (["Boat", "a/Boat", "b/Boat", "c/Boat", "d/Boat"], "boat", "Boat, a/Boat, b/Boat, c/Boat or d/Boat"),
        (
            ["boat", "a/Boat", "b/Boat", "c/Boat", "d/e/Boat", "d/e/f/Boat", "f/Boat"],
            "BOAT",
            "boat, a/Boat, b/Boat, c/Boat, f/Boat or 2 others",
        ),
    ],
)
def test_a_missing_folder_is_refused_with_all_folders_of_its_name(
    folders: list[str], given: str, meant: str, make_vault: MakeVault
) -> None:
    vault = make_vault({f"{folder}/a.md": "" for folder in folders})
    with pytest.raises(BadArgument) as refused:
        vault.tags(folder=given)
    assert str(refused.value).endswith(f"there is no such folder; did you mean {meant}?")


def test_a_missing_folder_is_refused_with_similar_names(make_vault: MakeVault) -> None:
    vault = make_vault({"Boat/a.md": "boat\n", "Boat/Sails/b.md": "hit\n"})
    with pytest.raises(BadArgument, match=r"there is no such folder; did you mean Boat\?$"):
        vault.tags(folder="boat")
    with pytest.raises(BadArgument, match=r"there is no such folder; did you mean Boat/Sails\?$"):
        vault.base(where="true", folder="Boat/sail")
    with pytest.raises(BadArgument, match=r"there is no such folder$"):
        vault.tags(folder="zzzz")
    with pytest.raises(BadArgument, match=r"^Path not found: boat/\*; did you mean Boat/\* or Boat/Sails/\*\?$"):
        vault.search("boat", "boat/*")
    with pytest.raises(BadArgument, match=r"^Path not found: sails; did you mean Boat/Sails\?$"):
        vault.grep("boat", path="sails")


def test_the_answer_says_which_filters_leave_nothing(make_vault: MakeVault) -> None:
    vault = make_vault({**NOTES, "tagged.md": "---\ntags: work\n---\nhit, and another\n"})
    assert "file_pattern selected no file to search." in vault.search_files("hit", file_pattern="*.pdf").notices
    assert vault.search_files("another", file_pattern="*.md", tags=["home"], within="tasks").notices == [
        "1 file matches without within and tags."
    ]
    assert vault.search_files("hit", properties={"status": "done"}).notices == ["5 files match without properties."]
    assert vault.search_files("nowhere", tags=["work"], within="anywhere").notices == []


@pytest.mark.parametrize("tag", ["work,home", "work, home", "#work #home"])
def test_several_tags_in_one_text_are_refused(tag: str, make_vault: MakeVault) -> None:
    with pytest.raises(BadArgument) as refused:
        make_vault(NOTES).search_files("hit", tags=tag)
    assert str(refused.value) == f'tags must be a list of tags, ["work", "project/alpha"], got "{tag}" as one'


@pytest.mark.parametrize("tag", ["", "#", "  "])
def test_a_tag_without_a_name_is_refused(tag: str, make_vault: MakeVault) -> None:
    with pytest.raises(BadArgument, match=r"^tags must be names of tags, such as work or #project/alpha, got "):
        make_vault(NOTES).search_files("hit", tags=["work", tag])


@posix_only
def test_a_link_is_reported_only_when_it_could_hold_what_is_asked_for(make_vault: MakeVault, tmp_path: Path) -> None:
    vault = make_vault({**NOTES, ".obsidian/app.md": "hit\n"})
    (tmp_path / "outside").mkdir()
    for name, target in {
        "folder": "real",
        "closed.md": ".obsidian/app.md",
        "config": ".obsidian",
        "file.md": "a.md",
        "image.png": "real/e.txt",
        "out": "../outside",
        "other/up": "../real",
    }.items():
        (vault.path / name).symlink_to(target)
    assert examples(vault.search_files("no such text"))["symlink"] == ["file.md", "folder", "other/up", "out"]
    answer = vault.search_files("no such text", file_pattern="other/*/*.md")
    assert examples(answer)["symlink"] == ["other/up"]
    assert "symlink" not in counts(vault.search_files("no such text", file_pattern="real/*.md"))
    assert "closed.md" not in vault.find(["*"]).files
