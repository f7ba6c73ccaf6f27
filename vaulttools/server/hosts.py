"""Recognises hosts that only this machine reaches, and plain IP addresses."""

from __future__ import annotations

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a host: a loopback address or `localhost`."""
    address = parsed(host)
    return host.casefold() == "localhost" if address is None else address.is_loopback


def parsed(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Returns the IP address that a host is written as; None for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def is_public_origin(origin: str) -> bool:
    """Whether a browser may send a token to an origin: it is https, or on this machine. It must be written as programs
    write it (without the usual port, in ASCII), because they send it back as `resource`."""
    from pydantic import AnyHttpUrl  # takes a while, and few servers have such an origin

    try:
        url = AnyHttpUrl(origin)
    except ValueError:
        return False
    is_safe = url.scheme == "https" or url.host in ("localhost", "127.0.0.1", "[::1]")  # as the SDK allows
    return is_safe and "@" not in origin and str(url) == f"{origin}/"
