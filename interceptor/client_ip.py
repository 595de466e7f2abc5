"""The visitor's address, through proxies that the site trusts.

The walk goes from the peer leftwards through the proxy headers: as long as an address is a
trusted proxy's, the next one to its left may be believed. It ends at the first address that is
not trusted, at an entry that is no address (``unknown``, ``_hidden``), or at the list's start;
the last address believed is the visitor's. ``X-Forwarded-For`` is used when it holds any entry,
and ``Forwarded`` (RFC 7239) otherwise: proxies that write the newer header also keep the older
one, while one that knows only the older passes a visitor's forged ``Forwarded`` through.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

import msgspec

from interceptor.errors import InterceptorError
from interceptor.settings import listed

Address = IPv4Address | IPv6Address

UNIX = "unix"
MAX_HOPS = 32
MAX_ENTRY = 64
CACHEABLE = 256
IPV4_PORT = re.compile(r"(\d+\.\d+\.\d+\.\d+):\d+", re.ASCII)
BRACKETS = re.compile(r"\[([^\]]*)\](?::\w+)?", re.ASCII)
ELEMENT = re.compile(r'(?:[^,"]|"(?:[^"\\]|\\.)*")+')
FOR = re.compile(r'(?:^|;)\s*for\s*=\s*("(?:[^"\\]|\\.)*"|[^;\s]*)', re.IGNORECASE)


class Trust(msgspec.Struct, frozen=True, kw_only=True):
    """Whose proxy headers are believed."""

    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    unix: bool = False

    @classmethod
    def of(cls, trusted_proxies: str) -> "Trust":
        """Parse ``10.0.0.0/8,unix``. InterceptorError names the part that is no network."""
        names = listed(trusted_proxies)
        networks = tuple(_network(name) for name in names if name != UNIX)
        return cls(networks=networks, unix=UNIX in names)

    def believes(self, peer: str | None) -> bool:
        """Whether the socket's other end (None on a Unix socket) may speak for others."""
        address = parsed(peer) if peer else None
        return self.covers(address) if address else self.unix and not peer

    def covers(self, address: Address) -> bool:
        """Whether the address is a trusted proxy's."""
        return any(address in network for network in self.networks)


def _network(name: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(name, strict=False)
    except ValueError:
        raise InterceptorError(
            f"trusted_proxies holds {name!r}: write addresses or networks such as 10.0.0.0/8 "
            "or fd00::/8, or the word unix, separated by commas"
        ) from None


def client_ip(peer: str | None, forwarded_for: str, forwarded: str, trust: Trust) -> str | None:
    """The visitor's address in canonical form, or None when nothing trustworthy says it.

    ``peer`` is the socket's other end (None on a Unix socket); ``forwarded_for`` and
    ``forwarded`` are the headers, several of one name joined by commas in their order.
    """
    believed = parsed(peer) if peer else None
    if not trust.believes(peer):
        return None if believed is None else str(believed)
    for entry in _from_the_right(forwarded_for, forwarded):
        address = parsed(entry)
        if address is None:
            break
        believed = address
        if not trust.covers(address):
            break
    return None if believed is None else str(believed)


def locator(trust: Trust) -> Callable[[str | None, str, str], str | None]:
    """``client_ip`` for one site; it remembers recent visitors, who send several requests."""

    @lru_cache(maxsize=8192)
    def remembered(peer: str | None, forwarded_for: str, forwarded: str) -> str | None:
        return client_ip(peer, forwarded_for, forwarded, trust)

    def locate(peer: str | None, forwarded_for: str, forwarded: str) -> str | None:
        if len(forwarded_for) + len(forwarded) > CACHEABLE:
            return client_ip(peer, forwarded_for, forwarded, trust)
        return remembered(peer, forwarded_for, forwarded)

    return locate


def _from_the_right(forwarded_for: str, forwarded: str) -> Iterable[str]:
    entries = [part.strip() for part in forwarded_for.rsplit(",", MAX_HOPS)[-MAX_HOPS:]]
    entries = [entry for entry in entries if entry]
    return reversed(entries or _forwarded_entries(forwarded))


def _forwarded_entries(forwarded: str) -> list[str]:
    """The ``for`` of each element; an element without one hides its hop like ``unknown``."""
    elements = ELEMENT.findall(forwarded[-MAX_HOPS * 256 :])
    found = [FOR.search(element) for element in elements if element.strip()]
    return [match[1] if match else "unknown" for match in found]


def parsed(text: str) -> Address | None:
    """An address from a header's entry: quotes, brackets, port and zone removed.

    None when it is no address. Leading zeros are refused: some readers take them as octal.
    An IPv4 address mapped into IPv6 counts as the IPv4 address it is.
    """
    bare = text.strip().strip('"').strip()
    if len(bare) > MAX_ENTRY:
        return None
    match = BRACKETS.fullmatch(bare) or IPV4_PORT.fullmatch(bare)
    bare = (match[1] if match else bare).partition("%")[0]
    try:
        address = ip_address(bare)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
