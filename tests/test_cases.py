"""The behaviours of the source documents as data: `fixtures/cases/search-find.json`, each row a test.

Where this product decides differently, the row's expectation is replaced in `DECIDED`, with the reason;
`docs/sources.md` lists them.
"""

from __future__ import annotations

import base64
import json
import os
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from vaulttools import Vault, VaultConfig
from vaulttools.errors import BadArgument
from vaulttools.files import content_caches, selectors
from vaulttools.patterns import pattern
from vaulttools.resources.urls import Virtual
from vaulttools.tools import find

CASES = json.loads((Path(__file__).parent.parent / "fixtures/cases/search-find.json").read_text(encoding="utf-8"))

DECIDED: dict[str, tuple[dict[str, Any], str]] = {
    "omp-013": (
        {"text": "No matches found\n\nSkipped: p.fifo (not a regular file)"},
        "what cannot be searched is reported",
    ),
    "omp-058": (
        {"error_contains": ["Access denied: '.git/' is a protected folder"]},
        "protected folders are never searched",
    ),
    "omp-064": (
        {"error_contains": ["Path is outside the vault: "]},
        "nothing outside the vault is reachable",
    ),
    "omp-106": (
        {"text": "*6|fail) now\n\nThe parentheses in 'fail)' were taken literally."},
        "a repair is reported",
    ),
    "omp-109": (
        {"error_contains": ["Invalid regex: [[Wiki: ", r"\[\[Wiki"]},
        "an invalid pattern is an error with a hint, never a literal search",
    ),
    "omp-148": (
        {"error_contains": ["Invalid glob pattern: *.{md: "]},
        "an unclosed brace is an error",
    ),
    "omp-214": ({"result": r"\$\{platform\}"}, "`${platform}` is found as typed"),
}


def _lay_out(folder: Path, case: dict[str, Any]) -> None:
    for name, content in case.get("files", {}).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            path.write_bytes(content.encode())
        elif "base64" in content:
            path.write_bytes(base64.b64decode(content["base64"]))
        elif content.get("gen") == "lines":
            lines = (content["template"].replace("{i}", str(number)) for number in range(1, content["n"] + 1))
            path.write_bytes("\n".join(lines).encode())
        elif "symlink" in content:
            path.symlink_to(content["symlink"])
        elif "fifo" in content:
            os.mkfifo(path)
        else:
            path.mkdir()
    for name, members in case.get("setup", {}).get("zip_archives", {}).items():
        with zipfile.ZipFile(folder / name, "w") as archive:
            for member, text in members.items():
                archive.writestr(member, text)
    if case.get("setup", {}).get("make_git_dir"):
        (folder / ".git").mkdir(exist_ok=True)
    for name, modified in case.get("setup", {}).get("mtimes", {}).items():
        os.utime(folder / name, (modified, modified))


def _filled_in(value: Any, folder: Path, outside: Path) -> Any:
    text = json.dumps(value).replace("{CWD2}", outside.as_posix()).replace("{CWD}", folder.as_posix())
    return json.loads(text)


def _shown_lines(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"^\*(\d+)[|:]", text, re.MULTILINE)]


@pytest.mark.not_on_windows("the rows lay out links, FIFOs and names that Windows forbids")
@pytest.mark.parametrize("case", [row for row in CASES if row["tool"] in ("search", "find")], ids=lambda row: row["id"])
def test_a_row_of_the_documents_holds(case: dict[str, Any], tmp_path: Path) -> None:
    folder, outside = tmp_path / "vault", tmp_path / "second"
    folder.mkdir()
    outside.mkdir()
    _lay_out(folder, case)
    setup = case.get("setup", {})
    config = VaultConfig(
        search_context_before=setup.get("context_before", 1),
        search_context_after=setup.get("context_after", 3),
        hashline=setup.get("line_mode") == "hashline",
    )
    vault = Vault.open(folder, config=config)
    virtual = setup.get("virtual_resources", {})
    vault.register_resolver("virtual", lambda url: [Virtual(url, virtual[url.removeprefix("virtual://")])])
    expect = _filled_in(DECIDED.get(case["id"], (case["expect"], ""))[0], folder, outside)
    result = vault.call(case["tool"], _filled_in(case["args"], folder, outside))
    details = result.details

    if "error" in expect:
        assert (result.is_error, result.text) == (True, expect["error"])
    for part in expect.get("error_contains", ()):
        assert result.is_error
        assert part in result.text
    if not any(key.startswith("error") for key in expect):
        assert not result.is_error, result.text
    if "text" in expect:
        assert result.text == expect["text"]
    for part in expect.get("contains", ()):
        assert part in result.text
    for part in expect.get("not_contains", ()):
        assert part not in result.text
    for expression in expect.get("matches_regex", ()):
        assert re.search(expression, result.text)
    for key in ("files", "file_count", "match_count", "file_matches", "scope_path", "truncated", "missing_paths"):
        if key in expect:
            assert details[key] == expect[key]
    if "per_file_limit_reached" in expect:
        assert details["per_file_limit_reached"] == expect["per_file_limit_reached"]
    if "files_set" in expect:
        assert set(details["files"]) == set(expect["files_set"])
    if "lines" in expect:
        assert _shown_lines(result.text) == expect["lines"]


def _unit(tool: str) -> list[Any]:
    return [pytest.param(row, id=row["id"]) for row in CASES if row["tool"] == f"unit:{tool}"]


@pytest.mark.parametrize("row", _unit("parse_line_ranges"))
def test_line_ranges_are_read(row: dict[str, Any]) -> None:
    assert [list(part) for part in selectors.parse(row["args"]["selector"])] == row["expect"]["ranges"]


@pytest.mark.parametrize("row", _unit("split_path_selector"))
def test_a_selector_is_split_from_its_path(row: dict[str, Any]) -> None:
    assert list(selectors.split(row["args"]["path"])) == row["expect"]["split"]


@pytest.mark.parametrize("row", _unit("sanitize_braces"))
def test_braces_that_are_no_quantifier_become_literal(row: dict[str, Any]) -> None:
    expect = DECIDED.get(row["id"], (row["expect"], ""))[0]
    assert pattern.read(row["args"]["pattern"]).expression == expect["result"]


@pytest.mark.parametrize("row", _unit("escape_parens"))
def test_parentheses_become_literal_after_a_group_error(row: dict[str, Any]) -> None:
    literal = pattern.with_literal_parentheses(pattern.read(row["args"]["pattern"]))
    assert literal.expression == row["expect"]["result"]


@pytest.mark.parametrize("row", _unit("file_tag"))
def test_the_snapshot_tag_is_the_documents(row: dict[str, Any]) -> None:
    assert content_caches.tag(row["args"]["text"]) == row["expect"]["tag"]


@pytest.mark.parametrize("row", _unit("group_paths"))
def test_found_paths_are_grouped_by_folder(row: dict[str, Any]) -> None:
    assert find.grouped(row["args"]["paths"]) == row["expect"]["text"]


def test_every_row_is_covered() -> None:
    here = ("search", "find", "unit:parse_line_ranges", "unit:split_path_selector", "unit:sanitize_braces")
    also = ("unit:escape_parens", "unit:file_tag", "unit:group_paths")
    # These describe how the original splits a path into base and glob; `test_globs` tries what the globs select.
    globs_elsewhere = ("unit:parse_search_path", "unit:parse_find_pattern", "unit:build_glob_pattern")
    paths_elsewhere = ("unit:validate_paths",)
    assert {row["tool"] for row in CASES} <= {*here, *also, *globs_elsewhere, *paths_elsewhere}


@pytest.mark.parametrize("row", _unit("validate_paths"))
def test_a_comma_joins_several_paths_only_outside_braces(row: dict[str, Any], tmp_path: Path) -> None:
    vault = Vault.open(tmp_path)
    refused = None
    try:
        vault.answer("search", {"pattern": "x", "paths": row["args"]["paths"]})
    except BadArgument as error:
        refused = str(error)
    assert ("paths is an array" not in (refused or "")) == row["expect"]["ok"]
