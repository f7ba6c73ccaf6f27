"""Embedding by an encoder fitted to the vault, then by the model itself: fitted once, anew when the vault has changed
much, always alike."""

from __future__ import annotations

import random
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.answered import ranked
from tests.conftest import write_files
from tests.meaning.conftest import Installed, meaning_of, status_of
from vaulttools import Vault
from vaulttools.cli import index as cli_index
from vaulttools.index.snapshot import Snapshot
from vaulttools.meaning import background
from vaulttools.meaning.background import BackgroundMeaning
from vaulttools.meaning.embedders import NoMeaning, english
from vaulttools.meaning.process import SharedProcess
from vaulttools.meaning.store import VectorStore
from vaulttools.notes.passages import digest as digest_of

AfterPutOwn = Callable[[Callable[[VectorStore], None]], None]

WORDS = (
    *("cat", "dog", "lead", "tea", "boat", "rain", "roof", "tile", "house"),
    *("cost", "beam", "winter", "harbour", "metal", "kitchen", "sofa", "ferry", "bread"),
)


def text(seed: int) -> str:
    """The text of a note with words drawn from a seed."""
    chosen = random.Random(seed)
    return f"This is about {' and '.join(chosen.choices(WORDS, k=9))}, as of {seed}.\n"


def notes(count: int) -> dict[str, str]:
    return {f"Note {number}.md": text(number) for number in range(count)}


class Work:
    """The work that the process was asked for."""

    def __init__(self) -> None:
        self.samples: list[list[str]] = []
        self.encoded: list[str] = []
        """The passages that were sent to an encoder."""
        self.own: list[str] = []
        """The passages that were sent to the model itself, without the samples."""

    def clear(self) -> None:
        self.samples.clear()
        self.encoded.clear()
        self.own.clear()


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    done = Work()
    fitted, encoded = SharedProcess.fitted, SharedProcess.encoded

    def count_fitted(process: SharedProcess, sample: Sequence[str]) -> tuple[bytes, list[bytes | None]]:
        done.samples.append(list(sample))
        return fitted(process, sample)

    def count_encoded(process: SharedProcess, fit: bytes, texts: Sequence[str]) -> list[bytes | None]:
        (done.encoded if fit else done.own).extend(texts)
        return encoded(process, fit, texts)

    monkeypatch.setattr(SharedProcess, "fitted", count_fitted)
    monkeypatch.setattr(SharedProcess, "encoded", count_encoded)
    return done


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample of ten passages, and four passages at a time."""
    monkeypatch.setattr(background, "SAMPLE", 10)
    monkeypatch.setattr(background, "_SENT", 4)


@pytest.fixture
def after_put_own(monkeypatch: pytest.MonkeyPatch) -> AfterPutOwn:
    """Does something with the store whenever vectors of the model itself were stored."""
    put = VectorStore.put_own

    def does(after: Callable[[VectorStore], None]) -> None:
        def put_own(store: VectorStore, pairs: Sequence[tuple[int, bytes | None]]) -> None:
            put(store, pairs)
            after(store)

        monkeypatch.setattr(VectorStore, "put_own", put_own)

    return does


def main(vault: Vault) -> BackgroundMeaning:
    """The background work of the English model."""
    return meaning_of(vault).main


def waited(vault: Vault) -> Vault:
    """The vault, once all of it is embedded."""
    assert vault.wait_for_meaning(timeout=60)
    return vault


QUESTIONS = [
    "where is the cat",
    "a boat in the rain",
    "the cost of a roof",
    "bread and tea in winter",
    "something else",
]


def answers(vault: Vault) -> list[str]:
    return [vault.query(query=question, limit=5).text for question in QUESTIONS]


def test_an_encoder_is_fitted_once_and_encodes_every_passage_once(installed: Installed, work: Work) -> None:
    vault = waited(installed(notes(40)))
    assert len(work.samples) == 1
    assert sorted(work.encoded) == sorted(work.samples[0])
    assert len(work.encoded) == len(set(work.encoded)) == 40
    assert main(vault).store().fitted()[0] == 40
    vault.close()
    work.clear()
    waited(installed({}))
    assert (work.samples, work.encoded, work.own) == ([], [], [])


@pytest.mark.usefixtures("few")
def test_a_sample_has_a_maximum_of_passages(installed: Installed, work: Work) -> None:
    waited(installed(notes(40)))
    assert [len(sample) for sample in work.samples] == [10]
    assert len(work.encoded) == 40


@pytest.mark.usefixtures("few")
def test_the_model_itself_embeds_every_passage_in_the_end(installed: Installed, work: Work) -> None:
    vault = waited(installed(notes(40)))
    assert sorted(work.own + work.samples[0]) == sorted(work.encoded)
    itself = main(vault)
    assert itself.has_own()
    compared = itself.compared("where is the cat")
    assert compared is not None
    assert compared.is_own
    texts = {digest_of(text): text for text in work.encoded}
    exact, asked = itself.exact(texts, lambda: False), itself.asked("where is the cat")
    assert len(texts) == 40
    found = compared.near.similarities(list(texts))
    assert found == pytest.approx([float(exact[key] @ asked) for key in texts], abs=0.01)


@pytest.mark.usefixtures("few")
def test_the_encoders_vectors_stay_until_there_is_one_of_the_model_for_each_passage(
    installed: Installed, after_put_own: AfterPutOwn
) -> None:
    states: list[tuple[bool, int, int]] = []
    after_put_own(lambda store: states.append((store.is_own(), store.vectors().dimensions, len(store.lacking_own()))))
    vault = waited(installed(notes(40)))
    dimensions = states[0][1]
    assert states == [(False, dimensions, left) for left in (26, 22, 18, 14, 10, 6, 2, 0)]
    assert main(vault).store().vectors().dimensions != dimensions


def without_note_7(
    supply: background.Supply, path: str, wanted: AbstractSet[int], plain: Any = background._texts
) -> dict[int, str]:
    """As `background._texts` does if `Note 7.md` cannot be read."""
    texts: dict[int, str] = {} if path == "Note 7.md" else plain(supply, path, wanted)
    return texts


@pytest.mark.usefixtures("few")
def test_two_processes_do_not_replace_the_vectors_twice(installed: Installed) -> None:
    vault = waited(installed(notes(40)))
    store, supply = main(vault).store(), main(vault)._supply()
    assert supply is not None
    main(vault)._embed_own(supply)  # as by a process that had to wait for the other one
    assert (store.is_own(), store.fitted(), len(store.vectors())) == (True, (40, 40), 40)


@pytest.mark.usefixtures("few")
def test_the_encoders_vectors_stay_while_a_note_cannot_be_read(
    installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = installed(notes(40))
    itself = main(vault)
    itself._most_own = 10
    waited(vault)
    with monkeypatch.context() as patch:
        patch.setattr(background, "LOOK_SECONDS", 0.05)
        patch.setattr(background, "_texts", without_note_7)
        itself._most_own = 40
        waited(vault)
        assert (itself.has_own(), len(itself.store().lacking_own()), itself.is_ready()) == (False, 1, True)
    waited(vault)
    assert itself.has_own()


@pytest.mark.usefixtures("few")
def test_a_note_that_could_never_be_read_holds_up_nothing(
    installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds: list[BackgroundMeaning] = []
    embed = BackgroundMeaning._round

    def count_round(meaning: BackgroundMeaning) -> None:
        rounds.append(meaning)
        embed(meaning)

    monkeypatch.setattr(BackgroundMeaning, "_round", count_round)
    with monkeypatch.context() as patch:
        patch.setattr(background, "_texts", without_note_7)
        patch.setattr(background, "LOOK_SECONDS", 0.05)
        vault = waited(installed(notes(40)))
        assert (main(vault).has_own(), len(main(vault).store().vectors())) == (True, 39)
        patch.setattr(background, "LOOK_SECONDS", 60.0)
        rounds.clear()
        time.sleep(0.5)
        assert len(rounds) <= 2
    waited(vault)
    assert len(main(vault).store().vectors()) == 40


@pytest.mark.usefixtures("few")
def test_a_vault_that_shrinks_stays_ready(installed: Installed, tmp_path: Path) -> None:
    vault = installed(notes(40))
    main(vault)._most_own = 10
    waited(vault)
    for number in range(10):
        (tmp_path / f"vault/Note {number}.md").unlink()
    main(vault)._most_own = 40
    waited(vault)
    assert (main(vault).has_own(), main(vault).is_ready()) == (True, True)
    for number in range(10, 25):
        (tmp_path / f"vault/Note {number}.md").unlink()
    vault.close()
    vault = waited(installed({}))
    assert (main(vault).store().fitted(), main(vault).is_ready()) == ((15, 15), True)


@pytest.mark.usefixtures("few")
def test_an_edit_is_embedded_before_the_rest_by_the_model(
    installed: Installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after_put_own: AfterPutOwn
) -> None:
    monkeypatch.setattr(background, "_OWN_SECONDS", 0.0)
    put = VectorStore.put
    left: list[int] = []

    def edit(store: VectorStore) -> None:
        left.append(len(store.lacking_own()))
        if len(left) == 2:
            write_files(tmp_path / "vault", {"New.md": text(777)})
            vault.build_index()

    def look(store: VectorStore, pairs: Sequence[tuple[int, bytes | None]]) -> None:
        put(store, pairs)
        left.append(-len(pairs))

    vault = installed(notes(40))
    after_put_own(edit)
    monkeypatch.setattr(VectorStore, "put", look)
    waited(vault)
    assert left[:4] == [-40, 26, -1, 23]


@pytest.mark.usefixtures("few")
def test_the_encoder_goes_on_answering_where_the_model_fails(
    installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded = SharedProcess.encoded

    def failing(process: SharedProcess, fit: bytes, texts: Sequence[str]) -> list[bytes | None]:
        if not fit:
            raise NoMeaning("The process that embeds has ended (SIGKILL)")
        return encoded(process, fit, texts)

    monkeypatch.setattr(SharedProcess, "encoded", failing)
    vault = waited(installed(notes(40)))
    answer = ranked(vault.query(query="where is the cat"))
    assert (answer.by_words_alone, main(vault).has_own()) == (0, False)
    assert not any("SIGKILL" in notice for notice in answer.notices)


@pytest.mark.usefixtures("few")
def test_a_vault_that_outgrows_the_model_gets_an_encoder(installed: Installed, tmp_path: Path) -> None:
    vault = installed(notes(20))
    main(vault)._most_own = 30
    assert main(waited(vault)).has_own()
    for count in (30, 33, 36):
        write_files(tmp_path / "vault", notes(count))
        assert main(waited(vault)).has_own() == (count <= 33)


def test_a_question_asked_while_vectors_are_replaced_is_compared_with_one_kind_of_them(
    installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = installed(notes(40))
    itself = main(vault)
    itself._most_own = 10
    waited(vault)
    store, plain = itself.store(), BackgroundMeaning.asked

    def asked(meaning: BackgroundMeaning, question: str) -> NDArray[np.float32]:
        if not store.is_own():
            store.replace_by_own()
        return plain(meaning, question)

    monkeypatch.setattr(BackgroundMeaning, "asked", asked)
    compared = itself.compared("where is the cat")
    assert compared is not None
    assert compared.is_own
    assert len(compared.near.nearest(100)) == 40


@pytest.mark.usefixtures("few")
def test_a_large_vault_keeps_the_encoders_vectors(installed: Installed, work: Work) -> None:
    vault = installed(notes(40))
    main(vault)._most_own = 39
    waited(vault)
    assert not main(vault).has_own()
    assert work.own == []
    assert status_of(vault).waiting_for_own == 0


@pytest.mark.usefixtures("few")
def test_passages_embedded_by_the_model_are_not_embedded_again_after_a_stop(
    installed: Installed, work: Work, after_put_own: AfterPutOwn
) -> None:
    vault = installed(notes(40))
    after_put_own(lambda store: main(vault).end() if len(store.lacking_own()) < 20 else None)
    assert not vault.wait_for_meaning(timeout=60)
    assert status_of(vault).waiting_for_own == 18
    text, _, _ = cli_index.run(["status"], vault)
    assert "\nmeaning     40 of 40 notes: 40 passages (18 not yet by the model itself), " in text
    assert ranked(vault.query(query="where is the cat")).by_words_alone == 0
    vault.close()
    waited(installed({}))
    assert len(work.own) == len(set(work.own)) == 30


@pytest.mark.parametrize("is_small", [True, False])
def test_an_edit_encodes_only_what_it_changed(
    installed: Installed, work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_small: bool
) -> None:
    monkeypatch.setattr(background, "SAMPLE", 40 if is_small else 10)
    vault = waited(installed(notes(40)))
    assert main(vault).has_own() != is_small
    work.clear()
    write_files(tmp_path / "vault", {"Note 3.md": text(103), "New.md": text(104)})
    (tmp_path / "vault/Note 5.md").unlink()
    (tmp_path / "vault/sub").mkdir()
    (tmp_path / "vault/Note 6.md").rename(tmp_path / "vault/sub/Note 6.md")
    waited(vault)
    changed = [f"New\n{text(104).strip()}", f"Note 3\n{text(103).strip()}"]
    assert (work.samples, sorted(work.encoded + work.own)) == ([], changed)
    assert bool(work.encoded) == is_small


def test_an_encoder_is_fitted_anew_when_a_tenth_of_a_large_vault_has_changed(
    installed: Installed, work: Work, tmp_path: Path
) -> None:
    vault = installed(notes(40))
    main(vault)._most_own = 10
    waited(vault)
    work.clear()
    for number in range(4):
        write_files(tmp_path / "vault", {f"Note {number}.md": text(100 + number)})
    waited(vault)
    assert work.samples == []
    write_files(tmp_path / "vault", {"Note 9.md": text(109)})
    waited(vault)
    assert len(work.samples) <= 1
    write_files(tmp_path / "vault", {"Note 10.md": text(110)})
    waited(vault)
    assert [len(sample) for sample in work.samples] == [40]
    assert main(vault).store().fitted()[0] == 40


def test_an_encoder_is_fitted_anew_when_the_vault_grows_at_once(
    installed: Installed, work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "_FEW", 50)
    monkeypatch.setattr(background, "SAMPLE", 20)
    vault = waited(installed(notes(10)))
    write_files(tmp_path / "vault", notes(100))
    waited(vault)
    assert [len(sample) for sample in work.samples] == [10, 20]
    assert len(work.own) == len(set(work.own)) <= 90  # the vectors of the first ten passages were kept
    assert main(vault).has_own()


def test_nothing_is_fitted_while_the_index_knows_few_notes(
    installed: Installed, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = installed(notes(20))
    with monkeypatch.context() as patch:
        patch.setattr(Snapshot, "lacking_words", lambda view, files: list(files)[:2])
        assert not vault.wait_for_meaning(timeout=0.5)
        assert work.samples == []
    waited(vault)
    assert [len(sample) for sample in work.samples] == [20]


def test_a_rebuild_gives_the_same_encoder_vectors_and_answers(installed: Installed, tmp_path: Path) -> None:
    def made() -> tuple[bytes | None, list[tuple[int, float]], list[str]]:
        with installed(notes(30)) as vault:
            compared = main(waited(vault)).compared("where is the cat")
            assert compared is not None
            keys = compared.near.nearest(30)
            found = zip(keys, compared.near.similarities(keys).tolist(), strict=True)
            return main(vault).store().fit(), sorted(found), answers(vault)

    before = made()
    shutil.rmtree(tmp_path / "index")
    assert made() == before


@pytest.mark.parametrize("seed", range(3))
def test_edits_and_a_new_fit_give_the_answers_of_a_fresh_build(installed: Installed, tmp_path: Path, seed: int) -> None:
    chosen = random.Random(seed)
    vault = waited(installed(notes(30)))
    for step in range(4):
        number = chosen.randrange(30)
        place = tmp_path / f"vault/Note {number}.md"
        if chosen.random() < 0.3 and place.exists():
            place.rename(tmp_path / f"vault/Moved {step} {number}.md")
        else:
            write_files(tmp_path / "vault", {f"Note {number}.md": text(chosen.randrange(1_000, 2_000))})
        waited(vault)
    many = {f"Note {number}.md": text(chosen.randrange(3_000, 4_000)) for number in range(12)}
    write_files(tmp_path / "vault", many)
    waited(vault)
    edited = answers(vault)
    vault.close()
    shutil.rmtree(tmp_path / "index")
    assert answers(waited(installed({}))) == edited


def test_a_copy_of_the_vault_in_its_own_folder_does_not_hold_up_meaning(installed: Installed) -> None:
    plain = {f"Folder/{path}": content for path, content in notes(20).items()}
    copies = {f"Backup/{path}": content for path, content in notes(20).items()}
    vault = waited(installed({**plain, **copies}))
    assert main(vault).is_ready()


@pytest.mark.parametrize(
    "others",
    [
        {f"Picture {number}.md": b"\0binary" * 20 for number in range(10)},
        {f"Empty {number}.md": "" for number in range(10)},
        {f"Properties {number}.md": "---\nstatus: new\n---\n" for number in range(10)},
        {f"Broken {number}.pdf": b"%PDF-1.4 broken" for number in range(10)},
        {f"Large {number}.md": "large " * 400_000 for number in range(3)},
        {f"Windows {number}.md": text(500 + number).replace(" and", "\r\n\r\nand") for number in range(10)},
    ],
    ids=["binary", "empty", "properties", "attachments", "large", "Windows"],
)
def test_files_without_usable_text_hold_up_nothing(
    others: Mapping[str, str | bytes], installed: Installed, work: Work
) -> None:
    vault = installed({**notes(10), **others})
    assert vault.wait_for_meaning(timeout=30)
    assert {text.partition("\n")[0] for text in work.encoded} >= {path.removesuffix(".md") for path in notes(10)}
    assert not any("Meaning:" in notice for notice in vault.query(query="where is the cat").notices)


def test_a_damaged_encoder_is_made_anew(installed: Installed, work: Work) -> None:
    vault = waited(installed(notes(20)))
    path = main(vault).store().path
    vault.close()
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("UPDATE meta SET value = substr(value, 1, 500) WHERE name = 'fit'")
    work.clear()
    vault = installed({})
    assert ranked(vault.query(query="where is the cat and the dog")).notes
    assert vault.wait_for_meaning(timeout=30)
    assert len(work.samples) == 1
    assert ranked(vault.query(query="where is the cat and the dog")).by_words_alone == 0


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The passages that the model itself embeds in this process."""
    found: list[str] = []
    plain = english.Model.embed_passages

    def embed(model: english.Model, texts: Sequence[str]) -> NDArray[np.float32]:
        found.extend(texts)
        return plain(model, texts)

    monkeypatch.setattr(english.Model, "embed_passages", embed)
    return found


@pytest.mark.usefixtures("few")
def test_the_model_itself_embeds_each_promising_passage_once(installed: Installed, embedded: list[str]) -> None:
    vault = installed(notes(20))
    main(vault)._most_own = 10
    waited(vault)
    first = vault.query(query="where is the cat and the dog")
    assert 0 < len(embedded) <= 16
    assert vault.query(query="where is the cat and the dog").text == first.text
    assert len(set(embedded)) == len(embedded)


def test_a_question_embeds_no_passage_that_the_model_has_embedded(installed: Installed, embedded: list[str]) -> None:
    vault = waited(installed(notes(20)))
    assert vault.query(query="where is the cat and the dog").notes
    assert embedded == []


def test_both_models_answer_a_question_that_needs_both(installed: Installed) -> None:
    german = {
        f"Notiz {number}.md": f"Das ist eine Notiz und sie ist auf Deutsch, weil es um {word} geht.\n"
        for number, word in enumerate(["Katzen", "Regen", "Schiffe", "Brot"])
    }
    vault = waited(installed({**notes(20), **german}))
    found = ranked(vault.query(query="wo steht etwas über Schiffe und wer hat das geschrieben"))
    assert found.notes[0].path == "Notiz 2.md"
    assert found.by_words_alone == 0
