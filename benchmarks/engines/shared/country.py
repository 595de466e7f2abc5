"""The country of an address, from MMDB files: what peers with a geo look-up have in common."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from ipaddress import ip_address

import maxminddb

CACHED = 100_000
"""Addresses, as many as the product remembers."""


def open_countries(paths: Sequence[str]) -> Callable[[str | None], str]:
    """A cached function from address text to ISO 3166-1 alpha-2, "" where none is known."""
    readers = [maxminddb.open_database(path) for path in paths]

    @lru_cache(maxsize=CACHED)
    def country(text: str | None) -> str:
        try:
            address = ip_address(text or "")
        except ValueError:
            return ""
        for reader in readers:
            # An IPv4-only file cannot even be asked about IPv6.
            if reader.metadata().ip_version >= address.version:
                record = reader.get(address)
                if isinstance(record, dict):
                    return _code(record)
        return ""

    return country


def _code(record: dict[str, object]) -> str:
    """Of a flat record, or of MaxMind's nested one."""
    nested = record.get("country")
    code = nested.get("iso_code") if isinstance(nested, dict) else record.get("country_code")
    return str(code or "")
