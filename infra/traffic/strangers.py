"""Visitors whose clocks or connections are not as they should be: events for the API. Pure."""

from collections.abc import Iterator
from random import Random

import msgspec
from uuid_utils import uuid7

from contracts import RequestEvent
from contracts.steering import Act
from infra.traffic.people import Person, person
from infra.traffic.places import Place

PATHS = ("/", "/category/kitchen", "/product/harbour-kettle", "/category/garden", "/cart", "/about")
STEPS = (3, 6)
PAUSE_MS = (4_000, 25_000)


class Whence(msgspec.Struct, frozen=True):
    """Where such visitors are, and the site that they visit. ``rng`` makes them up."""

    places: list[Place]
    rng: Random
    site_id: str


def from_a_tunnel(act: Act, now: int, whence: Whence) -> list[RequestEvent]:
    """What phones without a connection kept: visits that began long ago, out of order."""
    begun = now - act.seconds * 1000
    events = [event for _ in range(act.people) for event in _visit(begun, whence)]
    whence.rng.shuffle(events)
    return events


def with_a_fast_clock(act: Act, now: int, whence: Whence) -> list[RequestEvent]:
    """One page view each, ahead of what time it is."""
    ahead, rng = now + act.seconds * 1000, whence.rng
    return [
        _event(f"fast-{rng.getrandbits(64):x}", ahead, "/", person(whence.places, rng), whence)
        for _ in range(act.people)
    ]


def _visit(begun: int, whence: Whence) -> Iterator[RequestEvent]:
    rng, moment = whence.rng, begun
    visitor, somebody = f"tunnel-{rng.getrandbits(64):x}", person(whence.places, rng)
    for _ in range(rng.randint(*STEPS)):
        yield _event(visitor, moment, rng.choice(PATHS), somebody, whence)
        moment += rng.randint(*PAUSE_MS)


def _event(visitor: str, moment: int, path: str, somebody: Person, whence: Whence) -> RequestEvent:
    return RequestEvent(
        event_id=str(uuid7()),
        site_id=whence.site_id,
        visitor_id=visitor,
        event_time=moment,
        kind="page",
        method="GET",
        status=200,
        path=path,
        user_agent=somebody.agent,
        client_ip=somebody.place.address,
    )
