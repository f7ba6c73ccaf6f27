"""A real proxy before the server: its headers are believed only by a server that names it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from benchmarks.balanced import NGINX, free_port, nginx
from tests.server.serving import http

pytestmark = pytest.mark.skipif(NGINX is None, reason="needs nginx: apt-get install nginx-light")

TOKEN = "sesame-open-the-door"
PUBLIC = "https://notes.example"


@contextmanager
def proxy(folder: Path, behind: str) -> Iterator[str]:
    """nginx, which ends TLS before a server; gives its address."""
    port = free_port()
    server = f"""server {{ listen 127.0.0.1:{port}; location / {{
            proxy_pass {behind};
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header X-Forwarded-Proto https;
        }} }}"""
    with nginx(folder, server, port):
        yield f"http://127.0.0.1:{port}"


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
