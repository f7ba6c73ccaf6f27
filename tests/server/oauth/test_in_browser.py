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
from playwright.sync_api import Page, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")


_OPENS = b"""<script>function done() { document.title = "done" }</script>
<button onclick="open(location.hash.slice(1), 'x', 'popup')">Connect</button>"""
"""The page of an assistant that opens a window, which tells it when all is done."""


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
        pages = {"/form": self.server.form.encode(), "/assistant": _OPENS, "/done": b"<script>opener?.done()</script>"}
        self.wfile.write(pages.get(self.path, b""))

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def elsewhere() -> Iterator[Elsewhere]:
    with Elsewhere(("127.0.0.1", 0), _Answers) as server:
        server.asked = []
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@contextmanager
def browsing(folder: Path) -> Iterator[tuple[str, Elsewhere, Page, str]]:
    """The origin of a server, an assistant, a page of a browser, and the address where the assistant leads a person."""
    write_files(folder / "v", {"note.md": "needle\n"})
    origin = f"http://127.0.0.1:{free_port()}"
    words = ["--vault", str(folder / "v"), "serve", origin.removeprefix("http://"), "--oauth", origin, "--no-index"]
    with (
        elsewhere() as other,
        http(*words, VAULTTOOLS_TOKEN=SECRET, XDG_DATA_HOME=str(folder / "data")),
        sync_playwright() as playwright,
    ):
        back = f"http://127.0.0.1:{other.server_port}/callback"
        known = httpx2.post(f"{origin}/register", json={"client_name": "Assistant", "redirect_uris": [back]}).json()
        asked = {"client_id": known["client_id"], "redirect_uri": back, "response_type": "code", "state": "s"}
        page = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"]).new_context().new_page()
        yield origin, other, page, f"{origin}/authorize?{urlencode({**asked, 'code_challenge': CHALLENGE})}"


def test_a_window_that_an_assistant_opened_can_tell_it_that_all_is_done(tmp_path: Path) -> None:
    with browsing(tmp_path) as (_, other, page, address):
        page.goto(f"http://localhost:{other.server_port}/assistant#{address}")
        with page.expect_popup() as opened:
            page.click("button")
        opened.value.fill("input[name=token]", SECRET)
        opened.value.click("button")
        opened.value.click("button[value=allow]")
        page.wait_for_function("document.title === 'done'")


def test_a_person_consents_in_a_browser_and_no_other_site_does(tmp_path: Path) -> None:
    with browsing(tmp_path) as (origin, other, page, address):
        page.goto(address)
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
