"""Bytewax: a session window with event-time clock, one worker, no recovery store.

Does not: publish open sessions, survive a crash (no recovery store here), report late
events, look up addresses, write anything.
"""

import time
from datetime import UTC, datetime, timedelta

import bytewax.operators as op
import bytewax.operators.windowing as win
import msgspec
from bytewax.connectors.kafka import KafkaSource
from bytewax.dataflow import Dataflow
from bytewax.operators.windowing import EventClock, SessionWindower
from bytewax.outputs import DynamicSink, StatelessSinkPartition
from bytewax.testing import run_main
from task import report, tally, task
from visit import NONE, joined, pages, visit


class Event(msgspec.Struct):
    """The fields that sessions and their pages are made of."""

    visitor_id: str
    event_time: int
    event_id: str
    kind: str
    path: str


class Kept(StatelessSinkPartition):
    """Keeps what would have been written."""

    def __init__(self):
        self.sessions = []

    def write_batch(self, items):
        self.sessions += [(visitor, *pages(found), "") for visitor, (_, found) in items]


class KeptSink(DynamicSink):
    """One, since there is one worker."""

    def __init__(self, kept):
        self.kept = kept

    def build(self, step_id, worker_index, worker_count):
        return self.kept


def folded(before, event):
    """The visit with one event more."""
    now = visit(event.event_time, event.event_id, event.kind, event.path)
    return joined(before, now)


def dataflow(asked, kept):
    """Kafka → decode → sessions."""
    decode = msgspec.json.Decoder(Event).decode
    clock = EventClock(
        ts_getter=lambda event: datetime.fromtimestamp(event.event_time / 1000, UTC),
        wait_for_system_duration=timedelta(milliseconds=asked.delay_ms),
    )
    windower = SessionWindower(gap=timedelta(milliseconds=asked.gap_ms))
    flow = Dataflow("peer")
    source = KafkaSource([asked.bootstrap], [asked.topic], tail=False, batch_size=10_000)
    records = op.input("read", flow, source)
    events = op.filter_map(
        "decode", records, lambda record: decode(record.value) if record.key is not None else None
    )
    keyed = op.key_on("key", events, lambda event: event.visitor_id)
    visits = win.fold_window("sessions", keyed, clock, windower, lambda: NONE, folded, joined)
    op.output("keep", visits.down, KeptSink(kept))
    return flow


def main():
    """Run until the topic's end, where Bytewax closes every window."""
    asked = task()
    kept = Kept()
    begin = time.time()
    run_main(dataflow(asked, kept))
    done = time.time()
    report(begin, done, tally(kept.sessions))


if __name__ == "__main__":
    main()
