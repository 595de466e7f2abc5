"""The application: what it is made of and how its parts are joined."""

import asyncio
import contextlib
import functools
from collections.abc import AsyncIterator

from fastapi import FastAPI

from api import documentation, health, problems, schema
from api.dashboard import Dashboard
from api.feed import Clock, Feed, wall_clock
from api.guard import HostGuard, SecurityHeaders
from api.history.engine import open_engine
from api.history.probe import write_failure
from api.history.routes import history_router
from api.history.stats.routes import statistics_router
from api.history.writer import ROLES as HISTORY_ROLES
from api.history.writer import HistoryWriter
from api.ledger.routes import ledger_router
from api.live.broadcast import Broadcast
from api.live.consumer import ROLES as LIVE_ROLES
from api.live.consumer import LiveReader
from api.live.hub import Hub
from api.live.routes import live_router
from api.live.seed import Seed
from api.seed import read_seed
from api.settings import ApiSettings
from contracts.kafka import KafkaSettings

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
        self.hub = Hub(settings.live_sessions)
        self.broadcast = Broadcast(self.hub, clock)
        self.writer = HistoryWriter(self.engine, settings.site_ids())
        self.history = Feed(
            "clickwake-history", kafka, HISTORY_ROLES, self.writer, max_records=5_000
        )
        self.live: Feed | None = None
        self.reader: LiveReader | None = None

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start reading Kafka."""
        self.reader = LiveReader(
            self.broadcast, loop, self._seed, self.broadcast.start_from, self.settings.site_ids()
        )
        self.live = Feed("clickwake-live", self.kafka, LIVE_ROLES, self.reader)
        self.history.start()
        self.live.start()

    def _seed(self) -> Seed | None:
        return read_seed(self.engine, self.clock(), self.settings.live_sessions)

    async def stop(self) -> None:
        """End both threads; what was not stored is read again at the next start."""
        self.writer.stop()
        feeds = [feed for feed in (self.history, self.live) if feed is not None]
        for feed in feeds:
            feed.stop()
        joins = (asyncio.to_thread(feed.join, _JOIN_SECONDS) for feed in feeds if feed.is_alive())
        await asyncio.gather(*joins)
        self.engine.dispose()

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
        if failure is not None:
            return health.Component(ok=False, detail=failure)
        return health.Component(ok=True, detail=f"{self.engine.dialect.name}, writable")


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
    app.include_router(history_router(service.engine, clock))
    app.include_router(statistics_router(service.engine, clock))
    app.include_router(ledger_router(service.engine, kafka.topic_prefix))
    app.include_router(
        live_router(service.broadcast, service.hub, settings.origins(), settings.live_clients)
    )
    app.include_router(health.health_router(service.components))
    schema.install(app)
    problems.install(app)
    documentation.install(app)
    dashboard = Dashboard(settings.dashboard_dir)
    app.add_route("/{path:path}", dashboard.answer, include_in_schema=False)
    app.add_middleware(SecurityHeaders)
    app.add_middleware(HostGuard, hosts=settings.hosts())
    return app


@contextlib.asynccontextmanager
async def _lifespan(service: Service, _app: FastAPI) -> AsyncIterator[None]:
    service.start(asyncio.get_running_loop())
    try:
        yield
    finally:
        await service.stop()
