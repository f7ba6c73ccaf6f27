"""The help: examples that run, all that a command takes, and nothing wider than the terminal."""

from __future__ import annotations

import shlex
from importlib import import_module

import pytest

from tests.conftest import FIXTURES
from vaulttools import tools
from vaulttools.answers.request import parse
from vaulttools.cli import main as cli
from vaulttools.cli import options

Printed = pytest.CaptureFixture[str]


@pytest.fixture(params=[46, 60, 100])
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The columns of the terminal."""
    monkeypatch.setenv("COLUMNS", str(request.param))
    return int(request.param)


def printed(words: list[str], capsys: Printed) -> list[str]:
    """The lines that a command prints."""
    assert cli.main(words) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out.rstrip("\n").split("\n")


@pytest.mark.parametrize("name", tools.NAMES)
def test_the_help_of_a_tool_fits_a_small_screen(name: str, width: int, capsys: Printed) -> None:
    lines = printed([name.replace("_", "-"), "--help"], capsys)
    assert len(lines) <= 20
    assert lines[2].startswith("  vaulttools ") or lines[3].startswith("  vaulttools ")
    assert max(map(len, [*lines, *printed([name, "--help", "--all"], capsys)])) <= width


@pytest.mark.parametrize("name", tools.NAMES)
def test_all_of_the_help_tells_every_argument_in_the_words_of_a_shell(name: str, capsys: Printed) -> None:
    text = " ".join(" ".join(printed([name, "--help", "--all"], capsys)).split())
    for option in options.options(tools.named(name).request):
        spelled = option.spelling.partition("/")[0].removeprefix("--")
        assert spelled in text
    assert not any(f" {field} " in text for field in tools.named(name).request.model_fields if "_" in field)


@pytest.mark.parametrize("name", tools.NAMES)
def test_every_example_is_a_command_that_means_what_a_model_is_shown(name: str) -> None:
    tool = tools.named(name)
    shown = options.examples(tool)
    assert shown
    for words in shown:
        _, command, *rest = shlex.split(" ".join(words))
        assert command == name.replace("_", "-")
        parse(tool.request, options.parse(tool, rest))


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"], ["--json", "--help"], ["--vault", "x", "--help"]])
def test_the_general_help_names_every_command(words: list[str], capsys: Printed) -> None:
    text = "\n".join(printed(words, capsys))
    whole = printed([*words, "--all"], capsys)
    for command in [*(name.replace("_", "-") for name in tools.NAMES), *cli.SUMMARIES]:
        assert command in text
        assert any(line.startswith(f"  {command} ") for line in whole)


@pytest.mark.parametrize("flag", ["--help", "-h"])
@pytest.mark.parametrize("command", cli.SUMMARIES)
def test_the_help_of_other_commands_fits_and_loses_no_word(
    command: str, flag: str, width: int, capsys: Printed
) -> None:
    lines = printed([command, flag], capsys)
    assert lines[0].startswith("usage: vaulttools") and f" {command}" in " ".join(lines[:2])
    assert max(map(len, lines)) <= width
    if command not in ("call", "completion", "tools"):
        whole: str = import_module(f"vaulttools.cli.{command}").HELP
        assert " ".join(lines).split() == whole.split()


def test_the_general_help_fits(width: int, capsys: Printed) -> None:
    assert max(map(len, [*printed(["--help"], capsys), *printed(["--help", "--all"], capsys)])) <= width


def test_an_example_of_the_general_help_answers(capsys: Printed) -> None:
    assert cli.main(["--vault", str(FIXTURES / "vault"), "how long do onion seeds keep"]) == 0
    assert "onion" in capsys.readouterr().out.lower()
