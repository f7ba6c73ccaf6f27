"""The examples of Obsidian's Search page run as written: each is explained, and finds the notes it should."""

from __future__ import annotations

import re

import pytest

from tests.conftest import MakeVault
from tests.corpus import OBSIDIAN_HELP, corpus_archive
from tests.query.examples import EXAMPLES, PAGE, VAULT, Example
from vaulttools.query.language import parse, spelled

# Code on the page that is no query: the parts of a query that the text explains, keys, signs.
NO_QUERIES = {
    *("Ctrl+Shift+F", "Command+Shift+F", "path", "file", "\\", "-", "<", ">", '""', "[]", "x", "-line", "Name"),
    *("meeting", "work", "meetup", "personal", "aliases", "status", "null", "aliases: ", "OR", "Draft"),
    *("file:", "path:", "content:", "match-case:", "ignore-case:", "tag:", "line:", "block:", "section:", "task:"),
    *("task-todo:", "task-done:", "#myjob/work", "query", "/", "Published"),
}


def test_every_example_finds_its_files_and_no_others(make_vault: MakeVault) -> None:
    vault = make_vault(VAULT)
    for example in EXAMPLES:
        answer = vault.query(example.query, mode="obsidian", limit=100)
        names = sorted(note.path.removesuffix(".md") for note in answer.notes)
        assert (example.query, ", ".join(names)) == (example.query, example.files)
        assert answer.complete
        assert 0 < len(names) < len(VAULT)


@pytest.mark.scan_only
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.query)
def test_every_example_is_explained_and_written_back(example: Example, make_vault: MakeVault) -> None:
    assert parse(spelled(parse(example.query))) == parse(example.query)
    answer = make_vault({}).query(example.query, mode="obsidian", explain=True)
    assert answer.explanation == example.explanation
    assert answer.text.startswith(f"Understood as:\n{example.explanation}\n\n")


@pytest.mark.scan_only
@pytest.mark.skipif(not OBSIDIAN_HELP.is_file(), reason=f"no corpus at {OBSIDIAN_HELP}")
def test_the_examples_are_all_those_of_the_page() -> None:
    with corpus_archive(OBSIDIAN_HELP) as archive:
        member = next(member for member in archive if member.name.removeprefix("./").endswith(PAGE))
        file = archive.extractfile(member)
        assert file is not None
        text = file.read().decode()
    written = set(re.findall(r"`([^`\n]+)`", text)) | set(re.findall(r"^```query\n(.*)\n```$", text, re.MULTILINE))
    assert written == NO_QUERIES | {example.query for example in EXAMPLES}
