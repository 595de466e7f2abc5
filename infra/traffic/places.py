"""Addresses to visit from, in about the countries where people have them."""

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from itertools import islice
from random import Random
from typing import Any

import maxminddb
import msgspec

log = logging.getLogger("clickwake.traffic")

WANTED = 400
TRIES = 12_000
ENOUGH = 1_000
FLATTEN = 0.6
"""Address space is even more uneven than people: counts are raised to this power."""
IPV6_SHARE = 0.12
WALKED = 20_000
IPV6_BLOCKS = (0x2400 << 112, 0x2600 << 112, 0x2800 << 112, 0x2A00 << 112)
"""The registries' first /12 blocks: most of what is in use lies near their beginnings."""


class Place(msgspec.Struct, frozen=True):
    """An address, and the country that the database gives for it."""

    address: str
    country: str | None = None


def chosen_places(files: Iterable[str], rng: Random) -> list[Place]:
    """About 400 places by the MMDB files; random public addresses when none can be read."""
    readers = list(_opened(files))
    try:
        found = _chosen(readers, rng)
    finally:
        for reader in readers:
            reader.close()
    return found or [Place(_random_ipv4(rng)) for _ in range(WANTED)]


def countries_of(places: Iterable[Place]) -> tuple[str, ...]:
    """The countries of the places, those with most of them first."""
    counts = Counter(place.country for place in places if place.country)
    return tuple(country for country, _ in counts.most_common())


def within(places: list[Place], countries: Iterable[str]) -> list[Place]:
    """The places in these countries; all of them when there is none, or none is wanted."""
    wanted = set(countries)
    return [place for place in places if place.country in wanted] or places


def _opened(files: Iterable[str]) -> Iterator[maxminddb.Reader]:
    for file in files:
        try:
            yield maxminddb.open_database(file)
        except (OSError, ValueError, maxminddb.InvalidDatabaseError) as error:
            log.warning("no addresses are chosen from %s: %s", file, error)


def _chosen(readers: list[maxminddb.Reader], rng: Random) -> list[Place]:
    found: list[Place] = []
    for version in (4, 6):
        of_version = [r for r in readers if r.metadata().ip_version == version]
        pool = [place for reader in of_version for place in _pool(reader, version, rng)]
        share = IPV6_SHARE if version == 6 and found else 1.0
        found += spread(pool, int(WANTED * share), rng)
    return found


def _pool(reader: maxminddb.Reader, version: int, rng: Random) -> list[Place]:
    """Places found by guessing, or by walking through a database too small to be hit."""
    guess = _random_ipv4 if version == 4 else _random_ipv6
    guesses = (guess(rng) for _ in range(TRIES))
    pool = [place for place in (_place(reader, guessed) for guessed in guesses) if place]
    if len(pool) >= ENOUGH:
        return pool
    return pool + [place for place in (_place(reader, first) for first in _walk(reader)) if place]


def _walk(reader: maxminddb.Reader) -> Iterator[str]:
    """The first address of each network, up to the first that is damaged."""
    with suppress(maxminddb.InvalidDatabaseError):
        for network, _ in islice(reader, WALKED):
            yield str(network.network_address)


def _place(reader: maxminddb.Reader, address: str) -> Place | None:
    if not ip_address(address).is_global:
        return None
    try:
        country = country_of(reader.get(address))
    except maxminddb.InvalidDatabaseError:
        return None
    return Place(address, country) if country else None


def country_of(record: Any) -> str | None:
    """The ISO code in a record of MaxMind's or of the ip-location-db's layout."""
    if not isinstance(record, dict):
        return None
    country = record.get("country")
    code = country.get("iso_code") if isinstance(country, dict) else record.get("country_code")
    return code if isinstance(code, str) and len(code) == 2 else None


def spread(pool: list[Place], number: int, rng: Random) -> list[Place]:
    """Up to ``number`` places, the countries in flattened proportion, each at least once."""
    by_country: defaultdict[str | None, list[Place]] = defaultdict(list)
    for place in pool:
        by_country[place.country].append(place)
    counts = Counter({country: len(places) for country, places in by_country.items()})
    weight = sum(count**FLATTEN for count in counts.values()) or 1.0
    found: list[Place] = []
    for country, count in counts.most_common():
        share = max(1, round(number * count**FLATTEN / weight))
        found += rng.sample(by_country[country], min(share, count))
    return found[:number]


def _random_ipv4(rng: Random) -> str:
    while True:
        address = IPv4Address(rng.getrandbits(32))
        if address.is_global and not address.is_multicast:
            return str(address)


def _random_ipv6(rng: Random) -> str:
    block = rng.choice(IPV6_BLOCKS)
    return str(IPv6Address(block | rng.getrandbits(20) << 96 | rng.getrandbits(64)))
