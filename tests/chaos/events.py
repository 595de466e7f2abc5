"""The numbered events that the oracle sends: a seed makes the same ones again. Pure.

Every event says its number in ``event_id`` and in ``path``, so whatever comes out of the product
can be held against what went in.
"""

import random
from collections import deque
from collections.abc import Iterator
from typing import Literal

import msgspec

from contracts import RequestEvent, partition_key

Fate = Literal["event", "late", "dead"]
"""Where a message must end up: among events, late events or dead letters."""

SITE = "chaos"
HOUR_MS = 60 * 60 * 1000
TOO_OLD_MS = 48 * HOUR_MS
"""Far beyond gap and allowed lateness together: such an event is late whenever it arrives."""
OLD_MS = 20 * 60 * 1000
REPEATABLE = 200
ADDRESSES = ("81.2.69.142", "89.160.20.112", "175.16.199.3", "2001:480:10::1", "10.1.2.3", None)
AGENTS = (
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
)
PAGES = ("/", "/category/tea", "/product/7", "/cart", "/search", "/api/stock")
GARBAGE = (b"{", b"\xff\xfe", b"[1,2]", b"", b'{"schema_version":9}', b'{"event_id":"x"}')


class Message(msgspec.Struct, frozen=True):
    """A record for the request topic. ``number`` is its event's; a repeated one keeps it."""

    number: int
    key: bytes
    value: bytes
    fate: Fate


class Visit(msgspec.Struct):
    """A visitor who is at it. ``time`` is the newest event's."""

    visitor: str
    time: int
    left: int


class EventMaker:
    """Makes messages for any moment: mostly visits under way, and everything that can go wrong.

    Of a hundred: some are repeated, some older than others already sent (within the allowed
    lateness), some share an event_time, a few are far too old, a day ahead, or garbage.
    """

    def __init__(self, seed: int, visits: int = 40) -> None:
        self._random = random.Random(seed)
        self._visits: list[Visit] = []
        self._wanted = visits
        self._number = 0
        self._visitors = 0
        self._sent: deque[Message] = deque(maxlen=REPEATABLE)

    def some(self, now: int, count: int) -> list[Message]:
        """That many new messages at ``now`` (ms), repetitions besides, in a shuffled order."""
        made = [message for _ in range(count) for message in self._one(now)]
        self._random.shuffle(made)
        return made

    def _one(self, now: int) -> Iterator[Message]:
        self._number += 1
        message = self._made(now)
        yield message
        self._sent.append(message)
        if self._random.random() < 0.08:
            yield message
        if self._random.random() < 0.05:
            yield self._random.choice(self._sent)

    def _made(self, now: int) -> Message:
        dice = self._random.random()
        if dice < 0.02:
            key = partition_key(SITE, f"garbage-{self._number}")
            garbage = self._random.choice(GARBAGE) + b" " * (self._number % 7)
            return Message(self._number, key, garbage, "dead")
        if dice < 0.03:
            return self._event(f"late-{self._number}", now - TOO_OLD_MS, "late")
        if dice < 0.035:
            return self._event(f"ahead-{self._number}", now + 24 * HOUR_MS, "event")
        return self._of_a_visit(now)

    def _of_a_visit(self, now: int) -> Message:
        visit = self._visit(now)
        dice = self._random.random()
        if dice < 0.03:
            time = now - self._random.randrange(OLD_MS)
        elif dice < 0.10:
            time = visit.time - self._random.randrange(8_000)
        elif dice < 0.15:
            time = visit.time
        else:
            time = visit.time = max(visit.time, now - self._random.randrange(300))
        return self._event(visit.visitor, time, "event")

    def _visit(self, now: int) -> Visit:
        while len(self._visits) < self._wanted:
            self._visits.append(self._new_visit(now))
        visit = self._random.choice(self._visits)
        visit.left -= 1
        if visit.left <= 0:
            self._visits.remove(visit)
        return visit

    def _new_visit(self, now: int) -> Visit:
        self._visitors += 1
        return Visit(f"visitor-{self._visitors}", now, self._random.randint(1, 30))

    def _event(self, visitor: str, time: int, fate: Fate) -> Message:
        path = self._random.choice(PAGES)
        event = RequestEvent(
            event_id=event_id(self._number),
            site_id=SITE,
            visitor_id=visitor,
            event_time=time,
            kind="api" if path.startswith("/api/") else "page",
            method="GET",
            status=self._random.choice((200, 200, 200, 404, 500)),
            path=f"{path}?n={self._number}",
            duration_ms=round(self._random.uniform(1, 400), 1),
            referrer=self._random.choice((None, "https://search.example/")),
            user_agent=AGENTS[hash_of(visitor) % len(AGENTS)],
            client_ip=ADDRESSES[hash_of(visitor) % len(ADDRESSES)],
            sequence=self._random.randrange(3),
        )
        return Message(self._number, partition_key(SITE, visitor), msgspec.json.encode(event), fate)


def event_id(number: int) -> str:
    """The id of the event with that number."""
    return f"chaos-{number:08d}"


def hash_of(visitor: str) -> int:
    """The same in every process, unlike ``hash``."""
    return sum(visitor.encode())
