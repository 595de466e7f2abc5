"""The gate: every request gets its access here, and passes only if that is enough."""

import logging
import time
from collections.abc import Callable

from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from api.access.attempts import too_many, wrong_key
from api.access.credentials import Shown, shown
from api.access.limits import Limit
from api.access.logins import Door
from api.access.rules import SAFE_METHODS, needed_scope
from api.access.scopes import EVERYTHING, NOBODY, SCOPE_KEY, Access, refusal
from api.access.sites import confined
from api.guard import is_allowed_origin
from api.problems import problem_response

log = logging.getLogger(__name__)


class Gate:
    """ASGI middleware that leaves ``Access`` in the scope, and refuses what it does not allow.

    A key that is shown is what counts, also where none is needed. A WebSocket is only refused
    here for a wrong key: whether it may go on without one is its route's decision, because a
    first message may still bring one.
    """

    def __init__(
        self,
        app: ASGIApp,
        door: Door,
        *,
        needs_keys: bool,
        origins: frozenset[str],
        requests_per_minute: int,
        tick: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._keyring = door.keyring
        self._auditor = door.auditor
        self._attempts = door.attempts
        self._address_of = door.address_of
        self._strangers = NOBODY if needs_keys else EVERYTHING
        self._origins = origins
        self._limit = Limit(requests_per_minute)
        self._tick = tick

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer 401, 403, 429 or 503."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        try:
            scope[SCOPE_KEY] = await self._admitted(scope)
        except HTTPException as error:
            await _refused(error, scope["path"])(scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _admitted(self, scope: Scope) -> Access:
        headers, method = Headers(scope=scope), scope.get("method", "GET")
        needed = needed_scope(method, scope["path"])
        credential = shown(headers)
        if method not in SAFE_METHODS and not (credential and credential.in_header):
            self._check_origin(headers)
        access = await self._access(credential, scope, must_be_right=needed is not None)
        if needed is not None and scope["type"] == "http":
            if not access.has(needed):
                if access.key_id is not None:
                    self._auditor.denied(access.actor, needed, self._address_of(scope))
                raise refusal(access, needed)
            self._check_rate(access)
            scope["query_string"] = confined(access, scope["path"], scope["query_string"])
        return access

    async def _access(self, credential: Shown | None, scope: Scope, must_be_right: bool) -> Access:
        """What was shown allows this much. Open addresses answer strangers and wrong keys alike."""
        if credential is None:
            return self._strangers
        try:
            found = await self._judged(credential, self._address_of(scope))
        except SQLAlchemyError:
            if must_be_right:
                raise _UNKNOWN from None
            return NOBODY
        except HTTPException:
            if must_be_right:
                raise
            return NOBODY
        return found or self._strangers

    async def _judged(self, credential: Shown, address: str) -> Access | None:
        """None for a log-in that is over: its browser is a stranger again."""
        if not credential.in_header:
            return await self._keyring.access_of_login(credential.text)
        if self._keyring.remembered(credential.text) is None:
            self._attempts.check(address)
        access = await self._keyring.access_of(credential.text)
        if access is None:
            self._attempts.failed(address)
            self._auditor.refused("key_refused", credential.text, address)
            raise wrong_key()
        return access

    def _check_origin(self, headers: Headers) -> None:
        origin = headers.get("origin")
        if not is_allowed_origin(origin, headers.get("host"), self._origins):
            raise HTTPException(403, _FOREIGN.format(origin))

    def _check_rate(self, access: Access) -> None:
        if access.key_id is not None:
            wait = self._limit.take(access.key_id, self._tick())
            if wait:
                raise too_many(f"The key {access.key_id} sends too many requests", wait)


def _refused(error: HTTPException, path: str) -> Response:
    return problem_response(error.status_code, error.detail, path, headers=error.headers)


_FOREIGN = (
    "A page of the origin {!r} may not change anything here; add it to "
    "CLICKWAKE_API_ALLOWED_ORIGINS if it is yours."
)
_UNKNOWN = HTTPException(
    503,
    "The database that knows the API keys does not answer; try again in a moment.",
    {"Retry-After": "2"},
)
