"""Where an address is, from one or more MMDB files. Pure but for reading those files.

Two layouts are read: MaxMind's nested one (``city.names.en``) and the flat one of the
ip-location-db packages (``country_code``, ``city``). Nothing here raises: events flow with
no geo and the reason why.
"""

import ipaddress
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import maxminddb

from contracts import Geo

CACHED_ADDRESSES = 100_000
CACHED_PLACES = 10_000
PROBED_RECORDS = 200

_IPV6_KEPT = ~0 << 80 & 2**128 - 1

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Location(tuple[Geo | None, str | None, str | None]):
    """(geo, reason why there is none, address cut to its network)."""

    __slots__ = ()

    @classmethod
    def none(cls, reason: str, network: str | None = None) -> "Location":
        """No geo, because of ``reason``."""
        return cls((None, reason, network))


def open_locator(paths: tuple[str, ...]) -> Callable[[str | None], Location]:
    """A cached function from address text to Location, over the files that can be opened."""
    opened = [reader for path in paths if (reader := _open(path)) is not None]
    # An IPv4-only file cannot even be asked about IPv6.
    by_version = {
        version: [reader for reader in opened if reader.metadata().ip_version >= version]
        for version in (4, 6)
    }

    @lru_cache(maxsize=CACHED_ADDRESSES)
    def locate(address: str | None) -> Location:
        if not address:
            return Location.none("no_address")
        parsed = _parse(address)
        if parsed is None:
            return Location.none("malformed_address")
        network = cut_address(parsed)
        if not opened:
            return Location.none("no_database", network)
        return _look_up(by_version[parsed.version], parsed, network)

    return locate


def cut_address(address: Address) -> str:
    """The network of an address, /24 for IPv4 and /48 for IPv6: what may be stored."""
    if isinstance(address, ipaddress.IPv4Address):
        return f"{str(address).rpartition('.')[0]}.0/24"
    return f"{ipaddress.IPv6Address(int(address) & _IPV6_KEPT)}/48"


def check_databases(paths: tuple[str, ...]) -> tuple[bool, str]:
    """Whether events get geo, and a sentence that says what is loaded or what to do."""
    if not paths:
        return False, "no MMDB file is set: events flow without geo; set CLICKWAKE_JOB_GEO"
    faults = [fault for path in paths if (fault := _fault(path)) is not None]
    if faults:
        return False, "; ".join(faults)
    return True, ", ".join(Path(path).name for path in paths)


def _open(path: str) -> maxminddb.Reader | None:
    try:
        return maxminddb.open_database(path)
    except (OSError, ValueError, maxminddb.InvalidDatabaseError):
        return None


def _fault(path: str) -> str | None:
    name = Path(path).name
    if not Path(path).is_file():
        return f"{name} is missing: events flow without geo; put it back or set CLICKWAKE_JOB_GEO"
    try:
        with maxminddb.open_database(path) as reader:
            for _ in islice(iter(reader), PROBED_RECORDS):
                pass
    except (OSError, ValueError, maxminddb.InvalidDatabaseError) as error:
        return f"{name} is broken ({error}): events flow without geo; fetch it again"
    return None


def _parse(text: str) -> Address | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        # A zone such as %eth0 names an interface of one host and no place.
        return ipaddress.IPv6Address(int(address))
    return address


def _look_up(readers: list[maxminddb.Reader], address: Address, network: str) -> Location:
    is_broken = False
    for reader in readers:
        try:
            record = reader.get(address)
        except (maxminddb.InvalidDatabaseError, ValueError, UnicodeDecodeError):
            is_broken = True
            continue
        if isinstance(record, dict):
            return Location((_geo(record), None, network))
    if is_broken:
        return Location.none("broken_database", network)
    return Location.none("not_found" if address.is_global else "private_address", network)


def _geo(record: dict[str, Any]) -> Geo:
    return _shared(_flat(record) if "country_code" in record else _nested(record))


@lru_cache(maxsize=CACHED_PLACES)
def _shared(geo: Geo) -> Geo:
    """One object for all that are equal: most addresses share few places."""
    return geo


def _flat(record: dict[str, Any]) -> Geo:
    return Geo(
        country=_text(record.get("country_code")),
        region=_text(record.get("state1")),
        city=_text(record.get("city")),
        latitude=_degrees(record.get("latitude")),
        longitude=_degrees(record.get("longitude")),
        time_zone=_text(record.get("timezone")),
    )


def _nested(record: dict[str, Any]) -> Geo:
    location = _part(record.get("location"))
    subdivisions = record.get("subdivisions")
    # From the largest to the smallest; the last says most.
    region = subdivisions[-1] if isinstance(subdivisions, list) and subdivisions else None
    return Geo(
        country=_text(_part(record.get("country")).get("iso_code")),
        region=_text(_part(_part(region).get("names")).get("en")),
        city=_text(_part(_part(record.get("city")).get("names")).get("en")),
        latitude=_degrees(location.get("latitude")),
        longitude=_degrees(location.get("longitude")),
        time_zone=_text(location.get("time_zone")),
    )


def _part(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _degrees(value: object) -> float | None:
    return round(float(value), 4) if isinstance(value, int | float) else None
