"""How long to wait before the next try. No I/O."""

from random import Random

FIRST_SECONDS = 0.5
LONGEST_SECONDS = 30.0


class Backoff:
    """Each wait may be twice as long as the one before, up to half a minute.

    Waits are drawn from the upper half of that, so that many clients do not come at once.
    """

    def __init__(self, random: Random | None = None) -> None:
        self._random = random or Random()
        self.failures = 0

    def failed(self) -> float:
        """Another try has failed: how many seconds to wait."""
        limit = min(LONGEST_SECONDS, FIRST_SECONDS * 2 ** min(self.failures, 10))
        self.failures += 1
        return self._random.uniform(limit / 2, limit)

    def worked(self) -> None:
        """The next failure is a first one."""
        self.failures = 0
