"""Embedding behind the calls, in a real process with a real server: each passage once, despite any interruption."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.meaning.conftest import Opened, meaning_of, status_of, wait_at_once
from tests.meaning.endpoints import Served
from vaulttools import Cancelled, Vault, VaultToolsError
from vaulttools.cli import index as cli_index
from vaulttools.meaning import background, embedders, process
from vaulttools.meaning.background import Progress
from vaulttools.meaning.embedders import NoMeaning
from vaulttools.meaning.store import VectorStore
from vaulttools.notes.passages import digest

NOTES = {
    "a.md": "# Pets\n\nA Cat and\na dog.\n",
    "b.md": "# Drinks\n\nTea.\n\n## Copy\n\n" + "Rain fell on the boat. " * 30,
    "deep/c.md": "",
}


@pytest.fixture
def opened(embedding: Opened) -> Opened:
    """Opens a vault whose passages the server embeds; a second call opens it again."""

    def made(files: Mapping[str, str | bytes] = NOTES, **fields: object) -> Vault:
        return embedding(files, **fields)

    return made


def kept(vault: Vault) -> list[int]:
    """The keys of the vectors that are kept."""
    main = meaning_of(vault).main
    fresh = VectorStore(main.store().path.parent, embedders.key_of(main.choice))
    return sorted(fresh.vectors().keys.tolist())


def test_every_passage_is_embedded_once_in_its_context(opened: Opened, served: Served) -> None:
    vault = opened({**NOTES, "deep/a.md": f"\n\n{NOTES['a.md'].upper()}"})
    progress: list[tuple[int, int]] = []
    assert vault.wait_for_meaning(on_progress=lambda done, total: progress.append((done, total)))
    assert progress[-1] == (4, 4)
    assert "a > pets\n# pets\n\na cat and\na dog." in map(str.lower, served.texts)
    assert len(served.texts) == len(set(served.texts)) == len(kept(vault))
    assert kept(vault) == sorted(map(digest, served.texts))
    status = status_of(vault)
    assert (status.embedder, status.version, status.progress) == ("m", served.address, Progress(4, 4))


def test_an_edit_embeds_only_what_it_changed_and_a_copy_nothing(opened: Opened, served: Served, tmp_path: Path) -> None:
    vault = opened()
    vault.wait_for_meaning()
    served.requests.clear()
    long = f"{NOTES['b.md']}\n## More\n\n{'Lead is heavy. ' * 40}\n"
    (tmp_path / "vault/b.md").write_text(long, encoding="utf-8")
    vault.wait_for_meaning()
    served.requests.clear()
    (tmp_path / "vault/b.md").write_text(f"{long}\n## New\n\nTea is hot.\n", encoding="utf-8")
    vault.wait_for_meaning()
    assert served.texts == ["b > Drinks > New\n## New\n\nTea is hot."]
    served.requests.clear()
    shutil.copy(tmp_path / "vault/b.md", tmp_path / "vault/deep/b.md")
    (tmp_path / "vault/a.md").rename(tmp_path / "vault/deep/a.md")
    vault.wait_for_meaning()
    assert served.texts == []


def test_new_names_and_properties_embed_the_passages_with_them(opened: Opened, served: Served, tmp_path: Path) -> None:
    long = "".join(f"# Part {number}\n\n{'Rain. ' * 80}\n\n" for number in range(3))
    vault = opened({"a.md": f"---\nstatus: new\n---\n{long}"})
    vault.wait_for_meaning()
    assert [text.split("#")[0] for text in served.texts] == [
        "a > Part 0\nstatus: new\n",
        *("a > Part 1\n", "a > Part 2\n"),
    ]
    served.requests.clear()
    (tmp_path / "vault/a.md").write_text(f"---\nstatus: old\n---\n{long}", encoding="utf-8")
    vault.wait_for_meaning()
    assert [text.split("#")[0] for text in served.texts] == ["a > Part 0\nstatus: old\n"]
    served.requests.clear()
    (tmp_path / "vault/a.md").rename(tmp_path / "vault/b.md")
    vault.wait_for_meaning()
    assert len(served.texts) == 3


def test_notes_with_windows_line_ends_are_covered(opened: Opened, served: Served) -> None:
    plain = "# Pets\n\nA cat and\na dog.\n\n" + "".join(
        f"## Part {number}\n\n{'Rain. ' * 80}\n\n" for number in range(3)
    )
    vault = opened({"a.md": plain.replace("\n", "\r\n")})
    assert vault.wait_for_meaning(timeout=60)
    keys = kept(vault)
    assert (len(keys), sorted(map(digest, served.texts))) == (4, keys)
    served.requests.clear()
    vault = opened({"a.md": plain})
    assert vault.wait_for_meaning(timeout=60)
    assert served.texts == []


def test_two_vaults_at_once_share_the_work(opened: Opened, served: Served) -> None:
    notes = {f"{number}.md": f"Cat {number}.\n" for number in range(100)}
    vaults = [opened(notes), opened(notes)]
    wait_at_once(vaults)
    assert len(kept(vaults[0])) == 100
    assert len(served.texts) == 100


@pytest.mark.skipif(os.name == "nt", reason="kills by signal")
def test_a_killed_process_resumes_its_work(opened: Opened, served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "AGAIN_SECONDS", 0.01)
    plain = process.EmbeddingProcess.ask
    asked: list[object] = []

    def killing(self: process.EmbeddingProcess, *message: object) -> object:
        asked.append(message)
        if len(asked) == 4:  # after two batches
            self.kill()
        return plain(self, *message)

    monkeypatch.setattr(process.EmbeddingProcess, "ask", killing)
    vault = opened({f"{number}.md": f"Cat {number}.\n" for number in range(200)})
    with pytest.raises(NoMeaning, match=r"^The process that embeds has ended \(SIGKILL\)$"):
        vault.wait_for_meaning()
    vault.wait_for_meaning()
    assert len(kept(vault)) == 200
    assert len(served.texts) == len(set(served.texts)) == 200


def test_nothing_of_excluded_hidden_or_protected_files_is_sent(opened: Opened, served: Served) -> None:
    vault = opened(
        {
            ".obsidian/app.json": '{"userIgnoreFilters": ["Private/", "/secret.*/"]}',
            ".obsidian/note.md": "Cat in a protected folder.",
            "Mine/note.md": "Cat in a folder of the configuration.",
            "Private/note.md": "Cat in an excluded folder.",
            "Other/secret dog.md": "Cat that a pattern excludes.",
            ".hidden/note.md": "Cat in a hidden folder.",
            "open.md": "Cat for everyone.",
            "picture.png": b"Cat\0",
        },
        protected=("Mine",),
        respect_excluded=False,
    )
    vault.wait_for_meaning()
    assert served.texts == ["open\nCat for everyone."]


def test_nothing_is_sent_while_the_exclusions_are_unknown(opened: Opened, served: Served) -> None:
    vault = opened({".obsidian/app.json": '{"userIgnoreFilters": ["/(unclosed/"]}', "a.md": "Cat."})
    with pytest.raises(VaultToolsError, match=r"^It is unknown which files are excluded, so nothing is sent"):
        vault.wait_for_meaning()
    assert served.texts == []


def test_a_server_that_is_down_is_reported_and_asked_again(
    opened: Opened, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.status = 503
    vault = opened()
    with pytest.raises(NoMeaning, match=f"^The embedder {served.address} answered with the status 503$"):
        vault.wait_for_meaning()
    served.status = 200
    assert vault.wait_for_meaning()


def test_vectors_of_removed_notes_are_forgotten_when_they_are_many(
    opened: Opened, served: Served, tmp_path: Path
) -> None:
    vault = opened({f"{number}.md": f"Cat {number}.\n" for number in range(20)})
    vault.wait_for_meaning()
    vault.close()
    for number in range(10):
        (tmp_path / f"vault/{number}.md").unlink()
    vault = opened({})
    vault.wait_for_meaning()
    assert len(kept(vault)) == 10


def test_waiting_ends_on_cancellation_on_timeout_and_when_the_vault_closes(opened: Opened, served: Served) -> None:
    served.is_hanging = True
    vault = opened()
    assert not vault.wait_for_meaning(timeout=0.2)
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        vault.wait_for_meaning(cancel=cancel)
    vault.close()


def test_the_command_builds_reports_and_clears_meaning(opened: Opened, served: Served) -> None:
    vault = opened()
    text, details, status = cli_index.run(["build", "--meaning"], vault)
    assert status == 0
    assert f"\nEmbedded 3 of 3 notes: {len(kept(vault))} passages, " in text
    assert details["meaning"]["passages"] == len(kept(vault))
    text, details, _ = cli_index.run(["status"], vault)
    assert "\nmeaning     3 of 3 notes: " in text
    assert text.endswith(f", by m {served.address}")
    vault.close()
    assert vault.clear_index()
    assert kept(opened()) == []


def test_a_missing_index_and_a_missing_extra_are_reported(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(VaultToolsError, match=r"^Meaning needs an index$"):
        opened(index="off").wait_for_meaning()
    with pytest.raises(VaultToolsError, match=r"^Meaning is off, by the configuration$"):
        opened(meaning="off").wait_for_meaning()
    with monkeypatch.context() as patch:
        patch.setenv(embedders.SWITCH, "off")
        with pytest.raises(VaultToolsError, match=r"^Meaning is off, by VAULTTOOLS_MEANING=off$"):
            opened().wait_for_meaning()
    monkeypatch.setattr(embedders, "_is_installed", lambda: False)
    sentence = r"^Meaning needs the extra: pip install '\.\[semantic\]' in the checkout$"
    with pytest.raises(VaultToolsError, match=sentence):
        opened(embedder=None).wait_for_meaning()
