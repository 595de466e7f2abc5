"""Reading event_time, as the contract says it is read."""

from contracts.event_time import EARLIEST_MS, LATEST_MS, EventTimeError, read_event_time

__all__ = ["EARLIEST_MS", "LATEST_MS", "EventTimeError", "read_event_time"]
