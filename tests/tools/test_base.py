"""`base`: views of bases and queries of one's own, as tables."""

from __future__ import annotations

import json
import unicodedata
from typing import Any, Final

import pytest

from tests.bases.oracle import CASES
from tests.conftest import MakeVault
from vaulttools import Vault, VaultConfig, VaultToolsError
from vaulttools.cli.main import main

PROJECTS = """\
filters:
  and:
    - file.hasTag("project")
formulas:
  left: budget - spent
  label: '"#" + formula.left.toString()'
properties:
  status: {displayName: State}
  formula.left: {displayName: Left}
summaries:
  rounded: values.mean().round(1)
views:
  - type: table
    name: Active
    filters: status != "done"
    order: [file.name, status, formula.left, note.people]
    sort:
      - {property: formula.left, direction: DESC}
    summaries: {formula.left: rounded, status: Unique}
  - type: cards
    name: By state
    groupBy: {property: status, direction: ASC}
    order: [file.name, budget]
    summaries: {note.budget: Sum}
    limit: 2
"""
NOTES: dict[str, str | bytes] = {
    "Projects.base": PROJECTS,
    "a.md": "---\ntags: [project]\nstatus: open\nbudget: 100\nspent: 25.5\npeople: ['[[Ines]]', Omar]\n---\n",
    "b.md": "---\ntags: project/sub\nstatus: done\nbudget: 10\nspent: 10\n---\n",
    "c d.md": "---\nstatus: open\nbudget: 50\nspent: 10\n---\n#project\n",
    "Ines.md": "---\nborn: 1990-05-01\n---\n[[a]]\n",
    "other/e.md": "no properties\n",
    "picture.png": b"\x89PNG",
}  # fmt: skip


def table(text: str) -> str:
    """The lines between the first one and the notices."""
    return text.split("\n\n")[1]


@pytest.mark.not_on_windows("no name has a bar there")
def test_a_bar_in_a_name_parts_no_columns(make_vault: MakeVault) -> None:
    with make_vault({"Names.base": "views: [{type: table, name: All, order: [file.name]}]", "c | d.md": ""}) as vault:
        text = vault.base("Names.base", where='file.ext == "md"').text
    assert table(text).splitlines()[-1] == r"| c \| d |"


def test_a_view_is_a_table_of_its_columns(make_vault: MakeVault) -> None:
    with make_vault(NOTES) as vault:
        found = vault.base("Projects.base")
    assert found.text == (
        'View "Active" of Projects.base: 2 rows:\n\n'
        "| file.name | State | Left | people |\n|---|---|---|---|\n"
        "| a | open | 74.5 | [[Ines]], Omar |\n"
        "| c d | open | 40 |  |\n"
        "Summaries: Left rounded 57.3; State Unique 1\n\n"
        "[Other views: By state.]"
    )
    details = found.model_dump(exclude={"searched", "passed_over", "notices"})
    assert details == {
        "complete": True,
        "base": "Projects.base",
        "view": "Active",
        "columns": [
            {"name": "file.name", "display": "file.name", "type": "string"},
            {"name": "note.status", "display": "State", "type": "string", "summary": "Unique"},
            {"name": "formula.left", "display": "Left", "type": "number", "summary": "rounded"},
            {"name": "note.people", "display": "people", "type": "list"},
        ],
        "rows": [
            {"path": "a.md", "values": ["a", "open", 74.5, ["[[Ines]]", "Omar"]]},
            {"path": "c d.md", "values": ["c d", "open", 40, None]},
        ],
        "groups": [],
        "summaries": {"formula.left": 57.3, "note.status": 1},
        "views": [{"name": "Active", "type": "table"}, {"name": "By state", "type": "cards", "limit": 2}],
        "total": 2,
        "next_page": None,
    }


def test_groups_have_their_rows_and_summaries_and_pages_follow_each_other(make_vault: MakeVault) -> None:
    with make_vault(NOTES) as vault:
        first = vault.base("Projects.base", view="By state")
        second = vault.base("Projects.base", view="By state", page=2)
    assert first.text == (
        'View "By state" of Projects.base: 3 rows, 1 to 2:\n\n'
        "Group done, 1 row: budget Sum 10\n\n| file.name | budget |\n|---|---|\n| b | 10 |\n\n"
        "Group open, 2 rows: budget Sum 150\n\n| file.name | budget |\n|---|---|\n| a | 100 |\n\n"
        "Summaries of all rows: budget Sum 160\n\n"
        "[Other views: Active.]\n"
        '[For more rows: base {"base": "Projects.base", "view": "By state", "page": 2}]'
    )
    assert [group.model_dump() for group in first.groups] == [
        {"value": "done", "rows": 1, "summaries": {"note.budget": 10}},
        {"value": "open", "rows": 2, "summaries": {"note.budget": 150}},
    ]
    assert (first.next_page, second.next_page) == (2, None)
    assert [row.path for row in second.rows] == ["c d.md"]


def paths(vault: Vault, **arguments: Any) -> list[str]:
    return [row.path for row in vault.base(**arguments).rows]


def test_a_call_without_a_base_selects_among_all_files(make_vault: MakeVault) -> None:
    with make_vault(NOTES) as vault:
        assert paths(vault, where='file.ext != "md"') == ["Projects.base", "picture.png"]
        assert paths(vault, where="budget > 20", sort="-budget") == ["a.md", "c d.md"]
        nothing = {"not": ["file.inFolder('other')", "budget", 'file.ext != "md"']}
        assert paths(vault, where={"or": ["budget == 10", nothing]}) == ["Ines.md", "b.md"]
        assert paths(vault, where='{"and": ["budget", "spent < 20"]}') == ["b.md", "c d.md"]
        assert paths(vault, where="true", folder="other") == ["other/e.md"]
        found = vault.base(where="budget", columns=["file.name", "budget * 2"], summaries={"budget * 2": "Sum"})
        assert [row.values for row in found.rows] == [["a", 200], ["b", 20], ["c d", 100]]
        assert found.summaries == {"budget * 2": 320}


def test_the_first_sort_key_counts_most_and_empty_values_come_last_either_way(make_vault: MakeVault) -> None:
    budgets = {"a": "x, 2", "b": "y, 1", "c": "x, 3", "d": "y, 4"}
    notes: dict[str, str | bytes] = {
        f"{name}.md": f"---\nkind: {held[0]}\nbudget: {held[3]}\n---\n" for name, held in budgets.items()
    }
    with make_vault({**notes, "empty.md": "no properties\n"}) as vault:
        assert paths(vault, where="true", sort=["kind", "-budget"]) == ["c.md", "a.md", "d.md", "b.md", "empty.md"]
        assert paths(vault, where="true", sort=["-kind", "budget"]) == ["b.md", "d.md", "a.md", "c.md", "empty.md"]
        assert paths(vault, where="true", sort="-budget")[-1] == "empty.md"


def test_arguments_replace_those_of_the_view(make_vault: MakeVault) -> None:
    with make_vault(NOTES) as vault:
        found = vault.base(
            "Projects", where="spent > 5", columns=["file.path", "formula.label"], sort="file.name", group_by="-status"
        )
        assert [row.values for row in found.rows] == [["a.md", "#74.5"], ["c d.md", "#40"]]
        assert [group.value for group in found.groups] == ["open"]
        assert paths(vault, base="Projects.base#By state", limit=10) == ["b.md", "a.md", "c d.md"]


def test_the_views_are_listed(make_vault: MakeVault) -> None:
    with make_vault(NOTES) as vault:
        assert vault.base("Projects.base", list_views=True).text == (
            "2 views of Projects.base:\n\n Active: table\n By state: cards\n\n"
            '[To run one: base {"base": "Projects.base", "view": "Active"}]'
        )


BLOCK = "```base\nfilters: file.hasLink(this)\nviews:\n  - {type: list, name: Links here, order: [file.name]}\n```\n"


def test_a_base_block_in_a_note_has_the_note_as_this(make_vault: MakeVault) -> None:
    with make_vault(
        {
            "a.md": f"# One\n{BLOCK}\n# Two\n> ~~~base\n> views:\n>   - {{name: All, order: [file.path]}}\n> ~~~\n",
            "b.md": "[[a]]",
            "c.md": "[[b]]",
        }
    ) as vault:
        first = vault.base("a.md")
        assert [row.path for row in first.rows] == ["b.md"]
        assert first.notices == [
            "a.md has 2 base blocks; this is the first, of line 2. Name another by its heading: note.md#Heading."
        ]
        assert paths(vault, base="a.md#One", this_note="b") == ["c.md"]
        assert paths(vault, base="a#Two") == ["a.md", "b.md", "c.md"]
        with pytest.raises(VaultToolsError, match=r"There is no base block in b\.md; give a \.base file, or where"):
            vault.base("b.md")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, "base needs a base (a .base file, or a note with a base block) or where (an expression)"),
        ({"where": "foo(1)"}, 'Unknown function "foo" in the expression in where, position 1: HERE-> foo(1)'),
        ({"where": {"any": []}}, 'Unknown key "any" in the expression in where; a filter is a text, or has'),
        ({"where": 5}, "where must be an expression, or an object with and, or, not"),
        ({"where": "a", "view": "x"}, "view and list_views need base: a .base file, or a note with a base block"),
        ({"where": "a", "columns": ["a +"]}, "a value is missing before end in columns, position 4"),
        ({"where": "a", "summaries": {"a": "Totl("}}, "a value is missing before end in summaries, position 6"),
        ({"base": "bad.base"}, 'Unknown function "foo" in the filter of view "Table", position 7: price. HERE-> foo()'),
        ({"base": "bad.base", "view": "F"}, 'Unknown formula "x" in the columns of view "F", position 9: formula.'),
        ({"base": "bad.base", "view": "N"}, 'Unknown view "N" in a base with the views: Table, F'),
        ({"base": "yaml.base"}, "The YAML cannot be read"),
        ({"base": "list.base"}, "A base is a mapping with filters, formulas, properties, summaries and views"),
        ({"base": "nowhere.base"}, "Path not found: nowhere.base"),
    ],
)  # fmt: skip
def test_a_mistake_is_reported_in_one_sentence(make_vault: MakeVault, arguments: dict[str, Any], sentence: str) -> None:
    files = {
        "bad.base": "views:\n- name: Table\n  filters: price.foo()\n- name: F\n  order: [formula.x]\n",
        "yaml.base": "filters: [\n",
        "list.base": "- a\n",
    }
    with make_vault(files) as vault, pytest.raises(VaultToolsError) as refused:
        vault.base(**arguments)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_files_for_which_a_filter_has_no_value_are_left_out_and_reported(make_vault: MakeVault) -> None:
    with make_vault({"a.md": "---\nn: x\n---", "b.md": "---\nn: '5'\n---"}) as vault:
        found = vault.base(where="number(n) > 1")
    assert [row.path for row in found.rows] == ["b.md"]
    assert found.notices == [
        'The expression in where has no value for 1 file (a.md), which it leaves out: Unable to parse "x" as a number.'
    ]


def test_a_cell_without_a_value_says_why(make_vault: MakeVault) -> None:
    with make_vault({"a.md": "---\nn: x\n---"}) as vault:
        found = vault.base(where="true", columns=["number(n)"])
    assert found.rows[0].values == [{"error": 'Unable to parse "x" as a number.'}]
    assert '| (error: Unable to parse "x" as a number.) |' in found.text


FAULTY: Final = {
    "x.base": json.dumps(
        {
            "formulas": {"bad": "price.upper()", "open": "(1", "chain": "formula.bad + 1", "old": "empty(price)",
                         "good": "price + 1"},
            "summaries": {"worst": "values.foo()"},
            "views": [
                {"name": "Names", "order": ["file.name", "formula.good"]},
                {"name": "Cells", "order": [f"formula.{name}" for name in ("bad", "open", "chain", "old", "good")]},
                {"name": "Sum", "order": ["price"], "summaries": {"price": "worst"}},
                {"name": "Filter", "filters": "formula.bad"},
                {"name": "Order", "order": ["price"], "sort": ["formula.bad"], "groupBy": "formula.open"},
            ],
        }
    ),
    "n.md": "---\nprice: 1\n---\n",
}  # fmt: skip
UPPER: Final = 'Unknown function "upper" in formula "bad", position 7: price. HERE-> upper()'


def test_a_formula_that_cannot_be_read_is_an_error_in_its_cells_alone(make_vault: MakeVault) -> None:
    with make_vault(FAULTY) as vault:
        assert vault.base("x.base", view="Names", where="price").rows[0].values == ["n", 2]
        bad, open_, chain, old, good = vault.base("x.base", view="Cells", where="price").rows[0].values
        assert (bad, chain, good) == ({"error": UPPER}, {"error": UPPER}, 2)
        assert open_["error"].startswith('"(" is not closed with ")" in formula "open", position 1')
        assert old["error"].endswith("HERE-> empty(price); empty(value) is now value.isEmpty()")
        assert (
            'Unknown function "foo" in summary "worst"'
            in vault.base("x.base", view="Sum").summaries["note.price"]["error"]
        )


def test_a_formula_that_cannot_be_read_is_named_where_no_cell_shows_it(make_vault: MakeVault) -> None:
    with make_vault(FAULTY) as vault:
        found = vault.base("x.base", view="Filter")
        assert found.notices[0].startswith('The filter of view "Filter" has no value for 2 files')
        assert UPPER in found.notices[0]
        notices = vault.base("x.base", view="Order").notices
        assert notices[0] == f"{UPPER}."
        assert notices[1].startswith('"(" is not closed')
        with pytest.raises(VaultToolsError, match='Unknown function "upper" in columns'):
            vault.base("x.base", columns=["price.upper()"])


SPEAKS_OF_THIS: Final = (
    "filters: list(genre).contains(this)\nviews: [{name: T}, {name: N, filters: 'false', order: [this.file.name]}]\n"
)


def test_a_base_that_uses_this_says_what_it_means_until_a_note_is_named(make_vault: MakeVault) -> None:
    sentence = '"this" means the base itself here. Name the note that it means: this_note.'
    files = {
        "G.base": SPEAKS_OF_THIS,
        "Sci.md": f"```base\n{SPEAKS_OF_THIS}```\n",
        "M.md": "---\ngenre: ['[[Sci]]']\n---\n",
        "plain.base": "views: [{name: T}]\n",
        "column.base": "formulas: {f: this.file.name}\n"
        "views: [{name: T, order: [formula.f]}, {name: U, order: [file.name]}]\n",
    }
    with make_vault(files) as vault:
        found = vault.base("G.base")
        assert (found.total, found.notices[0]) == (0, sentence)
        named = vault.base("G.base", this_note="Sci")
        assert ([row.path for row in named.rows], sentence in named.notices) == (["M.md"], False)
        block = vault.base("Sci.md")
        assert ([row.path for row in block.rows], sentence in block.notices) == (["M.md"], False)
        assert sentence in vault.base("column.base", where='file.ext == "md"').notices
        assert sentence not in vault.base("column.base", view="U").notices + vault.base("plain.base").notices
        assert '"this" is not known; name a note by this_note.' in vault.base(where="file.hasLink(this)").text


def test_a_property_that_no_note_has_is_reported_when_nothing_is_found(make_vault: MakeVault) -> None:
    with make_vault({"a.md": "---\nstatus: x\n---"}) as vault:
        found = vault.base(where='statuss == "x"')
    assert found.text == 'No files found.\n\n[No note has the property "statuss". Similar names: status.]'


def test_an_unquoted_text_and_a_bare_date_are_reported_even_when_rows_are_found(make_vault: MakeVault) -> None:
    with make_vault({"a.md": "---\nstatus: active\ndue: 2026-11-10\n---", "b.md": ""}) as vault:
        found = vault.base(where="status == active")
        assert [row.path for row in found.rows] == ["b.md"]
        assert found.notices == ['No note has the property "active". A text needs quotation marks: "active".']
        found = vault.base(where="due > 2026-12-01 || true")
        assert found.notices == ['2026-12-01 is a subtraction. A date is written date("2026-12-01").']
        assert vault.base(where='due < date("2026-12-01")').notices == []


def test_protected_hidden_and_excluded_files_are_no_rows(make_vault: MakeVault) -> None:
    files = {
        ".obsidian/app.json": json.dumps({"userIgnoreFilters": ["Archive/"]}),
        ".obsidian/x.md": "CANARY", ".trash/y.md": "CANARY", ".hidden.md": "CANARY", "Archive/z.md": "CANARY",
        "a.md": "",
    }  # fmt: skip
    with make_vault(files) as vault:
        found = vault.base(where="true", columns=["file.path", 'file("x").path', 'file(".obsidian/x.md").path'])
        assert [row.values for row in found.rows] == [["a.md", None, None]]
        with pytest.raises(VaultToolsError, match="protected folder"):
            vault.base(".obsidian/x.base")


def test_cells_stay_on_one_line_and_show_nothing_that_steers_a_terminal(make_vault: MakeVault) -> None:
    with make_vault({"a.md": '---\nt: "a|b\\nc\\u001b[31m\\u202e"\n---'}) as vault:
        found = vault.base(where="t", columns="t")
    assert "| a\\|b<br>c\\x1b[31m\\u{202e} |" in found.text


def test_the_text_is_bounded_and_the_details_are_whole(make_vault: MakeVault) -> None:
    files = {f"{number:04}.md": f"---\nt: {'x' * 150}\n---" for number in range(600)}
    with make_vault(files) as vault:
        found = vault.base(where="true", columns=["t"], limit=600)
        assert len(found.text.encode()) <= 50 * 1024
        assert len(found.rows) == 600
        assert "[Cut at 50 KiB:" in found.text
        assert len(found.bounded()["rows"]) == found.text.count("| xxx")


def test_a_timeout_is_reported(make_vault: MakeVault) -> None:
    with make_vault({f"{number}.md": "" for number in range(50)}) as vault:
        pass
    lists = "[" + ",".join("1" * 40) + "]"
    slow = f"{lists}.map({lists}.map({lists}.map({lists}.map(value)))).length"
    with Vault.open(vault.path, config=VaultConfig(time_limit=0.5)) as slow_vault:
        found = slow_vault.base(where=slow)
    assert not found.complete
    assert "stopped after 0.5 s" in found.text


def test_the_values_that_the_app_computed_come_out_of_the_tool(make_vault: MakeVault) -> None:
    chosen = [case for case in CASES["cases"] if "formula." not in case[1] and "number(date" not in case[1]]
    with make_vault(CASES["files"]) as vault:
        found = vault.base(where='file.path == "Oracle/row.md"', columns=[expression for _, expression, _ in chosen])
    (row,) = found.rows
    assert row.values == [expected for _, _, expected in chosen]


def test_rows_can_be_printed_as_csv(make_vault: MakeVault, capsys: pytest.CaptureFixture[str]) -> None:
    with make_vault(NOTES) as vault:
        folder = str(vault.path)
    assert main(["--vault", folder, "base", "Projects.base", "--csv"]) == 0
    printed = capsys.readouterr()
    assert printed.out == (
        "path,file.name,State,Left,people\n"
        'a.md,a,open,74.5,"[""[[Ines]]"", ""Omar""]"\n'
        "c d.md,c d,open,40,\n"
    )  # fmt: skip
    assert printed.err == "Other views: By state.\n"


def test_an_endless_duration_is_an_error_of_its_cell(make_vault: MakeVault) -> None:
    vault = make_vault({"a.md": "---\ne: 0\n---\n", "b.md": "---\ne: 5\n---\n"})
    answer = vault.base(columns=["file.name", 'duration("1d") * (10 / e)'], sort=['duration("1d") * (10 / e)'])
    assert [row.values for row in answer.rows] == [
        ["b", "2 days"],
        ["a", {"error": "The duration is longer than a calendar has days."}],
    ]


def test_the_date_of_a_note_is_a_column_and_a_condition(make_vault: MakeVault) -> None:
    vault = make_vault(
        {
            "2026-05-12.md": "a day",
            "log.md": "## 2026-03-01\nrain\n## 2026-06\nsun\n",
            "own.md": "---\nnote_date: soon\ndate: 2026-04-01\n---\n",
        }
    )
    found = vault.base(where="file.note_date.year == 2026", columns=["file.name", "note_date"], sort=["-note_date"])
    assert [row.values for row in found.rows] == [["own", "soon"], ["log", "2026-06-01"], ["2026-05-12", "2026-05-12"]]
    assert vault.base(where='note_date == date("2026-05-12")').rows[0].path == "2026-05-12.md"
    assert vault.base(where='note["note_date"] == date("2026-05-12")').total == 1


CONSTANT = "is {}, so it says the same of every file; write {}"
EXAMPLE = 'a condition such as status == "open", or JSON such as {"and": ["status == \\"open\\"", "price > 5"]}'
OBJECT = "an object, but not in JSON"


@pytest.mark.parametrize(
    ("where", "what", "instead"),
    [
        ("{'and': ['status == \"open\"']}", OBJECT, 'it as JSON: {"and": ["status == \\"open\\""]}'),
        ('{"and": ["status == \'open\'",]}', OBJECT, 'it as JSON: {"and": ["status == \'open\'"]}'),
        ('{and: [status == "open"]}', OBJECT, 'it as JSON: {"and": ["status == \\"open\\""]}'),
        ("{or: [a, {not: ['b > 1']}]}", OBJECT, 'it as JSON: {"or": ["a", {"not": ["b > 1"]}]}'),
        ('{or: [file.hasTag("a", "b"), c]}', OBJECT, 'it as JSON: {"or": ["file.hasTag(\\"a\\", \\"b\\")", "c"]}'),
        ("{status: 'open'}", OBJECT, EXAMPLE),
        ("[\"status == 'open'\"]", "a list", 'it as JSON: {"and": ["status == \'open\'"]}'),
        ("[status == 1]", "a list", 'it as JSON: {"and": ["status == 1"]}'),
        ("[]", "a list", EXAMPLE),
        ("\"status == 'open'\"", "a text", "it without the quotation marks around it: status == 'open'"),
        ("'x'", "a text", EXAMPLE),
        ("1", "a number", EXAMPLE),
        (1, "a number", EXAMPLE),
        ("!-1", "a number", EXAMPLE),
        ("null", "null", EXAMPLE),
        ("/a/", "a regular expression", EXAMPLE),
        ("{'and': [True, 'a > 1']}", OBJECT, 'it as JSON: {"and": ["true", "a > 1"]}'),
        ("status == 1 && 'x'", "a text", EXAMPLE),
        ("status == 1 || 'x'", "a text", EXAMPLE),
        ("status && (due || !2) && !'x'", "a number", EXAMPLE),
        ({"or": ["status == 1", "[2]"]}, "a list", EXAMPLE),
    ],
)
def test_a_condition_that_is_a_constant_is_refused_and_corrected(
    make_vault: MakeVault, where: Any, what: str, instead: str
) -> None:
    vault = make_vault({"a.md": "---\nstatus: open\n---\n", "b.md": "x"})
    with pytest.raises(VaultToolsError) as refused:
        vault.base(where=where)
    if where == 1:
        assert str(refused.value) == "where must be an expression, or an object with and, or, not"
    else:
        shown = where if isinstance(where, str) else "[2]"
        assert shown in str(refused.value)
        assert str(refused.value).endswith(CONSTANT.format(what, instead).replace("it as JSON: a ", "a "))


@pytest.mark.parametrize(
    ("where", "rows"),
    [("true", 2), ("false", 0), ({"and": ["true", "status"]}, 1), ("", 2), ("(status || 'x') == true", 2)],
)
def test_a_condition_may_be_true_or_false(make_vault: MakeVault, where: Any, rows: int) -> None:
    assert (
        make_vault({"a.md": "---\nstatus: open\n---\n", "b.md": "x"}).base(where=where, columns=["file.name"]).total
        == rows
    )


DEEP = "'a'.repeat(2000).split('').reduce([acc], [1])"


@pytest.mark.parametrize("expression", [DEEP, f"{DEEP}.toString()", f"{DEEP} == {DEEP}", f"[{DEEP}, {DEEP}].unique()"])
def test_a_list_that_is_nested_too_deeply_is_an_error_of_its_cell(make_vault: MakeVault, expression: str) -> None:
    answer = make_vault({"a.md": ""}).base(where="true", columns=[expression], sort=[expression])
    assert answer.rows[0].values == [{"error": "Lists are nested deeper than 64 levels."}]


@pytest.mark.parametrize("where", ['{}.contains("é 한")', '{}.startsWith("Café")', '{}.endsWith("한국")'])
def test_parts_of_names_and_values_are_the_same_composed_and_decomposed(where: str, make_vault: MakeVault) -> None:
    name = unicodedata.normalize("NFD", "Café 한국")
    with make_vault({f"{name}.md": f"---\np: {name}\n---\n", "Cafe.md": "x"}) as vault:
        for of in ("file.name", "p"):
            for form in ("NFC", "NFD"):
                asked = unicodedata.normalize(form, where.format(of))
                assert [row.path for row in vault.base(where=asked).rows] == [f"{name}.md"]
        assert [row.path for row in vault.base(where='file.name.contains("Cafe")').rows] == ["Cafe.md"]
