"""What the history's addresses answer. Times are ms since 1970 UTC."""

from msgspec import Struct, field

from contracts import EnrichedEvent, SessionUpdate
from contracts.live import MinuteCount


class SessionCount(Struct, frozen=True, kw_only=True):
    """How many sessions a list has on all its pages; counted, or an estimate."""

    sessions: int
    is_exact: bool


class SessionPage(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Sessions in order. ``next_cursor`` asks for those after them; null: there are none.

    With ``fields``, the sessions have those only. ``count`` is there when it was asked for.
    ``as_of`` is there when it was: the last moment until the one asked for at which the history
    learnt something. The list as of then stays the same while its revisions are kept.
    """

    items: list[SessionUpdate]
    next_cursor: str | None
    as_of: int | None = None
    count: SessionCount | None = None


class SessionDetail(Struct, frozen=True, kw_only=True):
    """A session and its events in order. Of a very long one only the first 5,000 events."""

    session: SessionUpdate
    events: list[EnrichedEvent]
    events_truncated: bool


class CountrySessions(Struct, frozen=True, kw_only=True):
    """Sessions whose first event came from a country; null: place unknown."""

    country: str | None
    sessions: int


class ChannelSessions(Struct, frozen=True, kw_only=True):
    """Sessions that a channel brought."""

    channel: str
    sessions: int


class BrowserSessions(Struct, frozen=True, kw_only=True):
    """Sessions by browser."""

    browser: str
    sessions: int


class DeviceSessions(Struct, frozen=True, kw_only=True):
    """Sessions by kind of device."""

    device: str
    sessions: int


class EntryPageSessions(Struct, frozen=True, kw_only=True):
    """Sessions by their first page."""

    entry_page: str
    sessions: int


class DayCount(Struct, frozen=True, kw_only=True):
    """The sessions that started on a day, or on the part of it that is in the range."""

    day: str
    from_: int = field(name="from")
    to: int
    sessions: int
    events: int
    pages: int


class Stats(Struct, frozen=True, kw_only=True):
    """The sessions that started in [from, to), without merged ones, summed up.

    ``events``, ``pages`` and ``api_calls`` are those of these sessions. A session bounced when
    it has ended (is not open) with one page and no other event; ``bounce_rate`` is the bounced
    share of the ended ones, null when none has ended. Durations are null without sessions; an
    open session counts with its duration so far. ``bots`` are the sessions of bots in the
    range, whatever the ``bots`` parameter says. Groups are the 50 largest, largest first.
    ``per_minute`` counts events by event_time in the last 60 minutes of the range that have
    begun. ``per_day`` has the days of the range in ``time_zone``, the last 92 if it has more.
    """

    from_: int = field(name="from")
    to: int
    time_zone: str
    sessions: int
    open_sessions: int
    events: int
    pages: int
    api_calls: int
    bounce_rate: float | None
    median_duration_ms: int | None
    average_duration_ms: int | None
    bots: int
    countries: list[CountrySessions]
    channels: list[ChannelSessions]
    browsers: list[BrowserSessions]
    devices: list[DeviceSessions]
    entry_pages: list[EntryPageSessions]
    per_minute: list[MinuteCount]
    per_day: list[DayCount]
