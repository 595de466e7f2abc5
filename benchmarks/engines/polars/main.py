"""The limit: one pass over the same bytes. Read everything, decode, sort, cut.

Does not: stream, keep state, survive a crash, see late events, look up addresses, write anything.
"""

import time

import polars as pl
from confluent_kafka import Consumer, TopicPartition
from task import report, task

BATCH = 100_000
# Nothing is committed, so no group is waited for.
OPTIONS = {"group.id": "polars", "enable.auto.commit": False, "fetch.wait.max.ms": 10}


def main() -> None:
    """Read by batches, decode each, sort and cut once."""
    asked = task()
    begin = time.time()
    frames = []
    for partition in range(asked.partitions):
        frames += [decode(values) for values in batches(asked.bootstrap, asked.topic, partition)]
    found = cut(pl.concat(frames), asked.gap_ms)
    report(begin, time.time(), *found)


def batches(bootstrap, topic, partition):
    """A partition's events as lists of bytes."""
    consumer = Consumer({"bootstrap.servers": bootstrap, **OPTIONS})
    place = TopicPartition(topic, partition, 0)
    _, end = consumer.get_watermark_offsets(place)
    consumer.assign([place])
    read, values = 0, []
    while read < end:
        records = consumer.consume(min(10_000, end - read), 10.0)
        read += len(records)
        values += [record.value() for record in records if record.key() is not None]
        if len(values) >= BATCH:
            yield values
            values = []
    consumer.close()
    if values:
        yield values


def decode(values):
    """The two fields that sessions are made of."""
    schema = {"visitor_id": pl.String, "event_time": pl.Int64}
    return pl.read_ndjson(b"\n".join(values), schema=schema)


def cut(events, gap_ms):
    """(sessions, events)."""
    ordered = events.sort("visitor_id", "event_time")
    begins = (pl.col("visitor_id") != pl.col("visitor_id").shift()) | (
        pl.col("event_time").diff() > gap_ms
    )
    session = begins.fill_null(value=True).cum_sum().alias("session")
    sizes = ordered.with_columns(session).group_by("session").len()
    return sizes.height, int(sizes["len"].sum())


if __name__ == "__main__":
    main()
