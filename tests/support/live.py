"""Messages as the live feed reads them, and a client that keeps what it is told."""

from typing import Any

import msgspec

from api.live.position import Mark, Read, Stream
from api.progress import Place
from contracts import EnrichedEvent, Message
from contracts.live import Heartbeat, Recovered, ServerMessage, Snapshot, Update

SESSIONS = tuple(Place("clickwake.sessions", number) for number in range(2))
EVENTS = tuple(Place("clickwake.events", number) for number in range(2))
STREAM = Stream("test", tuple(sorted((*SESSIONS, *EVENTS))))
BEGIN = dict.fromkeys(STREAM.places, 0)
_DECODER = msgspec.json.Decoder(ServerMessage)


def reads(*messages: Message) -> list[Read]:
    """Messages that came from nowhere in particular."""
    return [Read(message) for message in messages]


class Tape:
    """Two topics of two partitions; what is written can be read by any number of readers."""

    def __init__(self) -> None:
        self.records: dict[Place, list[Message]] = {place: [] for place in STREAM.places}

    def write(self, message: Message, partition: int = 0) -> None:
        """Append a message to its topic."""
        places = EVENTS if isinstance(message, EnrichedEvent) else SESSIONS
        self.records[places[partition]].append(message)

    def read(self, place: Place, offset: int, limit: int) -> list[Read]:
        """Records from an offset on."""
        found = self.records[place][offset : offset + limit]
        return [Read(message, Mark(place, offset + n)) for n, message in enumerate(found)]


class Client:
    """Knows what any client does: the newest state of each session, all events, the counts."""

    def __init__(self) -> None:
        self.sessions: dict[str, tuple[int, int]] = {}
        self.events: list[str] = []
        self.counts: tuple[int, int] | None = None
        self.minutes: dict[int, int] = {}
        self.position: str | None = None
        self.recovered: list[bool] = []
        self.kinds: list[str] = []

    def hear(self, message: bytes) -> dict[str, Any]:
        """Take in a message; returns it decoded."""
        heard = _DECODER.decode(message)
        self.kinds.append(type(heard).__name__.lower())
        if isinstance(heard, Snapshot):
            self.sessions, self.events, self.minutes = {}, [], {}
        if isinstance(heard, Snapshot | Recovered):
            self.recovered.append(heard.recovered)
        if isinstance(heard, Snapshot | Recovered | Update):
            self._keep(heard)
        if isinstance(heard, Snapshot | Recovered | Update | Heartbeat):
            self.position = heard.position
        plain: dict[str, Any] = msgspec.json.decode(message)
        return plain

    def _keep(self, heard: Snapshot | Recovered | Update) -> None:
        for session in heard.sessions:
            version = (session.epoch, session.revision)
            self.sessions[session.session_id] = max(
                version, self.sessions.get(session.session_id, version)
            )
        self.events += [event.event_id for event in heard.events]
        if heard.counts is not None:
            self.counts = (heard.counts.open_sessions, heard.counts.open_bots)
            self.minutes |= {each.minute: each.pages for each in heard.counts.minutes if each.pages}
