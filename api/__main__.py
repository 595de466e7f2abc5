"""``python -m api``: serve until SIGINT or SIGTERM."""

import asyncio
import gc
import logging
import os
import socket
import sys

import uvicorn
from fastapi import FastAPI

from api.access.entry import require_a_key
from api.app import create_app
from api.feed import wall_clock
from api.settings import ApiSettings
from contracts import ContractError, logs
from contracts.kafka import KafkaSettings
from contracts.live import MAX_CLIENT_MESSAGE_BYTES
from contracts.settings import from_environment

_GOODBYE_SECONDS = 0.1


def main() -> int:
    """Serve; the exit status. What keeps it from starting is said in one sentence."""
    try:
        settings = from_environment(ApiSettings, "API", os.environ)
        kafka = from_environment(KafkaSettings, "KAFKA", os.environ)
        _log_at(settings.log_level)
        require_a_key(settings, wall_clock())
        listener = _listen(settings)
        app = create_app(settings, kafka)
    except (ContractError, OSError) as error:
        print(f"clickwake api: {error}", file=sys.stderr)
        return 1
    # What thousands of dashboards hold lives for hours and is in no cycles; looking through all
    # of it held every frame back for most of a second, every few seconds.
    gc.set_threshold(50_000, 20, 100)
    server = Server(uvicorn_config(app), app)
    server.run(sockets=[listener])
    return 0


class Server(uvicorn.Server):
    """A server that tells its dashboards before it ends: uvicorn would just hang up."""

    def __init__(self, config: uvicorn.Config, app: FastAPI) -> None:
        super().__init__(config)
        self._app = app

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Say goodbye, and let that be sent, before all connections are closed."""
        self._app.state.service.broadcast.say_goodbye()
        await asyncio.sleep(_GOODBYE_SECONDS)
        await super().shutdown(sockets)


def uvicorn_config(app: object) -> uvicorn.Config:
    """How the API is served: one process, because its dashboards share one hub."""
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        access_log=False,
        log_config=None,
        loop="uvloop",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=3,
        ws="websockets-sansio",
        ws_max_size=MAX_CLIENT_MESSAGE_BYTES,
        # Deflating the same small frame for each dashboard costs more than the bytes it saves.
        ws_per_message_deflate=False,
    )


def _listen(settings: ApiSettings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        raise ContractError(
            f"cannot listen on {settings.host}:{settings.port} ({error.strerror}): stop what "
            "listens there, or set CLICKWAKE_API_PORT"
        ) from None
    return listener


def _log_at(level: str) -> None:
    if level.upper() not in logs.LEVELS:
        raise ContractError(
            f"CLICKWAKE_API_LOG_LEVEL is {level!r}: write DEBUG, INFO, WARNING or ERROR"
        )
    logs.configure("api", level.upper())
    # Kafka's client reports each failed attempt to connect; the feeds say it once.
    logging.getLogger("kafka").setLevel(logging.CRITICAL)
    logging.getLogger("alembic").setLevel(logging.WARNING)
    keep_addresses_out()


def keep_addresses_out() -> None:
    """Without an access log, uvicorn still logs the address of every WebSocket's client."""
    logging.getLogger("uvicorn.error").addFilter(_is_without_address)


def _is_without_address(record: logging.LogRecord) -> bool:
    return "WebSocket %s" not in str(record.msg)


if __name__ == "__main__":
    sys.exit(main())
