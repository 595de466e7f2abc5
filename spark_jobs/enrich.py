"""From a valid request event to an enriched one, and to what its session keeps of it."""

from collections.abc import Callable

import msgspec

from contracts import Agent, Attribution, EnrichedEvent, Geo
from spark_jobs.geo import Location, open_locator
from spark_jobs.parse import Record, Valid
from spark_jobs.referrer import attribute
from spark_jobs.rules import Rules
from spark_jobs.user_agent import read_user_agent


class Context(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a session takes over from its first event."""

    referrer: str | None
    geo: Geo | None
    agent: Agent
    attribution: Attribution


class Source(msgspec.Struct, frozen=True, gc=False):
    """Where records come from."""

    topic: str
    partition: int


class Enricher:
    """Adds place, device and origin. Holds the open MMDB files and their caches."""

    def __init__(self, geo_paths: tuple[str, ...]) -> None:
        self.locate: Callable[[str | None], Location] = open_locator(geo_paths)

    def enrich(
        self, valid: Valid, record: Record, source: Source, rules: Rules, now: int
    ) -> EnrichedEvent:
        """The event as it is published, its event_time clamped; ``now`` is processed_time."""
        event = valid.event
        time, is_clamped = clamp(valid.time, record.broker_time, rules)
        geo, geo_reason, network = self.locate(event.client_ip)
        return EnrichedEvent(
            event_id=event.event_id,
            site_id=event.site_id,
            visitor_id=event.visitor_id,
            event_time=time,
            sequence=event.sequence,
            broker_time=record.broker_time,
            processed_time=now,
            kind=event.kind,
            method=event.method,
            status=event.status,
            duration_ms=event.duration_ms,
            host=event.host,
            path=event.path,
            query=event.query,
            referrer=event.referrer,
            user_agent=event.user_agent,
            network=network,
            geo=geo,
            geo_reason=geo_reason,
            agent=read_user_agent(event.user_agent),
            attribution=attribute(event.host, event.referrer, event.query),
            headers=event.headers,
            dnt=event.dnt,
            gpc=event.gpc,
            flags=["clock_clamped"] if is_clamped else [],
            topic=source.topic,
            partition=source.partition,
            offset=record.offset,
        )


def clamp(time: int, broker_time: int, rules: Rules) -> tuple[int, bool]:
    """An event_time further ahead of the broker than the tolerance becomes the broker's time."""
    if time > broker_time + rules.clock_tolerance:
        return broker_time, True
    return time, False


def context_of(event: EnrichedEvent) -> Context:
    """The part of an enriched event that its session shows when it is the first."""
    is_internal = event.attribution.channel == "internal"
    return Context(
        None if is_internal else event.referrer, event.geo, event.agent, event.attribution
    )
