"""Patience for the tests of the pages, and a browser.

What needs the browser is skipped without the extra `browser`, or without a `chromium`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, TypeAlias

import pytest

from tests.conftest import write_files
from tests.server.serving import http
from vaulttools.server.page import start, vault_notes

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

OpenPage: TypeAlias = "Callable[..., Page]"

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra: pip install 'vaulttools[browser]'")
    if CHROMIUM is None:
        pytest.skip("needs chromium")
    with playwright.sync_playwright() as started:
        # Chromium's own sandbox does not start for root, as whom CI runs.
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of a vault with the `FILES` of the module."""
    folder = tmp_path_factory.mktemp("vault")
    write_files(folder, request.module.FILES)
    with http("--vault", f"garden={folder}", "serve", ":0", "--no-index") as served:
        yield served.url.rstrip("/")


@pytest.fixture
def open_page(browser: Browser, url: str) -> Iterator[OpenPage]:
    """Open a page of a context of its own; the options are those of Playwright's `new_context`."""
    with ExitStack() as stack:
        yield lambda **given: stack.enter_context(browser.new_context(**{"base_url": url, **given})).new_page()


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    return open_page(viewport={"width": 1200, "height": 800})


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may need more time for the start page and for tables than people have."""
    monkeypatch.setattr(start, "_SECONDS", 60.0)
    monkeypatch.setattr(vault_notes, "_TABLES_SECONDS", 60.0)


SEEN = """() => {
    const at = document.activeElement;
    const outlined = [at, at.nextElementSibling].some((each) => each && getComputedStyle(each).outlineStyle !== "none");
    return at !== document.body && (outlined || at.tagName === "IFRAME");
}"""


def tab_to(page: Page, wanted: Locator, *, key: str = "Tab") -> None:
    """Go to an element by the tab key; whatever has the focus on the way is seen to have it."""
    for _ in range(150):
        page.keyboard.press(key)
        assert page.evaluate(SEEN), page.evaluate("document.activeElement.outerHTML")
        if wanted.evaluate("each => each === document.activeElement"):
            return
    raise AssertionError(f"The tab key does not lead to {wanted}")
