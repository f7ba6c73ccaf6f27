"""`query` against brute force: every file parsed anew and put to the query, by rules written down a second time."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import example, given
from hypothesis import strategies as st

from tests.tools.stories import BLOCKS, LINES
from vaulttools import Vault
from vaulttools.core.folding.identity import identity
from vaulttools.notes.canvas import cards
from vaulttools.notes.note import Note
from vaulttools.query import tree
from vaulttools.query.language import parse, spelled
from vaulttools.query.plan import looks_at_any_file
from vaulttools.query.tree import Node, both, either, negated

PATHS = ["a.md", "Work/b.md", "work/é.md", "x/a b.md", "B.canvas", "x/c.base", "p.png", "x/work.pdf", ".h.md"]

WORDS = ["work", "a", "one", "ÉCOLE", "éc", "WOR", "here", "b", "zz", "mix", "x/y", "#work", "- [ ]", "an", "東", "京"]
TEXT = [
    *LINES,
    "- [ ] work here",
    "- [x] one\n  mix a",
    "> [!tip] work\n> one",
    "# Work\none",
    "## one two",
    "mix\none work",
    "東京で work",
]

Value = object


class Brute:
    """One file, read without an index, and whether it answers."""

    def __init__(self, path: str, source: str | None) -> None:
        self.path = path
        self.sheets: list[Note] = []
        if path.endswith(".md") and source is not None:
            self.sheets = [Note(path, source.replace("\r\n", "\n"))]
        elif path.endswith(".canvas") and source is not None:
            self.sheets = [Note("", card.text.replace("\r\n", "\n")) for card in cards(source)]
        self.has_text = path.endswith((".md", ".canvas")) and source is not None
        self.note = self.sheets[0] if path.endswith(".md") and self.sheets else None

    def answers(self, node: Node, sensitive: bool) -> bool:
        if not self.holds(node, sensitive, None):
            return False
        return self.has_text or self.is_named(node, sensitive)

    def is_named(self, node: Node, sensitive: bool) -> bool:
        """Whether a name is what was asked for."""
        match node:
            case tree.And(parts) | tree.Or(parts):
                return any(self.is_named(part, sensitive) for part in parts)
            case tree.Case(other, part):
                return self.is_named(part, other)
            case tree.Within("content", part):
                return False
            case tree.Within("file" | "path") | tree.Term() | tree.Phrase() | tree.Regex():
                return self.holds(node, sensitive, None)
            case _:
                return False

    def holds(self, node: Node, sensitive: bool, unit: Unit | None, named: bool = True) -> bool:
        match node:
            case tree.And() | tree.Or() | tree.Not() | tree.Case():
                return combined(node, sensitive, lambda part, sensitive: self.holds(part, sensitive, unit, named))
            case tree.Within("file", part):
                return in_text(part, os.path.basename(self.path), sensitive)
            case tree.Within("path", part):
                return in_text(part, self.path, sensitive)
            case tree.Within("content", part):
                return self.holds(part, sensitive, unit, False)
            case tree.Within(scope, part):
                return any(self.holds(part, sensitive, smaller, False) for smaller in self.units(scope, unit))
            case tree.TagNode(name):
                if self.note is None:  # a canvas has none (rule-S20, rule-S31)
                    return False
                wanted = identity(name.rstrip("/"))
                tags = [(tag.name, tag.line) for tag in self.note.structure.tags]
                written = [tag for tag, line in tags if unit is not None and unit.start <= line <= unit.end]
                held = self.note.written_tags if unit is None else written
                return bool(wanted) and any((identity(tag) + "/").startswith(wanted + "/") for tag in held)
            case tree.PropertyNode(name, value):
                properties = self.note.properties if self.note else {}
                return any(
                    is_name(name, key) and (value is None or is_value(value, held, sensitive))
                    for key, held in properties.items()
                )
            case tree.Term() | tree.Phrase() | tree.Regex():
                if unit is not None:
                    return in_text(node, unit.text, sensitive, lines=unit.lines)
                if any(in_text(node, text, sensitive, lines=text.split("\n")) for text in self.whole()):
                    return True
                is_looked_at = self.path.endswith((".md", ".canvas", ".base"))
                return named and is_looked_at and in_text(node, self.path, sensitive)
        raise AssertionError(node)

    def whole(self) -> list[str]:
        return ["\n\n".join(sheet.text for sheet in self.sheets)] if self.has_text else []

    def units(self, scope: str, within: Unit | None) -> Iterator[Unit]:
        for sheet in self.sheets if within is None else [within.sheet]:
            yield from units_of(sheet, scope, within)


class Unit:
    """A line, block, section or task."""

    def __init__(self, sheet: Note, scope: str, start: int, end: int, text: str | None = None) -> None:
        self.sheet, self.scope, self.start, self.end = sheet, scope, start, end
        self.lines = sheet.text.split("\n")[start - 1 : end]
        self.text = "\n".join(self.lines) if text is None else text


def units_of(sheet: Note, scope: str, within: Unit | None) -> Iterator[Unit]:
    first, last = (1, sheet.line_count) if within is None else (within.start, within.end)
    if scope == "line":
        lines = sheet.text.split("\n") if within is None else within.text.split("\n")
        for number in range(first, last + 1):
            yield Unit(sheet, scope, number, number, lines[number - first])
    elif scope == "block":
        blocks = [(block.start_line, block.end_line) for block in sheet.structure.blocks]
        if sheet.body_line > 1:
            blocks.insert(0, (1, sheet.body_line - 1))
        for start, end in blocks:
            if first <= start and end <= last:
                yield Unit(sheet, scope, start, end)
    elif scope == "section":
        headings = sheet.headings
        starts = [sheet.body_line, *(heading.line for heading in headings), sheet.line_count + 1]
        for place in range(len(headings) + 1):
            start, end = starts[place], starts[place + 1] - 1
            if end < start:
                continue
            if within is None:
                yield Unit(sheet, scope, start, end)
            elif within.scope == "section" and place > 0:
                above = next((heading for heading in headings if heading.line == within.start), None)
                if above is not None and above.line < start <= above.end_line:
                    yield Unit(sheet, scope, start, end)
    else:
        for task in sheet.structure.tasks:
            is_meant = scope == "task" or (task.status == " ") == (scope == "task-todo")
            if is_meant and first <= task.line and task.end_line <= last:
                lines = sheet.text.split("\n")[task.line - 1 : task.end_line]
                said = lines[0].split(f"[{task.status}]", 1)[1].lstrip(" \t")
                yield Unit(sheet, scope, task.line, task.end_line, "\n".join([said, *lines[1:]]))


def in_text(node: Node, text: str, sensitive: bool, lines: list[str] | None = None) -> bool:
    match node:
        case tree.Term(wanted):
            return wanted in text if sensitive else identity(wanted) in identity(text)
        case tree.Phrase(wanted):
            held, wanted = (text, wanted) if sensitive else (identity(text), identity(wanted))
            places = [found.start() for found in re.finditer(f"(?={re.escape(wanted)})", held)]
            return any(is_whole(held, place) and is_whole(held, place + len(wanted)) for place in places) or not wanted
        case tree.Regex(source):
            flags = 0 if sensitive else re.IGNORECASE
            return any(re.search(source, line, flags) for line in ([text] if lines is None else lines))
    return combined(node, sensitive, lambda part, sensitive: in_text(part, text, sensitive))


def combined(node: Node, sensitive: bool, answers: Callable[[Node, bool], bool]) -> bool:
    """What the answers of the parts are together; the bool of each says whether case is compared."""
    match node:
        case tree.And(parts):
            return all(answers(part, sensitive) for part in parts)
        case tree.Or(parts):
            return any(answers(part, sensitive) for part in parts)
        case tree.Not(part):
            return not answers(part, sensitive)
        case tree.Case(other, part):
            return answers(part, other)
    raise AssertionError(node)


def is_whole(text: str, edge: int) -> bool:
    """Whether a word can end here: not between two characters of one that is written with letters."""

    def is_letter(character: str) -> bool:
        return (character.isalnum() or character == "_") and not "\u2e80" <= character <= "\ud7ff"

    return not (0 < edge < len(text) and is_letter(text[edge - 1]) and is_letter(text[edge]))


def is_name(node: Node, name: str) -> bool:
    match node:
        case tree.Term(text) | tree.Phrase(text):
            return identity(text) == identity(name)
        case tree.Or(parts):
            return any(is_name(part, name) for part in parts)
        case tree.Not(part):
            return not is_name(part, name)
    return in_text(node, name, False)


def is_value(node: Node, value: Value, sensitive: bool) -> bool:
    match node:
        case tree.And() | tree.Or() | tree.Not() | tree.Case():
            return combined(node, sensitive, lambda part, sensitive: is_value(part, value, sensitive))
        case tree.Is("null"):
            return value is None
        case tree.Is("EMPTY"):
            return value is None or value in ("", [], {})
        case tree.Is(fact):
            return value is (fact == "TRUE")
        case tree.Compare(sign, than):
            return any(compared(text, sign, than) for text in single(value))
    return any(in_text(node, text, sensitive) for text in single(value))


def single(value: Value) -> Iterator[str]:
    if isinstance(value, list | dict):
        for element in value.values() if isinstance(value, dict) else value:
            yield from single(element)
    elif value is not None:
        yield str(value).lower() if isinstance(value, bool) else str(value)


def compared(text: str, sign: str, than: str) -> bool:
    """Here dates are those of one format, which compare as text."""
    if re.fullmatch(r"[\d.]+", text) and re.fullmatch(r"[\d.]+", than):
        return float(text) < float(than) if sign == "<" else float(text) > float(than)
    is_date: Callable[[str], bool] = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d)?").fullmatch  # type: ignore[assignment]
    if is_date(text) and is_date(than):
        left, right = (each if "T" in each else f"{each}T00:00:00" for each in (text, than))
        return left < right if sign == "<" else left > right
    return False


words = st.sampled_from(WORDS)
leaves = st.one_of(
    words.filter(lambda word: " " not in word).map(tree.Term),
    words.map(tree.Phrase),
    st.sampled_from(["wor.", r"^one", r"e$", "[ab] ", "é|x", r"\bw"]).map(tree.Regex),
)
in_names = st.one_of(leaves, st.tuples(leaves, leaves).map(lambda both_: either([*both_])), leaves.map(negated))
values = st.one_of(
    st.sampled_from(["null", "EMPTY", "TRUE", "FALSE"]).map(tree.Is),  # type: ignore[arg-type]
    st.builds(
        tree.Compare, st.sampled_from(["<", ">"]), st.sampled_from(["1.5", "2", "2026-01-01", "2026-01-01T09:00:00"])
    ),
    st.sampled_from(["a", "active", "work", "x"]).map(tree.Term),
    st.sampled_from(["active", "a"]).map(tree.Phrase),
)
properties = st.builds(
    tree.PropertyNode,
    st.sampled_from(["status", "STATUS2", "tags", "due", "done", "n", "m"]).map(tree.Term),
    st.none() | values | values.map(negated),
)
scopes = st.sampled_from(["line", "block", "section", "task", "task-todo", "task-done"])


def larger(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    return st.one_of(
        st.lists(parts, min_size=2, max_size=3).map(both),
        st.lists(parts, min_size=2, max_size=3).map(either),
        parts.map(negated),
        st.builds(tree.Within, scopes, parts),
        st.builds(tree.Within, st.just("content"), parts),
        st.builds(tree.Case, st.booleans(), parts),
    )


queries: st.SearchStrategy[Node] = st.recursive(
    st.one_of(
        leaves,
        st.sampled_from(["work", "x", "é", "work/a", "tag", "nul"]).map(tree.TagNode),
        properties,
        st.builds(tree.Within, st.sampled_from(["file", "path"]), in_names),
    ),
    larger,
    max_leaves=6,
)

notes = st.builds(
    lambda block, lines, end: ((f"---\n{block}\n---\n" if block else "") + "\n".join(lines)).replace("\n", end),
    st.sampled_from(BLOCKS),
    st.lists(st.sampled_from(TEXT), max_size=5),
    st.sampled_from(["\n", "\r\n"]),
).map(lambda text: text.encode())
canvases = st.lists(st.lists(st.sampled_from(TEXT), max_size=3).map("\n".join), max_size=3).map(
    lambda texts: json.dumps({"nodes": [{"id": "", "type": "text", "text": text} for text in texts]}).encode()
)
vaults = st.dictionaries(st.sampled_from(PATHS), st.one_of(notes, notes, st.just(b"")), max_size=7)


@example(
    vault={},
    cards=b'{"nodes": [{"id": "", "type": "text", "text": "text #x/y"}]}',
    edit=("a.md", b""),
    asked=[tree.Within("line", tree.TagNode("x"))],
    sensitive=False,
)
@example(
    vault={},
    cards=b'{"nodes": [{"id": "", "type": "text", "text": "#work"}]}',
    edit=("a.md", b""),
    asked=[tree.Within("line", either([tree.Term("a"), tree.TagNode("work")]))],
    sensitive=False,
)
@given(
    vault=vaults,
    cards=canvases,
    edit=st.tuples(st.sampled_from(PATHS[:4]), notes),
    asked=st.lists(queries, min_size=1, max_size=6),
    sensitive=st.booleans(),
)
def test_a_query_finds_what_brute_force_finds_before_and_after_an_edit(
    vault: dict[str, bytes], cards: bytes, edit: tuple[str, bytes], asked: list[Node], sensitive: bool
) -> None:
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        files = {**vault, "B.canvas": cards}
        write(folder, files)
        with Vault.open(folder) as opened:
            check(opened, files, asked, sensitive)
            write(folder, dict([edit]))
            files.update([edit])
            check(opened, files, asked, sensitive)


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def check(vault: Vault, files: dict[str, bytes], asked: list[Node], sensitive: bool) -> None:
    seen = {name: Brute(name, content.decode("utf-8")) for name, content in files.items() if not name.startswith(".")}
    for node in asked:
        query = spelled(node)
        node = parse(query)
        is_any = looks_at_any_file(node)
        expected = sorted(
            name
            for name, file in seen.items()
            if (is_any or name.endswith((".md", ".canvas", ".base"))) and file.answers(node, sensitive)
        )
        answer = vault.query(query, mode="obsidian", match_case=sensitive, limit=100)
        assert sorted(note.path for note in answer.notes) == expected, query
        assert answer.complete
