"""Looks for many texts in a text at once, in one pass."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable


class TextSet:
    """Texts to look for, as an automaton (Aho and Corasick): the number of texts does not matter to a search."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Build the automaton, in about 1 µs for each character."""
        self._next: list[dict[str, int]] = [{}]
        """By state: the state after a character."""
        self._ends = {0} if "" in (given := set(texts)) else set[int]()
        """The states in which a text ends."""
        for text in given:
            state = 0
            for character in text:
                state = self._next[state].setdefault(character, len(self._next))
                if state == len(self._next):
                    self._next.append({})
            self._ends.add(state)
        self._shorter = [0] * len(self._next)
        """By state: the state of the longest proper ending that is itself a beginning."""
        self._link()

    def _link(self) -> None:
        waiting = deque(self._next[0].values())
        while waiting:
            state = waiting.popleft()
            for character, after in self._next[state].items():
                waiting.append(after)
                self._shorter[after] = self._step(self._shorter[state], character)
                if self._shorter[after] in self._ends:
                    self._ends.add(after)

    def _step(self, state: int, character: str) -> int:
        while state and character not in self._next[state]:
            state = self._shorter[state]
        return self._next[state].get(character, 0)

    def is_in(self, text: str) -> bool:
        """Whether any of the texts is in a text."""
        state = 0
        ends = self._ends
        if state in ends:
            return True
        for character in text:
            state = self._step(state, character)
            if state in ends:
                return True
        return False
