"""The live WebSocket's messages, at ``/api/v1/live``. Server to client unless said otherwise.

``sequence`` starts at 1 with a snapshot and grows by one with each message to one connection,
so a client can see that it missed nothing. All times are ms since 1970 UTC by the server's clock.
"""

from msgspec import Struct

from contracts.sessions import SessionUpdate


class MinuteCount(Struct, frozen=True, kw_only=True):
    """Events whose event_time lies in the minute that begins at ``minute``."""

    minute: int
    pages: int
    api_calls: int


class LiveCounts(Struct, frozen=True, kw_only=True):
    """Who is here now: open sessions of the live topics, by people and by bots.

    ``minutes``: in a snapshot all of the last hour, in an update only those whose counts changed.
    """

    open_sessions: int
    open_bots: int
    minutes: list[MinuteCount]


class Snapshot(Struct, frozen=True, kw_only=True, tag="snapshot"):
    """The first message: the newest sessions (newest first) and the last hour's minutes."""

    sequence: int
    server_time: int
    sessions: list[SessionUpdate]
    counts: LiveCounts


class Update(Struct, frozen=True, kw_only=True, tag="update"):
    """What changed since the last message: each session and each minute once, in its latest state.

    ``newest_response`` is when the newest response behind this message ended, or null; the
    client's measured delay is its own clock (corrected by ping) minus this.
    """

    sequence: int
    server_time: int
    sessions: list[SessionUpdate]
    counts: LiveCounts
    newest_response: int | None


class Heartbeat(Struct, frozen=True, kw_only=True, tag="heartbeat"):
    """Sent when nothing else was for a while, so silence means a broken connection.

    ``pipeline_age_ms`` is how long ago the job last wrote anything (its own watermark records
    make it write even without visitors), or null before the first.
    """

    sequence: int
    server_time: int
    pipeline_age_ms: int | None


class Ping(Struct, frozen=True, kw_only=True, tag="ping"):
    """Client to server: ``sent`` is the client's clock."""

    sent: float


class Pong(Struct, frozen=True, kw_only=True, tag="pong"):
    """The answer to a ping, for the client to estimate its clock's offset. No sequence."""

    sent: float
    server_time: float


ServerMessage = Snapshot | Update | Heartbeat | Pong
