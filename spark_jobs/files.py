"""Lines of a log file, a CSV or a JSON Lines file as request events. Pure.

Every format becomes the same JSON that the interceptor sends and goes through the same
parser. Lines have no identity of their own, so the file's first line, the line's number and the
line make one: reading a file twice gives the same events, also when it was renamed or packed or
has grown meanwhile, and two equal lines stay two events.
"""

import csv
import re
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Literal, get_args

import msgspec

from contracts import SCHEMA_VERSION
from contracts.agents import is_bot
from contracts.views import DEFAULT_RULES, ViewRules, drop_reason, event_kind, patterns
from spark_jobs.log_lines import READERS, WITH_FIELDS, LineError
from spark_jobs.parse import Invalid, Valid, parse_value

Format = Literal[
    "combined", "nginx", "caddy", "traefik", "iis", "cloudfront", "alb", "csv", "jsonl"
]
FORMATS: tuple[Format, ...] = get_args(Format)
LOGS = tuple(name for name in FORMATS if name in READERS)
"""Access logs: they tell addresses and have no column of visitors."""
Identity = Literal["address", "address+agent", "column"]
Count = Literal["views", "all"]

_LOCAL_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d{1,9})?")
_NAMES = {
    "visitor_id": ("visitor_id", "user_id", "visitor", "user", "client_id"),
    "event_time": ("event_time", "timestamp", "time", "datetime", "date"),
    "path": ("path", "url", "page", "event", "event_name"),
}
_PLAIN = ("client_ip", "user_agent", "referrer", "method", "host", "event_id")
"""CSV columns taken as they are, when the header has them."""

_encode = msgspec.json.Encoder().encode
_is_bot = lru_cache(maxsize=4096)(is_bot)
_pattern = lru_cache(maxsize=4)(patterns)


class FileOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How to read a file. The columns are for CSV; by default they are found by usual names.

    ``rules``, ``excluded`` and ``drop_bots`` are the site's own choices of what counts, as its
    middleware has them.
    ``header`` has the names of the columns, of CSV and of logs that begin with ``#Fields:``.
    ``origin`` is a digest of the file's first line that may tell of a visit: it stays when the
    file is renamed or packed.
    """

    format: Format
    identity: Identity
    count: Count
    site_id: str
    source: str
    header: tuple[str, ...] = ()
    origin: str = ""
    drop_bots: bool = False
    rules: ViewRules = DEFAULT_RULES
    excluded: tuple[str, ...] = ()
    visitor_column: str | None = None
    time_column: str | None = None
    page_column: str | None = None


class Skipped(msgspec.Struct, frozen=True, gc=False):
    """A readable line that does not count as a view, and why."""

    reason: str


def read_line(
    line: bytes, number: int, options: FileOptions
) -> tuple[Valid | Invalid | Skipped, bytes]:
    """What a line is, and the event's JSON. ``number`` counts from 1."""
    try:
        if options.format in WITH_FIELDS and line.startswith(b"#"):
            return Skipped("directive"), b""
        fields = _fields(line, options)
    except UnicodeDecodeError as error:
        return Invalid("not_utf8", f"not UTF-8 at byte {error.start}"), b""
    except LineError as error:
        return Invalid("wrong_format", str(error)), b""
    if fields is None:
        # Not even an object: the parser says best what it is.
        return parse_value(line), line
    value = _encode(_completed(fields, line, number, options))
    parsed = parse_value(value)
    if isinstance(parsed, Valid) and options.count == "views":
        reason = _skip_reason(parsed, options)
        if reason is not None:
            return Skipped(reason), b""
    return parsed, value


def missing_columns(options: FileOptions) -> list[str]:
    """Which of the columns that a CSV needs cannot be found in its header."""
    if options.format != "csv":
        return []
    needed = ["event_time"] + (["visitor_id"] if options.identity == "column" else [])
    return [name for name in needed if _column(name, options) is None]


def _skip_reason(parsed: Valid, options: FileOptions) -> str | None:
    event = parsed.event
    excluded = _pattern(options.excluded)
    if excluded and excluded.match(event.path):
        return "excluded_path"
    headers = {"user-agent": event.user_agent}
    reason = drop_reason(event.method, event.path, headers, options.rules)
    return "bot" if reason is None and options.drop_bots and _is_bot(event.user_agent) else reason


def _fields(line: bytes, options: FileOptions) -> dict[str, Any] | None:
    if options.format == "csv":
        return _csv(line, options)
    if options.format == "jsonl":
        return _jsonl(line)
    return READERS[options.format](line, options.header)


def _csv(line: bytes, options: FileOptions) -> dict[str, Any]:
    text = line.decode().rstrip("\r")
    try:
        values = next(csv.reader([text]), [])
    except csv.Error as error:
        raise LineError(f"the line is no row of a CSV: {error}") from None
    if len(values) != len(options.header):
        raise LineError(f"{len(values)} columns where the header has {len(options.header)}")
    row = dict(zip(options.header, values, strict=True))
    fields: dict[str, Any] = {name: row[name] for name in _PLAIN if row.get(name)}
    for name in _NAMES:
        chosen = _column(name, options)
        if chosen is not None:
            fields[name] = row[chosen]
    if row.get("status", "").isdigit():
        fields["status"] = int(row["status"])
    return fields


def _column(name: str, options: FileOptions) -> str | None:
    chosen = {
        "visitor_id": options.visitor_column,
        "event_time": options.time_column,
        "path": options.page_column,
    }[name]
    candidates = (chosen,) if chosen else _NAMES[name]
    return next((column for column in candidates if column in options.header), None)


def _jsonl(line: bytes) -> dict[str, Any] | None:
    try:
        fields = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return fields if isinstance(fields, dict) else None


def _completed(
    fields: dict[str, Any], line: bytes, number: int, options: FileOptions
) -> dict[str, Any]:
    """A file's fields as a request event: identity, site, and what a file may leave out."""
    whole = {"schema_version": SCHEMA_VERSION, "method": "GET", "status": 200, "path": "/"}
    whole |= {name: value for name, value in fields.items() if name != "seq"}
    if "event_id" not in whole:
        whole["event_id"] = _line_id(line, number, options)
    whole.setdefault("sequence", fields.get("seq", number))
    whole["site_id"] = options.site_id
    whole["event_time"] = _with_offset(whole.get("event_time"))
    if isinstance(whole["path"], str):
        whole.setdefault("kind", event_kind(whole["path"], options.rules))
    visitor = _visitor(whole, options)
    if visitor is not None:
        whole["visitor_id"] = visitor
    return whole


def _visitor(fields: dict[str, Any], options: FileOptions) -> str | None:
    if options.identity == "column":
        return None
    agent = fields.get("user_agent") or "" if options.identity == "address+agent" else ""
    # A digest, since results must not hold raw addresses.
    return _digest(str(fields.get("client_ip") or ""), str(agent))


def _with_offset(value: object) -> object:
    """A time without an offset is UTC, as files rarely say so."""
    if isinstance(value, str) and _LOCAL_TIME.fullmatch(value.strip()):
        return value.strip() + "Z"
    return value


def _line_id(line: bytes, number: int, options: FileOptions) -> str:
    parts = ((options.origin or options.source).encode(), b"%d" % number, line)
    return blake2b(b"\n".join(parts), digest_size=16).hexdigest()


def _digest(*parts: str) -> str:
    return blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()
