"""A browser for the tests of the pages; what needs it is skipped without the extra `browser` and a `chromium`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, TypeAlias

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

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


@pytest.fixture
def open_page(browser: Browser, url: str) -> Iterator[OpenPage]:
    """Open a page of a context of its own; the options are those of Playwright's `new_context`."""
    with ExitStack() as stack:
        yield lambda **given: stack.enter_context(browser.new_context(**{"base_url": url, **given})).new_page()


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    return open_page(viewport={"width": 1200, "height": 800})
