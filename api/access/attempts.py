"""Wrong keys: how many an address may show, and what it is told."""

import math
from collections.abc import Callable

from starlette.exceptions import HTTPException

from api.access.limits import Limit

FAILURES_A_MINUTE = 10
"""Wrong keys from one address. A right one passes all the same if it was seen a moment ago."""


LOG_INS_A_MINUTE = 20
"""With one key: each makes a row that lasts for days."""


class Attempts:
    """How many wrong keys an address has shown lately, and how often a right one logged in."""

    def __init__(self, tick: Callable[[], float]) -> None:
        self._limit = Limit(FAILURES_A_MINUTE)
        self._log_ins = Limit(LOG_INS_A_MINUTE)
        self._tick = tick

    def check(self, address: str) -> None:
        """Raises 429 when it were too many."""
        wait = self._limit.wait_s(address, self._tick())
        if wait:
            raise too_many("Too many wrong keys came from this address", wait)

    def log_in(self, key: str) -> None:
        """Raises 429 when the key has logged in too often."""
        wait = self._log_ins.take(key, self._tick())
        if wait:
            raise too_many("Too many browsers log in with this key", wait)

    def failed(self, address: str) -> None:
        """One more."""
        self._limit.take(address, self._tick())


def wrong_key() -> HTTPException:
    """It is unknown, revoked or over; which of them is nobody's business."""
    headers = {"WWW-Authenticate": 'Bearer error="invalid_token"'}
    return HTTPException(401, _WRONG, headers)


def too_many(what: str, wait_s: float) -> HTTPException:
    """A 429 that says when to come back."""
    seconds = math.ceil(wait_s)
    return HTTPException(429, f"{what}: try again in {seconds} s.", {"Retry-After": str(seconds)})


_WRONG = (
    "The API key is wrong, revoked or expired: `./clickwake keys list` shows the good ones, "
    "`./clickwake keys create` makes another."
)
