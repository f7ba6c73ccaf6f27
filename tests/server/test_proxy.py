"""A real proxy before the server: its headers are believed only by a server that names it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.server.serving import WITHIN, free_port, http

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")  # Debian has it on root's path alone

pytestmark = pytest.mark.skipif(NGINX is None, reason="needs nginx: apt-get install nginx-light")

TOKEN = "sesame-open-the-door"
PUBLIC = "https://notes.example"


@contextmanager
def proxy(folder: Path, behind: str) -> Iterator[str]:
    """nginx, which ends TLS before a server; gives its address."""
    assert NGINX is not None
    port = free_port()
    user = "user root;" if os.geteuid() == 0 else ""
    paths = " ".join(f"{kind}_temp_path {folder};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(
        f"""{user} daemon off; pid {folder}/pid; error_log {folder}/error.log; events {{}}
        http {{ access_log off; {paths} server {{ listen 127.0.0.1:{port}; location / {{
            proxy_pass {behind};
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header X-Forwarded-Proto https;
        }} }} }}""",
        encoding="utf-8",
    )
    log = folder / "error.log"
    with subprocess.Popen([NGINX, "-p", str(folder), "-e", str(log), "-c", str(folder / "nginx.conf")]) as process:
        try:
            _wait_until_it_listens(process, port, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def _wait_until_it_listens(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Fail where nginx ends instead, or takes longer than a server does on a busy machine."""
    for _ in range(int(WITHIN * 10)):
        with suppress(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.1)
            break
    ended = "has not begun to listen" if process.poll() is None else f"ended with {process.returncode}"
    logged = log.read_text("utf-8", "replace") if log.exists() else "It wrote no log."
    pytest.fail(f"{NGINX} {ended}: {logged}")


def login(address: str) -> httpx2.Response:
    """Log in as a browser does at the public address."""
    headers = {"Host": urlsplit(PUBLIC).netloc, "Origin": PUBLIC}
    return httpx2.post(f"{address}/ui/login", data={"token": TOKEN, "to": "/ui/"}, headers=headers)


@pytest.mark.parametrize(("trusted", "is_believed"), [("127.0.0.1", True), ("10.0.0.1", False)])
def test_the_headers_of_the_named_proxy_alone_are_believed(
    small_vault: Path, tmp_path: Path, trusted: str, is_believed: bool
) -> None:
    (tmp_path / "token").write_text(TOKEN, encoding="utf-8")
    words = ["--vault", str(small_vault), "serve", "127.0.0.1:0", "--no-index", "--token-file", str(tmp_path / "token")]
    with (
        http(*words, "--trust-proxy", trusted, "--allow-origin", PUBLIC) as served,
        proxy(tmp_path, served.url.rstrip("/")) as address,
    ):
        public = {"Host": urlsplit(PUBLIC).netloc}
        assert httpx2.get(f"{address}/vault/", headers=public).status_code == 401
        listed = httpx2.get(f"{address}/vault/", headers=public | {"Authorization": f"Bearer {TOKEN}"})
        assert listed.status_code == 200
        foreign = httpx2.get(f"{address}/vault/", headers={"Host": "evil.example"})
        assert foreign.status_code == 421
        answer = login(address)
        assert answer.status_code == 303
        cookie = answer.headers["Set-Cookie"]
        assert ("; Secure" in cookie) is is_believed
        page = httpx2.get(f"{address}/ui/", headers=public | {"Cookie": cookie.partition(";")[0]})
        assert page.status_code == 200
