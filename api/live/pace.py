"""When the next frame is due, and how much a client may say. No I/O, no clock."""

LEAD_MS = 20
"""After a quiet while a change waits this long, so that a burst makes one frame."""

INTERVAL_MS = 250
"""At least this long between two frames: four a second."""


class Pace:
    """Decides when changes go out. All times are ms of one clock that never goes back."""

    def __init__(self) -> None:
        self._last_frame: float | None = None
        self._due: float | None = None

    @property
    def due(self) -> float | None:
        """When the next frame is due; None while there is nothing to tell."""
        return self._due

    def changed(self, now: float) -> None:
        """There is something to tell."""
        if self._due is None:
            follows = -INTERVAL_MS if self._last_frame is None else self._last_frame
            self._due = max(now + LEAD_MS, follows + INTERVAL_MS)

    def sent(self, now: float) -> None:
        """A frame went out."""
        self._last_frame = now
        self._due = None


class Allowance:
    """How many messages a client may send: some at once, and a few a second for ever."""

    def __init__(self, at_once: int = 30, per_second: float = 5) -> None:
        self._most = float(at_once)
        self._left = float(at_once)
        self._per_ms = per_second / 1000
        self._asked: float | None = None

    def takes(self, now: float) -> bool:
        """Whether one more is allowed; ``now`` in ms."""
        since = now - self._asked if self._asked is not None else 0
        self._asked = now
        self._left = min(self._most, self._left + since * self._per_ms) - 1
        return self._left >= 0
