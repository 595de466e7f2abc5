"""Two sources of load that never give up: a producer of our own, and visitors of the site."""

import random
import threading
import time
import traceback
from collections import deque
from functools import partial
from itertools import count
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from kafka import KafkaProducer
from kafka.errors import KafkaError

from contracts.kafka import KafkaSettings
from interceptor.producer import discard
from tests.chaos.events import AGENTS, EventMaker, Message
from tests.chaos.history import PREFIX
from tests.chaos.oracle import Oracle
from tests.chaos.world import now_ms

TICK_SECONDS = 0.5
ROOMY = 20_000
"""So many unsent messages are enough of an outage's backlog."""
SITE_PATHS = ("/", "/about", "/search?q=tea", "/product/harbour-kettle", "/product/quiet-clock")


class Load(threading.Thread):
    """Does ``turn`` about every ``seconds`` until stopped; can be paused."""

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(name=name, daemon=True)
        self._seconds = seconds
        self._stopping = threading.Event()
        self._going = threading.Event()
        self._going.set()
        self.failure = ""

    def stop(self) -> None:
        """End for good."""
        self._stopping.set()
        self._going.set()
        self.join(timeout=30)

    def pause(self) -> None:
        """Make nothing new."""
        self._going.clear()

    def go_on(self) -> None:
        """Make something new again."""
        self._going.set()

    @property
    def is_paused(self) -> bool:
        """Whether nothing new is made."""
        return not self._going.is_set()

    def turn(self) -> None:
        """One step."""
        raise NotImplementedError

    def run(self) -> None:
        """Turn after turn."""
        try:
            while not self._stopping.is_set():
                self.turn()
                self._stopping.wait(self._seconds)
        except Exception:
            self.failure = traceback.format_exc()

    def require_alive(self) -> None:
        """AssertionError when the load itself has a fault: a run without load proves nothing."""
        assert not self.failure, f"the load failed: {self.failure}"


class Sender(Load):
    """Sends the maker's messages until each is acknowledged: what fails is sent again.

    So a message may stand on the topic several times, as with any careful producer.
    """

    def __init__(self, kafka: KafkaSettings, oracle: Oracle, maker: EventMaker, rate: int) -> None:
        super().__init__("sender", TICK_SECONDS)
        self._kafka, self._oracle, self._maker = kafka, oracle, maker
        self._per_turn = max(1, round(rate * TICK_SECONDS))
        self._waiting: deque[Message] = deque()
        self._in_flight: dict[int, Message] = {}
        self._tickets = count()
        self._lock = threading.Lock()
        self._producer: KafkaProducer | None = None
        self._is_broken = False

    def is_idle(self) -> bool:
        """Whether everything made so far is acknowledged."""
        with self._lock:
            return not self._waiting and not self._in_flight

    def turn(self) -> None:
        """New messages, and whatever waits."""
        if not self.is_paused and len(self._waiting) < ROOMY:
            self._waiting.extend(self._maker.some(now_ms(), self._per_turn))
        try:
            self._send_waiting()
        except (KafkaError, OSError):
            self._is_broken = True
        if self._is_broken:
            self._discard()

    def _send_waiting(self) -> None:
        if self._waiting and self._producer is None:
            self._producer = KafkaProducer(
                **self._kafka.client_options(),
                acks="all",
                bootstrap_timeout_ms=2_000,
                max_block_ms=2_000,
                request_timeout_ms=10_000,
                delivery_timeout_ms=15_000,
                reconnect_backoff_max_ms=500,
                allow_auto_create_topics=False,
                metrics_enabled=False,
            )
        while self._producer is not None and self._waiting and not self._is_broken:
            self._send(self._producer, self._waiting[0])

    def _send(self, producer: KafkaProducer, message: Message) -> None:
        self._oracle.sent(message)
        future = producer.send(self._kafka.topic("requests"), message.value, message.key)
        ticket = next(self._tickets)
        with self._lock:
            self._waiting.popleft()
            self._in_flight[ticket] = message
        future.add_callback(partial(self._acknowledged, ticket, message))
        future.add_errback(partial(self._failed, ticket))

    def _acknowledged(self, ticket: int, message: Message, metadata: Any) -> None:
        self._oracle.acknowledged(message, (metadata.partition, metadata.offset))
        with self._lock:
            self._in_flight.pop(ticket, None)

    def _failed(self, ticket: int, _error: Exception) -> None:
        with self._lock:
            if ticket in self._in_flight:
                self._waiting.append(self._in_flight.pop(ticket))
                self._is_broken = True

    def _discard(self) -> None:
        """A new producer for the next turn; what the old one still holds is sent again."""
        producer, self._producer = self._producer, None
        if producer is not None:
            discard(producer)
        with self._lock:
            self._waiting.extend(self._in_flight.values())
            self._in_flight.clear()
            self._is_broken = False


class Shoppers(Load):
    """Visitors of the site, each request with a marker; the oracle hears of every answer."""

    def __init__(self, site: str, oracle: Oracle, seed: int, rate: int) -> None:
        super().__init__("shoppers", 1 / rate)
        self._site, self._oracle = site, oracle
        self._random = random.Random(seed)
        self._number = 0
        self.answered: dict[str, float] = {}

    def turn(self) -> None:
        """One request; the site's being away is no news here."""
        if self.is_paused:
            return
        self._number += 1
        marker = f"{PREFIX}{self._number}"
        try:
            with urlopen(self._request(marker), timeout=5) as answer:
                answer.read()
        except HTTPError:
            return
        except (URLError, OSError):
            self._stopping.wait(0.2)
            return
        self.answered[marker] = time.time()
        self._oracle.answered(marker)

    def _request(self, marker: str) -> Request:
        path = self._random.choice(SITE_PATHS)
        visitor = self._random.randrange(8)
        address = f"81.2.69.{140 + visitor}"
        return Request(
            f"{self._site}{path}{'&' if '?' in path else '?'}ref={marker}",
            headers={"User-Agent": AGENTS[visitor % 2], "X-Forwarded-For": address},
        )
