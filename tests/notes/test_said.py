"""What a note says: its text without data of plugins, comments, badges, and the code of templates and queries."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.answers.plugin_data import may_hold
from vaulttools.notes.note import ExtractedNote, Note
from vaulttools.notes.passages import split

BADGE = "[![build](https://img.shields.io/x.svg)](https://ci.org)"
BANNER = (
    "==⚠  Switch to EXCALIDRAW VIEW in the MORE OPTIONS menu of this document. ⚠== You can decompress Drawing data "
    "with the command palette: 'Decompress current Excalidraw file'."
)
PLUGIN = "---\n\nexcalidraw-plugin: parsed\n\n---\n"
JSON = '```json\n{\n\t"type": "excalidraw",\n\n\t"text": "hidden"\n}\n```\n%%\n'
PACKED = "```compressed-json\nN4IgLgngDgpiBcIYA8DGBDA\n\nNgSwCYCd0B3EAGhADcZ8\n```\n%%\n"
ELEMENTS = "## Text Elements\ninlet valve ^aBcD1234\n\ntwo lines\nof one ^eFgH_-78\n\n"
LINKS = "## Element Links\nQhXz12: [[Manual]]\n\n"
FILES = "## Embedded Files\n7f9ab: [[pump.png]]\n\n"
TEXTS = ["inlet valve", "two lines", "of one"]

CASES = {
    "a drawing": (f"{PLUGIN}{BANNER}\n\n\n# Excalidraw Data\n\n{ELEMENTS}%%\n## Drawing\n{JSON}", TEXTS),
    "a drawing that is packed": (f"{PLUGIN}{BANNER}\n# Excalidraw Data\n{ELEMENTS}%%\n## Drawing\n{PACKED}", TEXTS),
    "a drawing with links and files": (
        f"{PLUGIN}{BANNER}\n# Excalidraw Data\n{ELEMENTS}{LINKS}{FILES}%%\n## Drawing\n{JSON}",
        [*TEXTS, "[[Manual]]"],
    ),
    "a drawing whose elements are in a comment": (
        f"{PLUGIN}{BANNER}\n\n# Mine\n\nOn the back. %%aside%%\n\n"
        f"%%\n# Excalidraw Data\n{ELEMENTS}%%\n## Drawing\n{JSON}",
        ["# Mine", "On the back.", *TEXTS],
    ),
    "an old drawing": (f"{PLUGIN}{BANNER}\n%%\n\n# Text Elements\na b ^abcdefgh\n\n# Drawing\n{JSON}", ["a b"]),
    "text below a drawing": (f"{PLUGIN}# Excalidraw Data\n## Drawing\n{JSON}\nMine.\n", ["Mine."]),
    "a heading like that of a drawing": (f"{PLUGIN}# Drawing\n\nHow to draw.\n", ["# Drawing", "How to draw."]),
    "a note about drawings": (
        f"# Drawings\n\n## Text Elements\n\nan id ^abcdefgh\n\n{BANNER}\n",
        ["# Drawings", "## Text Elements", "an id ^abcdefgh", BANNER],
    ),
    "a drawing of tldraw": (
        "---\ntldraw-file: true\n---\nMine.\n\n```json !!!_START_OF_TLDRAW_DATA__DO_NOT_CHANGE_THIS_PHRASE_!!!\n{}\n"
        "!!!_END_OF_TLDRAW_DATA__DO_NOT_CHANGE_THIS_PHRASE_!!!\n```\n",
        ["Mine."],
    ),
    "handwriting": ("a\n\n```handwritten-ink\n{}\n```\n\n```handdrawn-ink\n{}\n```\n", ["a"]),
    "a rich mind map": ('---\nmindmap-plugin: rich\n---\n# Root\n``` json\n{"a": 1}\n```\n', ["# Root"]),
    "a simple mind map": ("---\nmindmap-plugin: basic\n---\n# Root\n\n- leaf\n", ["# Root", "- leaf"]),
    "a board": (
        "---\nkanban-plugin: board\n---\n## Todo\n\n- [ ] Call Ann\n\n\n%% kanban:settings\n```\n{}\n```\n%%\n",
        ["## Todo", "- [ ] Call Ann"],
    ),
    "JSON": ('```json\n{"a": 1}\n```\n', ["```json", '{"a": 1}', "```"]),
    "a comment in a sentence": ("One %%aside%% two.\n", ["One two."]),
    "a comment over lines": ("One.\n\n%%\nlong\n\n# aside\n%%\n\nTwo.\n", ["One.", "Two."]),
    "a comment in a list": ("- one %%aside%%\n- %%aside%%\n- two\n", ["- one", "- two"]),
    "two comments in a line": ("%%a%% one %%b%%\n", ["one"]),
    "a comment that nothing closes": ("One.\n\n%%\nTwo.\n", ["One.", "%%", "Two."]),
    "percent signs": ("5 %% 6\n\n100 %%% a %%% b\n", ["5 %% 6", "100 %%% a %%% b"]),
    "a comment of HTML": ("One <!-- aside --> two.\n\n<!--\n\naside\n-->\n\nThree.\n", ["One two.", "Three."]),
    "the schedule of a card": ("Capital? :: Oslo <!--SR:!2023-01-01,3,250-->\n", ["Capital? :: Oslo"]),
    "a comment of HTML that nothing closes": ("One <!-- two\n", ["One <!-- two"]),
    "comments in code": (
        "`%%a%%` `<!-- b -->`\n\n```\n%%c%%\n<!-- d -->\n```\n",
        ["`%%a%%` `<!-- b -->`", "```", "%%c%%", "<!-- d -->", "```"],
    ),
    "badges": (f"# Tool\n\n{BADGE} {BADGE}\n{BADGE}\n\nIt works.\n", ["# Tool", "It works."]),
    "badges in a list": (f"- {BADGE}\n- {BADGE}\n", []),
    "badges by reference": ("[![CI][ci-img]][ci] [![npm][npm-img]][npm]\n\nText.\n", ["Text."]),
    "badges in HTML": ('<a href="b"><img src="https://img.shields.io/a.svg" alt="x"></a>\n\nText.\n', ["Text."]),
    "a badge in a sentence": (f"The state is {BADGE}.\n", [f"The state is {BADGE}."]),
    "a picture with a link": ("[![The house](house.jpg)](big.jpg)\n", ["[![The house](house.jpg)](big.jpg)"]),
    "code of Templater": (
        "<%* let a = 1\n\nawait b() %>\n# <% tp.file.title %>\n\nBy <% name %> today.\n",
        ["By today."],
    ),
    "code of Templater in code": ("```\n<% a %>\n```\n\n`<% b %>`\n", ["```", "<% a %>", "```", "`<% b %>`"]),
    "fields of a template alone": ("# {{title}}\n\n{{date}} {{time}}\n\n- {{a}}\n", []),
    "fields of a template in a sentence": ("Created on {{date}}.\n", ["Created on {{date}}."]),
    "braces of a formula": ("$${{x}}$$\n", ["$${{x}}$$"]),
    "a query of Dataview": ("Books:\n\n```dataview\nTABLE rating\n```\n\n~~~dataviewjs\ndv.list()\n~~~\n", ["Books:"]),
    "a query in a callout": ("> [!info] Open\n> ```tasks\n> not done\n> ```\n", ["> [!info] Open"]),
    "a query as an example": (
        "````md\n```dataview\nLIST\n```\n````\n",
        ["````md", "```dataview", "LIST", "```", "````"],
    ),
    "a value of Dataview": ("**Area** `= this.area`; `$= dv.current().x` and `=[[A]].b`\n", ["**Area** ; and"]),
    "other code with an equals sign": ("`=SUM(A1:A9)` and `==`\n", ["`=SUM(A1:A9)` and `==`"]),
}


def lines(note: Note) -> list[str]:
    said = "\n".join(note.says(each.start, each.end) for each in split(note))
    return [line.rstrip() for line in said.split("\n") if line.strip()]


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_a_note_says_what_its_reader_sees(text: str, expected: list[str]) -> None:
    assert lines(Note("a.md", text)) == expected
    assert lines(Note("a.md", text.replace("\n", "\r\n"))) == expected


def test_a_note_is_a_drawing_by_its_name_too() -> None:
    assert lines(Note("Pump.excalidraw.md", f"{BANNER}\n# Excalidraw Data\n{ELEMENTS}## Drawing\n{JSON}")) == TEXTS


def test_the_text_of_an_attachment_is_said_as_it_is() -> None:
    note = ExtractedNote("a.pdf", "One %%two%% <!-- three -->\n")
    assert note.said is note.source


@pytest.mark.parametrize(
    ("text", "data"),
    [
        (f"{PLUGIN}{BANNER}\n\n{ELEMENTS}%%\n## Drawing\n```json\n{{}}\n```\n%%\n", {6, 8, 14, 15, 16, 17, 18, 19}),
        ("- [ ] a\n\n%% kanban:settings\n```\n{}\n```\n%%\n", {3, 4, 5, 6, 7}),
        ("a\n\n%%aside%%\n\n<!-- b -->\n", set()),
    ],
)
def test_a_note_tells_the_lines_in_which_a_plugin_keeps_its_data(text: str, data: set[int]) -> None:
    assert Note("a.md", text).data_lines == data


PIECES = [
    *("%%", "%% a %%", "<!--", "-->", "<%", "%>", "{{a}}", "`", "``", "`= this.a`", "`$= dv.a`", "```", "```dataview"),
    *("```json", BADGE, "[![", "badge", "said", " ", "\n", "\n\n", "# ", "- ", "> ", "é", "語", "🔴", "==⚠"),
    *(
        "# Excalidraw Data\n",
        "## Text Elements\n",
        "\nx ^abcdefgh\n",
        "## Embedded Files\n",
        "## Drawing\n",
        "kanban:settings",
    ),
]


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from([*PIECES, "```Compressed-JSON\nx\n```\n", "~~~handdrawn-Ink\nx\n~~~\n"])).map("".join),
    st.sampled_from(["", PLUGIN, "---\nmindmap-plugin: rich\n---\n"]),
    st.sampled_from(["a.md", "a.excalidraw.md", "b.Excalidraw.MD"]),
)
def test_the_quick_look_passes_every_note_with_data(text: str, properties: str, path: str) -> None:
    if Note(path, properties + text).data_lines:
        assert may_hold(path, properties + text)


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.sampled_from(["", PLUGIN]))
def test_what_is_said_keeps_every_place_and_changes_no_sign(text: str, properties: str) -> None:
    note = Note("a.md", properties + text)
    said, own = note.said.text, note.source.text
    assert len(said) == len(own)
    assert all(one in (other, " ") for one, other in zip(said, own, strict=True))
    assert said.count("\n") == own.count("\n")
    assert said[: note.source.offset(note.body_line)] == own[: note.source.offset(note.body_line)]
    shown = note.says(0, len(own))
    assert "".join(shown.split()) == "".join(said.split())
    assert [bool(line.strip()) for line in shown.split("\n")] == [bool(line.strip()) for line in said.split("\n")]
    assert all(not note.said.lines[line - 1].strip() for line in note.data_lines)


@pytest.mark.parametrize("sign", [*("%%", "%% a\n", "<!--", "<%", "{{", "[![", "`", "`=", "[![a](badge)", "\n%%\n\n")])
def test_a_note_is_read_in_time_that_grows_with_its_length(sign: str) -> None:
    note = Note("a.md", f"{PLUGIN}{sign * (200_000 // len(sign))}")
    assert note.structure
    start = time.process_time()
    assert note.said
    assert time.process_time() - start < 3
