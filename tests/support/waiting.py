"""Wait for a condition with a deadline, instead of sleeping and hoping."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_until(condition: Callable[[], T], timeout_s: float = 60.0, what: str = "") -> T:
    """The condition's first true value. Raises AssertionError saying ``what`` did not happen.

    An AssertionError inside the condition counts as "not yet"; the last one is the cause.
    """
    deadline = time.monotonic() + timeout_s
    cause: AssertionError | None = None
    while True:
        try:
            value = condition()
            if value:
                return value
        except AssertionError as error:
            cause = error
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout_s:g} s: {what or condition}") from cause
        time.sleep(0.05)
