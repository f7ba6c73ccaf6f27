"""What a test knows of an answer of `query`: which mode it is of."""

from __future__ import annotations

from vaulttools.tools.query import ObsidianAnswer, QueryAnswer, RankedAnswer


def ranked(answer: QueryAnswer) -> RankedAnswer:
    """The answer, which is one of mode ranked."""
    assert isinstance(answer, RankedAnswer)
    return answer


def matched(answer: QueryAnswer) -> ObsidianAnswer:
    """The answer, which is one of mode obsidian."""
    assert isinstance(answer, ObsidianAnswer)
    return answer
