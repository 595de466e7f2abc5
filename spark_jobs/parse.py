"""From a record's bytes to a valid event, or to the reason why it is none.

Bad data is a value here, not an exception.
"""

import base64
import re

import msgspec

from contracts import SCHEMA_VERSION, DeadLetter, DeadReason, RequestEvent, partition_key
from contracts.outcomes import RAW_LIMIT
from spark_jobs.event_time import EventTimeError, read_event_time

MAX_BYTES = 1024 * 1024
"""A request event has no business being larger; parsing stops here."""

_decoder = msgspec.json.Decoder(RequestEvent)
_WRONG_KEY = (
    "the record's key must be site_id/visitor_id (of an id like ~3f7.… only site_id/~3f7), and "
    "that of previous_visitor_id, too"
)
_MISSING = re.compile(r"missing required field `(\w+)`")


class Record(msgspec.Struct, frozen=True, gc=False):
    """A row of a request topic. ``broker_time`` in ms since 1970 UTC.

    ``watermark`` is set for watermark records only, which the JVM tells apart.
    """

    key: bytes | None
    value: bytes | None
    offset: int
    broker_time: int
    watermark: int | None = None


class Valid(msgspec.Struct, frozen=True, gc=False):
    """A readable event and its event_time in ms."""

    event: RequestEvent
    time: int


class Invalid(msgspec.Struct, frozen=True, gc=False):
    """Why a record is no event, as a code and as a sentence."""

    reason: DeadReason
    detail: str


def parse_record(record: Record) -> Valid | Invalid:
    """Decode, validate, read the time, and check that the key is the visitor's."""
    parsed = parse_value(record.value)
    if isinstance(parsed, Valid):
        event = parsed.event
        previous = event.previous_visitor_id
        if record.key != partition_key(event.site_id, event.visitor_id) or (
            previous is not None and record.key != partition_key(event.site_id, previous)
        ):
            return Invalid("wrong_key", _WRONG_KEY)
    return parsed


def parse_value(value: bytes | None) -> Valid | Invalid:
    """The same for the value alone, as files have no keys."""
    if value is None or len(value) > MAX_BYTES:
        return _unfit(value)
    try:
        return _validated(_decoder.decode(value))
    except EventTimeError as error:
        return Invalid(error.reason, str(error))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return _why_invalid(value, str(error))


def _unfit(value: bytes | None) -> Invalid:
    if value is None:
        return Invalid("tombstone", "the record has a null value")
    return Invalid("too_large", f"{len(value)} bytes; a request event has at most {MAX_BYTES}")


def _validated(event: RequestEvent) -> Valid | Invalid:
    if event.schema_version != SCHEMA_VERSION:
        return _unknown_version(event.schema_version)
    return Valid(event, read_event_time(event.event_time))


def dead_letter(
    why: Invalid, record: Record, topic: str, partition: int, processed_time: int
) -> DeadLetter:
    """The record's dead letter, with its raw bytes cut at 64 KiB."""
    raw = record.value or b""
    return DeadLetter(
        reason=why.reason,
        detail=why.detail,
        topic=topic,
        partition=partition,
        offset=record.offset,
        broker_time=record.broker_time,
        processed_time=processed_time,
        raw=base64.b64encode(raw[:RAW_LIMIT]).decode(),
        raw_size=len(raw),
    )


def _unknown_version(version: object) -> Invalid:
    return Invalid(
        "unknown_schema_version", f"schema_version {version!r}; this job reads {SCHEMA_VERSION}"
    )


def _why_unreadable(value: bytes, message: str) -> Invalid:
    if not value.strip():
        return Invalid("empty", "the record is empty")
    try:
        value.decode()
    except UnicodeDecodeError as error:
        return Invalid("not_utf8", f"not UTF-8 at byte {error.start}")
    return Invalid("not_json", message)


def _why_invalid(value: bytes, message: str) -> Invalid:
    """Name the fault; a message of another version is not judged by this version's fields."""
    try:
        whole = msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return _why_unreadable(value, str(error))
    if not isinstance(whole, dict):
        return Invalid("not_an_object", f"a JSON object is expected, not {type(whole).__name__}")
    version = whole.get("schema_version", SCHEMA_VERSION)
    if version != SCHEMA_VERSION:
        return _unknown_version(version)
    if whole.get("event_time") is None:
        return Invalid("event_time_missing", "event_time is missing or null")
    missing = _MISSING.search(message)
    if missing:
        return Invalid("missing_field", f"the field {missing[1]} is missing")
    return Invalid("wrong_type" if "got `" in message else "invalid_value", message)
