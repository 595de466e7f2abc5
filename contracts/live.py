"""The live channel's messages, at ``/api/v1/live``: over a WebSocket or as server-sent events.

``sequence`` starts at 1 and grows by one with each numbered message to one connection, so a
client can see that it missed nothing. ``position`` says how much of the truth the client has
when it has read this message; it is opaque, and means the same in every process that reads the
same Kafka, before and after a restart. A client that connects again gives back the last one it
got. It is null until Kafka has been reached. All times are ms since 1970 UTC by the server's
clock.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from contracts.events import EnrichedEvent
from contracts.sessions import SessionUpdate

LiveTopic = Literal["sessions", "events", "stats"]
Choice = Annotated[tuple[Annotated[str, Meta(max_length=200)], ...], Meta(max_length=50)]
"""Any of these values; none means that all are wanted. One that begins with ``!`` excludes."""

MAX_CLIENT_MESSAGE_BYTES = 4096
LONGEST_POSITION = 2000
LONGEST_SECRET = 200
LONGEST_PATH = 500


class MinuteCount(Struct, frozen=True, kw_only=True):
    """Events whose event_time lies in the minute that begins at ``minute``."""

    minute: int
    pages: int
    api_calls: int


class LiveCounts(Struct, frozen=True, kw_only=True):
    """Who is here now: open sessions of the live topics, by people and by bots.

    ``minutes``: in a snapshot all of the last hour, in an update only those whose counts changed.
    Under a filter they are of the requests that match it, and those are left out of which the
    hub does not know all, as there were too many.
    """

    open_sessions: int
    open_bots: int
    minutes: list[MinuteCount]


class Snapshot(Struct, frozen=True, kw_only=True, tag="snapshot"):
    """The newest sessions (newest first), the last hour's minutes and the newest events.

    It replaces all that the client knew. It is the first message of a connection unless that one
    could go on where it was; it also comes after a new subscription, and instead of an update
    when the client was so slow that more waited for it than one message holds. ``recovered`` is
    always false. ``counts`` is null without the topic ``stats``.
    """

    sequence: int
    position: str | None = None
    server_time: int
    recovered: bool = False
    sessions: list[SessionUpdate]
    counts: LiveCounts | None
    events: list[EnrichedEvent] = []


class Recovered(Struct, frozen=True, kw_only=True, tag="recovered"):
    """The first message of a connection that goes on where it was: exactly what it missed.

    Each session that changed, once, in its latest state; each event; the counts as in a snapshot.
    ``recovered`` is always true.
    """

    sequence: int
    position: str | None
    server_time: int
    recovered: bool = True
    sessions: list[SessionUpdate]
    counts: LiveCounts | None
    events: list[EnrichedEvent] = []


class Update(Struct, frozen=True, kw_only=True, tag="update"):
    """What changed since the last message: each session and each minute once, in its latest state.

    ``newest_response`` is when the newest response behind this message ended, or null; the
    client's measured delay is its own clock (corrected by ping) minus this. ``events`` has every
    new event, oldest first; when there were too many for a message, ``events_left_out`` says how
    many older ones are missing. A session that has stopped to match the filter is told once more.
    """

    sequence: int
    position: str | None = None
    server_time: int
    sessions: list[SessionUpdate]
    counts: LiveCounts | None
    newest_response: int | None
    events: list[EnrichedEvent] = []
    events_left_out: int = 0


class Heartbeat(Struct, frozen=True, kw_only=True, tag="heartbeat"):
    """Sent when nothing else was for a while, so silence means a broken connection.

    ``pipeline_age_ms`` is how long ago the job last wrote anything (its own watermark records
    make it write even without visitors), or null before the first.
    """

    sequence: int
    position: str | None = None
    server_time: int
    pipeline_age_ms: int | None


class Goodbye(Struct, frozen=True, kw_only=True, tag="goodbye"):
    """The last message before the server ends: come back after ``retry_ms``. No sequence.

    The wait differs by client, so that they do not all come back in one moment.
    """

    retry_ms: int


class Subscription(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which messages a client wants. Values of one field are alternatives; fields restrict.

    ``topics``: ``sessions`` as they change, ``stats`` (who is here, events by minute), ``events``
    one by one. ``country`` is ISO 3166-1, or ``unknown``. ``path`` is how a session's entry page,
    or an event's path, begins. ``session`` and ``visitor`` are ids; events know only the visitor.
    A value that begins with ``!`` excludes, but of ``session`` and ``visitor``; what begins so
    itself has each of its first ``!`` written twice.
    """

    topics: Annotated[tuple[LiveTopic, ...], Meta(min_length=1, max_length=3)] = (
        "sessions",
        "stats",
    )
    site: Choice = ()
    country: Choice = ()
    channel: Choice = ()
    device: Choice = ()
    browser: Choice = ()
    os: Choice = ()
    bots: Literal["include", "exclude", "only"] = "include"
    path: Annotated[str, Meta(max_length=LONGEST_PATH)] = ""
    session: Annotated[str, Meta(max_length=200)] = ""
    visitor: Annotated[str, Meta(max_length=200)] = ""


class Hello(Struct, frozen=True, kw_only=True, tag="hello", forbid_unknown_fields=True):
    """Client to server, the first message: who it is, what it wants, and where it was.

    ``key`` is an API key, ``ticket`` one of ``POST /api/v1/live/tickets`` instead of it.
    ``subscription`` is the default one when it is null. ``resume`` is the last ``position`` that
    the client got under this very subscription.
    """

    key: Annotated[str, Meta(max_length=LONGEST_SECRET)] | None = None
    ticket: Annotated[str, Meta(max_length=LONGEST_SECRET)] | None = None
    subscription: Subscription | None = None
    resume: Annotated[str, Meta(max_length=LONGEST_POSITION)] | None = None


class Subscribe(Struct, frozen=True, kw_only=True, tag="subscribe", forbid_unknown_fields=True):
    """Client to server, any time later: want something else. A snapshot of it follows."""

    subscription: Subscription


class Ping(Struct, frozen=True, kw_only=True, tag="ping"):
    """Client to server: ``sent`` is the client's clock."""

    sent: float


class Pong(Struct, frozen=True, kw_only=True, tag="pong"):
    """The answer to a ping, for the client to estimate its clock's offset. No sequence."""

    sent: float
    server_time: float


class LiveTicket(Struct, frozen=True, kw_only=True):
    """The answer of ``POST /api/v1/live/tickets``: for one connection, until ``expires``."""

    ticket: str
    expires: int


ServerMessage = Snapshot | Recovered | Update | Heartbeat | Pong | Goodbye
ClientMessage = Hello | Subscribe | Ping
