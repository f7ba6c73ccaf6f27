"""Fills the templates of the pages; escapes every value except the rendered note."""

from __future__ import annotations

import hashlib
import secrets
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from vaulttools.core import paths, render
from vaulttools.server.page.asking import NOT_YET
from vaulttools.server.page.rendering.blocks import box
from vaulttools.server.page.rendering.context import heading_id
from vaulttools.server.page.vault_notes import is_listed

_POLICY: Final = (
    "default-src 'none'; script-src {0}; style-src {0}; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
"""Nothing inline, so that no note can run scripts or imitate the page; and from this origin only what the page itself
requests, because the vault's files have the same origin, and some of them are scripts."""

HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": _POLICY.format("'none'"),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
"""Headers of every answer; a page has its own policy."""

KEPT: Final[Mapping[str, str]] = {"Cache-Control": "public, max-age=31536000, immutable"}
"""Headers for files whose address changes with their content."""

_DIAGRAM_POLICY: Final = (
    "default-src 'none'; script-src {0}; style-src 'unsafe-inline'; sandbox allow-scripts; frame-ancestors 'self'; "
    "base-uri 'none'; form-action 'none'"
)
"""Policy of the frame in which Mermaid draws: it has no origin, makes no requests, and contains only the diagram."""

_FOLDERS: Final = ("", "highlight", "lucide", "mermaid")
_TYPES: Final = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
"""Media types of the files that pages load, by extension."""

THEMES: Final = {"light": "Light colours", "dark": "Dark colours", "system": "Colours as the system"}
"""The colours that a reader can choose, with their labels; the last one is the default."""

THEME_COOKIE: Final = "vaulttools-theme"


def page(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """Fill a template."""
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    theme = request.cookies.get(THEME_COOKIE, "")
    values |= {"here": here, "theme": theme if theme in THEMES else "system"}
    # Script and style of `/ui/static/` carry the nonce. A policy with their address would need the host as the browser
    # writes it: a proxy may have changed it, and a policy cannot name an IPv6 address.
    nonce = secrets.token_urlsafe(16)
    text = _environment().get_template(template).render(**values, nonce=nonce)
    policy = _POLICY.format(f"'nonce-{nonce}'") + ("; frame-src 'self'" if values.get("diagrams") else "")
    if values.get("leads_elsewhere"):  # a form may end at any address, also by redirects; this page shows no note
        policy = policy.replace("form-action 'self'", "form-action 'self' https: http:")
    return HTMLResponse(text.encode("utf-8", "replace"), status, {**HEADERS, "Content-Security-Policy": policy})


@cache
def diagram() -> tuple[bytes, Mapping[str, str]]:
    """Returns the frame in which Mermaid draws, and its headers. It contains its scripts: a frame without an origin is
    another site for the guard, which would refuse its requests."""
    script = asset("mermaid/mermaid.min.js") + b"\n" + asset("mermaid/frame.js")
    allowed = f"'sha256-{b64encode(hashlib.sha256(script).digest()).decode()}'"
    text = (
        b'<!doctype html><html lang="en"><meta charset="utf-8"><title>Diagram</title><body><script>%b</script>' % script
    )
    return text, {**HEADERS, **KEPT, "Content-Security-Policy": _DIAGRAM_POLICY.format(allowed)}


def diagram_address() -> str:
    """Returns the address of the frame, made like `asset_address`."""
    return f"/ui/static/diagram?{hashlib.sha256(diagram()[0]).hexdigest()[:12]}"


@cache
def assets() -> Mapping[str, str]:
    """Returns the media types of the files that pages load, by name."""
    folder = files(__package__).joinpath("static")
    names = [f"{each}{each and '/'}{file.name}" for each in _FOLDERS for file in folder.joinpath(each).iterdir()]
    return {name: _TYPES[ending] for name in names for ending in _TYPES if name.endswith(ending)}


@cache
def asset(name: str) -> bytes:
    """Returns the bytes of one of `assets`."""
    return files(__package__).joinpath("static", *name.split("/")).read_bytes()


@cache
def asset_address(name: str) -> str:
    """Returns the address of one of `assets`; it changes with the content, so that browsers may keep the file."""
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
        "counted": render.counted,
        "box": lambda status: Markup(box(status)),  # noqa: S704 - it escapes
        "folder": lambda path: paths.shown(path.rpartition("/")[0]),
        "heading_id": heading_id,
        "bare": lambda path: paths.stem(path) if is_listed(path) else paths.title(path),
        "is_note": paths.is_note,
        "kind": lambda path: path.rpartition(".")[2].lower() if is_listed(path) else "",
        "line": render.line,
        "not_yet": NOT_YET,
        "shown": paths.shown,
        "themes": THEMES,
        "title": paths.title,
    }
    return made
