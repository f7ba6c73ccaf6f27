"""Callouts: rule-K01 and rule-K02."""

from __future__ import annotations

import pytest

from vaulttools.notes.markdown.callouts import Callout
from vaulttools.notes.markdown.structure import parse


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("> [!note] Title\n> text\n\nend", [Callout("note", "", "Title", 1, 2)]),
        ("> [!TIP]", [Callout("tip", "", "", 1, 1)]),
        (">[!my type]- T", [Callout("my type", "-", "T", 1, 1)]),
        ("> [!faq]+ Fold me", [Callout("faq", "+", "Fold me", 1, 1)]),
        ("> [!info|wide] T", [Callout("info", "", "T", 1, 1)]),
        ("> [!a] b\n> > [!c]\n> > d\n> e", [Callout("a", "", "b", 1, 4), Callout("c", "", "", 2, 4)]),
        ("> > [!c] d", [Callout("c", "", "d", 1, 1)]),
        ("- a\n  > [!b] c\n  > d\n- e", [Callout("b", "", "c", 2, 3)]),
        ("- > [!b] c > d", [Callout("b", "", "c > d", 1, 1)]),
        ("> a\n> [!b]", []),
        ("> a [!b]", []),
        ("> []", []),
        ("> [!]", []),
        ("[!note]", []),
        ("```\n> [!a]\n```", []),
        ("    > [!a]", []),
    ],
)
def test_rule_K01_what_is_a_callout(body: str, found: list[Callout]) -> None:
    assert list(parse(body).callouts) == found


@pytest.mark.parametrize(
    ("kinds", "style"),
    [
        ("note unknown my-type", "note"),
        ("abstract summary tldr", "abstract"),
        ("info", "info"),
        ("todo", "todo"),
        ("tip hint important", "tip"),
        ("success check done", "success"),
        ("question help faq", "question"),
        ("warning caution attention", "warning"),
        ("failure fail missing", "failure"),
        ("danger error", "danger"),
        ("bug", "bug"),
        ("example", "example"),
        ("quote cite", "quote"),
    ],
)
def test_rule_K02_the_aliases_of_types(kinds: str, style: str) -> None:
    assert {parse(f"> [!{kind.upper()}]").callouts[0].style for kind in kinds.split()} == {style}
