"""Fuzzing: whatever a call, a note, a setting or an archive holds, there is an answer or one refusal.

Every test run tries a few examples of each target, the same ones each time. `make fuzz` is the long run. What that
found is kept here as an `@example`.
"""

from __future__ import annotations

import io
import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.conftest import FIXTURES, OUR_FAULT, write_files
from tests.fuzzing import target
from tests.resources.test_archives import mutated, read
from vaulttools import Vault, VaultConfig, tools
from vaulttools.cli.main import main
from vaulttools.clients import change
from vaulttools.clients.change import Unchangeable
from vaulttools.clients.registry import CLIENTS
from vaulttools.core import limits, paths
from vaulttools.errors import BadArgument, VaultToolsError
from vaulttools.files import globs, ignores, selectors
from vaulttools.files import settings as vault_settings
from vaulttools.matching import ripgrep
from vaulttools.notes import canvas
from vaulttools.notes.links import resolution as links
from vaulttools.notes.note import Note
from vaulttools.notes.packing import PackedNote, dump
from vaulttools.query.explain import explain
from vaulttools.query.language import parse, spelled
from vaulttools.resources.archives import MemberUnreadable
from vaulttools.server.rest import jsonlogic
from vaulttools.server.rest.answering import encodable

CANARY: Final = "CANARY"
"""Every protected file of the shipped vault contains it."""

PROCESSOR_SECONDS: Final = 5.0
"""What one input may cost: a hundred times the cost of any input that is read in linear time."""

ODD: Final = [
    *("", " ", "\n", "\r\n", "\0", "\t", "\x1b[31m", "\u202e", "\u2028", "\ufeff", "\U000e0041", "\ud800", "\udcff"),
    *("/", "\\", "..", "../", "./", "~", "$HOME", "%2e", ":", "-", "--", "'", '"', "`", "\\x41", "\\u{2e}"),
    *("é", "e\u0301", "ß", "İ", "ſ", "日本", "😀", "\u200b", "\uffff"),
]
TEXT: Final = st.text(st.characters(exclude_categories=()), max_size=12) | st.sampled_from(ODD)


def pieces(words: str, *blanks: str, size: int = 12) -> st.SearchStrategy[str]:
    """Texts made of pieces that mean something in a language, some with blanks, and of pieces from elsewhere."""
    return st.lists(st.sampled_from([*words.split(), *blanks]) | TEXT, max_size=size).map("".join)


PATTERNS: Final = pieces(
    r"a TODO ( ) (?: (?i) (?-u) (?s) (?x) (?<n> (?= (?<! (?> \1 \k<n> [ ] [^ [[:alpha:]] [a-z&&[^b]] { } {2} {1,900}"
    r" {,3} * + ? +? *+ | ^ $ \b \B \b{start} \< \n \r \R \x00 \x{e9} \p{L} \pZ \Q \E \z \ "
)
GLOBS: Final = pieces("* ** ? [ ] [! [a- { } , {a,b} md .md a Projects /")
PATHS: Final = pieces(
    r"Projects / inbox.md Archive .obsidian .git \ .zip notes.zip:a.md :1-2 :L3+4 : [[Home]] [[ ]] # ^ | ? * .. ,"
    " obsidian://open?file= vaulttools://docs/ ://",
    size=8,
)
QUERIES: Final = pieces(
    r'a OR - ( ) [ ] [a: ] " / /x/ path: file: tag:#a line: section: task: match-case: content: : null <5 > \ #',
    *(" ", " OR ", '"a b"', "(a OR b)"),
    size=16,
)
EXPRESSIONS: Final = pieces(
    'a a.b note["a b"] file.name file.mtime this status "x" 1 -2.5 true null [ ] ( ) , . == != < > ! && || + * / % ?:'
    ' file.hasTag("x") now() today() date("2026-02-30") duration("1d") if( .map(value .filter( .toString() /a+/g \\',
    *(" ", "(a == 1)", '.contains("x")', "[1, 2].reduce(acc + value, 0)"),
    size=10,
)
PROPERTIES: Final = pieces(
    "[ ] { } , ' | > 1_0 0o7 1e999 .nan 2024-02-30 ~ ... [[N]] {{t}} % @ *x",
    *("---\n", "\n---\n", "a: ", "- ", "\n", "  ", ": ", "&x ", "!!set ", "!!python/none ", "? ", '"', "# ", "<<: "),
    *("tags: ", "aliases: ", "\t", '{"a": [1]}', "...\n"),
    size=40,
)
MARKDOWN: Final = pieces(
    "``` ~~~ ` `` %% [[ ]] [[N#H|x]] ![[ ]( [a](b) [^1] < <!-- --> <div> </div> $$ $ ^id #a/b * ** _ &amp;",
    *("\n", "\n\n", "# ", "## ", "===\n", "---\n", "- ", "- [ ] ", "- [x] ", "1. ", "> ", "> [!tip]- ", "    ", "\t"),
    *("[^1]: ", "|a|b|\n", "|-|-|\n", " #tag", "\\", "http://a.b", "\r", "\r\n"),
    size=40,
)

JSON: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT | PATTERNS | PATHS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


@contextmanager
def in_time() -> Iterator[None]:
    """The code inside must not exceed its processor time."""
    before = time.process_time()
    yield
    assert time.process_time() - before < PROCESSOR_SECONDS


@cache
def shipped() -> Vault:
    """The shipped vault, for the whole run."""
    return Vault.open(FIXTURES / "vault", config=VaultConfig(time_limit=5), index="off")


def answered(vault: Vault, tool: str, arguments: Any) -> None:
    """A call has an answer, or one refusal: bounded, encodable, and without a word of what is protected."""
    with in_time():
        result = vault.call(tool, arguments)
    assert result.text
    assert not OUR_FAULT.search(result.text)
    assert len(result.text.encode()) <= limits.TEXT_BYTES
    encoded = json.dumps(result.details, allow_nan=False, ensure_ascii=False).encode()
    assert CANARY.encode() not in encoded
    assert CANARY not in result.text
    assert not result.is_error or len(result.text) < 3_000


def requests(tool: str) -> tuple[list[str], list[str]]:
    """The arguments that a tool cannot do without, and all others."""
    fields = tools.named(tool).request.model_fields
    needed = [name for name, field in fields.items() if field.is_required()]
    return needed, [name for name in fields if name not in needed]


VALUES: Final[dict[str, st.SearchStrategy[Any]]] = {
    "pattern": PATTERNS,
    "query": PATTERNS | QUERIES,
    "terms": st.lists(PATTERNS, max_size=3),
    "paths": st.lists(PATHS | GLOBS, max_size=3),
    "file_pattern": GLOBS | PATHS,
    "glob": GLOBS,
    "question": QUERIES,
    "notes": st.lists(PATHS, max_size=4),
    "base": PATHS | st.just("Projects/Projects.base"),
    "where": EXPRESSIONS,
    "columns": st.lists(EXPRESSIONS, max_size=2),
    "sort": EXPRESSIONS,
    "group_by": EXPRESSIONS,
} | dict.fromkeys(("path", "file", "note", "folder"), PATHS)
"""The values of an argument, by its name; all other arguments get any JSON."""


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, Any]:
    """A tool and its arguments, most of them nearly right."""
    tool = draw(st.sampled_from(tools.NAMES))
    needed, others = requests(tool)
    chosen = draw(st.lists(st.sampled_from(others), max_size=3, unique=True)) if others else []
    arguments = {name: draw(VALUES.get(name, JSON)) for name in [*needed, *chosen]}
    return tool, draw(st.just(arguments) | st.just(arguments | {"odd": 1}) | JSON)


@target(60)
@given(calls())
@example(("find", {"paths": ["Projects", "\udc80"]}))
@example(("query", {"query": "seed\ud800s"}))
@example(("search", {"pattern": "seed", "paths": ["Projects", "\udc80"]}))
def test_fuzz_json_arguments(call: tuple[str, Any]) -> None:
    answered(shipped(), *call)


@target(25)
@given(PATTERNS, st.booleans())
def test_fuzz_patterns(pattern: str, flag: bool) -> None:
    answered(shipped(), "search_files", {"pattern": pattern, "fixed": flag})
    answered(shipped(), "grep", {"pattern": pattern, "context_lines": 1})
    answered(shipped(), "search", {"pattern": pattern, "i": flag})


@target(60)
@given(GLOBS, st.booleans(), PATHS)
def test_fuzz_globs(glob: str, flag: bool, path: str) -> None:
    with in_time():
        try:
            parsed = globs.parse(glob, ignore_case=flag)
        except VaultToolsError as error:
            assert "\n" not in str(error)
        else:
            parsed.matches(path)
            assert parsed.may_hold("")
    answered(shipped(), "find", {"paths": [glob]})


@target(60)
@given(PATHS)
def test_fuzz_paths_and_selectors(path: str) -> None:
    assert paths.unshown(paths.shown(path)) is not None
    try:
        before, selector = selectors.split(path)
        if selector is not None:
            selectors.parse(selector)
        assert path.startswith(before)
    except BadArgument as error:
        assert "\n" not in str(error)
    for tool, argument in (("read", "note"), ("search", "paths"), ("grep", "path"), ("scout", "path")):
        needed, _ = requests(tool)
        answered(shipped(), tool, {**dict.fromkeys(needed, "seed"), argument: path})


@target(150)
@given(QUERIES)
def test_fuzz_queries(query: str) -> None:
    with in_time():
        try:
            found = parse(query)
        except BadArgument as error:
            assert "\n" not in str(error)
        else:
            assert parse(spelled(found)) == found
            assert explain(found)


@target(60)
@given(
    pieces(
        '{ } [ ] , : "mcpServers" "vaulttools" "command" "a" 1 null // /* */ \\', "\n", "\r\n", "{}", '{"mcpServers": {'
    ),
    pieces('[mcp_servers] [mcp_servers.vaulttools] mcp_servers command = \'a\' [[a]] a.b { } """ #', "\n", "\r\n"),
)
def test_fuzz_settings_of_assistants(json_text: str, toml_text: str) -> None:
    """They are left as they are, or get an entry that can be taken out again."""
    for client, text in (("cursor", json_text), ("codex", toml_text)):
        [known] = [each for each in CLIENTS if each.name == client]
        file = Path("config.toml" if client == "codex" else "mcp.json")
        before = text.encode("utf-8", "surrogatepass")
        with in_time():
            try:
                made = change.added(known, file, before, None, {"command": "/v", "args": ["mcp"]}, "vaulttools")
            except Unchangeable as refusal:
                assert "\n" not in str(refusal)
            else:
                if made.action == "add":
                    assert change.removed(known, file, made.after, made.backup, "vaulttools").after == before


@target(150)
@given(PROPERTIES, st.booleans())
def test_fuzz_frontmatter(text: str, fenced: bool) -> None:
    with in_time():
        note = Note("n.md", f"---\n{text}\n---\n" if fenced else text)
        values = note.properties
        assert json.loads(json.dumps(values, allow_nan=False, ensure_ascii=False).encode()) == values
        assert all("\n" not in warning for warning in note.warnings)


@target(150)
@given(MARKDOWN, PROPERTIES)
def test_fuzz_markdown(text: str, properties: str) -> None:
    with in_time():
        for whole in (text, f"---\n{properties}\n---\n{text}"):
            note = Note("a/n.md", whole)
            data = dump(note)
            assert Note("a/n.md", whole, PackedNote(data)) == note
            assert dump(PackedNote(data)) == data
            assert all(1 <= heading.line <= note.line_count for heading in note.headings)
        links.LinkIndex(["a/n.md", "N.md"]).resolve(text)
        canvas.cards(text)


@target(60)
@given(EXPRESSIONS, PROPERTIES)
@example("a[-9] == b", "a: 5")
def test_fuzz_bases(expression: str, properties: str) -> None:
    """An expression over odd properties, as a filter, a column and a sort key; and a base file."""
    with tempfile.TemporaryDirectory() as folder:
        text = f"filters: {json.dumps(expression)}\nviews:\n  - {{type: table, name: V, order: [file.name]}}\n"
        odd = properties.encode("utf-8", "surrogatepass")
        write_files(Path(folder), {"a.md": b"---\n%s\n---\n" % odd, "b.base": text, "c.base": odd})
        with Vault.open(folder, index="off", config=VaultConfig(time_limit=5)) as vault:
            answered(vault, "base", {"where": expression})
            answered(vault, "base", {"where": "true", "columns": [expression], "sort": expression})
            answered(vault, "base", {"where": "true", "group_by": expression, "summaries": {expression: "Unique"}})
            answered(vault, "base", {"base": "b.base"})
            answered(vault, "base", {"base": "c.base"})


@target(60)
@given(MARKDOWN, QUERIES)
@example("", "apath:\ud800")
def test_fuzz_passages_and_tasks(text: str, question: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        odd = text.encode("utf-8", "surrogatepass")
        write_files(Path(folder), {"a.md": odd, "b.md": odd + b"\n\n- [ ] seeds [due:: 2026-11-20]\n"})
        with Vault.open(folder, index="off", config=VaultConfig(time_limit=5)) as vault:
            for max_chars in (500, 6_000):
                answered(vault, "context", {"question": f"{question} seeds", "max_chars": max_chars})
                answered(vault, "query", {"query": f"{question} seeds", "max_chars": max_chars})
            answered(vault, "tasks", {"status": "any", "group_by": "heading"})
            answered(vault, "read", {"notes": ["a", "b", f"a#{question}"], "max_chars": 500})


OPERATORS: Final = [
    *(*jsonlogic._OPERATORS, *jsonlogic._LAZY, *jsonlogic._SEQUENCES),
    *("var", "missing", "missing_some", "odd"),
]
RULES: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | TEXT | st.just({"var": "content"}),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(OPERATORS), st.lists(inner, max_size=3) | inner, max_size=1)
    ),
    max_leaves=8,
)


@target(150)
@given(RULES)
def test_fuzz_rules(rule: Any) -> None:
    """Of JsonLogic: a value, or one refusal."""
    data = {"content": "some text", "tags": ["a", "b"], "frontmatter": {"n": 1}, "stat": {"mtime": 5}}
    with in_time():
        try:
            made = jsonlogic.Rule(rule)
            json.dumps(encodable(made.apply(data)), allow_nan=False)
        except BadArgument as error:
            assert "\n" not in str(error)
        jsonlogic.demands_of(rule, "content")


@target(100)
@given(mutated(), st.sampled_from(["a.md", "b/a.md", "b"]))
def test_fuzz_archives(archive: tuple[str, bytes], member: str) -> None:
    name, data = archive
    with in_time():
        try:
            assert len(read(data, name, member).text) <= 10 * 1024 * 1024
        except MemberUnreadable as error:
            assert error.reason


@target(25)
@given(
    st.binary(max_size=60) | PATTERNS.map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.one_of(JSON, st.fixed_dictionaries({"userIgnoreFilters": st.lists(PATTERNS | GLOBS | JSON, max_size=3)})),
    st.binary(max_size=40),
)
def test_fuzz_what_a_vault_holds(rules: bytes, written: Any, note: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        app = json.dumps(written).encode()
        write_files(
            Path(folder),
            {".gitignore": rules, ".obsidian/app.json": app, "a.md": note, "b.canvas": note, "c.md": "word\n"},
        )
        with in_time():
            texts, _ = ignores.read_ignore_files(Path(folder), {".gitignore"}, "")
            found, warnings = ignores.IgnoreRules().entering("", texts)
            found.ignores("a.md", is_folder=False)
            assert all("\n" not in warning for warning in warnings)
            vault_settings.excluded(Path(folder) / ".obsidian")
        with Vault.open(folder, index="off") as vault:
            for tool in ("search", "grep", "search_files"):
                answered(vault, tool, {"pattern": "word"})
            answered(vault, "outline", {"note": "a.md"})
            answered(vault, "read", {"note": "a.md"})


FAKE: Final = """#!/bin/sh
case "$*" in *"$(cat "$0.asked")"*) cat "$0.out"; cat "$0.out" >&2; exit "$(cat "$0.code")";; esac
exec "$(cat "$0.real")" "$@"
"""
"""Real ripgrep, except for one question: there it prints the content of a file."""

PRINTED: Final = [
    *(b"./a.md", b"\0", b"1", b"7", b"\n", b"\r\n", b":", b"9" * 5_000, b"\xff", b'{"type":"match"'),
    b"rg: ./a.md: Gone\n",
    *(b'{"type":"match","data":{}}\n', b'{"type":"match","data":[]}\n', b'{"type":"match","data":{"path":3}}\n'),
    b'{"type":"match","data":{"path":{"text":"./a.md"},"lines":{"text":"word\\n"},"line_number":1,"submatches":[]}}\n',
    b'{"type":"match","data":{"path":{"bytes":"/w=="},"lines":{"bytes":"!"},"line_number":null,"submatches":[{}]}}\n',
    b'{"type":"match","data":{"path":{"text":"./a.md"},"lines":{"text":"x"},"line_number":-9,"submatches":[{"start":"a"}]}}\n',
]  # fmt: skip


@pytest.mark.not_on_windows("a program that is a script")
@target(12)
@given(
    st.sampled_from(["--count", "--json", "--files-with-matches"]),
    st.binary(max_size=80) | st.lists(st.sampled_from(PRINTED), max_size=8).map(b"".join),
    st.sampled_from([0, 1, 2, 9]),
)
@example("--count", b"9" * 40_000, 1)
def test_fuzz_what_ripgrep_prints(asked: str, printed: bytes, code: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        real = {"rg": FAKE, "rg.asked": asked, "rg.real": ripgrep.locate().command}
        write_files(Path(folder), {**real, "rg.out": printed, "rg.code": str(code), "vault/a.md": "word\n"})
        program = Path(folder) / "rg"
        program.chmod(0o755)
        with Vault.open(f"{folder}/vault", config=VaultConfig(rg=str(program)), index="off") as vault:
            for tool in ("search_files", "search", "grep", "scout"):
                needed, _ = requests(tool)
                answered(vault, tool, dict.fromkeys(needed, "word"))


@target(15)
@given(calls(), st.booleans())
def test_fuzz_the_command_line(call: tuple[str, Any], as_json: bool) -> None:
    tool, arguments = call
    out, err = io.StringIO(), io.StringIO()
    words = ["--vault", os.fspath(FIXTURES / "vault"), "--no-index", *(["--json"] if as_json else []), "call", tool]
    try:
        words.append(json.dumps(arguments))
    except ValueError:
        return
    with redirect_stdout(out), redirect_stderr(err), in_time():
        code = main(words)
    assert code in (0, 1, 2)
    assert not OUR_FAULT.search(out.getvalue() + err.getvalue())
    assert CANARY not in out.getvalue()
    if as_json and out.getvalue():
        json.loads(out.getvalue())
