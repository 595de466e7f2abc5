"""The clients' side, in a process of its own: many connections, and when each update reached them.

``python -m benchmarks.fanout.listening TASK`` where TASK is a ``Task`` as JSON. It prints
``connected`` when all are, reads ``from NS`` (updates due before do not count) and ``end N``
(leave when N updates have come, or nothing more comes), and prints a ``Heard`` as JSON.
"""

import asyncio
import sys
import time
from array import array
from typing import cast

import msgspec
import uvloop

from benchmarks.fanout.frames import PING, PONG, TEXT, FrameReader, client_frame, upgrade_request
from benchmarks.fanout.messages import told
from benchmarks.figures import percentile

AT_ONCE = 50
"""Connections that are opened side by side: a listener's backlog is no part of this."""
QUIET_S = 3.0
CONNECT_S = 60.0
NEVER = 1 << 62


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """Whom to listen to. ``hello`` is sent first; ``echo`` is a message to be sent back."""

    host: str
    port: int
    path: str
    clients: int
    hello: str = ""
    echo: str = ""


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """What came. ``told`` is from when an update was due, ``fanout`` from when its frame was made.

    Delays are ms at the percentiles 50, 99, 99.9 and 100. ``left`` is how many connections the
    server ended; ``frame_bytes`` a frame's mean size.
    """

    updates: int
    frames: int
    frame_bytes: int
    left: int
    told_ms: list[float]
    fanout_ms: list[float]
    cpu_s: float


class Ear:
    """What all connections together have heard."""

    def __init__(self) -> None:
        self.after = NEVER
        self.told_us = array("q")
        self.fanout_ms = array("q")
        self.frames = self.bytes = self.connected = self.left = 0

    def hear(self, payload: bytes, now_ns: int, now_ms: int) -> None:
        """Note the delay of each update in the payload that counts."""
        found = told(payload)
        if found is None:
            return
        counted = [now_ns - due for due in found.due_ns if due >= self.after]
        if counted:
            self.frames += 1
            self.bytes += len(payload)
            self.told_us.extend(delay // 1000 for delay in counted)
            self.fanout_ms.append(now_ms - found.made_ms)

    def heard(self) -> Heard:
        """All of it, in figures."""
        return Heard(
            updates=len(self.told_us),
            frames=self.frames,
            frame_bytes=round(self.bytes / max(1, self.frames)),
            left=self.left,
            told_ms=_percentiles(self.told_us, 1000),
            fanout_ms=_percentiles(self.fanout_ms, 1),
            cpu_s=time.process_time(),
        )


def _percentiles(values: "array[int]", unit: int) -> list[float]:
    ordered = sorted(values)
    return [round(percentile(ordered, share) / unit, 1) for share in (0.5, 0.99, 0.999, 1.0)]


class Client(asyncio.Protocol):
    """One connection."""

    def __init__(self, task: Task, ear: Ear, opened: "asyncio.Future[None]") -> None:
        self._task = task
        self._ear = ear
        self._opened = opened
        self._head: bytes | None = b""
        self._frames = FrameReader()
        self._echo = task.echo.encode()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the WebSocket."""
        # uvloop's transports are no subclasses of asyncio's.
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(
            upgrade_request(f"{self._task.host}:{self._task.port}", self._task.path)
        )

    def connection_lost(self, exc: Exception | None) -> None:
        """Only the server ends connections; the process' end is ours."""
        if self._opened.done():
            self._ear.left += 1
        else:
            self._opened.set_exception(exc or ConnectionError("the server ended the connection"))

    def data_received(self, data: bytes) -> None:
        """Read the answer to the request, then frames."""
        if self._head is not None:
            head, end, data = (self._head + data).partition(b"\r\n\r\n")
            self._head = head if not end else None
            if not end:
                return
            self._open(head)
        if data:
            # One moment for what came together: reading the clock is not what is measured.
            now_ns, now_ms = time.monotonic_ns(), time.time_ns() // 1_000_000
            for opcode, payload in self._frames.feed(data):
                self._frame(opcode, payload, now_ns, now_ms)

    def _open(self, head: bytes) -> None:
        if b" 101 " not in head.partition(b"\r\n")[0]:
            first = head.partition(b"\r\n")[0].decode(errors="replace")
            self._opened.set_exception(ConnectionError(f"the server answered {first!r}"))
            return
        if self._task.hello:
            self._transport.write(client_frame(TEXT, self._task.hello.encode()))
        self._ear.connected += 1
        self._opened.set_result(None)

    def _frame(self, opcode: int, payload: bytes, now_ns: int, now_ms: int) -> None:
        if opcode == PING:
            self._transport.write(client_frame(PONG, payload))
        elif opcode == TEXT and self._echo and payload.strip() == self._echo:
            self._transport.write(client_frame(TEXT, self._echo))
        elif opcode == TEXT:
            self._ear.hear(payload, now_ns, now_ms)


async def listen(task: Task) -> Heard:
    """Connect, listen from ``from`` to ``end``, and tell."""
    ear, loop = Ear(), asyncio.get_running_loop()
    gate = asyncio.Semaphore(AT_ONCE)

    async def connect() -> None:
        async with gate, asyncio.timeout(CONNECT_S):
            opened: asyncio.Future[None] = loop.create_future()
            await loop.create_connection(lambda: Client(task, ear, opened), task.host, task.port)
            await opened

    await asyncio.gather(*(connect() for _ in range(task.clients)))
    print("connected", flush=True)
    ear.after = await _told_number("from")
    await asyncio.sleep(max(0, ear.after - time.monotonic_ns()) / 1e9)
    cpu = time.process_time()
    wanted = await _told_number("end")
    cpu = time.process_time() - cpu
    await _until_quiet(ear, wanted)
    return msgspec.structs.replace(ear.heard(), cpu_s=round(cpu, 2))


async def _told_number(word: str) -> int:
    line = (await asyncio.to_thread(sys.stdin.readline)).split()
    if line[:1] != [word]:
        raise SystemExit(f"expected {word!r}, got {line}")
    return int(line[1])


async def _until_quiet(ear: Ear, wanted: int) -> None:
    """Until all have come, or none more for a while."""
    before, since = -1, time.monotonic()
    while len(ear.told_us) < wanted:
        if len(ear.told_us) != before:
            before, since = len(ear.told_us), time.monotonic()
        if time.monotonic() - since > QUIET_S:
            return
        await asyncio.sleep(0.1)


def main() -> None:
    """Listen as told by the arguments."""
    task = msgspec.json.decode(sys.argv[1], type=Task)
    heard = uvloop.run(listen(task))
    print(msgspec.json.encode(heard).decode(), flush=True)


if __name__ == "__main__":
    main()
