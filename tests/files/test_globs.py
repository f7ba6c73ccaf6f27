"""The glob dialect: tables, and a comparison with a matcher that tries everything."""

from __future__ import annotations

import unicodedata
from itertools import product

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from vaulttools.errors import InvalidGlob, OutsideVault
from vaulttools.files.globs import Glob, has_magic, parse


def glob_of(text: str) -> Glob:
    return parse(text, ignore_case=False)


@pytest.mark.parametrize(
    ("glob", "selected", "left"),
    [
        # without a slash: at any depth
        ("*.md", ["a.md", "x/a.md", "x/y/.md"], ["a.txt", "a.md/b", "a.MD"]),
        ("README.md", ["README.md", "x/README.md"], ["xREADME.md", "README.md/x"]),
        ("a?c", ["abc", "x/a\nc"], ["ac", "a/c", "abbc"]),
        ("*", ["a", "a/b", ".hidden"], []),
        ("**", ["a", "a/b/c"], []),
        # with one: anchored, not recursive
        ("src/*.md", ["src/a.md"], ["src/a/b.md", "x/src/a.md"]),
        ("/*.md", ["a.md"], ["x/a.md"]),
        ("./*.md", ["a.md"], ["x/a.md"]),
        ("x//./y*", ["x/y1"], ["x/y/1"]),
        ("x/../y*.md", ["y1.md"], ["x/y1.md", "z/y1.md"]),
        # **
        ("**/*.md", ["a.md", "x/y/a.md"], ["a.txt"]),
        ("x/**", ["x/a", "x/y/a"], ["x", "xa", "y/x/a"]),
        ("x/**/y.md", ["x/y.md", "x/a/y.md", "x/a/b/y.md"], ["x/ay.md", "y.md"]),
        ("**/a/**/b", ["a/b", "x/a/y/a/b"], ["ab", "a/x", "b/a"]),
        ("**/*/*.md", ["x/a.md", "x/y/a.md"], ["a.md"]),
        # folders
        ("x/", ["x/a", "x/y/a"], ["x", "y/x/a"]),
        ("**/x/", ["x/a", "y/x/a"], ["x", "xx/a"]),
        ("./", ["a", "a/b"], []),
        (".", ["a", "a/b"], []),
        # classes
        ("[a-c].md", ["a.md", "c.md"], ["d.md", "-.md"]),
        ("[!a].md", ["b.md", "x/!.md"], ["a.md", "/.md"]),
        ("[^a].md", ["b.md"], ["a.md"]),
        ("[]a]", ["]", "a"], ["[", "b"]),
        ("[!]a]", ["[", "b"], ["]", "a"]),
        ("[a-]", ["a", "-"], ["b"]),
        ("[*?{},][[]", ["*[", "{[", ",["], ["a["]),
        ("x[+-9]y", ["x.y", "x0y"], ["x/y"]),
        ("x[!a]y", ["xby"], ["x/y"]),
        ("[[a]", ["[", "a"], ["]"]),
        ("[**]", ["*"], ["a"]),
        ("[&&~~||]", ["&", "~", "|"], ["a"]),
        # braces
        ("*.{md,txt}", ["a.md", "x/a.txt"], ["a.md,txt", "a."]),
        ("{a,{b,c}d}{,e}", ["a", "ae", "bd", "cde", "x/cd"], ["b", "ad"]),
        ("{a,x/b}.md", ["a.md", "x/b.md"], ["y/a.md"]),
        ("{x,**}/a", ["x/a", "a", "y/z/a"], ["b"]),
        ("{[,],a}", [",", "a", "["], ["b"]),
        # a name is found by its own spelling, too
        ("{a}", ["a", "{a}"], ["b"]),
        ("[2024]*", ["2x", "[2024] plan.md", "t/[2024] plan.md"], ["1x", "(2024)"]),
        ("[z-a]", ["[z-a]"], ["z", "a"]),
        ("[2024-11]*", ["[2024-11] plan.md"], ["2x"]),
        ("t/[a] {b,c}*.md", ["t/a b.md", "t/[a] c1.md", "t/a {b,c}.md", "t/[a] {b,c}.md"], ["t/[a] d.md"]),
        ("[a]/{b}/x.md", ["a/b/x.md", "[a]/{b}/x.md", "[a]/b/x.md"], ["x/b/x.md"]),
        ("t/\\{b\\}*.md", ["t/{b} note.md"], ["t/a.md"]),
        ("t/\\[b\\]*.md", ["t/[b] note.md"], ["t/b.md"]),
        ("t\\[b]*.md", ["t/b.md", "t/[b] note.md"], ["tb.md"]),
        ("t/[{]b[}]*.md", ["t/{b} note.md"], ["t/b.md"]),
        ("*[[]x[]]*", ["a [x] b.md"], ["x.md"]),
        ("a,b", ["a,b"], ["a", "b"]),
        # the backslash is a slash, and special characters of regexes are literal
        ("x\\*.md", ["x/a.md"], ["x*.md"]),
        ("a.(b)+$|^", ["a.(b)+$|^"], ["aX(b)+$|^"]),
        # Unicode
        ("caf\u00e9*", ["cafe\u0301.md", "caf\u00e9.md"], ["cafe.md"]),
        ("cafe\u0301?md", ["caf\u00e9.md"], []),
        ("?.md", ["e\u0301.md", "\U0001f600.md", "\udcff.md"], []),
        ("\udcff*", ["\udcff.md"], ["\udcfe.md"]),
    ],
)
def test_a_glob_selects(glob: str, selected: list[str], left: list[str]) -> None:
    parsed = glob_of(glob)
    assert [path for path in selected + left if parsed.matches(path)] == selected


@pytest.mark.parametrize(
    ("glob", "path"),
    [("*.MD", "a.md"), ("projects/*", "Projects/a"), ("[A-C]x", "bX"), ("\u00c9*", "e\u0301a"), ("{A,b}", "B")],
)
def test_case_counts_only_on_request(glob: str, path: str) -> None:
    assert (parse(glob, ignore_case=True).matches(path), parse(glob, ignore_case=False).matches(path)) == (True, False)


@pytest.mark.parametrize(
    ("glob", "reason"),
    [
        ("", "it is empty"),
        ("{}", "it is empty"),
        ("{,}", "it is empty"),
        ("a\0b", "it contains a NUL character"),
        ("{a,b", "unclosed brace, { without }; \\{ is the sign itself"),
        ("{a,{b}", "unclosed brace, { without }; \\{ is the sign itself"),
        ("a}b", "unopened brace, } without {; \\} is the sign itself"),
        ("[abc", "unclosed bracket, [ without ]; \\[ is the sign itself"),
        ("[]", "unclosed bracket, [ without ]; \\[ is the sign itself"),
        ("[!]", "unclosed bracket, [ without ]; \\[ is the sign itself"),
        ("x[a/b]", "unclosed bracket, [ without ]; \\[ is the sign itself"),
        ("a**b", "** must be a whole path component"),
        ("***", "** must be a whole path component"),
        ("x/**.md", "** must be a whole path component"),
        ("{a,*}*b", "** must be a whole path component"),
        ("*/../x", ".. after a wildcard"),
        ("{a,b}" * 10, "more than 1,000 brace alternatives"),
        ("{a,b}" * 20, "more than 1,000 brace alternatives"),
        ("{" + "," * 1_000 + "}", "more than 1,000 brace alternatives"),
        ("{a,b}" * 9 + "x" * 200, "its braces expand to more than 100,000 characters"),
    ],
)
def test_fault_R12_a_malformed_glob_is_refused_with_its_reason(glob: str, reason: str) -> None:
    with pytest.raises(InvalidGlob) as caught:
        glob_of(glob)
    assert (caught.value.glob, caught.value.reason) == (glob, reason)


def test_a_glob_of_4096_characters_is_the_longest() -> None:
    assert glob_of("a" * 4_096).matches("a" * 4_096)
    with pytest.raises(InvalidGlob) as caught:
        glob_of("a" * 4_097)
    assert caught.value.reason == "it is longer than 4,096 characters"
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("glob", ["..", "../*.md", "x/../../y*", "..\\x", "{a,../b}/*"])
def test_a_glob_out_of_the_vault_is_refused(glob: str) -> None:
    with pytest.raises(OutsideVault) as caught:
        glob_of(glob)
    assert caught.value.given == glob


@pytest.mark.parametrize(
    ("glob", "folders"),
    [
        ("Projects/a/**/x*.md", "Projects/a"),
        ("Projects/a.md", "Projects"),
        ("README.md", ""),
        ("*.md", ""),
        ("**/x/*.md", ""),
        ("x/", "x"),
        ("/", ""),
        ("./a\\b.md", "a"),
        ("a/../.obsidian/*", ".obsidian"),
        ("a/{b/c,b/d}/*", "a/b"),
        ("a/{b,c}/*", "a"),
        ("{a,b}/x", ""),
        ("a/b[c]/d", "a"),
        ("cafe\u0301/x", "caf\u00e9"),
    ],
)
def test_a_glob_knows_its_literal_folders(glob: str, folders: str) -> None:
    parsed = glob_of(glob)
    assert (parsed.text, parsed.literal_folders) == (glob, folders)


@pytest.mark.parametrize(("text", "magic"), [("a*", True), ("a?", True), ("[a", True), ("{", True), ("a],}!", False)])
def test_wildcards_are_star_question_mark_bracket_and_brace(text: str, magic: bool) -> None:
    assert has_magic(text) is magic


@pytest.mark.parametrize(
    ("glob", "entered", "pruned"),
    [
        ("Projects/*/x*.md", ["", "Projects", "Projects/a"], ["Daily", "Projects/a/b", "Projectsx"]),
        ("Projects/**/x.md", ["", "Projects", "Projects/a/b/c"], ["Daily", "Proj"]),
        ("*.md", ["", "a", "a/b"], []),
        ("/*.md", [""], ["a"]),
        ("a{b,c/d}/*", ["", "ab", "ac", "ac/d"], ["ad", "ab/d"]),
        ("x/", ["", "x", "x/y"], ["y"]),
        ("/".join(["a"] * 20), ["", "a", "/".join(["a"] * 19)], ["b", "a/b"]),
    ],
)
def test_a_walk_enters_only_folders_the_glob_can_reach(glob: str, entered: list[str], pruned: list[str]) -> None:
    parsed = glob_of(glob)
    assert [folder for folder in entered + pruned if parsed.may_hold(folder)] == entered


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("*a" * 2_000 + "b", "a" * 4_000),
        ("?*" * 1_000, "a" * 4_000 + "/"),
        ("**/" * 1_300 + "b", "a/" * 2_000 + "c"),
        ("**/a/" * 800 + "b", "a/" * 2_000 + "c"),
        ("**/*a*a/" * 500 + "b", "aaaa/" * 1_000 + "c"),
        ("**/" + "a/" * 1_000 + "b", "a/" * 2_000 + "c"),
        ("{" + ",".join(["*a" * 30 + "b"] * 60) + "}", "a" * 4_000),
    ],
)
def test_fault_R13_no_glob_takes_more_than_its_length_times_the_path(glob: str, path: str) -> None:
    # With backtracking, each of these would outlive the machine.
    assert not glob_of(glob).matches(path)


# --- against a matcher that tries everything -------------------------------------------------------------------------


def spellings(glob: str) -> list[str]:
    """All alternatives of a glob whose classes hold no brace or comma: the innermost brace first."""
    close = glob.find("}")
    if close < 0:
        return [glob]
    start = glob.rindex("{", 0, close)
    return [
        spelled
        for choice in glob[start + 1 : close].split(",")
        for spelled in spellings(f"{glob[:start]}{choice.replace(',', '')}{glob[close + 1 :]}")
    ]


def name_fits(pattern: str, name: str) -> bool:
    if not pattern:
        return not name
    if pattern[0] == "*":
        return name_fits(pattern[1:], name) or (bool(name) and name_fits(pattern, name[1:]))
    if not name:
        return False
    if pattern[0] == "[":
        close = pattern.index("]", 2)
        members = pattern[1:close].lstrip("!")
        chars = {"a": "a", "b": "b", "a-b": "ab", "ab": "ab"}[members]
        return ((name[0] in chars) != (pattern[1] == "!")) and name_fits(pattern[close + 1 :], name[1:])
    return pattern[0] in ("?", name[0]) and name_fits(pattern[1:], name[1:])


def path_fits(pattern: list[str], path: list[str]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        least = 0 if len(pattern) > 1 else 1
        return any(path_fits(pattern[1:], path[taken:]) for taken in range(least, len(path) + 1))
    return bool(path) and name_fits(pattern[0], path[0]) and path_fits(pattern[1:], path[1:])


def brute(glob: str, path: str) -> bool:
    for spelled in spellings(glob):
        names = [name for name in spelled.split("/") if name]
        if spelled.endswith("/"):
            names.append("**")
        if spelled and path_fits(names if "/" in glob else ["**", *names], path.split("/")):
            return True
    return False


pieces = st.sampled_from(["a", "b", "c", "*", "?", "[a]", "[!a]", "[a-b]", "[!ab]", "/", "/**/", "**/", "/**", "*a*"])
plain = st.lists(pieces, max_size=6).map("".join)
braces = st.lists(plain, min_size=1, max_size=3).map(lambda choices: "{" + ",".join(choices) + "}")
globs = st.lists(plain | braces, min_size=1, max_size=3).map("".join)
paths = st.lists(st.text("abc", min_size=1, max_size=4), min_size=1, max_size=4).map("/".join)


def parse_or_skip(glob: str) -> Glob:
    try:
        return glob_of(glob)
    except InvalidGlob:
        assume(False)
        raise


@given(globs, st.lists(paths, min_size=1, max_size=20))
@settings(max_examples=200)
@example("{a,b/}*", ["a", "bb", "b/a", "c/a"])
def test_a_glob_selects_what_trying_everything_selects(glob: str, candidates: list[str]) -> None:
    parsed = parse_or_skip(glob)
    for path in candidates:
        assert parsed.matches(path) == brute(glob, path), path


ALL_PATHS = [
    "/".join(names) for depth in (1, 2, 3) for names in product(["a", "b", "ab", "ba"], repeat=depth)
]  # fmt: skip


@given(globs)
@settings(max_examples=100)
def test_every_parent_of_a_selected_path_may_hold_it(glob: str) -> None:
    parsed = parse_or_skip(glob)
    for path in filter(parsed.matches, ALL_PATHS):
        names = path.split("/")
        assert all(parsed.may_hold("/".join(names[:depth])) for depth in range(len(names))), path


@given(globs)
@settings(max_examples=50)
def test_a_folder_that_may_hold_nothing_holds_nothing(glob: str) -> None:
    parsed = parse_or_skip(glob)
    pruned = [path for path in ALL_PATHS if not parsed.may_hold(path)]
    assert [
        path for path in ALL_PATHS if parsed.matches(path) and path.startswith(tuple(f"{p}/" for p in pruned))
    ] == []


@given(st.text("ab*?[]{},!-/\\.^ \u0301\u00e9", max_size=12), st.text("ab/\u0301\u00e9.", min_size=1, max_size=8))
@settings(max_examples=200)
def test_any_text_is_a_glob_or_an_invalid_one(glob: str, path: str) -> None:
    try:
        parsed = glob_of(glob)
    except (InvalidGlob, OutsideVault):
        return
    assert parsed.matches(path) == parsed.matches(unicodedata.normalize("NFC", path))
