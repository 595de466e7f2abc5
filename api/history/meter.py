"""What the history writer has done since the process began. No I/O, no clock."""

from collections import Counter
from collections.abc import Mapping, Sized

from contracts.exposition import Histogram

STORE_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class WriterMeter:
    """Counts records by their topic's role, and times the batches."""

    def __init__(self) -> None:
        self.records: Counter[str] = Counter()
        self.batches = Histogram(STORE_BOUNDS)
        self.failures = 0

    def stored(self, rows: Mapping[str, Sized], seconds: float) -> None:
        """A batch is in the database; ``seconds`` holds the repetitions until it was."""
        for role, some in rows.items():
            self.records[role] += len(some)
        self.batches.observe(seconds)
