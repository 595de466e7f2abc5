"""What was measured, and what it comes to. Pure."""

from collections.abc import Iterable, Sequence

import msgspec

from benchmarks.bars import Bar
from benchmarks.fanout.servers import TITLES as SERVERS
from benchmarks.figures import middle, spread

BUSY = 0.9
"""From this share of a core on, the clients themselves are what is measured."""
P50, P99, P999, LONGEST = range(4)

TITLES = (
    "server",
    "clients",
    "updates/s",
    "told p50",
    "told p99",
    "fan-out p50",
    "fan-out p99",
    "spread",
    "CPU",
    "a client",
    "delivered",
    "clients' CPU",
)


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """How many clients, how many updates a second, for how long after which warm-up."""

    clients: int
    rate: float
    seconds: float
    warm_up_s: float


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """One server with so many clients at one rate, once, or why there is no result.

    ``told_ms`` counts from when an update was due to be published, ``fanout_ms`` from when its
    frame was made (or handed to the server, where the publisher makes it), both to the client, at
    the percentiles 50, 99, 99.9 and 100. ``cpu`` and ``client_cpu`` are shares of one core.
    ``delivered`` is the share of updates that reached the clients, ``left`` how many connections
    the server ended.
    """

    server: str
    number: int
    clients: int
    rate: float
    failure: str | None = None
    seconds: float = 0
    published: int = 0
    delivered: float = 0
    frames_per_s: float = 0
    frame_bytes: int = 0
    left: int = 0
    told_ms: list[float] = []
    fanout_ms: list[float] = []
    cpu: float = 0
    memory_mb: float = 0
    kb_per_client: float = 0
    client_cpu: float = 0


def rows(rounds: Sequence[Round]) -> list[list[str]]:
    """The medians, a row for each case that was measured, in the order of its first round."""
    return [_row(found) for found in _cases(rounds)]


def _cases(rounds: Sequence[Round]) -> list[list[Round]]:
    cases: dict[tuple[int, float, str], list[Round]] = {}
    for one in rounds:
        if one.failure is None:
            cases.setdefault((one.clients, one.rate, one.server), []).append(one)
    return list(cases.values())


def bars(rounds: Sequence[Round]) -> list[Bar]:
    """The fan-out's 99th percentile of each case."""
    return [
        Bar(
            label=f"{SERVERS[one.server]}, {one.clients:,} × {one.rate:g}/s",
            value=(p99 := middle(each.fanout_ms[P99] for each in found)),
            text=f"{p99:.0f} ms, {middle(each.cpu for each in found):.0%} of a core",
            is_ours=one.server == "clickwake",
        )
        for found in _cases(rounds)
        for one in found[:1]
    ]


def _row(found: list[Round]) -> list[str]:
    first = found[0]
    p99 = [one.fanout_ms[P99] for one in found]
    clients_cpu = middle(one.client_cpu for one in found)
    return [
        SERVERS[first.server],
        f"{first.clients:,}",
        f"{first.rate:g}",
        _ms(one.told_ms[P50] for one in found),
        _ms(one.told_ms[P99] for one in found),
        _ms(one.fanout_ms[P50] for one in found),
        _ms(p99),
        f"{spread(p99):.0%}" if len(found) > 1 else "–",
        f"{middle(one.cpu for one in found):.0%}",
        f"{middle(one.kb_per_client for one in found):.0f} kB",
        f"{min(one.delivered for one in found):.2%}",
        f"{clients_cpu:.0%}" + (" (busy)" if clients_cpu >= BUSY else ""),
    ]


def _ms(values: Iterable[float]) -> str:
    return f"{middle(values):.0f} ms"


def notes(rounds: Sequence[Round], missing: dict[str, str]) -> list[str]:
    """What a reader of the table must know besides."""
    told = [f"not run: {SERVERS[name]}: {why}" for name, why in missing.items()]
    told += [
        f"{SERVERS[one.server]}, {one.clients:,} clients, round {one.number}: {one.failure}"
        for one in rounds
        if one.failure
    ]
    if any(len(found) > 1 for found in _cases(rounds)):
        told.append("spread: between the largest and the smallest fan-out p99 of the rounds")
    sizes = sorted({one.frame_bytes for one in rounds if one.frame_bytes})
    if sizes:
        told.append(f"a frame has {sizes[0]:,} to {sizes[-1]:,} bytes")
    if any(one.client_cpu >= BUSY for one in rounds):
        told.append("busy: the clients needed a whole core, so delays are theirs as well")
    return told
