"""Nothing leaves the machine: no face and no process below it connects anywhere or looks a name up, with all extras.

Compiled code does so past Python's `socket`, so a library that is loaded before all others watches (`attempts.c`). It
refuses what it sees. The processes run at once, and until one that keeps onnxruntime's telemetry has looked its name
up, which onnxruntime does nine seconds after its import.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from typing import Final, TypeAlias

import httpx2
import pytest
from mcp import Client

from tests.attachments import samples
from tests.conftest import Files, write_files
from tests.server.serving import Raw, http, run, text_of
from tests.test_architecture import PACKAGE
from vaulttools.matching import ripgrep

COMPILER: Final = shutil.which("cc") or shutil.which("gcc")

watched = pytest.mark.skipif(
    sys.platform != "linux" or COMPILER is None, reason="needs Linux and a C compiler: apt-get install gcc libc6-dev"
)

QUESTION: Final = "where do felines nap"
"""Only meaning finds the note."""

NOTES: Final[Files] = {
    ".obsidian/app.json": "{}",
    "Pets.md": "# Pets\n\nThe cat sleeps on the sofa.\n",
    "Letter.pdf": samples.pdf("Dear harbour master"),
}

GERMAN: Final = {
    "Hafen.md": "# Hafen\n\nDas Schiff muss vor dem Regen zurück sein, sagt der Kapitän der Flotte immer wieder.\n"
}
"""For the other model of the extra."""

MANY: Final = {f"many/{number}.md": "" for number in range(1_100)}
"""So many that a command leaves the index to another process, which reads them with children."""

WITHIN: Final = 120.0
"""Seconds after which a test gives up, on a busy machine too."""

LAUNCHER: Final = """\
#!/bin/bash
export LD_PRELOAD='{library}' ATTEMPTS='{log}' {more}
exec -a "$0" '{python}' "$@"
"""
"""Runs Python under its own name, so that it starts its children with this program too, whatever their environment."""

API: Final = """\
import sys
from vaulttools import Vault
with Vault.open(sys.argv[1]) as vault:
    vault.build_index()
    vault.wait_for_meaning()
    print(vault.query(query=sys.argv[2]).text, vault.read("Letter.pdf").text, "END", sep="\\n", flush=True)
    sys.stdin.read()
"""


class Home:
    """A user's home with a vault, and a Python whose attempts are written down."""

    def __init__(self, folder: Path, library: Path, *, forgets: bool = False) -> None:
        """`forgets`: onnxruntime does not see that its telemetry is off."""
        self.folder, self.vault, self.log = folder / "home", folder / "vault", folder / "log"
        write_files(self.vault, NOTES)
        self.folder.mkdir()
        self.log.touch()
        self.python = str(folder / "bin/python")
        real = Path(getattr(sys, "_base_executable", sys.executable))
        packages = Path(sysconfig.get_path("purelib"))
        place = folder / packages.relative_to(sys.prefix)
        place.parent.mkdir(parents=True)
        place.symlink_to(packages)
        more = "FORGETTING=1" if forgets else ""
        launcher = LAUNCHER.format(library=library, log=self.log, python=real, more=more)
        write_files(folder, {"pyvenv.cfg": f"home = {real.parent}\n", "bin/python": launcher})
        Path(self.python).chmod(0o700)
        self.environ = {
            "HOME": str(self.folder),
            "VAULTTOOLS_MEANING": "on",
            "VAULTTOOLS_RG": ripgrep.found(None, os.environ),
            "XDG_CACHE_HOME": str(self.folder / ".cache"),
            "XDG_CONFIG_HOME": str(self.folder / ".config"),
            "XDG_RUNTIME_DIR": str(folder),
        }

    @property
    def program(self) -> list[str]:
        """The command line, for the vault."""
        return [self.python, "-m", "vaulttools", "--vault", str(self.vault)]

    def command(self, *words: str) -> str:
        """What a command prints."""
        ran = subprocess.run(
            [*self.program, *words], env={**os.environ, **self.environ}, capture_output=True, encoding="utf-8"
        )
        assert ran.returncode in (0, 1, 2), ran.stdout + ran.stderr  # 2: nothing found, and meaning not ready yet
        assert "error: " not in ran.stderr, ran.stderr
        return ran.stdout

    def did(self, what: str) -> list[str]:
        """What the processes did of one kind."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return [said for _, kind, said in (line.split(" ", 2) for line in lines) if kind == what]

    def attempts(self) -> list[str]:
        """The attempts to connect beyond this machine, or to resolve a name."""
        return self.did("connect") + self.did("resolve")

    def left(self) -> list[str]:
        """The files in the home that are not in our own folder of the cache."""
        files = (path.relative_to(self.folder) for path in self.folder.rglob("*") if path.is_file())
        return sorted(str(path) for path in files if path.parts[:2] != (".cache", "vaulttools"))


def until(condition: Callable[[], object], within: float = WITHIN) -> None:
    end = time.monotonic() + within
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


Face: TypeAlias = Callable[[Home], AbstractContextManager[None]]


@contextmanager
def of_python(home: Home) -> Iterator[None]:
    with subprocess.Popen(
        [home.python, "-c", API, str(home.vault), QUESTION],
        env={**os.environ, **home.environ},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdin and process.stdout
        said = "".join(takewhile(lambda line: line != "END\n", process.stdout))
        assert "Pets.md" in said and "harbour master" in said, said
        yield
        process.stdin.close()


@contextmanager
def of_the_command_line(home: Home) -> Iterator[None]:
    write_files(home.vault, {**MANY, **GERMAN})
    home.command("query", "cat")
    until(lambda: any("vaulttools.cli.index" in line for line in home.did("ran")))
    home.command("index", "build", "--meaning")
    until(lambda: "Pets.md" in home.command("query", QUESTION))
    assert "harbour master" in home.command("read", "Letter.pdf")
    yield


@contextmanager
def of_the_resident_process(home: Home) -> Iterator[None]:
    home.command("daemon", "start")
    try:
        until(lambda: "Pets.md" in home.command("query", QUESTION))
        yield
    finally:
        home.command("daemon", "stop")


@contextmanager
def of_mcp(home: Home) -> Iterator[None]:
    with Raw("mcp", program=home.program, **home.environ) as raw:
        raw.initialize()

        def asked(number: int, tool: str, **arguments: str) -> str:
            raw.call(number, tool, arguments)
            return str(raw.answer(number)["result"]["content"][0]["text"])

        assert "harbour master" in asked(1, "read", note="Letter.pdf")
        until(lambda: "Pets.md" in asked(2, "query", query=QUESTION))
        yield


@contextmanager
def of_mcp_over_http(home: Home) -> Iterator[None]:
    with http("mcp", "--http", ":0", program=home.program, **home.environ) as served:
        until(lambda: "Pets.md" in asked_at(served.url))
        yield


@contextmanager
def of_serve(home: Home) -> Iterator[None]:
    with http("serve", ":0", "--omnisearch", "0", program=home.program, **home.environ) as served:
        for path in ("ui/", "ui/note/Pets.md", "ui/?q=cat"):
            assert "Pets" in httpx2.get(served.url + path, timeout=WITHIN).text
        found = httpx2.post(f"{served.url}search/simple/", params={"query": "cat"}, timeout=WITHIN)
        assert "Pets.md" in found.text
        until(lambda: "Pets.md" in asked_at(f"{served.url}mcp"))
        yield


def asked_at(url: str) -> str:
    async def talk() -> str:
        async with Client(url) as client:
            return text_of(await client.call_tool("query", {"query": QUESTION}))

    return run(talk)


FACES: Final[list[Face]] = [
    of_python,
    of_the_command_line,
    of_the_resident_process,
    of_mcp,
    of_mcp_over_http,
    of_serve,
]

CALLS: Final = [
    ("socket.getaddrinfo('a.example', 1)", "a.example"),
    ("socket.gethostbyname_ex('b.example')", "b.example"),
    ("socket.gethostbyaddr('192.0.2.1')", "the name of an address"),
    ("socket.getnameinfo(('192.0.2.1', 1), 0)", "the name of an address"),
    ("socket.create_connection(('192.0.2.2', 1))", "192.0.2.2"),
    ("socket.socket(socket.AF_INET6).connect(('2001:db8::1', 1))", "2001:db8::1"),
    ("socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.3', 1))", "192.0.2.3"),
    ("socket.socket(type=socket.SOCK_DGRAM).sendmsg([b'x'], [], 0, ('192.0.2.4', 1))", "192.0.2.4"),
]
"""What Python can ask of the system, and what is written down of it."""

OF_ONNXRUNTIME: Final = {"mobile.events.data.microsoft.com"}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    assert COMPILER is not None
    made = tmp_path_factory.mktemp("library") / "attempts.so"
    source = Path(__file__).with_name("attempts.c")
    subprocess.run([COMPILER, "-shared", "-fPIC", "-O1", "-o", made, source, "-ldl"], check=True)
    return made


@pytest.mark.parametrize("given", [None, "", "0", "false", "1"])
def test_importing_the_package_turns_the_telemetry_of_onnxruntime_off_whatever_was_set(given: str | None) -> None:
    code = "import vaulttools, os; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    environ = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    if given is not None:
        environ["ORT_DISABLE_TELEMETRY"] = given
    assert subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True).stdout == "1\n"


@watched
def test_each_way_to_resolve_and_to_connect_is_seen_and_refused(library: Path, tmp_path: Path) -> None:
    home = Home(tmp_path, library)
    for call, _ in CALLS:
        code = f"import socket\ntry: {call}\nexcept OSError: pass\nelse: raise SystemExit('it was let through')"
        subprocess.run([home.python, "-c", code], env={}, check=True)
    assert home.did("resolve") + home.did("connect") == [said for _, said in CALLS]


@watched
def test_what_stays_on_this_machine_is_let_through(library: Path, tmp_path: Path) -> None:
    home = Home(tmp_path, library)
    code = "import socket; here = socket.create_server(('127.0.0.1', 0)); socket.create_connection(here.getsockname())"
    subprocess.run([home.python, "-c", code], env={}, check=True)
    assert home.attempts() == []


@watched
@pytest.mark.timeout(300)
def test_no_face_and_no_child_connects_resolves_a_name_or_leaves_a_file(library: Path) -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vt")))  # short, as sockets need it
        homes = [Home(folder / face.__name__, library) for face in FACES]
        forgetful = Home(folder / "forgetful", library, forgets=True)
        with ThreadPoolExecutor(len(FACES)) as pool:
            list(pool.map(lambda face, home: stack.enter_context(face(home)), FACES, homes))
        # It keeps its file at once, and looks names up seconds later: once of some twenty runs it did not.
        with of_python(forgetful), suppress(AssertionError):
            until(forgetful.attempts, within=60.0)
        assert set(forgetful.attempts()) in (OF_ONNXRUNTIME, set())
        assert ".cache/Microsoft/DeveloperTools/.onnxruntime/deviceid" in forgetful.left()

        assert {home.log.parent.name: home.attempts() for home in homes if home.attempts()} == {}
        assert {home.log.parent.name: home.left() for home in homes if home.left()} == {}
        lack = {home.log.parent.name for home in homes if not home.did("imports")}
        assert lack == set()
        ran = " ".join(line for home in homes for line in home.did("ran"))
        assert {name for name in runnable() if not re.search(rf" {name} ", ran)} == set()


def runnable() -> set[str]:
    """The modules that our processes run."""
    files = [path for path in PACKAGE.rglob("*.py") if '__name__ == "__main__"' in path.read_text(encoding="utf-8")]
    names = {".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts) for path in files}
    return {name.removesuffix(".__main__") for name in names}
