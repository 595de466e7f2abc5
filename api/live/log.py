"""What was told lately, so that who was away can be told the same. No I/O, no clock."""

from collections import deque
from collections.abc import Callable
from itertools import islice

from api.live.frames import Told, ToldEvent
from api.live.position import Mark, Offsets
from api.progress import Place

SESSION_BYTES = 16 * 1024 * 1024
EVENTS = 5_000
OVERHEAD_BYTES = 600
"""What an entry takes besides its JSON, roughly."""


class Floor:
    """The offsets from which on a log has everything."""

    def __init__(self) -> None:
        self._offsets: dict[Place, int] = {}

    def begin(self, offsets: Offsets) -> None:
        """Whoever was not told what stands before these offsets cannot go on."""
        self._offsets = dict(offsets)

    def raise_over(self, mark: Mark) -> None:
        """What stood there was forgotten."""
        known = self._offsets.get(mark.place, 0)
        self._offsets[mark.place] = max(known, mark.offset + 1)

    def reaches(self, offsets: Offsets) -> bool:
        """Whether nothing from these offsets on was forgotten."""
        return all(offsets.get(place, -1) >= offset for place, offset in self._offsets.items())


class SessionLog:
    """The latest state of every session that changed lately, the longest unchanged first.

    A session that changes often stands there once, so the log reaches back by the number of
    sessions that were active, not by the number of their changes.
    """

    def __init__(self, capacity: int = SESSION_BYTES) -> None:
        self._capacity = capacity
        self._bytes = 0
        self._kept: dict[str, Told] = {}
        self.floor = Floor()

    def begin(self, offsets: Offsets) -> None:
        """Forget all; what follows is read from these offsets on."""
        self._kept, self._bytes = {}, 0
        self.floor.begin(offsets)

    def get(self, session_id: str) -> Told | None:
        """A session's state, if it changed lately."""
        return self._kept.get(session_id)

    def add(self, state: Told) -> None:
        """A session has changed."""
        before = self._kept.pop(state.session_id, None)
        if before is not None:
            self._bytes -= _size(before)
        self._kept[state.session_id] = state
        self._bytes += _size(state)
        while self._bytes > self._capacity:
            self._forget(next(iter(self._kept)))

    def _forget(self, session_id: str) -> None:
        state = self._kept.pop(session_id)
        self._bytes -= _size(state)
        if state.mark is not None:
            self.floor.raise_over(state.mark)

    def erase(self, gone: Callable[[Told], bool], offsets: Offsets) -> None:
        """Forget these. Who was told nothing from before ``offsets`` on must begin anew."""
        kept = [state for state in self._kept.values() if not gone(state)]
        self._kept = {state.session_id: state for state in kept}
        self._bytes = sum(map(_size, kept))
        self.floor.begin(offsets)

    def since(self, offsets: Offsets) -> list[Told] | None:
        """The sessions that changed from these offsets on; None when some were forgotten."""
        if not self.floor.reaches(offsets):
            return None
        return [state for state in self._kept.values() if _is_since(state.mark, offsets)]

    def all(self) -> list[Told]:
        """Every state that is kept."""
        return list(self._kept.values())


class EventLog:
    """The newest events, in the order in which they were told."""

    def __init__(self, capacity: int = EVENTS) -> None:
        self._capacity = capacity
        self._kept: deque[ToldEvent] = deque()
        self.floor = Floor()

    def begin(self, offsets: Offsets) -> None:
        """Forget all; what follows is read from these offsets on."""
        self._kept = deque()
        self.floor.begin(offsets)

    def add(self, event: ToldEvent) -> None:
        """An event was told."""
        self._kept.append(event)
        if len(self._kept) > self._capacity:
            oldest = self._kept.popleft()
            if oldest.mark is not None:
                self.floor.raise_over(oldest.mark)

    def erase(self, gone: Callable[[ToldEvent], bool], offsets: Offsets) -> None:
        """Forget these, as ``SessionLog.erase`` does."""
        self._kept = deque(event for event in self._kept if not gone(event))
        self.floor.begin(offsets)

    def since(self, offsets: Offsets) -> list[ToldEvent] | None:
        """The events from these offsets on; None when some were forgotten."""
        if not self.floor.reaches(offsets):
            return None
        return [event for event in self._kept if _is_since(event.mark, offsets)]

    def newest_first(self, limit: int) -> list[ToldEvent]:
        """The last ones that were told."""
        return list(islice(reversed(self._kept), limit))


def _size(state: Told) -> int:
    return len(memoryview(state.json)) + OVERHEAD_BYTES


def _is_since(mark: Mark | None, offsets: Offsets) -> bool:
    return mark is not None and mark.offset >= offsets.get(mark.place, 0)
