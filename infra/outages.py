"""Outages of the embedded Kafka that the demo's studio asks for. They end by themselves."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path

from contracts import steering
from infra.state import ChildState

KAFKA = "kafka"
_LONGEST_MS = steering.LONGEST_OUTAGE_S * 1000


def now_ms() -> int:
    """The clock of outages."""
    return time.time_ns() // 1_000_000


class Outages:
    """What the supervisor asks about its broker, and tells of it. ``folder``: the steering's."""

    def __init__(self, folder: Path, clock: Callable[[], int] = now_ms) -> None:
        self._folder, self._clock = folder, clock
        self._file = folder / steering.FILES[steering.Outage]
        self._told = ""

    def begin(self) -> None:
        """A new run has no wishes yet, and nobody else may have any."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(mode=0o700, parents=True)

    def why(self, name: str) -> str | None:
        """Why the process of that name must be away now; None: it need not."""
        if name != KAFKA or not self._file.exists():
            return None
        outage = steering.read(self._folder, steering.Outage)
        # Whatever stands in the file, nobody is without a broker for long.
        if outage is None or not 0 < outage.until - self._clock() <= _LONGEST_MS:
            self._file.unlink(missing_ok=True)
            return None
        return "an outage that the studio asked for"

    def tell(self, states: list[ChildState]) -> None:
        """Let the studio know how the broker is."""
        broker = next((one for one in states if one.name == KAFKA), None)
        if broker is None or broker.status == self._told:
            return
        self._told = broker.status
        now = steering.BrokerNow(status=broker.status, time=self._clock(), detail=broker.detail)
        steering.write(self._folder, now)
