"""The live channel at /api/v1/live: as a WebSocket, as server-sent events, and its tickets."""

import contextlib
import logging
from collections.abc import Callable
from typing import NamedTuple

import msgspec
from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException
from starlette.types import Scope
from starlette.websockets import WebSocket, WebSocketDisconnect

from api.guard import is_allowed_origin
from api.live.admission import Admission, RefusedError
from api.live.broadcast import Broadcast
from api.live.closings import CLOSINGS, closing
from api.live.crowd import Crowd, CrowdedError
from api.live.door import Door, Overheard
from api.live.events import LAST_EVENT_ID, EventStream, ParametersError, greeting_of
from api.live.filters import OtherSiteError
from api.live.listener import Socket
from api.live.tickets import NoTicketsLeftError
from api.problems import problem_response
from api.schema import answers
from contracts.live import LiveTicket

log = logging.getLogger(__name__)

PATH = "/api/v1/live"


class _Socket:
    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket

    async def send(self, message: bytes) -> None:
        await self._websocket.send({"type": "websocket.send", "text": message.decode()})

    async def receive(self) -> str | bytes | None:
        event = await self._websocket.receive()
        if event["type"] != "websocket.receive":
            return None
        text: str | None = event.get("text")
        return text if text is not None else event["bytes"]


class Entrance(NamedTuple):
    """What stands between a connection and the broadcast."""

    broadcast: Broadcast
    admission: Admission
    door: Door
    crowd: Crowd
    origins: frozenset[str]
    address_of: Callable[[Scope], str]


def live_router(entrance: Entrance) -> APIRouter:
    """The route on which dashboards connect, and the one that gives them tickets."""
    router = APIRouter()

    @router.websocket(PATH)
    async def live(websocket: WebSocket) -> None:
        headers = websocket.headers
        if not is_allowed_origin(headers.get("origin"), headers.get("host"), entrance.origins):
            await _refuse(websocket, 403, FOREIGN.format(headers.get("origin")))
            return
        address = entrance.address_of(websocket.scope)
        try:
            entered = entrance.crowd.enter(address)
        except CrowdedError as error:
            await _refuse(websocket, error.status, str(error))
            return
        with entered:
            await _serve(entrance, websocket, address)

    @router.get(PATH, include_in_schema=False)
    async def stream(request: Request) -> Response:
        return await _stream(entrance, request)

    @router.post(f"{PATH}/tickets", responses=answers(LiveTicket, 401, 503))
    async def ticket(request: Request) -> Response:
        """A ticket for the live channel: good once, for 30 seconds, for what your key may do."""
        try:
            text, expires = entrance.admission.tickets.issue(entrance.admission.badge_of(request))
        except NoTicketsLeftError:
            raise HTTPException(503, _NO_TICKETS, {"Retry-After": "30"}) from None
        issued = LiveTicket(ticket=text, expires=expires)
        return Response(msgspec.json.encode(issued), 200, _UNCACHED, "application/json")

    return router


_UNCACHED = {"Cache-Control": "no-store"}
_NO_TICKETS = "Too many tickets are out that nobody has used; try again in half a minute."
FOREIGN = (
    "The origin {!r} may not open the live view; add it to CLICKWAKE_API_ALLOWED_ORIGINS if it is "
    "yours."
)


async def _refuse(websocket: WebSocket, status: int, detail: str) -> None:
    await websocket.send_denial_response(problem_response(status, detail, PATH))


async def _serve(entrance: Entrance, websocket: WebSocket, address: str) -> None:
    await websocket.accept()
    socket = Overheard(_Socket(websocket))
    try:
        badge = entrance.admission.badge_of(websocket)
        promised = "hello" in websocket.query_params
        badge, greeting = await entrance.door.greet(socket, badge, address, promised=promised)
        with entrance.crowd.enter_with_key(badge.access.key_id):
            serving = entrance.broadcast.serve(socket, greeting)
            await entrance.admission.while_allowed(badge, serving)
    except TimeoutError as error:
        entrance.broadcast.meter.cut_off += 1
        log.info("a dashboard stopped reading and was disconnected")
        await _close(websocket, error)
    except tuple(CLOSINGS) as error:
        await _close(websocket, error)
    except (WebSocketDisconnect, OSError):
        pass  # it left while something was being sent
    finally:
        socket.close()


async def _stream(entrance: Entrance, request: Request) -> Response:
    headers, address = request.headers, entrance.address_of(request.scope)
    if not is_allowed_origin(headers.get("origin"), headers.get("host"), entrance.origins):
        return problem_response(403, FOREIGN.format(headers.get("origin")), PATH)
    try:
        greeting = greeting_of(request.query_params, headers.get(LAST_EVENT_ID))
        badge = entrance.admission.badge_of(request)
        ticket = request.query_params.get("ticket")
        badge = await entrance.admission.admit(badge, address, ticket=ticket)
        greeting = greeting.for_site(badge.access.site)
        entered = entrance.crowd.enter(address)
    except ParametersError as error:
        return problem_response(422, _PARAMETERS.format(error), PATH)
    except RefusedError as error:
        return problem_response(401, str(error), PATH, headers=_BEARER)
    except OtherSiteError as error:
        return problem_response(403, f"Not shown: {error}.", PATH)
    except CrowdedError as error:
        return problem_response(error.status, str(error), PATH, headers={"Retry-After": "30"})

    async def serve(socket: Socket) -> None:
        with entered, entrance.crowd.enter_with_key(badge.access.key_id):
            serving = entrance.broadcast.serve(socket, greeting)
            await entrance.admission.while_allowed(badge, serving)

    return EventStream(serve)


_BEARER = {"WWW-Authenticate": 'Bearer realm="clickwake"'}
_PARAMETERS = "A parameter is no field of a subscription, or wrong: {}."


async def _close(websocket: WebSocket, error: Exception) -> None:
    code, reason = closing(error)
    with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
        await websocket.close(code, reason)
