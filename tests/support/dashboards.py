"""The live dashboard over topics that a test writes itself, as the session job would."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from kafka import KafkaProducer

from contracts import Agent, Attribution, EnrichedEvent, Geo, SessionUpdate
from contracts.kafka import KafkaSettings
from infra.dashboard import ensure_dashboard
from infra.node import ensure_node
from infra.paths import Places
from infra.steps import Steps
from tests.support.api import Served, api_settings, served
from tests.support.messages import MINUTE, a_session, an_event

FRANCE = Geo(country="FR", city="Lyon", latitude=45.8, longitude=4.8)
BRITAIN = Geo(country="GB", city="Leeds", latitude=53.8, longitude=-1.5)
PHONE = Agent(browser="Safari", os="iOS", device="mobile")


def now() -> int:
    """Wall-clock time, ms since 1970 UTC."""
    return time.time_ns() // 1_000_000


def somebody(session_id: str, **fields: Any) -> SessionUpdate:
    """A session that began five minutes ago and was active a moment ago."""
    at = now()
    plain: dict[str, Any] = {"start": at - 5 * MINUTE, "end": at, "geo": BRITAIN}
    return a_session(session_id, **(plain | {"visitor_id": f"v-{session_id}"} | fields))


def a_request(session: SessionUpdate, path: str) -> EnrichedEvent:
    """An event of that session, now."""
    at = now()
    return an_event(
        f"event-{at}-{path}",
        visitor_id=session.visitor_id,
        event_time=at,
        broker_time=at,
        processed_time=at,
        path=path,
        geo=session.geo,
    )


def campaign(domain: str, name: str) -> Attribution:
    """From a page of that domain, by that campaign."""
    return Attribution(domain=domain, channel="paid", utm_campaign=name)


class LivePage:
    """An API with the built dashboard, and how to make it show something."""

    def __init__(self, api: Served, kafka: KafkaSettings) -> None:
        self.url = f"http://{api.address}/"
        self._producer = KafkaProducer(**kafka.client_options(), acks=1, linger_ms=0)
        self._kafka = kafka

    def tell(self, *messages: SessionUpdate | EnrichedEvent) -> None:
        """Write them to their topics."""
        for message in messages:
            is_event = isinstance(message, EnrichedEvent)
            topic = self._kafka.topic("events" if is_event else "sessions")
            key = message.visitor_id.encode()
            self._producer.send(topic, key=key, value=msgspec.json.encode(message))
        self._producer.flush(30)

    def close(self) -> None:
        """Let go of the connection."""
        self._producer.close()


@contextmanager
def live_page(folder: Path, kafka: KafkaSettings, **settings: Any) -> Iterator[LivePage]:
    """Served during the block; the dashboard is built if its sources changed."""
    here = Places()
    with Steps() as steps:
        built = ensure_dashboard(here, ensure_node(here, steps))
    with served(api_settings(folder, dashboard_dir=str(built), **settings), kafka) as api:
        page = LivePage(api.wait_ready(), kafka)
        yield page
        page.close()
