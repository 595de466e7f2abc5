"""How far a feed has come: its lag, and whether it has caught up. No I/O."""

from collections.abc import Mapping
from typing import NamedTuple

FAR_RECORDS = 50_000
"""A feed that had caught up counts as behind again when it lags by more than this."""


class Place(NamedTuple):
    """A partition of a topic, by the topic's full name."""

    topic: str
    partition: int


class Progress:
    """Compares positions with ends.

    A feed has caught up when it has read all that was there as it connected. A fixed goal, so
    that a stream which never pauses can reach it.
    """

    def __init__(self, positions: Mapping[Place, int], ends: Mapping[Place, int]) -> None:
        self._goals = dict(ends)
        self._lags: dict[Place, int] = {}
        self.move(positions, ends)

    def move(self, positions: Mapping[Place, int], ends: Mapping[Place, int]) -> None:
        """Partitions have been read up to ``positions`` and go up to ``ends``."""
        for place, position in positions.items():
            self._lags[place] = max(0, ends[place] - position)
            if position >= self._goals.get(place, position):
                self._goals.pop(place, None)

    @property
    def lags(self) -> dict[Place, int]:
        """Records that are still to be read, by partition: a copy."""
        return dict(self._lags)

    @property
    def lag(self) -> int:
        """Records that are still to be read."""
        return sum(self._lags.values())

    @property
    def caught_up(self) -> bool:
        """Whether the feed is as good as up to date."""
        return not self._goals and self.lag <= FAR_RECORDS
