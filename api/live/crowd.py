"""How many may watch at a time: in all, from one address, with one key. No I/O."""

from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from ipaddress import ip_address


class CrowdedError(Exception):
    """No more connections are allowed. The message says of which kind, and which setting."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


class Crowd:
    """Counts connections against their limits.

    Loopback addresses are not limited: a reverse proxy's connections all come from there.
    """

    def __init__(self, in_all: int, per_address: int, per_key: int) -> None:
        self._in_all = in_all
        self._per_address = per_address
        self._per_key = per_key
        self._addresses: Counter[str] = Counter()
        self._keys: Counter[str] = Counter()
        self.size = 0

    def enter(self, address: str) -> AbstractContextManager[None]:
        """Be one of the crowd until the block ends. Raises CrowdedError at once."""
        if self.size >= self._in_all:
            raise CrowdedError(503, _FULL.format(self._in_all))
        if self._addresses[address] >= self._per_address and not _is_loopback(address):
            raise CrowdedError(429, _FROM_ADDRESS.format(self._per_address))
        return self._inside(address)

    @contextmanager
    def _inside(self, address: str) -> Iterator[None]:
        self.size += 1
        with _counted(self._addresses, address):
            try:
                yield
            finally:
                self.size -= 1

    @contextmanager
    def enter_with_key(self, key_id: str | None) -> Iterator[None]:
        """Be one of those with that key. Raises CrowdedError."""
        if key_id is None:
            yield
            return
        if self._keys[key_id] >= self._per_key:
            raise CrowdedError(429, _WITH_KEY.format(self._per_key))
        with _counted(self._keys, key_id):
            yield


@contextmanager
def _counted(counter: Counter[str], name: str) -> Iterator[None]:
    counter[name] += 1
    try:
        yield
    finally:
        counter[name] -= 1
        if not counter[name]:
            del counter[name]


def _is_loopback(address: str) -> bool:
    try:
        found = ip_address(address)
        # IPv6 addresses are counted by their /64, which of ::1 is ::.
        return found.is_loopback or found.is_unspecified
    except ValueError:
        return True  # a Unix socket has no address


_FULL = "{} dashboards are connected, which is the limit (CLICKWAKE_API_LIVE_CLIENTS)."
_FROM_ADDRESS = (
    "{} dashboards are connected from your address, which is the limit "
    "(CLICKWAKE_API_LIVE_CLIENTS_PER_ADDRESS)."
)
_WITH_KEY = "{} dashboards are connected with this key (CLICKWAKE_API_LIVE_CLIENTS_PER_KEY)."
