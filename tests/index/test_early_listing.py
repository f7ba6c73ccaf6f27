"""A child lists a vault before its index is loaded, and finds what this process would find alone."""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.index.indexes import Indexed
from tests.index.test_tree import Story, state
from vaulttools.cli.main import main
from vaulttools.index import early_listing
from vaulttools.index.publisher import Publisher
from vaulttools.index.tree import Tree

RUN = [sys.executable, "-c", "from vaulttools.__main__ import run; run()"]

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no child is started")


@pytest.mark.parametrize("seed", range(3))
def test_a_tree_made_from_an_early_listing_is_the_tree(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    story, root = Story(tmp_path, rng, modes=False), Indexed(tmp_path).root
    for _ in range(20):
        for _ in range(rng.randrange(12)):
            story.step()
        sent = ((path, pickle.dumps(names)) for path, names in early_listing.listed(root.folder))
        listed = {path: pickle.loads(names) for path, names in sent}
        for folder in rng.sample(sorted(listed), rng.randrange(len(listed))):
            del listed[folder]  # as if the child had been killed before it listed this folder
        assert state(Tree(root, None, 100, listed=listed)) == state(Tree(root, None, 100))


def test_a_state_made_from_an_early_listing_knows_the_same_changes(indexed: Indexed) -> None:
    indexed.write({"a.md": "one", "b/c.md": "two", "gone.md": ""})
    store = indexed.open()
    assert indexed.update(store).finished
    indexed.write({"a.md": "more than one", "new.md": ""})
    (indexed.vault / "gone.md").unlink()
    alone = Publisher(indexed.root, store, None, max_bytes=1000)
    present = Publisher(indexed.root, store, None, 1000, lambda: dict(early_listing.listed(indexed.root.folder)))
    assert present.latest.stale == alone.latest.stale >= {"a.md", "new.md"}
    assert set(present.freshness.gone) == set(alone.freshness.gone) == {"gone.md"}
    indexed.write({"later.md": ""})
    present.catch_up()
    assert present.latest.stale == alone.latest.stale
    store.close()


CHILD = """
import os, sys, time
from vaulttools.index import early_listing
early_listing.begin(sys.argv[1])
[(child, _, _)] = early_listing._children
if sys.argv[2] == "end":
    early_listing.end()
else:
    if sys.argv[2] == "kill":
        os.kill(child, 9)
    found = early_listing.taken()
    assert sys.argv[2] == "kill" or found.keys() == {"", "b"}, found
assert not early_listing.is_begun(sys.argv[1])
try:
    os.waitpid(-1, 0)
except ChildProcessError:
    print("no child is left")
"""


@on_linux
@pytest.mark.parametrize("how", ["take", "kill", "end"])
def test_the_child_ends_with_the_command(tmp_path: Path, how: str) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / ".obsidian").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(tmp_path), how], capture_output=True, encoding="utf-8", check=False
    )
    assert (done.stdout, done.stderr) == ("no child is left\n", "")


@on_linux
def test_a_command_runs_in_a_process_that_ignores_its_children(small_vault: Path) -> None:
    """The kernel then reports no end of a child, and waiting for a child fails."""
    ignoring = (
        "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN); from vaulttools.__main__ import run; run()"
    )
    words = ["--vault", str(small_vault)]
    for command in (["query", "--bogus"], ["tags"], ["tags"]):  # the first does not ask the child
        expected = subprocess.run([*RUN, *words, *command], capture_output=True, env=os.environ, check=False)
        done = subprocess.run(
            [sys.executable, "-c", ignoring, *words, *command], capture_output=True, env=os.environ, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (expected.returncode, expected.stdout, expected.stderr)


@on_linux
def test_commands_see_every_change_before_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A call without an index, which reads all notes anew, gives the same answers."""
    rng = random.Random(0)
    vault = tmp_path / "vault"
    for number in range(30):
        _written(vault / f"{number % 3}/n{number}.md", rng)
    for _ in range(3):
        for command in (["tags"], ["links", "--direction", "orphans"], ["search-files", "tag[1-3] and"], ["grep", "4"]):
            words = ["--vault", str(vault), *command, "--json"]
            done = subprocess.run([*RUN, *words], stdout=subprocess.PIPE, encoding="utf-8", check=False, env=os.environ)
            status = main([*words, "--no-index"])
            assert (done.stdout, done.returncode) == (capsys.readouterr().out, status)
        for path in rng.sample(sorted(vault.rglob("*.md")), 5):
            path.unlink() if rng.random() < 0.5 else path.rename(path.with_name(f"moved {path.name}"))
        for path in [*rng.sample(sorted(vault.rglob("*.md")), 5), vault / f"new/{rng.random()}.md"]:
            _written(path, rng)


def _written(path: Path, rng: random.Random) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#tag{rng.randrange(5)} and [[n{rng.randrange(30)}]]\n", encoding="utf-8")
