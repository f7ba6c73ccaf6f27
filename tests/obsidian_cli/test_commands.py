"""Every command of Obsidian's command line that is built, with each parameter, flag and format; and all that is not."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import write_files
from tests.obsidian_cli.asking import asked
from tests.test_protection import digest
from vaulttools import Vault, VaultConfig, __version__
from vaulttools.files import disk
from vaulttools.obsidian_cli import links, said, searches, tags, tasks
from vaulttools.obsidian_cli.commands import BUILT, BY_NAME, COMMANDS, REASONS

FILES = {
    "Work/plan.md": (
        "---\ntags: [work/a, big]\nstatus: active\naliases: [The plan, Plan B]\nn: 7\ndue: 2026-12-01\n"
        'owner: "[[Ada]]"\nempty:\nwho:\n  - "[[Ada]]"\n  - Bo\n---\n# Plan\n\nOne meeting with [[Ada]], [[Ada#x|her]]'
        " and [[Ghost]]. #work\n\n## Tasks\n\n- [ ] Buy milk\n  - [x] Pay it\n- [?] Ask\n\n### Deep ##\n\n## Last\n"
    ),
    "Ada.md": "Meeting Ada at 10.\n\n- [ ] Call her\n\n[[Work/plan]]\n",
    "Daily/2026-11-29.md": "Today a MEETING\n- [ ] Rest\n",
    "x.txt": "meeting",
    "All.base": (
        "views:\n  - type: table\n    name: First\n    order: [file.name, status, n, who, file.mtime, file.tags]\n"
        '    filters: status == "active"\n  - type: table\n    name: None\n    filters: n == 99\n'
        "  - type: cards\n    name: One\n    limit: 1\n    order: [file.path, status]\n"
    ),
    ".obsidian/daily-notes.json": '{"folder": "Daily"}',
    "Private.md": "#private\n",
}

TODAY = "2026-11-29"
PLAN, MTIME = "Work/plan.md", "2026-11-01T10:00:00"

CASES: dict[str, str] = {
    "version": f"vaulttools {__version__} (without the Obsidian app)",
    "help tag": (
        "  tag                   List the files of a tag\n    name=<tag>          - tag name (required)\n"
        "    total               - return occurrence count\n    verbose             - include the count"
    ),
    "aliases": "The plan\nPlan B",
    "aliases total": "2",
    "aliases file=plan": "The plan\nPlan B",
    f"aliases path={PLAN} total": "2",
    "aliases file=Ada": "No aliases found.",
    "backlinks file=Ada": PLAN,
    "backlinks path=Ada.md counts": f"{PLAN}\t4",
    "backlinks file=Ada format=tsv": PLAN,
    "backlinks file=Ada format=json": f'[{{"file":"{PLAN}"}}]',
    "backlinks file=Ada counts format=json": f'[{{"file":"{PLAN}","count":"4"}}]',
    "backlinks file=Ada total format=json": "1",
    "backlinks file=x.txt": "No backlinks found.",
    "backlinks file=x.txt format=json": "No backlinks found.",
    "bases": "All.base",
    "base:query file=All.base format=csv": (
        f'file name,status,n,who,modified time,tags\nplan,active,7,"[[Ada]], Bo",{MTIME},"#work, #work/a, #big"'
    ),
    "base:query path=All.base view=First format=json": (
        f'[{{"path":"{PLAN}","file name":"plan","status":"active","n":"7","who":"[[Ada]], Bo",'
        f'"modified time":"{MTIME}","tags":"#work, #work/a, #big"}}]'
    ),
    "base:query file=All.base format=tsv": (
        f"file name\tstatus\tn\twho\tmodified time\ttags\nplan\tactive\t7\t[[Ada]], Bo\t{MTIME}\t#work, #work/a, #big"
    ),
    "base:query file=All.base format=md": (
        "| file name | status | n | who | modified time | tags |\n| --- | --- | --- | --- | --- | --- |\n"
        f"| plan | active | 7 | [[Ada]], Bo | {MTIME} | #work, #work/a, #big |"
    ),
    "base:query file=All.base format=paths": PLAN,
    "base:query file=All.base view=One": '[{"path":"Ada.md","status":""}]',
    "base:query file=All.base view=None": "[]",
    "base:query file=All.base view=Two": ("Error: View not found: Two\nAvailable views: First, None, One"),
    "base:query file=Ghost.base": "Error: Base file not found: Ghost.base",
    "base:query path=Ada.md": "Error: Base file not found: Ada.md",
    "daily:path": "Daily/2026-11-29.md",
    "daily:read": "Today a MEETING\n- [ ] Rest",
    "deadends": "Daily/2026-11-29.md\nPrivate.md",
    "deadends total": "2",
    "file file=plan": f"path\t{PLAN}\nname\tplan\nextension\tmd\nsize\t284\ncreated\tC\nmodified\t1793527200000",
    "file path=x.txt": "path\tx.txt\nname\tx\nextension\ttxt\nsize\t7\ncreated\tC\nmodified\t1793527200000",
    "files": f"Ada.md\nAll.base\nDaily/2026-11-29.md\nPrivate.md\n{PLAN}\nx.txt",
    "files folder=Work": PLAN,
    "files folder=Work/": PLAN,
    "files folder=work": "",
    "files folder=Wor": "",
    "files ext=txt": "x.txt",
    "files ext=.md total": "4",
    "files ext=MD": "",
    "files total ext=no": "0",
    "links file=plan": "Ada.md\nGhost (unresolved)",
    "links path=Ada.md total": "1",
    "links file=x.txt": "No links found.",
    "links file=x.txt total": "0",
    "orphans": "Daily/2026-11-29.md\nPrivate.md",
    "orphans total": "2",
    "outline file=plan": "└── Plan\n    ├── Tasks\n    │   └── Deep\n    └── Last",
    "outline file=plan format=tree": "└── Plan\n    ├── Tasks\n    │   └── Deep\n    └── Last",
    "outline file=plan format=md": "# Plan\n## Tasks\n### Deep\n## Last",
    f"outline path={PLAN} format=json": (
        '[{"level":1,"heading":"Plan","line":13},{"level":2,"heading":"Tasks","line":17},'
        '{"level":3,"heading":"Deep","line":23},{"level":2,"heading":"Last","line":25}]'
    ),
    "outline file=plan total format=json": "4",
    "outline file=Ada": "No headings found.",
    "outline file=Ada total": "No headings found.",
    "outline file=x.txt": "Error: File is not a markdown file.",
    "properties": "aliases\ndue\nempty\nn\nowner\nstatus\ntags\nwho",
    "properties counts": "aliases\t1\ndue\t1\nempty\t1\nn\t1\nowner\t1\nstatus\t1\ntags\t1\nwho\t1",
    "properties format=yaml sort=count": "aliases\ndue\nempty\nn\nowner\nstatus\ntags\nwho",
    "properties format=tsv": "aliases\ndue\nempty\nn\nowner\nstatus\ntags\nwho",
    "properties total": "8",
    "properties name=status": "1",
    "properties name=ghost": "0",
    "properties format=json": (
        '[{"name":"aliases","type":"aliases","count":1},{"name":"due","type":"date","count":1},'
        '{"name":"empty","type":"unknown","count":1},{"name":"n","type":"number","count":1},'
        '{"name":"owner","type":"text","count":1},{"name":"status","type":"text","count":1},'
        '{"name":"tags","type":"tags","count":1},{"name":"who","type":"multitext","count":1}]'
    ),
    f"properties path={PLAN}": (
        "tags:\n  - work/a\n  - big\nstatus: active\naliases:\n  - The plan\n  - Plan B\nn: 7\ndue: 2026-12-01\n"
        'owner: "[[Ada]]"\nempty:\nwho:\n  - "[[Ada]]"\n  - Bo'
    ),
    "properties file=plan format=json": (
        '{"tags":["work/a","big"],"status":"active","aliases":["The plan","Plan B"],"n":7,"due":"2026-12-01",'
        '"owner":"[[Ada]]","empty":null,"who":["[[Ada]]","Bo"]}'
    ),
    "properties file=plan total": "8",
    "properties file=plan name=n": "1",
    "properties file=Ada": "No frontmatter found.",
    "property:read name=status file=plan": "active",
    f"property:read path={PLAN} name=who": "[[Ada]]\nBo",
    "property:read name=n file=plan": "7",
    "property:read name=empty file=plan": "(empty)",
    "property:read name=ghost file=plan": 'Error: Property "ghost" not found.',
    "property:read file=plan": ("Error: Missing required parameter: name=<name>\nUsage: property:read name=<name>"),
    "read file=Ada": FILES["Ada.md"].removesuffix("\n"),
    "read path=Ada.md": FILES["Ada.md"].removesuffix("\n"),
    "read file=Work/plan": FILES[PLAN].removesuffix("\n"),
    "read file=All.base": FILES["All.base"].removesuffix("\n"),
    "read path=ada.md": 'Error: File "ada.md" not found.',
    "read path=Work/../Ada.md": 'Error: File "Work/../Ada.md" not found.',
    "read path=Ada": 'Error: File "Ada" not found.',
    "read file=Ghost": 'Error: File "Ghost" not found.',
    "read": "Error: No active file. Use file=<name> or path=<path> to specify a file.",
    "search query=meeting": f"Daily/2026-11-29.md\nAda.md\n{PLAN}",
    "search query=meeting format=text": f"Daily/2026-11-29.md\nAda.md\n{PLAN}",
    "search query=meeting format=json": f'["Daily/2026-11-29.md","Ada.md","{PLAN}"]',
    "search query=meeting total format=json": "3",
    "search query=MEETING case": "Daily/2026-11-29.md",
    "search query=meeting path=Work": PLAN,
    "search query=meeting path=work": "No matches found.",
    "search query=meeting limit=2": "Daily/2026-11-29.md\nAda.md",
    "search query=meeting limit=0": f"Daily/2026-11-29.md\nAda.md\n{PLAN}",
    "search query='tag:#work [status:active]' format=json": f'["{PLAN}"]',
    "search query=zzz": "No matches found.",
    "search query=zzz format=json": "No matches found.",
    "search query=zzz total": "0",
    "search query=passRate:x": 'Error: Operator "passrate" not recognized',
    "search": "Error: Missing required parameter: query=<text>\nUsage: search query=<text>",
    "search query='when is the meeting with Ada' ranked limit=1": "Ada.md",
    "search query=zzz also='meeting with Ada' limit=1": "Ada.md",
    "search:context query=meeting path=Work": (
        f"{PLAN}:15: One meeting with [[Ada]], [[Ada#x|her]] and [[Ghost]]. #work"
    ),
    "search:context query=meeting limit=2 format=text": (
        "Daily/2026-11-29.md:1: Today a MEETING\nAda.md:1: Meeting Ada at 10."
    ),
    "search:context query=MEETING case format=json": (
        '[{"file":"Daily/2026-11-29.md","matches":[{"line":1,"text":"Today a MEETING"}]}]'
    ),
    "search:context query=active format=json": f'[{{"file":"{PLAN}","matches":[]}}]',
    "search:context query=zzz format=json": "No matches found.",
    "tag name=big": PLAN,
    "tag name=#work total": "1",
    "tag name=work/a verbose": f"#work/a\t1\n{PLAN}",
    "tag name=Big": 'Error: Tag "#Big" not found.',
    "tags": "#big\n#private\n#work\n#work/a",
    "tags format=tsv": "#big\n#private\n#work\n#work/a",
    "tags counts sort=count": "#work\t2\n#big\t1\n#private\t1\n#work/a\t1",
    "tags format=json": '[{"tag":"#big"},{"tag":"#private"},{"tag":"#work"},{"tag":"#work/a"}]',
    "tags file=plan counts format=json": (
        '[{"tag":"#big","count":"1"},{"tag":"#work","count":"1"},{"tag":"#work/a","count":"1"}]'
    ),
    "tags path=Ada.md": "No tags found.",
    "tags total": "4",
    "tags active": "Error: No active file. Use file=<name> or path=<path> to specify a file.",
    "aliases active": "Error: No active file. Use file=<name> or path=<path> to specify a file.",
    "properties active": "Error: No active file. Use file=<name> or path=<path> to specify a file.",
    "tasks active": "Error: No active file. Use file=<name> or path=<path> to specify a file.",
    "tasks": "- [ ] Call her\n- [ ] Rest\n- [ ] Buy milk\n- [x] Pay it\n- [?] Ask",
    "tasks format=text todo": "- [ ] Call her\n- [ ] Rest\n- [ ] Buy milk",
    "tasks done": "- [x] Pay it\n- [?] Ask",
    "tasks status=?": "- [?] Ask",
    "tasks file=plan done": "- [x] Pay it\n- [?] Ask",
    "tasks path=Ada.md format=json": '[{"status":" ","text":"- [ ] Call her","file":"Ada.md","line":"3"}]',
    "tasks format=tsv done": f"x\t- [x] Pay it\t{PLAN}\t20\n?\t- [?] Ask\t{PLAN}\t21",
    "tasks verbose todo": (
        "Ada.md\n3: - [ ] Call her\nDaily/2026-11-29.md\n2: - [ ] Rest\nWork/plan.md\n19: - [ ] Buy milk"
    ),
    "tasks daily": "- [ ] Rest",
    "tasks daily total": "1",
    "tasks total format=json": "5",
    "tasks status=!": "No tasks found.",
    "unresolved": "Ghost",
    "unresolved format=tsv counts": "Ghost\t1",
    "unresolved verbose": f"Ghost\t{PLAN}",
    "unresolved format=json": '[{"link":"Ghost"}]',
    "unresolved counts verbose format=json": f'[{{"link":"Ghost","count":"1","sources":"{PLAN}"}}]',
    "unresolved total": "1",
    "vault": "name\tvault\npath\tP\nfiles\t6\nfolders\t2\nsize\tS",
    "vault info=files": "6",
    "vault info=name": "vault",
    "vaults": "",
    "vaults total": "0",
    "vaults verbose": "",
    "wordcount file=Ada": "words: 9\ncharacters: 50",
    "wordcount path=Ada.md words": "9",
    "wordcount file=Ada characters": "50",
    "reed": 'Error: Command "reed" not found. Did you mean: read, prepend?',
    "zzzz": 'Error: Command "zzzz" not found. It may require a plugin to be enabled.',
    "--version": 'Error: Command "--version" not found. Did you mean: version?',
}
"""What each command line prints on standard output, with status 0."""


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vault]:
    """The vault of these cases; every command leaves it as it is."""
    folder = tmp_path_factory.mktemp("obsidian") / "vault"
    write_files(folder, FILES)
    for path in folder.rglob("*.*"):
        os.utime(path, (1_793_527_200, 1_793_527_200))
    before = digest(folder)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TZ", "UTC")
        with Vault.open(folder, today=TODAY, index="off") as opened:
            yield opened
    assert digest(folder) == before


@pytest.mark.parametrize("line", CASES)
def test_a_command_prints_what_the_app_prints(vault: Vault, line: str) -> None:
    printed = asked(vault, line)
    out = re.sub(r"^(created)\t\d+", r"\1\tC", printed.out, flags=re.MULTILINE)
    out = re.sub(r"^(size)\t\d{3,}$", r"\1\tS" if line == "vault" else r"\g<0>", out, flags=re.MULTILINE)
    assert (out.replace(str(vault.path), "P"), printed.status) == (CASES[line], 0)


def _used() -> set[tuple[str, str]]:
    """Each command with each word of its cases, without values but those of formats."""
    used = set()
    for line in CASES:
        name, *words = line.split()
        used |= {
            (name, name),
            *((name, word if word.startswith("format=") else word.partition("=")[0]) for word in words),
        }
    return used


def test_every_command_parameter_and_format_has_a_case() -> None:
    wanted = {(each.name, each.name) for each in BUILT}
    wanted |= {(each.name, one.name) for each in BUILT for one in each.parameters if one.known != "refused"}
    wanted |= {
        (each.name, f"format={name}") for each in BUILT for name, known in each.formats.items() if known != "refused"
    }
    assert wanted - _used() == set()


REFUSED = [
    *(f"{each.name} {one.name}" for each in BUILT for one in each.parameters if one.known == "refused"),
    *(f"{each.name} format={name}" for each in BUILT for name, known in each.formats.items() if known == "refused"),
    *(each.name for each in COMMANDS if each.refused),
    *("properties file=plan format=tsv", "help create", "", "append file=Ada content=x", "create name=new overwrite"),
    *("task ref=Ada.md:3 toggle", "property:set name=a value=b file=Ada", "delete file=Ada permanent"),
]


@pytest.mark.parametrize("line", REFUSED)
def test_what_is_not_built_ends_with_status_1_and_one_sentence(vault: Vault, line: str) -> None:
    printed = asked(vault, line)
    assert (printed.out, printed.status, len(printed.err)) == ("", 1, 1)
    assert "\n" not in printed.err[0]


def test_every_refused_command_has_one_reason() -> None:
    names = [name for each in REASONS.values() for name in each.split()]
    assert len(names) == len(set(names)) and not {each.name for each in BUILT} & set(names)
    assert len(BY_NAME) == len(COMMANDS)


@pytest.mark.parametrize(
    ("line", "sentences"),
    [
        ("tags x", ['"x" is no parameter or flag of tags: it was ignored.']),
        ("tags counts=yes", ['"counts=yes" is no parameter or flag of tags: it was ignored.']),
        ("read file=Ada format=json", ["format=json means nothing to read and was ignored. It has one form."]),
        ("tags format=xml", ["format=xml means nothing to tags and was ignored. It has tsv, json; this is tsv."]),
        ("search query=zzz limit=-1", ['limit="-1" is no number above zero: there is no limit.']),
        ("read file=Ada --copy", ["--copy needs the app's clipboard: nothing was copied."]),
        ("tag name=Work", ["Other spellings and nested tags are not counted: #work/a, #work."]),
        ("search:context query=active", [f"Matching by name or properties, without a line: {PLAN}."]),
        ("tags --counts", []),
    ],
)
def test_what_was_ignored_or_left_out_is_told(vault: Vault, line: str, sentences: list[str]) -> None:
    assert (asked(vault, line).err, asked(vault, line).status) == (sentences, 0)


def test_a_missing_daily_note_is_not_made(vault: Vault) -> None:
    with Vault.open(vault.path, today="2026-11-30", index="off") as tomorrow:
        assert asked(tomorrow, "daily:path").out == "Daily/2026-11-30.md"
        printed = asked(tomorrow, "daily:read")
        assert (printed.out, printed.status) == ("", 1)
        listed = asked(tomorrow, "tasks daily")
        assert (listed.out, listed.err) == ("No tasks found.", ["There is no daily note Daily/2026-11-30.md."])


def test_a_value_with_a_tab_is_refused_between_tabs(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "- [ ] a\tb\n"})
    with Vault.open(tmp_path, index="off") as vault:
        assert asked(vault, "tasks format=tsv").status == 1
        assert asked(vault, "tasks format=json").out == '[{"status":" ","text":"- [ ] a\\tb","file":"a.md","line":"1"}]'


@pytest.mark.not_on_windows("a line end in a name")
def test_a_row_never_spans_lines(tmp_path: Path) -> None:
    write_files(tmp_path, {"a\nb.md": "word\n"})
    with Vault.open(tmp_path, index="off") as vault:
        assert asked(vault, "files").out == "a\\nb.md"
        assert asked(vault, ["read", r"path=a\nb.md"]).out == "word"
        assert asked(vault, "search query=word format=json").out == '["a\\nb.md"]'


def test_lines_of_a_canvas_are_those_that_read_shows(tmp_path: Path) -> None:
    tops = {"low": 500, "high": 0}
    nodes = [{"id": name, "type": "text", "text": f"hay\nneedle {name}", "y": top} for name, top in tops.items()]
    write_files(tmp_path, {"b.canvas": json.dumps({"nodes": nodes})})
    with Vault.open(tmp_path, index="off") as vault:
        found = vault.query("needle", mode="obsidian").text
        for row in asked(vault, "search:context query=needle").out.splitlines():
            _, line, text = row.split(":")
            assert f"Line {line}: {text.strip()}" in found
            assert f"{line}|{text.strip()}\n" in vault.read("b.canvas").text.replace("\n ", "\n") + "\n"
        assert len(asked(vault, "search:context query=needle").out.splitlines()) == 2
        assert asked(vault, "search:context query=needle format=json").out.index("high") < 60


def test_columns_of_one_heading_keep_their_own_names(tmp_path: Path) -> None:
    base = "views:\n  - type: table\n    order: [file.tags, tags, path]\n    filters: path == 1\n"
    write_files(tmp_path, {"a.md": "---\ntags: [x]\npath: 1\n---\n", "b.base": base})
    with Vault.open(tmp_path, index="off") as vault:
        assert asked(vault, "base:query file=b.base").out == (
            '[{"path":"a.md","file.tags":"#x","note.tags":"#x","note.path":"1"}]'
        )


def test_more_rows_than_an_answer_holds_print_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (said, searches, tags, links, tasks):
        monkeypatch.setattr(module, "MOST", 2)
    write_files(tmp_path, {f"{name}.md": f"word #{name} [[{name}x]]\n- [ ] t\n" for name in "abc"})
    with Vault.open(tmp_path, index="off") as vault:
        for line in ("search query=word", "search:context query=word", "tags", "tasks", "unresolved", "orphans"):
            printed = asked(vault, line)
            assert (printed.out, printed.status, len(printed.err)) == ("", 2, 1), line
        assert asked(vault, "search query=word limit=2").out == "a.md\nb.md"


def test_an_answer_that_time_ended_prints_nothing(tmp_path: Path) -> None:
    write_files(tmp_path, {f"{number}.md": "word\n" for number in range(50)})
    with Vault.open(tmp_path, index="off", config=VaultConfig(time_limit=1e-6)) as vault:
        for line in ("search query=word", "tags", "tasks"):
            printed = asked(vault, line)
            assert (printed.out, printed.status) == ("", 2), line


def test_what_was_passed_over_is_told(tmp_path: Path) -> None:
    files = {"a.md": "---\nx: [\n---\n", "Old/b.md": "x", ".obsidian/app.json": '{"userIgnoreFilters": ["Old/"]}'}
    write_files(tmp_path, files)
    with Vault.open(tmp_path, index="off") as vault:
        printed = asked(vault, "properties")
        assert printed.out == "No properties found."
        assert printed.err == [
            "Passed over: 1 excluded (Old); 1 note whose properties cannot be read (a.md). "
            'To see why: read {"note": "a.md"}'
        ]


LOCKED = {
    "files": ("a.md\nb.base", 0),
    "files ext=md": ("a.md", 0),
    "files folder=locked": ("", 2),
    "files ext=zip": ("", 2),
    "files total ext=zip": ("", 2),
    "bases": ("b.base", 0),
    "vault info=files": ("2", 0),
    "read file=hidden": ("", 2),
    "read path=locked/hidden.md": ("", 2),
    "tag name=other": ("", 2),
    "tag name=tag": ("a.md", 0),
    "base:query file=b.base format=paths": ("a.md", 0),
}
"""What is printed, with its status, where a folder cannot be looked at."""


@pytest.mark.parametrize("line", LOCKED)
def test_what_may_be_in_a_folder_that_cannot_be_looked_at_is_never_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    base = "filters: file.ext == 'md'\nviews:\n  - type: table\n    order: [file.path]\n"
    write_files(tmp_path, {"a.md": "#tag\n", "b.base": base, "locked/hidden.md": "#other\n"})

    scandir, status = disk.scandir, disk.status
    monkeypatch.setattr(disk, "scandir", lambda path: _unless(Path(path).name == "locked", scandir, path))
    monkeypatch.setattr(disk, "status", lambda path: _unless("locked" in Path(path).parts[:-1], status, path))
    with Vault.open(tmp_path, index="off") as vault:
        printed = asked(vault, line)
    assert (printed.out, printed.status) == LOCKED[line]
    assert len([sentence for sentence in printed.err if "locked" in sentence]) == 1


def _unless(is_closed: bool, look: Callable[[str], Any], path: str) -> Any:
    if is_closed:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    return look(path)


@pytest.mark.not_on_windows("links without a right")
def test_links_are_passed_over_in_lists_of_files(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "x", "d/b.md": "x"})
    (tmp_path / "link.md").symlink_to("a.md")
    with Vault.open(tmp_path, index="off") as vault:
        said = ["Passed over: 1 link that is not followed (link.md)."]
        assert (asked(vault, "files").out, asked(vault, "files").err) == ("a.md\nd/b.md", said)
        assert (asked(vault, "files folder=d").out, asked(vault, "files folder=d").err) == ("d/b.md", [])


@pytest.mark.parametrize("given", ["Caf\u00e9.md", "Cafe\u0301.md"])
@pytest.mark.parametrize("name", ["Caf\u00e9.md", "Cafe\u0301.md"])
def test_a_path_is_found_in_either_unicode_form(tmp_path: Path, name: str, given: str) -> None:
    write_files(tmp_path, {name: "word"})
    with Vault.open(tmp_path, index="off") as vault:
        assert asked(vault, ["read", f"path={given}"]).out == "word"


def test_a_file_that_is_no_text_has_no_words(tmp_path: Path) -> None:
    (tmp_path / "p.pdf").write_bytes(b"%PDF-1.4 \0\xff words")
    with Vault.open(tmp_path, index="off") as vault:
        for command in ("read", "wordcount"):
            printed = asked(vault, f"{command} path=p.pdf")
            assert (printed.out, printed.err, printed.status) == ("", ["p.pdf is no text"], 1)


@pytest.mark.parametrize(
    ("written", "printed"), [("1.50", "1.5"), ("1e3", "1000"), ("7.0", "7"), ("0x10", "16"), ("[1.50, 2]", "1.5\n2")]
)
def test_a_number_is_printed_as_the_number_that_it_is(tmp_path: Path, written: str, printed: str) -> None:
    write_files(tmp_path, {"a.md": f"---\nn: {written}\n---\n"})
    with Vault.open(tmp_path, index="off") as vault:
        assert asked(vault, "property:read name=n path=a.md").out == printed


def test_nothing_found_where_not_all_was_searched_is_no_answer(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.md": "word", "long.md": "word " * 400})
    with Vault.open(tmp_path, config=VaultConfig(index="off", max_file_size=1_024)) as vault:
        found = asked(vault, "search query=word")
        assert (found.out, found.status) == ("a.md", 0) and "long.md" in found.err[0]
        printed = asked(vault, "search query=other")
        assert (printed.out, printed.status) == ("", 2) and "too large" in printed.err[-1]


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_flag_of_tag_characters_in_a_line_stays_and_other_tags_do_not(tmp_path: Path, form: str) -> None:
    england = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
    write_files(tmp_path, {"a.md": f"- [ ] word {england} hidden \U000e0041\n"})
    with Vault.open(tmp_path, index="off") as vault:
        for line in ("search:context query=word", "tasks"):
            shown = asked(vault, f"{line} format={form}").out
            assert england in shown and "\U000e0041" not in shown


@pytest.mark.not_on_windows("names of POSIX")
@pytest.mark.parametrize("line", ["files", "search query=word", "search query=word format=json"])
def test_no_name_steers_a_terminal_or_a_reader(tmp_path: Path, line: str) -> None:
    write_files(tmp_path, {"a \x1b[31m \x9b31m \u2028 \u202e \u2066 \U000e0041.md": "word"})
    with Vault.open(tmp_path, index="off") as vault:
        shown = asked(vault, line).out
    assert "\\u" in shown
    assert "".join(shown.splitlines()).isprintable()
