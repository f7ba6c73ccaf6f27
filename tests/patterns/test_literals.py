"""Required literals: what they are, and that each text in which the real ripgrep finds the pattern has them."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from vaulttools.errors import VaultToolsError
from vaulttools.files.document import decode
from vaulttools.matching.ripgrep import locate
from vaulttools.patterns.literals import MOST, has_known_case, required
from vaulttools.patterns.pattern import Mode, Pattern, any_of, read, with_literal_parentheses
from vaulttools.patterns.requirements import LONGEST, AllOf, AnyOf, Requirement, fold


def _shown(requirement: Requirement | None, *, within: bool = False) -> str:
    """All of `"a" "b"`, any of `"a" | "b"`, the inner ones in parentheses; empty when nothing is required."""
    if requirement is None:
        return ""
    if isinstance(requirement, str):
        return f'"{requirement}"'
    between = " " if isinstance(requirement, AllOf) else " | "
    shown = between.join(_shown(part, within=True) for part in requirement.parts)
    return f"({shown})" if within else shown


def _met(requirement: Requirement | None, folded: str) -> bool:
    if requirement is None:
        return True
    if isinstance(requirement, str):
        return requirement in folded
    parts = (_met(part, folded) for part in requirement.parts)
    return all(parts) if isinstance(requirement, AllOf) else any(parts)


def _literals(requirement: Requirement | None) -> list[str]:
    if requirement is None:
        return []
    if isinstance(requirement, str):
        return [requirement]
    return [literal for part in requirement.parts for literal in _literals(part)]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        # patterns that models use
        ("TODO|FIXME", '"todo" | "fixme"'),
        (r"class \w+Error", '"class " "error"'),
        (r"import\s+(os|sys)", '"import" ("os" | "sys")'),
        ("(?i)budget", '"budget"'),
        (r"\[\[Ada Lovelace\]\]", '"[[ada lovelace]]"'),
        (r"def (get|set)_\w+", '"def get_" | "def set_"'),
        (r"\bfoo\b", '"foo"'),
        ("^#+ Risks", '" risks" "#"'),
        ("status: (open|active)", '"status: open" | "status: active"'),
        (r"^\s*- \[[ xX]\] \d{4}-", '"- [ ] " | "- [x] "'),
        (r"(\d+)%$", '"%"'),
        ("${platform}", '"${platform}"'),
        # characters
        ("Füße", '"füsse"'),
        (r"\x{e9}\u00e9\U000000e9\x41\u{65E5}", '"éééa日"'),
        (r"\.\*\ \t\-\/", '".* \t-/"'),
        ("[[Note]]", '"e" | "n" | "o" | "t"'),
        # classes
        ("[Tt]odo", '"todo"'),
        ("gr[ae]y", '"gray" | "grey"'),
        ("x[-_ ]y", '"x y" | "x-y" | "x_y"'),
        ("v[1-3]", '"v1" | "v2" | "v3"'),
        ("v[0-9]w", '"v" "w"'),
        ("a[^b]c", '"a" "c"'),
        (r"a[\w-]c|a[[:alpha:]]c", '"a" "c"'),
        ("a[bd&&b]c", '"a" "c"'),
        (r"a[\-\x42\]]c", '"a-c" | "a]c" | "abc"'),
        ("(?x)a[b # c\n]", '"ab"'),
        ("[]a]b[--a]c", '"b" "c"'),
        # breaks a run
        (r"ab.cd\wef\pLgh", '"ab" "cd" "ef" "gh"'),
        (r"ab\ncd\r?\nef\rgh", '"ab" "cd" "ef" "gh"'),
        ("ab\ncd", '"ab" "cd"'),
        ("ab[\\n ]cd", '"ab" "cd"'),
        ("ab\ufffdcd\ufeffef", '"ab" "cd" "ef"'),
        # does not break a run
        (r"a\bb\Bc(?:)d(?m:^)e$", '"abcde"'),
        ("(?x) a b # c\n d", '"abd"'),
        ("(?x-i:a b)c d", '"abc d"'),
        # quantifiers
        ("colou?r", '"colour" | "color"'),
        ("(un)?known", '"known"'),
        ("ab*c", '"a" "c"'),
        ("ab+c", '"ab" "c"'),
        ("ab+?c", '"ab" "c"'),
        ("ab{2}c", '"abbc"'),
        ("ab{2,}c|ab{ 2 , 3 }c", '"abb" "c"'),
        ("ab{0,1}c{0}d{0,3}e", '"a" "e"'),
        ("(ab){2}c", '"ababc"'),
        ("([ab]c){2}", '"acac" | "acbc" | "bcac" | "bcbc"'),
        ("(a.b){3}", '"ba"'),
        ("a{1000}", f'"{"a" * LONGEST}"'),
        ("ab++c", '"ab" "c"'),
        ("ab*+c", '"a" "c"'),
        (r"a^*b\b?c", '"bc" "a"'),
        # groups and alternatives
        ("(foo|bar)baz", '"foobaz" | "barbaz"'),
        ("((?P<n>foo)|(?i:bar))baz", '"foobaz" | "barbaz"'),
        ("(foo|)bar", '"bar"'),
        (r"(foo|ba\w+r)baz", '"baz" ("foo" | ("ba" "r"))'),
        (r"class (Foo\w+|Bar)", '"class " ("foo" | "bar")'),
        (r"(ab.cd|ef)gh", '(("ab" "cd") | "ef") "gh"'),
        ("foo|foobar", '"foo"'),
        (r"foo|\w+", ""),
        ("foo|", ""),
        ("[a-d][a-d][a-d]", "|".join(f' "{a}{b}" ' for a in "abcd" for b in "abcd")[1:-1]),
        # PCRE2
        ("foo(?=bar)baz", '"foobaz"'),
        ("(?<!foo)bar(?!baz)", '"bar"'),
        (r"(['\"])foo\1", '""foo" | "\'foo"'),
        (r"ab\Kcd(?>ef)(?#gh)(?|i|j)", '("cdefi" | "cdefj") "ab"'),
        (r"ab(?=c)\h+cd\Ref", '"ab" "cd" "ef"'),
        # nothing is sure
        (r"\w+", ""),
        ("(?=foo)", ""),
        ("a*", ""),
    ],
)
def test_what_every_match_must_contain(text: str, shown: str) -> None:
    assert _shown(required(read(text))) == shown


@pytest.mark.parametrize("text", ["a(", "a)", "*a", "a[", r"a\Q", r"\0a", r"a\xb", "(" * 2000 + "a" + ")" * 2000])
def test_a_regex_that_ripgrep_refuses_or_nests_deeply_requires_nothing(text: str) -> None:
    assert required(read(text)) is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        # verbose: blanks and comments look like an end
        ("(?x)a{ 2 #\n}b", "aab"),
        ("(?x)( ?i)a", "A"),
        ("(?x)( ?: a ) b", "ab"),
        (r"(?x)\x4 1a", "Aa"),
        (r"(?x)[\x4 1]a", "Aa"),
        (r"(?x)\x {41}a", "Aa"),
        (r"(?x)\u00 e9", "é"),
        (r"(?x)\p La", "xa"),
        ("(?x)\\p{L#}\n}a", "xa"),
        ("(?x)[\\p{L#}]\n}]a", "xa"),
        (r"(?x)\b{ start }a", "a"),
        # bytes
        (r"(?-u:\xc3\xa9)", "é"),
        (r"(?-u:[\xc3].)", "é"),
        # PCRE2: quotes, control characters, octals, sets, word boundaries
        (r"(?=a)\Qa?b\E", "a?b"),
        (r"(?=a)a[\Q]]b\E]c", "a]c"),
        (r"a(?!b)\cAa", "a\x01a"),
        (r"(?=a)a[\c]]b", "a\x1db"),
        (r"(?=a)a\0411", "a!1"),
        (r"(?=a)a\vb", "a\x0cb"),
        (r"(?=a)a[\v]b", "a\x0cb"),
        (r"(?=a)a\xb", "a\x0b"),
        ("(?=a)[[:<:]]a", "a"),
        ("(?=a)a[]-a]b", "a^b"),
        ("(?=a)a[--0]b", "a.b"),
        # PCRE2: flags, blanks, recursion, conditions, verbs
        ("(?=a)(?x)(?^)a b", "a b"),
        ("(?=a)(?x)a\u00a0b", "a\u00a0b"),
        ("(?=a)(?x)a\u200eb", "ab"),
        ("a(?R)?b(?!c)", "aabb"),
        ("(a)?(?(1)b|c)", "ab"),
        (r"(?(DEFINE)(?<n>a))b\g<n>", "ba"),
        ("a(*ACCEPT)b(?=b)", "a"),
    ],
)
def test_text_that_only_looks_like_a_literal_is_not_required(text: str, line: str) -> None:
    command = [locate().command, "--no-config", *read(text).arguments(), "-"]
    assert subprocess.run(command, input=line.encode(), capture_output=True, check=False).returncode == 0
    assert _met(required(read(text)), fold(line))


@pytest.mark.parametrize(
    ("pattern", "shown"),
    [
        (read("A.b|c", mode="fixed"), '"a.b|c"'),
        (read("Foo", mode="word"), '"foo"'),
        (read("Größe", mode="identifier"), '"grösse"'),
        (read("ab\r\ncd\ne.", mode="fixed"), '"ab" "cd" "e."'),
        (read("ab\ncd", mode="identifier"), '"ab" "cd"'),
        (read("ab\rcd", mode="word"), '"ab" "cd"'),
        (any_of([read("Foo", mode="word"), read("b.r", mode="word")]), '"foo" | "b.r"'),
        (any_of([read("Größe", mode="identifier"), read("b", mode="identifier")]), '"grösse" | "b"'),
        (with_literal_parentheses(read("foo(")), '"foo("'),
    ],
)
def test_text_and_repaired_patterns_require_the_text_they_become(pattern: Pattern, shown: str) -> None:
    assert _shown(required(pattern)) == shown


# Case: U+0138 and U+018D have no capitals (U+0264 had none before Unicode 16), U+0378 is no character yet.


@pytest.mark.parametrize("text", ["(?i)ab\u0138cd", "ab\u0138cd(?i:e)", "(?x)(?i)ab \u018dcd", "(?i)ab\u0378cd"])
def test_a_letter_whose_case_is_not_known_is_not_required_when_case_is_ignored(text: str) -> None:
    assert '"ab"' in _shown(required(read(text)))


def test_a_letter_whose_case_is_not_known_is_required_when_case_counts() -> None:
    assert required(read("ab\u0138[\u018d]\u0378")) == "ab\u0138\u018d\u0378"
    assert _shown(required(read("ab\u0138", mode="fixed", ignore_case=True))) == '"ab"'


def test_letters_without_unicode_may_be_bytes_and_are_not_required() -> None:
    assert _shown(required(read(r"(?-u:aé\xe9b)é(?-u)ü(?u:ü)"))) == '"bé" "a" "ü"'


@given(st.text(), st.text())
def test_folding_goes_character_by_character(left: str, right: str) -> None:
    assert fold(left) + fold(right) == fold(left + right)


def _matching(options: Iterable[str], characters: Iterable[str], text: bytes, folder: Path) -> set[str]:
    """The lines, of one character each, in which one of the characters matches with case ignored."""
    ranges: list[list[int]] = []
    for code in sorted(map(ord, characters)):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    expression = "".join(rf"\x{{{low:x}}}-\x{{{high:x}}}" for low, high in ranges)
    (folder / "expression").write_text(f"[{expression}]", encoding="ascii")
    command = [locate().command, "--no-config", "--text", "-i", *options, "-f", str(folder / "expression"), "-"]
    run = subprocess.run(command, input=text, capture_output=True, check=False)
    assert run.returncode < 2, run.stderr
    return set(run.stdout.decode().split("\n")) - {""}


def test_characters_that_match_for_ripgrep_fold_to_the_same(tmp_path: Path) -> None:
    every = [chr(code) for code in range(sys.maxunicode + 1) if code not in (10, 13) and not 0xD800 <= code < 0xE000]
    known = set(filter(has_known_case, every))
    cased = {character for character in known if {character.lower(), character.upper(), fold(character)} != {character}}
    number = {folded: place for place, folded in enumerate(sorted(set(map(fold, cased))))}
    all_lines, cased_lines = ("\n".join(characters).encode() for characters in (every, cased))
    for options in ([], ["-P"]):
        assert _matching(options, known - cased, all_lines, tmp_path) == known - cased
        assert _matching(options, cased, all_lines, tmp_path) == cased
        # Two characters that fold differently differ in a bit of their numbers: no run may find one by the other.
        for bit in range(len(number).bit_length()):
            ones = {character for character in cased if number[fold(character)] >> bit & 1}
            assert _matching(options, ones, cased_lines, tmp_path) == ones
            assert _matching(options, cased - ones, cased_lines, tmp_path) == cased - ones


# Bounds.


@pytest.mark.parametrize(
    "text",
    [
        *("abcdefghij" * 1000, "a.b.c.d.e." * 1000, "[ab]" * 2500, "(a|b.)" * 1666, "[ab]{64}" * 1250, "a?" * 5000),
        *(".".join(f"{number}" for number in range(2000)), "|".join(f"{number}" for number in range(2000))),
        *("(" * 49 + "a.b(c|d).e" * 900 + "){2}" * 49, "(x|a." * 49 + "b.c" * 3000 + ")" * 49, "a" + "{9}" * 3000),
        *("a{" + "9" * 9000 + "}", r"\p{" * 3000, "(?=a)" + "(?x)a#" * 1500),
    ],
)
def test_the_longest_patterns_take_linear_time_and_give_few_literals(text: str) -> None:
    pattern = read(text)
    begun = time.process_time()
    literals = _literals(required(pattern))
    assert time.process_time() - begun < 2
    assert len(literals) <= MOST
    assert all(1 <= len(literal) <= LONGEST for literal in literals)


def test_the_longest_of_many_required_literals_are_kept() -> None:
    pattern = read(".".join(f"{number}" for number in range(10, 1000)))
    assert _literals(required(pattern)) == [f"{number}" for number in range(100, 100 + MOST)]


def test_more_alternatives_than_literals_require_nothing() -> None:
    words = [f"{number:03}" for number in range(MOST + 1)]
    assert required(read("|".join(words[:-1]))) == AnyOf(tuple(words[:-1]))
    assert required(read("|".join(words))) is None


# ripgrep as the judge. Each piece of a regex comes with a text that it matches or nearly matches.

_ATOMS = [
    *((character, character) for character in "aabbks -_1#日é"),
    *(("K", "\u212a"), ("s", "ſ"), ("é", "É"), ("ß", "ẞ"), ("σ", "ς"), ("ǆ", "ǅ"), ("ﬁ", "ﬁ"), ("İ", "İ"), ("ı", "ı")),
    *(("\u0264", "\ua7cb"), ("\u0390", "\u1fd3"), ("Ა", "ა"), ("Ꭰ", "ꭰ"), ("ᾳ", "ᾼ"), ("\ufffd", "\ufffd")),
    *((r"\.", "."), (r"\x61", "a"), (r"\x{e9}", "é"), (r"\u00e9", "é"), (r"\t", "\t"), (r"\]", "]"), ("}", "}")),
    *(("[ab]", "b"), ("[Kk]", "k"), ("[a-c]", "c"), ("[-_ ]", "-"), ("[é日]", "日"), ("[]ab]", "]"), ("[ſx]", "S")),
    *(("[^a]", "b"), (r"[\w-]", "-"), ("[a[bc]]", "c"), ("[a-z&&[^b]]", "a"), ("[[:alpha:]]", "k"), (r"[\x62]", "b")),
    *((".", "x"), (r"\w", "a"), (r"\d", "1"), (r"\s", " "), (r"\S", "b"), (r"\pL", "é"), (r"\R", "\n"), (r"\h", " ")),
    *((r"\n", "\n"), ("\n", "\r\n"), (r"\r\n", "\n"), (r"[\n ]", "\n"), (r"\s*", " \n"), (r"\r", "\r"), (r"\v", "\v")),
    *(("(?-u:é)", "é"), (r"(?-u:\xc3)", "é"), (r"(?-u:.)", "a"), ("(?i)k", "\u212a"), ("(?-i)a", "a"), ("(?s).", "\n")),
    *(("(?x)a b", "ab"), ("(?x) a # b\n", "a"), ("(?x:[a #\n])", "a"), ("(?R)a", "a"), ("(?U)a+", "a")),
    *((piece, "") for piece in ["^", "$", r"\b", r"\B", r"\A", r"\z", r"\<", r"\b{end}", "(?i)", "(?m:$)", "()"]),
    *((piece, "") for piece in ["(?=a)", "(?!z)", "(?<=a)", "(?<!z)", r"\K", "(?#a)", "(?=)", "(?!z)"]),
    *(("(a)\\1", "aa"), (r"(?<n>[ab])\k<n>", "bb"), ("(?>a*)", "aa"), ("(?|a|b)", "b"), ("(a)(?(1)b|k)", "ab")),
]
_QUANTIFIERS = [
    *(("", 1),) * 12,
    *(("?", 0), ("?", 1), ("*", 0), ("*", 2), ("+", 1), ("+", 2), ("{2}", 2), ("{0,2}", 0), ("{1,}", 2), ("{ 2 }", 2)),
    *(("*?", 0), ("+?", 1), ("??", 0), ("*+", 0), ("++", 2), ("{2}+", 2), ("{,2}", 0), ("{0}", 0), ("{2}{2}", 4)),
]
_GROUPS = ["({})", "(?:{})", "(?i:{})", "(?<n>{})", "(?x: {} )", "(?>{})", "(?-u:{})", "(?|{})", "(?={}).{{4}}"]
_Piece = tuple[str, str]


def _repeated(piece: _Piece, quantifier: tuple[str, int]) -> _Piece:
    return piece[0] + quantifier[0], piece[1] * quantifier[1]


def _one_after_another(pieces: list[_Piece]) -> _Piece:
    return "".join(piece[0] for piece in pieces), "".join(piece[1] for piece in pieces)


def _either(left: _Piece, right: _Piece) -> _Piece:
    return f"{left[0]}|{right[0]}", right[1]


def _grouped(group: str, piece: _Piece) -> _Piece:
    return group.format(piece[0]), piece[1]


_ITEMS = st.builds(_repeated, st.sampled_from(_ATOMS), st.sampled_from(_QUANTIFIERS))
_REGEXES: st.SearchStrategy[_Piece] = st.recursive(
    st.lists(_ITEMS, min_size=1, max_size=4).map(_one_after_another),
    lambda inner: st.one_of(
        st.builds(_repeated, st.builds(_grouped, st.sampled_from(_GROUPS), inner), st.sampled_from(_QUANTIFIERS)),
        st.builds(_grouped, st.sampled_from(_GROUPS), st.builds(_either, inner, inner)),
        st.builds(_either, inner, inner),
        st.lists(inner, min_size=2, max_size=3).map(_one_after_another),
    ),
    max_leaves=5,
)
_SOUP = [
    *"abAé1 \n#x-{}[]()|?*+^$.\\\u00a0\u200e",
    *("(?x)", "(?i)", "(?:", "(?x:", "(?-u)", "(?=", "(?!", "(?<!", "(?^)", "{2}", "{,2}", "[^", "&&", "--"),
    *("[:alpha:]", "[[:<:]]", "(*F)", "[a", "a]", "[]", "[-", r"\x", r"\x6", r"\x61", r"\u", r"\p", r"\pL", r"\p{L"),
    *(r"\b{", r"\Q", r"\E", r"\c", r"\1", r"\g", r"\n", r"\v", r"\w", r"\K", r"\N", r"\h"),
]
_NEAR = {"k": "\u212a", "s": "ſ", "a": "A", "é": "É", "b": "B"}


def _contents(text: str) -> list[bytes]:
    """Files that hold the text, or nearly do."""
    near = "".join(_NEAR.get(character, character) for character in text)
    turned = text.swapcase(), near, text.replace("\n", "\r\n"), f"\r{text}\r\n"
    spelt = [text, f"ab {text}a", f"{text}\n\n{text}", *turned]
    contents = [each.encode() for each in dict.fromkeys(spelt)]
    contents += [b"\xef\xbb\xbf" + contents[0], b"\xc3" + contents[0] + b"\xa9\xff", b"\0" + contents[0]]
    contents += [("\ufeff" + text).encode("utf-16-le"), ("\ufeff" + text).encode("utf-16-be") + b"a"]
    return contents


def _never_misses(pattern: Pattern, contents: list[bytes], folder: Path) -> None:
    requirement = required(pattern)
    documents = [decode("", content) for content in contents]
    for name, raw in {"raw": contents, "normalised": [document.searchable for document in documents]}.items():
        (folder / name).mkdir(exist_ok=True)
        for old in (folder / name).iterdir():
            old.unlink()
        for place, content in enumerate(raw):
            (folder / name / f"{place}").write_bytes(content)
        options = ["--no-config", "-uu", "--text", "--no-mmap", "-j1", "--files-with-matches"]
        if name == "normalised":
            options.append("--encoding=none")
        command = [locate().command, *options, *pattern.arguments(normalised=name == "normalised"), "--", "."]
        run = subprocess.run(command, cwd=folder / name, capture_output=True, check=False)
        for path in run.stdout.decode().split():
            text = documents[int(path[2:])].text
            assert _met(requirement, fold(text)), (pattern, text, requirement)


def _readable(text: str, mode: Mode, ignore_case: bool) -> Pattern:
    try:
        return read(text, mode=mode, ignore_case=ignore_case)
    except VaultToolsError:
        reject()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("texts")


@given(_REGEXES, st.booleans())
def test_each_text_that_a_regex_matches_meets_the_requirement(folder: Path, piece: _Piece, ignore_case: bool) -> None:
    _never_misses(_readable(piece[0], "regex", ignore_case), _contents(piece[1]), folder)


@given(
    st.lists(st.sampled_from(_SOUP), min_size=1, max_size=12).map("".join),
    st.lists(st.sampled_from(["a", "b", "ab", "A", "é", "1", " ", "\n", "#", "x", "-", "}", "]", ")", "|", "\\"])),
)
def test_syntax_with_another_reading_requires_nothing(folder: Path, text: str, pieces: list[str]) -> None:
    _never_misses(_readable(text, "regex", False), [*_contents("".join(pieces)), *_contents(text)], folder)


@given(
    st.lists(st.text("abkKsſéßσİ日-_. \n\r\u0264", min_size=1, max_size=6), min_size=1, max_size=3),
    st.sampled_from(["fixed", "word", "identifier"]),
    st.booleans(),
)
@settings(max_examples=30)
def test_each_text_that_holds_a_text_meets_the_requirement(
    folder: Path, texts: list[str], mode: Mode, ignore_case: bool
) -> None:
    patterns = [_readable(text, mode, ignore_case) for text in texts]
    _never_misses(patterns[0] if len(patterns) == 1 else any_of(patterns), _contents(texts[-1]), folder)
