"""Nothing that goes wrong in here may reach the site in front of which it runs."""

import logging
import threading
import time
from types import TracebackType

log = logging.getLogger("clickwake.interceptor")

LOG_EVERY_S = 60.0


class Guard:
    """``with guard:`` swallows what our code raises, counts it, and logs it once a minute.

    ``raising`` lets everything through: for tests, which must see what production swallows.
    """

    raising = False

    def __init__(self, *, log_every_s: float = LOG_EVERY_S) -> None:
        self.errors = 0
        self._unlogged = 0
        self._log_every_s = log_every_s
        self._next_log = 0.0
        self._lock = threading.Lock()

    def __enter__(self) -> "Guard":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        # Only Exception: a cancellation or a keyboard interrupt belongs to the host.
        if not isinstance(error, Exception):
            return False
        self.report(error)
        return not self.raising

    def report(self, error: Exception) -> None:
        """Count an error; log it with its traceback unless one was logged a moment ago."""
        with self._lock:
            self.errors += 1
            self._unlogged += 1
            now = time.monotonic()
            if now < self._next_log:
                return
            self._next_log = now + self._log_every_s
            unlogged, self._unlogged = self._unlogged, 0
        log.error("the interceptor failed %d times, last so", unlogged, exc_info=error)
