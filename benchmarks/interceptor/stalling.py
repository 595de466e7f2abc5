"""A slow Kafka: the real broker, which stands still for most of each second.

The kernel still accepts connections and bytes, and answers come late and in bursts, as when a
broker collects garbage or waits for its disk. A proxy that delays bytes would need CPU of the
measured cores, and clients would leave it for the address that the broker's metadata tells.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

STANDS_S = 0.9
RUNS_S = 0.1


@contextmanager
def stalling(pid: int) -> Iterator[None]:
    """During the block the process is stopped for 0.9 s of each second; afterwards it runs."""
    over = threading.Event()

    def stall() -> None:
        while not over.is_set():
            os.kill(pid, signal.SIGSTOP)
            over.wait(STANDS_S)
            os.kill(pid, signal.SIGCONT)
            over.wait(RUNS_S)

    thread = threading.Thread(target=stall, name="stalling", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
