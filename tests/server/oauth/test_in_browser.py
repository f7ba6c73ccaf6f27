"""Signing in, in a real browser: what its rules for forms, redirects and origins make of the pages.

Needs the extra `browser` and a `chromium` on the path; skipped where either is missing.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlencode

import httpx2
import pytest

from benchmarks.balanced import free_port
from tests.conftest import write_files
from tests.server.oauth.test_sign_in import CHALLENGE, SECRET
from tests.server.serving import http

pytest.importorskip("playwright", reason="needs the extra: pip install 'vaulttools[browser]'")
from playwright.sync_api import sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")


class Elsewhere(ThreadingHTTPServer):
    """An assistant's own server, which leads on to another origin; and a page of others that posts a form."""

    form = ""
    asked: list[tuple[str, str | None]]
    """Each path, without its values, with the referrer."""


class _Answers(BaseHTTPRequestHandler):
    server: Elsewhere

    def do_GET(self) -> None:
        self.server.asked.append((self.path.partition("=")[0], self.headers.get("Referer")))
        is_callback = self.path.startswith("/callback")
        self.send_response(302 if is_callback else 200)
        self.send_header("Content-Type", "text/html")
        if is_callback:
            self.send_header("Location", f"http://localhost:{self.server.server_port}/done")
        self.end_headers()
        self.wfile.write(self.server.form.encode() if self.path == "/form" else b"done")

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def elsewhere() -> Iterator[Elsewhere]:
    with Elsewhere(("127.0.0.1", 0), _Answers) as server:
        server.asked = []
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_a_person_consents_in_a_browser_and_no_other_site_does(tmp_path: Path) -> None:
    write_files(tmp_path / "v", {"note.md": "needle\n"})
    origin = f"http://127.0.0.1:{free_port()}"
    words = ["--vault", str(tmp_path / "v"), "serve", origin.removeprefix("http://"), "--oauth", origin, "--no-index"]
    with (
        elsewhere() as other,
        http(*words, VAULTTOOLS_TOKEN=SECRET, XDG_DATA_HOME=str(tmp_path / "data")),
        sync_playwright() as playwright,
    ):
        back = f"http://127.0.0.1:{other.server_port}/callback"
        known = httpx2.post(f"{origin}/register", json={"client_name": "Assistant", "redirect_uris": [back]}).json()
        asked = {"client_id": known["client_id"], "redirect_uri": back, "response_type": "code", "state": "s"}
        page = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]).new_context().new_page()
        page.goto(f"{origin}/authorize?{urlencode({**asked, 'code_challenge': CHALLENGE})}")
        page.fill("input[name=token]", "wrong")
        page.click("button")
        assert "not known" in page.inner_text(".error")
        page.fill("input[name=token]", SECRET)
        page.click("button")
        question = page.get_attribute("input[name=question]", "value")
        other.form = (
            f'<form method="post" action="{origin}/oauth/consent"><input name="question" value="{question}">'
            '<button name="decision" value="allow">x</button></form>'
        )
        attacker = page.context.new_page()
        attacker.goto(f"http://localhost:{other.server_port}/form")
        with attacker.expect_response(f"{origin}/oauth/consent") as refused:
            attacker.click("button")
        assert refused.value.status == 403
        page.click("button[value=allow]")
        page.wait_for_url("**/done")
    assert [each for each in other.asked if "favicon" not in each[0]] == [
        ("/form", None),
        ("/callback?code", None),
        ("/done", None),
    ]
