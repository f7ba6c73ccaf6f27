"""What a link's text names, and which file that is."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.core import paths
from vaulttools.notes.links import Link, LinkIndex, parse_link, parse_linktext


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("[[Note]]", Link("Note")),
        ("Note", Link("Note")),
        ("![[photo.png|100x145]]", Link("photo.png", display="100x145")),
        ("[[ Projects/Note .md ]]", Link("Projects/Note .md")),
        # headings (L05)
        ("[[Note#H1#H2|x]]", Link("Note", ("H1", "H2"), display="x")),
        ("[[#H]]", Link("", ("H",))),
        ("[[Note#]]", Link("Note")),
        ("[[## team]]", Link("", ("team",))),
        ("[[manual.pdf#page=3]]", Link("manual.pdf", ("page=3",))),
        ("[[C# notes]]", Link("C", ("notes",))),
        # blocks (L06): letters, digits and dashes; anything else is a heading
        ("[[Note#^id]]", Link("Note", block="id")),
        ("[[Note#H#^quote-1]]", Link("Note", ("H",), "quote-1")),
        ("[[Note#^two words]]", Link("Note", ("^two words",))),
        ("[[Note#^id#H]]", Link("Note", ("^id", "H"))),
        # display (L09)
        ("[[Note|a|b]]", Link("Note", display="a|b")),
        (r"[[Note\|in a table]]", Link("Note", display="in a table")),
        ("[[Note|]]", Link("Note", display="")),
        ("[[Note|see #1]]", Link("Note", display="see #1")),
        # brackets (L16)
        ("[[Sq]uare]]", Link("Sq]uare")),
        ("[[a [[Inner]] c]]", Link("Inner")),
        ("[[https://example.com]]", Link("https://example.com")),
        ("[[]]", Link("")),
        ("[[unclosed", Link("unclosed")),
    ],
)
def test_a_link_is_read_as_obsidian_reads_it(text: str, link: Link) -> None:
    assert parse_link(text) == link


def test_in_a_linktext_bars_and_brackets_are_ordinary() -> None:
    assert parse_linktext("a|b [[c]]#H") == Link("a|b [[c]]", ("H",))


VAULT = (
    "Note.md",
    "b/Note.md",
    "a/b/Note.md",
    "zzzz/Note.md",
    "a/Twice.md",
    "zzzz/Twice.md",
    "a/b/Only here.md",
    "a/b/deep/Page.md",
    "v1.2 notes.md",
    "img/Figure 1.png",
    "img/Plan.canvas",
    "img/Shot.png.md",
    "img/Shot.png",
    "LICENSE",
    "LICENSE.md",
    "Makefile",
    "Loud.MD",
    "Doubled.md.md",
)


@pytest.mark.parametrize(
    ("target", "source", "path"),
    [
        # L01: with and without extension
        ("Only here", None, "a/b/Only here.md"),
        ("Only here.md", None, "a/b/Only here.md"),
        ("v1.2 notes", None, "v1.2 notes.md"),
        ("LICENSE", None, "LICENSE.md"),
        ("Makefile", None, "Makefile"),
        ("Doubled.md", None, "Doubled.md.md"),
        # L03: what is no note needs its extension, and the name as written comes first
        ("Figure 1", None, None),
        ("Figure 1.png", None, "img/Figure 1.png"),
        ("Plan", None, None),
        ("Shot.png", None, "img/Shot.png"),
        # L12: any case
        ("only HERE", None, "a/b/Only here.md"),
        ("ONLY HERE.MD", None, "a/b/Only here.md"),
        ("loud", None, "Loud.MD"),
        # L14: the exact path, then the source's own folder, then the shortest path
        ("Note", "zzzz/x.md", "Note.md"),
        ("b/Note", "a/x.md", "b/Note.md"),
        ("Twice", "zzzz/x.md", "zzzz/Twice.md"),
        ("Twice", "zzzz/deep/x.md", "a/Twice.md"),
        ("Twice", None, "a/Twice.md"),
        # L02: folders begin at the root; else where the paths end in them
        ("a/b/Only here", None, "a/b/Only here.md"),
        ("B/only here", None, "a/b/Only here.md"),
        ("/b/Only here", None, None),
        ("/Only here", None, None),
        ("/zzzz/Twice", "a/x.md", "zzzz/Twice.md"),
        ("deep/Page", "a/b/x.md", "a/b/deep/Page.md"),
        ("ere", None, None),
        # L17: exactly from the source's folder
        ("./Twice", "zzzz/x.md", "zzzz/Twice.md"),
        ("./Only here", "a/x.md", None),
        ("../Note", "a/b/x.md", None),
        ("../b/Note.md", "a/x.md", "b/Note.md"),
        ("../../Note", "a/b/x.md", "Note.md"),
        ("../../../Note", "a/b/x.md", None),
        ("./a/Twice", None, "a/Twice.md"),
        # L16: the same note; blanks do not count
        ("", "b/Note.md", "b/Note.md"),
        ("", None, None),
        (" Only here ", None, "a/b/Only here.md"),
        ("https://example.com", None, None),
        # no name at all
        ("/", None, None),
        ("..", "a/x.md", None),
        ("nowhere", "a/x.md", None),
    ],
)
def test_a_target_resolves_as_in_obsidian(target: str, source: str | None, path: str | None) -> None:
    assert LinkIndex(VAULT).resolve(target, source) == path


def test_the_shortest_path_counts_characters_and_not_folders() -> None:
    """As Obsidian 1.13.7 was seen to do: pvliesdonk/markdown-vault-mcp 1380."""
    assert LinkIndex(["zzzzzz/Note.md", "a/b/Note.md"]).resolve("Note") == "a/b/Note.md"


def test_of_equally_short_paths_the_one_spelled_so_wins_then_path_order() -> None:
    index = LinkIndex(["y/a.md", "x/A.md", "x/a.md"])
    assert [index.resolve("a"), index.resolve("A"), index.resolve("x/a"), index.resolve("y/A")] == [
        "x/a.md",
        "x/A.md",
        "x/a.md",
        "y/a.md",
    ]


@pytest.mark.parametrize(
    ("stored", "target"),
    [
        (normalize("NFD", "Jörg.md"), "Jörg"),
        ("Jörg.md", normalize("NFD", "JÖRG")),
        ("Ὀδυσσεύς.md", "ὈΔΥΣΣΕΎΣ"),
        ("ΟΔΟΣ.md", "οδος"),
        ("日本語.md", "日本語"),
    ],
)
def test_unicode_form_and_case_do_not_matter_and_the_stored_name_comes_back(stored: str, target: str) -> None:
    assert LinkIndex([f"Folder/{stored}"]).resolve(target) == f"Folder/{stored}"


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("Twice", ["a/Twice.md", "zzzz/Twice.md"]),
        ("twice.MD", ["a/Twice.md", "zzzz/Twice.md"]),
        ("a/Twice", ["a/Twice.md"]),
        ("/zzzz/Twice", ["zzzz/Twice.md"]),
        ("./zzzz/Twice", ["zzzz/Twice.md"]),
        ("Note", ["Note.md"]),
        ("Only here", ["a/b/Only here.md"]),
        ("nowhere", []),
        ("", []),
        ("..", []),
    ],
)
def test_all_files_that_a_target_may_lead_to(target: str, found: list[str]) -> None:
    assert LinkIndex(VAULT).candidates(target) == found


def test_names_that_only_full_case_folding_makes_equal_stay_apart() -> None:
    index = LinkIndex(["Straße.md"])
    assert (index.resolve("straße"), index.resolve("strasse")) == ("Straße.md", None)


def test_a_name_of_bytes_that_are_no_utf8_resolves() -> None:
    assert LinkIndex(["a/bad\udcff.md"]).resolve("bad\udcff") == "a/bad\udcff.md"


NAMES = st.sampled_from(["a", "b", "A", "Note", "note", "x.png"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


def _slowly(files: set[str], target: str, source: str) -> str | None:
    """The rules, looked up in all files one by one."""
    folder = source.rpartition("/")[0]
    stem = target.split("/")[-1]
    for reading in (target, f"{target}.md") if "." in stem else (f"{target}.md", target):
        wanted = reading.lower()
        ranked = []
        for path in files:
            low = path.lower()
            if low == wanted:
                place = 0
            elif low == f"{folder}/{reading}".lower():
                place = 1
            elif low.endswith(f"/{wanted}"):
                place = 2
            else:
                continue
            ranked.append((place, len(path), not path.endswith(reading), paths.order(path), path))
        if ranked:
            return min(ranked)[-1]
    return None


@settings(max_examples=200, deadline=None)
@given(files=st.sets(PATHS.map(lambda path: f"{path}.md") | PATHS, max_size=12), target=PATHS, source=PATHS)
def test_the_index_answers_as_the_rules_looked_up_one_by_one(files: set[str], target: str, source: str) -> None:
    assert LinkIndex(sorted(files)).resolve(target, source) == _slowly(files, target, source)


@settings(max_examples=200, deadline=None)
@given(files=st.sets(PATHS.map(lambda path: f"{path}.md") | PATHS, max_size=12), target=PATHS, source=PATHS)
def test_wherever_a_link_stands_its_file_is_among_the_candidates(files: set[str], target: str, source: str) -> None:
    index = LinkIndex(sorted(files))
    candidates = index.candidates(target)
    assert candidates[:1] == ([] if index.resolve(target) is None else [index.resolve(target)])
    found = index.resolve(target, source)
    assert found in candidates if candidates else found is None
    assert len(set(candidates)) == len(candidates)


@settings(max_examples=200, deadline=None)
@given(text=st.text(alphabet="ab/.#^|[] \\é", max_size=12), source=PATHS)
def test_no_text_breaks_the_reading_and_only_files_of_the_vault_come_out(text: str, source: str) -> None:
    files = ("a.md", "b/a.md", "é.md")
    assert LinkIndex(files).resolve(parse_link(text).target, source) in (None, *files)
