"""What one dashboard has yet to be told. No I/O, no clock."""

from collections.abc import Callable

import msgspec

from api.live.frames import Frame, numbered
from api.live.group import Group
from contracts.live import Heartbeat


class Mailbox:
    """Holds at most one frame: what comes while it waits is folded into it.

    So a slow dashboard costs one frame of memory and gets fewer, newer states. When more waits
    than one message holds, it begins anew with a snapshot: never with a part.
    """

    def __init__(self, wake: Callable[[], object], group: Group) -> None:
        self._wake = wake
        self._waiting: Frame | None = None
        self._begins_anew = False
        self._now = 0
        self._sequence = 0
        self.group = group

    def offer(self, frame: Frame) -> None:
        """Put in what has changed, and wake the owner."""
        self._now = frame.server_time
        if self._waiting is not None:
            frame = self._waiting.followed_by(frame)
        self._begins_anew |= not frame.fits
        self._waiting = frame if frame.fits else None
        self._wake()

    def renew(self, group: Group, now: int) -> None:
        """Belong to another group from now on, which begins with its snapshot."""
        self.group, self._now = group, now
        self._waiting, self._begins_anew = None, True
        self._wake()

    def take(self) -> bytes | None:
        """The next message to send, if there is anything to tell."""
        frame, self._waiting = self._waiting, None
        if self._begins_anew:
            self._begins_anew = False
            return numbered(self.group.snapshot(self._now), self.next_sequence())
        return None if frame is None else frame.message(self.next_sequence())

    def heartbeat(self, now: int, pipeline_age_ms: int | None) -> bytes:
        """The message for a time in which nothing changed."""
        return msgspec.json.encode(
            Heartbeat(
                sequence=self.next_sequence(),
                position=self.group.position,
                server_time=now,
                pipeline_age_ms=pipeline_age_ms,
            )
        )

    def next_sequence(self) -> int:
        """The number of the connection's next message, from 1."""
        self._sequence += 1
        return self._sequence
