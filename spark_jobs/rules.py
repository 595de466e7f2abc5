"""The numbers that decide what a session is."""

import msgspec

from spark_jobs.gaps import GapRule

MINUTE_MS = 60_000


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """When sessions end, what is late, and what is too much. All in ms unless said otherwise.

    ``gap``: silence that ends a session; an event exactly one gap later joins.
    ``gaps``: other gaps by site and path; each event brings its own, the first that matches.
    ``delay``: how far a bucket's watermark trails the watermark records.
    ``lateness``: how long after closing a session still accepts events.
    ``max_length``, ``max_events``: a session that reaches one of them is cut there.
    ``max_per_minute``: events of one visitor and clock minute that are kept; the first in
    order stay, whatever their arrival, so memory is bounded by a rule that shuffling
    does not change.
    ``clock_tolerance``: how far an event_time may stand after its broker_time.
    """

    gap: int = 30 * MINUTE_MS
    gaps: tuple[GapRule, ...] = ()
    delay: int = 10_000
    lateness: int = 15 * MINUTE_MS
    max_length: int = 24 * 60 * MINUTE_MS
    max_events: int = 5_000
    max_per_minute: int = 1_000
    clock_tolerance: int = 60_000

    @property
    def longest_gap(self) -> int:
        """The longest gap that an event can bring."""
        return max(self.gap, *(rule.gap for rule in self.gaps)) if self.gaps else self.gap
