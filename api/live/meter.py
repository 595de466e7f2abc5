"""How long the way to the screen takes, and how long the job's batches. No I/O, no clock."""

from collections import deque
from collections.abc import Iterable

from api.pipeline.answers import BatchTaken
from contracts import EnrichedEvent, JobStatus, Message
from contracts.exposition import Histogram

SCREEN_BOUNDS = (0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 20, 30, 60, 120, 300, 900)
BATCH_BOUNDS = (0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 20, 30, 60, 120)
LIVE_ROLE = ".requests"
RECENT_BATCHES = 120


class Meter:
    """Measures from an event's response to the frame that tells of it.

    What had happened before ``started`` (ms since 1970 UTC) was told by another process, or
    nobody was there to tell: it is not counted. Neither are replayed events, whose times are
    those of an old log.
    """

    def __init__(self, started: int) -> None:
        self._started = started
        self._waiting: list[float] = []
        self._batch: tuple[str, int] | None = None
        self.screen = Histogram(SCREEN_BOUNDS)
        self.batches = Histogram(BATCH_BOUNDS)
        self.recent: deque[BatchTaken] = deque(maxlen=RECENT_BATCHES)
        self.frames = 0
        self.cut_off = 0

    def see(self, messages: Iterable[Message]) -> None:
        """Take in what the next frame will tell of."""
        for message in messages:
            if isinstance(message, EnrichedEvent):
                self._see_event(message)
            elif isinstance(message, JobStatus):
                self._see_job(message)

    def _see_event(self, event: EnrichedEvent) -> None:
        responded = event.event_time + event.duration_ms
        if responded >= self._started and event.topic.endswith(LIVE_ROLE):
            self._waiting.append(responded)

    def _see_job(self, job: JobStatus) -> None:
        """A job says several times of one batch how long it took, and of some never."""
        batch = (job.instance, job.batch)
        if job.batch >= 0 and batch != self._batch and job.processed_time >= self._started:
            self._batch = batch
            self.batches.observe(job.batch_ms / 1000)
            self.recent.append(
                BatchTaken(
                    time=job.processed_time,
                    batch=job.batch,
                    batch_ms=job.batch_ms,
                    rows=job.rows,
                )
            )

    def sent(self, now: int) -> None:
        """The frame went out. A site's clock may be ahead of ours: no delay is negative."""
        self.frames += 1
        for responded in self._waiting:
            self.screen.observe(max(0.0, now - responded) / 1000)
        self._waiting.clear()
