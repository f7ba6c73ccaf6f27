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
