"""From messages of the job to messages for dashboards. No I/O: times are passed in."""

from collections.abc import Callable, Iterable, Sequence

from api.live.board import Board
from api.live.frames import snapshot
from api.live.mailbox import Mailbox
from api.live.pace import Pace
from contracts import EnrichedEvent, JobStatus, Message, SessionUpdate
from contracts.live import MinuteCount


class Hub:
    """Keeps the board, and hands what changes on it to the mailboxes at the right pace.

    ``now`` is wall time in ms since 1970 UTC; ``tick`` times are ms of a clock that never goes
    back. Not for use by several threads.
    """

    def __init__(self, capacity: int) -> None:
        self._board = Board(capacity)
        self._pace = Pace()
        self._mailboxes: set[Mailbox] = set()
        self._written: int | None = None
        self.job: JobStatus | None = None

    @property
    def dashboards(self) -> int:
        """How many dashboards are connected."""
        return len(self._mailboxes)

    @property
    def due(self) -> float | None:
        """When ``tick`` should be called next; None while there is nothing to tell."""
        return self._pace.due

    def join(self, now: int, wake: Callable[[], object]) -> tuple[Mailbox, bytes]:
        """A mailbox for a new dashboard, and the snapshot to send first."""
        mailbox = Mailbox(wake)
        self._mailboxes.add(mailbox)
        first = snapshot(
            mailbox.next_sequence(), self._board.sessions(), self._board.counts(now), now
        )
        return mailbox, first

    def leave(self, mailbox: Mailbox) -> None:
        """A dashboard has gone."""
        self._mailboxes.discard(mailbox)

    def start_from(
        self,
        sessions: Sequence[SessionUpdate],
        minutes: Iterable[MinuteCount],
        now: int,
        tick: float,
    ) -> None:
        """Begin, or begin again, with what the history knows."""
        self._board.start_from(sessions, minutes, now)
        for update in sessions:
            self._wrote(update.processed_time)
        if self._mailboxes:
            self._board.tell_all()
            self._pace.changed(tick)

    def see(self, messages: Iterable[Message], now: int, tick: float) -> None:
        """Take in what the job has written."""
        for message in messages:
            self._see_one(message, now)
        if self._board.has_changes:
            self._pace.changed(tick)

    def _see_one(self, message: Message, now: int) -> None:
        if isinstance(message, SessionUpdate):
            self._board.see_session(message, now)
            self._wrote(message.processed_time)
        elif isinstance(message, EnrichedEvent):
            self._board.see_event(message, now)
            self._wrote(message.processed_time)
        elif isinstance(message, JobStatus):
            if self.job is None or message.processed_time >= self.job.processed_time:
                self.job = message
            self._wrote(message.processed_time)

    def _wrote(self, processed_time: int) -> None:
        self._written = max(self._written or 0, processed_time)

    def deliver(self, now: int, tick: float) -> None:
        """Put the due frame into every mailbox."""
        frame = self._board.frame(now)
        for mailbox in self._mailboxes:
            mailbox.offer(frame)
        self._pace.sent(tick)
        if self._board.has_changes:
            self._pace.changed(tick)

    def pipeline_age_ms(self, now: int) -> int | None:
        """How long ago the job last wrote anything; None before the first."""
        return None if self._written is None else max(0, now - self._written)
