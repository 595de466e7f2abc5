"""The application: what it is made of and how its parts are joined."""

import asyncio
import contextlib
import functools
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path

from fastapi import FastAPI

from api import documentation, health, problems, schema
from api.access.address import address_finder, networks
from api.access.attempts import Attempts
from api.access.audit import Auditor
from api.access.gate import Gate
from api.access.keyring import Keyring
from api.access.logins import Door
from api.access.routes import access_router
from api.annotations.routes import annotations_router
from api.bodies import BodyLimit
from api.dashboard import Dashboard
from api.erasures.routes import erasures_router
from api.erasures.service import Erasures
from api.feed import Clock, Feed, FeedState, wall_clock
from api.guard import HostGuard, SecurityHeaders
from api.history.blocks.builder import Builder
from api.history.blocks.memory import Memory
from api.history.engine import open_engine
from api.history.keeper import Keeper
from api.history.probe import write_failure
from api.history.retention import Limits
from api.history.routes import history_router
from api.history.stats.routes import statistics_router
from api.history.writer import ROLES as HISTORY_ROLES
from api.history.writer import HistoryWriter
from api.ingest.counts import IngestCounts
from api.ingest.routes import ingest_router
from api.ingest.sender import Sender
from api.ledger.routes import ledger_router, shared_ledger
from api.live.admission import Admission, Badge
from api.live.broadcast import Broadcast
from api.live.consumer import ROLES as LIVE_ROLES
from api.live.consumer import LiveReader
from api.live.crowd import Crowd
from api.live.door import Door as LiveDoor
from api.live.hub import Hub
from api.live.routes import Entrance, live_router
from api.live.seed import Seed
from api.live.tickets import Tickets
from api.methods import OtherMethods
from api.metrics.moment import Moment, ReaderNow
from api.metrics.routes import metrics_router
from api.pipeline.actions import actions_router
from api.pipeline.backfills import backfills_router
from api.pipeline.routes import pipeline_router
from api.pipeline.storage import StorageMeter
from api.progress import Place
from api.request_id import RequestId
from api.sample_traffic import sample_traffic_router
from api.seed import read_seed
from api.settings import ApiSettings
from api.views.routes import views_router
from contracts.kafka import KafkaSettings
from contracts.settings import milliseconds

_JOIN_SECONDS = 4.0
_DESCRIPTION = """Sessions of a website's visitors: as they are now, and as they were.

The live view is a WebSocket at `/api/v1/live`; its messages are described in
`contracts/schema/live.schema.json`. Times are ms since 1970 UTC."""


class Service:
    """The running parts of one API process."""

    def __init__(self, settings: ApiSettings, kafka: KafkaSettings, clock: Clock) -> None:
        self.settings = settings
        self.kafka = kafka
        self.clock = clock
        self.engine = open_engine(settings.database_url)
        self.keyring = Keyring(self.engine, clock)
        self.door = Door(
            engine=self.engine,
            clock=clock,
            keyring=self.keyring,
            auditor=Auditor(self.engine, clock),
            attempts=Attempts(time.monotonic),
            address_of=address_finder(networks(settings.trusted_proxies)),
            lifetime_ms=milliseconds(settings.login_lifetime),
        )
        self.sender = Sender(kafka, IngestCounts(clock()), settings.ingest_queue)
        self.hub = Hub(settings.live_sessions)
        self.broadcast = Broadcast(self.hub, clock)
        tickets: Tickets[Badge] = Tickets(clock)
        self.admission = Admission(self.keyring, self.door.auditor, self.door.attempts, tickets)
        self.crowd = Crowd(
            settings.live_clients, settings.live_clients_per_address, settings.live_clients_per_key
        )
        limits = Limits(
            revisions=settings.revisions_keep_ms(),
            history=settings.history_keep_ms(),
            audit=settings.audit_keep_ms(),
        )
        self.keeper = Keeper(self.engine, limits, clock)
        self.live: Feed | None = None
        self.reader: LiveReader | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        opened = threading.Event()
        self.erasures = Erasures(self.engine, kafka, clock, opened, self._forget)
        self.builder = Builder(self.engine, clock)
        self.blocks = Memory()
        self.writer = HistoryWriter(
            self.engine,
            settings.site_ids(),
            clock,
            keeps_revisions=limits.revisions > 0,
            is_erased=self.erasures.known.covers,
            opened=opened,
        )
        self.history = Feed(
            "clickwake-history", kafka, HISTORY_ROLES, self.writer, max_records=5_000
        )

    def entrance(self) -> Entrance:
        """How the live channel is entered."""
        return Entrance(
            self.broadcast,
            self.admission,
            LiveDoor(self.admission),
            self.crowd,
            self.settings.origins(),
            self.door.address_of,
        )

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start reading Kafka."""
        self.loop = loop
        self.reader = LiveReader(
            self.broadcast,
            loop,
            self._seed,
            self.broadcast.start_from,
            sites=self.settings.site_ids(),
            cluster=self._cluster,
            is_erased=self.erasures.known.covers,
        )
        self.live = Feed("clickwake-live", self.kafka, LIVE_ROLES, self.reader)
        self.history.start()
        self.live.start()
        self.keeper.start()
        self.builder.start()
        self.erasures.start()

    def _forget(self, sessions: set[str]) -> None:
        """On any thread: the live view forgets who is erased, and these sessions."""
        if self.loop is not None and not self.loop.is_closed():
            covers = self.erasures.known.covers
            self.loop.call_soon_threadsafe(self.broadcast.erase, covers, sessions)

    def _cluster(self) -> str:
        return self.live.cluster if self.live else ""

    def _seed(self) -> Seed | None:
        return read_seed(self.engine, self.clock(), self.settings.live_sessions)

    async def stop(self) -> None:
        """End both threads; what was not stored is read again at the next start."""
        self.writer.stop()
        self.keeper.stop()
        self.builder.stop()
        feeds = [feed for feed in (self.history, self.live) if feed is not None]
        for feed in feeds:
            feed.stop()
        erasing = self.erasures.stop()
        workers = (*feeds, self.keeper, self.builder)
        threads = [thread for thread in workers if thread.is_alive()] + erasing
        joins = (asyncio.to_thread(thread.join, _JOIN_SECONDS) for thread in threads)
        await asyncio.gather(asyncio.to_thread(self.sender.stop, _JOIN_SECONDS), *joins)
        self.engine.dispose()

    def moment(self) -> Moment:
        """What there is to measure now."""
        readers = {"history": ReaderNow(*_progress(self.history), self.writer.unreadable)}
        if self.live is not None and self.reader is not None:
            readers["live"] = ReaderNow(*_progress(self.live), self.reader.unreadable)
        return Moment(
            components=self.components(try_writing=False),
            readers=readers,
            writer=self.writer.meter,
            live=self.broadcast.meter,
            dashboards=self.hub.dashboards,
            behind=self.broadcast.behind,
            limit=self.settings.live_clients,
            job=self.hub.job,
        )

    def components(self, *, try_writing: bool) -> health.Components:
        """How everything is doing; ``try_writing`` may wait for the database's lock."""
        live = self.live.state if self.live else self.history.state
        unread = self.reader.unreadable if self.reader else 0
        return health.Components(
            database=self._database(try_writing),
            consumer=health.consumer_component(self.history.state, self.writer.unreadable),
            live=health.consumer_component(live, unread),
            job=health.job_component(self.hub.job, self.clock()),
            geo=health.geo_component(self.hub.job),
            dashboards=health.Component(ok=True, detail=f"{self.hub.dashboards} connected"),
        )

    def _database(self, try_writing: bool) -> health.Component:
        failure = self.writer.failure
        if failure is None and try_writing:
            failure = write_failure(self.engine)
        return health.database_component(self.engine.dialect.name, failure)


def _progress(feed: Feed) -> tuple[FeedState, dict[Place, int]]:
    return feed.state, feed.lags


def create_app(settings: ApiSettings, kafka: KafkaSettings, clock: Clock = wall_clock) -> FastAPI:
    """The ASGI application. It starts reading Kafka with its lifespan, and not before."""
    service = Service(settings, kafka, clock)
    app = FastAPI(
        title="Clickwake",
        version="1",
        description=_DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        lifespan=functools.partial(_lifespan, service),
    )
    app.state.service = service
    keeps_revisions = settings.revisions_keep_ms() > 0
    app.include_router(
        history_router(service.engine, clock, service.blocks, keeps_revisions=keeps_revisions)
    )
    app.include_router(
        erasures_router(service.engine, clock, service.door.address_of, service.erasures.wake)
    )
    app.include_router(statistics_router(service.engine, clock, service.blocks))
    ledger = shared_ledger(service.engine, kafka.topic_prefix)
    app.include_router(ledger_router(ledger))
    app.include_router(live_router(service.entrance()))
    app.include_router(health.health_router(service.components))
    app.include_router(access_router(service.door, needs_keys=settings.needs_keys()))
    app.include_router(annotations_router(service.door))
    app.include_router(ingest_router(service.sender, settings.site_ids()))
    app.include_router(metrics_router(service.moment, ledger, kafka.topic_prefix, clock))
    storage = StorageMeter(service.engine, kafka)
    app.include_router(pipeline_router(service.engine, service.moment, ledger, storage, clock))
    app.include_router(actions_router(service.door, service.sender, kafka))
    orders = Path(settings.backfill_dir) if settings.backfill_dir else None
    app.include_router(backfills_router(service.door, orders))
    app.include_router(views_router(service.door))
    steering = Path(settings.steering_dir) if settings.steering_dir else None
    app.include_router(sample_traffic_router(service.door, steering))
    schema.install(app)
    problems.install(app)
    documentation.install(app)
    app.router.routes.append(OtherMethods(app.router.routes))
    dashboard = Dashboard(settings.dashboard_dir)
    app.add_route("/{path:path}", dashboard.answer, include_in_schema=False)
    _guard(app, service)
    return app


def _guard(app: FastAPI, service: Service) -> None:
    """What stands before every route; the last one added is asked first."""
    settings = service.settings
    app.add_middleware(BodyLimit)
    app.add_middleware(
        Gate,
        door=service.door,
        needs_keys=settings.needs_keys(),
        origins=settings.origins(),
        requests_per_minute=settings.key_requests_per_minute,
    )
    app.add_middleware(SecurityHeaders)
    app.add_middleware(HostGuard, hosts=settings.hosts())
    app.add_middleware(RequestId)


@contextlib.asynccontextmanager
async def _lifespan(service: Service, _app: FastAPI) -> AsyncIterator[None]:
    service.start(asyncio.get_running_loop())
    try:
        yield
    finally:
        await service.stop()
