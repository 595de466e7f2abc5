"""What was measured, and what it comes to. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import msgspec

from benchmarks.bars import Bar
from benchmarks.figures import middle, spread
from contracts import InterceptorStats

BUSY = 0.9
"""From this share of a core on, the client itself is what is measured."""
STARVED = 0.8
"""A server that is asked all it can answer and has less of its core is not alone on it."""
P50, P99, P999, LONGEST = range(4)


class Counts(msgspec.Struct, frozen=True):
    """What the middleware counted: each request it observed is in one of the other columns."""

    observed: int
    sent: int
    lost: int
    dropped: int
    queued: int

    @classmethod
    def of(cls, stats: InterceptorStats) -> "Counts":
        """The sums, whatever the reasons."""
        lost, dropped = sum(stats.lost.values()), sum(stats.dropped.values())
        return cls(stats.observed, stats.sent, lost, dropped, stats.queued)

    @property
    def is_balanced(self) -> bool:
        """Whether no request is missing."""
        return self.observed == self.sent + self.lost + self.dropped + self.queued


class InProcess(msgspec.Struct, frozen=True, kw_only=True, tag="in process", tag_field="part"):
    """One case, called directly, once. Times are µs; added: more than without a middleware.

    ``requests`` are all that were made, with the warm-up's.
    """

    case: str
    number: int
    requests: int
    p50_us: float
    p99_us: float
    added_p50_us: float
    added_p99_us: float
    counts: Counts | None


class Phase(msgspec.Struct, frozen=True, kw_only=True):
    """One load: its answers, and what they took.

    ``ms`` is from request to answer at the percentiles 50, 99, 99.9 and 100. ``cpu_us`` is the
    server's CPU for each request, all its threads together. ``client_cpu`` is the client's share
    of one core.
    """

    requests: int
    per_s: float
    ms: list[float]
    cpu_us: float
    client_cpu: float


class Served(msgspec.Struct, frozen=True, kw_only=True, tag="served", tag_field="part"):
    """One server under load, once, or why there is no result.

    ``requests`` are all that were answered, with the warm-up's; ``wrong`` are answers that were
    not the page. ``memory_mb`` is the server's at the end.
    """

    case: str
    number: int
    failure: str | None = None
    requests: int = 0
    wrong: int = 0
    paced: Phase | None = None
    saturated: Phase | None = None
    memory_mb: float = 0
    counts: Counts | None = None


IN_PROCESS_TITLES = ("in process", "p50", "added p50", "spread", "added p99", "spread")
SERVED_TITLES = (
    "served",
    "most/s",
    "spread",
    "p50",
    "p99",
    "spread",
    "CPU",
    "CPU at most",
    "memory",
    "sent",
    "lost",
    "queued",
    "client",
)

One = TypeVar("One", InProcess, Served)


def _cases(rounds: Iterable[One]) -> list[list[One]]:
    cases: dict[str, list[One]] = {}
    for one in rounds:
        cases.setdefault(one.case, []).append(one)
    return list(cases.values())


def in_process_rows(rounds: Sequence[InProcess], titles: Mapping[str, str]) -> list[list[str]]:
    """The medians, a row for each case."""
    return [
        [
            titles[found[0].case],
            _us(one.p50_us for one in found),
            _us(added := [one.added_p50_us for one in found]),
            _spread(added),
            _us(added := [one.added_p99_us for one in found]),
            _spread(added),
        ]
        for found in _cases(rounds)
    ]


def in_process_bars(rounds: Sequence[InProcess], titles: Mapping[str, str]) -> list[Bar]:
    """The added median of each case."""
    return [
        Bar(
            label=titles[case := found[0].case],
            value=(added := middle(one.added_p50_us for one in found)),
            text=f"{added:.1f} µs",
            is_ours=not case.startswith("base"),
        )
        for found in _cases(rounds)
        if found[0].case != "none"
    ]


def served_rows(rounds: Sequence[Served], titles: Mapping[str, str]) -> list[list[str]]:
    """The medians, a row for each case that was measured."""
    return [_served_row(titles[found[0].case], found) for found in _measured(rounds)]


def _measured(rounds: Sequence[Served]) -> list[list[Served]]:
    return _cases(one for one in rounds if one.failure is None)


def _served_row(title: str, found: list[Served]) -> list[str]:
    paced = [one.paced for one in found if one.paced]
    saturated = [one.saturated for one in found if one.saturated]
    rates, p99 = [one.per_s for one in saturated], [one.ms[P99] for one in paced]
    client = middle(one.client_cpu for one in saturated)
    return [
        title,
        f"{middle(rates):,.0f}",
        _spread(rates),
        f"{middle(one.ms[P50] for one in paced):.2f} ms",
        f"{middle(p99):.2f} ms",
        _spread(p99),
        _us(one.cpu_us for one in paced),
        _us(one.cpu_us for one in saturated),
        f"{middle(one.memory_mb for one in found):.0f} MB",
        *(_share(found, column) for column in ("sent", "lost", "queued")),
        f"{client:.0%}" + (" (busy)" if client >= BUSY else ""),
    ]


def _share(found: Iterable[Served], column: str) -> str:
    """The median share of the observed requests; a dash without a middleware."""
    shares = [getattr(one.counts, column) / one.counts.observed for one in found if one.counts]
    return f"{middle(shares):.1%}" if shares else "–"


def served_bars(rounds: Sequence[Served], titles: Mapping[str, str]) -> list[Bar]:
    """The rate at saturation of each case, with the delay at the fixed rate beside it."""
    return [
        Bar(
            label=titles[case := found[0].case],
            value=(rate := middle(one.saturated.per_s for one in found if one.saturated)),
            text=f"{rate:,.0f}/s, p99 at rate "
            f"{middle(one.paced.ms[P99] for one in found if one.paced):.2f} ms",
            is_ours=case.startswith("clickwake"),
        )
        for found in _measured(rounds)
    ]


def notes(rounds: Sequence[Served], titles: Mapping[str, str]) -> list[str]:
    """What a reader of the served table must know besides."""
    told = [
        f"{titles[one.case]}, round {one.number}: {what}" for one in rounds for what in _amiss(one)
    ]
    measured = _measured(rounds)
    told += [note for found in measured for note in _starved(titles[found[0].case], found)]
    if any(one.saturated and one.saturated.client_cpu >= BUSY for case in measured for one in case):
        told.append("busy: the client needed a whole core, so rates and delays are its own as well")
    return told


def _amiss(one: Served) -> Iterator[str]:
    if one.failure:
        yield one.failure
    if one.wrong:
        yield f"{one.wrong:,} answers were not the page"
    if one.counts and not (one.counts.is_balanced and one.counts.observed == one.requests):
        yield f"{one.requests:,} requests do not add up to {one.counts}"


def _starved(title: str, found: Sequence[Served]) -> Iterator[str]:
    core = middle(_core(one.saturated) for one in found if one.saturated)
    if core < STARVED:
        yield (
            f"{title}: the server had {core:.0%} of its core when it answered the most: others "
            "ran on it, or the client could not ask"
        )


def _core(phase: Phase) -> float:
    """The share of a core that the server took."""
    return phase.cpu_us * phase.per_s / 1e6


def _us(values: Iterable[float]) -> str:
    return f"{middle(values):.1f} µs"


def _spread(values: Sequence[float]) -> str:
    """Between the largest and the smallest, in parts of the median."""
    return f"{abs(spread(values)):.0%}" if len(values) > 1 else "–"
