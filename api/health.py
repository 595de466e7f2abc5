"""Whether the API lives and whether it is ready, with what is wrong and what to do."""

from typing import Protocol

import msgspec
from fastapi import APIRouter
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from api.access.scopes import Access
from api.feed import FeedState
from api.schema import answers
from contracts import JobStatus
from contracts.instants import format_instant

SILENT_MS = 30_000
"""The job speaks every few seconds; after this long without a word it counts as silent."""


class Component(Struct, frozen=True, kw_only=True):
    """A part of the whole: whether it works, and what it is or what is wrong.

    ``todo`` is one sentence on what to do, empty while it works.
    """

    ok: bool
    detail: str
    todo: str = ""


class Components(Struct, frozen=True, kw_only=True):
    """``consumer`` feeds the history, ``live`` the dashboards; ``geo`` is the job's look-up."""

    database: Component
    consumer: Component
    live: Component
    job: Component
    geo: Component
    dashboards: Component


class Readiness(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Whether the API is ready: its database is writable and its consumers have caught up.

    ``components`` says why, to those who may read.
    """

    ready: bool
    components: Components | None = None


class Liveness(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The process is alive. ``components`` says how its surroundings are, to those who may read."""

    alive: bool
    components: Components | None = None


class Look(Protocol):
    """Looks at everything; with ``try_writing`` it also tries the database."""

    def __call__(self, *, try_writing: bool) -> Components:
        """The components as they are now."""
        ...


def is_ready(components: Components) -> bool:
    """The job's silence is the job's matter: the API can serve without it."""
    return components.database.ok and components.consumer.ok and components.live.ok


_WAIT = "Wait: it goes on by itself, and /metrics shows whether it gets nearer."
_KAFKA = (
    "Start Kafka, or correct CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS and the log-in; reading goes on by "
    "itself."
)
_TOPICS = "Start the session job with `./clickwake job`, which creates them."
_DATABASE = (
    "Make room, start the database, or correct CLICKWAKE_API_DATABASE_URL; nothing is lost, the "
    "topics keep what comes."
)
_JOB_LOG = "`./clickwake logs job` says why; the supervisor starts it again."
_JOB_PERSON = "Do what that says; the supervisor tries again every five minutes."
_JOB_START = "Start it with `./clickwake job`."
_JOB_FIRST = "Wait: its first batch takes some seconds."
_GEO = "Put a whole MMDB file there or set CLICKWAKE_JOB_GEO, then restart the job."


def database_component(dialect: str, failure: str | None) -> Component:
    """Whether history is written; ``failure`` is the database's own reason."""
    if failure is not None:
        return Component(ok=False, detail=failure, todo=_DATABASE)
    return Component(ok=True, detail=f"{dialect}, writable")


def consumer_component(state: FeedState, unreadable: int) -> Component:
    """How a feed is doing."""
    skipped = f"; {unreadable} unreadable records were skipped" if unreadable else ""
    if not state.connected:
        detail = f"Kafka is not being read: {state.detail}{skipped}"
        todo = _TOPICS if "do not exist" in state.detail else _KAFKA
        return Component(ok=False, detail=detail, todo=todo)
    if not state.caught_up:
        detail = f"catching up, {state.lag} records to go{skipped}"
        return Component(ok=False, detail=detail, todo=_WAIT)
    return Component(ok=True, detail=f"caught up, {state.lag} records to go{skipped}")


def job_component(job: JobStatus | None, now: int) -> Component:
    """What the session job last said of itself."""
    if job is None:
        return Component(ok=False, detail="absent: it has never spoken", todo=_JOB_START)
    if job.problem:
        return Component(ok=False, detail=job.problem, todo=_JOB_PERSON)
    spoken = format_instant(job.processed_time)
    if now - job.processed_time > SILENT_MS:
        return Component(ok=False, detail=f"silent since {spoken}", todo=_JOB_LOG)
    if job.batch < 0:
        detail = "starting: its first batch is not finished"
        return Component(ok=False, detail=detail, todo=_JOB_FIRST)
    detail = f"running, {job.behind} records behind; last batch took {job.batch_ms} ms"
    return Component(ok=True, detail=detail)


def geo_component(job: JobStatus | None) -> Component:
    """Whether events get a place, as the job last said."""
    if job is None:
        detail = "unknown: the job has not said anything yet"
        return Component(ok=False, detail=detail, todo=_JOB_START)
    return Component(ok=job.geo_ok, detail=job.geo_detail, todo="" if job.geo_ok else _GEO)


def health_router(look: Look) -> APIRouter:
    """The addresses that a supervisor asks."""
    router = APIRouter(tags=["health"], default_response_class=Response)

    @router.head("/healthz", include_in_schema=False)
    @router.get("/healthz", responses=answers(Liveness))
    def healthz(request: Request) -> Response:
        """Always 200 while the process is alive."""
        if not _is_told(request):
            return _json(Liveness(alive=True), 200)
        return _json(Liveness(alive=True, components=look(try_writing=False)), 200)

    @router.head("/readyz", include_in_schema=False)
    @router.get("/readyz", responses=answers(Readiness) | _not_ready())
    def readyz(request: Request) -> Response:
        """200 when history is writable and the consumers have caught up, else 503."""
        components = look(try_writing=True)
        ready = is_ready(components)
        shown = components if _is_told(request) else None
        return _json(Readiness(ready=ready, components=shown), 200 if ready else 503)

    return router


def _is_told(request: Request) -> bool:
    """Strangers learn whether, and not why."""
    return Access.of(request).has("read")


def _not_ready() -> dict[int | str, dict[str, object]]:
    return {503: answers(Readiness)[200] | {"description": "Not ready; components says why."}}


def _json(answer: Struct, status: int) -> Response:
    return Response(
        msgspec.json.encode(answer),
        status,
        headers={"Cache-Control": "no-store"},
        media_type="application/json",
    )
