"""An unreadable record may hold an address: the history, which is for long, keeps it cut.

The topic ``dead-letters`` keeps the bytes as they came, for as long as its retention says.
"""

import base64
import binascii
import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address, ip_network

import msgspec

from contracts import DeadLetter

_IPV4 = re.compile(rb"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
_IPV6 = re.compile(rb"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\w:.])")


def redacted(letter: DeadLetter) -> DeadLetter:
    """The dead letter, without whole addresses in its raw bytes."""
    try:
        raw = without_addresses(base64.b64decode(letter.raw))
    except binascii.Error:
        raw = b""  # not the job's writing: nobody can tell what it holds
    return msgspec.structs.replace(letter, raw=base64.b64encode(raw).decode())


def without_addresses(raw: bytes) -> bytes:
    """The bytes with each address cut to its network, /24 or /48, as events have it."""
    return _IPV6.sub(_network6, _IPV4.sub(_network4, raw))


def _network4(found: re.Match[bytes]) -> bytes:
    try:
        address = IPv4Address(found[0].decode())
    except AddressValueError:
        return found[0]
    return str(ip_network((address, 24), strict=False).network_address).encode()


def _network6(found: re.Match[bytes]) -> bytes:
    try:
        address = IPv6Address(found[0].decode())
    except AddressValueError:
        return found[0]
    return str(ip_network((address, 48), strict=False).network_address).encode()
