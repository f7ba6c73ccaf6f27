"""`tags` as rule-T01 to rule-T09, rule-E04 have it: counts, nesting, casing, filters."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings

from tests.conftest import MakeVault
from tests.tools.stories import replay, stories
from vaulttools import BadArgument, Vault, VaultConfig
from vaulttools.notes.note import Note
from vaulttools.tools.tags import TagCount


def test_tags_are_listed_with_their_notes(make_vault: MakeVault) -> None:
    answer = make_vault({"a.md": "---\ntags: [Work]\n---\n#work #home", "b.md": "#WORK", "c.txt": "#no"}).tags()
    assert answer.text == (
        "2 tags in 2 notes:\n"
        "\n"
        "#Work: 2 notes, 3 occurrences\n"
        "#home: 1 note, 1 occurrence\n"
        "\n"
        '[To see the notes of a tag: query {"query": "tag:#Work", "mode": "obsidian"}]'
    )
    assert answer.model_dump() == {
        "complete": True,
        "searched": 2,
        "passed_over": [],
        "notices": ['To see the notes of a tag: query {"query": "tag:#Work", "mode": "obsidian"}'],
        "tags": [
            {"tag": "Work", "notes": 2, "occurrences": 3},
            {"tag": "home", "notes": 1, "occurrences": 1},
        ],
        "total_tags": 2,
    }


def test_a_parent_counts_the_notes_of_its_children_each_once(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "#p/x #P/y", "b.md": "#p", "c.md": "#p/x/deep #pq"})
    assert vault.tags().tags == [
        TagCount(tag="p", notes=3, occurrences=4),
        TagCount(tag="p/x", notes=2, occurrences=2),
        TagCount(tag="p/x/deep", notes=1, occurrences=1),
        TagCount(tag="P/y", notes=1, occurrences=1),
        TagCount(tag="pq", notes=1, occurrences=1),
    ]
    assert [each.tag for each in vault.tags(name="#P/X/").tags] == ["p/x", "p/x/deep"]


def test_a_tag_of_many_levels_is_listed_with_the_outermost_ones_and_found_by_any(make_vault: MakeVault) -> None:
    deep = "a/" * 40 + "x"
    vault = make_vault({"a.md": f"#{deep}", "b.md": "#a/b"})
    answer = vault.tags()
    assert answer.total_tags == 34  # a/b, 32 levels, and the tag itself
    assert (
        "Of the tags that a tag of more than 33 levels is nested in, only the outermost 32 are listed." in answer.text
    )
    for count in (1, 31, 32, 33, 40):
        asked = ("a/" * count).rstrip("/")
        found = vault.search_files("#", tags=[asked], output="paths").text
        assert ("a.md" in found, "b.md" in found) == (True, count == 1)
        assert vault.base(where=f'file.hasTag("{asked}")').total == (2 if count == 1 else 1)


def test_rule_T03_a_tag_is_shown_as_it_was_first_seen(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "#Home", "b.md": "#HOME #home"})
    assert vault.tags().tags == [TagCount(tag="Home", notes=2, occurrences=3)]


@pytest.mark.parametrize(
    ("arguments", "tags"),
    [
        ({}, ["here", "there", "top"]),
        ({"folder": "x"}, ["here", "there"]),
        ({"folder": "x/"}, ["here", "there"]),
        ({"folder": "/"}, ["here", "there", "top"]),
        ({"glob": "*.md", "folder": "x/y"}, ["there"]),
        ({"glob": "x/*.md"}, ["here"]),
        ({"glob": "a.md"}, ["top"]),
        ({"glob": "Old/o.md"}, ["old"]),
        ({"glob": "e.txt"}, []),
        ({"limit": 1}, ["here"]),
    ],
)
def test_folder_glob_and_limit_narrow(make_vault: MakeVault, arguments: dict[str, Any], tags: list[str]) -> None:
    files = {
        "a.md": "#top",
        "x/a.md": "#here",
        "x/y/a.md": "#there",
        "Old/o.md": "#old",
        ".h.md": "#hid",
        "e.txt": "#e",
    }
    vault = make_vault({**files, ".obsidian/app.json": '{"userIgnoreFilters": ["Old/"]}'})
    assert [each.tag for each in vault.tags(**arguments).tags] == tags


def test_an_unknown_tag_is_reported_with_similar_ones(make_vault: MakeVault) -> None:
    answer = make_vault({"a.md": "#project/alpha"}).tags(name="projct")
    assert answer.text == "No tag #projct found in 1 note.\n\n[Tags with similar names: #project.]"


def test_what_is_left_out_is_reported_when_nothing_is_found(make_vault: MakeVault) -> None:
    vault = make_vault({"Old/o.md": "#old", "n.md": "\0", ".obsidian/app.json": '{"userIgnoreFilters": ["Old/"]}'})
    assert vault.tags().text == ("No tags found in 0 notes.\n\n[Passed over: 1 excluded (Old); 1 binary (n.md).]")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"name": " # "}, 'name must be a tag, such as work or #project/alpha, got " # "'),
        ({"folder": "x"}, "folder must name a folder of the vault, got x: there is no such folder"),
        ({"folder": "a.md"}, "folder must name a folder of the vault, got a.md: it is not a folder"),
        ({"folder": ".obsidian"}, "Access denied: '.obsidian/' is a protected folder"),
        ({"glob": "[", "limit": 3}, "Invalid glob pattern: [: unclosed bracket, [ without ]; \\[ is the sign itself"),
        ({"limit": 0}, "limit must be a whole number from 1 to 10,000, got 0"),
    ],
)
def test_refusals(make_vault: MakeVault, arguments: dict[str, Any], sentence: str) -> None:
    vault = make_vault({"a.md": "#a"})
    with pytest.raises(BadArgument) as refusal:
        vault.answer("tags", arguments)
    assert str(refusal.value) == sentence


@pytest.mark.scan_only
def test_notes_that_were_not_read_in_time_are_reported(make_vault: MakeVault) -> None:
    folder = make_vault({f"{number}.md": f"#tag{number}\n" * 50 for number in range(200)}).path
    with Vault.open(folder, config=VaultConfig(time_limit=0.001)) as vault:
        answer = vault.tags()
        assert (answer.complete, answer.searched < 200) == (False, True)
        read = f"{answer.searched} of 200 notes are read"
        assert answer.text.startswith(f"Part of the answer: {read}. Ask again for the rest.")


@pytest.mark.scan_only
def test_a_vault_without_index_leaves_nothing_behind(make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = make_vault({"a.md": "#a"})
    made = vault.path.parent / "temporary"
    made.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(made))
    assert vault.tags().total_tags == 1
    assert list(made.iterdir())
    vault.close()
    assert not list(made.iterdir())


def test_every_change_counts(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "#one"})
    for text, tags in (("#two", ["two"]), ("#two #three", ["three", "two"]), ("", [])):
        (vault.path / "a.md").write_text(text, encoding="utf-8")
        assert [each.tag for each in vault.tags().tags] == tags


@given(stories)
@settings(max_examples=25)
def test_the_answer_is_what_reading_every_note_gives(story: list[Any]) -> None:
    def check(vault: Vault, notes: Mapping[str, Note]) -> None:
        answer = vault.tags(limit=10_000)
        assert (answer.tags, answer.searched, answer.complete) == (_counted(notes), len(notes), True)

    replay(story, check)


def _counted(notes: Mapping[str, Note]) -> list[TagCount]:
    """Asks each note for one tag after the other."""
    written = [tag for note in notes.values() for tag in note.written_tags]
    steps = [tag.split("/") for tag in written]
    parents = ["/".join(parts[:end]) for parts in steps for end in range(len(parts), 0, -1) if any(parts[:end])]
    names = {name.rstrip("/").casefold(): name.rstrip("/") for name in reversed(parents)}
    counts = [
        TagCount(
            tag=name,
            notes=sum(note.has_tag(name) for note in notes.values()),
            occurrences=sum(f"{tag.casefold()}/".startswith(f"{folded}/") for tag in written),
        )
        for folded, name in names.items()
    ]
    return sorted(counts, key=lambda count: (-count.notes, count.tag.casefold()))
