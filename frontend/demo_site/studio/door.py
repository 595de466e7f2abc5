"""Who may come into the studio: whoever sits at the machine, by a page of the studio itself."""

import hmac
from collections.abc import Mapping
from ipaddress import ip_address

FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})


def is_at_home(peer: str | None, headers: Mapping[str, str]) -> bool:
    """Whether the machine itself asks, under its own name, and not through a proxy.

    The name matters: any site can let its own name mean 127.0.0.1 (DNS rebinding).
    """
    host = headers.get("host", "")
    name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
    is_proxied = any(header in headers for header in FORWARDED)
    return name.lower() in LOOPBACK_NAMES and not is_proxied and _is_loopback(peer)


def is_right(token: str, given: str | None) -> bool:
    """Whether a form brought the token of this run, which only the studio's own page knows."""
    return hmac.compare_digest(token.encode(), (given or "").encode("utf-8", "replace"))


def _is_loopback(peer: str | None) -> bool:
    try:
        return ip_address(peer or "").is_loopback
    except ValueError:
        return False
