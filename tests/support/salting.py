"""Salts and clocks for tests of identities."""

from datetime import UTC, datetime

from contracts.settings import Secret
from interceptor import SiteSettings
from interceptor.rotating import Rotating
from interceptor.salts import SaltBook

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
ADDRESS = "203.0.113.9"
HOUR_MS = 3_600_000
SITE = SiteSettings(site_id="shop", secret=Secret("k"))


def at(text):
    """``"2026-03-01 23:59"`` in ms since 1970 UTC."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


class Clock:
    """Says what it was set to."""

    def __init__(self, text):
        self.set(text)

    def set(self, text):
        self.ms = at(text)

    def __call__(self):
        return self.ms


def rotating(book, site_id="shop", secret="k", overlap_ms=HOUR_MS):
    return Rotating(site_id, Secret(secret), book, overlap_ms)


def salted(clock, **days):
    """A book with the shared salts of days from 1970: ``d20513=b"…"``."""
    book = SaltBook(clock)
    book.learn({int(day[1:]): salt for day, salt in days.items()})
    return book
