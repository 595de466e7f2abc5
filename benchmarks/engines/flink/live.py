"""PyFlink in the session job's place: it tells of open sessions at each event.

Flink SQL cannot: its SESSION windows tell of a session when it is over, and refuse early results
("Session window doesn't support EMIT strategy currently", Flink 2.2). So this is a keyed process
function in Python that counts a visitor's session and writes it as the product's own message. Heap
state, a checkpoint every ten seconds, Python bundles of 10 ms instead of a second.
Does not: look anything up (referrer, place, device and origin stay empty), take late events into
their sessions, merge, close, drop duplicates, count what it drops.
"""

import json
import sys
import time
from hashlib import blake2b

from datastream import configuration
from flink_setup import settings
from pyflink.common import Types, WatermarkStrategy
from pyflink.common.serialization import SimpleStringSchema
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.kafka import (
    KafkaOffsetsInitializer,
    KafkaRecordSerializationSchema,
    KafkaSink,
    KafkaSource,
)
from pyflink.datastream.functions import KeyedProcessFunction
from pyflink.datastream.state import ValueStateDescriptor
from task import task

LIVE = {
    # A fault is to be seen, not tried again for ever.
    "restart-strategy.type": "none",
    "execution.checkpointing.interval": "10 s",
    "python.fn-execution.bundle.time": "10",
    "python.fn-execution.bundle.size": "1000",
}
EVENT = Types.TUPLE([Types.STRING(), Types.PICKLED_BYTE_ARRAY()])
UNKNOWN = {"merged_into": None, "referrer": None, "geo": None, "agent": {}, "attribution": {}}


class Sessions(KeyedProcessFunction):
    """A visitor's latest session, told at each of its events."""

    def __init__(self, gap_ms):
        self._gap_ms, self._state = gap_ms, None

    def open(self, runtime_context):
        descriptor = ValueStateDescriptor("session", Types.PICKLED_BYTE_ARRAY())
        self._state = runtime_context.get_state(descriptor)

    def process_element(self, value, ctx):
        event = value[1]
        known = self._state.value()
        if known is None or event["event_time"] > known["end"] + self._gap_ms:
            known = begun(event)
        known = joined(known, event, ctx.timestamp(), self._gap_ms)
        self._state.update(known)
        yield json.dumps(known)


def begun(event):
    """A session without events that this one will begin."""
    site, visitor, start = event["site_id"], event["visitor_id"], event["event_time"]
    name = blake2b(f"{site}\n{visitor}\n{start}".encode(), digest_size=12).hexdigest()
    return UNKNOWN | {
        "session_id": name,
        "site_id": site,
        "visitor_id": visitor,
        "epoch": 1,
        "status": "open",
        "flags": [],
        "entry_page": event["path"],
        "start": start,
        "end": start,
        "last_seen": start,
        "events": 0,
        "pages": 0,
        "api_calls": 0,
        "errors": 0,
    }


def joined(known, event, broker_time, gap_ms):
    """The session with one more event, which is the newest."""
    end, is_page = max(known["end"], event["event_time"]), event["kind"] == "page"
    seen = event["event_time"] + round(event.get("duration_ms", 0))
    return known | {
        "revision": 4 * (known["events"] + 1),
        "end": end,
        "last_seen": max(known["last_seen"], seen),
        "expires": end + gap_ms,
        "duration_ms": end - known["start"],
        "events": known["events"] + 1,
        "pages": known["pages"] + is_page,
        "api_calls": known["api_calls"] + (not is_page),
        "errors": known["errors"] + (event["status"] >= 400),
        "exit_page": event["path"],
        "broker_time": broker_time,
        "processed_time": time.time_ns() // 1_000_000,
    }


def decode(text):
    """(visitor, event); nothing for a watermark record."""
    record = json.loads(text)
    if "visitor_id" in record:
        yield record["visitor_id"], record


def main():
    """Run until killed. The topic of sessions comes as a second argument."""
    asked = task()
    environment = StreamExecutionEnvironment.get_execution_environment(
        configuration(
            settings(asked) | LIVE | {"execution.checkpointing.dir": f"file://{asked.folder}"}
        )
    )
    source = (
        KafkaSource.builder()
        .set_bootstrap_servers(asked.bootstrap)
        .set_topics(asked.topic)
        .set_group_id("peer")
        .set_starting_offsets(KafkaOffsetsInitializer.latest())
        .set_property("fetch.max.wait.ms", "20")
        .set_value_only_deserializer(SimpleStringSchema())
        .build()
    )
    record = (
        KafkaRecordSerializationSchema.builder()
        .set_topic(sys.argv[2])
        # The topic is a compacted one. A schema sees the whole element, so that is the key, too.
        .set_key_serialization_schema(SimpleStringSchema())
        .set_value_serialization_schema(SimpleStringSchema())
        .build()
    )
    sink = (
        KafkaSink.builder()
        .set_bootstrap_servers(asked.bootstrap)
        .set_record_serializer(record)
        .set_property("linger.ms", "1")
        .build()
    )
    (
        environment.from_source(source, WatermarkStrategy.no_watermarks(), "topic")
        .flat_map(decode, output_type=EVENT)
        .key_by(lambda event: event[0], key_type=Types.STRING())
        .process(Sessions(asked.gap_ms), output_type=Types.STRING())
        .sink_to(sink)
    )
    environment.execute("peer")


if __name__ == "__main__":
    main()
