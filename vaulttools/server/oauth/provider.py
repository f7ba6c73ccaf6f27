"""Registers clients, and gives and ends their tokens."""

from __future__ import annotations

import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeVar
from urllib.parse import quote, unquote, urlsplit

from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    RegistrationError,
    TokenError,
)
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

from vaulttools.errors import BadArgument
from vaulttools.server import hosts
from vaulttools.server.callers import Caller, Callers
from vaulttools.server.guard import MCP
from vaulttools.server.oauth.kept import Client, Grant, Kept, KeptFile
from vaulttools.server.tokens import hashed

T = TypeVar("T")

ACCESS_SECONDS: Final = 3_600.0
"""Seconds that an access token works."""

REFRESH_SECONDS: Final = 30 * 24 * 3_600.0
"""Seconds that a refresh token works; each use gives a new one."""

CODE_SECONDS: Final = 60.0
"""Seconds between a consent and the request for tokens, which programs make at once."""

ASKED_SECONDS: Final = 600.0
"""Seconds that a person has to find the token and to consent."""

REGISTERED_SECONDS: Final = 3_600.0
"""Seconds that a client is known to which nobody has consented yet."""

WAITING: Final = 1_000
"""Most such clients, and most people who are asked: anybody may register and ask. The oldest gives way; if new ones
were refused, a stranger would close the server to all by 1,000 requests an hour."""

CLIENT_BYTES: Final = 2_048
"""Most bytes of what a client says of itself."""

STATE_CHARACTERS: Final = 4_096
"""Most characters of a client's state: it waits in memory until the person has answered."""

SCOPE_CHARACTERS: Final = 500
"""Most characters of the scopes, which are kept."""

RESOURCE: Final = "/.well-known/oauth-protected-resource"
"""Where a client learns of the authorization server, before the path that it asked (RFC 9728)."""

ASKED: Final = "asked:"
"""Begins the address to which `authorize` leads; the rest is the id of the question."""

OF_MCP: Final = re.compile(rf"(?:/v/[^/]+)?{MCP}")
"""The paths of MCP: of all vaults, and of one."""

_OF_PROGRAMS: Final = re.compile(r"/(?:register|token|revoke|\.well-known/oauth-[^\n]*)")

_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
"""A SHA-256 in base64url, which PKCE's method S256 sends."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person is asked to consent to."""

    client: Client
    params: AuthorizationParams
    ends: float
    owner: str | None = None
    """Hash of the token that the person has logged in with; None before."""


class Provider(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """The authorization server. What a person consented to is in a file; what strangers send stays in memory."""

    def __init__(self, file: KeptFile, callers: Callers, issuer: str, clock: Callable[[], float] = time.time) -> None:
        """`issuer` is the server's public origin, `https://notes.example`; `clock` gives seconds since the epoch."""
        self.callers = callers
        self.issuer = issuer
        self._file = file
        self._clock = clock
        self._registered: OrderedDict[str, tuple[Client, float]] = OrderedDict()
        self._asked: OrderedDict[str, Asked] = OrderedDict()
        self._logged_in: OrderedDict[str, Asked] = OrderedDict()
        """Those of `_asked` who have logged in: no stranger drives them out."""
        self._codes: OrderedDict[str, tuple[AuthorizationCode, float]] = OrderedDict()
        self._used: OrderedDict[str, tuple[str, float]] = OrderedDict()
        """The grants of codes that were used, by code."""

    # What the guard asks.

    def caller(self, token: str, path: str) -> Caller | None:
        """Returns whose access token it is at this path of the server; None if nobody's."""
        grant = self._grant(token)
        if grant is None or not _is_same(grant.access, token) or grant.access_ends <= self._clock():
            return None
        if not self._covers(grant.resource, path):
            return None
        return self.callers.of_hash(grant.owner)

    def is_for_programs(self, path: str) -> bool:
        """Whether programs ask for this path; the others are a person's."""
        return _OF_PROGRAMS.fullmatch(path) is not None

    def challenge(self, path: str) -> str:
        """Returns the value of `WWW-Authenticate` for a request without a token that works."""
        return f'Bearer resource_metadata="{self.issuer}{RESOURCE}{quote(path)}"'

    # What the person does.

    def asked(self, question: str) -> Asked | None:
        """Returns what a person is asked; None if that has ended."""
        found = self._logged_in.get(question) or self._asked.get(question)
        return found if found is not None and found.ends > self._clock() else None

    def log_in(self, question: str, token: str) -> tuple[str, Caller] | None:
        """Returns the id of the question from now on, and who answers it; None if the token is unknown."""
        asked, caller = self.asked(question), self.callers.of(token)
        if asked is None or caller is None:
            return None
        for held in (self._asked, self._logged_in):
            held.pop(question, None)
        return _ask(self._logged_in, replace(asked, owner=hashed(token))), caller

    def answered(self, question: str) -> Asked | None:
        """Returns what a logged-in person was asked, for the only time; None if it has ended or nobody logged in."""
        asked = self.asked(question)
        if asked is None or asked.owner is None or self.callers.of_hash(asked.owner) is None:
            return None
        return self._logged_in.pop(question)

    def vaults(self, asked: Asked, caller: Caller) -> tuple[str, ...]:
        """Returns the vaults of a caller that a client will see: all, or the one whose address it asks for."""
        resource = asked.params.resource or f"{self.issuer}{MCP}"
        return tuple(name for name in caller.vaults.names if self._covers(resource, f"/v/{name}{MCP}"))

    def allow(self, asked: Asked) -> str:
        """Returns the code for a client that a person has allowed."""
        params, now = asked.params, self._clock()
        code = AuthorizationCode(
            code=secrets.token_urlsafe(32),
            scopes=params.scopes or [],
            expires_at=max(now, time.time()) + CODE_SECONDS,  # the SDK compares it with its own clock
            client_id=asked.client.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource or f"{self.issuer}{MCP}",
            subject=asked.owner,
        )
        _put(self._codes, code.code, (code, now + CODE_SECONDS))
        self._await(asked.client)  # until it has asked for its tokens
        return code.code

    # What the SDK's handlers ask.

    async def get_client(self, client_id: str) -> Client | None:
        """Returns a client; None if it is unknown."""
        found, ends = self._registered.get(client_id, (None, 0.0))
        return found if self._clock() < ends else self._kept().clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """Register a client, as one without a secret: a client's PKCE verifier shows that a code is its own.

        Raises:
            RegistrationError: it is too large, or it wants answers where they are not sent.
        """
        client_info.token_endpoint_auth_method = "none"  # noqa: S105 - the name of a method
        client_info.client_secret = client_info.client_secret_expires_at = None
        if len(client_info.model_dump_json(exclude_none=True).encode()) > CLIENT_BYTES:
            raise RegistrationError("invalid_client_metadata", f"A client has at most {CLIENT_BYTES:,} bytes")
        for each in client_info.redirect_uris or ():
            if not _may_get_codes(str(each)):
                raise RegistrationError(
                    "invalid_redirect_uri", "redirect_uris are https, or http on a loopback address, without fragment"
                )
        self._await(Client.model_validate(client_info.model_dump()))

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        """Returns `ASKED` and the id of a question to the person.

        Raises:
            AuthorizeError: the request is for another server, or is not one of PKCE.
        """
        if not _CHALLENGE.fullmatch(params.code_challenge):
            raise AuthorizeError("invalid_request", "code_challenge must be the SHA-256 of a verifier, in base64url")
        if len(params.state or "") > STATE_CHARACTERS:
            raise AuthorizeError("invalid_request", f"state has at most {STATE_CHARACTERS:,} characters")
        if len(" ".join(params.scopes or ())) > SCOPE_CHARACTERS:
            raise AuthorizeError("invalid_scope", f"scope has at most {SCOPE_CHARACTERS:,} characters")
        if params.resource is not None and not self._is_ours(params.resource):
            raise AuthorizeError("invalid_target", "resource must be the address of MCP at this server")
        known = Client.model_validate(client.model_dump())
        return f"{ASKED}{_ask(self._asked, Asked(known, params, self._clock() + ASKED_SECONDS))}"

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        """Returns a code to its client, once; None if it has ended. A second use ends what the first one gave."""
        if (used := self._used.pop(authorization_code, None)) is not None:
            self._end(used[0])
        code, ends = self._codes.get(authorization_code, (None, 0.0))
        if code is None or code.client_id != client.client_id:
            return None
        del self._codes[authorization_code]
        return code if self._clock() < ends else None

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        """Returns the tokens for a code.

        Raises:
            TokenError: the token that the person logged in with is revoked.
        """
        owner, resource = authorization_code.subject, authorization_code.resource
        if owner is None or resource is None or self.callers.of_hash(owner) is None:
            raise TokenError("invalid_grant", "the token of the vault is revoked")
        name = secrets.token_urlsafe(16)
        known = Client.model_validate({**client.model_dump(), "owner": owner})
        with self._file.changed() as kept:
            _renew(kept.clients, client.client_id, known)
            for ended in [each for each, grant in kept.grants.items() if grant.refresh_ends <= self._clock()]:
                del kept.grants[ended]
            given, kept.grants[name] = self._made(name, client.client_id, owner, resource, authorization_code.scopes)
        self._registered.pop(client.client_id, None)
        _put(self._used, authorization_code.code, (name, self._clock()))
        return given

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        """Returns a refresh token to its client; None if it has ended. One that was used before ends its grant:
        somebody else has it."""
        grant = self._grant(refresh_token)
        if grant is None or grant.client != client.client_id:
            return None
        if not _is_same(grant.refresh, refresh_token):
            self._end(_name(refresh_token))
            return None
        if grant.refresh_ends <= self._clock() or self.callers.of_hash(grant.owner) is None:
            return None
        return RefreshToken(token=refresh_token, client_id=grant.client, scopes=grant.scopes, resource=grant.resource)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        """Returns new tokens; the refresh token and the access token of before have ended.

        Raises:
            TokenError: the refresh token was used meanwhile.
        """
        name = _name(refresh_token.token)
        with self._file.changed() as kept:
            before = kept.grants.get(name)
            if before is None or not _is_same(before.refresh, refresh_token.token):
                raise TokenError("invalid_grant", "refresh token does not exist")
            given, grant = self._made(name, before.client, before.owner, before.resource, before.scopes)
            _renew(kept.grants, name, grant)
            if (known := kept.clients.get(before.client)) is not None:
                _renew(kept.clients, before.client, known)
        return given

    async def load_access_token(self, token: str) -> AccessToken | None:
        """Returns an access token that has not ended, for its revocation."""
        grant = self._grant(token)
        if grant is None or not _is_same(grant.access, token):
            return None
        return AccessToken(token=token, client_id=grant.client, scopes=grant.scopes, resource=grant.resource)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        """End the grant of a token: its access token and its refresh token."""
        self._end(_name(token.token))

    def _made(self, name: str, client: str, owner: str, resource: str, scopes: list[str]) -> tuple[OAuthToken, Grant]:
        access, refresh = (f"{name}.{secrets.token_urlsafe(32)}" for _ in range(2))
        now = self._clock()
        grant = Grant(
            client=client,
            owner=owner,
            resource=resource,
            scopes=scopes,
            access=hashed(access),
            access_ends=now + ACCESS_SECONDS,
            refresh=hashed(refresh),
            refresh_ends=now + REFRESH_SECONDS,
        )
        lasts = int(ACCESS_SECONDS)
        given = OAuthToken(access_token=access, refresh_token=refresh, expires_in=lasts, scope=" ".join(scopes) or None)
        return given, grant

    def _await(self, client: Client) -> None:
        """Know a client for a while."""
        self._registered.pop(client.client_id, None)
        _put(self._registered, client.client_id, (client, self._clock() + REGISTERED_SECONDS))

    def _end(self, name: str) -> None:
        if name in self._kept().grants:
            with self._file.changed() as kept:
                kept.grants.pop(name, None)

    def _grant(self, token: str) -> Grant | None:
        return self._kept().grants.get(_name(token))

    def _kept(self) -> Kept:
        """Returns what the file holds; nothing if it is broken, so that nobody is let in."""
        try:
            return self._file.read()
        except BadArgument:
            return Kept()

    def _is_ours(self, resource: str) -> bool:
        path = resource.removeprefix(self.issuer)
        return resource.startswith(self.issuer) and len(path) < 1_000 and _RESOURCE.fullmatch(path) is not None

    def _covers(self, resource: str, path: str) -> bool:
        """Whether tokens for an address work at a path: those for `/mcp`, or for the whole server, at all of MCP."""
        if not self._is_ours(resource) or not OF_MCP.fullmatch(path):
            return False
        return unquote(urlsplit(resource).path).rstrip("/") in ("", MCP, path)


_RESOURCE: Final = re.compile(rf"(?:/v/[^/?#]+)?{MCP}/?|/?")
"""What tokens may be asked for: the whole server, or MCP of all vaults or of one."""


def _may_get_codes(address: str) -> bool:
    """Whether codes may be sent to an address that a client registers: to nobody who listens to the network."""
    parts = urlsplit(address)
    if parts.fragment or "#" in address or parts.username is not None or not parts.hostname:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and hosts.is_loopback(parts.hostname))


def _name(token: str) -> str:
    return token.partition(".")[0]


def _is_same(kept: str, token: str) -> bool:
    return secrets.compare_digest(kept, hashed(token))


def _ask(held: OrderedDict[str, Asked], asked: Asked) -> str:
    question = secrets.token_urlsafe(32)
    _put(held, question, asked)
    return question


def _renew(held: dict[str, T], name: str, value: T) -> None:
    """Put a value at the end, as the last one used."""
    held.pop(name, None)
    held[name] = value


def _put(held: OrderedDict[str, T], name: str, value: T) -> None:
    held[name] = value
    while len(held) > WAITING:
        held.popitem(last=False)
