"""Who is at the other end, also behind a reverse proxy, and how much of that is kept. Pure."""

from collections.abc import Callable, Sequence
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.datastructures import Headers
from starlette.types import Scope

from contracts import ContractError

Network = IPv4Network | IPv6Network

_IPV4_KEPT, _IPV6_KEPT = 24, 48
_IPV6_CUSTOMER = 64


def networks(text: str) -> tuple[Network, ...]:
    """``10.0.0.0/8, ::1`` as networks. ContractError names the one that is none."""
    found = []
    for part in filter(None, map(str.strip, text.split(","))):
        try:
            found.append(ip_network(part, strict=False))
        except ValueError:
            raise ContractError(
                f"CLICKWAKE_API_TRUSTED_PROXIES has {part!r}, which is no address: write such as "
                "127.0.0.1 or 10.0.0.0/8"
            ) from None
    return tuple(found)


def address_finder(trusted: Sequence[Network]) -> Callable[[Scope], str]:
    """Tells a request's address: the last in the chain of proxies that is not trusted."""

    def address_of(scope: Scope) -> str:
        peer = str((scope.get("client") or ("",))[0])
        chain = ",".join(Headers(scope=scope).getlist("x-forwarded-for"))
        forwarded = [part.strip() for part in chain.split(",") if part.strip()]
        while forwarded and _is_in(peer, trusted):
            peer = forwarded.pop()
        return _counted_as(peer)

    return address_of


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches what listens there."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def network(address: str | None) -> str | None:
    """The address cut to /24 or /48, as everywhere else nothing finer is kept."""
    try:
        found = ip_address(address or "")
    except ValueError:
        return None
    length = _IPV4_KEPT if found.version == 4 else _IPV6_KEPT
    return str(ip_network((found, length), strict=False))


def _is_in(address: str, trusted: Sequence[Network]) -> bool:
    try:
        found = ip_address(address)
    except ValueError:
        return False
    return any(found in one for one in trusted)


def _counted_as(address: str) -> str:
    """One customer has a whole /64 to choose addresses from."""
    try:
        found = ip_address(address)
    except ValueError:
        return "unknown"
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ip_network((found, _IPV6_CUSTOMER), strict=False).network_address)
