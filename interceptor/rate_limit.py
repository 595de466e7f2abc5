"""How often one visitor may ask, in bounded memory. The clock is passed in."""

import threading
from collections import OrderedDict
from ipaddress import IPv6Address, ip_address

MAX_KEYS = 10_000


class RateLimit:
    """A token bucket a key: ``per_minute`` at once, refilled over a minute. Safe for threads.

    Of more than ``max_keys`` keys, those that were quiet for longest are forgotten: they begin
    anew with a full bucket.
    """

    def __init__(self, per_minute: int, max_keys: int = MAX_KEYS) -> None:
        self._full, self._per_second = float(per_minute), per_minute / 60
        self._max_keys = max_keys
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._buckets)

    def wait(self, key: str, now: float) -> float:
        """Seconds until the key may ask again; 0 when it may now, which is then counted.

        ``now`` is a monotonic clock in seconds.
        """
        with self._lock:
            level, then = self._buckets.pop(key, (self._full, now))
            level = min(self._full, level + max(0.0, now - then) * self._per_second)
            may = level >= 1
            self._buckets[key] = (level - 1 if may else level, now)
            if len(self._buckets) > self._max_keys:
                self._buckets.popitem(last=False)
        return 0.0 if may else (1 - level) / self._per_second


def key_of(address: str | None) -> str:
    """Whose bucket: an IPv4 address, or an IPv6 network of 64 bits, which one household has."""
    if not address:
        return "unknown"
    parsed = ip_address(address)
    return address if not isinstance(parsed, IPv6Address) else parsed.packed[:8].hex()
