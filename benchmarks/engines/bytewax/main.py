"""Bytewax: a session window with event-time clock, one worker, no recovery store.

Does not: publish open sessions, survive a crash (no recovery store here), name entry or exit
pages, report late events, look up addresses, write anything.
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
from task import report, task


class Event(msgspec.Struct):
    """The two fields that sessions are made of."""

    visitor_id: str
    event_time: int


class Tally(StatelessSinkPartition):
    """Counts what would have been written."""

    def __init__(self):
        self.sessions = self.events = 0

    def write_batch(self, items):
        self.sessions += len(items)
        self.events += sum(count for _, (_, count) in items)


class TallySink(DynamicSink):
    """One tally, since there is one worker."""

    def __init__(self, tally):
        self.tally = tally

    def build(self, step_id, worker_index, worker_count):
        return self.tally


def dataflow(asked, tally):
    """Kafka → decode → sessions → count."""
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
    counted = win.fold_window(
        "sessions", keyed, clock, windower, lambda: 0, lambda count, _: count + 1, int.__add__
    )
    op.output("count", counted.down, TallySink(tally))
    return flow


def main():
    """Run until the topic's end, where Bytewax closes every window."""
    asked = task()
    tally = Tally()
    begin = time.time()
    run_main(dataflow(asked, tally))
    report(begin, time.time(), tally.sessions, tally.events)


if __name__ == "__main__":
    main()
