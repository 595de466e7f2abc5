"""ASGI middleware: ``app.add_middleware(ClickwakeMiddleware, site_id="shop")``.

Run uvicorn with ``--no-proxy-headers``: it would put the proxy's word in the peer's place before
this middleware can judge whether to believe it.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from contracts.kafka import KafkaSettings
from interceptor import metrics
from interceptor.capture import Capture, Outcome, Request
from interceptor.emitter import Emitter
from interceptor.guard import Guard
from interceptor.identity import Identify, keyed_hash
from interceptor.policy import Policy
from interceptor.settings import SiteSettings, kafka_settings, random_secret, site_settings

log = logging.getLogger("clickwake.interceptor")

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LAST_MESSAGES = ("http.response.body", "http.response.pathsend", "http.response.zerocopysend")
CLIENT_CLOSED = 499
"""The usual status of access logs for a visitor who left before the answer began."""


class ClickwakeMiddleware:
    """Logs an application's page and API requests to Kafka without ever delaying one.

    ``settings`` and ``kafka`` come from ``CLICKWAKE_SITE_*`` and ``CLICKWAKE_KAFKA_*`` unless
    given; ``site_id`` takes precedence over the environment's. ``identify`` replaces the visitor
    id. Wrong settings raise one clear ContractError or InterceptorError here, when the
    application starts; later, nothing of ours reaches it.
    """

    def __init__(
        self,
        app: App,
        settings: SiteSettings | None = None,
        *,
        kafka: KafkaSettings | None = None,
        identify: Identify | None = None,
        emitter: Emitter | None = None,
        guard: Guard | None = None,
        site_id: str | None = None,
    ) -> None:
        site = site_settings(site_id=site_id) if settings is None else settings
        self.app = app
        self.guard = guard or Guard()
        self._metrics_path = site.metrics_path
        self._policy = Policy.of(site)
        self._capture = Capture(site, self._policy, identify or _default_identity(site))
        self.emitter = emitter or Emitter(site, kafka or kafka_settings())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One connection; whatever is neither HTTP nor lifespan passes untouched."""
        kind = scope["type"]
        if kind == "http":
            if self._metrics_path and metrics.is_asked_for(scope, self._metrics_path):
                await self._answer_metrics(send)
            else:
                await self._http(scope, receive, send)
        elif kind == "lifespan":
            await self.app(scope, receive, self._lifespan(send))
        else:
            await self.app(scope, receive, send)

    async def _answer_metrics(self, send: Send) -> None:
        for message in metrics.answer(self.emitter.stats()):
            await send(message)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        visit = self._begin(scope, send)
        if visit is None:
            await self.app(scope, receive, send)
            return
        try:
            await self.app(scope, receive, visit.send)
        except BaseException as error:
            visit.fail(error)
            raise
        finally:
            visit.finish()

    def _begin(self, scope: Scope, send: Send) -> "_Visit | None":
        ledger = self.emitter.ledger
        ledger.observed()
        try:
            request = self._capture.request(scope)
            reason = self._policy.drop_reason(
                request.method, request.path, request.headers, debug=_is_debug(scope)
            )
        except Exception as error:
            self._internal_error(error)
            return None
        if reason is not None:
            ledger.dropped(reason)
            return None
        return _Visit(request, send, self._log)

    def _log(self, request: Request, outcome: Outcome) -> None:
        try:
            event = self._capture.event(request, outcome)
        except Exception as error:
            self._internal_error(error)
            return
        with self.guard:
            self.emitter.submit(event)

    def _internal_error(self, error: Exception) -> None:
        self.emitter.ledger.lost("internal_error")
        with self.guard:
            raise error

    def _lifespan(self, send: Send) -> Send:
        async def watched(message: Message) -> None:
            with self.guard:
                self._follow_lifespan(message["type"])
            await send(message)

        return watched

    def _follow_lifespan(self, kind: str) -> None:
        if kind == "lifespan.startup.complete":
            self.emitter.start()
        elif kind.startswith("lifespan.shutdown"):
            # Blocks the loop, by intent: every answer is out, and the deadline bounds it.
            self.emitter.close()


class _Visit:
    """One request on its way: sees the answer pass, and reports once when it has ended."""

    __slots__ = ("_arrived", "_began", "_log", "_request", "_send", "_status")

    def __init__(
        self, request: Request, send: Send, log_visit: Callable[[Request, Outcome], None]
    ) -> None:
        self._request, self._send = request, send
        self._log: Callable[[Request, Outcome], None] | None = log_visit
        self._arrived = time.time_ns() // 1_000_000
        self._began = time.perf_counter()
        self._status: int | None = None

    async def send(self, message: Message) -> None:
        """Pass a message on unchanged; the last body byte ends the visit's duration."""
        kind = message["type"]
        if kind == "http.response.start":
            self._status = message.get("status")
        await self._send(message)
        # Not when the application returns: background tasks run after the visitor was served.
        if kind in LAST_MESSAGES and not message.get("more_body"):
            self.finish()

    def fail(self, error: BaseException) -> None:
        """The application raised; without an answer begun, the server's will be a 500."""
        if self._status is None:
            gone = isinstance(error, asyncio.CancelledError)
            self._status = CLIENT_CLOSED if gone else 500

    def finish(self) -> None:
        """Report the visit unless that is done already."""
        report, self._log = self._log, None
        if report is None:
            return
        duration_ms = round((time.perf_counter() - self._began) * 1000, 3)
        status = 500 if self._status is None else min(max(int(self._status), 100), 599)
        report(self._request, Outcome(self._arrived, duration_ms, status))


def _is_debug(scope: Scope) -> bool:
    """Starlette's and FastAPI's own development switch."""
    return bool(getattr(scope.get("app"), "debug", False))


def _default_identity(site: SiteSettings) -> Identify:
    if site.secret:
        return keyed_hash(site.secret)
    log.warning(
        "CLICKWAKE_SITE_SECRET is not set: visitor ids last until this process ends, and each "
        "process has its own; set it to a long random text"
    )
    return keyed_hash(random_secret())
