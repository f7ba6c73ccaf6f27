"""Answers the requests of signing in: metadata, registration, tokens, and the pages of the person."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import parse_qs, quote, urlsplit

from mcp.server.auth.handlers.authorize import AuthorizationHandler
from mcp.server.auth.handlers.metadata import MetadataHandler, ProtectedResourceMetadataHandler
from mcp.server.auth.provider import construct_redirect_uri
from mcp.server.auth.routes import (
    AUTHORIZATION_PATH,
    REVOCATION_PATH,
    build_metadata,
    cors_middleware,
    create_auth_routes,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions, RevocationOptions
from mcp.shared.auth import ProtectedResourceMetadata
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from vaulttools.core import render
from vaulttools.server.guard import MCP
from vaulttools.server.oauth.provider import ASKED, OF_MCP, RESOURCE, Asked, Provider
from vaulttools.server.page import templates
from vaulttools.server.page.routes import form_of
from vaulttools.server.page.templates import HEADERS

_ISSUER: Final = "/.well-known/oauth-authorization-server"

_ENDED: Final = "This question has ended, or was answered. Begin again in the assistant."

_NAME_CHARACTERS: Final = 100
"""Characters shown of the name that a client gives itself."""

_VAULTS_CHARACTERS: Final = 2_000
"""Characters shown of the names of vaults."""


def routes(provider: Provider) -> Sequence[Route]:
    """Returns the routes; they are open to everybody."""
    settings = AuthSettings.model_validate(
        {
            "issuer_url": provider.issuer,
            "resource_server_url": f"{provider.issuer}{MCP}",
            "validate_token_resource": True,
        }
    )
    issuer = settings.issuer_url
    register, revoke = ClientRegistrationOptions(enabled=True), RevocationOptions(enabled=True)
    metadata = build_metadata(issuer, None, register, revoke)
    # No client has a secret.
    metadata.token_endpoint_auth_methods_supported = metadata.revocation_endpoint_auth_methods_supported = ["none"]

    async def resource(request: Request) -> Response:
        path = str(request.scope["path"]).removeprefix(RESOURCE) or MCP
        if not OF_MCP.fullmatch(path):
            raise HTTPException(404)
        known = ProtectedResourceMetadata.model_validate(
            {"resource": f"{provider.issuer}{quote(path)}", "authorization_servers": [provider.issuer]}
        )
        return await ProtectedResourceMetadataHandler(known).handle(request)

    async def ended(request: Request) -> Response:
        """Revoke a token (RFC 7009). The SDK's handler refuses clients that send no secret."""
        form = await form_of(request)
        client, token = await provider.get_client(form.get("client_id", "")), form.get("token", "")
        if client is None:
            return JSONResponse({"error": "invalid_client"}, 401, HEADERS)
        held = await provider.load_access_token(token) or await provider.load_refresh_token(client, token)
        if held is not None and held.client_id == client.client_id:
            await provider.revoke_token(held)
        return Response(headers=HEADERS)

    pages = _Pages(provider)
    own = (AUTHORIZATION_PATH, REVOCATION_PATH, _ISSUER)
    return [
        *(each for each in create_auth_routes(provider, issuer, None, register, revoke) if each.path not in own),
        Route(_ISSUER, cors_middleware(MetadataHandler(metadata).handle, ["GET", "OPTIONS"]), methods=["GET"]),
        Route(RESOURCE, cors_middleware(resource, ["GET", "OPTIONS"]), methods=["GET"]),
        Route(f"{RESOURCE}/{{path:path}}", cors_middleware(resource, ["GET", "OPTIONS"]), methods=["GET"]),
        Route(REVOCATION_PATH, cors_middleware(ended, ["POST", "OPTIONS"]), methods=["POST"]),
        Route(AUTHORIZATION_PATH, pages.authorize, methods=["GET"]),
        Route("/oauth/login", pages.login, methods=["POST"]),
        Route("/oauth/consent", pages.consent, methods=["POST"]),
    ]


class _Pages:
    """The pages on which a person logs in and consents. No cookie counts: the token is asked for each time, so that no
    other site can consent in the name of a browser that has logged in."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._asks = AuthorizationHandler(provider)

    async def authorize(self, request: Request) -> Response:
        """Ask for the token. A request that is refused is shown and never redirected: anybody may register an address,
        and this server would lead there."""
        made = await self._asks.handle(request)
        leads_to = made.headers.get("location", "")
        if leads_to.startswith(ASKED):
            question = leads_to.removeprefix(ASKED)
            asked = self._provider.asked(question)
            if asked is not None:
                return self._login_form(request, question, asked)
        if leads_to:
            reason = parse_qs(urlsplit(leads_to).query).get("error_description", [""])[-1]
        else:
            reason = json.loads(bytes(made.body)).get("error_description", "")
        return _said(request, 400, f"The assistant asked for something that is not possible: {_shown(reason, 500)}")

    async def login(self, request: Request) -> Response:
        """Check the token, and ask for consent."""
        form = await form_of(request)
        question, token = form.get("question", ""), form.get("token", "")
        asked = self._provider.asked(question)
        if asked is None:
            return _said(request, 400, _ENDED)
        logged_in = self._provider.log_in(question, token) if token else None
        if logged_in is None:
            return self._login_form(request, question, asked, "This token is not known.")
        question, caller = logged_in
        names = self._provider.vaults(asked, caller)
        named = ", ".join(names)
        vaults = f"the vaults {named}" if len(names) > 1 else f"the vault {named}" if names else "no vault"
        values = {"question": question, "vaults": render.line(vaults, most=_VAULTS_CHARACTERS), **_of_client(asked)}
        return _opened(templates.page(request, "consent.html", leads_elsewhere=True, **values))

    async def consent(self, request: Request) -> Response:
        """Give the client a code, or tell it that the person said no."""
        form = await form_of(request)
        asked = self._provider.answered(form.get("question", ""))
        if asked is None:
            return _said(request, 400, _ENDED)
        address, state = str(asked.params.redirect_uri), asked.params.state
        if form.get("decision") != "allow":
            address = construct_redirect_uri(address, error="access_denied", state=state)
        else:
            address = construct_redirect_uri(address, code=self._provider.allow(asked), state=state)
        return _opened(RedirectResponse(address, 303, HEADERS))

    def _login_form(self, request: Request, question: str, asked: Asked, error: str = "") -> Response:
        status = 401 if error else 200
        values = {"question": question, "error": error, **_of_client(asked)}
        return _opened(templates.page(request, "sign_in.html", status, **values))


def _opened(answer: Response) -> Response:
    """Let the page that opened a window of ours keep it: assistants on the web open one, and the address that the
    answer leads to hands the code to that page. It can close or redirect the window, and read nothing of it."""
    del answer.headers["Cross-Origin-Opener-Policy"]
    return answer


def _of_client(asked: Asked) -> dict[str, Any]:
    """Returns what a page says of a client: its name, and the host that gets the code."""
    name = _shown(asked.client.client_name or "", _NAME_CHARACTERS) or "A program without a name"
    address = urlsplit(str(asked.params.redirect_uri))
    return {"client": name, "address": f"{address.scheme}://{address.netloc}"}


def _shown(text: str, most: int) -> str:
    return render.line(" ".join(text.split()), most=most)


def _said(request: Request, status: int, sentence: str) -> Response:
    return templates.page(request, "message.html", status, heading="Sign in", sentence=sentence, links=())
