"""From an ASGI scope to a request event. Values in, a value out: no I/O, no clock."""

from collections.abc import Callable, Iterable, Mapping, MutableMapping
from itertools import count
from typing import Any

import msgspec
from uuid_utils import uuid7

from contracts import RequestEvent
from contracts.secret_names import SECRET_HEADERS, SECRET_PARAMETERS
from contracts.views import READ_HEADERS as POLICY_HEADERS
from contracts.views import event_kind
from interceptor.client_ip import Trust, locator
from interceptor.cookie import READ_HEADERS as COOKIE_HEADERS
from interceptor.errors import InterceptorError
from interceptor.identity import Fixed, Identify, Identity
from interceptor.policy import Policy, wants_no_selling, wants_no_tracking
from interceptor.settings import SiteSettings, listed
from interceptor.text import (
    MAX_AGENT,
    MAX_VALUE,
    cut,
    decoded,
    host_text,
    path_text,
    query_values,
    quoted,
    referrer_text,
)

Scope = MutableMapping[str, Any]

READ_HEADERS = (
    *POLICY_HEADERS,
    "dnt",
    "sec-gpc",
    "host",
    "referer",
    "x-forwarded-for",
    "forwarded",
)
SEQUENCE_LIMIT = 2**31


class Request(msgspec.Struct, frozen=True):
    """What the policy looks at, taken before the application may change the scope."""

    method: str
    path: str
    headers: dict[str, str]
    query_string: bytes
    peer: str | None


class Outcome(msgspec.Struct, frozen=True):
    """How the answer went. ``arrived`` is in ms since 1970 UTC.

    ``visitor`` is who the application says it was, or the value of the cookie that the answer
    brought.
    """

    arrived: int
    duration_ms: float
    status: int
    visitor: object = None


class Capture:
    """Builds a site's request events. ``names`` are the headers that it reads, in lower case."""

    def __init__(
        self, settings: SiteSettings, policy: Policy, identify: Identify | Identity
    ) -> None:
        self._site_id = settings.site_id
        self._rules = policy.rules
        self._identity = (
            identify if isinstance(identify, Identity) else Fixed(settings.site_id, identify)
        )
        self._cookie = self._identity.cookie
        self._locate = locator(Trust.of(settings.trusted_proxies))
        self._query_allow = _allowed(settings.query_allow, SECRET_PARAMETERS, "query_allow")
        self._header_allow = tuple(
            _allowed(settings.header_allow.lower(), SECRET_HEADERS, "header_allow")
        )
        # Nothing else is decoded: most headers of a request concern neither policy nor event.
        cookie: tuple[str, ...] = () if self._cookie is None else COOKIE_HEADERS
        if policy.opt_out is not None:
            cookie = (*cookie, "cookie")
        self.names = tuple(dict.fromkeys((*READ_HEADERS, *cookie, *self._header_allow)))
        self._wanted = {name.encode("latin-1"): name for name in self.names}
        self._next: Callable[[], int] = count().__next__

    def request(self, scope: Scope) -> Request:
        """The scope's parts as plain values; headers of one name are joined."""
        raw_path = scope.get("raw_path")
        client = scope.get("client")
        return Request(
            scope["method"].upper()[:16] or "GET",
            path_text(quoted(_bytes(scope["path"])) if raw_path is None else raw_path),
            self._read_headers(scope["headers"]),
            scope.get("query_string", b""),
            client[0] if client else None,
        )

    def _read_headers(self, pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
        headers: dict[str, str] = {}
        for raw_name, raw_value in pairs:
            name = self._wanted.get(raw_name)
            if name is not None:
                value = decoded(raw_value)
                headers[name] = f"{headers[name]},{value}" if name in headers else value
        return headers

    def address(self, request: Request) -> str | None:
        """The visitor's address, as far as anything trustworthy says it."""
        headers = request.headers
        return self._locate(
            request.peer, headers.get("x-forwarded-for", ""), headers.get("forwarded", "")
        )

    def event(
        self, request: Request, outcome: Outcome, event_id: str | None = None
    ) -> RequestEvent:
        """The event of one answered request; without an id it gets a new one."""
        headers = request.headers
        address = self._locate(
            request.peer, headers.get("x-forwarded-for", ""), headers.get("forwarded", "")
        )
        agent = cut(headers.get("user-agent", ""), MAX_AGENT)
        given = outcome.visitor
        if given is None and self._cookie is not None:
            given = self._cookie.value_in(headers)
        names = self._identity.names(address, agent, outcome.arrived, given)
        return RequestEvent(
            event_id=str(uuid7()) if event_id is None else event_id,
            site_id=self._site_id,
            visitor_id=names.now,
            previous_visitor_id=names.before,
            event_time=outcome.arrived,
            kind=event_kind(request.path, self._rules),
            method=request.method,
            status=outcome.status,
            path=request.path,
            duration_ms=outcome.duration_ms,
            host=host_text(headers.get("host", "")),
            query=query_values(request.query_string, self._query_allow),
            referrer=referrer_text(headers.get("referer", "")),
            user_agent=agent,
            client_ip=address,
            headers=self._kept(headers),
            dnt=wants_no_tracking(headers),
            gpc=wants_no_selling(headers),
            sequence=self._next() % SEQUENCE_LIMIT,
        )

    def _kept(self, headers: Mapping[str, str]) -> dict[str, str]:
        names = self._header_allow
        return {name: cut(headers[name], MAX_VALUE) for name in names if name in headers}


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "replace")


def _allowed(text: str, secret: frozenset[str], setting: str) -> frozenset[str]:
    names = frozenset(listed(text))
    for name in names:
        if name.lower() in secret:
            raise InterceptorError(f"{setting} may not hold {name!r}, which carries secrets")
    return names
