"""The visitors' side, in a process of its own: requests over connections that stay open.

``python -m benchmarks.interceptor.load TASK`` where TASK is a ``Task`` as JSON. It prints an
``Answered`` as JSON. An asyncio protocol that looks for an answer's end, and nothing else: a
whole HTTP client would need more of its core than the server that is measured.
"""

import asyncio
import sys
import time
from array import array
from collections import deque
from collections.abc import Callable
from typing import cast

import msgspec
import uvloop

from benchmarks.figures import percentile
from benchmarks.interceptor.asked import ADDRESSES, wire

PATH = "/product/kettle"
HEAD, BODY = b"HTTP/1.1 200 ", b"hello"
GRACE_S = 30.0
"""How long the last answers may take."""
NS = 1_000_000_000


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """Whom to ask, over how many connections, and for how long.

    ``rate`` is in requests a second; None: each connection asks again as soon as it is answered.
    """

    host: str
    port: int
    connections: int
    seconds: float
    rate: float | None = None


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """What came. ``ms`` are the delays' percentiles 50, 99, 99.9 and 100.

    ``wrong`` are answers that were not the page; ``seconds`` last until the last answer; ``cpu_s``
    is this process' own, from the first request on.
    """

    requests: int
    wrong: int
    seconds: float
    ms: list[float]
    cpu_s: float


class Tally:
    """All connections' answers."""

    def __init__(self) -> None:
        self.delays_us = array("q")
        self.wrong = 0
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def add(self, answer: bytes, delay_ns: int) -> None:
        """Note one."""
        self.delays_us.append(delay_ns // 1_000)
        if not (answer.startswith(HEAD) and answer.endswith(b"\r\n\r\n" + BODY)):
            self.wrong += 1


class Connection(asyncio.Protocol):
    """Asks one request at a time."""

    def __init__(self, tally: Tally, requests: list[bytes]) -> None:
        self._tally, self._requests = tally, requests
        self._number = self._since_ns = 0
        self._answer = b""
        self.is_asking = False
        self.free: Callable[[Connection], None] = lambda _: None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Stay silent until told."""
        # uvloop's transports are no subclasses of asyncio's.
        self._transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """The server may not end a connection that it owes an answer."""
        if self.is_asking and not self._tally.failed.done():
            lost = exc or ConnectionError("the server ended a connection instead of answering")
            self._tally.failed.set_exception(lost)

    def ask(self, since_ns: int) -> None:
        """The next request; its delay counts from that moment (monotonic)."""
        self._since_ns, self.is_asking = since_ns, True
        self._transport.write(self._requests[self._number % len(self._requests)])
        self._number += 1

    def data_received(self, data: bytes) -> None:
        """Note the answer when it is whole."""
        self._answer += data
        if not _is_whole(self._answer):
            return
        answer, self._answer, self.is_asking = self._answer, b"", False
        self._tally.add(answer, time.monotonic_ns() - self._since_ns)
        self.free(self)


def _is_whole(answer: bytes) -> bool:
    head, end, body = answer.partition(b"\r\n\r\n")
    if not end:
        return False
    _, found, rest = head.lower().partition(b"\r\ncontent-length:")
    if not found:
        raise ValueError("an answer without a length")
    return len(body) >= int(rest.partition(b"\r\n")[0])


def _saturate(connections: list[Connection], seconds: float) -> "asyncio.Future[None]":
    """Closed loop. Done when all connections have their last answer."""
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    end, busy = time.monotonic_ns() + int(seconds * NS), len(connections)

    def again(connection: Connection) -> None:
        nonlocal busy
        now = time.monotonic_ns()
        if now < end:
            connection.ask(now)
            return
        busy -= 1
        if not busy:
            done.set_result(None)

    for connection in connections:
        connection.free = again
        connection.ask(time.monotonic_ns())
    return done


async def _pace(connections: list[Connection], rate: float, seconds: float) -> None:
    """Open loop: a request's delay counts from its turn, also if it waits for a connection."""
    free, waiting, idle = deque(connections), deque[int](), asyncio.Event()

    def answered(connection: Connection) -> None:
        if waiting:
            connection.ask(waiting.popleft())
        else:
            free.append(connection)
            if len(free) == len(connections):
                idle.set()

    for connection in connections:
        connection.free = answered
    begun = time.monotonic()
    for number in range(round(rate * seconds)):
        await asyncio.sleep(max(0.0, begun + number / rate - time.monotonic()))
        # Its turn is when the timer woke us, not when it should have: timers have 1 ms steps.
        idle.clear()
        waiting.append(time.monotonic_ns())
        if free:
            free.popleft().ask(waiting.popleft())
    await idle.wait()


async def load(task: Task) -> Answered:
    """Connect, ask, and tell. Raises OSError or TimeoutError when answers are missing."""
    tally, loop = Tally(), asyncio.get_running_loop()
    requests = [wire(number, PATH) for number in range(ADDRESSES)]
    connections = [
        (await loop.create_connection(lambda: Connection(tally, requests), task.host, task.port))[1]
        for _ in range(task.connections)
    ]
    begun, cpu = time.monotonic(), time.process_time()
    asking = (
        _saturate(connections, task.seconds)
        if task.rate is None
        else asyncio.ensure_future(_pace(connections, task.rate, task.seconds))
    )
    async with asyncio.timeout(task.seconds + GRACE_S):
        await asyncio.wait({asking, tally.failed}, return_when=asyncio.FIRST_COMPLETED)
    if tally.failed.done():
        tally.failed.result()
    took, used = time.monotonic() - begun, time.process_time() - cpu
    ordered = sorted(tally.delays_us)
    return Answered(
        requests=len(ordered),
        wrong=tally.wrong,
        seconds=round(took, 3),
        ms=[round(percentile(ordered, share) / 1000, 3) for share in (0.5, 0.99, 0.999, 1.0)],
        cpu_s=round(used, 3),
    )


def main() -> None:
    """Ask as told by the arguments."""
    task = msgspec.json.decode(sys.argv[1], type=Task)
    answered = uvloop.run(load(task))
    print(msgspec.json.encode(answered).decode(), flush=True)


if __name__ == "__main__":
    main()
