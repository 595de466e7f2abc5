"""Tickets: a short-lived stand-in for a key, where a key cannot or should not be shown. No I/O.

A browser's WebSocket and EventSource can send no header, and an address ends up in logs: a
ticket that is used once and is worthless after half a minute may stand in it.
"""

import hashlib
import secrets
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

LIFETIME_MS = 30_000
MOST = 10_000

Holder = TypeVar("Holder")


class NoTicketsLeftError(Exception):
    """So many tickets are out that were not used yet. Try again in half a minute."""


class _Held(NamedTuple, Generic[Holder]):
    expires: int
    holder: Holder


class Tickets(Generic[Holder]):
    """Tickets that are out, in memory only: a restart ends them.

    They are found by their digest, so the time of a look-up says nothing about how near a
    guess was. ``clock`` says ms since 1970 UTC.
    """

    def __init__(self, clock: Callable[[], int], most: int = MOST) -> None:
        self._clock = clock
        self._most = most
        self._out: dict[bytes, _Held[Holder]] = {}

    def issue(self, holder: Holder) -> tuple[str, int]:
        """A new ticket and when it ends (ms since 1970 UTC). Raises NoTicketsLeftError."""
        now = self._clock()
        self._forget_past(now)
        if len(self._out) >= self._most:
            raise NoTicketsLeftError
        text, expires = f"cwt_{secrets.token_hex(32)}", now + LIFETIME_MS
        self._out[_digest(text)] = _Held(expires, holder)
        return text, expires

    def redeem(self, text: str) -> Holder | None:
        """Use a ticket up: who holds it, or None when it is unknown, used or too old."""
        held = self._out.pop(_digest(text), None)
        return held.holder if held and self._clock() < held.expires else None

    def _forget_past(self, now: int) -> None:
        """They all live equally long, so the oldest end first."""
        while self._out:
            first = next(iter(self._out))
            if now < self._out[first].expires:
                return
            del self._out[first]


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
