"""What the middleware does under ASGI and WSGI alike."""

import logging
from typing import Any, Generic, TypeVar

from contracts.kafka import KafkaSettings
from interceptor.capture import Capture, Request
from interceptor.emitter import Emitter
from interceptor.guard import Guard
from interceptor.identity import Identify, keyed_hash
from interceptor.policy import Policy
from interceptor.settings import SiteSettings, kafka_settings, random_secret, site_settings
from interceptor.visit import Visit

log = logging.getLogger("clickwake.interceptor")

App = TypeVar("App")

CLIENT_CLOSED = 499
"""The usual status of access logs for a visitor who left before the answer began."""


class SiteMiddleware(Generic[App]):
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

    def _read(self, source: Any) -> Request:
        """What the policy looks at, from what the server passed."""
        raise NotImplementedError

    def _is_debug(self, source: Any) -> bool:
        """Whether the application runs in its framework's development mode."""
        raise NotImplementedError

    def _admit(self, source: Any) -> Request | None:
        """The request if it is to be logged; else the ledger has the reason."""
        ledger = self.emitter.ledger
        ledger.observed()
        try:
            request = self._read(source)
            reason = self._policy.drop_reason(
                request.method, request.path, request.headers, debug=self._is_debug(source)
            )
        except Exception as error:
            self._internal_error(error)
            return None
        if reason is not None:
            ledger.dropped(reason)
            return None
        return request

    def _log(self, visit: Visit) -> None:
        try:
            event = self._capture.event(visit.request, visit.outcome(), visit.event_id)
        except Exception as error:
            self._internal_error(error)
            return
        with self.guard:
            self.emitter.submit(event)

    def _internal_error(self, error: Exception) -> None:
        self.emitter.ledger.lost("internal_error")
        with self.guard:
            raise error


def _default_identity(site: SiteSettings) -> Identify:
    if site.secret:
        return keyed_hash(site.secret)
    log.warning(
        "CLICKWAKE_SITE_SECRET is not set: visitor ids last until this process ends, and each "
        "process has its own; set it to a long random text"
    )
    return keyed_hash(random_secret())
