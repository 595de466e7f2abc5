"""One answer for all who ask at the same time."""

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

SHARE = 5.0


class Shared(Generic[T]):
    """Makes a value anew, but spends on it at most a sixth of the time, however many ask.

    A value is good for five times as long as it took to make: what is cheap is always fresh,
    and a costly one is shared. ``clock`` says seconds. Safe for threads.
    """

    def __init__(self, make: Callable[[], T], clock: Callable[[], float] = time.monotonic) -> None:
        self._make = make
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: tuple[float, T] | None = None

    def get(self) -> T:
        """The value; whoever comes while it is being made waits for it."""
        with self._lock:
            began = self._clock()
            if self._kept is not None and began < self._kept[0]:
                return self._kept[1]
            value = self._make()
            ended = self._clock()
            self._kept = (ended + SHARE * (ended - began), value)
            return value
