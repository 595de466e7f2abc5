"""Lines of web servers' access logs, as the fields of request events. Pure.

Each reader takes a line and the names of its file's columns, which only formats with a header
have. What a log does not tell is left out. Servers write bytes that they were sent: what is no
UTF-8 must not cost the line.
"""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec

from contracts.texts import MAX_AGENT, clean, cut, host_text, path_text, query_values, referrer_text
from spark_jobs.referrer import UTM_NAMES

CAMPAIGN = frozenset(UTM_NAMES)
"""The parameters that are kept of a query."""

Reader = Callable[[bytes, Sequence[str]], dict[str, Any]]

_COMBINED = re.compile(
    r'(?P<address>\S+) \S+ \S+ \[(?P<time>[^\]]+)\] "(?P<request>(?:[^"\\]|\\.)*)" '
    r'(?P<status>\d{3}) \S+ "(?P<referrer>(?:[^"\\]|\\.)*)" "(?P<agent>(?:[^"\\]|\\.)*)"'
)
_ALB = re.compile(
    r"(?P<type>\S+) (?P<time>\S+) \S+ (?P<client>\S+) \S+ (?P<times>\S+ \S+ \S+) (?P<status>\S+) "
    r'\S+ \S+ \S+ "(?P<request>(?:[^"\\]|\\.)*)" "(?P<agent>(?:[^"\\]|\\.)*)"'
)


class LineError(ValueError):
    """A line does not have its format. The message says how."""


def combined(line: bytes, _columns: Sequence[str]) -> dict[str, Any]:
    """Apache's and nginx' ``combined``, and Traefik's ``common``, which goes on after it."""
    match = _COMBINED.match(line.decode("utf-8", "replace"))
    if match is None:
        raise LineError("the line is not in the combined log format")
    method, target = _request(match["request"])
    return _visit(
        event_time=_apache_time(match["time"]),
        client_ip=match["address"],
        method=method,
        target=target,
        status=match["status"],
        referrer=match["referrer"],
        user_agent=match["agent"],
    )


def caddy(line: bytes, _columns: Sequence[str]) -> dict[str, Any]:
    """Caddy 2's JSON access log; ``ts`` is in seconds, or text with an offset."""
    entry = _object(line)
    request = entry.get("request")
    if not isinstance(request, dict):
        raise LineError("the entry has no request: is it an access log of Caddy 2?")
    return _visit(
        event_time=_seconds_or_text(entry.get("ts")),
        client_ip=request.get("client_ip") or request.get("remote_ip"),
        method=request.get("method"),
        target=request.get("uri"),
        status=entry.get("status"),
        referrer=_first(request, "Referer"),
        user_agent=_first(request, "User-Agent"),
        host=request.get("host"),
        duration_ms=_number(entry.get("duration")) * 1000,
    )


def traefik(line: bytes, _columns: Sequence[str]) -> dict[str, Any]:
    """Traefik's JSON access log. It has referrer and agent only if told to keep these headers."""
    entry = _object(line)
    return _visit(
        event_time=entry.get("StartUTC") or entry.get("time"),
        client_ip=entry.get("ClientHost"),
        method=entry.get("RequestMethod"),
        target=entry.get("RequestPath"),
        status=entry.get("DownstreamStatus"),
        referrer=entry.get("request_Referer"),
        user_agent=entry.get("request_User-Agent"),
        host=entry.get("RequestHost"),
        # In nanoseconds.
        duration_ms=_number(entry.get("Duration")) / 1e6,
    )


def iis(line: bytes, columns: Sequence[str]) -> dict[str, Any]:
    """IIS' W3C extended log: UTC, ``+`` for blanks, ``time-taken`` in ms at the answer's end."""
    row = _row(line.decode("utf-8", "replace").split(), columns)
    taken = _number(row.get("time-taken"))
    return _visit(
        event_time=_w3c_time(row) - round(taken),
        client_ip=row.get("c-ip"),
        method=row.get("cs-method"),
        target=_with_query(row),
        status=row.get("sc-status"),
        referrer=row.get("cs(Referer)"),
        user_agent=row.get("cs(User-Agent)", "").replace("+", " "),
        host=row.get("cs-host"),
        duration_ms=taken,
    )


def cloudfront(line: bytes, columns: Sequence[str]) -> dict[str, Any]:
    """CloudFront's standard log: tabs, UTC, escaped text, ``time-taken`` in s at the end."""
    row = _row(line.decode("utf-8", "replace").split("\t"), columns)
    taken = _number(row.get("time-taken")) * 1000
    found = _visit(
        event_time=_w3c_time(row) - round(taken),
        client_ip=row.get("c-ip"),
        method=row.get("cs-method"),
        target=_with_query(row),
        status=row.get("sc-status"),
        referrer=unquote(row.get("cs(Referer)", "")),
        # Escaped twice: once as the log's text, once more for its blanks.
        user_agent=unquote(unquote(row.get("cs(User-Agent)", ""))),
        host=row.get("x-host-header") or row.get("cs(Host)"),
        duration_ms=taken,
    )
    if row.get("x-edge-request-id"):
        found["event_id"] = row["x-edge-request-id"]
    return found


def alb(line: bytes, _columns: Sequence[str]) -> dict[str, Any]:
    """An AWS application load balancer's log. It knows no referrer; its time is the answer's."""
    match = _ALB.match(line.decode("utf-8", "replace"))
    if match is None:
        raise LineError("the line is not an entry of an application load balancer")
    method, url = _request(match["request"])
    parts = _url(url)
    # -1 stands for a part that the request did not reach.
    taken = 1000 * sum(max(0.0, _number(part)) for part in match["times"].split())
    return _visit(
        event_time=_ms(_iso(match["time"])) - round(taken),
        client_ip=match["client"].rpartition(":")[0].strip("[]"),
        method=method,
        target=f"{parts.path or '/'}?{parts.query}",
        status=match["status"],
        user_agent=match["agent"],
        host=parts.hostname,
        duration_ms=taken,
    )


READERS: dict[str, Reader] = {
    "combined": combined,
    "nginx": combined,
    "caddy": caddy,
    "traefik": traefik,
    "iis": iis,
    "cloudfront": cloudfront,
    "alb": alb,
}
WITH_FIELDS = ("iis", "cloudfront")
"""They begin with directives, of which ``#Fields:`` names the columns."""


def columns_of(first_lines: Sequence[str]) -> tuple[str, ...]:
    """The columns that a W3C log's ``#Fields:`` names; none when there is no such line."""
    named = (line for line in first_lines if line.startswith("#Fields:"))
    return tuple(next(named, "#Fields:").removeprefix("#Fields:").split())


def _visit(
    *,
    event_time: object,
    client_ip: object,
    method: object,
    target: object,
    status: object,
    user_agent: object,
    referrer: object = None,
    host: object = None,
    duration_ms: float = 0.0,
) -> dict[str, Any]:
    """The event's fields; LineError for what no request can do without."""
    if not isinstance(method, str) or not method.isalpha() or not isinstance(target, str):
        raise LineError(f"the request {str(method)[:16]!r} {str(target)[:64]!r} is none")
    if not str(status).isdigit():
        raise LineError(f"{str(status)[:16]!r} is no status: the visitor had no answer")
    path, _, query = target.partition("?")
    found: dict[str, Any] = {
        "event_time": event_time,
        "client_ip": _text(client_ip)[:64] or None,
        "method": method[:16],
        "path": path_text(path.encode()),
        "query": query_values(query.encode(), CAMPAIGN),
        "status": int(str(status)),
        "referrer": referrer_text(_text(referrer)),
        "user_agent": cut(_text(user_agent), MAX_AGENT),
    }
    if host:
        found["host"] = host_text(str(host))
    if duration_ms > 0:
        found["duration_ms"] = duration_ms
    return found


def _text(value: object) -> str:
    return "" if value in (None, "-") else clean(str(value))


def _request(text: str) -> tuple[str, str]:
    parts = text.split(" ")
    if len(parts) < 2 or not parts[0].isalpha():
        raise LineError(f"the request {text[:64]!r} is not METHOD TARGET PROTOCOL")
    return parts[0], parts[1]


def _object(line: bytes) -> dict[str, Any]:
    try:
        entry = msgspec.json.decode(line.decode("utf-8", "replace"))
    except msgspec.DecodeError as error:
        raise LineError(f"the line is no JSON: {error}") from None
    if not isinstance(entry, dict):
        raise LineError("the line is no JSON object")
    return entry


def _first(request: dict[str, Any], header: str) -> object:
    headers = request.get("headers")
    values = headers.get(header) if isinstance(headers, dict) else None
    return values[0] if isinstance(values, list) and values else None


def _row(values: list[str], columns: Sequence[str]) -> dict[str, str]:
    if len(values) != len(columns):
        raise LineError(f"{len(values)} columns where #Fields names {len(columns)}")
    return {name: value for name, value in zip(columns, values, strict=True) if value != "-"}


def _with_query(row: dict[str, str]) -> str | None:
    path, query = row.get("cs-uri-stem"), row.get("cs-uri-query")
    return f"{path}?{query}" if path and query else path


def _number(value: object) -> float:
    try:
        return float(str(value))
    except ValueError:
        return 0.0


def _url(url: str) -> Any:
    try:
        return urlsplit(url)
    except ValueError:
        raise LineError(f"{url[:64]!r} is no address") from None


def _apache_time(text: str) -> int:
    try:
        return _ms(datetime.strptime(text, "%d/%b/%Y:%H:%M:%S %z"))
    except ValueError:
        raise LineError(f"{text[:40]!r} is no time like 17/May/2015:10:05:03 +0000") from None


def _w3c_time(row: dict[str, str]) -> int:
    return _ms(_iso(f"{row.get('date')}T{row.get('time')}").replace(tzinfo=UTC))


def _iso(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise LineError(f"{text[:40]!r} is no time like 2015-05-17T10:05:03Z") from None


def _seconds_or_text(value: object) -> object:
    return round(value * 1000) if isinstance(value, int | float) else value


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
