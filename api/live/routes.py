"""The live WebSocket at /api/v1/live."""

import contextlib
import logging

import msgspec
from fastapi import APIRouter
from starlette.websockets import WebSocket, WebSocketDisconnect

from api.access.scopes import Access, refusal
from api.guard import is_allowed_origin
from api.live.broadcast import Broadcast
from api.live.hub import Hub
from api.problems import problem_response

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


def live_router(
    broadcast: Broadcast, hub: Hub, origins: frozenset[str], max_dashboards: int
) -> APIRouter:
    """The route on which dashboards connect."""
    router = APIRouter()

    @router.websocket(PATH)
    async def live(websocket: WebSocket) -> None:
        headers = websocket.headers
        if not is_allowed_origin(headers.get("origin"), headers.get("host"), origins):
            await _refuse(websocket, 403, _FOREIGN.format(headers.get("origin")))
        elif not Access.of(websocket).has("read"):
            await _refuse(websocket, 401, refusal(Access.of(websocket), "read").detail)
        elif hub.dashboards >= max_dashboards:
            await _refuse(websocket, 503, _FULL.format(max_dashboards))
        else:
            await _serve(broadcast, websocket)

    return router


_FOREIGN = (
    "The origin {!r} may not open the live view; add it to CLICKWAKE_API_ALLOWED_ORIGINS if it is "
    "yours."
)
_FULL = "{} dashboards are connected, which is the limit (CLICKWAKE_API_LIVE_CLIENTS)."


async def _refuse(websocket: WebSocket, status: int, detail: str) -> None:
    await websocket.send_denial_response(problem_response(status, detail, PATH))


async def _serve(broadcast: Broadcast, websocket: WebSocket) -> None:
    await websocket.accept()
    try:
        await broadcast.serve(_Socket(websocket))
    except (WebSocketDisconnect, OSError):
        pass  # it left while something was being sent
    except TimeoutError:
        broadcast.meter.cut_off += 1
        log.info("a dashboard stopped reading and was disconnected")
        await _close(websocket, 1013, "read faster, or connect again")
    except msgspec.MsgspecError:
        await _close(websocket, 1008, 'only {"type":"ping","sent":…} may be sent')


async def _close(websocket: WebSocket, code: int, reason: str) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
        await websocket.close(code, reason)
