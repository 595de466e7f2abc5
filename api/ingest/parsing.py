"""From a request's body to events, and to what is wrong with the others. Pure."""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

import msgspec
from msgspec import Struct

from contracts import SCHEMA_VERSION, RequestEvent, partition_key
from contracts.event_time import EventTimeError, read_event_time
from contracts.secret_names import SECRET_HEADERS, SECRET_PARAMETERS

JSON_TYPES = ("application/json",)
LINES_TYPES = ("application/x-ndjson", "application/ndjson", "application/jsonl")

_PLACE = re.compile(r" - at `\$\.?(.*)`$")
_NAMED = re.compile(r"(?:unknown|missing required) field `(.+?)`")


class SentEvent(RequestEvent, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request event as a producer may send it: exactly the contract's fields."""


class ItemError(Struct, frozen=True, kw_only=True):
    """Why an item was not taken. ``index`` counts items from 0, ``field`` is empty for all of it.

    ``event_id`` is null where it could not be read.
    """

    index: int
    event_id: str | None
    field: str
    error: str


class Parsed(NamedTuple):
    """The events that can be sent, and the others."""

    events: list[RequestEvent]
    errors: list[ItemError]


class Sites(NamedTuple):
    """Whose events are taken: of the API's sites (none: all), and of the key's own, if it has."""

    known: Collection[str]
    of_key: str | None


class BodyError(Exception):
    """The body as a whole cannot be read. The message says why."""


class MediaTypeError(BodyError):
    """It is of a type that is not taken."""


class FieldError(Exception):
    """A field of an event is wrong."""

    def __init__(self, field: str, error: str) -> None:
        super().__init__(error)
        self.field = field


_decoder = msgspec.json.Decoder(SentEvent)
_items_decoder = msgspec.json.Decoder(list[msgspec.Raw])


def parse(body: bytes, media_type: str, sites: Sites) -> Parsed:
    """Every item judged by itself. Raises BodyError or MediaTypeError for the whole."""
    events: list[RequestEvent] = []
    errors: list[ItemError] = []
    for index, raw in enumerate(_items(body, media_type)):
        try:
            events.append(_event(raw, sites))
        except FieldError as error:
            errors.append(
                ItemError(index=index, event_id=_event_id(raw), field=error.field, error=str(error))
            )
    if not events and not errors:
        raise BodyError("the body holds no event")
    return Parsed(events, errors)


def _items(body: bytes, media_type: str) -> Iterable[bytes | msgspec.Raw]:
    kind, _, parameters = media_type.lower().partition(";")
    charset = re.search(r"charset=\"?([\w-]+)", parameters)
    if charset and charset[1] not in {"utf-8", "utf8"}:
        raise MediaTypeError(f"the charset {charset[1]} is not taken: send UTF-8")
    if kind.strip() in LINES_TYPES:
        return [line for line in body.split(b"\n") if line.strip()]
    if kind.strip() not in JSON_TYPES:
        raise MediaTypeError(
            "send Content-Type application/json for an event or an array of them, "
            "application/x-ndjson for one a line"
        )
    return _array(body) if body.lstrip()[:1] == b"[" else [body] if body.strip() else []


def _array(body: bytes) -> list[msgspec.Raw]:
    try:
        return _items_decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BodyError(f"the body is no JSON array: {error}") from None


def _event(raw: bytes | msgspec.Raw, sites: Sites) -> RequestEvent:
    try:
        event = _decoder.decode(raw)
    except msgspec.ValidationError as error:
        raise _field_error(str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FieldError("", f"it is no JSON object: {error}") from None
    for fault in _faults(event, sites):
        raise fault
    return msgspec.structs.replace(event, event_time=_time(event))


def _field_error(message: str) -> FieldError:
    """msgspec's own words, and the field that they are about."""
    place = _PLACE.search(message)
    named = _NAMED.search(message)
    path = [place[1] if place else "", named[1] if named else ""]
    return FieldError(".".join(filter(None, path)), _PLACE.sub("", message))


def _faults(event: RequestEvent, sites: Sites) -> Iterator[FieldError]:
    if event.schema_version != SCHEMA_VERSION:
        yield FieldError("schema_version", f"write {SCHEMA_VERSION}, or leave it out")
    if sites.known and event.site_id not in sites.known:
        yield FieldError("site_id", "is none of this API's sites (CLICKWAKE_API_SITES)")
    if sites.of_key is not None and event.site_id != sites.of_key:
        yield FieldError("site_id", f"the key may send events of {sites.of_key} only")
    previous = event.previous_visitor_id or event.visitor_id
    if partition_key("", previous) != partition_key("", event.visitor_id):
        yield FieldError(
            "previous_visitor_id", "must begin with the routing key of visitor_id, such as ~3f7."
        )
    if "?" in event.path or "#" in event.path:
        yield FieldError("path", "has ? or #: put query parameters into query")
    yield from _secrets("headers", event.headers, SECRET_HEADERS)
    yield from _secrets("query", event.query, SECRET_PARAMETERS)


def _secrets(field: str, found: dict[str, str], secret: Collection[str]) -> Iterator[FieldError]:
    for name in found:
        if name.lower() in secret:
            yield FieldError(f"{field}.{name}", "carries secrets: leave it out")


def _time(event: RequestEvent) -> int:
    try:
        return read_event_time(event.event_time)
    except EventTimeError as error:
        raise FieldError("event_time", str(error)) from None


class _Named(Struct):
    event_id: str


_named_decoder = msgspec.json.Decoder(_Named)


def _event_id(raw: bytes | msgspec.Raw) -> str | None:
    try:
        return _named_decoder.decode(raw).event_id[:128]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
