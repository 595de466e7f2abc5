"""Which events were seen before. No I/O, no clock."""

from collections import deque

from contracts import EnrichedEvent


class Repeats:
    """A restarted job may write its last batch to the topic again.

    So events are recognised by their place on the request topic, as far back as the newest
    ``remembered``.
    """

    def __init__(self, remembered: int) -> None:
        self._remembered = remembered
        self._order: deque[tuple[str, int, int]] = deque()
        self._seen: set[tuple[str, int, int]] = set()

    def is_repeated(self, event: EnrichedEvent) -> bool:
        """Whether it was asked about before."""
        place = (event.topic, event.partition, event.offset)
        if place in self._seen:
            return True
        self._seen.add(place)
        self._order.append(place)
        if len(self._order) > self._remembered:
            self._seen.discard(self._order.popleft())
        return False
