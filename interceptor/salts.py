"""The salts of the days, as far as this process knows them. No I/O, and no lock."""

import secrets
from collections.abc import Callable, Mapping
from datetime import date

DAY_MS = 24 * 60 * 60 * 1000
SALT_BYTES = 32
EPOCH = date(1970, 1, 1).toordinal()

Now = Callable[[], int]
"""The time in ms since 1970 UTC."""


def day_text(day: int) -> str:
    """``20_454`` → ``"2026-01-01"``; days count from 1970 and begin at midnight UTC."""
    return date.fromordinal(EPOCH + day).isoformat()


def day_number(text: str) -> int:
    """``"2026-01-01"`` → ``20_454``. ValueError when it is no date."""
    return date.fromisoformat(text).toordinal() - EPOCH


class SaltBook:
    """A salt for each day that is asked for: the shared one, or one of our own until then.

    ``version`` is another object after each change that makes keys derived before it wrong.
    Only single operations on dictionaries change anything, which other threads see whole or
    not at all. A lock could be held by another thread at the moment of a fork, for ever.
    """

    def __init__(self, now: Now) -> None:
        self._now = now
        self._own: dict[int, bytes] = {}
        self._shared: dict[int, bytes] = {}
        self.version = object()

    def today(self) -> int:
        """The day of this moment."""
        return self._now() // DAY_MS

    def salt(self, day: int) -> bytes:
        """The day's salt. A day without one gets a random one, which no other process has."""
        known = self.known(day)
        if known is None:
            # Where nothing is shared, nobody else does it when a day begins.
            self.forget()
            known = self._own.setdefault(day, secrets.token_bytes(SALT_BYTES))
        return known

    def known(self, day: int) -> bytes | None:
        """The day's salt, if it has one."""
        return self._shared.get(day) or self._own.get(day)

    def learn(self, shared: Mapping[int, bytes]) -> None:
        """Use what the site's processes have agreed on, whatever was used before."""
        changed = {day: salt for day, salt in shared.items() if salt != self.known(day)}
        self._shared.update(shared)
        if changed:
            self.version = object()

    def forget(self) -> None:
        """Salts older than yesterday's are gone for good, and the keys made of them with them."""
        yesterday = self.today() - 1
        if _drop(self._own, yesterday) + _drop(self._shared, yesterday):
            self.version = object()


def _drop(salts: dict[int, bytes], before: int) -> int:
    old = [day for day in list(salts) if day < before]
    return sum(salts.pop(day, None) is not None for day in old)
