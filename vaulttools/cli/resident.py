"""Runs commands of one user for other processes, with a vault that stays open.

Each connection has a thread. It hangs up if the caller's own process would answer differently (another environment,
configuration or folder; a command other than a tool; no ready index), and the caller runs the command.
"""

from __future__ import annotations

import io
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from threading import Event, Lock, Thread, Timer
from typing import TYPE_CHECKING, Final, TextIO, cast

from vaulttools.cli import handover
from vaulttools.cli.importing import collect
from vaulttools.cli.main import main
from vaulttools.cli.surroundings import NotResident, Surroundings
from vaulttools.core import open_files
from vaulttools.errors import BadArgument, Cancelled, VaultToolsError
from vaulttools.matching import ripgrep

if TYPE_CHECKING:
    from vaulttools.vault import Vault

_log = logging.getLogger("vaulttools")

IDLE_SECONDS: Final = 1_800.0
"""`vaulttools daemon` ends after half an hour without a call; the next one must be started by hand."""

_TICK_SECONDS: Final = 1.0
"""Seconds between two checks whether to end."""

_CALLS: Final = 16
"""Commands that run at the same time; the MCP server runs as many."""

_READY_SECONDS: Final = 0.4
"""Seconds that a command waits for the structure of all notes; after that the caller's own process shows progress."""

_DECIDING: Final = frozenset(
    ("HOME", "LANG", "LANGUAGE", "TMPDIR", "TZ", "TZDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
) | {"PYTHONCOERCECLOCALE", "PYTHONPATH", "PYTHONUTF8", "PYTHONWARNINGS"}
_DECIDING_BEGINNINGS: Final = ("LC_", "SSL_CERT_", "VAULTTOOLS_")
"""Variables that may change an answer; PATH matters only by the ripgrep that it finds."""
_NOT_DECIDING: Final = frozenset(("VAULTTOOLS_VAULT", "VAULTTOOLS_TOKEN"))


class Resident:
    """One vault behind one socket."""

    def __init__(self, vault: Vault, *, is_daemon: bool) -> None:
        self._vault = vault
        self._is_daemon = is_daemon
        self._environ = dict(os.environ)
        self._stopped = Event()
        self._guard = Lock()
        self._running = 0
        self._used = time.monotonic()
        """When the last command came or ended."""
        self._resources = ExitStack()
        self._listening: socket.socket | None = None

    def listen(self) -> bool:
        """Take the socket of the vault; return False if another process has it.

        Raises:
            BadArgument: the system or the folder allows no socket.
        """
        path = usable_path(str(self._vault.path))
        import fcntl  # Windows lacks it, and has no such path

        with self._resources as resources:
            lock = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            resources.callback(os.close, lock)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            with suppress(FileNotFoundError):
                os.unlink(path)  # left by a process that was killed
            listening = resources.enter_context(socket.socket(socket.AF_UNIX))
            listening.bind(path)
            resources.callback(_remove, path)
            listening.listen(_CALLS)
            self._listening = listening
            self._resources = resources.pop_all()
        return True

    def serve(self, idle_seconds: float | None = None) -> None:
        """Answer until `stop`, or until `idle_seconds` without a command."""
        assert self._listening is not None
        self._listening.settimeout(_TICK_SECONDS if idle_seconds is None else min(_TICK_SECONDS, idle_seconds))
        while not self._stopped.is_set():
            with self._guard:
                is_idle = not self._running and time.monotonic() - self._used
            if idle_seconds is not None and is_idle and is_idle >= idle_seconds:
                break
            try:
                connection, _ = self._listening.accept()
            except TimeoutError:
                continue
            Thread(target=self._handle, args=(connection,), name="vaulttools command", daemon=True).start()
        self._resources.close()

    def stop(self) -> None:
        """End `serve` within a second."""
        self._stopped.set()

    def _handle(self, connection: socket.socket) -> None:
        with connection, suppress(OSError, EOFError, ValueError):
            if not handover.is_of_one_user(connection):
                return
            connection.settimeout(handover.PATIENCE_SECONDS)
            question, *texts = os.fsdecode(handover.message(connection, handover.MOST_ASKED)).split("\0")
            connection.settimeout(None)
            if question not in (handover.RUN, handover.STATUS, handover.STOP):
                return
            if question == handover.RUN:
                with self._counted() as is_taken:
                    if is_taken:
                        self._run(connection, texts)
                return
            if question == handover.STOP and self._is_daemon:
                self.stop()
            said = [str(os.getpid()), "daemon" if self._is_daemon else "server", self._differing(_pairs(texts)) or ""]
            connection.sendall(handover.TAKEN + handover.packed(said))

    @contextmanager
    def _counted(self) -> Iterator[bool]:
        with self._guard:
            is_taken = self._running < _CALLS
            self._running += is_taken
        try:
            yield is_taken
        finally:
            with self._guard:
                self._running -= is_taken
                self._used = time.monotonic()

    def _run(self, connection: socket.socket, texts: list[str]) -> None:
        """Run a command, and send its output; send nothing if the caller must run it."""
        try:
            vault, terminals, count, *rest = texts
            words, environ = rest[: int(count)], _pairs(rest[int(count) :])
            is_terminal = [each == "1" for each in terminals]
        except ValueError:  # another program of this user
            return
        if self._differing(environ) is not None or not self._vault.is_as_opened(vault):
            return
        connection.sendall(handover.TAKEN)
        cancel = Event()
        pieces: list[tuple[int, str]] = []
        out, err = (_Recorder(number, is_there, pieces) for number, is_there in enumerate(is_terminal, 1))
        here = Surroundings(
            cast("TextIO", out),
            cast("TextIO", err),
            environ,
            lambda given, has_index: nullcontext(self._vault),
            _ensure_ready,
            is_resident=True,
            cancel=cancel,
        )
        Thread(target=_watch, args=(connection, cancel), name="vaulttools caller", daemon=True).start()
        try:
            status = main(words, here)
            sent = b"".join(_piece(number, text) for number, text in pieces)
            connection.sendall((len(sent) + 1).to_bytes(handover.LENGTH, "big") + bytes([status]) + sent)
        except (NotResident, OSError):
            pass
        except Exception:  # the caller's own run meets and reports it too
            _log.exception("a command failed")
        finally:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)  # also wakes the thread that waits for the end

    def _differing(self, environ: Mapping[str, str]) -> str | None:
        """Returns the name of a variable whose value would change answers; None if there is none."""
        for name in sorted(environ.keys() | self._environ.keys()):
            if self._decides(name) and environ.get(name) != self._environ.get(name):
                return name
        if environ.get("PATH") == self._environ.get("PATH"):
            return None  # both find the same ripgrep
        rg = self._vault.config.rg
        return None if _ripgrep(rg, environ) == _ripgrep(rg, self._environ) else "PATH"

    def _decides(self, name: str) -> bool:
        if name in _NOT_DECIDING:
            return False
        return (
            name in _DECIDING
            or name.startswith(_DECIDING_BEGINNINGS)
            or name.lower().endswith("_proxy")
            or name == self._vault.config.embedder_key_variable
        )


class _Recorder(io.TextIOBase):
    """A stream that records what is written, in order with the other stream."""

    def __init__(self, number: int, is_terminal: bool, pieces: list[tuple[int, str]]) -> None:
        self._number = number
        self._is_terminal = is_terminal
        self._pieces = pieces

    def write(self, text: str) -> int:
        self._pieces.append((self._number, text))
        return len(text)

    def isatty(self) -> bool:
        return self._is_terminal


@contextmanager
def offered(lent: Iterable[AbstractContextManager[Vault]]) -> Iterator[None]:
    """Let the command line use the vaults that a server has open, unless another process serves them."""
    with ExitStack() as used:
        for each in lent:
            vault = used.enter_context(each)
            if vault.config.index == "off":
                continue  # a command of its own would use an index
            resident = Resident(vault, is_daemon=False)
            try:
                if resident.listen():
                    used.callback(resident.stop)
                    Thread(target=resident.serve, name="vaulttools commands", daemon=True).start()
            except (BadArgument, OSError) as error:
                _log.info("the command line is not served: %s", error)
        yield


def usable_path(vault: str) -> str:
    """Returns the path of the socket of a vault's folder, in a folder that only this user can use.

    Raises:
        BadArgument: there can be no such socket.
    """
    path = handover.socket_path(vault)
    if path is None:
        where = handover.socket_folder()
        why = "on this system" if where is None else f"below {where}: its path is too long"
        raise BadArgument(f"There can be no resident process {why}")
    with suppress(FileExistsError):
        os.makedirs(os.path.dirname(path), mode=0o700)
    if not handover.is_private(path):
        raise BadArgument(f"{os.path.dirname(path)} must be a folder of this user alone, of mode 0700")
    return path


def run(folder: str, idle_seconds: float = IDLE_SECONDS) -> None:
    """Serve a vault for `vaulttools daemon start`; print a line on stdout that says `ready`, or why it cannot."""
    from vaulttools import tools
    from vaulttools.vault import Vault

    open_files.allow_enough()
    try:
        with Vault.open(folder) as vault:
            resident = Resident(vault, is_daemon=True)
            for name in tools.NAMES:
                tools.named(name)  # so that the first call of a tool does not pay for its import
            if not resident.listen():
                raise BadArgument("another process has begun to serve this vault")
            signal.signal(signal.SIGTERM, lambda *_: resident.stop())
            Thread(target=_warm, args=(vault,), daemon=True).start()
            print("ready", flush=True)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            resident.serve(idle_seconds)
    except (VaultToolsError, OSError) as error:
        print(error, flush=True)


def _warm(vault: Vault) -> None:
    """Load the index before the first call, and exclude it from garbage collection."""
    with suppress(VaultToolsError):
        vault.read_structures()
    collect()


def _ensure_ready(vault: Vault) -> None:
    """Check that the structure of every note is known within a moment.

    Raises:
        NotResident: it is not known.
    """
    late = Event()
    timer = Timer(_READY_SECONDS, late.set)
    timer.start()
    try:
        vault.read_structures(cancel=late)
    except Cancelled:
        raise NotResident from None
    finally:
        timer.cancel()


def _watch(connection: socket.socket, cancel: Event) -> None:
    """Cancel a command whose caller has gone."""
    with suppress(OSError):
        connection.recv(1)
    cancel.set()


def _ripgrep(configured: str | None, environ: Mapping[str, str]) -> str | None:
    with suppress(VaultToolsError):
        return ripgrep.found(configured, environ)
    return None


def _pairs(texts: list[str]) -> dict[str, str]:
    return dict(text.split("=", 1) for text in texts if "=" in text)


def _piece(number: int, text: str) -> bytes:
    data = text.encode("utf-8", "backslashreplace")  # like the streams of a process
    return bytes([number]) + len(data).to_bytes(handover.LENGTH, "big") + data


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


if __name__ == "__main__":
    run(sys.argv[1])
