"""PyFlink's DataStream API: decoding, keys and windows in Python, heap state.

Does not: publish open sessions, survive a crash (no checkpoints here), report late events
(it drops them), look up addresses, write to Kafka (its sessions go to files, which is how they are
counted).
"""

import json
import time
from pathlib import Path

from flink_setup import run, settings, written
from pyflink.common import Configuration, Encoder, Time, Types, WatermarkStrategy
from pyflink.common import Duration as FlinkDuration
from pyflink.common.serialization import SimpleStringSchema
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink
from pyflink.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource
from pyflink.datastream.functions import AggregateFunction
from pyflink.datastream.window import EventTimeSessionWindows
from task import report, tally, task
from visit import NONE, joined, pages, visit

EVENT = Types.TUPLE([Types.STRING(), Types.LONG(), Types.STRING(), Types.STRING(), Types.STRING()])


class EventTime(TimestampAssigner):
    """An event's second field."""

    def extract_timestamp(self, value, record_timestamp):
        return value[1]


class Fold(AggregateFunction):
    """(visitor, visit) of a session's events."""

    def create_accumulator(self):
        return "", NONE

    def add(self, value, accumulator):
        return value[0], joined(accumulator[1], visit(*value[1:]))

    def merge(self, one, other):
        return one[0] or other[0], joined(one[1], other[1])

    def get_result(self, accumulator):
        visitor, found = accumulator
        names = ("visitor", "events", "entry", "exit", "country")
        return json.dumps(dict(zip(names, (visitor, *pages(found), ""), strict=True)))


def decode(text):
    """The fields that sessions and pages are made of; nothing for a watermark record."""
    record = json.loads(text)
    if "visitor_id" in record:
        names = ("visitor_id", "event_time", "event_id", "kind", "path")
        yield tuple(record[name] for name in names)


def main():
    """Build the flow, wait for the bounded topic's end, read the files."""
    asked = task()
    environment = StreamExecutionEnvironment.get_execution_environment(
        configuration(settings(asked))
    )
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(asked.bootstrap)
        .set_topics(asked.topic)
        .set_group_id("peer")
        .set_starting_offsets(KafkaOffsetsInitializer.earliest())
        .set_bounded(KafkaOffsetsInitializer.latest())
        .set_value_only_deserializer(SimpleStringSchema())
        .build()
    )
    # Time is only known once Python has decoded, so watermarks are made after that.
    times = WatermarkStrategy.for_bounded_out_of_orderness(
        FlinkDuration.of_millis(asked.delay_ms)
    ).with_timestamp_assigner(EventTime())
    sessions = (
        environment.from_source(source, WatermarkStrategy.no_watermarks(), "topic")
        .flat_map(decode, output_type=EVENT)
        .assign_timestamps_and_watermarks(times)
        .key_by(lambda event: event[0], key_type=Types.STRING())
        .window(EventTimeSessionWindows.with_gap(Time.milliseconds(asked.gap_ms)))
        .aggregate(Fold(), accumulator_type=Types.PICKLED_BYTE_ARRAY(), output_type=Types.STRING())
    )
    folder = Path(asked.folder, "sessions")
    sessions.sink_to(
        FileSink.for_row_format(f"file://{folder}", Encoder.simple_string_encoder()).build()
    )
    first = run(environment.execute_async("peer"))
    done = time.time()
    report(first, done, tally(written(folder)))


def configuration(values):
    """Flink's object out of names and values."""
    made = Configuration()
    for name, value in values.items():
        made.set_string(name, value)
    return made


if __name__ == "__main__":
    main()
