"""What became of every request, as ``GET /api/v1/ledger`` answers it. Times are ms since 1970 UTC.

Every request stands in one column: requests = events + duplicates + late + dead_letters + cut
+ erased.
"""

from msgspec import Struct

from contracts.outcomes import InterceptorStats, Tally


class LedgerBucket(Struct, frozen=True, kw_only=True):
    """One bucket's columns, as it last published them at ``processed_time``."""

    topic: str
    partition: int
    bucket: int
    epoch: int
    watermark: int
    processed_time: int
    visitors: int
    tally: Tally
    balances: bool


class LedgerTopic(Struct, frozen=True, kw_only=True):
    """The sum of a request topic's buckets that the newest epoch has published."""

    topic: str
    epoch: int
    buckets: int
    tally: Tally
    balances: bool


class LedgerInterceptors(Struct, frozen=True, kw_only=True):
    """What the sites' own processes counted.

    ``sent``, ``queued``, ``observed``, ``dropped``, ``lost``, ``spooled`` and ``adopted`` are sums
    over all ``processes``: observed + adopted = dropped + sent + queued + spooled + lost, but for
    requests in progress, and spooled minus adopted lies on disks. ``newest`` lists the 50 that
    began last. ``requests`` is what the job has read of the topic that interceptors write to,
    ``unexplained`` is that minus ``sent``, and ``detail`` says why the two may differ.
    """

    processes: int
    observed: int
    sent: int
    queued: int
    dropped: dict[str, int]
    lost: dict[str, int]
    requests: int
    unexplained: int
    detail: str
    newest: list[InterceptorStats]
    spooled: int = 0
    adopted: int = 0
    spool_errors: int = 0


class Ledger(Struct, frozen=True, kw_only=True):
    """Whether every request is accounted for.

    ``balances`` holds when requests = events + duplicates + late + dead_letters + cut + erased in
    every bucket; ``detail`` says it in a sentence. ``behind`` are the records that the job had
    still to read when it last spoke, at ``job_seen``; null when no job has spoken. Of the late
    events, ``late_listed`` are kept as such, and ``late_placed`` of those are by now events of
    the history as well, because a backfill put them where they belong.
    """

    balances: bool
    detail: str
    behind: int | None
    job_seen: int | None
    total: Tally
    topics: list[LedgerTopic]
    buckets: list[LedgerBucket]
    late_listed: int
    late_placed: int
    interceptors: LedgerInterceptors
