"""The resident process, through real processes: it answers as a one-shot command does, or not at all."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.cli.test_terminal import printed
from tests.conftest import FIXTURES, write_files
from tests.test_transcripts import TRANSCRIPTS, replayed
from vaulttools import Vault
from vaulttools.__main__ import main
from vaulttools.cli import handover, resident
from vaulttools.cli import main as cli
from vaulttools.cli.surroundings import Surroundings
from vaulttools.errors import BadArgument

pytestmark = pytest.mark.not_on_windows("Windows has no resident process")

ALONE = "from vaulttools.__main__ import run; run()"
THIN = f"import sys; sys.modules['vaulttools.cli.main'] = None; {ALONE}"
"""Lacks the module that lets a command run by itself."""

LEAN = f"import sys; sys.modules.update(dict.fromkeys(('contextlib', 'enum', 're', 'socket'))); {THIN}"
"""Also lacks the modules that take longer to import than a command takes to hand over."""

INTERRUPTIBLE = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler); {THIN}"
"""Ctrl-C works here, even where the tests run in the background of a shell, which ignores it."""

NONE = "No resident process serves this vault.\n"

COMMANDS: Sequence[Sequence[str]] = [
    ("search-files", "TODO"),
    ("search-files", "occurs nowhere at all"),
    ("search", "TODO", "--json"),
    ("find", "*.md"),
    ("grep", "TODO"),
    ("survey", "plan", "TODO"),
    ("scout", "plan"),
    ("sample", "TODO", "inbox.md"),
    ("show", "TODO", "inbox.md"),
    ("query", "printer"),
    ("query", "tag:#work", "--mode", "obsidian"),
    ("read", "inbox.md"),
    ("read", "no such note"),
    ("outline", "Projects/plan.md"),
    ("links", "--mode", "unresolved"),
    ("tags",),
    ("properties",),
    ("tasks",),
    ("base", "--where", "file.ext == 'md'", "--csv"),
    ("call", "tags", '{"limit": 2}'),
    ("show", "e", "inbox.md", "--max-total", "1"),
    ("search-files", "("),
    ("search-files", "x", "--nothing"),
    ("tags", "--help"),
]


@dataclass(frozen=True)
class Ran:
    """The streams and the status of a command that has ended."""

    status: int
    out: bytes
    err: bytes


@dataclass(frozen=True)
class Place:
    """A vault, and the environment in which commands are run on it."""

    vault: Path
    environ: Mapping[str, str]

    def ran(self, *words: str, code: str = THIN, **environ: str) -> Ran:
        """Run a real process, which can do nothing by itself unless the code says otherwise."""
        command = [sys.executable, "-c", code, "--vault", str(self.vault), *words]
        done = subprocess.run(command, env={**self.environ, **environ}, stdin=subprocess.DEVNULL, capture_output=True)
        return Ran(done.returncode, done.stdout, done.stderr)

    def ran_alone(self, *words: str, **environ: str) -> Ran:
        """Run a real process, which acts by itself where no other takes the command."""
        return self.ran(*words, code=ALONE, **environ)

    def daemon(self, command: str, **environ: str) -> tuple[int, dict[str, object]]:
        """The status and the details of a `daemon` command."""
        done = self.ran_alone("--json", "daemon", command, **environ)
        return done.status, json.loads(done.out)

    @property
    def process(self) -> int:
        """The resident process."""
        process = self.daemon("status")[1]["process"]
        assert isinstance(process, int)
        return process

    @property
    def socket(self) -> str:
        """Where the resident process listens."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_RUNTIME_DIR", self.environ["XDG_RUNTIME_DIR"])
            path = handover.socket_path(str(self.vault))
        assert path is not None
        return path


@contextlib.contextmanager
def place(vault: Path) -> Iterator[Place]:
    """A place of its own, with a short name, as sockets need it."""
    with tempfile.TemporaryDirectory(prefix="vt") as folder:
        home = {name: str(Path(folder) / name.lower()) for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
        for each in home.values():
            Path(each).mkdir()
        switches = {"XDG_RUNTIME_DIR": folder, "VAULTTOOLS_MEANING": "off"}
        yield Place(vault, {**os.environ, **home, **switches})


@pytest.fixture(scope="module")
def served() -> Iterator[Place]:
    """The shipped vault, with a resident process for all tests here."""
    with place(FIXTURES / "vault") as here:
        assert here.daemon("start")[0] == 0
        while here.ran("tags").status:  # the index is being built, and the call would be run by itself
            pass
        yield here
        here.daemon("stop")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A small vault that may be changed."""
    write_files(tmp_path, {"a.md": "# Plan\nTODO #work\n", "b.md": "[[a]]\n", "c d/e.md": "---\nx: 1\n---\n"})
    return tmp_path


@pytest.fixture
def own(vault: Path) -> Iterator[Place]:
    """A small vault, with a resident process of its own."""
    with place(vault) as here:
        assert here.daemon("start")[0] == 0
        yield here
        assert here.daemon("stop")[0] in (0, 1)  # 1: no process is left


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_answers_byte_for_byte_as_by_itself(words: Sequence[str], served: Place) -> None:
    assert served.ran(*words) == served.ran_alone(*words, TZ="UTC0")  # in another environment it runs by itself


def test_handing_a_command_over_takes_hardly_any_imports(served: Place) -> None:
    assert served.ran("tags", code=LEAN) == served.ran("tags")


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_every_transcript_is_answered_alike(path: Path, served: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in served.environ.items():
        monkeypatch.setenv(name, value)
    expected = path.read_text(encoding="utf-8")
    assert replayed(expected, FIXTURES / "vault", monkeypatch) == expected


def test_the_current_folder_decides_the_vault(served: Place) -> None:
    for folder in (served.vault, served.vault / "Projects"):
        done = subprocess.run([sys.executable, "-c", THIN, "tags"], cwd=folder, env=served.environ, capture_output=True)
        named = served.ran("tags").out.replace(b" --vault " + bytes(served.vault), b"")
        assert (done.returncode, done.stdout, done.stderr) == (0, named, b"")


def test_colour_is_for_the_terminal_of_the_caller(served: Place) -> None:
    def shown(code: str, **environ: str) -> bytes:
        command = [sys.executable, "-c", code, "--vault", str(served.vault), "search-files", "TODO"]
        return printed(command, {**served.environ, **environ})

    coloured = shown(THIN, TERM="xterm")
    assert b"\x1b[" in coloured
    assert coloured == shown(ALONE, TERM="xterm", TZ="UTC0")
    assert b"\x1b[" not in (plain := shown(THIN, TERM="xterm", NO_COLOR="1"))
    assert plain == shown(ALONE, TERM="dumb", TZ="UTC0")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full and a shell of POSIX")
@pytest.mark.parametrize(
    "redirected", [">/dev/full", ">&-", "2>&-", "<&-", "| head -c 10; exit ${PIPESTATUS[0]}", "2>&1", "<<< left; cat"]
)
def test_streams_mean_what_they_mean_to_a_command_by_itself(redirected: str, served: Place) -> None:
    def ran(code: str, environ: Mapping[str, str]) -> Ran:
        script = f'"$@" {redirected}' if "cat" not in redirected else '{ "$@"; cat; } <<< left'
        command = ["bash", "-c", script, "bash", sys.executable, "-c", code, "--vault", str(served.vault)]
        done = subprocess.run([*command, "find", "**"], env=environ, stdin=subprocess.DEVNULL, capture_output=True)
        return Ran(done.returncode, done.stdout, done.stderr)

    assert ran(THIN, served.environ) == ran(ALONE, {**served.environ, "TZ": "UTC0"})


def test_many_callers_at_once_are_all_answered(served: Place) -> None:
    commands = [("search-files", "TODO"), ("tags",), ("links", "--mode", "orphans"), ("query", "printer")] * 3
    start = [sys.executable, "-c", THIN, "--vault", str(served.vault)]
    running = [
        subprocess.Popen([*start, *words], env=served.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for words in commands
    ]
    answers = [(*process.communicate(), process.returncode) for process in running]
    assert [Ran(status, out, err) for out, err, status in answers] == [served.ran(*words) for words in commands]


@pytest.mark.parametrize(
    ("variable", "value"),
    [("TZ", "Asia/Tokyo"), ("LC_ALL", "de_DE.UTF-8"), ("VAULTTOOLS_RG", "/none")],
)
def test_another_environment_runs_by_itself(variable: str, value: str, served: Place) -> None:
    environ = {variable: value}
    assert b"ImportError" in served.ran("tags", **environ).err.replace(b"ModuleNotFound", b"Import")
    assert served.daemon("status", **environ)[1]["differs"] == variable
    assert served.daemon("status", TERM="other", PATH="/bin")[1]["differs"] is None


def test_another_version_does_not_meet_it(served: Place) -> None:
    other = "import vaulttools; vaulttools.__version__ = '9.9.9'\n"
    assert served.ran("daemon", "status", code=other + ALONE).status == 1
    assert b"halted" in served.ran("tags", code=other + THIN).err


def test_start_reports_the_process_that_runs_already(served: Place) -> None:
    process = served.process
    assert served.daemon("start") == (0, {"process": process, "is_server": False, "differs": None})


def test_a_change_of_the_configuration_is_followed(own: Place) -> None:
    assert b"c d" in own.ran("find", "*").out
    settings = f"[v]\npath = '{own.vault}'\nprotected = ['c d']\n"
    write_files(Path(own.environ["XDG_CONFIG_HOME"]), {"vaulttools/vaulttools.toml": settings})
    closed = own.ran("find", "*")
    assert (closed.status, b"c d" in closed.out, closed.err) == (0, False, b"")


def test_a_message_without_an_end_is_refused(own: Place) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(own.socket)
        connection.sendall(b"\xff" * handover.LENGTH)
        assert connection.recv(1) == b""
    assert own.ran("find", "*").status == 0


def test_a_new_protected_folder_is_closed_at_once(own: Place) -> None:
    write_files(own.vault, {".other/app.json": "{}"})
    found = own.ran("find", "*")
    assert found.status == 0
    assert b".other" not in found.out


def test_a_killed_process_answers_nobody_and_its_socket_is_taken_over(own: Place) -> None:
    os.kill(own.process, signal.SIGKILL)
    while own.daemon("status")[0] == 0:
        pass
    assert os.path.exists(own.socket)
    assert own.ran_alone("find", "*").status == 0
    assert own.daemon("start")[0] == 0
    assert own.ran("find", "*").status == 0


def test_a_process_that_hangs_is_not_waited_for(own: Place) -> None:
    process = own.process
    os.kill(process, signal.SIGSTOP)
    try:
        assert own.ran_alone("find", "*").status == 0
    finally:
        os.kill(process, signal.SIGCONT)


def test_stop_ends_it(own: Place) -> None:
    process = own.process
    assert own.daemon("stop") == (0, {"process": process})
    while os.path.exists(own.socket):
        pass
    assert own.ran_alone("daemon", "status") == Ran(1, NONE.encode(), b"")
    assert own.daemon("stop") == (1, {"process": None})


def test_it_ends_when_idle(vault: Path) -> None:
    with place(vault) as here:
        code = "import sys; from vaulttools.cli.resident import run; run(sys.argv[1], 0.2)"
        done = subprocess.run([sys.executable, "-c", code, str(vault)], env=here.environ, capture_output=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"ready\n", b"")
        assert not os.path.exists(here.socket)


def test_a_folder_that_others_can_enter_is_not_used(own: Place) -> None:
    folder = Path(own.socket).parent
    folder.chmod(0o755)
    assert b"halted" in own.ran("find", "*").err
    sentence = f"error: {folder} must be a folder of this user alone, of mode 0700\n"
    assert own.ran_alone("daemon", "start") == Ran(2, b"", sentence.encode())
    folder.chmod(0o700)
    moved = folder.rename(folder.with_name("moved"))
    folder.symlink_to(moved)
    assert b"halted" in own.ran("find", "*").err
    folder.unlink()
    moved.rename(folder)


def test_another_user_is_refused_on_both_sides(own: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert handover.is_of_one_user(ours)
        monkeypatch.setattr(os, "geteuid", lambda: 54321)
        assert not handover.is_of_one_user(ours)
    assert not handover.is_private(own.socket)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can be another user")
def test_root_gets_an_answer_and_a_process_of_another_user_gets_nothing(own: Place) -> None:
    folder = Path(own.socket).parent
    for path in (folder.parent, folder, Path(own.socket)):
        path.chmod(0o777)
    code = (
        "import os, socket, sys; os.setuid(int(sys.argv[2])); connection = socket.socket(socket.AF_UNIX)\n"
        "connection.connect(sys.argv[1]); connection.sendall(b'\\0\\0\\0\\6status')\n"
        "print(connection.recv(100))"
    )

    def asked_as(user: int) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", code, own.socket, str(user)]
        return subprocess.run(command, capture_output=True, text=True, encoding="utf-8")

    assert asked_as(0).stdout.startswith("b'+")
    other = asked_as(65534)
    folder.chmod(0o700)  # else no command could reach the process, not even `stop`
    refused = ("ConnectionResetError", "BrokenPipeError")  # the process closed before it was read from, or written to
    assert other.stdout == "b''\n" or any(name in other.stderr for name in refused)


@pytest.mark.parametrize("is_ours", [True, False])
def test_a_process_is_believed_unless_it_is_of_another_user(
    is_ours: bool, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with place(vault) as here, socket.socket(socket.AF_UNIX) as listening:
        monkeypatch.setenv("XDG_RUNTIME_DIR", here.environ["XDG_RUNTIME_DIR"])
        listening.bind(resident.usable_path(str(vault)))
        listening.listen()

        def answer() -> None:
            connection, _ = listening.accept()
            with connection, contextlib.suppress(OSError):
                connection.recv(1 << 16)
                connection.sendall(handover.TAKEN + b"\0\0\0\1\7")

        answering = Thread(target=answer)
        answering.start()
        monkeypatch.setattr(handover, "peer_of", lambda connection: os.geteuid() + (not is_ours))
        assert handover.handed_over(["--vault", str(vault), "tags"]) == (7 if is_ours else None)
        answering.join()


def test_a_caller_that_goes_stops_its_command(
    vault: Path, monkeypatch: pytest.MonkeyPatch, make_resident: Path
) -> None:
    begun, cancelled = Event(), Event()

    def slow(words: Sequence[str], here: Surroundings) -> int:
        begun.set()
        assert here.cancel is not None
        if here.cancel.wait(60):
            cancelled.set()
        return 0

    monkeypatch.setattr(resident, "main", slow)
    command = [sys.executable, "-c", INTERRUPTIBLE, "--vault", str(vault), "tags"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert begun.wait(60)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == 130
    assert cancelled.wait(60)


def test_a_command_that_fails_or_dies_there_runs_by_itself(
    vault: Path, monkeypatch: pytest.MonkeyPatch, make_resident: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(words: Sequence[str], here: Surroundings) -> int:
        print("half an answer", file=here.out)
        raise RuntimeError("a bug")

    monkeypatch.setattr(resident, "main", broken)
    assert main(["--vault", str(vault), "find", "*"]) == 0
    assert "half an answer" not in capsys.readouterr().out


@pytest.fixture
def make_resident(vault: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The small vault, served from this process as a server does it."""
    folder = Path(tempfile.mkdtemp(prefix="vt"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    with Vault.open(vault) as opened, resident.offered([contextlib.nullcontext(opened)]):
        yield folder
    shutil.rmtree(folder)


def test_a_server_offers_its_vault_and_is_not_stopped(
    vault: Path, make_resident: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = ["--vault", str(vault)]
    assert main([*here, "daemon", "status"]) == 0
    assert capsys.readouterr().out == (
        f"Process {os.getpid()} serves this vault's commands. It is a server, and ends by itself.\n"
    )
    assert main([*here, "daemon", "stop"]) == 2
    assert main([*here, "daemon", "start"]) == 0
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert handover.handed_over([*here, "find", "*"]) == 0
    capsys.readouterr()
    assert cli.main([*here, "find", "*"]) == 0
    assert capsys.readouterr().out == out.getvalue()
    with resident.offered([Vault.open(vault)]):  # the socket stays with the first
        assert main([*here, "daemon", "status"]) == 0


@pytest.mark.parametrize("words", [["daemon"], ["daemon", "go"], ["daemon", "start", "now"]])
def test_daemon_takes_one_of_three(words: list[str], vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--vault", str(vault), *words]) == 2
    assert capsys.readouterr().err.startswith("error: daemon takes one of start, status, stop")


def test_a_path_too_long_for_a_socket_is_reported(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", f"/tmp/{'x' * 120}")
    assert handover.handed_over(["--vault", str(vault), "tags"]) is None
    with pytest.raises(BadArgument, match="its path is too long"):
        resident.usable_path(str(vault))


def test_the_process_hangs_up_on_invalid_requests(make_resident: Path, vault: Path) -> None:
    path = handover.socket_path(str(vault))
    assert path is not None
    for sent in (b"", b"\0\0\0\1x", b"\0\0\0\0", b"\xff" * 64, handover.packed(["run", "a"])):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(60)
            connection.connect(path)
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            with contextlib.suppress(ConnectionError):
                assert connection.recv(1) in (b"", handover.TAKEN)
    assert handover.asked(path, handover.STATUS) is not None


def test_answers_are_sent_whole_however_long(vault: Path, monkeypatch: pytest.MonkeyPatch, make_resident: Path) -> None:
    def long(words: Sequence[str], here: Surroundings) -> int:
        for number in range(2_000):
            print(f"{number} \udc80 ä" * 100, file=here.err if number % 3 else here.out)
        return 3

    monkeypatch.setattr(resident, "main", long)
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        assert handover.handed_over(["--vault", str(vault), "tags"]) == 3
    assert out.getvalue().count("\n") + err.getvalue().count("\n") == 2_000
    assert out.getvalue().startswith("0 \\udc80 ä")


def test_no_thread_is_left(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with place(vault) as here, Vault.open(vault, index="off") as opened:
        monkeypatch.setenv("XDG_RUNTIME_DIR", here.environ["XDG_RUNTIME_DIR"])
        only = resident.Resident(opened, is_daemon=False)
        assert only.listen()
        assert not resident.Resident(opened, is_daemon=False).listen()
        serving = Thread(target=only.serve)
        serving.start()
        only.stop()
        serving.join()
        assert not os.path.exists(here.socket)
