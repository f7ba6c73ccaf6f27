"""What an answer says was passed over, by kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vaulttools.answers.answer import Answer


def counts(answer: Answer) -> dict[str, int]:
    """How many were passed over, by kind."""
    return {each.kind: each.count for each in answer.passed_over}


def examples(answer: Answer | Mapping[str, Any]) -> dict[str, list[str]]:
    """The first paths of each kind, of an answer or of its details."""
    if isinstance(answer, Answer):
        return {each.kind: each.examples for each in answer.passed_over}
    return {each["kind"]: each["examples"] for each in answer["passed_over"]}
