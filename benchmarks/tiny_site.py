"""The smallest site that carries the middleware: what a page costs is not measured here."""

import sys

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from interceptor.asgi import ClickwakeMiddleware


async def page(_request: Request) -> PlainTextResponse:
    """Answers at once."""
    return PlainTextResponse("hello")


def by_agent(_site: str, _address: str | None, agent: str) -> str:
    """The benchmark names its visitors in the User-Agent, to know them again in updates."""
    return agent


def main(port: int) -> None:
    """Serve until terminated."""
    app = Starlette(routes=[Route("/{path:path}", page)])
    site = ClickwakeMiddleware(app, site_id="bench", identify=by_agent)
    uvicorn.run(site, host="127.0.0.1", port=port, log_level="warning", proxy_headers=False)


if __name__ == "__main__":
    main(int(sys.argv[1]))
