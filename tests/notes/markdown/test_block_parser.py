"""The block parser finds the blocks that markdown-it finds, only faster."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from vaulttools.notes.markdown.block_parser import tokens
from vaulttools.notes.parts import Source

VAULT = Path(__file__).parents[3] / "fixtures" / "vault"

CONTAINERS = {f"{name}_{side}" for name in ("blockquote", "list_item", "table") for side in ("open", "close")}
LISTS = {"bullet_list_open", "ordered_list_open"}
LEAVES = {"paragraph_open", "heading_open", "inline", "fence", "code_block", "html_block", "hr"}


def by_markdown_it(text: str) -> list[Token]:
    plain = MarkdownIt("commonmark", {"maxNesting": 1_000}).enable("table").disable("reference")
    plain.core.ruler.enableOnly(["block"])
    return plain.parse(text)


def shapes(found: list[Token]) -> list[tuple[object, ...]]:
    """The parts of tokens that our code reads: no text of paragraphs, no closing tokens."""
    kept = [token for token in found if token.type in CONTAINERS | LISTS | LEAVES]
    return [
        (token.type, token.tag, token.level, token.map, token.content if before == "heading_open" else "")
        if token.type != "inline"
        else (token.map, token.content if before == "heading_open" else "")
        for before, token in zip(["", *(token.type for token in kept)], kept, strict=False)
        if (before, token.type) != ("paragraph_open", "inline")
    ]


def check(text: str) -> None:
    source = Source(text)
    assert shapes(tokens(source, 1)) == shapes(by_markdown_it(source.text))


PREFIXES = st.sampled_from(["", "", "", "> ", "- ", "  ", "    ", "\t", "1. "])
LINES = st.sampled_from(
    ["", "text", "# h", "#h", "## ", "- a", "-", "+", "* b", "1. c", "2) d", "10. e", "> q", ">", ">> r", "```", "~~~~",
     "    code", "|a|b|", "|-|-|", ":-", "-|-", "---", "- - -", "* * *", "___", "===", "=", "<div>", "</div>", "<!-- x",
     "-->", "<b>x", "[a]: b", "**b**", "_x_", "\u2028", "\r.", "  ", "\t", "\x00", "\\# x", "a|b"]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(PREFIXES, PREFIXES, LINES).map("".join), max_size=14), st.sampled_from(["", "\n", "\n "]))
def test_blocks_agree_with_markdown_it(lines: list[str], end: str) -> None:
    check("\n".join(lines) + end)


@settings(max_examples=100, deadline=None)
@given(st.text("#-*+>[] \t\n`~|:=<!1.)x\r", max_size=80))
def test_blocks_of_odd_text_agree_with_markdown_it(text: str) -> None:
    check(text)


@pytest.mark.parametrize("path", sorted(VAULT.rglob("*.md")), ids=lambda path: path.name)
def test_blocks_of_notes_agree_with_markdown_it(path: Path) -> None:
    check(path.read_bytes().decode("utf-8", "replace"))


def test_lines_count_from_the_top_of_the_text_wherever_reading_begins() -> None:
    assert [token.map for token in tokens(Source("---\na: 1\n---\n# b\n\nc\n"), 4)] == [[3, 4], [3, 4], [5, 6]]
