"""Builders that write a visitor's clicks down as a specification."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from contracts import RequestEvent, partition_key
from spark_jobs.parse import Record

SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000


def at(text: str) -> int:
    """``"2026-01-15 10:00:00"`` (UTC) → ms since 1970."""
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


class Journey:
    """One visitor's requests, each some idle time after the one before."""

    def __init__(self, visitor_id: str, start: str = "2026-01-15 10:00:00") -> None:
        self.visitor_id = visitor_id
        self.time = at(start)
        self.events: list[RequestEvent] = []

    def view(self, path: str = "/", *, after: int = 0, event_id: str | None = None) -> "Journey":
        """A page view ``after`` ms of idle time."""
        return self._add(path, "page", after, event_id)

    def call(self, path: str = "/api/x", *, after: int = 0) -> "Journey":
        """An API request ``after`` ms of idle time."""
        return self._add(path, "api", after, None)

    def custom(self, name: str, path: str = "/", *, after: int = 0, **properties: Any) -> "Journey":
        """An event that the page's script reports ``after`` ms of idle time."""
        said = {"origin": "beacon", "name": name, "properties": properties}
        return self._add(path, "custom", after, None, **said)

    def read(self, engaged_ms: int, path: str = "/", *, after: int = 0) -> "Journey":
        """A report of reading time ``after`` ms of idle time."""
        return self._add(path, "engagement", after, None, origin="beacon", engaged_ms=engaged_ms)

    def _add(
        self, path: str, kind: str, after: int, event_id: str | None, **more: Any
    ) -> "Journey":
        self.time += after
        number = len(self.events)
        self.events.append(
            msgspec.convert(
                {
                    "event_id": event_id or f"{self.visitor_id}-{number:04}",
                    "site_id": "shop",
                    "visitor_id": self.visitor_id,
                    "event_time": self.time,
                    "kind": kind,
                    "method": "GET",
                    "status": 200,
                    "path": path,
                    "host": "shop.example",
                    "client_ip": "81.2.69.142",
                    **more,
                },
                RequestEvent,
            )
        )
        return self


def record_of(event: RequestEvent, offset: int, broker_time: int | None = None) -> Record:
    """The event as it stands in a request topic."""
    time = event.event_time if broker_time is None else broker_time
    return Record(
        key=partition_key(event.site_id, event.visitor_id),
        value=msgspec.json.encode(event),
        offset=offset,
        broker_time=int(time),
    )


def watermark(moment: int, offset: int, broker_time: int | None = None) -> Record:
    """A watermark record as the job sees it."""
    return Record(
        key=None,
        value=b"",
        offset=offset,
        broker_time=moment if broker_time is None else broker_time,
        watermark=moment,
    )
