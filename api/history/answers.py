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


class Neighbour(Struct, frozen=True, kw_only=True):
    """The visitor's session before or after."""

    session_id: str
    start: int
    end: int


class Beginning(Struct, frozen=True, kw_only=True):
    """Why a session begins with its first event.

    ``reason`` is ``first``, ``silence``, ``cut_count`` or ``cut_length`` (the session before was
    full), or ``other_rules``. ``silence_ms`` lies between the two.
    """

    reason: str
    detail: str
    previous: Neighbour | None
    silence_ms: int | None


class End(Struct, frozen=True, kw_only=True):
    """Why a session ends with its last event: ``reason`` is ``open`` while it does not, or
    ``silence``, ``cut_count`` or ``cut_length``. ``expires`` is when it takes no more events."""

    reason: str
    detail: str
    next: Neighbour | None
    silence_ms: int | None
    expires: int


class TakenIn(Struct, frozen=True, kw_only=True):
    """A session that this one took in, and when the history learnt of it."""

    session_id: str
    start: int
    end: int
    recorded: int


class TooLate(Struct, frozen=True, kw_only=True):
    """An event of the session's time that came when a session was final, ``late_ms`` too late."""

    event_id: str
    event_time: int
    path: str
    late_ms: int
    reason: str


class Revision(Struct, frozen=True, kw_only=True):
    """A state that the session had, from when the history learnt of it (``recorded``) on."""

    epoch: int
    revision: int
    status: str
    start: int
    end: int
    events: int
    recorded: int


class Biography(Struct, frozen=True, kw_only=True):
    """How a session came to be. Lists have the newest 100, revisions the newest first.

    Revisions are those that are still kept; ``recorded`` 0 is from before they were.
    """

    begins: Beginning
    ends: End
    took_in: list[TakenIn]
    late: list[TooLate]
    revisions: list[Revision]


class SessionDetail(Struct, frozen=True, kw_only=True):
    """A session and its events in order. Of a very long one only the first 5,000 events."""

    session: SessionUpdate
    events: list[EnrichedEvent]
    events_truncated: bool
    why: Biography


class VisitorPage(SessionPage, frozen=True, kw_only=True, omit_defaults=True):
    """A visitor of a site: how many sessions in all, from when to when, and a page of them."""

    site_id: str
    visitor_id: str
    sessions: int
    first_start: int
    last_end: int


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
