"""What a browser is told and what it may do: host names, origins, security headers."""

import re
from collections.abc import Iterable
from contextlib import suppress
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.problems import problem_response

LOCAL = "localhost"
ANY = "*"


def host_name(host: str) -> str:
    """``Example.org:8020`` → ``example.org``; an IPv6 address loses its brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower().rstrip(".")


def is_allowed_origin(origin: str | None, host: str | None, allowed: Iterable[str]) -> bool:
    """Whether a page of that origin may open the live WebSocket.

    Browsers do not stop foreign pages from opening WebSockets (RFC 6455, 10.2): the server
    must. Programs that are no browsers send no Origin, and are welcome.
    """
    if origin is None:
        return True
    if origin in allowed:
        return True
    return bool(host) and urlsplit(origin).netloc.lower() == str(host).lower()


def content_security_policy(host: str) -> str:
    """Nothing but this origin; the host is named because not every browser's 'self' has ws:."""
    sockets = f" ws://{host} wss://{host}" if re.fullmatch(r"[\w.:\[\]-]+", host) else ""
    return (
        f"default-src 'self'; connect-src 'self'{sockets}; img-src 'self' data:; "
        "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


class HostGuard:
    """ASGI middleware that answers only under known host names.

    Otherwise a foreign page whose name is made to point here (DNS rebinding) could read all.
    A bare address is no name, so nobody can make it point elsewhere: it is welcome.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        self._app = app
        self._hosts = {LOCAL, *(host_name(host) for host in hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on or answer 421."""
        if scope["type"] not in {"http", "websocket"} or self._knows(scope):
            await self._app(scope, receive, send)
            return
        host = Headers(scope=scope).get("host", "")
        refusal = problem_response(421, _UNKNOWN_HOST.format(host), scope["path"])
        await refusal(scope, receive, send)

    def _knows(self, scope: Scope) -> bool:
        name = host_name(Headers(scope=scope).get("host", ""))
        return ANY in self._hosts or name in self._hosts or _is_address(name)


def _is_address(name: str) -> bool:
    with suppress(ValueError):
        return bool(ip_address(name))
    return False


_UNKNOWN_HOST = (
    "The API does not answer under the name {!r}; add it to CLICKWAKE_API_ALLOWED_HOSTS if it is "
    "yours."
)


class SecurityHeaders:
    """ASGI middleware that adds the headers a browser's protections hang on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers to every HTTP response."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        policy = content_security_policy(Headers(scope=scope).get("host", ""))

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("Content-Security-Policy", policy)
                headers.setdefault("X-Content-Type-Options", "nosniff")
                headers.setdefault("Referrer-Policy", "same-origin")
                headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
            await send(message)

        await self._app(scope, receive, send_with_headers)
