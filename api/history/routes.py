"""The history's addresses under /api/v1."""

from typing import Annotated, Any, cast
from urllib.parse import quote

import msgspec
from fastapi import APIRouter, HTTPException, Path, Query
from sqlalchemy import Engine
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from api.access.scopes import Access
from api.answering import json_answer, tagged_answer
from api.feed import Clock
from api.history import repository
from api.history.answers import SessionDetail, SessionPage, Stats, VisitorPage
from api.history.biography import biography
from api.history.blocks.memory import Memory
from api.history.engine import reading
from api.history.export import export
from api.history.filters import SessionFilter
from api.history.formats import MEDIA_TYPES
from api.history.pages import session_page
from api.history.parameters import (
    ExportParameters,
    SessionParameters,
    StatsParameters,
    VisitorParameters,
)
from api.history.statistics import stats
from api.history.values import NO_NULL
from api.history.visitors import visitor_page
from api.problems import Problem
from api.schema import answers
from contracts import SessionUpdate

VisitorId = Annotated[str, Path(min_length=1, max_length=128, pattern=NO_NULL)]
SessionId = Annotated[str, Path(min_length=1, max_length=512, pattern=NO_NULL)]


def history_router(
    engine: Engine, clock: Clock, memory: Memory, *, keeps_revisions: bool = True
) -> APIRouter:
    """Routes that answer from the database behind ``engine``."""
    router = APIRouter(prefix="/api/v1", tags=["history"], default_response_class=Response)

    @router.get("/sessions", responses=answers(SessionPage, 422, 503))
    def list_sessions(
        request: Request, parameters: Annotated[SessionParameters, Query()]
    ) -> Response:
        """Sessions, newest first or as sort says. Merged ones are left out.

        Pages are stable: sessions that start while you page do not shift them. A session counts
        on the day it started. A cursor belongs to the question that it was given for.
        """
        return json_answer(request, _session_page(engine, parameters, clock()))

    @router.get("/sessions/export", responses=answers(Problem, 422, 503) | _exported())
    def export_sessions(parameters: Annotated[ExportParameters, Query()]) -> Response:
        """The whole list as CSV, NDJSON or Parquet, streamed, as of one moment.

        Headers: `Clickwake-As-Of` is that moment, `Clickwake-Count` about how many sessions the
        list has. What broke off goes on with `after` and `as_of`.
        """
        begun = export(engine, parameters, clock(), keeps_revisions=keeps_revisions)
        return StreamingResponse(begun.pieces, 200, begun.headers, begun.media_type)

    @router.get("/sessions/{session_id}", responses=answers(SessionDetail, 404, 422, 503))
    def one_session(request: Request, session_id: SessionId) -> Response:
        """A session, its events, and why it begins and ends where it does.

        One that was merged redirects (308) to its successor.
        """
        return _session_detail(engine, session_id, request)

    @router.get("/visitors/{visitor_id:path}", responses=answers(VisitorPage, 404, 422, 503))
    def one_visitor(
        request: Request, visitor_id: VisitorId, parameters: Annotated[VisitorParameters, Query()]
    ) -> Response:
        """A visitor of a site and their sessions, which the list's parameters choose and sort."""
        return json_answer(request, _visitor(engine, visitor_id, parameters, clock()))

    @router.get("/stats", responses=answers(Stats, 422, 503))
    def numbers(request: Request, parameters: Annotated[StatsParameters, Query()]) -> Response:
        """The numbers of a range: the last 24 hours unless from and to, period or day say so."""
        return json_answer(request, _stats(engine, memory, parameters, clock()))

    return router


def _exported() -> dict[int | str, dict[str, Any]]:
    content = {name: {"schema": {"type": "string"}} for name in MEDIA_TYPES.values()}
    return {200: {"description": "The export, as it is read.", "content": content}}


def _session_page(engine: Engine, parameters: SessionParameters, now: int) -> bytes:
    with reading(engine) as connection:
        return msgspec.json.encode(session_page(connection, parameters, now))


def _session_detail(engine: Engine, session_id: str, request: Request) -> Response:
    only_site = Access.of(request).site
    with reading(engine) as connection:
        found = repository.session(connection, session_id, only_site)
        if found is None:
            successor = repository.successor(connection, session_id)
            if only_site and successor and not repository.session(connection, successor, only_site):
                successor = None
            return _redirect(successor, session_id)
        timeline = repository.timeline(connection, found)
        why = biography(connection, msgspec.json.decode(found.message, type=SessionUpdate))
    detail = SessionDetail(
        session=cast("Any", found.message),
        events=cast("Any", timeline.events),
        events_truncated=timeline.truncated,
        why=why,
    )
    return tagged_answer(request, msgspec.json.encode(detail), "private, no-cache")


def _redirect(successor: str | None, session_id: str) -> Response:
    if successor is None:
        raise HTTPException(404, f"No session has the id {session_id!r}.")
    # A bound that moves a cut may bring a merged session back, so nobody should keep this.
    headers = {"Cache-Control": "no-store"}
    return RedirectResponse(f"/api/v1/sessions/{quote(successor, safe='')}", 308, headers)


def _visitor(engine: Engine, visitor_id: str, parameters: VisitorParameters, now: int) -> bytes:
    with reading(engine) as connection:
        page = visitor_page(connection, visitor_id, parameters, now)
    if page is None:
        raise HTTPException(404, f"{parameters.site!r} has no visitor with the id {visitor_id!r}.")
    return msgspec.json.encode(page)


def _stats(engine: Engine, memory: Memory, parameters: StatsParameters, now: int) -> bytes:
    instants = parameters.instants(now)
    wanted = SessionFilter(
        start_from=instants.start,
        start_to=instants.end,
        site_id=parameters.site,
        bots=parameters.bots,
    )
    with reading(engine) as connection:
        found = stats(connection, wanted, instants, parameters.zone, now, memory=memory)
        return msgspec.json.encode(found)
