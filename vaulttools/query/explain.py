"""Explains a query in words, and syntax in it that belongs to other languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from vaulttools.core import render
from vaulttools.query import tree
from vaulttools.query.tree import Node

LINES: Final = 100
"""Most lines of an explanation, without the line that counts the rest; people read the first ten."""

TEXT_CHARACTERS: Final = 200
"""Characters of the text in one clause; the reader has the query itself."""

_INDENT = "  "

# Labels are Obsidian's where it has one (`en-GB.json` of obsidianmd/obsidian-translations, `plugins.search`).
_SCOPES: Final[dict[tree.Scope, str]] = {
    "file": "Match file name:",
    "path": "Match file path:",
    "content": "Match file content:",
    "line": "Match line:",
    "block": "Match block:",
    "section": "Match section:",
    "task": "Match task:",
    "task-todo": "Match task (todo):",
    "task-done": "Match task (done):",
}
_FACTS: Final[dict[tree.Fact, str]] = {
    "null": "Has no value",
    "EMPTY": "Is empty",
    "TRUE": "Is true",
    "FALSE": "Is false",
}

_NAMED: Final = re.compile(r"([^\W\d_][\w-]+):(?!//|:)(\S+)")
"""`status:active`: a name, a colon and a value without blanks; neither a URL nor an inline field, `due:: May`."""

_WORD: Final = re.compile(r"\S+")
_TAG: Final = re.compile(r"#(?!\d+$)[\w/-]+")
"""`#work`; `#12` is a number, not a tag."""
_PROPERTY: Final = re.compile(r"(?<!\S)\[[^\W\d_][^\]\[\s]*\](?!\S)")
"""`[status]`; neither `[ ]` of a task nor a link of any kind."""


def explain(node: Node) -> str:
    """Returns the tree in words, like Obsidian (rule-S44): at most `LINES` lines, and one that counts the rest."""
    lines = _lines(node, 0)
    shown = list(islice(lines, LINES))
    rest = sum(1 for _ in lines)
    return "\n".join(shown + [f"{render.ELLIPSIS} and {rest:,} more lines"] * bool(rest))


def _lines(node: Node, depth: int, clause: str = "") -> Iterator[str]:
    """Yields the clauses of a node; `clause` precedes the first. A node and its only part are one clause."""
    while isinstance(node, tree.Not | tree.Within | tree.Case):
        clause += _continued(_label(node), clause) + " "
        (node,) = tree.parts(node)
    clause += _continued(_label(node), clause)
    yield _INDENT * depth + clause
    if isinstance(node, tree.And | tree.Or):
        for part in node.parts:
            yield from _lines(part, depth + 1)
    elif isinstance(node, tree.PropertyNode):
        if not isinstance(node.name, tree.Term | tree.Phrase):
            yield from _lines(node.name, depth + 1, "Its name: ")
        if node.value:
            yield from _lines(node.value, depth + 1, "Its value: ")


def _label(node: Node) -> str:
    match node:
        case tree.Term(text):
            return f"Matches text: {_shown(text)}"
        case tree.Phrase(""):
            return "Any text"
        case tree.Phrase(text):
            return f"Contains exact text: {_shown(text)}"
        case tree.Regex(source):
            return f"Matches regex: /{_cut(source)}/"
        case tree.And():
            return "Match all of:"
        case tree.Or():
            return "Match any of:"
        case tree.Not():
            return "Excluding:"
        case tree.Within(scope):
            return _SCOPES[scope]
        case tree.Case(sensitive):
            return "Case sensitive:" if sensitive else "Case insensitive:"
        case tree.TagNode(name):
            return f"Match tag: #{_cut(name)}"
        case tree.PropertyNode(tree.Term(name) | tree.Phrase(name)):
            return f"Contains property: {_shown(name)}"
        case tree.PropertyNode():
            return "Contains property:"
        case tree.Compare(">", than):
            return f"Greater than: {_cut(than)}"
        case tree.Compare(_, than):
            return f"Less than: {_cut(than)}"
        case tree.Is(fact):
            return _FACTS[fact]


def _continued(label: str, before: str) -> str:
    """Returns a label as it reads after another one."""
    return label[0].lower() + label[1:] if before else label


def _shown(text: str) -> str:
    return f'"{_cut(text)}"'


def _cut(text: str) -> str:
    return render.visible(render.shortened(text, TEXT_CHARACTERS))


def foreign_in_query(node: Node) -> Iterator[str]:
    """Yields what syntax of other search languages means in a query of Obsidian's."""
    found = list(words(node))
    if "AND" in found:
        yield "AND was searched for as a word. Leave it out: all words are required anyway."
    if "NOT" in found:
        yield "NOT was searched for as a word. To exclude a word, write a hyphen right before it: -word."
    yield from _no_operators(found)


def foreign_in_question(question: str) -> Iterator[str]:
    """Yields what such syntax means in a question, without its operators; in one of capitals, AND and NOT are words."""
    question = question.encode("utf-8", "replace").decode()  # no half of a surrogate pair
    words = _WORD.findall(question)
    if not question.isupper():
        if "AND" in words:
            yield "AND has no meaning in mode ranked: any of the words is enough. Mode obsidian requires all of them."
        if "NOT" in words:
            yield "NOT has no meaning in mode ranked. To exclude a word, write a hyphen right before it: -word."
    yield from _no_operators(words)
    name = next(_PROPERTY.finditer(question), None)
    if name is not None:
        yield f"{name[0]} was searched for as words; mode obsidian finds the notes with the property."
    tag = next(filter(_TAG.fullmatch, words), None)
    if tag is not None:
        yield f"{tag} was searched for as a word; to find the notes with the tag, write tag:{tag}."


def _no_operators(words: list[str]) -> Iterator[str]:
    named = next(filter(None, map(_NAMED.fullmatch, words)), None)
    if named is not None:
        operators = ", ".join(f"{name}:" for name in ("tag", *tree.SCOPES))
        yield (
            f"{named[1]}: is no operator and was searched for as a word. Operators are {operators}; "
            f"a property is asked for as [{named[1]}:{named[2]}]."
        )


def words(node: Node) -> Iterator[str]:
    """Yields the words of a query that are in no quotation marks."""
    if isinstance(node, tree.Term):
        yield node.text
    for part in tree.parts(node):
        yield from words(part)
