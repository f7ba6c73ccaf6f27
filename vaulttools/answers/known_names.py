"""Collects the names of properties, values and tags that a question may name."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from vaulttools.answers import all_notes, usages
from vaulttools.call import Call
from vaulttools.core.folding.identity import identity
from vaulttools.notes.links.brackets import whole_link
from vaulttools.notes.period_words import plain
from vaulttools.notes.properties import numerals
from vaulttools.notes.tallies import PropertyCounts, TagCounts

MOST_WORDS: Final = 5
"""Words of the longest value or name to look for in a question: longer ones are texts, not names."""
_LONGEST: Final = 60
"""Characters of such a value."""
_OTHER_NAMES: Final = frozenset(("tags", "tag", "aliases", "alias", "cssclasses"))
"""Properties whose values are no words of a question for a list."""
_WORD: Final = re.compile(r"[^\W_]+")
_SIGN: Final = re.compile(r"[+#%*@<>≤≥=±~$€£°]|(?<!\w)[-−](?=\d)")
"""A sign that makes another value of the same words: `C++`, `5%`, -5. A question cannot name such a value exactly."""
_IDENTIFIER: Final = re.compile(r"[^\W\d]\w*")


class KnownNames(NamedTuple):
    """The names that a vault uses. A key is the stem of a word, or of several words with blanks between."""

    names: Mapping[str, str]
    """Properties; without those whose names have the same stems."""
    values: Mapping[str, Mapping[str, str]]
    """For each value its properties, with the expression that is true where one has the value in any spelling."""
    tags: Mapping[str, str]


def of(call: Call) -> KnownNames:
    """Returns the names that the notes use, but for excluded notes. It does not wait for the index."""
    scope = all_notes.scope_of(call)
    properties = all_notes.answered(call, usages.PROPERTIES, scope)
    return _made(properties.answer, all_notes.answered(call, usages.TAGS, scope).answer)


@lru_cache(maxsize=4)  # for the vaults of one process; recomputed if a property or a tag changes
def _made(properties: PropertyCounts, tags: TagCounts) -> KnownNames:
    names: dict[str, list[str]] = {}
    values: dict[str, dict[str, list[str]]] = {}
    for usage in properties.all:
        names.setdefault(stems(usage.name), []).append(usage.name)
        named = usage.name if _IDENTIFIER.fullmatch(usage.name) else f"note[{expression(usage.name)}]"
        before, after = (f"list({named}).contains(", ")") if "list" in usage.types else (f"{named} == ", "")
        for written, _ in () if identity(usage.name) in _OTHER_NAMES else usage.values:
            value = numerals.restored(json.loads(written))
            if not isinstance(value, str | int | float) or isinstance(value, bool):
                continue
            if len(str(value)) <= _LONGEST and not _SIGN.search(str(value)) and (key := stems(str(value))):
                spelled = values.setdefault(key, {}).setdefault(usage.name, [])
                spelled.append(f"{before}{expression(numerals.plain(value))}{after}")
    clear = {key: same[0] for key, same in names.items() if len(same) == 1}
    either = {key: {name: " || ".join(each) for name, each in held.items()} for key, held in values.items()}
    return KnownNames(clear, either, {stems(each.tag): each.tag for each in reversed(tags.all)})


def expression(value: str | float) -> str:
    """Returns a name or a value as expressions write it; a link as a link."""
    if isinstance(value, str) and (inner := whole_link(value)) is not None:
        return f"link({json.dumps(inner.partition('|')[0], ensure_ascii=False)})"
    return json.dumps(value, ensure_ascii=False)


def stems(text: str) -> str:
    """Returns the words of a text for comparison: `Lent_to` equals `[[Lent to]]`, and a plural its singular."""
    return " ".join(map(stem, _WORD.findall(text)))


def stem(word: str) -> str:
    """Returns a word without case, accents, and the `s` of a plural."""
    word = plain(word)
    if len(word) < 4 or not word.endswith("s") or word.endswith("ss"):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") and len(word) > 5 else word[:-1]
