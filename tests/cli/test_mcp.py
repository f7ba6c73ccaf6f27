"""`vaulttools mcp`: what its options mean, what is refused in one sentence, and the blocks that clients take."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.pressing import IN_A_TERMINAL, press_ctrl_c
from vaulttools import BadArgument, __version__, tools
from vaulttools.cli import main as cli
from vaulttools.cli.mcp import parse, program
from vaulttools.clients.registry import CLIENTS
from vaulttools.server.vaults import folders

Printed = pytest.CaptureFixture[str]
needs_program = pytest.mark.not_under_wine("the package lies on the path of modules, and is not installed")


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ([], tools.DEFAULT),
        (["--tools", "all"], tools.NAMES),
        (["--tools", "read,find"], ("find", "read")),
        (["--tools", "connector"], ()),
        (["--tools", "read", "--tools", "search-files"], ("search_files", "read")),
    ],
)
def test_tools_are_chosen_by_name_and_sorted(words: Sequence[str], offered: tuple[str, ...]) -> None:
    assert parse(words, ["V"]).tools == offered


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("8765", ("127.0.0.1", 8765)),
        (":8765", ("127.0.0.1", 8765)),
        ("localhost:0", ("localhost", 0)),
        ("127.0.0.1:1", ("127.0.0.1", 1)),
        ("[::1]:8765", ("::1", 8765)),
    ],
)
def test_http_listens_on_this_machine_unless_a_host_is_given(given: str, address: tuple[str, int]) -> None:
    assert parse(["--http", given], ["V"]).http == address


REACHED = "can be reached from other machines: give a token by VAULTTOOLS_TOKEN or --token-file"
TOOLS = f"--tools takes all, connector, or names among {', '.join(tools.NAMES)}"
ORIGIN = "--allow-origin takes an origin such as https://notes.example, got"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--http", "localhost"], "--http takes HOST:PORT, got 'localhost'"),
        (["--http", ":99999"], "--http takes HOST:PORT, got ':99999'"),
        (["--http", "0.0.0.0:8765"], f"0.0.0.0 {REACHED}"),
        (["--http", "notes.example:80"], f"notes.example {REACHED}"),
        (["--allow-origin", "https://a.example"], "--token-file and --allow-origin go with --http"),
        (["--http", ":1", "--allow-origin", "https://a.example/"], f"{ORIGIN} 'https://a.example/'"),
        (["--http", ":1", "--allow-origin", "*"], f"{ORIGIN} '*'"),
        (["--tools", "serach"], f"{TOOLS}; got 'serach'"),
        (["--tools", "read,connector"], f"{TOOLS}; got 'connector'"),
        (["--prot", "1"], "unknown option '--prot'"),
        (["--port", "1"], "mcp takes host and port as one word: mcp --http :1"),
        (["stdio"], "unexpected argument 'stdio'"),
        (["--http"], "--http needs a value"),
        (["--http", ":1", "--token-file", "/no/such/file"], None),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_sentence(words: Sequence[str], sentence: str | None) -> None:
    with pytest.raises(BadArgument) as refusal:
        parse(words, ["V"])
    assert "\n" not in str(refusal.value)
    if sentence is not None:
        assert str(refusal.value) == sentence


def test_the_token_comes_from_a_file_or_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "token"
    file.write_text("of the file\n", encoding="utf-8")
    assert parse(["--http", ":1"], ["V"]).token is None
    monkeypatch.setenv("VAULTTOOLS_TOKEN", "of the environment")
    assert parse(["--http", "0.0.0.0:1"], ["V"]).token == "of the environment"
    assert parse(["--http", ":1", "--token-file", str(file)], ["V"]).token == "of the file"
    file.write_text("\n", encoding="utf-8")
    with pytest.raises(BadArgument, match=r"^The token file .* is empty$"):
        parse(["--http", ":1", "--token-file", str(file)], ["V"])


def test_vaults_are_named_or_bear_the_name_of_their_folder(tmp_path: Path) -> None:
    odd = tmp_path / "a=b"
    odd.mkdir()
    assert folders([f"work={tmp_path}", str(odd)]) == {"work": str(tmp_path), "a=b": str(odd)}
    with pytest.raises(BadArgument, match=r"^Two vaults are named x: "):
        folders([f"x={tmp_path}", f"x={odd}"])


ONE, OF_FOUR = ["--vault", "VAULT", "mcp"], "--print-config must be one of claude, cursor, vscode, generic"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["mcp"], "No vault given: use --vault DIR or VAULTTOOLS_VAULT"),
        (["--vault", "a", "--vault", "b", "tags"], "--vault is given more than once; only mcp and serve take several"),
        (["--vault", "none", "mcp"], "The vault cannot be opened: none: no such folder"),
        (
            [*ONE, "--print-config", "emacs"],
            f"{OF_FOUR}, claude-desktop, claude-code, codex, gemini-cli, lm-studio, got 'emacs'",
        ),
        ([*ONE, "--http", ":8765", "--print-config", "codex"], f"With --http, {OF_FOUR}"),
    ],
)
def test_a_vault_or_an_assistant_that_cannot_be_served_is_refused(
    words: Sequence[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    monkeypatch.chdir(tmp_path)  # nobody has named this vault
    assert cli.main([str(tmp_path) if word == "VAULT" else word for word in words]) == 2
    assert capsys.readouterr() == ("", f"error: {sentence}\n")


@pytest.mark.parametrize(
    ("words", "missing", "sentence"),
    [
        (["mcp"], "mcp", "The MCP server needs the extra 'mcp': pip install '.[mcp]' in the checkout"),
        (["serve", ":0"], "cryptography", "serve needs the extra 'serve': pip install '.[serve]' in the checkout"),
    ],
)
def test_without_the_extra_one_sentence_says_how_to_get_it(
    words: Sequence[str], missing: str, sentence: str, small_vault: Path
) -> None:
    main = "from vaulttools.cli.main import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", f"import sys; sys.modules['{missing}'] = None; {main}", "--vault"]
    words = [*command, str(small_vault), *words]
    ended = subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, encoding="utf-8")
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", f"error: {sentence}\n")


def test_an_address_in_use_is_reported(small_vault: Path, capsys: Printed) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert cli.main(["--vault", str(small_vault), "mcp", "--http", f":{port}"]) == 2
    assert capsys.readouterr().err == (
        f"error: Cannot listen on 127.0.0.1:{port}: "
        "another program listens there; choose another port, or 0 for any that is free\n"
    )


def test_a_printed_block_names_the_two_tools_of_connectors(small_vault: Path, capsys: Printed) -> None:
    given = ["--vault", str(small_vault), "mcp", "--tools", "connector", "--print-config", "generic"]
    assert cli.main(given) == 0
    assert json.loads(capsys.readouterr().out)["args"][-2:] == ["--tools", "connector"]


@pytest.mark.parametrize("client", ["claude", "cursor", "vscode", "generic"])
def test_a_printed_block_starts_a_server_that_answers(small_vault: Path, client: str, capsys: Printed) -> None:
    given = ["--vault", os.path.relpath(small_vault), "mcp", "--tools", "read,find", "--print-config", client]
    assert cli.main(given) == 0
    out, err = capsys.readouterr()
    block = json.loads(out)
    assert err.count("\n") == 1
    if client == "vscode":
        block = block["servers"]["vaulttools"]
    elif client != "generic":
        block = block["mcpServers"]["vaulttools"]
    assert block["args"][-5:] == ["--vault", str(small_vault.resolve()), "mcp", "--tools", "find,read"]
    if client == "generic":
        ended = subprocess.run(
            [block["command"], *block["args"]], stdin=subprocess.DEVNULL, capture_output=True, cwd="/"
        )
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


@pytest.mark.parametrize("is_installed", [pytest.param(True, marks=needs_program), False])
def test_a_command_that_is_written_down_runs_nothing_that_lies_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_installed: bool
) -> None:
    for name in ("vaulttools", "json", "mcp", "platformdirs", "runpy", "usercustomize"):
        (tmp_path / f"{name}.py").write_text("print('of the folder')\nraise SystemExit(3)\n", encoding="utf-8")
    if not is_installed:
        monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    path, arguments = program()
    assert os.path.isabs(path)
    assert bool(arguments) is not is_installed
    words = [path, *arguments, "--version"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout) == (0, f"vaulttools {__version__}\n"), done.stderr


def test_a_printed_block_over_http_has_a_place_for_the_token(
    small_vault: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    monkeypatch.setenv("VAULTTOOLS_TOKEN", "secret")
    address = {"url": "http://127.0.0.1:8765/mcp", "headers": {"Authorization": "Bearer <the token>"}}
    for client, block in {
        "claude": {"mcpServers": {"vaulttools": {"type": "http", **address}}},
        "cursor": {"mcpServers": {"vaulttools": address}},
        "vscode": {"servers": {"vaulttools": {"type": "http", **address}}},
        "generic": {"type": "http", **address},
    }.items():
        assert cli.main(["--vault", str(small_vault), "mcp", "--http", ":8765", "--print-config", client]) == 0
        assert json.loads(capsys.readouterr().out) == block


def test_a_printed_block_keeps_the_options(small_vault: Path, capsys: Printed) -> None:
    given = ["--no-index", "--vault", str(small_vault), "mcp", "--structured", "full", "--print-config", "generic"]
    assert cli.main(given) == 0
    assert json.loads(capsys.readouterr().out)["args"][-4:] == ["mcp", "--no-index", "--structured", "full"]


@pytest.mark.parametrize("name", [*(client.name for client in CLIENTS), "Codex", "CURSOR"])
def test_every_client_of_init_can_be_printed(small_vault: Path, name: str, capsys: Printed) -> None:
    assert cli.main(["--vault", str(small_vault), "mcp", "--print-config", name]) == 0
    out, err = capsys.readouterr()
    read = tomllib.loads(out) if "odex" in name else json.loads(out)
    entry = next(iter(read.values()))["vaulttools"]
    assert entry["args"] == [*program()[1], "--vault", str(small_vault.resolve()), "mcp"]
    assert err.count("\n") == 1


def test_the_server_is_loaded_by_no_other_command(small_vault: Path) -> None:
    code = (
        "import sys\nfrom vaulttools.cli.main import main\n"
        "main(['--vault', sys.argv[1], 'tags'])\nmain(['--help'])\nmain(['mcp', '--help'])\n"
        "assert not {'mcp', 'starlette', 'uvicorn', 'anyio', 'vaulttools.server.mcp.protocol'} & sys.modules.keys()"
    )
    environment = {**os.environ, "PYTHONUTF8": "1"}  # `run` would open the streams so, and this is `main`
    command = [sys.executable, "-c", code, str(small_vault)]
    subprocess.run(command, check=True, capture_output=True, env=environment)


DEFERRED = """
import sys
from vaulttools.cli.importing import defer_packages
defer_packages()
from vaulttools.server.mcp import protocol, stdio, streamable
assert not {"mcp.client", "mcp.server.mcpserver", "httpx2"} & sys.modules.keys()
import mcp, mcp.server
assert mcp.Client is sys.modules["mcp.client"].Client and mcp.server.Server is protocol.Server
assert not hasattr(mcp, "no such name")
defer_packages()
assert sys.modules["mcp"] is mcp
"""


def test_packages_of_the_sdk_are_imported_when_a_name_of_theirs_is_used() -> None:
    subprocess.run([sys.executable, "-c", DEFERRED], check=True)


INTERRUPTIBLE = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
"""Ctrl-C works here, even where the tests run in the background of a shell, which ignores it."""

AS_INSTALLED = INTERRUPTIBLE + "from vaulttools.__main__ import run; print('begins', flush=True); run()"

CAUGHT = (
    INTERRUPTIBLE
    + """
import os, time
from vaulttools.cli.mcp import importing_much
with importing_much():
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)
    except BaseException as error:  # as pydantic's core does
        raise ValueError from error
"""
)


@pytest.mark.parametrize("seconds", [0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.6])
def test_ctrl_c_ends_a_server_that_starts_at_once_and_without_a_word(small_vault: Path, seconds: float) -> None:
    command = [sys.executable, "-c", AS_INSTALLED, "--vault", str(small_vault), "mcp"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, **IN_A_TERMINAL) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().split() == [b"begins"]
        time.sleep(seconds)
        press_ctrl_c(process)
        assert process.wait(30) == 130
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")


SWALLOWED = (
    INTERRUPTIBLE
    + """
import importlib.abc, os, sys, time
class Swallowing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "vaulttools.cli.main":
            try:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(10)
            except BaseException:
                pass
sys.meta_path.insert(0, Swallowing())
from vaulttools.__main__ import run
run()
"""
)


@pytest.mark.not_on_windows("signals of POSIX")
@pytest.mark.parametrize("code", [CAUGHT, SWALLOWED], ids=["made another error", "swallowed"])
def test_what_is_imported_cannot_lose_ctrl_c(code: str) -> None:
    ended = subprocess.run([sys.executable, "-c", code, "tools"], capture_output=True, timeout=30, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, b"", b"")
