"""The ledger's columns, the watermarks and the sites' own counts as metrics. Pure."""

from collections.abc import Iterable, Iterator

from contracts import InterceptorStats
from contracts.exposition import Family, Sample
from contracts.ledger import Ledger, LedgerBucket, LedgerInterceptors
from contracts.outcomes import LOST_REASONS

OUTCOMES = ("events", "duplicates", "late", "dead_letters", "cut", "erased")
SITE_COUNTERS = {
    "observed": "requests that the middleware saw",
    "adopted": "events taken over from the disks of ended processes",
    "sent": "events that Kafka has acknowledged",
    "spool_errors": "what the spool's disk refused to do",
}
SITE_GAUGES = {
    "queued": "events that wait in memory",
    "spooled": "events on the disk, or left on it by a process that has ended",
}
SITE_REASONS = {
    "dropped": "requests that were chosen not to be logged",
    "lost": "requests that should have been logged and could not be",
}


def ledger_families(ledger: Ledger, prefix: str, now: int) -> Iterator[Family]:
    """All that the ledger knows; ``prefix`` is that of the topics."""
    yield from _columns(ledger)
    yield from _watermarks(ledger.buckets, f"{prefix}.requests", now)
    yield from _sites(ledger.interceptors)
    yield from _processes(ledger.interceptors.newest)


def _columns(ledger: Ledger) -> Iterator[Family]:
    topics = [(topic.tally, {"topic": topic.topic}) for topic in ledger.topics]
    requests = [Sample(tally.requests, labels) for tally, labels in topics]
    outcomes = [
        Sample(getattr(tally, name), labels | {"outcome": name})
        for tally, labels in topics
        for name in OUTCOMES
    ]
    wrong = sum(not bucket.balances for bucket in ledger.buckets)
    yield Family(
        "clickwake_ledger_requests_total",
        "counter",
        "requests that the job has read since its checkpoint began",
        requests,
    )
    yield Family(
        "clickwake_ledger_outcomes_total", "counter", "what became of these requests", outcomes
    )
    yield _gauge("clickwake_ledger_unbalanced_buckets", "buckets that miss a request", wrong)
    yield _gauge("clickwake_late_events_listed", "late events in the history", ledger.late_listed)
    yield _gauge("clickwake_late_events_placed", "those that are in sessions", ledger.late_placed)


def _watermarks(buckets: Iterable[LedgerBucket], topic: str, now: int) -> Iterator[Family]:
    newest: dict[int, LedgerBucket] = {}
    for bucket in buckets:
        known = newest.get(bucket.partition)
        if bucket.topic == topic and (
            known is None or bucket.processed_time > known.processed_time
        ):
            newest[bucket.partition] = bucket
    places = [({"topic": topic, "partition": str(n)}, newest[n]) for n in sorted(newest)]
    lag = [Sample((one.processed_time - one.watermark) / 1000, at) for at, one in places]
    age = [Sample((now - one.watermark) / 1000, at) for at, one in places]
    meaning = "how far the watermark trailed when a bucket of the partition last had news"
    yield Family("clickwake_watermark_lag_seconds", "gauge", meaning, lag)
    meaning = "how old that watermark is by now; it grows while nobody visits"
    yield Family("clickwake_watermark_age_seconds", "gauge", meaning, age)


def _sites(all_sites: LedgerInterceptors) -> Iterator[Family]:
    on_disk = all_sites.spooled - all_sites.adopted
    name = "clickwake_sites_processes"
    yield _gauge(name, "processes of sites that have published counts", all_sites.processes)
    yield _gauge("clickwake_sites_queued", SITE_GAUGES["queued"], all_sites.queued)
    yield _gauge("clickwake_sites_on_disk", "events on sites' disks that nobody has sent", on_disk)
    for column, meaning in SITE_COUNTERS.items():
        total = [Sample(getattr(all_sites, column))]
        yield Family(f"clickwake_sites_{column}_total", "counter", meaning, total)
    for column, meaning in SITE_REASONS.items():
        # A series that begins above zero shows Prometheus no increase: each loss begins at zero.
        known = dict.fromkeys(LOST_REASONS, 0) if column == "lost" else {}
        counts = known | getattr(all_sites, column)
        samples = [Sample(number, {"reason": reason}) for reason, number in counts.items()]
        yield Family(f"clickwake_sites_{column}_total", "counter", meaning, samples)


def _processes(newest: Iterable[InterceptorStats]) -> Iterator[Family]:
    """The label is ``process``: Prometheus itself gives every series an ``instance``."""
    labelled = [(one, {"site": one.site_id, "process": one.instance}) for one in newest]
    for column, meaning in SITE_GAUGES.items():
        samples = [Sample(getattr(one, column), labels) for one, labels in labelled]
        yield Family(f"clickwake_site_process_{column}", "gauge", meaning, samples)
    for column, meaning in SITE_COUNTERS.items():
        samples = [Sample(getattr(one, column), labels) for one, labels in labelled]
        yield Family(f"clickwake_site_process_{column}_total", "counter", meaning, samples)
    for column, meaning in SITE_REASONS.items():
        samples = [
            Sample(number, {**labels, "reason": reason})
            for one, labels in labelled
            for reason, number in sorted(getattr(one, column).items())
        ]
        yield Family(f"clickwake_site_process_{column}_total", "counter", meaning, samples)


def _gauge(name: str, meaning: str, value: float) -> Family:
    return Family(name, "gauge", meaning, [Sample(value)])
