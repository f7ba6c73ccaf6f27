"""Obsidian's search language: each rule of the language alone, by its id in `tests/rules.md`."""

from __future__ import annotations

import sys
from types import FrameType
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.errors import BadArgument, InvalidQuery
from vaulttools.patterns.pattern import MAX_CHARACTERS
from vaulttools.query import tree
from vaulttools.query.explain import explain
from vaulttools.query.language import MAX_NESTING, parse, spelled
from vaulttools.query.tree import (
    FACTS,
    SCOPES,
    And,
    Case,
    Compare,
    Is,
    Node,
    Not,
    Or,
    Phrase,
    PropertyNode,
    Regex,
    Scope,
    TagNode,
    Term,
    Within,
)


def all_of(*found: str | Node) -> And:
    return And(tuple(Term(part) if isinstance(part, str) else part for part in found))


def any_of(*found: str | Node) -> Or:
    return Or(tuple(Term(part) if isinstance(part, str) else part for part in found))


def within(scope: Scope, part: str | Node) -> Within:
    return Within(scope, Term(part) if isinstance(part, str) else part)


def having(name: str, value: str | Node | None = None) -> PropertyNode:
    return PropertyNode(Term(name), Term(value) if isinstance(value, str) else value)


NEGATED: list[tuple[str, Node]] = [
    ("work", Term("work")),
    ('"star wars"', Phrase("star wars")),
    ("(work meetup)", all_of("work", "meetup")),
    ("tag:#work", TagNode("work")),
    ("[aliases:Name]", having("aliases", "Name")),
    ("/a b/", Regex("a b")),
]
WORDS_AND_OPERATORS: list[tuple[str, Node]] = [
    # rule-S04: words are joined by AND
    ("meeting  work\tfive\nsix", all_of("meeting", "work", "five", "six")),
    (" meeting ", Term("meeting")),
    # rule-S05: a bare word runs to the next blank
    *((word, Term(word)) for word in ["test", "2022-07-01", "a/b", "it's", "#work", "C:\\x", "a[0]", "b]", "a<5"]),
    *((word, Term(word)) for word in ["<br>", "日本", "a*", "null", "<5"]),
    # rule-S06: quotes make a phrase
    ('"star wars"', Phrase("star wars")),
    ('"test"', Phrase("test")),
    ('"a OR -b) [c]: /d/"', Phrase("a OR -b) [c]: /d/")),
    # rule-S07: a phrase may begin and end with punctuation
    *((f'"{text}"', Phrase(text)) for text in ["- [ ]", "(a)", "#work", "-x", "/a/", " a ", "«a»"]),
    # rule-S08: words and phrases may be CJK
    ('한국어 "한국어" 中文', all_of("한국어", Phrase("한국어"), "中文")),
    # rule-S09: a backslash escapes quotes and itself in a phrase
    (r'"they said \"hello\" to each other"', Phrase('they said "hello" to each other')),
    (r'"a\\b"', Phrase(r"a\b")),
    (r'"a\\"', Phrase("a\\")),
    (r'"C:\notes"', Phrase(r"C:\notes")),
    (r'"\\\""', Phrase('\\"')),
    # rule-S10: OR in capitals binds weaker than AND; nothing else is an operator
    ("meeting work OR meetup personal", any_of(all_of("meeting", "work"), all_of("meetup", "personal"))),
    ("a OR b OR c", any_of("a", "b", "c")),
    *((f"a {word} b", all_of("a", word, "b")) for word in ["or", "Or", "AND", "NOT"]),
    ("a ORb c", all_of("a", "ORb", "c")),
    ('a "OR" b', all_of("a", Phrase("OR"), "b")),
    # rule-S11: brackets group
    ("meeting (work OR meetup) personal", all_of("meeting", any_of("work", "meetup"), "personal")),
    ("((a) (b c))", all_of("a", "b", "c")),
    ("(a)OR(b)", any_of("a", "b")),
    ("(a OR b)", any_of("a", "b")),
    ("( a )b", all_of("a", "b")),
    ("a(b)", all_of("a", "b")),
    # rule-S12: each hyphen negates its own part
    ("meeting -work -meetup", all_of("meeting", Not(Term("work")), Not(Term("meetup")))),
    ("-(-a)", Term("a")),
    *((f"-{query}", Not(part)) for query, part in NEGATED),
    *((f"meeting -{query}", all_of("meeting", Not(part))) for query, part in NEGATED),
    # rule-S13: a hyphen may follow the colon
    ('path:-"Daily notes"', within("path", Not(Phrase("Daily notes")))),
    ("-path:-x", Not(within("path", Not(Term("x"))))),
    ("[status:-Draft]", having("status", Not(Term("Draft")))),
    # rule-S14: a subquery may follow any operator
    *((f'{scope}:("to be" OR -"2B")', within(scope, any_of(Phrase("to be"), Not(Phrase("2B"))))) for scope in SCOPES),
    *((f"{scope}:/a b/", within(scope, Regex("a b"))) for scope in SCOPES),
    *((f"{scope}: x", within(scope, "x")) for scope in SCOPES),
    # rule-S15: operators are case-insensitive; a word with another colon is a word
    (
        "TAG:#work File:x Task-TODO:y MATCH-case:z",
        all_of(TagNode("work"), within("file", "x"), within("task-todo", "y"), Case(True, Term("z"))),
    ),
    *((word, Term(word)) for word in ["https://example.org/a?b=1", "title:x", "10:30", "a:", ":a", "tags:x"]),
    ("x-file:a", Term("x-file:a")),
    # rule-S16: file and path
    ("file:.jpg", within("file", ".jpg")),
    ('path:"Daily notes/2022-07"', within("path", Phrase("Daily notes/2022-07"))),
    # rule-S17: content
    ('content:"happy cat"', within("content", Phrase("happy cat"))),
    # rule-S18: case holds for the subquery that follows
    ("match-case:HappyCat dog", all_of(Case(True, Term("HappyCat")), "dog")),
    ("ignore-case:(ikea match-case:B)", Case(False, all_of("ikea", Case(True, Term("B"))))),
    ("path:match-case:Work", within("path", Case(True, Term("Work")))),
    ("match-case:path:Work", Case(True, within("path", "Work"))),
    ("[a:match-case:B]", having("a", Case(True, Term("B")))),
    # rule-S20: a tag is named with or without its hash; tags combine
    *((f"tag:{tag}", TagNode("work")) for tag in ["#work", "work", '"#work"', '"work"', "(work)", " #work"]),
    ("tag:(#a/b OR c -d)", any_of(TagNode("a/b"), all_of(TagNode("c"), Not(TagNode("d"))))),
    ("tag:-a", Not(TagNode("a"))),
    ("tag:a b", all_of(TagNode("a"), "b")),
]
PARTS_AND_PROPERTIES: list[tuple[str, Node]] = [
    # rule-S24: line
    ("line:(mix flour)", within("line", all_of("mix", "flour"))),
    ("-line:x", Not(within("line", "x"))),
    # rule-S25: block
    ("block:(dog cat)", within("block", all_of("dog", "cat"))),
    # rule-S26: section
    ("section:(dog cat)", within("section", all_of("dog", "cat"))),
    # rule-S27: sections nest
    ("section:(H1 section:(H2))", within("section", all_of("H1", within("section", "H2")))),
    # rule-S28: tasks
    ("task:call", within("task", "call")),
    ("task-todo:call", within("task-todo", "call")),
    ("task-done:(call OR email)", within("task-done", any_of("call", "email"))),
    # rule-S29: an empty phrase
    ('task:""', within("task", Phrase(""))),
    # rule-S34: brackets ask for a property
    ("[aliases]", having("aliases")),
    ('["my prop"]', PropertyNode(Phrase("my prop"), None)),
    ("[a][b] [file] [OR2]", all_of(having("a"), having("b"), having("file"), having("OR2"))),
    # rule-S35: both sides take subqueries
    ("[aliases:Name]", having("aliases", "Name")),
    ("[ aliases : Name ]", having("aliases", "Name")),
    ("[status:Draft OR Published]", having("status", any_of("Draft", "Published"))),
    ("[status:In progress]", having("status", all_of("In", "progress"))),
    ('["my prop":(a OR b)]', PropertyNode(Phrase("my prop"), any_of("a", "b"))),
    ("[(a OR b):c]", PropertyNode(any_of("a", "b"), Term("c"))),
    ("[a b:c]", PropertyNode(all_of("a", "b"), Term("c"))),
    ("[tag:work]", having("tag", "work")),
    ("[at:2024-01-01T10:30]", having("at", "2024-01-01T10:30")),
    ("[a:file:x]", having("a", "file:x")),
    # rule-S36: null means no value
    ("[aliases:null]", having("aliases", Is("null"))),
    ('[aliases:"null"]', having("aliases", Phrase("null"))),
    ("[null]", having("null")),
    # rule-S37: booleans and EMPTY are in capitals
    (
        "[a:TRUE] [a:FALSE] [a:EMPTY]",
        all_of(having("a", Is("TRUE")), having("a", Is("FALSE")), having("a", Is("EMPTY"))),
    ),
    ("[a:true]", having("a", "true")),
    ("[a:-null OR (EMPTY b)]", having("a", any_of(Not(Is("null")), all_of(Is("EMPTY"), "b")))),
    # rule-S38: values are compared in brackets only
    ("[a:>10]", having("a", Compare(">", "10"))),
    ("[a:<5]", having("a", Compare("<", "5"))),
    ("[a:> -1.5]", having("a", Compare(">", "-1.5"))),
    ('[a:>"2024-01-01 10:30"]', having("a", Compare(">", "2024-01-01 10:30"))),
    ("[a:>1 <5]", having("a", And((Compare(">", "1"), Compare("<", "5"))))),
    ('[a:"<5"]', having("a", Phrase("<5"))),
    ("[a:1<5]", having("a", "1<5")),
]


@pytest.mark.parametrize(("query", "found"), WORDS_AND_OPERATORS)
def test_rules_S04_S05_S06_S07_S08_S09_S10_S11_S12_S13_S14_S15_S16_S17_S18_S20_words_and_operators(
    query: str, found: Node
) -> None:
    assert parse(query) == found


@pytest.mark.parametrize(("query", "found"), PARTS_AND_PROPERTIES)
def test_rules_S24_S25_S26_S27_S28_S29_S34_S35_S36_S37_S38_parts_and_properties(query: str, found: Node) -> None:
    assert parse(query) == found


@pytest.mark.parametrize(
    ("query", "source"),
    [
        (r"/\d{4}-\d{2}-\d{2}/", r"\d{4}-\d{2}-\d{2}"),
        ("/^a b$/", "^a b$"),
        (r"/a\/b/", "a/b"),
        (r"/a\\/", r"a\\"),
        ('/"(-x)] OR/', '"(-x)] OR'),
        (r"/\[\[x\]\]/", r"\[\[x\]\]"),
    ],
)
def test_rule_S32_slashes_make_a_regex(query: str, source: str) -> None:
    assert parse(query) == Regex(source)
    assert parse(f"path:{query} ({query})") == all_of(within("path", Regex(source)), Regex(source))
    assert parse(f"[{query}:{query}]") == PropertyNode(Regex(source), Regex(source))


def test_rule_S32_a_regex_knows_its_place() -> None:
    found = parse("a path:/x/")
    regex = cast("Within", tree.parts(found)[1]).part
    assert isinstance(regex, Regex)
    assert regex.position == 8


@pytest.mark.parametrize(
    ("query", "position", "reason"),
    [
        ("", 1, "it is empty"),
        (" \n", 1, "it is empty"),
        ("()", 1, "empty group"),
        ("a ( )", 3, "empty group"),
        ("meeting (work", 9, "unclosed group"),
        ("a -((b)", 4, "unclosed group"),
        ("a (", 3, "unclosed group"),
        ("[a:(x]y)]", 4, "unclosed group"),
        ("meeting )", 9, "closing bracket without an opening one"),
        (")", 1, "closing bracket without an opening one"),
        ('a "b', 3, "unclosed quote"),
        ('5" x', 2, "unclosed quote"),
        (r'"a\"', 1, "unclosed quote"),
        ("and /or", 5, "unclosed regex"),
        (r"/a\/", 1, "unclosed regex"),
        ("//", 1, "empty regex"),
        ("/usr/bin", 6, "text right after the regex"),
        ("/a/i", 4, "text right after the regex"),
        ("-", 1, "nothing to exclude right after the hyphen"),
        ("Pink - Time", 6, "nothing to exclude right after the hyphen"),
        ("(a -)", 4, "nothing to exclude right after the hyphen"),
        ("a -OR b", 3, "nothing to exclude right after the hyphen"),
        ("--flag", 2, "a second hyphen"),
        ("OR a", 1, "nothing before OR"),
        ("a (OR b)", 4, "nothing before OR"),
        ("a OR", 3, "nothing after OR"),
        ("a OR OR b", 3, "nothing after OR"),
        ("(a OR )", 4, "nothing after OR"),
        ("a path:", 3, "nothing after path:"),
        ("(Path:)", 2, "nothing after path:"),
        ("tag: OR a", 1, "nothing after tag:"),
        ("file:(a line:b)", 9, "line: means nothing inside file:"),
        ("path:[a]", 6, "a property means nothing inside path:"),
        ("tag:(a content:b)", 8, "content: means nothing inside tag:"),
        ("tag:/a/", 5, "a regex inside tag:"),
        ("tag:#", 5, "a tag without a name"),
        ('tag:(a OR "")', 11, "a tag without a name"),
        ("[[Note]]", 1, "a link is not a query"),
        ("[up:[[Note]]]", 5, "a link is not a query"),
        ("[a:b [c]]", 6, "a property means nothing inside another one"),
        ("[]", 1, "a property without a name"),
        ("x [:b]", 3, "a property without a name"),
        ("[", 1, "unclosed property"),
        ("[a b", 1, "unclosed property"),
        ("[a:b)", 1, "unclosed property"),
        ("[a:]", 3, "no value after the colon"),
        ("[status]:draft", 9, "a colon after the property"),
        ("[a:>]", 4, "nothing to compare with after >"),
        ("[a:>=10]", 5, "there is no >="),
        ("[a:<(1 OR 2)]", 5, "a group after <"),
        ("(" * 51 + "a" + ")" * 51, 52, "nested deeper than 50 levels"),
        ("-(" * 26 + "a", 52, "nested deeper than 50 levels"),
        ("a" * 10_001, 10_001, "longer than 10,000 characters"),
    ],
)
def test_an_error_points_at_its_cause(query: str, position: int, reason: str) -> None:
    with pytest.raises(InvalidQuery) as raised:
        parse(query)
    assert (raised.value.query, raised.value.position, raised.value.reason) == (query, position, reason)
    assert len(str(raised.value)) < 400


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("", "Invalid query: it is empty"),
        (
            "meeting (work",
            "Invalid query: meeting HERE-> (work: unclosed group at position 9; "
            'close it with ")"; to find it as text put it in double quotes',
        ),
        (
            "/usr/bin",
            "Invalid query: /usr/ HERE-> bin: text right after the regex at position 6; "
            r"a regex takes no flags, a slash inside it is written \/, and a path goes in double quotes",
        ),
        (
            f"{'a ' * 50}) {'b ' * 50}",
            f"Invalid query: …{('a ' * 20).rstrip()} HERE-> ) {('b ' * 19)}…: closing bracket without an opening one "
            "at position 101; to find it as text put it in double quotes",
        ),
    ],
)
def test_an_error_is_one_sentence_that_shows_the_place(query: str, sentence: str) -> None:
    with pytest.raises(InvalidQuery) as raised:
        parse(query)
    assert str(raised.value) == sentence


def test_a_bad_query_is_a_bad_argument() -> None:
    assert issubclass(InvalidQuery, BadArgument)


def test_the_deepest_query_is_read_spelled_and_explained() -> None:
    for query in (
        "(" * MAX_NESTING + "a" + ")" * MAX_NESTING,
        "-(" * 25 + "a b" + ")" * 25,
        "section:(a OR " * 25 + "b" + ")" * 25,
        "content:" * 49 + "[a:b]",
    ):
        found = parse(query)
        assert parse(spelled(found)) == found
        assert explain(found)


@pytest.mark.parametrize(
    "piece", ["(", "-(", "-", "[", "[a:", '"', '\\"', "/", "\\", "path:", "tag:(", "a OR ", "a", " "]
)
def test_the_longest_garbage_parses_or_is_refused(piece: str) -> None:
    for prefix in ("", '"', "/", "[a:"):
        text = (prefix + piece * MAX_CHARACTERS)[:MAX_CHARACTERS]
        try:
            found = parse(text)
        except InvalidQuery as error:
            assert len(str(error)) < 400
        else:
            assert len(spelled(found)) > MAX_CHARACTERS or parse(spelled(found)) == found


def _calls(query: str) -> int:
    """The number of calls of functions in a parse, in C too; independent of any clock."""
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        parse(query)
    except InvalidQuery:
        pass
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize(
    "piece", ["a ", "-a ", '"a"', "(a)", "[a:b OR c]", "a OR ", "/a/ ", "tag:#a ", "(a (b -c) OR d)"]
)
def test_the_work_grows_in_proportion_to_the_length(piece: str) -> None:
    assert _calls(f"{piece * 400}a") < 2.2 * _calls(f"{piece * 200}a")


WORDS = st.sampled_from(
    [
        "a", "it's", "b-c", "2024-01-01", "#t", "OR2", "or", "path", "C", "é", "中文", "😀", "a\\", "a*", "a/b",
        "a<5", "=", "\0",
    ]
)  # fmt: skip
PHRASES = st.text(max_size=6).map(Phrase)
REGEXES = st.lists(
    st.sampled_from(["a", " ", "/", r"\d", r"\\", "[x]", "(y|z)", '"', "OR"]), min_size=1, max_size=5
).map(lambda pieces: Regex("".join(pieces)))
TEXTS: st.SearchStrategy[Node] = WORDS.map(Term) | PHRASES | REGEXES


def _combined(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    several = st.lists(inner, min_size=2, max_size=3)
    return several.map(tree.both) | several.map(tree.either) | inner.map(tree.negated)


def _cased(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return _combined(inner) | st.builds(Case, st.booleans(), inner)


def _scoped(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return _cased(inner) | st.builds(Within, st.sampled_from([scope for scope in SCOPES if scope not in NAMES]), inner)


NAMES = ("file", "path")
NAME_TEXTS = st.recursive(TEXTS, _combined, max_leaves=3)
FILE_TEXTS = st.recursive(TEXTS, _cased, max_leaves=4)
VALUES = st.recursive(
    TEXTS
    | st.builds(Is, st.sampled_from(FACTS))
    | st.builds(Compare, st.sampled_from("<>"), WORDS | st.text(max_size=6)),
    _cased,
    max_leaves=4,
)
TAGS = st.builds(TagNode, WORDS | st.text(min_size=1, max_size=6))
PROPERTIES = st.builds(PropertyNode, NAME_TEXTS, st.none() | VALUES)
NAMED = st.builds(Within, st.sampled_from(NAMES), FILE_TEXTS)
TREES: st.SearchStrategy[Node] = st.recursive(TEXTS | TAGS | PROPERTIES | NAMED, _scoped, max_leaves=8)

PIECES = st.sampled_from(
    [
        *'ab-()[]:"/\\<>=# \n', " OR ", "OR", "path:", "FILE:", "tag:", "line:", "match-case:", "[a:", "null",
        '""', "/x/", "中",
    ]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(TREES)
def test_the_spelling_of_a_tree_parses_to_the_same_tree(found: Node) -> None:
    assert parse(spelled(found)) == found


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=20).map("".join) | st.text(max_size=30))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        found = parse(text)
    except InvalidQuery as error:
        assert 1 <= error.position <= max(1, len(text))
        assert "\n" not in str(error)
    else:
        assert parse(spelled(found)) == found
        assert explain(found)
