"""Logins of browsers: how long they last, and that they are bounded."""

from __future__ import annotations

from vaulttools.server.callers import KEPT, LASTS_SECONDS, Logins


def test_a_login_lasts_for_its_time() -> None:
    now = [0.0]
    logins = Logins(lambda: now[0])
    cookie = logins.begin("token")
    assert (logins.token(cookie), logins.token("x"), logins.token(None)) == ("token", None, None)
    now[0] = LASTS_SECONDS
    assert logins.token(cookie) is None


def test_a_login_that_ended_stands_for_nothing() -> None:
    logins = Logins()
    cookie = logins.begin("token")
    logins.end(cookie)
    logins.end(cookie)
    assert logins.token(cookie) is None


def test_each_login_beyond_the_bound_ends_the_oldest() -> None:
    logins = Logins()
    cookies = [logins.begin(str(number)) for number in range(KEPT + 1)]
    assert (logins.token(cookies[0]), logins.token(cookies[1]), logins.token(cookies[-1])) == (None, "1", str(KEPT))
