"""From what is known to what is shown: partitions, and what is wrong with what to do. Pure."""

from collections.abc import Iterable, Iterator, Sequence

from api.health import Components
from api.pipeline.answers import Partition, ReasonCount
from contracts.findings import Finding, note, ok, problem, warning
from contracts.ledger import Ledger, LedgerBucket

_ORDER = {"problem": 0, "warning": 1, "note": 2, "ok": 3}
_TITLES = {
    "database": "history database",
    "consumer": "history reader",
    "live": "live reader",
    "job": "session job",
    "geo": "places",
    "dashboards": "dashboards",
}
_REPORT = (
    "Keep the data folder, run `./clickwake ledger --buckets --json`, and report it: this should "
    "never be."
)
_LOST = (
    "docs/operations.md says what to do about each reason; mostly: set "
    "CLICKWAKE_SITE_SPOOL_DIRECTORY, so that a site's disk keeps what Kafka does not take."
)
_SPOOLED = "Bring Kafka back, and start the site again on the host whose disk has them."
_DISKS = "The sites' logs say how, and what to do."
_DEAD = "Correct the producer; then replay, below, what can be read by now."
_LATE = "Apply them by backfill, below."


def partitions(buckets: Iterable[LedgerBucket]) -> list[Partition]:
    """The buckets by the partition that they belong to."""
    grouped: dict[tuple[str, int], list[LedgerBucket]] = {}
    for bucket in buckets:
        grouped.setdefault((bucket.topic, bucket.partition), []).append(bucket)
    return [_partition(topic, number, some) for (topic, number), some in sorted(grouped.items())]


def _partition(topic: str, number: int, buckets: Sequence[LedgerBucket]) -> Partition:
    last = max(buckets, key=lambda bucket: (bucket.processed_time, bucket.watermark))
    return Partition(
        topic=topic,
        partition=number,
        buckets=len(buckets),
        watermark=last.watermark,
        told=last.processed_time,
        visitors=sum(bucket.visitors for bucket in buckets),
        requests=sum(bucket.tally.requests for bucket in buckets),
    )


def findings(
    components: Components, ledger: Ledger, letters: Sequence[ReasonCount]
) -> list[Finding]:
    """Everything, the worst first."""
    every = [*_parts(components), *_requests(ledger), *_letters(letters), *_late(ledger)]
    return sorted(every, key=lambda one: _ORDER[one.level])


def _parts(components: Components) -> Iterator[Finding]:
    for name in components.__struct_fields__:
        part = getattr(components, name)
        title = _TITLES.get(name, name)
        yield ok(title, part.detail) if part.ok else problem(title, part.detail, part.todo)


def _requests(ledger: Ledger) -> Iterator[Finding]:
    check = "ledger"
    yield ok(check, ledger.detail) if ledger.balances else problem(check, ledger.detail, _REPORT)
    sites = ledger.interceptors
    if sites.lost:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in sites.lost.items())
        what = f"Requests that should have been logged were lost: {reasons}."
        yield warning("lost requests", what, _LOST)
    if sites.spooled > sites.adopted:
        waiting = sites.spooled - sites.adopted
        yield note("spools", f"On the sites' disks: {_number(waiting, 'event')}.", _SPOOLED)
    if sites.spool_errors:
        what = f"The sites' disks failed {_number(sites.spool_errors, 'time')}."
        yield warning("sites' disks", what, _DISKS)


def _letters(letters: Sequence[ReasonCount]) -> Iterator[Finding]:
    recent = [one for one in letters if one.last_day]
    if recent:
        total = sum(one.last_day for one in recent)
        most = max(recent, key=lambda one: one.last_day)
        what = (
            f"{_number(total, 'record')} of the last 24 hours could not be read, most for "
            f"{most.reason} ({most.last_day:,})."
        )
        yield warning("dead letters", what, _DEAD)


def _late(ledger: Ledger) -> Iterator[Finding]:
    waiting = ledger.late_listed - ledger.late_placed
    if waiting > 0:
        what = f"In no session: {_number(waiting, 'late event')}."
        yield note("late events", what, _LATE)


def _number(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"
