"""What one writes first: a FastAPI application that sends each message to all, one by one.

``python -m benchmarks.fanout.plain PORT``. Served as Clickwake's API is, so that only the way
to broadcast differs.
"""

import contextlib
import sys

import uvicorn
from fastapi import FastAPI, Request, Response, WebSocket, WebSocketDisconnect

app = FastAPI()
clients: set[WebSocket] = set()


@app.websocket("/live")
async def live(websocket: WebSocket) -> None:
    """Belong to the audience until the connection ends."""
    await websocket.accept()
    clients.add(websocket)
    try:
        while True:
            await websocket.receive_text()
    except WebSocketDisconnect:
        pass
    finally:
        clients.discard(websocket)


@app.post("/publish", status_code=204)
async def publish(request: Request) -> Response:
    """Tell all."""
    text = (await request.body()).decode()
    for websocket in list(clients):
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
            await websocket.send_text(text)
    return Response(status_code=204)


def main(port: int) -> None:
    """Serve until terminated."""
    config = uvicorn.Config(
        app,
        host="127.0.0.1",
        port=port,
        access_log=False,
        log_level="warning",
        loop="uvloop",
        # The publisher's connection stays, however seldom it publishes.
        timeout_keep_alive=3_600,
        ws="websockets-sansio",
        ws_per_message_deflate=False,
    )
    uvicorn.Server(config).run()


if __name__ == "__main__":
    main(int(sys.argv[1]))
