"""The tiny site as a server of its own: ``python -m benchmarks.interceptor.site KIND PORT``.

KIND is what stands in front of it: ``bare`` (nothing), ``clickwake``, or ``base-http``. Settings
come from the environment, as for any site.
"""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route

from benchmarks.interceptor.base_http import BaseHTTPLogging
from benchmarks.tiny_site import page
from interceptor import ClickwakeMiddleware
from interceptor.emitter import Emitter
from interceptor.settings import kafka_settings, site_settings

COUNTS_PATH = "/-/counts"
KINDS = ("bare", "clickwake", "base-http")


class Counted:
    """Tells the emitter's counts, unseen by the middleware; all else passes."""

    def __init__(self, app: Any, emitter: Emitter | None) -> None:
        self._app, self._emitter = app, emitter

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One connection."""
        if scope["type"] != "http" or scope["path"] != COUNTS_PATH:
            await self._app(scope, receive, send)
            return
        stats = self._emitter and self._emitter.stats()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": msgspec.json.encode(stats)})


def site(kind: str) -> Counted:
    """The tiny site with that in front of it."""
    if kind == "bare":
        return Counted(_starlette(), None)
    emitter = Emitter(site_settings(), kafka_settings())
    if kind == "clickwake":
        return Counted(ClickwakeMiddleware(_starlette(), emitter=emitter), emitter)
    return Counted(BaseHTTPLogging(_starlette(emitter), site_settings(), emitter), emitter)


def _starlette(emitter: Emitter | None = None) -> Starlette:
    """With an emitter to start and close, where the middleware does not do so itself."""

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        if emitter is not None:
            emitter.start()
        yield
        if emitter is not None:
            emitter.close()

    return Starlette(routes=[Route("/{path:path}", page)], lifespan=lifespan)


def main(kind: str, port: int) -> None:
    """Serve until terminated, with one worker."""
    uvicorn.run(
        site(kind),
        host="127.0.0.1",
        port=port,
        loop="uvloop",
        http="httptools",
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        # Connections stay while another phase of the measurement begins.
        timeout_keep_alive=60,
    )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
