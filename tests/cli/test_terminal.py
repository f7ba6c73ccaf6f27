"""The command line at a terminal: colour that changes no word, and completion by the shells themselves."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES
from vaulttools import Vault, tools
from vaulttools.cli import colour as cli_colour
from vaulttools.cli import completion as cli_completion
from vaulttools.cli import main as cli
from vaulttools.cli.command_line import for_posix

_ESCAPES = re.compile(r"\x1b\[\d+m")
BASH = shutil.which("bash")
FISH = shutil.which("fish")
ZSH = shutil.which("zsh")


LINES = ["## a.md", "[Showing 1]", "Line 3: > x", "Line 4:", "*5|é", " 6|", "a.md:3: x", "# x#1A2B", ""]


@given(st.lists(st.sampled_from(LINES)))
def test_colour_changes_no_word(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert _ESCAPES.sub("", cli_colour.coloured(text)) == text


@pytest.mark.parametrize(
    ("words", "lit"),
    [
        (["search-files", "gar.en", "-i"], ["Garden", "garden"]),
        (["search-files", "TODO", "--fixed"], ["TODO"]),
        (["grep", "print(er|ed)"], ["printer"]),
        (["search", "todo", "-i"], ["TODO"]),
        (["show", "TODO", "inbox.md"], ["TODO"]),
        (["query", "the", "label", "printer"], ["Label", "printer"]),
    ],
    ids=" ".join,
)
def test_what_matches_is_highlighted_on_a_terminal(
    words: list[str], lit: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    with contextlib.redirect_stdout(Terminal()) as out:
        assert cli.main(["--vault", str(FIXTURES / "vault"), *words]) == 0
    shown = re.sub(r"\x1b\[0m(?=\x1b\[0m)", "", out.getvalue())
    assert {*re.findall(r"\x1b\[1m\x1b\[31m(.*?)\x1b\[0m", shown)} >= {*lit}


@pytest.mark.parametrize(
    "call",
    [
        ("search_files", {"pattern": "TODO"}),
        ("search", {"pattern": "TODO"}),
        ("grep", {"pattern": "TODO", "context_lines": 1}),
        ("query", {"query": "seed", "mode": "obsidian"}),
        ("read", {"note": "inbox.md"}),
    ],
    ids=lambda call: call[0],
)
def test_every_answer_keeps_its_words(call: tuple[str, dict[str, object]]) -> None:
    with Vault.open(FIXTURES / "vault") as vault:
        text = vault.call(*call).text
    coloured = cli_colour.coloured(text)
    assert "\x1b[" in coloured
    assert _ESCAPES.sub("", coloured) == text


def printed(
    command: Sequence[str], environ: Mapping[str, str], folder: Path | None = None, typed: str | None = None
) -> bytes:
    """What a command prints to a terminal, where somebody may type, before it ends well."""
    ours, theirs = os.openpty()
    stdin = None if typed is None else theirs
    with subprocess.Popen(
        command, stdin=stdin, stdout=theirs, stderr=theirs, env={**environ}, cwd=folder, start_new_session=True
    ) as process:
        os.close(theirs)
        os.write(ours, (typed or "").encode())
        chunks = []
        with contextlib.suppress(OSError):  # how Linux says that the other side is closed
            while chunk := os.read(ours, 65_536):
                chunks.append(chunk)
        os.close(ours)
    assert process.returncode == 0
    return b"".join(chunks)


@pytest.mark.not_on_windows("there are no pseudo-terminals of this kind")
@pytest.mark.parametrize(
    ("environment", "is_coloured"),
    [({"TERM": "xterm", "NO_COLOR": ""}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
)
def test_a_terminal_is_shown_colour_unless_it_does_not_want_any(
    environment: Mapping[str, str], is_coloured: bool
) -> None:
    words = ["--vault", str(FIXTURES / "vault"), "search-files", "TODO", "--max-results", "1"]
    shown = printed([sys.executable, "-m", "vaulttools", *words], {**os.environ, **environment})
    assert (b"\x1b[" in shown) is is_coloured


def test_a_pipe_is_shown_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--vault", str(FIXTURES / "vault"), "search-files", "TODO"]) == 0
    assert "\x1b" not in capsys.readouterr().out


def completed(words: list[str], script: Path, folder: Path) -> list[str]:
    """What bash offers for the last of some words."""
    assert BASH is not None
    line = " ".join(f"'{word}'" for word in words)
    program = (
        f"source '{script.as_posix()}'; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; "
        '_vaulttools; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    run = subprocess.run([BASH, "--norc", "-c", program], cwd=folder, capture_output=True, text=True, check=True)
    assert run.stderr == ""
    return run.stdout.split()


OFFERED = [
    (["sea"], ["search-files", "search"]),
    (["ind"], ["index"]),
    (["help", "tas"], ["tasks"]),
    (["--js"], ["--json"]),
    (["search-files", "x", "--so"], ["--sort"]),
    (["--json", "search-files", "x", "--sort", "mo"], ["modified"]),
    (["links", "Home", "--direction", "un"], ["unresolved"]),
    (["query", "x", "--mode", "o"], ["obsidian"]),
    (["tasks", "--status", "d"], ["done"]),
    (["tasks", "--sort", "-d"], ["-due"]),
    (["tasks", "--due-before", "tom"], ["tomorrow"]),
    (["index", "b"], ["build"]),
    (["index", "build", "--m"], ["--meaning"]),
    (["daemon", "sta"], ["start", "status"]),
    (["token", "r"], ["revoke"]),
    (["init", "claude"], ["claude-desktop", "claude-code"]),
    (["init", "--client", "cur"], ["cursor"]),
    (["init", "--w"], ["--write"]),
    (["mcp", "--print-config", "gen"], ["generic"]),
    (["serve", "--omni"], ["--omnisearch"]),
    (["tools", "--format", "o"], ["openai"]),
    (["call", "search_f"], ["search_files"]),
    (["completion", "f"], ["fish"]),
    (["obsidian", "unr"], ["unresolved"]),
    (["scout", "x", "--wo"], ["--word"]),
]
"""Words after `vaulttools`, and what completes the last one."""


@pytest.fixture
def script(request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The script of a shell, beside a note and a folder."""
    assert cli.main(["completion", request.param]) == 0
    path = tmp_path / "script"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    (tmp_path / "zoo.md").touch()
    (tmp_path / "zone").mkdir()
    return path


@pytest.mark.skipif(BASH is None or sys.platform == "win32", reason="bash is not here")
@pytest.mark.parametrize("script", ["bash"], indirect=True)
def test_bash_completes_commands_options_values_and_folders(script: Path) -> None:
    for words, offered in [*OFFERED, (["--vault", "zo"], ["zone"])]:
        assert completed(["vaulttools", *words], script, script.parent) == offered, words


@pytest.mark.skipif(FISH is None, reason="fish is not here")
@pytest.mark.parametrize("script", ["fish"], indirect=True)
def test_fish_completes_commands_options_values_and_files(script: Path) -> None:
    asked = [*OFFERED, (["read", "zoo"], ["zoo.md"])]
    lines = "".join(f"complete -C 'vaulttools {' '.join(words)}'; echo .\n" for words, _ in asked)
    assert FISH is not None
    program = f"source {script}; {lines}"
    run = subprocess.run([FISH, "--no-config", "-c", program], cwd=script.parent, capture_output=True, text=True)
    assert run.stderr == ""
    answers = [{line.split("\t")[0] for line in part.splitlines() if line} for part in run.stdout.split(".\n")]
    for (words, offered), found in zip(asked, answers[: len(asked)], strict=True):
        is_dashed = offered[0].startswith("-") and not offered[0].startswith("--")  # fish offers no such value
        assert is_dashed or set(offered) <= found, words


@pytest.mark.skipif(ZSH is None, reason="zsh is not here")
@pytest.mark.parametrize("script", ["zsh"], indirect=True)
def test_zsh_completes_as_bash_does(script: Path) -> None:
    """Its function for scripts of bash calls the same function, which is asked here with the words that it sets. What
    does not begin as the word does it leaves out by itself."""
    assert ZSH is not None
    asked = "".join(
        f"COMP_WORDS=(vaulttools {' '.join(words)}); COMP_CWORD={len(words)}; COMPREPLY=(); "
        "bashcomp; print -r -- ${(j: :)COMPREPLY}\n"
        for words, _ in OFFERED
    )
    program = (
        "autoload -Uz compinit; compinit -u -d zdump\n"
        f"source {script}\n"
        "bashcomp() { emulate -L sh; setopt kshglob noshglob braceexpand; _vaulttools }\n" + asked
    )
    run = subprocess.run([ZSH, "-f", "-c", program], cwd=script.parent, capture_output=True, text=True)
    assert run.stderr == ""
    answers = [line.split() for line in run.stdout.splitlines()]
    for (words, offered), found in zip(OFFERED, answers, strict=True):
        assert [word for word in found if word.startswith(words[-1])] == offered, words


TYPED = {
    "d e.md": r"d\ ",
    "$(touch made).md": r"\$",
    "`touch made`.md": r"\`",
    "*.md": r"\*",
    "e;touch made;.md": "e",
    "-rf x.md": "./-",
    'it\'s "so".md': "it",
    "quo ted.md": '"quo ',
}
"""Names of files, and what is typed of them."""


@pytest.mark.not_on_windows("there are no pseudo-terminals of this kind")
@pytest.mark.parametrize(
    ("shell", "script"),
    [
        pytest.param(shell, name, marks=pytest.mark.skipif(shell is None, reason=f"{name} is not here"))
        for shell, name in ((BASH, "bash"), (ZSH, "zsh"))
    ],
    indirect=["script"],
)
def test_a_file_of_any_name_is_completed_as_one_word(shell: str, script: Path) -> None:
    folder = script.parent
    for name in TYPED:
        (folder / name).touch()
    begin = "autoload -Uz compinit; compinit -u -d zdump; " if shell == ZSH else ""
    lines = [f"{begin}source {script}; vaulttools() {{ printf '<%s>' \"$2\"; }}"]
    lines += [f"vaulttools read {typed}\t" for typed in TYPED.values()]
    command = [shell, "-f", "-i"] if shell == ZSH else [shell, "--norc", "-i"]
    said = printed(command, {**os.environ, "PS1": "", "TERM": "dumb"}, folder, "\n".join([*lines, "exit 0\n"]))
    assert [*re.findall("<(.*?)>", said.decode())][-len(TYPED) :] == [
        f"./{name}" if name.startswith("-") else name for name in TYPED
    ]
    assert not (folder / "made").exists()


@pytest.mark.not_on_windows("words of POSIX shells")
@pytest.mark.parametrize(
    "command", [pytest.param(each, marks=pytest.mark.skipif(each is None, reason="not here")) for each in (BASH, ZSH)]
)
def test_a_shown_word_is_pasted_as_it_is(command: str, tmp_path: Path) -> None:
    words = [*TYPED, "=q.md", "~root.md", "{a,b}.md", "a!b.md", "#x.md", "", "a=~b", "%1.md", "?x.md", "^x.md", "ü.md"]
    line = " ".join(map(for_posix, words))
    printed_ = subprocess.run([command, "-c", f"printf '<%s>' {line}"], cwd=tmp_path, capture_output=True, text=True)
    assert (printed_.stdout, printed_.stderr) == ("".join(f"<{word}>" for word in words), "")
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("shell", cli_completion.SHELLS)
def test_every_tool_and_option_is_in_every_script(shell: cli_completion.Shell) -> None:
    script = cli_completion.script(shell, {"call": "Call it's tool"})
    for name in tools.NAMES:
        assert name.replace("_", "-") in script
    for option in ("file-pattern", "match-case", "identifier", "no-gitignore", "ignore-case"):
        assert option in script


@pytest.mark.skipif(FISH is None, reason="fish is not here")
def test_fish_reads_its_script(tmp_path: Path) -> None:
    script = tmp_path / "script.fish"
    script.write_text(cli_completion.script("fish", {"call": "Call it's tool"}), encoding="utf-8")
    assert FISH is not None
    subprocess.run([FISH, "--no-execute", script], check=True)


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["completion", "csh"]) == 2
    assert capsys.readouterr().err == "error: completion takes the name of a shell: bash, zsh, fish\n"
