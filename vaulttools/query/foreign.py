"""Recognises syntax of other search languages, and says what it means here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from vaulttools.query import tree
from vaulttools.query.tree import SCOPES, Node, Term

_NAMED: Final = re.compile(r"([^\W\d_][\w-]+):(?!//|:)(\S+)")
"""`status:active`: a name, a colon and a value without a blank; neither a URL nor an inline field, `due:: May`."""

_WORD: Final = re.compile(r"\S+")
_TAG: Final = re.compile(r"#(?!\d+$)[\w/-]+")
"""`#work`; `#12` is the number of something."""
_PROPERTY: Final = re.compile(r"(?<!\S)\[[^\W\d_][^\]\[\s]*\](?!\S)")
"""`[status]`; not `[ ]` of a task, nor a link of any kind."""


def in_query(node: Node) -> Iterator[str]:
    """Of a query in Obsidian's language."""
    words = list(_words(node))
    if "AND" in words:
        yield "AND was searched for as a word. Leave it out: all words are required anyway."
    if "NOT" in words:
        yield "NOT was searched for as a word. To exclude a word, write a hyphen right before it: -word."
    yield from _no_operators(words)


def in_question(question: str) -> Iterator[str]:
    """Of a question without its operators. In one that is all capitals no word is taken for an operator."""
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
        operators = ", ".join(f"{name}:" for name in ("tag", *SCOPES))
        yield (
            f"{named[1]}: is no operator and was searched for as a word. Operators are {operators}; "
            f"a property is asked for as [{named[1]}:{named[2]}]."
        )


def _words(node: Node) -> Iterator[str]:
    if isinstance(node, Term):
        yield node.text
    for part in tree.parts(node):
        yield from _words(part)
