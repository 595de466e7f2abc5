"""From the buckets' and the interceptors' own counts to one ledger. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from contracts import BucketStats, InterceptorStats, JobStatus, Tally
from contracts.ledger import Ledger, LedgerBucket, LedgerInterceptors, LedgerTopic

NEWEST_PROCESSES = 50


class Known(NamedTuple):
    """What the history knows. ``prefix`` is that of the installation's own topics."""

    prefix: str
    buckets: Sequence[BucketStats]
    interceptors: Sequence[InterceptorStats]
    job: JobStatus | None
    late_listed: int
    late_placed: int


def ledger(known: Known) -> Ledger:
    """Sum up, and say whether every request is accounted for."""
    counted = _counted(known.buckets, known.prefix)
    buckets = [_bucket(stats) for stats in counted]
    topics = _topics(counted)
    total = _sum(topic.tally for topic in topics)
    behind = known.job.behind if known.job else None
    live = next((t.tally for t in topics if t.topic == f"{known.prefix}.requests"), Tally())
    return Ledger(
        balances=all(bucket.balances for bucket in buckets),
        detail=_verdict(total, buckets),
        behind=behind,
        job_seen=known.job.processed_time if known.job else None,
        total=total,
        topics=topics,
        buckets=buckets,
        late_listed=known.late_listed,
        late_placed=known.late_placed,
        interceptors=_interceptors(known.interceptors, live.requests, behind),
    )


def accounted(tally: Tally) -> int:
    """The requests that stand in a column."""
    told = tally.events + tally.late + tally.dead_letters
    return told + tally.duplicates + tally.cut + tally.erased


def _counted(buckets: Iterable[BucketStats], prefix: str) -> list[BucketStats]:
    """The buckets of the newest epoch of each own topic.

    After a change of the number of buckets, those of an earlier epoch stay behind under numbers
    that nobody writes any more; what they counted, the new epoch has read again.
    """
    own = [stats for stats in buckets if _is_own(stats.topic, prefix)]
    newest: dict[str, int] = {}
    for stats in own:
        newest[stats.topic] = max(newest.get(stats.topic, stats.epoch), stats.epoch)
    current = (stats for stats in own if stats.epoch == newest[stats.topic])
    return sorted(current, key=lambda stats: (stats.topic, stats.partition, stats.bucket))


def _is_own(topic: str, prefix: str) -> bool:
    """``clickwake.requests`` is, ``clickwake.staging.requests`` is another installation's."""
    start, _, role = topic.rpartition(".")
    return start == prefix and bool(role)


def _bucket(stats: BucketStats) -> LedgerBucket:
    return LedgerBucket(
        topic=stats.topic,
        partition=stats.partition,
        bucket=stats.bucket,
        epoch=stats.epoch,
        watermark=stats.watermark,
        processed_time=stats.processed_time,
        visitors=stats.visitors,
        tally=stats.tally,
        balances=_is_balanced(stats.tally),
    )


def _is_balanced(tally: Tally) -> bool:
    return tally.requests == accounted(tally)


def _topics(counted: Sequence[BucketStats]) -> list[LedgerTopic]:
    by_topic: dict[str, list[BucketStats]] = {}
    for stats in counted:
        by_topic.setdefault(stats.topic, []).append(stats)
    return [
        LedgerTopic(
            topic=topic,
            epoch=stats[0].epoch,
            buckets=len(stats),
            tally=_sum(one.tally for one in stats),
            balances=all(_is_balanced(one.tally) for one in stats),
        )
        for topic, stats in by_topic.items()
    ]


def _sum(tallies: Iterable[Tally]) -> Tally:
    total = Counter(dict.fromkeys(Tally.__struct_fields__, 0))
    for tally in tallies:
        for name in Tally.__struct_fields__:
            total[name] += getattr(tally, name)
    return Tally(**total)


def _verdict(total: Tally, buckets: Sequence[LedgerBucket]) -> str:
    if not buckets:
        return "No bucket has published its counts yet: nothing is known of any request."
    wrong = [bucket for bucket in buckets if not bucket.balances]
    if not wrong:
        return f"{_equation(total)}: every request is accounted for, in each bucket."
    first = wrong[0]
    others = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
    return (
        f"Bucket {first.bucket} of {first.topic}/{first.partition}{others} does not balance: "
        f"{first.tally.requests:,} requests, of which {accounted(first.tally):,} are accounted for."
    )


def _equation(tally: Tally) -> str:
    erased = f" + {tally.erased:,} erased" if tally.erased else ""
    return (
        f"{tally.requests:,} requests = {tally.events:,} events + {tally.duplicates:,} duplicates "
        f"+ {tally.late:,} late + {tally.dead_letters:,} dead letters + {tally.cut:,} cut"
        f"{erased}"
    )


def _interceptors(
    processes: Sequence[InterceptorStats], requests: int, behind: int | None
) -> LedgerInterceptors:
    sent = sum(process.sent for process in processes)
    newest = sorted(processes, key=lambda process: (-process.started, process.instance))
    return LedgerInterceptors(
        processes=len(processes),
        observed=sum(process.observed for process in processes),
        sent=sent,
        queued=sum(process.queued for process in processes),
        dropped=_by_reason(process.dropped for process in processes),
        lost=_by_reason(process.lost for process in processes),
        requests=requests,
        unexplained=requests - sent,
        detail=_comparison(requests - sent, bool(processes), behind),
        newest=newest[:NEWEST_PROCESSES],
        spooled=sum(process.spooled for process in processes),
        adopted=sum(process.adopted for process in processes),
        spool_errors=sum(process.spool_errors for process in processes),
    )


def _by_reason(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    return dict(sorted(total.items()))


def _comparison(difference: int, is_any: bool, behind: int | None) -> str:
    if not is_any:
        return "No interceptor has published its counts: all requests are other producers'."
    if difference == 0:
        return "The job has read just as many requests as the interceptors sent."
    if difference > 0:
        return (
            f"The job has read {difference:,} more than the interceptors said they sent: other "
            "producers write to the topic, the last counts of a site's process are still to "
            "come, or it was killed before it could publish them."
        )
    waiting = f"{behind:,} records are unread, " if behind else ""
    return (
        f"The job has read {-difference:,} fewer than the interceptors sent: {waiting}the newest "
        "are not in a published count yet, or the job began later than the interceptors, with "
        "a checkpoint made after the topic had dropped older records."
    )
