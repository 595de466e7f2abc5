"""The ledger's columns as Prometheus metrics, in its text format 0.0.4. Pure."""

from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from typing import Any

from contracts import InterceptorStats

CONTENT_TYPE = b"text/plain; version=0.0.4; charset=utf-8"
PREFIX = "clickwake_interceptor"

COUNTERS = {
    "observed": "requests seen",
    "adopted": "events taken over from the disks of ended processes",
    "sent": "events that Kafka has acknowledged",
    "spool_errors": "what the spool's disk refused to do",
}
GAUGES = {
    "queued": "events that wait in memory",
    "spooled": "events that wait on the disk",
}
REASONS = {
    "dropped": "requests that were chosen not to be logged",
    "lost": "requests that should have been logged and could not be",
}
FORWARDED = frozenset({b"forwarded", b"x-forwarded-for", b"x-real-ip", b"via"})
"""Who sends one of these is a proxy, and its visitor may be anybody."""

FORWARDED_KEYS = frozenset(f"HTTP_{name.decode().upper().replace('-', '_')}" for name in FORWARDED)
"""The same in a WSGI environ."""


def exposition(stats: InterceptorStats) -> str:
    """The counts of this process, labelled with its site and instance.

    observed + adopted = dropped + sent + queued + spooled + lost, as in the ledger. Several
    processes behind one address answer in turn; their instances tell their series apart.
    """
    return "".join(f"{line}\n" for line in _lines(stats))


def is_asked_for(scope: Mapping[str, Any], path: str) -> bool:
    """Whether an ASGI request wants the metrics at ``path`` and may have them.

    It may when it comes from this machine itself, not through a proxy on it.
    """
    return (
        scope.get("path") == path
        and scope.get("method") == "GET"
        and _is_loopback((scope.get("client") or ("",))[0])
        and not any(name.lower() in FORWARDED for name, _ in scope["headers"])
    )


def is_asked_for_in(environ: Mapping[str, Any], path: str) -> bool:
    """``is_asked_for`` of a WSGI request."""
    return (
        environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "") == path
        and environ.get("REQUEST_METHOD") == "GET"
        and _is_loopback(environ.get("REMOTE_ADDR", ""))
        and FORWARDED_KEYS.isdisjoint(environ)
    )


def answer(stats: InterceptorStats) -> tuple[dict[str, Any], dict[str, Any]]:
    """The ASGI messages of the answer."""
    body = exposition(stats).encode()
    headers = [
        (b"content-type", CONTENT_TYPE),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    start = {"type": "http.response.start", "status": 200, "headers": headers}
    return start, {"type": "http.response.body", "body": body}


def _lines(stats: InterceptorStats) -> Iterator[str]:
    labels = f'site="{_escaped(stats.site_id)}",instance="{_escaped(stats.instance)}"'
    for column, meaning in COUNTERS.items():
        yield from _head(f"{column}_total", "counter", meaning)
        yield f"{PREFIX}_{column}_total{{{labels}}} {getattr(stats, column)}"
    for column, meaning in GAUGES.items():
        yield from _head(column, "gauge", meaning)
        yield f"{PREFIX}_{column}{{{labels}}} {getattr(stats, column)}"
    for column, meaning in REASONS.items():
        yield from _head(f"{column}_total", "counter", meaning)
        for reason, number in sorted(getattr(stats, column).items()):
            yield f'{PREFIX}_{column}_total{{{labels},reason="{_escaped(reason)}"}} {number}'
    yield from _head("start_time_seconds", "gauge", "when the process began, since 1970 UTC")
    yield f"{PREFIX}_start_time_seconds{{{labels}}} {stats.started / 1000:.3f}"


def _head(name: str, kind: str, meaning: str) -> tuple[str, str]:
    return f"# HELP {PREFIX}_{name} {meaning}", f"# TYPE {PREFIX}_{name} {kind}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
