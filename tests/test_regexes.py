"""No regular expression of the package needs what CPython 3.11.0 to 3.11.3 get wrong.

Their `re` loses matches of a possessive quantifier or an atomic group around a group (python/cpython issue 106052), so
that Debian 12's Python 3.11.2 found no wikilinks at all. `tests/regexes.py` is a table of what the patterns find.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vaulttools
from tests.regexes import MATCHES
from vaulttools.core.folding import words
from vaulttools.files import globs, ignores
from vaulttools.ranked import finder

PACKAGE = Path(vaulttools.__file__).parent

BUILT = {
    "core/folding/words.py": "_splitting",
    "files/globs.py": "parse",
    "files/ignores.py": "_any_of",
    "ranked/finder.py": "_whole",
}
"""The functions that compile a text built at run time; a separate test reads what each of them compiles."""

_parser: Any = importlib.import_module("re._parser")  # private: there is no other way to read a regex as Python does


def risky(pattern: re.Pattern[Any]) -> list[str]:
    """What 3.11.0 to 3.11.3 get wrong in a regex; empty when there is nothing."""
    return list(_risky(_parser.parse(pattern.pattern, pattern.flags)))


def _risky(part: Any) -> Iterator[str]:
    """The same for a part of a parsed regex: lists of (operator, arguments), the arguments any nest of such lists."""
    if not isinstance(part, _parser.SubPattern | list | tuple):
        return
    if len(part) == 2 and str(part[0]) == "ATOMIC_GROUP":
        yield "an atomic group"
    if len(part) == 2 and str(part[0]) == "POSSESSIVE_REPEAT":
        repeated = part[1][2]
        if len(repeated) != 1 or str(repeated[0][0]) not in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            yield "a possessive quantifier on more than one character"
    for index in range(len(part)):
        yield from _risky(part[index])


@cache
def compiled() -> dict[str, re.Pattern[Any]]:
    """The regexes at the top of the modules, alone or in a container, by module and name."""
    found: dict[str, re.Pattern[Any]] = {}
    for module in pkgutil.walk_packages([str(PACKAGE)], "vaulttools."):
        if module.name.endswith("__main__"):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            for at, pattern in enumerate(_patterns(value)):
                place = "" if isinstance(value, re.Pattern) else f"[{at}]"
                found[f"{module.name.removeprefix('vaulttools.')}.{name}{place}"] = pattern
    return found


def _patterns(value: object, within: frozenset[int] = frozenset()) -> Iterator[re.Pattern[Any]]:
    """The regexes in a value; a value that contains itself, because of other tests, is entered once."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict | list | tuple) and id(value) not in within:
        for each in list(value.values() if isinstance(value, dict) else value):
            yield from _patterns(each, within | {id(value)})


def calls_in_functions() -> Iterator[tuple[str, str, ast.Call]]:
    """The calls of `re` inside functions: the module's path, the function, the call."""
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                for call in ast.walk(function):
                    if (
                        isinstance(call, ast.Call)
                        and isinstance(call.func, ast.Attribute)
                        and isinstance(call.func.value, ast.Name)
                        and call.func.value.id == "re"
                        and call.func.attr != "escape"
                    ):
                        yield path.relative_to(PACKAGE).as_posix(), function.name, call


@pytest.mark.parametrize(
    "text", [r"(?:ab)*+", r"(a)++", r"(?:a|bc)?+", r"(?:a+){2,3}+", r"x(?:y(?>a))", r"(?=(?:ab)++)", r"(?(1)(?>a))()"]
)
def test_what_those_versions_get_wrong_is_recognised(text: str) -> None:
    assert risky(re.compile(text))


@pytest.mark.parametrize(
    "text", [r"a*+", r"[ab]++", r"(?:a|b)*+", r".?+", r"(?:[^a]*+a)*", r"\s{2,}+", r"[^a]++", r"(?i:a)[)]+"]
)
def test_a_possessive_quantifier_on_one_character_is_right_everywhere(text: str) -> None:
    assert not risky(re.compile(text))


def test_no_regex_of_the_package_needs_what_those_versions_get_wrong() -> None:
    patterns = compiled()
    assert len(patterns) > 100
    assert {name: risky(pattern) for name, pattern in patterns.items() if risky(pattern)} == {}


@pytest.mark.parametrize(("name", "text", "found"), MATCHES)
def test_a_regex_finds_the_same_under_every_python(name: str, text: str, found: list[str]) -> None:
    assert [match[0] for match in compiled()[name].finditer(text)] == found


def test_every_regex_with_a_possessive_quantifier_is_in_the_table() -> None:
    patterns = compiled()
    listed = {patterns[name].pattern for name, _, _ in MATCHES}
    possessive = {name for name, pattern in patterns.items() if "POSSESSIVE" in str(_parser.parse(pattern.pattern))}
    assert len(possessive) > 15
    assert sorted(name for name in possessive if patterns[name].pattern not in listed) == []


def test_no_regex_inside_a_function_needs_it_either() -> None:
    for module, function, call in calls_in_functions():
        text = call.args[0]
        if isinstance(text, ast.Constant):
            assert not risky(re.compile(text.value)), (module, function, text.value)
        elif not isinstance(text, ast.Name | ast.Attribute):
            assert BUILT.get(module) == function, f"{module}: {function} compiles what no test reads"


def test_the_regex_of_characters_that_split_words_does_not_need_it() -> None:
    assert not risky(words._splitting())


def test_the_regex_of_a_name_that_ends_in_signs_does_not_need_it() -> None:
    assert [risky(finder._whole(name)) for name in (b"c++", b"c#")] == [[], []]


@given(st.lists(st.sampled_from(["a", "*", "?", "[ab]", "[!a]", "**", "/", ".md", "{a,b*}"]), min_size=1, max_size=12))
def test_no_regex_made_of_a_glob_needs_it(pieces: list[str]) -> None:
    try:
        glob = globs.parse("".join(pieces), ignore_case=False)
    except vaulttools.VaultToolsError:
        return
    assert [risky(pattern) for pattern in (glob._path, glob._reach)] == [[], []]


@given(st.lists(st.sampled_from(["a", "*", "?", "[ab]", "[!a]", "**", "/", ".md", "\\*"]), min_size=1, max_size=12))
def test_no_regex_made_of_an_ignore_line_needs_it(pieces: list[str]) -> None:
    lines, _ = ignores.parse_lines("".join(pieces))
    for block in ignores._blocks(lines):
        assert [risky(pattern) for pattern in (block.names, block.paths) if pattern] in ([[]], [[], []])
