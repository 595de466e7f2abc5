"""Who is erased, as far as this process has read the topic. Asked for every message."""

from collections.abc import Callable

from contracts import Barred, DeadLetter, Erasure, Message
from contracts.erasures import bars_of
from contracts.naming import words_in_raw


class Known:
    """The newest word of each erasure. One thread takes in, any thread may ask."""

    def __init__(self) -> None:
        self._erasures: dict[str, Erasure] = {}
        self._barred = Barred()

    def take_in(self, erasure: Erasure) -> None:
        """An erasure's newest record."""
        self._erasures[erasure.erasure_id] = erasure
        self._barred = Barred(bars_of(self._erasures.values()))

    def phase_of(self, erasure_id: str) -> str | None:
        """What the topic says of it; None when it does not know it."""
        erasure = self._erasures.get(erasure_id)
        return None if erasure is None else erasure.phase

    def covers(self, message: Message) -> bool:
        """Whether a message tells of what is erased."""
        if isinstance(message, DeadLetter) and self._barred:
            return self._covers_letter(message)
        return self._barred.covers_message(message)

    def _covers_letter(self, letter: DeadLetter) -> bool:
        sites = {one.site_id for one in self._erasures.values()}
        return any(
            self._barred.covers(site, word, letter.broker_time)
            for word in set(words_in_raw(letter.raw))
            for site in sites
        )


Covers = Callable[[Message], bool]


def nobody(_message: Message) -> bool:
    """For who knows of no erasure."""
    return False
