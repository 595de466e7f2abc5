"""Ending kafka-python's producer."""

from typing import Any


def end_producer(producer: Any, timeout_s: float) -> None:
    """Close it, waiting so long for what it still holds; raises what its ``close`` raises.

    Its own ``close`` first flushes, and leaves its thread running for ever when that fails; so
    the thread is told directly then.
    """
    try:
        producer.close(timeout=timeout_s)
    except Exception:
        producer._sender.force_close()
        producer._closed = True
        raise
