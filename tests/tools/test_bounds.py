"""No answer is larger than its bound, or breaks a character, whatever the vault holds."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools import Vault, VaultConfig
from vaulttools.core import limits

# Texts that are large, long, wide, or made to be cut in the wrong place.
pieces = st.sampled_from(
    [
        *("hit", "x", " ", "é", "日本", "😀", "👩\u200d👩\u200d👧", "🏴\U000e0067\U000e0062\U000e007f", "\U000e0041"),
        *("\u202e", "\x1b", "\x00", "\r", "\t", "\u2028", "\x85", "\ufffd", "a\u0301"),
        *("[Cut at 50 KiB: ", "# b.md", "*1|", "..."),
    ]
)
line = st.builds(
    lambda parts, times: "".join(parts) * times, st.lists(pieces, max_size=6), st.sampled_from([1, 20, 200])
)
text = st.builds(
    lambda lines, times, end: end.join(lines * times),
    st.lists(line, min_size=1, max_size=6),
    st.sampled_from([1, 3, 25]),
    st.sampled_from(["\n", "\r\n"]),
)
NAMES = ["a", "b c", "é", "日本", "😀" * 20, "# h", "[x]", "{y}", "a,b", "n:1-2", "-e", "(1)", "ü" * 100, "x" * 200]
if sys.platform != "win32":
    NAMES += [
        "new\nline",
        "esc\x1b[2K",
        "rtl\u202e",
        "back\\slash",
        "*",
        "tab\t",
        "[Cut at 50 KiB: ",
        "Skipped missing",
    ]
names = st.sampled_from(NAMES)
files = st.dictionaries(
    st.builds(
        lambda folders, name, end: "/".join([*folders, name + end]),
        st.lists(names, max_size=3),
        names,
        st.sampled_from([".md", ".txt", ""]),
    ),
    text,
    max_size=10,
)
patterns = st.sampled_from(
    ["hit", ".", "^", "x*", "😀", r"\s", "[^x]", "(?i)HIT", "hit\n", "{", "nowhere at all", "\u202e"]
)


SEARCH_LINE = re.compile(r"[* ][0-9]+[:|]|# |¶|\.\.\.$|No m(ore|atches) ")
"""What a line of the first block of `search` begins with."""


def checked(vault: Vault, tool: str, arguments: dict[str, Any]) -> str:
    """The text of a call, after checks that every text must pass."""
    result = vault.call(tool, arguments)
    assert "failed for a reason of its own" not in result.text
    raw = result.text.encode("utf-8")  # strict: a broken character would be a lone surrogate
    assert len(raw) <= limits.TEXT_BYTES
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]", result.text)
    json.dumps(result.details, ensure_ascii=False).encode("utf-8")
    if tool == "search" and not result.is_error:
        assert all(SEARCH_LINE.match(line) for line in result.text.split("\n\n")[0].split("\n"))
    if tool == "search_files" and not result.is_error:
        assert not re.search(r"^(?!Found |No |## |Line |\(|\[|$)", result.text, re.MULTILINE)
    return result.text


@given(files, patterns, st.integers(0, 3), st.booleans())
@settings(max_examples=25)
def test_faults_O01_and_O02_no_answer_is_over_its_bound_or_breaks_a_character(
    files: dict[str, str], pattern: str, number: int, hashline: bool
) -> None:
    with TemporaryDirectory() as temporary:
        there = laid_out(Path(temporary), files)
        vault = Vault.open(temporary, config=VaultConfig(hashline=hashline))
        checked(vault, "search", {"pattern": pattern})
        checked(vault, "search", {"pattern": pattern, "paths": [*there, "gone\n" * 50], "i": True})
        checked(vault, "search", {"pattern": pattern, "skip": number})
        checked(vault, "grep", {"pattern": pattern, "context_lines": number * 5, "max_results": 10 ** (number + 1)})
        checked(vault, "search_files", {"pattern": pattern, "context_lines": number * 5, "file_pattern": "**"})
        checked(vault, "find", {"paths": "**"})
        checked(vault, "find", {"paths": [*there, "gone"], "limit": number})
        for name in there[:1]:
            checked(vault, "search", {"pattern": pattern, "paths": name})
            checked(vault, "read", {"note": name, "max_chars": 50_000})
            checked(vault, "read", {"note": name, "max_chars": 10**number, "start_line": number + 1})
            checked(vault, "outline", {"note": name})
        checked(vault, "read", {"note": "x"})


def laid_out(folder: Path, files: dict[str, str]) -> list[str]:
    """Lay out the files; return the names of those that this system takes."""
    there = []
    for name, content in files.items():
        path = os.path.join(folder, name)
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(content, encoding="utf-8", newline="")
        except OSError:
            continue  # a file is where a folder should be
        there.append(name)
    return there


@pytest.mark.not_on_windows("names of POSIX")
def test_many_long_names_and_notices_stay_within_the_bound(tmp_path: Path) -> None:
    deep = "/".join(["\u202e" * 80] * 3)
    for number in range(150):
        folder = tmp_path / f"{number}" / deep
        folder.mkdir(parents=True)
        (folder / f"{'😀' * 60}.md").write_text(f"hit {'日' * 500}\n" * 4, encoding="utf-8")
        (folder / ".gitignore").write_text("bad\\\n", encoding="utf-8")
    vault = Vault.open(tmp_path)
    for pattern in ("hit", "nowhere", "{}" * 4_000):
        checked(vault, "search", {"pattern": pattern, "paths": [".", *(f"{'gone' * 60}{n}" for n in range(99))]})
        checked(vault, "grep", {"pattern": pattern, "max_results": 10_000})
        checked(vault, "search_files", {"pattern": pattern, "max_results": 10_000})
    assert checked(vault, "find", {"paths": "**"}).count("\n# ") > 5
    checked(vault, "find", {"paths": "*.MD"})
