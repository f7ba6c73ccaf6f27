"""Which names are closed, in every spelling that a file system could accept for them."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from vaulttools import BadArgument
from vaulttools.files.protection import ALWAYS, Protection, folded

PLAIN = Protection.of()


def test_these_folders_are_always_closed() -> None:
    assert ALWAYS == (".obsidian", ".smarthole", ".trash", ".git")
    for name in ALWAYS:
        assert PLAIN.folder_of(name) == PLAIN.folder_of(f"a/{name}/b/c.md") == name


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        # case
        (".Obsidian/x.md", ".obsidian"),
        (".GIT/config", ".git"),
        ("a/.TrAsH", ".trash"),
        (".ſmarthole/x.md", ".smarthole"),
        # trailing dots and blanks
        (".git.", ".git"),
        (".git /x", ".git"),
        (".git. . ./x", ".git"),
        # doubled slashes and single dots
        ("a//.git//x", ".git"),
        ("./.git", ".git"),
        # characters that a file system drops
        (".g\u200cit/x", ".git"),
        ("\ufeff.git", ".git"),
        (".git\u202e/x", ".git"),
        # open
        ("", None),
        ("my.obsidian.notes/x.md", None),
        (".obsidian.md", None),
        (".gitignore", None),
        (".github/x.md", None),
        ("git/x.md", None),
        ("..git/x.md", None),
        (" .git/x.md", None),
        ("a.trash", None),
    ],
)
def test_a_path_lies_in_a_closed_folder_or_not(path: str, folder: str | None) -> None:
    assert PLAIN.folder_of(path) == folder


@pytest.mark.parametrize(
    ("added", "path", "folder"),
    [
        (".config-x", "a/.Config-X/app.json", ".config-x"),
        ("Private", "private/a.md", "Private"),
        ("Private/", "Team/PRIVATE/a.md", "Private"),
        ("Private", "Private notes/a.md", None),
        ("Straße", "STRASSE/a.md", "Straße"),
        ("Müller", unicodedata.normalize("NFD", "MÜLLER/a.md"), "Müller"),
        (unicodedata.normalize("NFD", "Müller"), "müller", unicodedata.normalize("NFD", "Müller")),
        ("Team/Private", "team/private/deep/a.md", "Team/Private"),
        ("Team/Private", "Team /Private./a.md", "Team/Private"),
        ("./Team//Private/", "Team/Private", "Team/Private"),
        (r"Team\Private", "Team/Private/a.md", "Team/Private"),
        ("Team/Private", "Private/a.md", None),
        ("Team/Private", "x/Team/Private/a.md", None),
        ("Team/Private", "Team/Privat/a.md", None),
        ("Team/Private", "Team", None),
    ],
)
def test_a_folder_can_be_added_by_its_name_or_by_its_path(added: str, path: str, folder: str | None) -> None:
    protection = Protection.of((added,))
    assert protection.folder_of(path) == folder
    assert protection.folder_of(".git") == ".git"


@pytest.mark.parametrize("added", ["..", "...", "Team/../Private", "Team/ /x", "", "/", "."])
def test_an_added_folder_that_could_never_be_met_is_refused(added: str) -> None:
    with pytest.raises(BadArgument) as refusal:
        Protection.of((added,))
    assert str(refusal.value) == f"Not a folder that can be protected: '{added}'"


NAMES = st.one_of(
    st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=8),
    st.text(st.sampled_from("., .gGiItTſTEAMeam\u200c"), min_size=1, max_size=6),
    st.sampled_from([*ALWAYS, "Team", "TEAM ", "Private", "ﬁles", "FILES", ".GIT."]),
).filter(lambda name: name not in (".", ".."))


@settings(max_examples=200)
@given(names=st.lists(NAMES, min_size=1, max_size=3))
@example(["Team", "Private"])
def test_a_walk_and_a_caller_get_the_same_answer(names: list[str]) -> None:
    protection = Protection.of(("Team/Private", "ﬁles"))
    closed = False
    for depth, name in enumerate(names, 1):
        path = "/".join(names[:depth])
        if protection.closes(path, name):
            closed = True
            break
    assert closed == (protection.folder_of("/".join(names)) is not None)


@settings(max_examples=200)
@given(names=st.lists(NAMES, min_size=1, max_size=3), above=st.sampled_from(["", "Team/"]))
@example(["a", "Private. "], "Team/")
def test_a_look_at_many_names_misses_none_that_is_closed(names: list[str], above: str) -> None:
    protection = Protection.of(("Team/Private", "ﬁles"))
    if any(protection.closes(above + name, name) for name in names):
        assert protection.may_close("\0".join(names))


def test_names_that_are_like_no_closed_one_need_no_look_at_each() -> None:
    assert not PLAIN.may_close("Übersicht.md\0git.md\0README.md")


@settings(max_examples=200)
@given(name=NAMES)
def test_every_spelling_has_the_same_folded_form(name: str) -> None:
    once = folded(name)
    assert folded(once) == once
    spellings = (f"{name}.", f"{name} ", unicodedata.normalize("NFD", name), unicodedata.normalize("NFC", name))
    assert {folded(spelling) for spelling in spellings} == {once}


@pytest.mark.parametrize(
    ("member", "folder"),
    [
        (".obsidian/app.json", ".obsidian"),
        ("backup/vault/.GIT./config", ".git"),
        ("x\\.trash\\a.md", ".trash"),
        ("/.ſmarthole/a.md", ".smarthole"),
        ("../.obsidian", ".obsidian"),
        ("a/../.git/x", ".git"),
        (".git/../a.md", ".git"),
        ("Team/Secret/a.md", "Team/Secret"),
        ("old/vault/TEAM//./secret./a.md", "Team/Secret"),
        ("Team/x/../Secret/a.md", "Team/Secret"),
        ("Team/a.md", None),
        ("Secret/Team/a.md", None),
        ("Team/x/Secret/a.md", None),
        ("My Team/Secret/a.md", None),
        (".gitignore", None),
        ("..", None),
        ("", None),
    ],
)
def test_fault_P15_a_name_in_an_archive_is_closed_at_any_depth(member: str, folder: str | None) -> None:
    assert Protection.of(("Team/Secret",)).folder_of_member(member) == folder
