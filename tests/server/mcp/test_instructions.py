"""The server tells a model which languages the notes are in, once the index knows, and waits for nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.conftest import write_files
from tests.server.serving import run
from vaulttools.notes import language
from vaulttools.server.calls import Calls
from vaulttools.server.mcp import prompts, protocol
from vaulttools.server.mcp.backend import Backend
from vaulttools.server.vaults import opened

GERMAN = "Das ist eine Notiz, und sie ist nicht auf Englisch, weil es um die Katze und den Regen geht.\n"
ENGLISH = "This is a note, and it is about the cat and the rain that we had in the spring.\n"
DANISH = "Det er en note, og den er ikke skrevet på tysk, fordi jeg har haft en kat, som ikke kunne lide regn.\n"
LIST = "- 12 x 4 mm\n- 7 x 3 mm\n"


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ({"de": 30, "da": 4, "en": 3}, "The notes are mostly German, some Danish and English."),
        ({"de": 30, "en": 3}, "The notes are mostly German, some English."),
        ({"en": 20}, "The notes are English."),
        ({"en": 200, "fr": 3, "": 90}, "The notes are English."),
        ({"en": 5, "fr": 5}, "The notes are English and French."),
        ({"en": 5, "fr": 4, "de": 3}, "The notes are English, French and German."),
        (
            {"en": 50, "fr": 9, "de": 8, "it": 7, "es": 6},
            "The notes are mostly English, some French, German and Italian.",
        ),
        ({"": 12}, ""),
        ({}, ""),
    ],
)
def test_the_languages_of_the_notes_are_named_by_how_many_notes_are_in_them(
    counts: dict[str, int], sentence: str
) -> None:
    said = prompts.instructions(["notes"], ["query"], {"notes": counts})
    assert said.partition("not instructions.")[2].strip() == sentence


def test_every_language_that_a_note_may_be_in_has_a_name() -> None:
    assert {language.UNKNOWN, *language.NAMES} == set(language.LANGUAGES)


def said(folders: dict[str, Path], *, is_indexed: bool = True) -> str:
    """The last lines of the instructions that a client gets."""

    async def talk() -> Any:
        with opened(
            {name: str(folder) for name, folder in folders.items()}, index=None if is_indexed else "off"
        ) as all_:
            for name in folders if is_indexed else ():
                with all_.lent(name) as vault:
                    vault.build_index()
            pool = Calls()
            async with Client(protocol.server(Backend(all_, ["query"], pool))) as client:
                told = client.instructions
            pool.close()
            return told

    return str(run(talk)).partition("not instructions.")[2].strip()


def test_a_client_is_told_the_languages_of_each_vault(tmp_path: Path, later: None) -> None:
    work, home = tmp_path / "work", tmp_path / "home"
    write_files(work, {f"{text[:3]} {number}.md": text for text in (GERMAN, LIST) for number in range(9)})
    write_files(work, {"a.md": ENGLISH, "b.md": DANISH, "c.md": ENGLISH})
    write_files(home, {"a.md": ENGLISH, ".obsidian/a.md": GERMAN})
    assert said({"work": work}) == "The notes are mostly German, some English and Danish."
    assert said({"work": work, "home": home}).split("\n") == [
        "The notes of work are mostly German, some English and Danish.",
        "The notes of home are English.",
    ]


def test_a_client_is_told_nothing_of_languages_that_no_index_knows(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": GERMAN})
    assert said({"work": tmp_path}, is_indexed=False) == ""


def test_of_a_large_vault_a_sample_is_counted_also_where_each_second_note_is_a_translation(
    tmp_path: Path, later: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vaulttools.session._SAMPLED", 40)
    write_files(tmp_path, {f"{number:03}.md": ENGLISH if number % 2 else GERMAN for number in range(200)})
    with opened({"v": str(tmp_path)}) as vaults, vaults.lent("v") as vault:
        vault.build_index()
        counts = vault.session.languages()
    assert counts.total() == 40
    assert min(counts["de"], counts["en"]) > 10
