"""Tags: rule-T01 to rule-T09 of the Obsidian list, in properties and in bodies."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.notes.markdown.structure import parse
from vaulttools.notes.note import Note
from vaulttools.notes.parts import Tag
from vaulttools.notes.tags import MOST_LEVELS, Tagged, covers, distinct, levels, tag_name


def names(body: str) -> list[str]:
    return [tag.name for tag in parse(body).tags]


@pytest.mark.parametrize(
    ("body", "tags"),
    [
        # rule-T01: the characters of a tag
        ("#a #b_c #d-e #f/g", ["a", "b_c", "d-e", "f/g"]),
        ("#éa #спам #标签 #日本 #✅done #🎁", ["éa", "спам", "标签", "日本", "✅done", "🎁"]),
        ("#a.b #c, #d! #e; #f: #g) #h' #i\"", list("acdefghi")),
        ("#a+b #c\u2014d #e\u203cf", ["a", "c", "e"]),
        ("#-", ["-"]),
        ("#_", ["_"]),
        # rule-T02: digits alone are no tag
        ("#1984", []),
        ("#y1984", ["y1984"]),
        ("#1984y", ["1984y"]),
        ("#2024/05", ["2024/05"]),
        ("#123-", ["123-"]),
        # rule-T04: a lone hash is no tag, and a tag does not end in a slash
        ("#", []),
        ("# ", []),
        ("a # b", []),
        ("#a/", ["a"]),
        ("#/", []),
        ("##a", []),
        # a backtick that opens no code hides nothing
        ("`open #a", ["a"]),
        ("``open` #a", ["a"]),
        ("\\`no code #a`", ["a"]),
        ("`b` #a `c`", ["a"]),
        ("`b\n\n#a `", ["a"]),
        ("```\n#no\n```\n#a", ["a"]),
        ("````\n```\n#no\n````\n#a", ["a"]),
        # a tag begins a text, or follows a blank or a tag
        # as read from Obsidian's own cache, see `inline.scan`
        ("\t#a", []),
        ("x\t#a", ["a"]),
        ("x\u00a0#a\u3000#b", ["a", "b"]),
        ("[text #a](https://x.y)", ["a"]),
        ("#a#b", ["a", "b"]),
        ("#a/#b", ["a", "b"]),
        ("|#a|b|\n|-|-|\n|#c|d|", ["a", "c"]),
        ("|#a|", []),
        # where a line's text begins
        ("> #a", ["a"]),
        (">#a", ["a"]),
        ("> >#a", ["a"]),
        ("x >#a", []),
        ("- #a\n- [ ] #b\n1. #c", ["a", "b", "c"]),
        ("# Title #a", ["a"]),
        ("%% #a %%", ["a"]),
        ("costs $5 #a and $6", ["a"]),
        ("a < b #a > c", ["a"]),
        ("[^1]: #a", ["a"]),
        ("[not closed #a", ["a"]),
        ("[[not closed #a", ["a"]),
        ("](not closed #a", ["a"]),
        ("<!-- not closed #a", []),
        ("text <!-- not closed #a", ["a"]),
        ("text $$ not closed #a", ["a"]),
        ("#a\r\n#b\r\n", ["a", "b"]),
    ],
)
def test_rules_T01_T02_T04_a_text_has_its_tags(body: str, tags: list[str]) -> None:
    assert names(body) == tags


def test_rule_T03_a_tag_keeps_the_casing_first_seen() -> None:
    assert Note("n.md", "---\ntags: [Work]\n---\n#WORK #Home #home\n").tags == ("Work", "Home")


@pytest.mark.parametrize(
    ("asked", "name", "answer"),
    [
        ("work", "work", True),
        ("#work", "Work", True),
        ("WORK/", "work/x/y", True),
        ("work/x", "work/x/y", True),
        ("work/x", "work", False),
        ("work", "myjob/work", False),
        ("work", "workshop", False),
        ("work", "work-shop", False),
        ("", "work", False),
        ("#", "work", False),
    ],
)
def test_rule_T05_a_parent_covers_its_nested_tags(asked: str, name: str, answer: bool) -> None:
    assert covers(asked, name) is answer
    assert Note("n.md", f"text #{name}\n").has_tag(asked) is answer
    assert Note("n.md", f"---\ntags: {name}\n---\n").has_tag(asked) is answer


@pytest.mark.parametrize(
    ("line", "tags"),
    [
        ("tags: [a, '#b', c/d]", ("a", "b", "c/d")),
        ("tags:\n  - a\n  - '#b'", ("a", "b")),
        ("Tags: a", ("a",)),
        ("TAGS: [a]", ("a",)),
        ("tags: a b", ("a", "b")),
        ("tags: ['a b', c]", ("a", "b", "c")),
        ("tags: '#a #b'", ("a", "b")),
        ("tags: a, b", ()),
        ("tags: [2024, y2024, 1.5, true, null, [x], {y: z}]", ("y2024",)),
        ("tags: no", ("no",)),
        ("tags: 2024-01-05", ("2024-01-05",)),
        ("tags: #a", ()),
        ("tags:", ()),
        ("tags: a/", ("a",)),
        ("tags: 'a!b c'", ("c",)),
        # rule-T07: a hash in another property is no tag
        ("topic: '#a'", ()),
    ],
)
def test_rules_T06_T07_properties_hold_tags(line: str, tags: tuple[str, ...]) -> None:
    assert Note("n.md", f"---\n{line}\n---\n").tags == tags


@pytest.mark.parametrize(
    "body",
    [
        # rule-T08: in code
        "`#a`",
        "`` ` #a ` ``",
        "`code over\ntwo #a lines`",
        "```\n#a\n```",
        "~~~\n#a\n",
        "> ```\n> #a\n> ```",
        "- b\n  ```\n  #a\n  ```",
        "    #a",
        "\t#a",
        # in links, HTML and math, and after punctuation
        "[[Note#Heading]]",
        "[[Note #Heading]]",
        "![[Note #Heading|shown]]",
        "[text](Note#Heading)",
        "[text](<a b> #c)",
        "[text](a(b) #c)",
        "http://x.y/z#a",
        "<http://x.y/#a>",
        "[a]: #b",
        "<span title='x #a'>text</span>",
        '<a href="#a">text</a>',
        "<div>\n#a\n</div>",
        "text <!-- #a --> text",
        "<!--\n#a\n-->",
        "$x #a y$",
        "$$ #a $$",
        "$$\n#a\n$$",
        "\\#a",
        "(#a)",
        '"#a"',
        "x#a",
        "/#a",
        "# #",
    ],
)
def test_rule_T08_a_hash_in_code_links_html_math_and_after_punctuation_is_no_tag(body: str) -> None:
    assert names(body) == []


def test_a_tag_knows_its_line() -> None:
    assert parse("---\nx: 1\n---\na\n\n> b\n> c #d\n", 4).tags == (Tag("d", 7),)


@given(st.lists(st.text("aAbBß", min_size=1, max_size=2)))
@settings(max_examples=100)
def test_distinct_keeps_the_first_spelling_of_each_tag(written: list[str]) -> None:
    found = distinct(written)
    assert {name.casefold() for name in found} == {name.casefold() for name in written}
    assert len({name.casefold() for name in found}) == len(found)
    assert list(found) == sorted(found, key=written.index)


@given(st.lists(st.sampled_from(["#a", "#b/c", "#1", "x#y", "#d,", "word", "#é"]), max_size=6), st.sampled_from(" \n"))
@settings(max_examples=100)
def test_plain_text_has_the_tags_among_its_words(words: list[str], blank: str) -> None:
    wanted = [word.strip("#,") for word in words if word in ("#a", "#b/c", "#d,", "#é")]
    assert names(blank.join(words)) == wanted


@given(st.text(max_size=12))
@settings(max_examples=200)
def test_a_valid_name_reads_back_as_that_tag(written: str) -> None:
    name = tag_name(written)
    if name is not None:
        assert names(f"x #{name} y") == [name]


def every_level(name: str) -> list[str]:
    """The slow way: a tag, and every tag that it is nested in."""
    found = []
    while name:
        found.append(name)
        name = name.rpartition("/")[0].rstrip("/")
    return found


TAG_NAMES = st.text("ab/", min_size=1, max_size=30).map(lambda name: name.rstrip("/")).filter(bool)
DEEP_NAMES = st.builds(
    lambda step, count, end: f"{step}/" * count + end, *(st.just("a"), st.integers(30, 38)), TAG_NAMES
)


@given(TAG_NAMES)
def test_a_tag_of_few_levels_counts_for_all_tags_that_it_is_nested_in(name: str) -> None:
    assert levels(name) == every_level(name)


@pytest.mark.parametrize("name", ["a/" * 50_000 + "x", "ab/" * 33 + "x", "a//" * 10_000 + "x", "long" * 5_000 + "/x"])
def test_the_levels_of_a_tag_are_no_longer_than_so_many_times_the_tag(name: str) -> None:
    found = levels(name)
    assert sum(map(len, found)) <= (MOST_LEVELS + 1) * len(name)
    assert (found[0], found[-1]) == (name, name.partition("/")[0])
    assert len(found) == min(name.count("/") - name.count("//"), MOST_LEVELS) + 1


@given(st.lists(TAG_NAMES | DEEP_NAMES, max_size=6), TAG_NAMES | DEEP_NAMES)
def test_the_notes_of_a_tag_are_those_that_it_covers_however_deep(names: list[str], asked: str) -> None:
    notes: dict[str, set[str]] = {}
    for number, name in enumerate(names):
        for level in levels(name):
            notes.setdefault(level, set()).add(str(number))
    if "//" not in asked:
        assert Tagged(notes).under(asked) == {str(n) for n, name in enumerate(names) if covers(asked, name)}
