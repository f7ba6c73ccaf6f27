"""The command line beyond its transcripts: every tool, where the vault is, and what only a real process shows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from platformdirs import user_config_path

import vaulttools
from tests.conftest import MakeVault, write_files
from tests.systems import module_path
from vaulttools import Vault, tools
from vaulttools.cli import main as cli
from vaulttools.cli import options as cli_options
from vaulttools.cli.command_line import is_unnamed
from vaulttools.cli.surroundings import HAS_NO_INDEX, NO_INDEX
from vaulttools.core import child
from vaulttools.errors import BadArgument
from vaulttools.tools.definitions import definitions

Printed = pytest.CaptureFixture[str]

NO_VAULT = "error: No vault given: use --vault DIR or VAULTTOOLS_VAULT\n"
ALL = "All commands: vaulttools --help"
COMMAND = "vaulttools search-files"
OF_TASKS = ", ".join(f"--{field.replace('_', '-')}" for field in tools.named("tasks").request.model_fields)
OF_TAGS = "--name, --folder, --glob, --limit"
posix_only = pytest.mark.not_on_windows("pipes and locales of POSIX")


# Every tool of the registry


@pytest.mark.parametrize("form", ["anthropic", "openai", "mcp"])
def test_tools_prints_the_definitions(form: Any, capsys: Printed) -> None:
    assert cli.main(["tools", "--format", form]) == 0
    assert json.loads(capsys.readouterr().out) == definitions(form)


@pytest.mark.parametrize(
    ("words", "sentence", "hint"),
    [
        (["serach", "x"], "unknown command 'serach'", "Did you mean: vaulttools search x"),
        (
            ["serach", "for", "the", "key"],
            "unknown command 'serach'",
            "Did you mean: vaulttools search for the key",
        ),
        (["help", "taks"], "unknown command 'taks'", "Did you mean: vaulttools tasks --help"),
        (["zzz", "a b"], "unknown command 'zzz'", f'{ALL}; to ask your notes: vaulttools query zzz "a b"'),
        (["--nothing"], "unknown option '--nothing'", "All options: vaulttools --help"),
        (["--valt", "x", "tags"], "unknown option '--valt'", "Did you mean: vaulttools tags --vault x"),
        *(
            (["search-files", *words], f"unknown option '{option}'", f"All options: {COMMAND} --help --all")
            for words, option in [(["x", "--nothing=5"], "--nothing"), (["-x"], "-x"), (["-5"], "-5")]
        ),
        (
            ["search-files", "x", "--max-result", "5"],
            "unknown option '--max-result'",
            f"Did you mean: {COMMAND} x --max-results 5",
        ),
        (
            ["search-files", "a", "b"],
            "unexpected argument 'b'",
            f'Several words are one pattern in quotes: {COMMAND} "a b"',
        ),
        (
            ["tags", "work"],
            f"unexpected argument 'work'; tags takes only options: {OF_TAGS}",
            "Did you mean: vaulttools tags --name work",
        ),
        (
            ["tasks", "--due", "today"],
            "unknown option '--due'",
            "Did you mean: vaulttools tasks --due-after today --due-before tomorrow",
        ),
        (
            ["tasks", "--done", "--scheduled", "today"],
            "unknown option '--done'",
            "Did you mean --done-after or --done-before? All options: vaulttools tasks --help --all",
        ),
        *(
            (["tasks", *words], f"unexpected argument '{words[0]}'; tasks takes only options: {OF_TASKS}", hint)
            for words, hint in [
                (["open"], "Did you mean: vaulttools tasks --status open"),
                (["overdue", "high"], "Did you mean: vaulttools tasks --overdue --priority high"),
                (["open", "zzz"], "Did you mean: vaulttools tasks --status open --text zzz"),
            ]
        ),
        (["grep", "-l", "x"], "unknown option '-l'", "Did you mean: vaulttools search-files --output paths x"),
        (
            ["query", "roof", "-n", "2"],
            "unknown option '-n'",
            "Did you mean: vaulttools query roof --limit 2",
        ),
    ],
)
def test_a_mistake_is_answered_in_two_lines(words: list[str], sentence: str, hint: str, capsys: Printed) -> None:
    assert cli.main(words) == 2
    assert capsys.readouterr() == ("", f"error: {sentence}\n{hint}\n".replace("\n\n", "\n"))


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["search_files", "TODO"], ["search-files", "TODO"]),
        (["query", "where", "is", "the", "key", "--limit", "1"], ["query", "where is the key", "--limit", "1"]),
        (["where is the key", "--limit", "1"], ["query", "where is the key", "--limit", "1"]),
        *(
            ([*question.split(), "--limit", "1"], ["query", question, "--limit", "1"])
            for question in ["what is the mmsi", "how long is it", "is there a key", "can I see"]
        ),
        (["context", "the", "key"], ["context", "the key"]),
        (["help", "tasks"], ["tasks", "--help"]),
        (["help", "init", "--all"], ["init", "--help", "--all"]),
        (["help", "--all"], ["--help", "--all"]),
        (["grep", "-rn", "todo"], ["grep", "todo"]),
        (["search", "-n", "-ri", "todo"], ["search", "-i", "todo"]),
        (["grep", "-i", "todo"], ["grep", "(?i)todo"]),
        (["search-files", "-i", "todo"], ["search-files", "todo", "--no-case-sensitive"]),
        (["search-files", ".", "--tags", "work,garden"], ["search-files", ".", "--tags", "work", "--tags", "garden"]),
        (["search-files", ".", "--tags", '["work"]'], ["search-files", ".", "--tags", "work"]),
    ],
)
def test_what_a_person_writes_is_understood(
    words: list[str], meant: list[str], small_vault: Path, capsys: Printed
) -> None:
    vault = ["--vault", str(small_vault)]
    assert cli.main([*vault, *words]) == cli.main([*vault, *meant])
    out = capsys.readouterr().out
    assert out[: len(out) // 2] == out[len(out) // 2 :] != ""


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        (["x"], {"pattern": "x"}),
        (["--context-lines", "3", "x"], {"pattern": "x", "context_lines": "3"}),
        (["x", "--context-lines=3"], {"pattern": "x", "context_lines": "3"}),
        (["x", "--fixed", "--no-case-sensitive"], {"pattern": "x", "fixed": True, "case_sensitive": False}),
        (["x", "--tags", "a", "--tags", "b,c"], {"pattern": "x", "tags": ["a", "b", "c"]}),
        (["x", "-i"], {"pattern": "x", "case_sensitive": False}),
        (["--properties", "a=b=c", "--properties", "d=null"], {"properties": {"a": "b=c", "d": None}}),
        (["x", "--properties", "a="], {"pattern": "x", "properties": {"a": ""}}),
        (["x", "--file-pattern=-y"], {"pattern": "x", "file_pattern": "-y"}),
        (["--fixed", "--", "-x"], {"pattern": "-x", "fixed": True}),
        (["--", "--fixed"], {"pattern": "--fixed"}),
        (["- [ ]", "--fixed"], {"pattern": "- [ ]", "fixed": True}),
        (["-"], {"pattern": "-"}),
        ([""], {"pattern": ""}),
        ([], {}),
    ],
)
def test_words_become_arguments(words: list[str], arguments: dict[str, Any]) -> None:
    assert cli_options.parse(tools.named("search_files"), words) == arguments


@pytest.mark.parametrize("words", [["Home"], ["--note", "Home"], ["--note=Home"]])
@pytest.mark.parametrize("command", ["links", "read"])
def test_an_optional_argument_that_is_positional_may_be_given_by_its_name(command: str, words: list[str]) -> None:
    assert cli_options.parse(tools.named(command), words) == {"note": "Home"}


def test_a_comma_inside_an_expression_splits_nothing() -> None:
    words = ["--columns", 'a,round(b, 2),"c, d"', "--columns", '["e, f"]']
    assert cli_options.parse(tools.named("base"), words) == {"columns": ["a", "round(b, 2)", '"c, d"', "e, f"]}


def test_an_argument_is_given_once() -> None:
    with pytest.raises(BadArgument, match="unexpected argument 'Home'"):
        cli_options.parse(tools.named("links"), ["Home", "--note", "Home"])


# Exit status and streams


def test_nothing_found_in_an_incomplete_search_is_a_failure(make_vault: MakeVault, capsys: Printed) -> None:
    vault = make_vault({"a.md": "x" * 2000})
    settings = f"[n]\npath = '{vault.path}'\nmax_file_size = 1000\n"
    write_files(user_config_path("vaulttools"), {"vaulttools.toml": settings})
    assert cli.main(["--vault", str(vault.path), "search-files", "^x"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ("No matches in the 0 files searched; the search is incomplete: 1 file too large (a.md).\n")
    assert cli.main(["--vault", str(vault.path), "search-files", "y"]) == 1


def test_fault_O06_a_line_of_json_is_one_line_for_every_reader(make_vault: MakeVault, capsys: Printed) -> None:
    text = "hit \x85 \u2028 \u2029 \x1b \x9b31m \x7f \u202e \u2066 \U0001f331"
    vault = make_vault({"a.md": text})
    assert cli.main(["--vault", str(vault.path), "search-files", "hit", "--json"]) == 0
    printed = capsys.readouterr().out
    assert len(printed.splitlines()) == 1
    assert printed.rstrip("\n").isprintable()
    assert json.loads(printed)["files"][0]["excerpts"][0]["lines"] == [text]


# Where the vault is


@pytest.mark.parametrize(
    "words", [["search-files", "x"], ["index", "status"], ["mcp"], ["call", "find"], ["--vault", "y", "tags"]]
)
@pytest.mark.parametrize("empty", [["--vault", ""], ["--vault="]])
def test_an_empty_vault_name_is_refused(words: list[str], empty: list[str], capsys: Printed) -> None:
    assert cli.main([*empty, *words]) == 2
    assert capsys.readouterr() == ("", 'error: --vault must name a folder, got ""; the current folder is .\n')


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder that looks like a vault, with a folder `work/deep` and a vault `Notes` in it."""
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    write_files(tmp_path, dict.fromkeys(("home.md", "work/deep/deep.md", "Notes/Daily/note.md"), "hit\n"))
    for folder in (".obsidian", "Notes/.obsidian"):
        (tmp_path / folder).mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("mark", "folder", "found"),
    [
        ("Notes/.obsidian/app.json", "Notes", "Daily/note.md"),
        ("Notes/.obsidian/app.json", "Notes/Daily", "Daily/note.md"),
        ("work/vaulttools.toml", "work/deep", "deep/deep.md"),
        ("work/.smarthole/x", "work/deep", "deep/deep.md"),
    ],
)
def test_the_vault_is_the_nearest_folder_that_is_marked(
    home: Path, mark: str, folder: str, found: str, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    write_files(home, {mark: "no TOML ["})  # nothing reads this file
    monkeypatch.chdir(home / folder)
    assert cli.main(["search-files", "hit"]) == 0
    assert capsys.readouterr() == (f"Found 1 matching file:\n\n## {found}\nLine 1: > hit\n", "")
    assert cli.main(["index", "build"]) == 0


@pytest.mark.parametrize(
    "words", [["search-files", "hit"], ["query", "hit"], ["tags"], ["links", "deep"], ["call", "tags"]]
)
def test_a_folder_that_is_no_vault_is_searched_without_an_index(
    home: Path, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    started: list[child.Child] = []
    monkeypatch.setattr(child, "_detached", started)
    monkeypatch.chdir(home / "work/deep")
    cli.main(words)
    printed = capsys.readouterr()
    assert printed.err == f"{NO_INDEX}\n"
    assert "is being built" not in printed.out
    assert NO_INDEX.count(".") == 2 and started == []  # one sentence, and the name of a file
    with Vault.open(home / "work/deep") as vault:
        assert vault.index_status().holds is None
    for server in (["mcp"], ["serve", ":0"], ["daemon", "start"]):
        assert cli.main(server) == 2
        assert capsys.readouterr() == ("", NO_VAULT)
    for command in ("build", "status", "verify", "clear"):
        assert cli.main(["index", command]) == 2
        assert capsys.readouterr() == ("", f"error: {HAS_NO_INDEX}\n")


def test_the_home_folder_and_the_root_are_vaults_only_when_named(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    for folder in (home, Path(home.anchor)):
        monkeypatch.chdir(folder)
        assert cli.main(["search-files", "hit"]) == 2
        printed = capsys.readouterr()
        why = "; the home folder and the root are vaults only when they are named"
        assert (printed.out, printed.err) == ("", f"{NO_VAULT.rstrip()}{why}\n")
    assert is_unnamed(str(home).swapcase()) is (sys.platform == "win32")
    assert cli.main(["--vault", str(home), "search-files", "hit", "--file-pattern", "home.md"]) == 0
    monkeypatch.setenv("VAULTTOOLS_VAULT", "~")
    assert cli.main(["search-files", "hit", "--file-pattern", "home.md"]) == 0


# In a process of its own

ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG", "PYTHON"))}


def ran(
    *words: str,
    environment: Mapping[str, str] | None = None,
    command: tuple[str, ...] = (sys.executable, "-m", "vaulttools"),
) -> subprocess.CompletedProcess[bytes]:
    """The outcome of a real run, in UTF-8 bytes."""
    # Another folder of imports may come before the installed one, as it does for the tests themselves.
    own = {"PYTHONPATH": module_path(), **(environment or {})}
    return subprocess.run([*command, *words], capture_output=True, env={**ENVIRONMENT, **own})


@pytest.mark.parametrize(
    "environment",
    [{"LANG": "C"}, {"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}],
    ids=["LANG", "LC_ALL", "PYTHONIOENCODING"],
)
def test_fault_O08_a_poor_locale_changes_nothing(small_vault: Path, environment: dict[str, str]) -> None:
    words = ("--vault", str(small_vault), "search-files", "Jörg|漢字", "--context-lines", "0", "--max-results", "50")
    rich, poor = ran(*words), ran(*words, environment=environment)
    assert (poor.returncode, poor.stderr) == (0, b"")
    assert poor.stdout == rich.stdout
    assert "## Languages/日本語ノート.md" in poor.stdout.decode("utf-8")


@posix_only
def test_fault_O07_a_reader_that_has_seen_enough_ends_it_quietly(tmp_path: Path) -> None:
    for number in range(200):
        (tmp_path / f"{number}.md").write_text("hit " + "x" * 400 + "\n", encoding="utf-8")
    words = ["--vault", str(tmp_path), "--json", "search-files", "hit", "--max-results", "200"]
    command = [sys.executable, "-m", "vaulttools", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.read(10) == b'{"complete'
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 141


@pytest.mark.not_under_wine("the package lies on the path of modules, and is not installed")
def test_the_installed_console_script_runs(small_vault: Path) -> None:
    name = "vaulttools.exe" if sys.platform == "win32" else "vaulttools"
    script = (str(Path(sysconfig.get_path("scripts")) / name),)
    assert ran("--version", command=script).stdout.split() == [b"vaulttools", vaulttools.__version__.encode()]
    words = ("--vault", str(small_vault), "search-files", "Wilhelmine", "--context-lines", "0")
    found = ran(*words, command=script)
    assert (found.returncode, found.stderr) == (0, b"")
    expected = b"Found 1 matching file:\n\n## Daily/2026-11-17.md\nLine 12: > "
    assert found.stdout.replace(b"\r\n", b"\n").startswith(expected)
    assert ran("search-files", "--nothing", command=script).returncode == 2


def test_a_bug_is_a_failure_and_not_nothing_found() -> None:
    code = (
        "from vaulttools import __main__\n"
        "def broken(words, **_): raise RuntimeError('a bug')\n"
        "__main__.main = broken\n"
        "__main__.run()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == cli.FAILED
    assert done.stderr.endswith("RuntimeError: a bug\n")


def test_exit_handlers_and_threads_run_at_the_end_of_a_process(small_vault: Path) -> None:
    """A command ends its process without taking apart what it has imported."""
    code = (
        "import atexit, threading; atexit.register(print, 'at the end'); main = threading.main_thread()\n"
        "threading.Thread(target=lambda: (main.join(), print('a thread')), daemon=%s).start()\n"
        "from vaulttools.__main__ import run; run()"
    )
    command = ["--vault", str(small_vault), "find", "inbox.md"]
    for daemon, expected in ((True, "inbox.md\nat the end\n"), (False, "inbox.md\na thread\nat the end\n")):
        done = subprocess.run([sys.executable, "-c", code % daemon, *command], capture_output=True, encoding="utf-8")
        assert (done.stdout, done.stderr, done.returncode) == (expected, "", 0)


@posix_only
@pytest.mark.parametrize("words", [["tags"], ["--vault", "v", "tags"], ["--vault", "./v", "mcp"], ["init"]])
def test_a_current_folder_that_was_removed_is_reported(words: list[str], tmp_path: Path) -> None:
    gone = 'import os, sys; os.mkdir("gone"); os.chdir("gone"); os.rmdir("../gone")\n'
    command = [sys.executable, "-c", gone + "from vaulttools.__main__ import run; run()", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: The current folder was removed: go to another one\n"


# A day for today


def test_today_may_be_given(small_vault: Path, capsys: Printed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAULTTOOLS_TODAY", "2026-08-03")  # is set back after the test
    base = ["--vault", str(small_vault), "base", "--where", 'file.name == "inbox"', "--columns", "today()", "--json"]
    for words, day in ((base, "2026-08-03"), ([*base, "--today", "2026-08-04"], "2026-08-04")):
        cli.main(words)
        assert json.loads(capsys.readouterr().out)["rows"][0]["values"] == [day]


@pytest.mark.parametrize("given", ["tomorrow", "0001-01-01", "2026-02-30", "03.08.2026"])
def test_a_wrong_day_for_today_is_refused(small_vault: Path, given: str, capsys: Printed) -> None:
    assert cli.main(["--vault", str(small_vault), "--today", given, "tags"]) == 2
    assert capsys.readouterr().err == f'error: --today must be a day such as 2026-11-01, got "{given}"\n'
