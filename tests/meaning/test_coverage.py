"""The notes without vectors: looking at the changed notes gives the same answer as looking at all."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from vaulttools.index import passages
from vaulttools.index.layered import Layered
from vaulttools.index.snapshot import Mark, Snapshot
from vaulttools.meaning import coverage as module
from vaulttools.meaning import store as stores
from vaulttools.meaning.coverage import Coverage
from vaulttools.meaning.embedders import EmbedderKey
from vaulttools.meaning.store import VectorStore
from vaulttools.notes.note import Note

FORGOTTEN = 20
"""After more changes than this, the index cannot tell what changed."""
NAMES = st.sampled_from([f"{letter}.md" for letter in "abcdefgh"])
WORDS = ["cat", "dog", "lead", "tea", "boat", "rain"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=3).map("\n\n".join)


class Index(Snapshot):
    """An index of some notes; it has not read the present text of the stale ones."""

    def __init__(self) -> None:
        self.content: dict[str, str] = {}
        self.behind: set[str] = set()
        self.asked: set[str] = set()
        self.changes: list[str] = []

    def shown(self) -> Index:
        """What is known now."""
        now = Index()
        now.content, now.behind, now.asked = {**self.content}, {*self.behind}, self.asked
        now.changes = [*self.changes]
        return now

    def add(self, paths: Collection[str]) -> None:
        """Record that files changed."""
        self.changes += paths

    @property
    def mark(self) -> Mark:
        number = str(len(self.changes)).encode()
        return Mark(Layered({}, {"changes so far": number}), frozenset(self.behind), is_listed=True)

    def since(self, mark: Mark) -> set[str] | None:
        found = self.changes[int(mark.files.get("changes so far", b"") or 0) :]
        return None if len(found) > FORGOTTEN else {*found, *self.behind, *mark.uncertain}

    def changed(self) -> set[str]:
        return self.behind

    def lacking_words(self, files: Collection[str]) -> list[str]:
        return [path for path in files if path in self.behind or path not in self.content]

    def text_digests(self, files: Collection[str]) -> dict[str, bytes]:
        known = self.content.keys() - self.behind
        return {path: self.content[path].encode() or b"none" for path in files if path in known}

    def passages(self, notes: Sequence[str]) -> dict[str, bytes]:
        self.asked.update(notes)
        return {path: passages.dump(Note(path, self.content[path])) for path in self.text_digests(notes)}

    def lacking(self, store: VectorStore) -> dict[str, list[int]]:
        """The slow way: look at the passages of every note."""
        held = set(store.vectors().keys.tolist())
        found = {
            path: list(dict.fromkeys(passages.keys_of(data).keys))
            for path, data in self.passages(list(self.content)).items()
        }
        missing = {path: [each for each in digests if each not in held] for path, digests in found.items()}
        return {path: digests for path, digests in missing.items() if digests} | {path: [] for path in self.behind}


class Histories(RuleBasedStateMachine):
    """Edits, embeddings and losses of vectors in any order, with looks and questions between them."""

    def __init__(self) -> None:
        super().__init__()
        self.temporary = TemporaryDirectory()
        self.index = Index()
        self.notes: frozenset[str] = frozenset()
        self.begin()

    def begin(self) -> None:
        """Begin like a new process."""
        self.store = VectorStore(Path(self.temporary.name), EmbedderKey("m", "", ""))
        self.coverage = Coverage(lambda: self.store)
        self.looked: dict[str, list[int]] | None = None

    def settle(self) -> None:
        if self.notes != self.index.content.keys():
            self.notes = frozenset(self.index.content)

    @rule(path=NAMES, text=TEXTS, is_read=st.booleans())
    def edit(self, path: str, text: str, is_read: bool) -> None:
        self.index.content[path] = text
        self.index.add([path])
        (self.index.behind.discard if is_read else self.index.behind.add)(path)
        self.settle()

    @rule(path=NAMES)
    def delete(self, path: str) -> None:
        self.index.content.pop(path, None)
        self.index.behind.discard(path)
        self.index.add([path])
        self.settle()

    @rule()
    def read(self) -> None:
        self.index.add(self.index.behind)
        self.index.behind.clear()

    @rule(count=st.integers(1, 3))
    def embed(self, count: int) -> None:
        missing = sorted({each for digests in self.index.lacking(self.store).values() for each in digests})
        self.store.put([(digest, bytes(12)) for digest in missing[:count]])

    @rule()
    def look(self) -> None:
        lacking = {path: list(digests) for path, digests in self.look_now().items()}
        self.looked = self.index.lacking(self.store)
        assert lacking == self.looked

    def look_now(self) -> dict[str, Sequence[int]]:
        return dict(self.coverage.look(self.index.shown(), self.notes, lambda: False))

    @rule()
    def forget(self) -> None:
        self.store.keep_only(set(self.store.vectors().keys[::2].tolist()))

    @rule()
    def lose(self) -> None:
        stores.remove(self.store.path)

    @rule()
    def start_anew(self) -> None:
        self.begin()

    @precondition(lambda self: self.looked is not None)
    @invariant()
    def notes_that_lack_vectors_are_counted(self) -> None:
        assert self.looked is not None
        self.looked = None  # only the next look sees what is forgotten or embedded meanwhile
        assert self.coverage.waiting(self.notes) == len(self.index.lacking(self.store))
        assert self.coverage.changed(self.index.shown(), self.notes) == frozenset()

    def teardown(self) -> None:
        self.store.close()
        self.temporary.cleanup()


TestHistories = Histories.TestCase
TestHistories.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)


def embedded(folder: Path, texts: dict[str, str]) -> tuple[Index, Coverage, VectorStore]:
    """Notes that all have vectors."""
    index, store = Index(), VectorStore(folder, EmbedderKey("m", "", ""))
    index.content.update(texts)
    digests = {each for some in index.lacking(store).values() for each in some}
    store.put([(digest, np.zeros(12, np.uint8).tobytes()) for digest in digests])
    coverage = Coverage(lambda: store)
    assert coverage.look(index.shown(), frozenset(texts), lambda: False) == {}
    index.asked.clear()
    return index, coverage, store


def edit(index: Index, path: str, text: str) -> None:
    index.content[path] = text
    index.add([path])


MANY = {f"{number}.md": f"cat {number}" for number in range(300)}


def test_an_edit_looks_at_one_note(tmp_path: Path) -> None:
    index, coverage, _ = embedded(tmp_path, MANY)
    notes = frozenset(MANY)
    coverage.look(index.shown(), notes, lambda: False)
    index.asked.clear()
    edit(index, "7.md", "a dog")
    assert coverage.changed(index.shown(), notes) == {"7.md"}
    assert list(coverage.look(index.shown(), notes, lambda: False)) == ["7.md"]
    assert index.asked == {"7.md"}


def test_a_new_process_skips_notes_that_another_found_embedded(tmp_path: Path) -> None:
    index, _, store = embedded(tmp_path, MANY)
    store.put_progress(300, 300)
    coverage = Coverage(lambda: store)
    edit(index, "7.md", "a dog")
    assert coverage.waiting(frozenset(MANY)) is None
    assert coverage.changed(index.shown(), frozenset(MANY)) == {"7.md"}
    assert list(coverage.look(index.shown(), frozenset(MANY), lambda: False)) == ["7.md"]
    assert index.asked == {"7.md"}


def test_notes_that_the_index_has_not_read_count_as_changed(tmp_path: Path) -> None:
    index, coverage, _ = embedded(tmp_path, MANY)
    index.behind.update(MANY)
    assert coverage.changed(index.shown(), frozenset(MANY)) == frozenset(MANY)
    assert coverage.changed(index.shown(), frozenset(["3.md", "4.md"])) == {"3.md", "4.md"}
    index.add(MANY)
    index.behind.clear()
    assert coverage.changed(index.shown(), frozenset(MANY)) == frozenset()


def test_no_note_counts_as_changed_before_the_first_is_embedded(tmp_path: Path) -> None:
    index = Index()
    index.content.update(MANY)
    index.behind.update(MANY)
    store = VectorStore(tmp_path, EmbedderKey("m", "", ""))
    assert Coverage(lambda: store).changed(index.shown(), frozenset(MANY)) == frozenset()


def test_a_waiting_note_does_not_count_as_changed(tmp_path: Path) -> None:
    index, coverage, _ = embedded(tmp_path, MANY)
    notes = frozenset(MANY)
    for path in ("7.md", "8.md"):
        edit(index, path, "a dog")
    assert set(coverage.look(index.shown(), notes, lambda: False)) == {"7.md", "8.md"}
    assert (coverage.waiting(notes), coverage.waiting(frozenset(["8.md"]))) == (2, 1)
    assert coverage.changed(index.shown(), notes) == frozenset()
    coverage.embedded("7.md")
    assert coverage.waiting(notes) == 1


def test_a_copy_under_another_name_lacks_vectors(tmp_path: Path) -> None:
    index, coverage, _ = embedded(tmp_path, MANY)
    edit(index, "folder/7.md", MANY["7.md"])  # the same name in another folder: the same text is embedded
    edit(index, "new.md", MANY["7.md"])
    notes = frozenset(index.content)
    assert coverage.changed(index.shown(), notes) == {"new.md"}
    assert list(coverage.look(index.shown(), notes, lambda: False)) == ["new.md"]


def test_passages_are_not_looked_at_when_many_notes_changed(tmp_path: Path) -> None:
    index, coverage, _ = embedded(tmp_path, MANY)
    changed = {f"{number}.md" for number in range(module._LOOKED_AT + 1)}
    for path in changed:
        edit(index, path, MANY[path] + " ")
    assert coverage.changed(index.shown(), frozenset(MANY)) == changed
    assert index.asked == set()
