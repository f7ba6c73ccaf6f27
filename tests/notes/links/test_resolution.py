"""The target that a link's text names, and its file (rule-L01 to rule-L05, rule-L09, rule-L11 to rule-L17)."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.core import paths
from vaulttools.notes.links.resolution import Link, LinkIndex, parse_link, parse_linktext


@pytest.mark.parametrize(
    ("text", "link"),
    [
        # rule-L01: a file
        ("[[Note]]", Link("Note")),
        ("Note", Link("Note")),
        ("![[photo.png|100x145]]", Link("photo.png", display="100x145")),
        ("[[ Projects/Note .md ]]", Link("Projects/Note .md")),
        # rule-L04: no name contains a sign that has a meaning in links
        ("[[C# notes]]", Link("C", ("notes",))),
        ("[[a|b]]", Link("a", display="b")),
        ("[[a]] b]]", Link("a")),
        ("[[x^2]]", Link("x^2")),
        ("[[a: b]]", Link("a: b")),
        # rule-L05: headings
        ("[[Note#H1#H2|x]]", Link("Note", ("H1", "H2"), display="x")),
        ("[[#H]]", Link("", ("H",))),
        ("[[Note#]]", Link("Note")),
        ("[[## team]]", Link("", ("team",))),
        ("[[manual.pdf#page=3]]", Link("manual.pdf", ("page=3",))),
        # rule-L06: an id is letters, digits and dashes; anything else is a heading
        ("[[Note#^id]]", Link("Note", block="id")),
        ("[[Note#H#^quote-1]]", Link("Note", ("H",), "quote-1")),
        ("[[Note#^two words]]", Link("Note", ("^two words",))),
        ("[[Note#^id#H]]", Link("Note", ("^id", "H"))),
        # rule-L09: the text after the bar is shown
        ("[[Note|a|b]]", Link("Note", display="a|b")),
        (r"[[Note\|in a table]]", Link("Note", display="in a table")),
        ("[[Note|]]", Link("Note", display="")),
        ("[[Note|see #1]]", Link("Note", display="see #1")),
        # rule-L16: odd links are read as Obsidian reads them
        ("[[#H]]", Link("", ("H",))),
        ("[[Sq]uare]]", Link("Sq]uare")),
        ("[[a [[Inner]] c]]", Link("Inner")),
        ("[[https://example.com]]", Link("https://example.com")),
        ("[[ Note ]]", Link("Note")),
        ("[[]]", Link("")),
        ("[[unclosed", Link("unclosed")),
    ],
)
def test_rules_L01_L04_L05_L06_L09_L16_a_link_names_its_target(text: str, link: Link) -> None:
    assert parse_link(text) == link


def test_in_a_linktext_bars_and_brackets_are_ordinary() -> None:
    assert parse_linktext("a|b [[c]]#H") == Link("a|b [[c]]", ("H",))


VAULT = (
    "Note.md", "b/Note.md", "a/b/Note.md", "zzzz/Note.md", "a/Twice.md", "zzzz/Twice.md", "a/b/Only here.md",
    "a/b/deep/Page.md", "v1.2 notes.md", "img/Figure 1.png", "img/Plan.canvas", "img/Shot.png.md",
    "img/Shot.png", "LICENSE", "LICENSE.md", "Makefile", "Loud.MD", "Doubled.md.md",
)  # fmt: skip


def resolved(target: str, source: str | None = None) -> str | None:
    return LinkIndex(VAULT).resolve(target, source)


@pytest.mark.parametrize(
    ("target", "path"),
    [
        # rule-L01: a link names a note with or without its extension
        ("Only here", "a/b/Only here.md"),
        ("Only here.md", "a/b/Only here.md"),
        ("v1.2 notes", "v1.2 notes.md"),
        ("LICENSE", "LICENSE.md"),
        ("Makefile", "Makefile"),
        ("Doubled.md", "Doubled.md.md"),
        # rule-L03: a file that is no note needs its extension
        ("Figure 1", None),
        ("Figure 1.png", "img/Figure 1.png"),
        ("Plan", None),
        ("Plan.canvas", "img/Plan.canvas"),
        ("Shot.png", "img/Shot.png"),
        # rule-L12: a unique name resolves in any case
        ("only HERE", "a/b/Only here.md"),
        ("ONLY HERE.MD", "a/b/Only here.md"),
        ("loud", "Loud.MD"),
        ("nowhere", None),
    ],
)
def test_rules_L01_L03_L12_a_link_leads_from_anywhere_to_its_file(target: str, path: str | None) -> None:
    assert resolved(target) == resolved(target, "elsewhere/x.md") == path


@pytest.mark.parametrize(
    ("target", "source", "path"),
    [
        # rule-L02: a folder path starts at the root
        ("a/b/Only here", None, "a/b/Only here.md"),
        ("/b/Only here", None, None),
        ("/Only here", None, None),
        ("/zzzz/Twice", "a/x.md", "zzzz/Twice.md"),
        (r"a\b\Only here", None, None),
        # not at the root: a path that ends in the target
        ("B/only here", None, "a/b/Only here.md"),
        ("deep/Page", "a/b/x.md", "a/b/deep/Page.md"),
        ("ere", None, None),
        # rule-L11: a relative path begins in the folder of its note
        ("../b/Note.md", "a/x.md", "b/Note.md"),
        ("../../Note", "a/b/x.md", "Note.md"),
        ("./Twice", "zzzz/x.md", "zzzz/Twice.md"),
        ("./a/Twice", None, "a/Twice.md"),
        ("../../../Note", "a/b/x.md", None),
        # rule-L14
        # the exact path from the root first,
        ("Note", "zzzz/x.md", "Note.md"),
        ("b/Note", "a/x.md", "b/Note.md"),
        # then the source's own folder,
        ("Twice", "zzzz/x.md", "zzzz/Twice.md"),
        # and not one above it: then the shortest path
        ("Twice", "zzzz/deep/x.md", "a/Twice.md"),
        ("Twice", None, "a/Twice.md"),
        # rule-L16: an empty name means the note itself, and a URL is no note
        ("", "b/Note.md", "b/Note.md"),
        ("", None, None),
        (" Only here ", None, "a/b/Only here.md"),
        ("https://example.com", None, None),
        # these hold no name
        ("/", None, None),
        ("..", "a/x.md", None),
    ],
)
def test_rules_L02_L11_L14_L16_a_link_leads_from_its_note_to_its_file(
    target: str, source: str | None, path: str | None
) -> None:
    assert resolved(target, source) == path


# Obsidian 1.13.7 puts a file at the root before a file beside the source: pvliesdonk/markdown-vault-mcp 1380. In the
# vault of luke321/vault-graph 141 the source's folder came first; both orders agree if no such file is at the root.
AT_THE_ROOT = ("Target.md", "A/Target.md", "B/Target.md", "B/A/Target.md")
NOT_AT_THE_ROOT = ("A/Target.md", "B/Target.md", "B/Source.md")
SPELLED = ("y/a.md", "x/A.md", "x/a.md")


@pytest.mark.parametrize(
    ("files", "target", "source", "path"),
    [
        (NOT_AT_THE_ROOT, "Target", "B/Source.md", "B/Target.md"),
        (NOT_AT_THE_ROOT, "./Target.md", "B/Source.md", "B/Target.md"),
        (NOT_AT_THE_ROOT, "Target", "A/x.md", "A/Target.md"),
        (AT_THE_ROOT, "Target", "B/Source.md", "Target.md"),
        (AT_THE_ROOT, "A/Target", "B/Source.md", "A/Target.md"),
        (AT_THE_ROOT, "./Target", "B/Source.md", "B/Target.md"),
        # the shortest path counts characters and not folders, also in Obsidian 1.13.7
        (("zzzzzz/Note.md", "a/b/Note.md"), "Note", None, "a/b/Note.md"),
        # equally short: by exact spelling, then by path order
        (SPELLED, "a", None, "x/a.md"),
        (SPELLED, "A", None, "x/A.md"),
        (SPELLED, "x/a", None, "x/a.md"),
        (SPELLED, "y/A", None, "y/a.md"),
        # names that only full case folding makes equal stay apart
        (("Straße.md",), "straße", None, "Straße.md"),
        (("Straße.md",), "strasse", None, None),
        # a name that is not UTF-8
        (("a/bad\udcff.md",), "bad\udcff", None, "a/bad\udcff.md"),
        # Unicode form and case do not matter, and the stored name is returned
        ((f"F/{normalize('NFD', 'Jörg.md')}",), "Jörg", None, f"F/{normalize('NFD', 'Jörg.md')}"),
        (("F/Jörg.md",), normalize("NFD", "JÖRG"), None, "F/Jörg.md"),
        (("F/Ὀδυσσεύς.md",), "ὈΔΥΣΣΕΎΣ", None, "F/Ὀδυσσεύς.md"),
        (("F/ΟΔΟΣ.md",), "οδος", None, "F/ΟΔΟΣ.md"),
        (("F/日本語.md",), "日本語", None, "F/日本語.md"),
    ],
)
def test_rule_L14_one_of_several_names_is_chosen(
    files: tuple[str, ...], target: str, source: str | None, path: str | None
) -> None:
    assert LinkIndex(files).resolve(target, source) == path


@pytest.mark.parametrize(
    ("target", "source"),
    [("./Only here", "a/x.md"), ("../Note", "a/b/x.md"), ("../Only here", "zzzz/x.md"), ("./b/../Twice", "b/x.md")],
)
def test_rule_L17_a_path_with_dots_is_exact_or_leads_nowhere(target: str, source: str) -> None:
    assert resolved(target, source) is None
    assert resolved(target.rpartition("/")[2], source) is not None


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
def test_a_target_has_all_its_candidates(target: str, found: list[str]) -> None:
    assert LinkIndex(VAULT).candidates(target) == found


NAMES = st.sampled_from(["a", "b", "A", "Note", "note", "x.png"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


def _slowly(files: set[str], target: str, source: str) -> str | None:
    """The rules, applied to all files one by one."""
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
def test_the_index_agrees_with_the_rules_applied_to_every_file(files: set[str], target: str, source: str) -> None:
    assert LinkIndex(sorted(files)).resolve(target, source) == _slowly(files, target, source)


@settings(max_examples=200, deadline=None)
@given(files=st.sets(PATHS.map(lambda path: f"{path}.md") | PATHS, max_size=12), target=PATHS, source=PATHS)
def test_the_file_of_a_link_is_among_the_candidates_from_any_source(files: set[str], target: str, source: str) -> None:
    index = LinkIndex(sorted(files))
    candidates = index.candidates(target)
    assert candidates[:1] == ([] if index.resolve(target) is None else [index.resolve(target)])
    found = index.resolve(target, source)
    assert found in candidates if candidates else found is None
    assert len(set(candidates)) == len(candidates)


@settings(max_examples=200, deadline=None)
@given(text=st.text(alphabet="ab/.#^|[] \\é", max_size=12), source=PATHS)
def test_any_text_can_be_read_and_leads_to_files_of_the_vault_alone(text: str, source: str) -> None:
    files = ("a.md", "b/a.md", "é.md")
    assert LinkIndex(files).resolve(parse_link(text).target, source) in (None, *files)
