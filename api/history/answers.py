"""What the history's addresses answer. Times are ms since 1970 UTC."""

from msgspec import Struct, field

from contracts import EnrichedEvent, SessionUpdate
from contracts.live import MinuteCount


class SessionPage(Struct, frozen=True, kw_only=True):
    """Sessions, newest first. ``next_cursor`` asks for those after them; null: there are none."""

    items: list[SessionUpdate]
    next_cursor: str | None


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


class EventNameCount(Struct, frozen=True, kw_only=True):
    """Custom events of a name."""

    name: str
    events: int


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

    ``events``, ``pages``, ``api_calls``, ``custom_events`` and ``engaged_ms`` (reading time) are
    those of these sessions. A session bounced when it has ended (is not open) with one page, no
    API call and no custom event, however long the page was read; ``bounce_rate`` is the bounced
    share of the ended ones, null when none has ended. Durations are null without sessions; an
    open session counts with its duration so far. ``bots`` are the sessions of bots in the
    range, whatever the ``bots`` parameter says. Groups are the 50 largest, largest first.
    ``event_names`` counts custom events by event_time in [from, to). ``per_minute`` counts page
    views and API calls by event_time in the last 60 minutes of the range that have begun.
    ``per_day`` has the days of the range in ``time_zone``, the last 92 if it has more.
    """

    from_: int = field(name="from")
    to: int
    time_zone: str
    sessions: int
    open_sessions: int
    events: int
    pages: int
    api_calls: int
    custom_events: int
    engaged_ms: int
    bounce_rate: float | None
    median_duration_ms: int | None
    average_duration_ms: int | None
    bots: int
    countries: list[CountrySessions]
    channels: list[ChannelSessions]
    browsers: list[BrowserSessions]
    devices: list[DeviceSessions]
    entry_pages: list[EntryPageSessions]
    event_names: list[EventNameCount]
    per_minute: list[MinuteCount]
    per_day: list[DayCount]
