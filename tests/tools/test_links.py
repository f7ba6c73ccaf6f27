"""`links` as rule-B01, rule-B02, rule-L12 to rule-L17, rule-P05, rule-A02, rule-E04 have it:
directions, filters, lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import FIXTURES, Files, MakeVault
from tests.passed_over import examples
from tests.tools.stories import replay, stories
from vaulttools import BadArgument, Vault
from vaulttools.answers.answer import AtLeast
from vaulttools.notes.links.mentions import _linked, code_spans, mentions
from vaulttools.notes.links.references import Reference
from vaulttools.notes.links.resolution import LinkIndex
from vaulttools.notes.note import Note
from vaulttools.tools.links import LinkFound

FILES: Files = {
    "a.md": "---\naliases: [Anna]\nup: '[[b]]'\n---\n[[x/c|see]] ![[p.png]]\n[gone](gone.md) <https://x.org>\n",
    "b.md": "Anna and [[a]], `Anna`\n\nanna again, [m](a.md)\n",
    "x/c.md": "[[#Here]] b, ab and b.\n\n```\nanna\n```\n",
    "p.png": b"\0",
    "Old/o.md": "[[a]] Anna",
    ".obsidian/app.json": '{"userIgnoreFilters": ["Old/"]}',
}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            {"note": "a"},
            "4 links in a.md, 1 of them to files that are not there:\n\n## a.md\nLine 3 -> b.md: up: '[[b]]'\n"
            "Line 5 -> x/c.md: [[x/c|see]] ![[p.png]]\nLine 5 -> p.png: [[x/c|see]] ![[p.png]]\n"
            "Line 6 -> gone.md (not there): [gone](gone.md) <https://x.org>",
        ),
        (
            {"note": "a", "direction": "back"},
            "2 links to a.md in 1 note:\n\n## b.md\nLine 1: Anna and [[a]], `Anna`\n"
            "Line 3: anna again, [m](a.md)",
        ),
        (
            {"note": "[[b]]", "direction": "back"},
            "1 link to b.md in 1 note:\n\n## a.md\nLine 3: up: '[[b]]'",
        ),
        (
            {"note": "p.png", "direction": "back", "limit": 1},
            "1 link to p.png in 1 note:\n\n## a.md\nLine 5: [[x/c|see]] ![[p.png]]",
        ),
        (
            {"note": "a", "direction": "back", "folder": "x"},
            "No links to a.md in the notes selected.\n\n"
            "[Passed over: 1 excluded (Old).]\n"
            "[Set direction to mentions for its name as plain text.]",
        ),
        (
            {"note": "a", "direction": "mentions"},
            "2 mentions of 'a' or 'Anna':\n\n## b.md\nLine 1: Anna and [[a]], `Anna`\nLine 3: anna again, [m](a.md)",
        ),
        (
            {"note": "b", "direction": "mentions"},
            "1 mention of 'b':\n\n## x/c.md\nLine 1: [[#Here]] b, ab and b.",
        ),
        (
            {"direction": "unresolved"},
            "1 link to 1 file that is not there:\n\n## a.md\n"
            "Line 6 -> gone.md (not there): [gone](gone.md) <https://x.org>\n\n"
            "[Passed over: 1 excluded (Old).]",
        ),
        ({"direction": "orphans"}, "No notes that no other note links to.\n\n"
         "[Passed over: 1 excluded (Old).]"),
    ],
)  # fmt: skip
def test_each_direction_shows_its_links_with_their_lines(
    make_vault: MakeVault, arguments: dict[str, Any], text: str
) -> None:
    assert make_vault(FILES).links(**arguments).text == text


def test_a_note_without_links_names_the_call_for_its_backlinks(make_vault: MakeVault) -> None:
    answer = make_vault({"a.md": "", "b.md": "[[a]]"}).links(note="a")
    assert answer.text == "No links in a.md.\n\n[Set direction to back for the notes that link to it.]"


@pytest.mark.parametrize(
    "link",
    [
        *("[[n]]", "[[N.md]]", "![[n]]", "[[n#H]]", "[[n#^id]]", "[[n|shown]]", "[[x/n]]", "[t](x/n.md)", "![t](n)"),
        *("[t](n.md#H)", "[t](../x/n.md)", "[[../x/n]]", "> [[n]]", "|a|\n|-|\n|[[n\\|b]]|", "%%[[n]]%%", "^[[[n]]]"),
        *("---\nup: '[[n]]'\n---\n", '---\nup:\n  - "[[n#H|x]]"\n---\n', "# [[n]]", "- [ ] [[n]]"),
    ],
)
def test_rule_B01_any_form_of_link_is_a_backlink(make_vault: MakeVault, link: str) -> None:
    answer = make_vault({"x/n.md": "# H ^id\n[[n]]", "y/m.md": link}).links(note="n", direction="back")
    assert [found.source for found in answer.links] == ["x/n.md", "y/m.md"]


def test_rule_B02_excluded_notes_are_left_out_and_reported(make_vault: MakeVault) -> None:
    answer = make_vault({name: text for name, text in FILES.items() if name != "b.md"}).links(
        note="a", direction="mentions"
    )
    assert (answer.total, examples(answer)["excluded"]) == (0, ["Old"])
    assert "Passed over: 1 excluded (Old)." in answer.notices


def test_rule_A02_aliases_count_as_mentions(make_vault: MakeVault) -> None:
    vault = make_vault({"Real.md": "---\naliases: [Ann, Bo Lee]\n---\n", "m.md": "Ann met\nbo lee and\nreal.\nLee"})
    assert [link.line for link in vault.links(note="Real", direction="mentions").links] == [1, 2, 3]


def test_rule_L15_an_alias_is_no_name_of_a_link(make_vault: MakeVault) -> None:
    vault = make_vault({"Real.md": "---\naliases: [AL]\n---\n", "m.md": "[[AL]]\n[[Real|AL]]\n[t](AL.md)"})
    assert [(link.line, link.target) for link in vault.links(direction="unresolved").links] == [(1, "AL"), (3, "AL.md")]
    assert [link.line for link in vault.links(note="Real", direction="back").links] == [2]
    assert vault.call("read", {"note": "AL"}).text.startswith("Path not found: AL")


def test_rule_L04_a_name_that_no_link_can_hold_is_reached_by_its_path(make_vault: MakeVault) -> None:
    vault = make_vault({"C# notes.md": "sharp", "m.md": "[[C# notes]] [t](C%23%20notes.md)"})
    assert [(link.target, link.resolved) for link in vault.links(note="m").links] == [
        ("C", False),
        ("C%23 notes.md", False),
    ]
    assert vault.read("C# notes.md").content == vault.read("C# notes").content == "sharp"


def test_rule_L01_P05_links_are_those_that_obsidian_counted(make_vault: MakeVault) -> None:
    """All 36 links of a note as the app recorded them, with where each leads, and the notes that link to it."""
    case = json.loads((FIXTURES / "cases/obsidian-links.json").read_text(encoding="utf-8"))
    vault = make_vault(case["files"])
    name = case["note"]
    note = Note(name, case["files"][name])
    names = LinkIndex(case["files"])
    references = sorted((each for each in note.references if each.kind != "external"), key=lambda each: each.embed)
    assert [
        {
            "path": _linktext(each),
            "display": each.display or _linktext(each).replace("#", " > "),
            "leads_to": names.resolve(each.target, name),
        }
        for each in references
    ] == case["links"]

    out = vault.links(note=name, limit=100)
    assert sorted(link.target for link in out.links if link.resolved) == sorted(
        link["leads_to"] for link in case["links"] if link["leads_to"]
    )
    gone = [link["path"] for link in case["links"] if link["leads_to"] is None]
    assert [link.target for link in out.links if not link.resolved] == gone
    assert [link.target for link in vault.links(direction="unresolved").links] == gone
    back = vault.links(note=name, direction="back").links
    assert list(dict.fromkeys(link.source for link in back)) == case["backlinks"]
    to_other = vault.links(note="Oracle/Other.md", direction="back", glob=name).links
    assert len(to_other) == sum(link["leads_to"] == "Oracle/Other.md" for link in case["links"])
    for source, written in case["others"].items():
        others = Note(source, case["files"][source]).references
        assert [f"[[{_linktext(each)}|{each.display or _linktext(each)}]]" for each in others] == written


def _linktext(reference: Reference) -> str:
    """A link's text as the app keeps it: the target with its headings or block."""
    block = [f"^{reference.block}"] if reference.block else []
    return "#".join((reference.target, *reference.headings, *block))


def test_rule_L12_a_markdown_link_resolves_by_name_too(make_vault: MakeVault) -> None:
    """As Obsidian 1.13.7 was seen to do: pvliesdonk/markdown-vault-mcp 1383."""
    vault = make_vault({"Sub/My note.md": "", "m.md": "[t](My%20NOTE.md)\n[[my note]]"})
    assert [link.target for link in vault.links(note="m").links] == ["Sub/My note.md"] * 2


def test_rule_L14_each_link_resolves_from_the_folder_of_its_own_note(make_vault: MakeVault) -> None:
    vault = make_vault({"A/T.md": "", "Bb/T.md": "", "A/m.md": "[[T]]", "Bb/m.md": "[[T]]", "Bb/deep/m.md": "[[T]]"})
    assert [link.source for link in vault.links(note="A/T.md", direction="back").links] == ["A/m.md", "Bb/deep/m.md"]
    assert [link.source for link in vault.links(note="Bb/T.md", direction="back").links] == ["Bb/m.md"]
    assert vault.call("read", {"note": "T"}).text == ("Name is ambiguous: T could be A/T.md or Bb/T.md; give the path")


def test_rule_L18_a_note_that_was_renamed_is_found_under_its_new_name(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "", "m.md": "[[a]]"})
    assert vault.links(note="a", direction="back").total == 1
    (vault.path / "a.md").rename(vault.path / "b.md")
    (vault.path / "m.md").write_text("[[b]]", encoding="utf-8")
    assert vault.links(note="b", direction="back").total == 1
    assert vault.links(direction="unresolved").total == 0


def test_details_hold_source_target_line_and_text(make_vault: MakeVault) -> None:
    answer = make_vault(FILES).links(note="a", limit=3)
    assert answer.model_dump() == {
        "complete": True,
        "searched": 1,
        "passed_over": [],
        "notices": ["Showing 3 of 4 links. Raise limit or narrow folder."],
        "links": [
            {"source": "a.md", "target": "b.md", "line": 3, "text": "up: '[[b]]'", "resolved": True},
            {"source": "a.md", "target": "x/c.md", "line": 5, "text": "[[x/c|see]] ![[p.png]]", "resolved": True},
            {"source": "a.md", "target": "p.png", "line": 5, "text": "[[x/c|see]] ![[p.png]]", "resolved": True},
        ],
        "notes": [
            {"path": "b.md", "distance": 1, "via": []},
            {"path": "x/c.md", "distance": 1, "via": []},
        ],
        "orphans": [],
        "total": 4,
    }


def test_orphans_are_notes_without_links_from_others(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "[[a]] [[b]]", "b.md": "", "x/c.md": "[[gone]]", "p.png": b""})
    answer = vault.links(direction="orphans")
    assert (answer.text, answer.orphans) == ("2 notes that no other note links to:\n\na.md\nx/c.md", ["a.md", "x/c.md"])
    selected = vault.links(direction="orphans", glob="x/*")
    assert selected.text == "1 note that no other note links to, of the notes selected:\n\nx/c.md"
    assert selected.orphans == ["x/c.md"]
    assert vault.links(direction="orphans", note="b").total == 0


@pytest.mark.parametrize(
    ("line", "is_mention"),
    [
        ("the al one.", True),
        ("AL ONE", True),
        ("al one's", True),
        ("al ones", False),
        ("real one", False),
        ("#al one", False),
        ("[[al one]]", False),
        ("![[x|al one]] text", False),
        ("[al one](x.md)", False),
        ("[al one](https://x.org) and al one", True),
        ("`al one`", False),
        ("``al one` x``", False),
        ("`x` al one `y`", True),
        ("    al one", False),
        ("ノートal oneは", True),
        ("*al one*", True),
    ],
)
def test_rule_A02_B02_a_mention_is_a_word_of_plain_text(make_vault: MakeVault, line: str, is_mention: bool) -> None:
    vault = make_vault({"n.md": "---\naliases: al one\n---\nal one", "m.md": line})
    assert vault.links(note="n", direction="mentions").total == is_mention


def test_a_name_that_begins_with_a_mark_is_mentioned_after_a_blank(make_vault: MakeVault) -> None:
    name = "\N{BENGALI SIGN NUKTA}\N{BENGALI LETTER KA}"
    vault = make_vault({f"{name}.md": "", "m.md": f"say {name} here\nsay{name}\n"})
    assert [link.line for link in vault.links(note=name, direction="mentions").links] == [1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "note is required for direction out; without it: unresolved or orphans"),
        ({"direction": "back"}, "note is required for direction back; without it: unresolved or orphans"),
        ({"note": "b#H"}, "note must name a whole note, got b#H; links shows the line of each link"),
        ({"note": "zzz"}, "Path not found: zzz"),
        ({"note": "a", "folder": "x"}, "folder and glob narrow the notes that hold the links; direction out reads "
         "only note"),
        ({"direction": "in"}, 'direction must be one of out, back, mentions, unresolved, orphans, got "in"'),
        ({"note": ".obsidian/app.json"}, "Access denied: '.obsidian/' is a protected folder"),
    ],
)  # fmt: skip
def test_refusals(make_vault: MakeVault, arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadArgument) as refusal:
        make_vault(FILES).answer("links", arguments)
    assert str(refusal.value) == sentence


def test_a_new_file_resolves_links_at_once(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "[[new]]"})
    assert vault.links(direction="unresolved").total == 1
    (vault.path / "new.md").write_text("", encoding="utf-8")
    assert vault.links(direction="unresolved").total == 0
    assert vault.links(note="new", direction="back").total == 1


@given(stories)
@settings(max_examples=25)
def test_the_answer_is_what_reading_every_note_gives(story: list[Any]) -> None:
    def check(vault: Vault, notes: Mapping[str, Note]) -> None:
        seen = [path.relative_to(vault.path).as_posix() for path in vault.path.rglob("*") if path.is_file()]
        names = LinkIndex(path for path in seen if not path.startswith("."))
        every = [
            LinkFound(
                source=path,
                target=names.resolve(each.target, path) or each.target,
                line=each.line,
                text=_lines(note)[each.line - 1],
                resolved=names.resolve(each.target, path) is not None,
            )
            for path, note in notes.items()
            for each in sorted(note.references, key=lambda each: each.line)
            if each.kind != "external"
        ]

        def asked(direction: Any, note: str | None = None) -> list[LinkFound]:
            return vault.links(note=note, direction=direction, limit=10_000).links

        assert asked("unresolved") == [link for link in every if not link.resolved]
        linked = {link.target for link in every if link.resolved and link.source != link.target}
        assert vault.links(direction="orphans").orphans == [path for path in notes if path not in linked]
        for path in [*notes, *(path for path in seen if path.endswith("p.png"))][:4]:
            assert asked("back", path) == [link for link in every if link.resolved and link.target == path]
            if path in notes:
                assert asked("out", path) == [link for link in every if link.source == path]
                assert [(link.source, link.line) for link in asked("mentions", path)] == list(_mentioned(notes, path))

    replay(story, check)


def _mentioned(notes: Mapping[str, Note], path: str) -> Iterable[tuple[str, int]]:
    """Looks at every line of every other note, without a search."""
    named = [notes[path].title, *notes[path].aliases]
    for other, note in notes.items():
        if other != path:
            for line in mentions(note, _lines(note), named, range(1, len(_lines(note)) + 1)):
                yield other, line


def _lines(note: Note) -> list[str]:
    return note.text.replace("\r\n", "\n").split("\n")


CHAIN: Files = {
    "a.md": "[[b]] [[c]] ![[p.png]] [[nowhere]]",
    "b.md": "[[d]] [[a]]",
    "c.md": "[[d]] [[x/e]]",
    "d.md": "[[x/e]]",
    "x/e.md": "[[f]]",
    "f.md": "[[a]]",
    "p.png": b"\0",
}


def reached(vault: Vault, **arguments: Any) -> list[tuple[str, int, list[str]]]:
    return [(note.path, note.distance, note.via) for note in vault.links(**arguments).notes]


def test_depth_gives_the_notes_within_so_many_links_with_the_way_to_each(make_vault: MakeVault) -> None:
    with make_vault(CHAIN) as vault:
        assert reached(vault, note="a") == [("b.md", 1, []), ("c.md", 1, [])]
        assert reached(vault, note="a", depth=3) == [
            ("b.md", 1, []),
            ("c.md", 1, []),
            ("d.md", 2, ["b.md"]),
            ("x/e.md", 2, ["c.md"]),
            ("f.md", 3, ["c.md", "x/e.md"]),
        ]
        assert reached(vault, note="a", direction="back", depth=2) == [
            ("b.md", 1, []),
            ("f.md", 1, []),
            ("x/e.md", 2, ["f.md"]),
        ]
        assert reached(vault, note="p.png", direction="back", depth=2) == [
            ("a.md", 1, []),
            ("b.md", 2, ["a.md"]),
            ("f.md", 2, ["a.md"]),
        ]
        answer = vault.links(note="a", depth=2)
        assert (answer.total, answer.links) == (4, [])
        assert answer.text == (
            "4 notes within 2 links from a.md:\n\n## 1 link away\nb.md\nc.md\n\n"
            "## 2 links away\nd.md (via b.md)\nx/e.md (via c.md)"
        )


def test_depth_keeps_to_the_limit_and_the_folder(make_vault: MakeVault) -> None:
    with make_vault(CHAIN) as vault:
        answer = vault.links(note="a", depth=3, limit=2)
        assert ([note.path for note in answer.notes], answer.total) == (["b.md", "c.md"], 5)
        assert answer.notices == ["Showing 2 of 5 notes. Raise limit or narrow folder."]
        assert reached(vault, note="a", depth=3, folder="x") == [("x/e.md", 2, ["c.md"])]
        none = vault.links(note="f", direction="back", depth=2, glob="nothing*")
        assert none.text == "No notes within 2 links to f.md, of the notes selected."


@pytest.mark.parametrize("direction", ["mentions", "unresolved", "orphans"])
def test_depth_works_with_out_and_back_only(make_vault: MakeVault, direction: Any) -> None:
    with make_vault(CHAIN) as vault, pytest.raises(BadArgument) as refusal:
        vault.links(note="a", direction=direction, depth=2)
    assert str(refusal.value) == f"depth goes with direction out or back, got 2 with {direction}"


def test_mentions_are_looked_for_until_the_limit(make_vault: MakeVault) -> None:
    files = {f"{number:03}.md": "about Anna\n" for number in range(300)}
    with make_vault({"Anna.md": "", **files}) as vault:
        answer = vault.links(note="Anna", direction="mentions", limit=3)
        assert [link.source for link in answer.links] == ["000.md", "001.md", "002.md"]
        assert answer.total == AtLeast(at_least=3)
        assert answer.text.startswith("More than 3 mentions of 'Anna':\n")
        assert answer.searched < 300
        assert answer.notices == ["Showing 3 of more than 3 mentions. Raise limit or narrow folder."]
        assert vault.links(note="Anna", direction="mentions", limit=300).total == 300


@settings(max_examples=25)
@given(
    st.lists(st.dictionaries(st.sampled_from("abcdefg"), st.lists(st.sampled_from("abcdefgh"), max_size=4)), max_size=3)
)
def test_distances_are_those_of_following_every_link_before_and_after_edits(
    make_vault: MakeVault, story: list[dict[str, list[str]]]
) -> None:
    written = dict.fromkeys("abcdefg", "")
    with make_vault({f"{name}.md": "" for name in written}) as vault:
        for edit in story:
            for name, targets in edit.items():
                written[name] = " ".join(f"[[{target}]]" for target in targets)
                (vault.path / f"{name}.md").write_text(written[name], encoding="utf-8")
            leads = {name: {each for each in written if f"[[{each}]]" in text} for name, text in written.items()}
            for direction in ("out", "back"):
                distances = _distances("a", leads, is_back=direction == "back")
                notes = vault.links(note="a", direction=direction, depth=3).notes
                assert {note.path[0]: note.distance for note in notes} == distances
                assert [note.distance for note in notes] == sorted(note.distance for note in notes)
                for note in notes:
                    way = ["a", *(each[0] for each in note.via), note.path[0]]
                    assert len(way) == note.distance + 1
                    for first, second in pairwise(way):
                        assert (first in leads[second]) if direction == "back" else (second in leads[first])


def _distances(start: str, leads: Mapping[str, set[str]], *, is_back: bool) -> dict[str, int]:
    """The notes within three links, by trying every note at each step."""
    distances = {start: 0}
    for distance in (1, 2, 3):
        here = [name for name, far in distances.items() if far == distance - 1]
        for name in leads:
            if any((each in leads[name]) if is_back else (name in leads[each]) for each in here):
                distances.setdefault(name, distance)
    del distances[start]
    return distances


def test_a_name_that_is_too_long_is_not_searched_for_and_the_answer_says_so(make_vault: MakeVault) -> None:
    long = "a " * 6_000
    vault = make_vault({"a.md": f'---\naliases: ["apple", "{long}"]\n---\n', "b.md": "an apple\n"})
    answer = vault.links(note="a.md", direction="mentions")
    assert [each.source for each in answer.links] == ["b.md"]
    assert answer.notices == ["Not searched for: 1 name of more than 1,000 characters."]


def test_many_names_are_searched_for_in_several_patterns(make_vault: MakeVault) -> None:
    names = [f"name number {each}" for each in range(1_500)]
    texts = {
        "b.md": "name number 7 and name number 8\nx\n",
        "c.md": "name number 1499\nname number 0 name number 1499\n",
    }
    vault = make_vault({"a.md": f"---\naliases: {json.dumps(names)}\n---\n", **texts})
    answer = vault.links(note="a.md", direction="mentions")
    assert [(each.source, each.line) for each in answer.links] == [("b.md", 1), ("c.md", 1), ("c.md", 2)]
    assert vault.links(note="a.md", direction="mentions", limit=2).total == AtLeast(at_least=2)


def test_the_search_for_mentions_stops_between_names() -> None:
    lines = ["a b c"] * 3
    asked = iter([False, False, False, True])
    assert list(mentions(Note("n.md", "\n".join(lines)), lines, ["x", "c"], [1, 2, 3], lambda: next(asked))) == [1]


BITS = st.lists(st.sampled_from(["a", "b", "ab", " ", "`", "``", "#", "[[b]]", "[a](b)", "\n", "語"]), max_size=30)


@given(BITS.map("".join))
def test_a_mention_is_what_the_slow_way_finds(text: str) -> None:
    lines = text.split("\n")
    note = Note("n.md", text)
    assert list(mentions(note, lines, ["a", "b"], range(1, len(lines) + 1))) == slow_mentions(note, lines)


def slow_mentions(note: Note, lines: list[str]) -> list[int]:
    """Looks at every character of every span for each occurrence."""
    found = []
    for number, line in enumerate(lines, 1):
        if any(first <= number <= last for first, last in note.structure.code):
            continue
        spans = [*_linked(note, lines).get(number, ()), *code_spans(line)]
        for at in range(len(line)):
            beside = line[:at][-1:] + line[at + 1 : at + 2]
            is_word = not any((each.isalnum() or each == "_") and each != "語" for each in beside)
            is_hidden = any(start <= at < end for start, end in spans)
            if line[at] in "ab" and is_word and line[:at][-1:] != "#" and not is_hidden:
                found.append(number)
                break
    return found
