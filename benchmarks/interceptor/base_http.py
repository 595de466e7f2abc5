"""The same work on Starlette's BaseHTTPMiddleware: what one would write first.

Decision, event and emitter are the interceptor's own, so that only the way to stand between
server and application differs. Its duration ends where the answer begins, which is less to do
than the interceptor's, and its errors are not held back from the site.
"""

import time

from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from interceptor.capture import Capture, Outcome
from interceptor.emitter import Emitter
from interceptor.identities import identity_of
from interceptor.middleware import now_ms
from interceptor.policy import Policy
from interceptor.settings import SiteSettings


class BaseHTTPLogging(BaseHTTPMiddleware):
    """Logs an application's page and API requests."""

    def __init__(self, app: ASGIApp, site: SiteSettings, emitter: Emitter) -> None:
        super().__init__(app)
        self._policy = Policy.of(site)
        self._capture = Capture(site, self._policy, identity_of(site, now_ms))
        self.emitter = emitter

    async def dispatch(self, request: Request, call_next: RequestResponseEndpoint) -> Response:
        """One request: decide, let it be answered, report."""
        ledger = self.emitter.ledger
        ledger.observed()
        asked = self._capture.request(request.scope)
        reason = self._policy.drop_reason(asked.method, asked.path, asked.headers)
        if reason is not None:
            ledger.dropped(reason)
            return await call_next(request)
        arrived, began = time.time_ns() // 1_000_000, time.perf_counter()
        response = await call_next(request)
        duration_ms = round((time.perf_counter() - began) * 1000, 3)
        outcome = Outcome(arrived, duration_ms, response.status_code)
        self.emitter.submit(self._capture.event(asked, outcome))
        return response
