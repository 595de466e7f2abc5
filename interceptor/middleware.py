"""What the middleware does under ASGI and WSGI alike."""

import time
from collections.abc import MutableMapping
from functools import partial
from typing import Any, Generic, TypeVar

from contracts.kafka import KafkaSettings
from interceptor.beacon import Beacon
from interceptor.capture import Capture, Request
from interceptor.decision import Observe, Witness
from interceptor.emitter import Emitter
from interceptor.given import KEY
from interceptor.guard import Guard
from interceptor.identities import identity_of
from interceptor.identity import Fixed, Identify, Identity
from interceptor.policy import Policy
from interceptor.salt_keeper import salt_keeper
from interceptor.settings import SiteSettings, kafka_settings, site_settings
from interceptor.visit import Visit

App = TypeVar("App")

CLIENT_CLOSED = 499
"""The usual status of access logs for a visitor who left before the answer began."""


class SiteMiddleware(Generic[App]):
    """Logs an application's page and API requests to Kafka without ever delaying one.

    ``settings`` and ``kafka`` come from ``CLICKWAKE_SITE_*`` and ``CLICKWAKE_KAFKA_*`` unless
    given; ``site_id`` takes precedence over the environment's. ``identify`` replaces the visitor
    id; ``observe`` is told of each decision. Wrong settings raise one clear ContractError or
    InterceptorError here, when the application starts; later, nothing of ours reaches it.
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
        observe: Observe | None = None,
    ) -> None:
        site = site_settings(site_id=site_id) if settings is None else settings
        self.app = app
        self.guard = guard or Guard()
        self._metrics_path = site.metrics_path
        self._policy = Policy.of(site)
        identity = Fixed(site.site_id, identify) if identify else identity_of(site, now_ms)
        self._cookie = identity.cookie
        self._asks_who = identity.cookie is not None or identity.asks_application
        self._capture = Capture(site, self._policy, identity)
        self.emitter = emitter or _emitter(site, kafka or kafka_settings(), identity)
        self._witness: Witness | None = None
        if observe is not None:
            self._witness = Witness(observe, self._capture.address, self.guard)
        self._beacon: Beacon | None = None
        if site.beacon_path:
            self._beacon = Beacon(
                site,
                self._policy,
                self._capture,
                self.emitter,
                self.guard,
                witness=self._witness,
            )

    def address_of(self, source: Any) -> str | None:
        """The visitor's address, from an ASGI scope or a WSGI environ: the peer's, or what a
        trusted proxy says."""
        return self._capture.address(self._read(source))

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
            if self._witness is not None:
                self._witness.dropped(request, reason)
            return None
        return request

    def _equip(self, visit: Visit, source: MutableMapping[str, Any], scheme: str) -> None:
        """Prepare to be told who it is, where anything but the request itself can tell."""
        with self.guard:
            if self._cookie is None:
                # The application has not been asked yet, so this is looked up at the end.
                visit.ask_visitor = partial(source.get, KEY)
            else:
                request = visit.request
                visit.offer = self._cookie.offer(request.headers, request.peer, scheme)

    def _log(self, visit: Visit) -> None:
        try:
            event = self._capture.event(visit.request, visit.outcome(), visit.event_id)
        except Exception as error:
            self._internal_error(error)
            return
        with self.guard:
            taken = self.emitter.submit(event)
            if self._witness is not None:
                self._witness.logged(visit.request, event, taken=taken)

    def _internal_error(self, error: Exception) -> None:
        self.emitter.ledger.lost("internal_error")
        with self.guard:
            raise error


def _emitter(site: SiteSettings, kafka: KafkaSettings, identity: Identity) -> Emitter:
    if identity.salts is None:
        return Emitter(site, kafka)
    return Emitter(site, kafka, companion=salt_keeper(site, kafka, identity.salts, now_ms))


def now_ms() -> int:
    """The clock by which salts come and go."""
    return time.time_ns() // 1_000_000
