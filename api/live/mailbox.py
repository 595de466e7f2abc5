"""What one dashboard has yet to be told. No I/O, no clock."""

from collections.abc import Callable

import msgspec

from api.live.frames import Frame
from contracts.live import Heartbeat


class Mailbox:
    """Holds at most one frame: what comes while it waits is folded into it.

    So a slow dashboard costs one frame of memory and gets fewer, newer states.
    """

    def __init__(self, wake: Callable[[], object]) -> None:
        self._wake = wake
        self._waiting: Frame | None = None
        self._sequence = 0

    def offer(self, frame: Frame) -> None:
        """Put in what has changed, and wake the owner."""
        self._waiting = frame if self._waiting is None else self._waiting.followed_by(frame)
        self._wake()

    def take(self) -> bytes | None:
        """The next message to send, if there is anything to tell."""
        frame, self._waiting = self._waiting, None
        return None if frame is None else frame.message(self.next_sequence())

    def heartbeat(self, now: int, pipeline_age_ms: int | None) -> bytes:
        """The message for a time in which nothing changed."""
        return msgspec.json.encode(
            Heartbeat(
                sequence=self.next_sequence(), server_time=now, pipeline_age_ms=pipeline_age_ms
            )
        )

    def next_sequence(self) -> int:
        """The number of the connection's next message, from 1."""
        self._sequence += 1
        return self._sequence
