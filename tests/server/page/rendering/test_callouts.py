"""Callouts: rule-K01 and rule-K02."""

from __future__ import annotations

import pytest

from vaulttools.server.page.rendering.blocks import Callout, callout


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("[!note] Title", Callout("note", "", "Title")),
        (" [!TIP]", Callout("tip", "", "")),
        ("[!my type]- T", Callout("my type", "-", "T")),
        ("[!faq]+ Fold me", Callout("faq", "+", "Fold me")),
        ("[!info|wide] T", Callout("info", "", "T")),
        ("[!b] c > d", Callout("b", "", "c > d")),
        ("a [!b]", None),
        ("[]", None),
        ("[!]", None),
    ],
)
def test_rule_K01_what_is_a_callout(line: str, found: Callout | None) -> None:
    assert callout(line) == found


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
    assert {found.style for kind in kinds.split() if (found := callout(f"[!{kind.upper()}]"))} == {style}
