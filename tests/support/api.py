"""The API in a test: in process without Kafka, or served for real by uvicorn."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio.from_thread
import httpx

from api.__main__ import Server, uvicorn_config
from api.app import create_app
from api.settings import ApiSettings
from contracts.kafka import KafkaSettings
from contracts.settings import Secret
from infra.ports import free_ports
from tests.support.waiting import wait_until

NO_KAFKA = KafkaSettings(bootstrap_servers="127.0.0.1:1")


def api_settings(folder: Path, **fields: Any) -> ApiSettings:
    """Settings of an API that keeps its history in ``folder``."""
    plain: dict[str, Any] = {
        "database_url": Secret(f"sqlite:///{folder / 'history.db'}"),
        "dashboard_dir": str(folder / "dashboard"),
        "port": free_ports(1)[0],
    }
    return ApiSettings(**(plain | fields))


class _InProcess(httpx.BaseTransport):
    """Calls an ASGI application without its lifespan, so nothing reads Kafka."""

    def __init__(self, app: Any, portal: Any) -> None:
        self._portal = portal
        self._asgi = httpx.ASGITransport(app, raise_app_exceptions=False)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        async def handle() -> httpx.Response:
            response = await self._asgi.handle_async_request(request)
            body = b"".join([piece async for piece in response.aiter_raw()])
            return httpx.Response(response.status_code, headers=response.headers, content=body)

        answered: httpx.Response = self._portal.call(handle)
        return answered


@contextlib.contextmanager
def client_of(
    folder: Path, clock: Callable[[], int] | None = None, **fields: Any
) -> Iterator[httpx.Client]:
    """A client of an API that does not read Kafka."""
    more = {} if clock is None else {"clock": clock}
    app = create_app(api_settings(folder, **fields), NO_KAFKA, **more)
    with (
        anyio.from_thread.start_blocking_portal() as portal,
        httpx.Client(transport=_InProcess(app, portal), base_url="http://localhost") as client,
    ):
        yield client
        app.state.service.sender.stop(5)
        app.state.service.engine.dispose()


class Served:
    """An API served on its own port by a thread."""

    def __init__(self, settings: ApiSettings, kafka: KafkaSettings) -> None:
        self.app = create_app(settings, kafka)
        config = uvicorn_config(self.app)
        config.host, config.port = settings.host, settings.port
        self._server = Server(config, self.app)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self.address = f"{settings.host}:{settings.port}"

    def start(self) -> "Served":
        """Serve; returns when it listens."""
        self._thread.start()
        wait_until(lambda: self._server.started, what="the API listens")
        return self

    def stop(self) -> None:
        """Stop as on SIGTERM."""
        self.ask_to_stop()
        self._thread.join(20)
        assert not self._thread.is_alive()

    def ask_to_stop(self) -> None:
        """As SIGTERM does; ``stop`` waits for it."""
        self._server.should_exit = True

    def get(self, path: str) -> httpx.Response:
        """A GET of a path."""
        return httpx.get(f"http://{self.address}{path}", timeout=30)

    def wait_ready(self) -> "Served":
        """Returns when /readyz says so."""
        wait_until(lambda: self.get("/readyz").status_code == 200, what="the API is ready")
        return self


@contextlib.contextmanager
def served(settings: ApiSettings, kafka: KafkaSettings) -> Iterator[Served]:
    """An API that is served during the block."""
    api = Served(settings, kafka).start()
    try:
        yield api
    finally:
        api.stop()
