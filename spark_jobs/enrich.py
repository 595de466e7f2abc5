"""From a valid request event to an enriched one, and to what its session keeps of it."""

from collections.abc import Callable
from functools import lru_cache

import msgspec

from contracts import Agent, Attribution, EnrichedEvent, Geo, RequestEvent
from spark_jobs.geo import Location, open_locator
from spark_jobs.parse import Record
from spark_jobs.referrer import Utm, attribute, utm_of
from spark_jobs.rules import Rules
from spark_jobs.user_agent import read_user_agent

CACHED_FINDINGS = 16_384
"""A batch's rows come bucket by bucket, so what a visitor needs again is asked for soon."""
CACHED_CONTEXTS = 16_384


class Context(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a session takes over from its first event."""

    referrer: str | None
    geo: Geo | None
    agent: Agent
    attribution: Attribution


_packer = msgspec.msgpack.Encoder()
_unpack = msgspec.msgpack.Decoder(Context).decode


class Moments(msgspec.Struct, frozen=True, gc=False):
    """An event's times in ms: its own after clamping, and the job's clock."""

    event_time: int
    processed_time: int
    is_clamped: bool


class Source(msgspec.Struct, frozen=True, gc=False):
    """Where records come from."""

    topic: str
    partition: int


class Findings(msgspec.Struct, frozen=True, gc=False):
    """All that is found out about a request, apart from the request itself.

    ``context`` is the packed Context that its session keeps.
    """

    geo: Geo | None
    geo_reason: str | None
    network: str | None
    agent: Agent
    attribution: Attribution
    context: bytes


class Enricher:
    """Adds place, device and origin. Holds the open MMDB files and the caches.

    A visitor's requests differ in little, so what is found out is kept by all it depends on.
    """

    def __init__(self, geo_paths: tuple[str, ...]) -> None:
        self._locate: Callable[[str | None], Location] = open_locator(geo_paths)
        self._known: dict[tuple[object, ...], Findings] = {}

    def findings(self, event: RequestEvent) -> Findings:
        """Look everything up, or remember it."""
        utm = utm_of(event.query)
        key = (event.client_ip, event.user_agent, event.host, event.referrer, utm)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= CACHED_FINDINGS:
                self._known.clear()
            found = self._known[key] = self._find(event, utm)
        return found

    def _find(self, event: RequestEvent, utm: Utm) -> Findings:
        geo, geo_reason, network = self._locate(event.client_ip)
        agent = read_user_agent(event.user_agent)
        attribution = attribute(event.host, event.referrer, utm)
        # A page of the site itself is no origin.
        referrer = None if attribution.channel == "internal" else event.referrer
        context = Context(referrer, geo, agent, attribution)
        return Findings(geo, geo_reason, network, agent, attribution, encode_context(context))


def enriched(
    event: RequestEvent, found: Findings, record: Record, source: Source, when: Moments
) -> EnrichedEvent:
    """The event as it is published."""
    return EnrichedEvent(
        event_id=event.event_id,
        site_id=event.site_id,
        visitor_id=event.visitor_id,
        event_time=when.event_time,
        sequence=event.sequence,
        broker_time=record.broker_time,
        processed_time=when.processed_time,
        kind=event.kind,
        method=event.method,
        status=event.status,
        duration_ms=event.duration_ms,
        host=event.host,
        path=event.path,
        query=event.query,
        referrer=event.referrer,
        user_agent=event.user_agent,
        network=found.network,
        geo=found.geo,
        geo_reason=found.geo_reason,
        agent=found.agent,
        attribution=found.attribution,
        headers=event.headers,
        dnt=event.dnt,
        gpc=event.gpc,
        flags=["clock_clamped"] if when.is_clamped else [],
        topic=source.topic,
        partition=source.partition,
        offset=record.offset,
        origin=event.origin,
        name=event.name,
        properties=event.properties,
        engaged_ms=event.engaged_ms,
    )


def clamp(time: int, broker_time: int, rules: Rules) -> tuple[int, bool]:
    """An event_time further ahead of the broker than the tolerance becomes the broker's time."""
    if time > broker_time + rules.clock_tolerance:
        return broker_time, True
    return time, False


def encode_context(context: Context) -> bytes:
    """The form in which a visitor's state keeps a context; equal contexts give equal bytes."""
    return _packer.encode(context)


@lru_cache(maxsize=CACHED_CONTEXTS)
def decode_context(packed: bytes) -> Context:
    """The inverse of encode_context."""
    return _unpack(packed)
