"""A number is computed with and compared as one, however a note spells it, and shown as it is written."""

from __future__ import annotations

import json
import math
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import MakeVault, write_files
from tests.notes.properties.core_schema import number_of, spellings
from vaulttools import Vault
from vaulttools.cli.main import main

TEXTS: Final = ("1_000", "'12.50'", '"7"', "12.50 EUR", "0b1", "-0X1F", "word")
WORDS: Final = spellings().filter(lambda word: abs(number_of(word) or 0) < 1e9) | st.sampled_from(TEXTS)
SUMS: Final = ("Sum", "Average", "Min", "Max", "Range", "Median", "values.sum()", "values.mean()")
BASE: Final = json.dumps(
    {
        "formulas": dict.fromkeys(SUMS, "v"),
        "views": [
            {
                "filters": "file.ext == 'md'",
                "order": ["v", *(f"formula.{name}" for name in SUMS)],
                "sort": ["v"],
                "summaries": {f"formula.{name}": name for name in SUMS},
            }
        ],
    }
)


@settings(max_examples=25, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=8))
def test_sums_order_types_and_comparisons_follow_the_schema(words: list[str]) -> None:
    notes = {f"{place}.md": f"---\nv: {word}\n---\n" for place, word in enumerate(words)}
    known = {name: number_of(word) for name, word in zip(notes, words, strict=True)}
    numbers = {name: number for name, number in known.items() if number is not None}
    large = {name for name, number in numbers.items() if number > 3}
    quoted = {name for name, word in zip(notes, words, strict=True) if word in ("'12.50'", '"7"')}
    with TemporaryDirectory() as folder:
        write_files(Path(folder), {"x.base": BASE, **notes})
        with Vault.open(folder) as vault:
            found = vault.base("x.base")
            computed = vault.base(where="v", columns=['v.isType("number")', "v > 3", "v.toFixed(1)"])
            kinds = vault.properties().properties[0].types
            above = vault.query("[v:>3]", mode="obsidian", limit=100).notes
    summed = {name.removeprefix("formula."): value for name, value in found.summaries.items()}
    if numbers:
        total = pytest.approx(math.fsum(numbers.values()), abs=1e-3)
        mean = pytest.approx(math.fsum(numbers.values()) / len(numbers), abs=1e-3)
        assert (summed["Sum"], summed["values.sum()"]) == (total, total)
        assert (summed["Average"], summed["values.mean()"]) == (mean, mean)
        assert (summed["Min"], summed["Max"]) == (min(numbers.values()), max(numbers.values()))
    else:
        assert set(summed.values()) == {None}
    assert [known[row.path] for row in found.rows][: len(numbers)] == sorted(numbers.values())
    assert {row.path: row.values[0] for row in computed.rows} == {
        name: name in numbers for name, number in known.items() if number != 0
    }
    assert {row.path for row in computed.rows if row.values[1]} == large | quoted
    assert {row.path for row in computed.rows if isinstance(row.values[2], str)} == {
        name for name, number in numbers.items() if number
    }
    texts = {"text": len(words) - len(numbers)} if len(numbers) < len(words) else {}
    assert dict(kinds) == ({"number": len(numbers)} if numbers else {}) | texts
    assert {each.path for each in above} == large | quoted


NOTES: Final = {
    "a.md": "---\nprice: 12.50\nzip: 007\n---\n",
    "b.md": "---\nprice: 1e3\n---\n",
    "c.md": "---\nprice: '9'\n---\n",
}


def test_each_tool_shows_what_is_written(make_vault: MakeVault, capsys: pytest.CaptureFixture[str]) -> None:
    with make_vault(NOTES) as vault:
        assert "| 12.50 |" in (found := vault.base(where="price", columns=["price"])).text
        assert [row.values for row in found.rows] == [[12.5], [1000], ["9"]]
        assert "12.50 (1), 1e3 (1)" in (named := vault.properties()).text
        assert json.loads(named.model_dump_json())["properties"][0]["values"][0] == {"value": "9", "notes": 1}
        assert {json.dumps(each.value) for each in named.properties[0].values} == {'"9"', "12.5", "1000"}
        assert "price: 12.50" in vault.read("a.md", frontmatter=True).text
        assert vault.search_files(".", columns=["price"]).text.count("a.md (price: 12.50)") == 1
        read = vault.read(notes=["a.md", "b.md"], frontmatter=True)
        assert ("| 12.50 | 007 |" in read.text, read.notes[0].properties) == (True, {"price": 12.5, "zip": 7})
        folder = str(vault.path)
    assert main(["--vault", folder, "base", "--where", "price", "--columns", "price", "--csv"]) == 0
    assert capsys.readouterr().out == "path,price\na.md,12.50\nb.md,1e3\nc.md,9\n"


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("[price:>10]", ["a.md", "b.md"]),
        ("[price:<0x10]", ["a.md", "c.md"]),
        ("[price:12.50]", ["a.md"]),
        ("[price:/^12.5$/]", ["a.md"]),
        ("[price:1e3]", ["b.md"]),
        ("[price:1000]", ["b.md"]),
        ("[zip:007]", ["a.md"]),
    ],
)
def test_a_search_finds_a_number_by_its_value_and_by_both_spellings(
    make_vault: MakeVault, query: str, paths: list[str]
) -> None:
    with make_vault(NOTES) as vault:
        assert [each.path for each in vault.query(query, mode="obsidian").notes] == paths


@pytest.mark.parametrize(
    ("value", "paths"), [("12.50", ["a.md"]), (12.5, ["a.md"]), (1000, ["b.md"]), ("1e3", ["b.md"])]
)
def test_a_filter_by_property_takes_either_spelling(make_vault: MakeVault, value: Any, paths: list[str]) -> None:
    with make_vault(NOTES) as vault:
        assert [each.path for each in vault.search_files(".", properties={"price": value}).files] == paths


@pytest.mark.parametrize(
    ("where", "paths"),
    [
        ("price == 12.5", ["a.md"]),
        ("price > 10", ["a.md", "b.md"]),
        ("price >= 1000", ["b.md"]),
        ('price.isType("string")', ["c.md"]),
        ("zip + 1 == 8", ["a.md"]),
    ],
)
def test_a_condition_compares_the_number(make_vault: MakeVault, where: str, paths: list[str]) -> None:
    with make_vault(NOTES) as vault:
        assert [row.path for row in vault.base(where=where).rows] == paths


def test_equal_numbers_are_one_group(make_vault: MakeVault) -> None:
    files = {f"{place}.md": f"---\nv: {word}\n---\n" for place, word in enumerate(("5", "5.0", "+5", "'5'", "4.9"))}
    with make_vault(files) as vault:
        groups = vault.base(where="v", columns=["v"], group_by="v").groups
    assert [(each.value, each.rows) for each in groups] == [(4.9, 1), (5, 3), ("5", 1)]


def test_a_long_id_is_shown_digit_by_digit(make_vault: MakeVault) -> None:
    with make_vault(
        {"a.md": "---\nid: 9007199254740993\n---\n", "b.md": "---\nid: 12345678901234567890\n---\n"}
    ) as vault:
        found = vault.base(where="id", columns=["id"])
    assert "| 9007199254740993 |\n| 12345678901234567890 |" in found.text
    assert [row.values for row in found.rows] == [[9007199254740993], ["12345678901234567890"]]


def test_a_tag_that_looks_like_a_number_stays_a_tag(make_vault: MakeVault) -> None:
    with make_vault({"a.md": "---\ntags: [1e3, 2024]\n---\n"}) as vault:
        assert [each.tag for each in vault.tags().tags] == ["1e3"]
        assert vault.base(where='file.hasTag("1e3")').total == 1
