"""Errors: the caller's text appears in them as one visible line (fault-N01 to fault-N04, fault-O04)."""

from __future__ import annotations

import copy
import importlib
import json
import multiprocessing
import pickle
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import vaulttools
from tests.conftest import MakeVault
from vaulttools import errors
from vaulttools.cli.mistakes import Mistake
from vaulttools.errors import BadArguments, VaultToolsError

HOSTILE = "a\nerror: b\r\t\x1b[2K\x85\u2028\u202e\u200b\ufeff\U000e0041\ud800é日😀\xa0"
SHOWN = r"a\nerror: b\r\t\u{1b}[2K\u{85}\u{2028}\u{202e}\u{200b}\u{feff}\u{e0041}\ud800é日😀" + "\xa0"


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (errors.BadArgument(HOSTILE), SHOWN),
        (errors.PathNotFound(HOSTILE, "b"), f"Path not found: {SHOWN}, b"),
        (errors.OutsideVault(HOSTILE), f"Path is outside the vault: {SHOWN}"),
        (errors.InvalidGlob(HOSTILE, "it is empty"), f"Invalid glob pattern: {SHOWN}: it is empty"),
        (errors.InvalidPattern(HOSTILE, "no", HOSTILE), f"Invalid regex: {SHOWN}: no. {SHOWN}"),
        (errors.RipgrepUnavailable(HOSTILE), SHOWN),
    ],
)
def test_a_sentence_is_one_line_without_unseen_characters(error: VaultToolsError, sentence: str) -> None:
    assert str(error) == sentence


def test_what_an_error_carries_is_as_it_was_given() -> None:
    assert errors.PathNotFound(HOSTILE).given == (HOSTILE,)
    assert errors.InvalidPattern(HOSTILE, "no").pattern == HOSTILE


def test_several_sentences_are_as_many_lines() -> None:
    refused = BadArguments("one\ntwo", HOSTILE)
    assert refused.sentences == (r"one\ntwo", SHOWN)
    assert str(refused) == f"one\\ntwo\n{SHOWN}"


def test_a_sentence_has_a_bound() -> None:
    assert len(str(errors.BadArgument("\x1b" * 8_000))) == len(str(BadArguments(*["x" * 500] * 20))) == 8_001


EXAMPLES: list[VaultToolsError] = [
    errors.BadArguments("one", "another"),
    errors.InvalidPattern("(", "unclosed group", r"to find it as text write \("),
    errors.InvalidPattern("(" * 2_000, "unclosed group", "a hint"),
    errors.InvalidGlob("[", "unclosed bracket"),
    errors.InvalidQuery("a (b", 3, "unclosed group", "close it"),
    errors.OutsideVault("../a"),
    errors.AccessDenied(".obsidian"),
    errors.PathTooLong("a" * 5_000),
    errors.PathNotFound("a.md", "b.md", close=["c.md"]),
    errors.AmbiguousName("a", ["x/a.md", "y/a.md"]),
    errors.PartNotFound("Heading", "A", "a.md", close=["B"], there=["B", "C"]),
    errors.Cancelled(),
    Mistake("a sentence", "a hint"),
]


def every_kind() -> list[type[VaultToolsError]]:
    """The classes of all errors that the package raises on purpose."""
    for module in pkgutil.walk_packages(vaulttools.__path__, "vaulttools."):
        if module.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(module.name)
        except ImportError:
            if sys.platform != "win32":  # it has no inotify, and under Wine no numpy
                raise
    kinds = [VaultToolsError]
    for kind in kinds:
        kinds += [below for below in kind.__subclasses__() if below.__module__.startswith("vaulttools.")]
    return kinds


def test_an_error_of_every_class_is_the_same_after_pickling_and_copying() -> None:
    others = [kind.__new__(kind, "a sentence") for kind in every_kind() if kind is not BadArguments]
    assert len(others) > 15
    for error in (*EXAMPLES, *others):
        vars(error).setdefault("fact", ["a", 1])
        error.add_note("met in a.md")
        for other in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
            assert (type(other), other.args, vars(other)) == (type(error), error.args, vars(error))
            assert str(other) == str(error)


IN_OTHER_PROCESSES = """
import json, multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor
from vaulttools import Vault, VaultToolsError


def search(pattern):
    with Vault.open(sys.argv[1], index="off") as vault:
        return [file.path for file in vault.search_files(pattern).files]


def outcome(call):
    try:
        return call()
    except VaultToolsError as error:
        return [type(error).__name__, str(error), error.pattern]


if __name__ == "__main__":
    patterns = ["needle", "[z-a]", "hay"]
    context = multiprocessing.get_context(sys.argv[2])
    with context.Pool(1) as pool:
        answers = [outcome(lambda: pool.map(search, patterns)), outcome(lambda: pool.map(search, patterns[:1]))]
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        futures = [pool.submit(search, pattern) for pattern in patterns]
        answers += [outcome(future.result) for future in futures]
    print(json.dumps(answers))
"""


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_an_error_of_another_process_reaches_the_caller_and_the_pool_goes_on(
    method: str, make_vault: MakeVault, tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text(IN_OTHER_PROCESSES, encoding="utf-8")
    vault = make_vault({"a.md": "needle\n", "b.md": "hay\n"}).path
    run = subprocess.run([sys.executable, script, vault, method], capture_output=True, encoding="utf-8", check=False)
    assert (run.returncode, run.stderr) == (0, "")
    reason = "invalid character class range, the start must be <= the end. To find it literally use \\[z-a\\]"
    refused = ["InvalidPattern", f"Invalid regex: [z-a]: {reason}", "[z-a]"]
    assert json.loads(run.stdout) == [refused, [["a.md"]], ["a.md"], refused, ["b.md"]]
