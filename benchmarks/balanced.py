"""Machines of one host behind nginx, with the configuration in docs/examples/nginx.conf."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from vaulttools.server import certificate

NGINX: Final = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")  # Debian has it on root's path alone

EXAMPLE: Final = Path(__file__).resolve().parent.parent / "docs" / "examples" / "nginx.conf"

PUBLIC: Final = "https://notes.example"
"""The address that users ask."""

MACHINE: Final = "Answered-By"
"""The header that holds the addresses of the machines that were asked; the last one has answered."""

WITHIN: Final = 60.0
"""Seconds after which the start of a process is given up."""


def free_port() -> int:
    """Returns a port of this machine at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


@contextmanager
def nginx(folder: Path, http: str, port: int) -> Iterator[None]:
    """Runs nginx with the directives of its block `http`, which let it listen at a port of this machine.

    Raises:
        RuntimeError: it does not begin to listen; the sentence holds its log.
    """
    assert NGINX is not None
    user = "user root;" if os.geteuid() == 0 else ""
    paths = " ".join(f"{kind}_temp_path {folder};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    log, written = folder / "error.log", folder / "nginx.conf"
    written.write_text(
        f"""{user} daemon off; worker_processes 2; pid {folder}/pid; error_log {log}; events {{}}
        http {{ access_log off; {paths} {http} }}""",
        encoding="utf-8",
    )
    with subprocess.Popen([NGINX, "-p", str(folder), "-e", str(log), "-c", str(written)]) as process:
        try:
            _wait_until_it_listens(process, port, log)
            yield
        finally:
            process.terminate()


def _wait_until_it_listens(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    for _ in range(int(WITHIN * 10)):
        with suppress(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.1)
            break
    ended = "has not begun to listen" if process.poll() is None else f"ended with {process.returncode}"
    logged = log.read_text("utf-8", "replace") if log.exists() else "It wrote no log."
    raise RuntimeError(f"nginx {ended}: {logged}")


class Machine:
    """One server of a host: a process with a cache and a certificate of its own, at an address that stays."""

    def __init__(self, folder: Path, vaults: Path, tokens: Path, *words: str) -> None:
        """`words` are further options of `serve`; the folder keeps the index, the certificate and the log."""
        self.address = f"127.0.0.1:{free_port()}"
        self._folder = folder
        folder.mkdir()
        self._command = [sys.executable, "-m", "vaulttools", "serve", self.address, "--vaults-root", str(vaults)]
        self._command += ["--tokens", str(tokens), "--tls", "auto", "--trust-proxy", "127.0.0.1"]
        self._command += ["--allow-origin", PUBLIC, *words]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; it may still have to begin to listen."""
        places = {f"XDG_{name}_HOME": str(self._folder / name.lower()) for name in ("CACHE", "CONFIG", "DATA")}
        # As on a network disk, where no file system reports what other machines change.
        variables = {**os.environ, **places, "VAULTTOOLS_WATCH": "off"}
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(self._command, env=variables, stderr=log)

    def wait_until_it_listens(self) -> None:
        """Return when it takes connections.

        Raises:
            RuntimeError: it does not, or has ended.
        """
        host, _, port = self.address.partition(":")
        ends = time.monotonic() + WITHIN
        while time.monotonic() < ends and self._process is not None and self._process.poll() is None:
            with suppress(OSError):
                socket.create_connection((host, int(port)), timeout=1).close()
                return
            time.sleep(0.05)
        raise RuntimeError(f"The machine does not listen: {self.log}")

    def go(self, how: str) -> None:
        """Send it the signal with this name; return when it has ended, or at once if `SIGSTOP` stops it."""
        if self._process is not None:
            self._process.send_signal(signal.Signals[how])
            if how != "SIGSTOP":
                self._process.wait(WITHIN)
                self._process = None

    def come_back(self) -> None:
        """Start it again, or let it go on if it is stopped."""
        if self._process is None:
            self.start()
        else:
            self._process.send_signal(signal.Signals["SIGCONT"])

    @property
    def log(self) -> str:
        """What it has written to stderr."""
        return (self._folder / "log").read_text("utf-8", "replace")


@contextmanager
def balanced(folder: Path, vaults: Path, tokens: Path, *words: str) -> Iterator[tuple[str, Sequence[Machine]]]:
    """Two machines with one folder of vaults, behind nginx; yields its address and the machines.

    Every answer has the header `MACHINE`. nginx's certificate is for 127.0.0.1, and signed by nobody.
    """
    machines = [Machine(folder / name, vaults, tokens, *words) for name in ("first", "second")]
    port = free_port()
    try:
        for machine in machines:
            machine.start()
        for machine in machines:
            machine.wait_until_it_listens()
        shown, key = certificate.kept(folder / "tls", "127.0.0.1")
        written = documented(
            {
                "10.0.0.1:27124": machines[0].address,
                "10.0.0.2:27124": machines[1].address,
                "listen 443": f"listen 127.0.0.1:{port}",
                "/etc/ssl/notes.example.pem": shown,
                "/etc/ssl/notes.example.key": key,
            }
        )
        (folder / "nginx").mkdir()
        with nginx(folder / "nginx", f"add_header {MACHINE} $upstream_addr always; {written}", port):
            yield f"https://127.0.0.1:{port}", machines
    finally:
        for machine in machines:
            machine.go("SIGKILL")


def documented(places: dict[str, str]) -> str:
    """Returns the configuration in docs/examples/nginx.conf with other addresses and paths.

    Raises:
        ValueError: it does not hold one of them exactly once.
    """
    written = EXAMPLE.read_text(encoding="utf-8")
    for known, other in places.items():
        if written.count(known) != 1:
            raise ValueError(f"The configuration does not hold {known} once")
        written = written.replace(known, other)
    return written
