"""A vault answers alike in every Unicode form, and names that differ by a mark stay apart."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.folding.scripts import WORDS
from tests.core.folding.test_identity import FORMS, respelled
from vaulttools import Vault
from vaulttools.core.folding.identity import composed, decomposed, identity
from vaulttools.core.work import Work
from vaulttools.matching import ripgrep

Spell = Callable[[str], str]

MARKED: Final = {
    "latin": "żółć", "greek": "άϊ", "cyrillic": "йё", "arabic": "أئ", "hebrew": "שׁב", "hangul": "한글", "kana": "ガパ",
    "han": "漢字", "thai": "น้ำ", "devanagari": "ड़ि", "bengali": "ড়ো", "georgian": "გ\u0301",
}  # fmt: skip
"""By script the beginning of a name that has several forms, where the script has such."""


def files(name: str, other: str) -> dict[str, str]:
    """Returns notes about a name, and about another one that differs from it by a mark."""
    return {
        f"{name}/{name}.md": f"---\n{name}: {name} x\ntags: [{name}]\naliases: [{name} too]\n---\n"
        f"# {name}\ntext\n## sub\n",
        f"{name}/from.md": f"[[{name}]] [[{name}#{name}]] [[{name} gone]] #{name}/in\n\nsays {name} here\n"
        f"- [ ] do {name} #{name}\n",
        f"{other}.md": f"---\n{other}: {other} x\ntags: [{other}]\n---\n# {other}\nsays {other} here\n"
        f"- [ ] do {other}\n",
    }


def questions(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Returns calls that ask for a name by each kind of filter."""
    yield "tags", {}
    yield "properties", {"name": name}
    for direction in ("out", "back", "mentions"):
        yield "links", {"note": name, "direction": direction}
    yield "links", {"direction": "unresolved"}
    yield "links", {"direction": "orphans"}
    yield "read", {"note": f"[[{name}#{name}]]"}
    yield "read", {"note": f"{name}/{name}.md", "heading": [name.upper()]}
    yield "outline", {"note": name}
    yield "find", {"paths": [f"{name}/*.md"]}
    yield "tasks", {"text": name}
    yield "tasks", {"tags": [name]}
    yield "tasks", {"folder": name}
    yield "search_files", {"pattern": "text|says", "tags": [name]}
    yield "search_files", {"pattern": "text|says", "file_pattern": f"{name}/**"}
    yield "base", {"where": f"file.hasTag({json.dumps(name)})"}
    yield "base", {"where": f"note[{json.dumps(name)}] == {json.dumps(f'{name} x')}"}
    yield "base", {"where": f"file.inFolder({json.dumps(name)})"}
    for query in (
        f"{name}",
        f'"{name}"',
        f"tag:#{name}",
        f'["{name}"]',
        f'["{name}":{name}]',
        f'file:"{name}"',
        f'path:"{name}"',
        f'section:("{name}" text)',
        f'line:(says "{name}")',
        f'task-todo:"{name}"',
        f"match-case:{name}",
    ):
        yield "query", {"query": query, "mode": "obsidian"}
    yield "query", {"query": "says", "tags": [name]}


def answers(vault: Vault, calls: Iterable[tuple[str, dict[str, Any]]]) -> list[list[str]]:
    """Returns the lines of each answer, in NFC and sorted: names in another form have another order. Numbers of
    characters are left out."""
    texts = (composed(vault.call(tool, arguments).text) for tool, arguments in calls)
    return [sorted(re.sub("[0-9]+ char", "char", text).splitlines()) for text in texts]


def written(folder: Path, name: str, other: str, spell: Spell) -> Path:
    for path, text in files(name, other).items():
        at = folder / spell(path)
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(spell(text), encoding="utf-8")
    return folder


@settings(max_examples=3, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("index", ["off", "on"])
def test_every_tool_answers_alike_in_every_form(index: str, data: st.DataObject) -> None:
    script = data.draw(st.sampled_from(tuple(MARKED)))
    name = composed(MARKED[script] + data.draw(WORDS[script]))
    other = decomposed(name)[0] + name[1:] if decomposed(name)[0] != name[0] else f"{name}\u0301"
    mixture = data.draw(FORMS)
    spellings: list[Spell] = [composed, decomposed, lambda text: respelled(text, mixture)]
    expected: list[list[str]] | None = None
    for number, spell in enumerate(spellings):
        with (
            TemporaryDirectory() as folder,
            Vault.open(written(Path(folder), name, other, spell), index="off" if index == "off" else None) as vault,
        ):
            if index == "on":
                vault.build_index()
            for asked in (composed, decomposed):
                found = answers(vault, questions(asked(name)))
                if expected is None:
                    expected = found
                assert found == expected, (number, script)


@given(script=st.sampled_from(tuple(MARKED)), data=st.data())
@settings(max_examples=5, deadline=None)
def test_names_that_differ_by_a_mark_stay_apart(script: str, data: st.DataObject) -> None:
    name = composed(data.draw(WORDS[script])[:3])
    other = name + "\u0301"
    assert identity(name) != identity(other)
    with (
        TemporaryDirectory() as folder,
        Vault.open(written(Path(folder), name, other, decomposed), index="off") as vault,
    ):
        for query in (f"tag:#{name}", f'["{name}"]', f'["{name}":"{name}"]', f'line:("says {name} here")'):
            notes = vault.query(query, mode="obsidian").notes
            assert notes and all(composed(note.path).startswith(f"{name}/") for note in notes), query
        assert vault.answer("links", {"note": other, "direction": "back"}).links == []
        assert {composed(link.source) for link in vault.links(name, direction="back").links} == {f"{name}/from.md"}
        assert {composed(each.source) for each in vault.links(name, direction="mentions").links} == {f"{name}/from.md"}


@given(script=st.sampled_from(tuple(MARKED)), data=st.data(), form=st.sampled_from([composed, decomposed]))
@settings(max_examples=5, deadline=None)
def test_a_search_by_pattern_finds_the_lines_of_ripgrep(script: str, data: st.DataObject, form: Spell) -> None:
    name = composed(MARKED[script] + data.draw(WORDS[script]))
    mixture = data.draw(FORMS)
    with (
        TemporaryDirectory() as folder,
        Vault.open(
            written(Path(folder), name, f"{name}\u0301", lambda text: respelled(text, mixture)), index="off"
        ) as vault,
    ):
        command = ripgrep.locate()
        pattern = command.compile(form(name), "regex", ignore_case=False)
        expected = 0
        for path in Path(folder).rglob("*.md"):
            hits, _ = command.hits_in_text(pattern, path.read_bytes(), Work())
            expected += len(hits)
        answer = vault.answer("grep", {"pattern": form(name)})
        assert answer.total_matches == expected


@pytest.mark.parametrize("tool", ["search_files", "grep", "search", "scout"])
@pytest.mark.parametrize("pattern", ["café", "caf\u00e9+s", "(?:caf)\u00e9?s"])
def test_a_search_by_pattern_names_the_notes_that_match_in_the_other_form(tool: str, pattern: str) -> None:
    files = {"a.md": "caf\u00e9s", "b.md": "cafe\u0301s", "c.md": "cafes"}
    with TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        with Vault.open(folder, index="off") as vault:
            text = vault.call(tool, _asking(tool, pattern)).text
            assert "1 more note matches in another Unicode form: b.md" in text
            assert "Unicode form" not in vault.call(tool, _asking(tool, "caf[\u00e9]")).text


def _asking(tool: str, pattern: str) -> dict[str, Any]:
    return {"query": pattern, "mode": "regex"} if tool == "scout" else {"pattern": pattern}
