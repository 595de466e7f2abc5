"""From messages of the job to messages for dashboards. No I/O: times are passed in."""

from collections.abc import Callable, Collection, Iterable, Sequence

from api.live.board import Board
from api.live.filters import DEFAULT, canonical
from api.live.group import Group
from api.live.mailbox import Mailbox
from api.live.pace import Pace
from api.live.position import Offsets, Read, Stream
from contracts import EnrichedEvent, JobStatus, Message, SessionUpdate
from contracts.live import MinuteCount, Subscription

MAX_GROUPS = 64
"""Distinct subscriptions at a time: each costs a look at every change."""


class TooManyGroupsError(Exception):
    """So many different subscriptions are held already. Ask for one that others have, or wait."""


class Hub:
    """Keeps the board, and hands what changes on it to the mailboxes at the right pace.

    ``now`` is wall time in ms since 1970 UTC; ``tick`` times are ms of a clock that never goes
    back. Not for use by several threads.
    """

    def __init__(self, capacity: int) -> None:
        self._board = Board(capacity)
        self._pace = Pace()
        self._plain = Group(canonical(DEFAULT), self._board)
        self._groups: dict[Subscription, Group] = {self._plain.wanted: self._plain}
        self._stream: Stream | None = None
        self._read: Offsets = {}
        self._reached: Offsets = {}
        self._written: int | None = None
        self.job: JobStatus | None = None

    @property
    def dashboards(self) -> int:
        """How many dashboards are connected."""
        return sum(len(group.mailboxes) for group in self._groups.values())

    @property
    def due(self) -> float | None:
        """When ``tick`` should be called next; None while there is nothing to tell."""
        return self._pace.due

    def join(
        self,
        now: int,
        wake: Callable[[], object],
        wanted: Subscription = DEFAULT,
        resume: str | None = None,
    ) -> tuple[Mailbox, bytes]:
        """A mailbox for a new dashboard, and the message to send first.

        That is what it missed since the position ``resume``, or else a snapshot. Raises
        TooManyGroupsError.
        """
        mailbox = Mailbox(wake, self._group(wanted))
        mailbox.group.mailboxes.add(mailbox)
        mailbox.next_sequence()
        missed = mailbox.group.recovered(resume, now) if resume else None
        return mailbox, missed or mailbox.group.snapshot(now)

    def may_yet_recover(self, wanted: Subscription, resume: str) -> bool:
        """Whether it is only too early to go on from a position: it lies ahead. May raise as join.

        So it is for a moment after a start, and in a process that reads a little behind.
        """
        return self._stream is None or self._group(wanted).is_ahead(resume)

    def resubscribe(self, mailbox: Mailbox, wanted: Subscription, now: int) -> None:
        """A dashboard wants something else: its next message is a snapshot of that. As join."""
        group = self._group(wanted)
        if group is not mailbox.group:  # which would end when its only one left it
            self.leave(mailbox)
            group.mailboxes.add(mailbox)
        mailbox.renew(group, now)

    def leave(self, mailbox: Mailbox) -> None:
        """A dashboard has gone."""
        group = mailbox.group
        group.mailboxes.discard(mailbox)
        if not group.mailboxes and group is not self._plain:
            self._groups.pop(group.wanted, None)
            group.close()

    def _group(self, wanted: Subscription) -> Group:
        key = canonical(wanted)
        group = self._groups.get(key)
        if group is None:
            if len(self._groups) >= MAX_GROUPS:
                raise TooManyGroupsError
            group = self._groups[key] = Group(key, self._board)
            self._move(group)
        return group

    def start_from(
        self,
        sessions: Sequence[SessionUpdate],
        minutes: Iterable[MinuteCount],
        now: int,
        events: Sequence[EnrichedEvent] = (),
    ) -> None:
        """Begin, or begin again, with what the history knows; so do dashboards that are here."""
        self._board.start_from(sessions, minutes, now, events)
        for update in sessions:
            self._wrote(update.processed_time)
        self._begin_anew(now)

    def begin_at(self, stream: Stream, offsets: Offsets, now: int) -> None:
        """What comes now is read from these offsets on. The board knows what is before them."""
        if (stream, offsets) == (self._stream, self._read):
            return
        is_gap = self._stream is not None
        self._board.begin_logs(offsets)
        self._stream, self._read, self._reached = stream, dict(offsets), dict(offsets)
        self._move_all()
        if is_gap:
            self._begin_anew(now)

    def erase(self, which: Callable[[Message], bool], sessions: Collection[str], now: int) -> None:
        """Forget what these messages told, and these sessions; so must every dashboard."""
        self._board.erase(which, sessions, self._read)
        self._begin_anew(now)

    def _begin_anew(self, now: int) -> None:
        """What dashboards were told does not lead to what they will be told: tell them all."""
        self._forget()
        for group in self._groups.values():
            for mailbox in group.mailboxes:
                mailbox.renew(group, now)

    def see(self, reads: Iterable[Read], now: int, tick: float) -> None:
        """Take in what the job has written."""
        for read in reads:
            self._see_one(read, now)
        self._forget()
        if self._board.has_changes:
            self._pace.changed(tick)

    def read_until(self, offsets: Offsets) -> None:
        """All that stands before these offsets was seen."""
        self._read = {**self._read, **offsets}
        if not self._board.has_changes:
            self._reach()

    def _see_one(self, read: Read, now: int) -> None:
        message, mark = read
        if isinstance(message, SessionUpdate):
            self._board.see_session(message, now, mark)
            self._wrote(message.processed_time)
        elif isinstance(message, EnrichedEvent):
            self._board.see_event(message, now, mark)
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
        self._reach()
        for group in self._groups.values():
            group.offer(frame)
        self._pace.sent(tick)
        if self._board.has_changes:
            self._pace.changed(tick)

    def _reach(self) -> None:
        """Everything that was read is told, but for sessions that did not fit into the frame."""
        waits = self._board.has_sessions_waiting
        self._reached = {
            place: self._reached.get(place, offset)
            if waits and place.topic.endswith(".sessions")
            else offset
            for place, offset in self._read.items()
        }
        self._move_all()

    def _move_all(self) -> None:
        for group in self._groups.values():
            self._move(group)

    def _move(self, group: Group) -> None:
        if self._stream is not None:
            group.move(self._stream, self._reached)
        group.forget()

    def _forget(self) -> None:
        for group in self._groups.values():
            group.forget()

    def pipeline_age_ms(self, now: int) -> int | None:
        """How long ago the job last wrote anything; None before the first."""
        return None if self._written is None else max(0, now - self._written)
