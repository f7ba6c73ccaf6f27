"""Who may call: hosts, tokens and logins, without a server."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest

from vaulttools.server.callers import KEPT, LASTS_SECONDS, Alike, Logins
from vaulttools.server.guard import Access, bearer
from vaulttools.server.vaults import Vaults


@pytest.mark.parametrize(
    ("listening", "host", "accepted"),
    [
        ("127.0.0.1", "127.0.0.1:80", True),
        ("127.0.0.1", "127.5.6.7", True),
        ("127.0.0.1", "10.0.0.1", False),
        ("127.0.0.1", None, False),
        ("127.0.0.1", "localhost:port", False),
        # beyond loopback: plain addresses, to which no name leads, and the name that the server listens on
        ("0.0.0.0", "10.0.0.1:8765", True),
        ("0.0.0.0", "[fe80::1]:8765", True),
        ("0.0.0.0", "evil.example", False),
        ("Notes.local", "notes.local:80", True),
    ],
)
def test_the_hosts_that_a_request_may_name(listening: str, host: str | None, accepted: bool) -> None:
    assert Access(listening).accepts_host(host) is accepted


def test_a_token_may_hold_any_character() -> None:
    sent = "Bearer schlüssel €".encode()
    shown = bearer({"type": "http", "headers": [(b"authorization", sent)]})
    no_vault: Any = nullcontext
    vaults = Vaults((), no_vault)
    assert Alike("schlüssel €", vaults).of(shown)
    assert not Alike("schlüssel", vaults).of(shown)


def test_a_login_lasts_for_its_time_or_until_it_is_ended() -> None:
    now = [0.0]
    logins = Logins(lambda: now[0])
    cookie = logins.begin("token")
    assert (logins.token(cookie), logins.token("x"), logins.token(None)) == ("token", None, None)
    ended = logins.begin("token")
    logins.end(ended)
    logins.end(ended)
    assert logins.token(ended) is None
    now[0] = LASTS_SECONDS
    assert logins.token(cookie) is None


def test_each_login_beyond_the_bound_ends_the_oldest() -> None:
    logins = Logins()
    cookies = [logins.begin(str(number)) for number in range(KEPT + 1)]
    assert (logins.token(cookies[0]), logins.token(cookies[1]), logins.token(cookies[-1])) == (None, "1", str(KEPT))
