"""``POST /api/v1/events``: other producers' events, acknowledged when Kafka has them."""

import asyncio
from collections.abc import Collection
from http import HTTPStatus

import msgspec
from fastapi import APIRouter
from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from api.access.scopes import Access
from api.bodies import EVENTS_PATH
from api.ingest.batch import Record, record_of
from api.ingest.parsing import (
    JSON_TYPES,
    LINES_TYPES,
    BodyError,
    ItemError,
    MediaTypeError,
    Parsed,
    Sites,
    parse,
)
from api.ingest.sender import DEADLINE_S, Sender
from api.problems import MEDIA_TYPE
from api.schema import answers, either, takes
from contracts import RequestEvent

LARGE_BYTES = 65_536
"""Larger bodies are read beside the event loop, which has dashboards to serve."""

_RETRY_FULL = {"Retry-After": "1"}
_RETRY_AWAY = {"Retry-After": "5"}


class Taken(Struct, frozen=True, kw_only=True):
    """How many events Kafka has, and what is wrong with the others."""

    accepted: int
    errors: list[ItemError]


class NothingTaken(Struct, frozen=True, kw_only=True):
    """A problem (RFC 9457): no item could be taken."""

    type: str = "about:blank"
    title: str = HTTPStatus(422).phrase
    status: int = 422
    detail: str
    instance: str = EVENTS_PATH
    accepted: int = 0
    errors: list[ItemError]


def ingest_router(sender: Sender, sites: Collection[str]) -> APIRouter:
    """The route on which events come in."""
    router = APIRouter(tags=["ingest"], default_response_class=Response)
    described = answers(Taken, 401, 403, 413, 415, 422, 429, 503)
    described[422] = either(422, NothingTaken)
    described[207] = described[200] | {"description": "Some were taken; errors has the others."}

    @router.post(
        EVENTS_PATH,
        responses=described,
        openapi_extra=takes(RequestEvent, JSON_TYPES, LINES_TYPES),
    )
    async def take(request: Request) -> Response:
        """Take one event or many: a JSON object, an array, or one object a line (NDJSON).

        Each item is judged by itself: 200 when all were taken, 207 when some, 422 when none. The
        answer comes when Kafka has acknowledged them; after a 429 or 503 send all of them again.
        An event_id counts once within a visitor, however often it is sent. Needs the scope
        ingest.
        """
        access = Access.of(request)
        access.require("ingest")
        parsed = await _parsed(request, Sites(sites, access.site))
        if parsed.events:
            await deliver(sender, [record_of(event) for event in parsed.events])
        return _answer(parsed)

    return router


async def _parsed(request: Request, sites: Sites) -> Parsed:
    media_type = request.headers.get("content-type", "")
    encoding = request.headers.get("content-encoding", "identity")
    if encoding.lower() != "identity":
        raise HTTPException(415, f"The body must not be compressed, as {encoding[:32]!r} is.")
    body = await request.body()
    try:
        if len(body) <= LARGE_BYTES:
            return parse(body, media_type, sites)
        return await asyncio.to_thread(parse, body, media_type, sites)
    except MediaTypeError as error:
        raise HTTPException(415, f"Not taken: {error}.") from None
    except BodyError as error:
        raise HTTPException(422, f"Not taken: {error}.") from None


async def deliver(sender: Sender, records: list[Record]) -> None:
    """Returns when Kafka has all of them; else raises what the producer is told."""
    if len(records) > sender.most_events:
        raise HTTPException(413, f"At most {sender.most_events:,} events go at a time.")
    waiting = sender.submit(records)
    if waiting is None:
        raise HTTPException(429, _FULL, _RETRY_FULL)
    try:
        async with asyncio.timeout(DEADLINE_S):
            is_taken = await asyncio.shield(asyncio.wrap_future(waiting))
    except TimeoutError:
        is_taken = False
    if not is_taken:
        raise HTTPException(503, _AWAY, _RETRY_AWAY)


def _answer(parsed: Parsed) -> Response:
    if parsed.events:
        status = 207 if parsed.errors else 200
        taken = Taken(accepted=len(parsed.events), errors=parsed.errors)
        return _json(taken, status, "application/json")
    detail = f"None of {len(parsed.errors)} items could be taken; errors says why."
    return _json(NothingTaken(detail=detail, errors=parsed.errors), 422, MEDIA_TYPE)


def _json(answer: Struct, status: int, media_type: str) -> Response:
    headers = {"Cache-Control": "no-store"}
    return Response(msgspec.json.encode(answer), status, headers, media_type)


_FULL = "The queue to Kafka is full: send the same events again in a moment."
_AWAY = (
    "Kafka has not acknowledged all of the events in time: send them again; those that it has "
    "count once all the same."
)
