"""A first-party cookie that tells a site's visitors apart: read, made and given out. No I/O."""

import re
import secrets
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any

from interceptor.client_ip import Trust

VALUE_BYTES = 16
READ_HEADERS = ("cookie", "x-forwarded-proto", "forwarded")
NOT_MODIFIED = 304

Message = MutableMapping[str, Any]
Pairs = Iterable[tuple[str, str]]


class VisitorCookie:
    """The cookie by its name and age in seconds. Its value is 32 hexadecimal digits."""

    def __init__(self, name: str, max_age_s: int, trust: Trust) -> None:
        self._name, self._max_age_s, self._trust = name, max_age_s, trust
        # Headers of one name are joined by a comma, which no cookie may have in it.
        self._pattern = re.compile(rf"(?:^|[;,])\s*{re.escape(name)}=([0-9a-f]{{32}})\s*(?:$|[;,])")

    def value_in(self, headers: Mapping[str, str]) -> str | None:
        """What the visitor sent, if it looks like one of ours; the first of several."""
        match = self._pattern.search(headers.get("cookie", ""))
        return match and match[1]

    def offer(self, headers: Mapping[str, str], peer: str | None, scheme: str) -> "Offer | None":
        """A new cookie for a visitor who sent none."""
        if self.value_in(headers) is not None:
            return None
        value = secrets.token_hex(VALUE_BYTES)
        secure = "; Secure" if self._is_https(headers, peer, scheme) else ""
        return Offer(
            value,
            f"{self._name}={value}; Path=/; Max-Age={self._max_age_s}; HttpOnly; SameSite=Lax"
            + secure,
        )

    def _is_https(self, headers: Mapping[str, str], peer: str | None, scheme: str) -> bool:
        """Between the visitor and the first proxy, as far as somebody trusted says so."""
        if scheme == "https" or not self._trust.believes(peer):
            return scheme == "https"
        said = headers.get("forwarded", "").lower().replace('"', "")
        return "https" in headers.get("x-forwarded-proto", "").lower() or "proto=https" in said


class Offer:
    """A cookie for one answer. ``value`` is None until it is in the answer."""

    __slots__ = ("_header", "_value", "value")

    def __init__(self, value: str, header: str) -> None:
        self._value, self._header = value, header
        self.value: str | None = None

    def in_message(self, message: Message) -> Message:
        """An ASGI answer's start with the cookie behind its headers, if that may be."""
        headers = list(message.get("headers", ()))
        pairs = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in headers)
        if self._suits(int(message["status"]), pairs):
            headers.append((b"set-cookie", self._header.encode()))
        # In either case: what the application gave may be an iterator, which is used up now.
        return {**message, "headers": headers}

    def in_headers(self, status: str, headers: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """A WSGI answer's headers with the cookie behind them, if that may be."""
        if not self._suits(int(status[:3]), headers):
            return headers
        return [*headers, ("Set-Cookie", self._header)]

    def _suits(self, status: int, headers: Pairs) -> bool:
        suits = status >= 200 and status != NOT_MODIFIED and not _may_be_shared(headers)
        self.value = self._value if suits else None
        return suits


def _may_be_shared(headers: Pairs) -> bool:
    """Whether a cache may give the answer to others, and the cookie with it."""
    said = [value.lower() for name, value in headers if name.lower() == "cache-control"]
    return any("public" in value or "s-maxage" in value for value in said)
