"""The shop's cookie: small, signed, readable by nobody who could change it."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

import msgspec

COOKIE = "shop"
MAX_AGE_S = 14 * 24 * 60 * 60
MAX_COOKIE = 4000

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Visit(msgspec.Struct):
    """What the shop remembers of a visitor between requests."""

    guest: str = ""
    name: str = ""
    account: int = 0
    cart: dict[str, int] = {}
    notice: str = ""

    @property
    def owner(self) -> str:
        """Whose reviews and orders are this visitor's."""
        return f"account:{self.account}" if self.account else f"guest:{self.guest}"


class SignedSession:
    """ASGI middleware: ``scope["visit"]`` is read from the cookie and written when it changed."""

    def __init__(self, app: App, secret: str) -> None:
        self.app = app
        self._key = hashlib.sha256(b"shop session\0" + secret.encode()).digest()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One connection; only HTTP has a visit."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        before = _cookie(scope)
        visit = scope["visit"] = self.opened(before) or Visit(guest=secrets.token_hex(8))

        async def with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                after = self.sealed(visit)
                if after != before and (before or _is_worth_keeping(visit)):
                    message["headers"] = [*message["headers"], _set_cookie(scope, after)]
            await send(message)

        await self.app(scope, receive, with_cookie)

    def sealed(self, visit: Visit) -> str:
        """The cookie's value."""
        body = base64.urlsafe_b64encode(msgspec.json.encode(visit)).rstrip(b"=")
        return f"{body.decode()}.{self._signature(body)}"

    def opened(self, value: str) -> Visit | None:
        """What a cookie holds; None when it is not ours or was changed."""
        body, _, signature = value.partition(".")
        if not hmac.compare_digest(self._signature(body.encode()).encode(), signature.encode()):
            return None
        padded = body + "=" * (-len(body) % 4)
        try:
            return msgspec.json.decode(base64.urlsafe_b64decode(padded), type=Visit)
        except (ValueError, msgspec.MsgspecError):
            return None

    def _signature(self, body: bytes) -> str:
        return hmac.new(self._key, body, hashlib.sha256).hexdigest()


def _is_worth_keeping(visit: Visit) -> bool:
    """Somebody who only looks gets no cookie."""
    return bool(visit.account or visit.cart or visit.name or visit.notice)


def _cookie(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == b"cookie":
            try:
                morsel = SimpleCookie(value.decode("latin-1")).get(COOKIE)
            except CookieError:
                return ""
            return morsel.value if morsel and len(morsel.value) <= MAX_COOKIE else ""
    return ""


def _set_cookie(scope: Scope, value: str) -> tuple[bytes, bytes]:
    secure = "; Secure" if scope.get("scheme") == "https" else ""
    text = f"{COOKIE}={value}; Path=/; Max-Age={MAX_AGE_S}; HttpOnly; SameSite=Lax{secure}"
    return b"set-cookie", text.encode()
