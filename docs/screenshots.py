"""Takes the pictures of the page in `serve.md`: `make screenshots`, after `make browser`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

DOCS = Path(__file__).parent
VAULT = DOCS.parent / "fixtures" / "vault"
PICTURES = {
    # name: address, colours, width and height
    "start": ("/ui/", "light", 1000, 640),
    "search": ("/ui/?q=seeds+that+keep", "light", 1000, 640),
    "note": ("/ui/note/Projects/plan.md", "dark", 1100, 700),
    "phone": ("/ui/tasks?status=any", "light", 390, 640),
}


def main() -> None:
    """Serve the shipped vault, and take the pictures in Chromium."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "HOME": home, "XDG_CACHE_HOME": home, "VAULTTOOLS_MEANING": "off"}
        command = [sys.executable, "-m", "vaulttools", "--vault", f"Garden={VAULT}", "serve", ":0", "--no-index"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, encoding="utf-8", env=environment) as server:
            assert server.stderr is not None
            served = re.search(r"http://[^\s/]+", server.stderr.readline())
            assert served is not None
            try:
                _take(served[0])
            finally:
                server.terminate()


def _take(address: str) -> None:
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        for name, (path, colours, width, height) in PICTURES.items():
            page = browser.new_page(color_scheme=colours, viewport={"width": width, "height": height})
            page.goto(address + path)
            page.reload()  # on a busy machine the first visit shows that the tags are not read yet
            page.screenshot(path=DOCS / "images" / f"{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
