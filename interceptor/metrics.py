"""The ledger's columns as Prometheus metrics. Pure."""

from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from typing import Any

from contracts import InterceptorStats
from contracts.exposition import CONTENT_TYPE, Family, Sample, exposition_of

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
    return exposition_of(families(stats))


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
        (b"content-type", CONTENT_TYPE.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
    ]
    start = {"type": "http.response.start", "status": 200, "headers": headers}
    return start, {"type": "http.response.body", "body": body}


def families(stats: InterceptorStats) -> Iterator[Family]:
    """The same before it is text."""
    labels = {"site": stats.site_id, "instance": stats.instance}
    for column, meaning in COUNTERS.items():
        sample = Sample(getattr(stats, column), labels)
        yield Family(f"{PREFIX}_{column}_total", "counter", meaning, [sample])
    for column, meaning in GAUGES.items():
        sample = Sample(getattr(stats, column), labels)
        yield Family(f"{PREFIX}_{column}", "gauge", meaning, [sample])
    for column, meaning in REASONS.items():
        counts = sorted(getattr(stats, column).items())
        samples = [Sample(number, {**labels, "reason": reason}) for reason, number in counts]
        yield Family(f"{PREFIX}_{column}_total", "counter", meaning, samples)
    began = Sample(stats.started / 1000, labels)
    meaning = "when the process began, since 1970 UTC"
    yield Family(f"{PREFIX}_start_time_seconds", "gauge", meaning, [began])


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
