"""How often something may be done. Pure: times are passed in."""

from collections import OrderedDict

MOST_NAMES = 10_000


class Limit:
    """A token bucket for each name: ``each_minute``, of which all may be used at once.

    Remembers the names that came last. Who is forgotten begins anew, so memory is bounded and
    nobody is refused for it. ``now`` is in seconds of a clock that never goes back.
    """

    def __init__(self, each_minute: float, most_names: int = MOST_NAMES) -> None:
        self._per_second = each_minute / 60
        self._capacity = max(1.0, each_minute)
        self._most_names = most_names
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def wait_s(self, name: str, now: float) -> float:
        """How long until the name may go on; 0 when it may now. Takes nothing."""
        missing = 1 - self._left(name, now)
        return max(0.0, missing / self._per_second)

    def take(self, name: str, now: float) -> float:
        """Use one if there is one; else how long until there is, in seconds."""
        wait = self.wait_s(name, now)
        left = self._left(name, now)
        self._buckets[name] = (left if wait else left - 1, now)
        self._buckets.move_to_end(name)
        if len(self._buckets) > self._most_names:
            self._buckets.popitem(last=False)
        return wait

    def _left(self, name: str, now: float) -> float:
        left, at = self._buckets.get(name, (self._capacity, now))
        return min(self._capacity, left + (now - at) * self._per_second)
