"""PyFlink's DataStream API: decoding, keys and windows in Python, heap state.

Does not: publish open sessions, survive a crash (no checkpoints here), name entry or exit pages,
report late events (it drops them), look up addresses, write more than a session's size (a file,
which is how it is counted).
"""

import json
import time
from pathlib import Path

from flink_setup import counted, run, settings
from pyflink.common import Configuration, Encoder, Time, Types, WatermarkStrategy
from pyflink.common import Duration as FlinkDuration
from pyflink.common.serialization import SimpleStringSchema
from pyflink.common.watermark_strategy import TimestampAssigner
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink
from pyflink.datastream.connectors.kafka import KafkaOffsetsInitializer, KafkaSource
from pyflink.datastream.functions import AggregateFunction
from pyflink.datastream.window import EventTimeSessionWindows
from task import report, task

EVENT = Types.TUPLE([Types.STRING(), Types.LONG()])


class EventTime(TimestampAssigner):
    """An event's second field."""

    def extract_timestamp(self, value, record_timestamp):
        return value[1]


class Count(AggregateFunction):
    """Events of a session."""

    def create_accumulator(self):
        return 0

    def add(self, value, accumulator):
        return accumulator + 1

    def merge(self, one, other):
        return one + other

    def get_result(self, accumulator):
        return str(accumulator)


def decode(text):
    """The two fields that sessions are made of; nothing for a watermark record."""
    record = json.loads(text)
    if "visitor_id" in record:
        yield record["visitor_id"], record["event_time"]


def main():
    """Build the flow, wait for the bounded topic's end, count the file's lines."""
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
    sizes = (
        environment.from_source(source, WatermarkStrategy.no_watermarks(), "topic")
        .flat_map(decode, output_type=EVENT)
        .assign_timestamps_and_watermarks(times)
        .key_by(lambda event: event[0], key_type=Types.STRING())
        .window(EventTimeSessionWindows.with_gap(Time.milliseconds(asked.gap_ms)))
        .aggregate(Count(), accumulator_type=Types.LONG(), output_type=Types.STRING())
    )
    folder = Path(asked.folder, "sizes")
    sizes.sink_to(
        FileSink.for_row_format(f"file://{folder}", Encoder.simple_string_encoder()).build()
    )
    first = run(environment.execute_async("peer"))
    report(first, time.time(), *counted(folder))


def configuration(values):
    """Flink's object out of names and values."""
    made = Configuration()
    for name, value in values.items():
        made.set_string(name, value)
    return made


if __name__ == "__main__":
    main()
