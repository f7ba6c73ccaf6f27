"""Simple search over REST: its shortcuts change no answer, compared with a look at every note."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.conftest import MakeVault, write_files
from vaulttools import Vault
from vaulttools.call import Call
from vaulttools.core import paths
from vaulttools.core.work import Work
from vaulttools.files import content_caches
from vaulttools.matching import ripgrep
from vaulttools.server.rest import simple

NOTES = {
    f"{folder}{name}.md": f"{name} of it\nDamp and\u0085damp\n\U0001f680 the {'cellar ' * (number % 3)}\r\nthe end"
    * number
    for number, (folder, name) in enumerate(
        (folder, name) for folder in ("", "the/", "b/c/") for name in ("Damp", "the end", "Of", "plan", "e")
    )
}
NOTES["c/the plan.md"] = "cellar\0of it"  # binary: its name alone counts


@pytest.fixture(scope="module", params=[True, False], ids=["indexed", "scanned"])
def vault(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    folder = tmp_path_factory.mktemp("simple")
    write_files(folder / "vault", NOTES)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        with Vault.open(folder / "vault", index=None if request.param else "off") as opened:
            if request.param:
                opened.build_index()
            yield opened


@given(
    words=st.lists(st.sampled_from(["the", "of", "DAMP", "cellar", "e", "plan", "nowhere"]), min_size=1, max_size=4),
    few=st.sampled_from([0, 3, 1_000]),
    context=st.integers(0, 8),
)
@example(words=["nowhere", "the"], few=4, context=0)
@example(words=["cellar", "the"], few=0, context=0)
@settings(max_examples=25)
def test_words_are_found_as_by_a_look_at_every_note(vault: Vault, words: list[str], few: int, context: int) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(simple, "FEW", few)
        found = simple.search(Call(vault.session, Work()), " ".join(words), context)
    assert found == _plainly(words, context)


def test_a_warm_search_for_plain_words_starts_no_process(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content_caches, "is_racy", lambda key, read: False)
    vault = make_vault(NOTES)
    vault.build_index()
    with vault:
        expected = simple.search(Call(vault.session, Work()), "damp the", 4)
        monkeypatch.setattr(ripgrep, "Running", lambda command, *_: pytest.fail(f"started: {command}"))
        assert simple.search(Call(vault.session, Work()), "damp the", 4) == expected != []


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_word_is_found_in_the_other_unicode_form_and_its_end_is_where_it_ends(
    form: Literal["NFC", "NFD"], make_vault: MakeVault
) -> None:
    text = unicodedata.normalize(form, "to 학점인정 and Café.")
    with make_vault({"n.md": text}) as vault:
        for asked in ("NFC", "NFD"):
            for word in ("학점인정", "café."):
                [found] = simple.search(Call(vault.session, Work()), unicodedata.normalize(asked, word), 0)
                [match] = found["matches"]
                there = text[match["match"]["start"] : match["match"]["end"]]
                assert unicodedata.normalize("NFC", there.lower()) == word


def _plainly(words: list[str], context: int) -> list[dict[str, Any]]:
    """The answer, made of every note's text and name."""
    words = list(dict.fromkeys(words))
    found = []
    for path, text in NOTES.items():
        name = Path(path).stem
        text = "" if "\0" in text else text
        lines = [sum(word.lower() in line.lower() for line in text.split("\n")) for word in words]
        named = [word for word in words if word.lower() in name.lower()]
        if all(number or word in named for number, word in zip(lines, words, strict=True)):
            matches = [_match(name, name.lower().find(word.lower()), word, "filename", context) for word in named]
            places = sorted(place for word in words for place in _places(text, word))
            matches += [_match(text, start, word, "content", context) for start, _, word in places]
            found.append((path, len(named), sum(lines), matches))
    found.sort(key=lambda note: (-note[1], -note[2], paths.order(note[0])))
    return [
        {"filename": path, "score": named * 1_000 + lines, "matches": matches} for path, named, lines, matches in found
    ]


def _places(text: str, word: str) -> list[tuple[int, int, str]]:
    """The first place in each of the first matching lines, with its end."""
    found, begun = [], 0
    for line in text.split("\n"):
        place = line.lower().find(word.lower())
        if place >= 0:
            found.append((begun + place, begun + place + len(word), word))
        begun += len(line) + 1
    return found[: simple.MATCHES]


def _match(text: str, start: int, word: str, source: str, context: int) -> dict[str, Any]:
    end = start + len(word)
    units = [len(text[:place].encode("utf-16-le")) // 2 for place in (start, end)]
    return {
        "match": {"start": units[0], "end": units[1], "source": source},
        "context": text[max(0, start - context) : end + context],
    }
