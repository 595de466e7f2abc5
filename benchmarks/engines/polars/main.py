"""The limit: one pass over the same bytes. Read everything, decode, sort, cut.

Does not: stream, keep state, survive a crash, see late events, look up addresses, write anything.
"""

import time

import polars as pl
from confluent_kafka import Consumer, TopicPartition
from task import report, tally, task

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
    sessions = cut(pl.concat(frames), asked.gap_ms)
    done = time.time()
    report(begin, done, tally((*row, "") for row in sessions.iter_rows()))


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
    """The fields that sessions and their pages are made of."""
    text = dict.fromkeys(("visitor_id", "event_id", "kind", "path"), pl.String)
    return pl.read_ndjson(b"\n".join(values), schema=text | {"event_time": pl.Int64})


def cut(events, gap_ms):
    """(visitor, events, entry page, exit page), a row for each session."""
    ordered = events.sort("visitor_id", "event_time", "event_id")
    begins = (pl.col("visitor_id") != pl.col("visitor_id").shift()) | (
        pl.col("event_time").diff() > gap_ms
    )
    session = begins.fill_null(value=True).cum_sum().alias("session")
    path, visitor = pl.col("path"), pl.col("visitor_id").first()
    pages = path.filter(pl.col("kind") == "page")
    return (
        ordered.with_columns(session)
        .group_by("session")
        .agg(
            visitor,
            pl.len().alias("events"),
            pl.coalesce(pages.first(), path.first()).alias("entry"),
            pl.coalesce(pages.last(), path.last()).alias("exit"),
        )
        .drop("session")
    )


if __name__ == "__main__":
    main()
