"""What people type who know other programs: each answer holds a command, and each command that is proposed works."""

from __future__ import annotations

import re
import shlex

import pytest

from tests.conftest import FIXTURES
from vaulttools import tools
from vaulttools.cli import guesses, mistakes
from vaulttools.cli import main as cli
from vaulttools.cli import options as cli_options

Printed = pytest.CaptureFixture[str]

TYPED = [
    line.removeprefix("$ vaulttools ")
    for line in (FIXTURES / "transcripts" / "guesses.txt").read_text(encoding="utf-8").splitlines()
    if line.startswith("$ vaulttools ")
]
PLACES = {
    "NOTE": "Home",
    "PATTERN": "seed",
    "QUESTION": "seeds",
    "daily": "daily 2026-11-17",
    "plan": "Projects/plan",
    "Risks#Damp": "Risks",
}
"""What stands for a word that the caller did not give, and for names that this vault lacks or has twice."""
PROPOSED = re.compile(
    r"(?:Did you mean|For example|in quotes|a note|assistants|The index|this order|names that hold it): "
    r"(vaulttools [^;]+)"
)


def proposed(typed: str, capsys: Printed) -> list[str]:
    """The words of the command with which a wrong one is answered, in at most two lines."""
    assert cli.main(shlex.split(typed)) == 2
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert (out, len(lines)) == ("", 2) or "as one word: mcp --http" in err, typed
    if (found := PROPOSED.search(lines[-1])) is None:
        assert "vaulttools" in lines[-1] or "as one word" in lines[-1], typed
        return []
    return shlex.split(found[1].partition(", then ")[0].partition(" or ")[0])[1:]


@pytest.mark.parametrize("typed", TYPED)
def test_a_guess_is_answered_by_a_command_that_works(
    typed: str, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FIXTURES / "vault")
    words = [PLACES.get(word, word) for word in proposed(typed, capsys)]
    if not words:
        return
    name = next(word for word in words if not word.startswith("-") and word != ".") if words[0] != "--help" else "help"
    if name.replace("-", "_") in tools.NAMES or name in ("call", "obsidian", "help"):
        assert cli.main(words) in (cli.FOUND, cli.NOTHING_FOUND), (typed, capsys.readouterr())
    else:
        assert cli.main([name, "--help"]) == cli.FOUND


def test_no_line_of_the_tables_is_refused() -> None:
    """Each is a command of ours, with words that it takes."""
    for line in [*mistakes.PROGRAMS.values(), *guesses.WORDS.values()]:
        name, *rest = shlex.split(re.sub(r"\{(\w+|\*)\}", "x", line))
        if name.replace("-", "_") in tools.NAMES:
            tool = tools.named(name.replace("-", "_"))
            cli_options.ensure_placed(tool, cli_options.parse(tool, rest))
        else:
            assert name in (*cli.SUMMARIES, "--help", "--version"), line


@pytest.mark.parametrize("form", sorted({form for forms in guesses.OPTIONS.values() for form in forms}))
def test_every_option_of_the_tables_belongs_to_a_tool(form: str) -> None:
    needed = {word for word in form.split() if word.startswith("-")} - {"--json", "--help"}
    assert any(needed <= {*cli_options.names(tools.named(name))} for name in tools.NAMES)


@pytest.mark.parametrize(
    "question", ["status of the roof", "update on the move", "open questions", "list of all birds"]
)
def test_a_question_that_begins_like_a_command_is_not_refused_if_it_has_three_words(
    question: str, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FIXTURES / "vault")
    words = question.split()
    is_question = len(words) > 2 and words[0] not in mistakes.PROGRAMS
    assert (cli.main(words) == cli.FAILED) is not is_question
    capsys.readouterr()


def test_the_vault_stays_in_the_proposed_command(capsys: Printed) -> None:
    assert cli.main(["--vault", "My notes", "tasks", "--done"]) == 2
    assert capsys.readouterr().err.endswith('Did you mean: vaulttools --vault "My notes" tasks --status done\n')


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (
            "find wedding --limit 3 --modified-after 2020-01-01",
            'find "**/*wedding*" --limit 3 --modified-after 2020-01-01',
        ),
        ("find wedding --no-gitignore", 'find "**/*wedding*" --no-gitignore'),
        # one glob
        ("grep seed -l --include=*.md Boat", 'search-files seed --output paths --file-pattern "Boat/**/*.md"'),
        ("grep -l seed -t md Boat", 'search-files --output paths seed --file-pattern "Boat/**/*.md"'),
        ("rg -t md seed Boat", 'search seed "Boat/**/*.md"'),
        ("grep -l seed -g 'a*' -g 'b*'", ""),
        ("rg seed -g a.md -g b.md", ""),
        ("rg -g '!Old' seed", ""),
        # several folders, and the pattern as an option
        ("rg -l seed Boat Old", 'search-files seed --output paths --file-pattern "{Boat,Old}/**"'),
        ("grep -c seed a.md b.md", 'search-files --output counts seed --file-pattern "{a.md,b.md}"'),
        ("rg -l seed a.md Old", ""),
        ("rg -l seed a,b Old", ""),
        ("rg -e seed -l Boat", 'search-files seed --output paths --file-pattern "Boat/**"'),
        ("grep -l Boat -e seed", 'search-files seed --output paths --file-pattern "Boat/**"'),
        ("rg -e seed -e oak", ""),
        ("rg -f words.txt seed", ""),
        # the value of an option is no word
        ("rg -t md seed", 'search seed "**/*.md"'),
        ("rg -n 2026", "search 2026"),
        ("rg -g '*.md' seed", 'search seed "*.md"'),
        ("rg -m 3 seed", "search seed"),
        ("head -n 5 a.md", "read a.md"),
        ("head -c 5 a.md", "read a.md"),
        ("cat -n a.md", "read a.md"),
        ("ls -t Boat", "find Boat"),
        ("tree -L 2 Boat", "find Boat"),
        ("lookup -n 3 seeds", "query seeds --limit 3"),
        ("locate -n 5 wedding", 'find "**/*wedding*" --limit 5'),
        ("fd -t f wedding", 'find "**/*wedding*"'),
        ("fd -e md wedding", 'find "**/*wedding*.md"'),
        ("fd -e md", 'find "**/*.md"'),
        ("fd wedding Boat", 'find "Boat/**/*wedding*"'),
        ("fd wedding Boat Old", ""),
        ("fd -E Old wedding", ""),
        ("recent 5", ""),
        # a choice
        ("tasks --filter done", "tasks --status done"),
        ("tasks --filter high", "tasks --priority high"),
        ("tasks --filter 'due today'", ""),
    ],
)
def test_what_else_was_typed_stays_in_the_proposed_command(
    typed: str, meant: str, capsys: Printed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None is proposed that would find something else."""
    monkeypatch.chdir(FIXTURES / "vault")
    assert proposed(typed, capsys) == shlex.split(meant)
