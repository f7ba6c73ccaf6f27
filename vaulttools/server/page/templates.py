"""Fills the templates of the pages; every value is escaped but the rendered note."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from vaulttools.core import paths, render
from vaulttools.server.page.rendering.blocks import box
from vaulttools.server.page.rendering.context import heading_id
from vaulttools.server.page.searching import title

_POLICY: Final = (
    "default-src 'none'; script-src {0}; style-src {0}; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
"""Nothing inline, so that nothing that a note brings in could run or dress up as the page; and of this origin only what
the page itself asks for, since the vault's files come from here too, and some of them are scripts."""

HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": _POLICY.format("'none'"),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
"""Of every answer; of a page with its own policy."""

ASSETS: Final = {
    "page.css": "text/css",
    "page.js": "text/javascript",
    "map.css": "text/css",
    "map.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
"""The files that pages load, with their types."""


THEMES: Final = {"light": "Light", "dark": "Dark", "system": "As the system"}
"""The colours that a reader can choose, with what they are called; the last one is what holds without a choice."""

THEME_COOKIE: Final = "vaulttools-theme"


def page(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """A page of a template."""
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    theme = request.cookies.get(THEME_COOKIE, "")
    values |= {"here": here, "theme": theme if theme in THEMES else "system"}
    # The script and style of `/ui/static/` bear it. A policy that names their address would need the host as the
    # browser writes it, which a proxy may have changed, and which cannot be an address of IPv6.
    nonce = secrets.token_urlsafe(16)
    text = _environment().get_template(template).render(**values, nonce=nonce)
    return HTMLResponse(text, status, {**HEADERS, "Content-Security-Policy": _POLICY.format(f"'nonce-{nonce}'")})


@cache
def asset(name: str) -> bytes:
    """The bytes of one of `ASSETS`."""
    return files(__package__).joinpath("static", name).read_bytes()


@cache
def asset_address(name: str) -> str:
    """Where one of `ASSETS` is loaded from: another address when it changes, so that browsers may keep it."""
    return f"/ui/static/{name}?{hashlib.sha256(asset(name)).hexdigest()[:12]}"


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    made.globals |= {
        "asset": asset_address,
        "box": lambda status: Markup(box(status)),  # noqa: S704 - it escapes
        "folder": lambda path: paths.shown(path.rpartition("/")[0]),
        "heading_id": heading_id,
        "is_note": paths.is_note,
        "line": render.line,
        "shown": paths.shown,
        "themes": THEMES,
        "title": title,
    }
    return made
