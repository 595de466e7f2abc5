"""What visitors that never stop cost the session core: state, and time a batch.

Through the pure core in this process: one bucket, whose state is packed after each batch and
unpacked before the next.
"""

import json
from collections.abc import Iterator
from itertools import islice
from time import process_time

import msgspec

from contracts import RequestEvent, WatermarkRecord, partition_key
from spark_jobs.bucket import Bucket, Job
from spark_jobs.enrich import Enricher, Source
from spark_jobs.parse import Record
from spark_jobs.rules import Rules

START = 1_768_435_200_000
"""2026-01-15T00:00:00Z."""
SECOND = 1_000
NO_CLOCK = 10**15

PLAIN = RequestEvent(
    event_id="",
    site_id="shop",
    visitor_id="crawler",
    event_time=START,
    kind="page",
    method="GET",
    status=200,
    path="/",
)


def main(events: int) -> None:
    """Print a JSON line a case."""
    cases = {
        "a crawler, one event a second": one_every(SECOND, events),
        "one visitor, 1,000 events a minute": one_every(60, events),
        "the same, the clock standing still as in an outage": one_every(60, events, NO_CLOCK),
        "one event_time": one_every(0, events),
    }
    for name, records in cases.items():
        print(json.dumps({"case": name} | measured(records)), flush=True)


def one_every(step: int, count: int, clock: int = 10 * SECOND) -> Iterator[Record]:
    """A visitor's events, ``step`` ms apart, and a watermark record every ``clock`` ms."""
    key = partition_key(PLAIN.site_id, PLAIN.visitor_id)
    offset, told = 0, START
    for number in range(count):
        time = START + number * step
        if told + clock <= time:
            told = time
            value = msgspec.json.encode(WatermarkRecord(watermark=told, turn=-1))
            yield Record(None, value, offset, told, told)
            offset += 1
        event = msgspec.structs.replace(PLAIN, event_time=time, event_id=f"{number:09}")
        yield Record(key, msgspec.json.encode(event), offset, time)
        offset += 1


def measured(records: Iterator[Record], size: int = 100_000) -> dict[str, object]:
    """Records a second of CPU, the longest batch, and the largest state."""
    job = Job(Rules(), Enricher(()), epoch=1)
    stored: tuple[bytes, bytes] | None = None
    count, seconds, longest, largest = 0, 0.0, 0.0, 0
    while batch := list(islice(records, size)):
        begin = process_time()
        bucket = Bucket(job, Source("bench.requests", 0), 0, stored, now=0)
        bucket.apply(batch)
        stored = bucket.stored()
        took = process_time() - begin
        count, seconds, longest = count + len(batch), seconds + took, max(longest, took)
        largest = max(largest, len(stored[1]))
    return {
        "records": count,
        "records_per_s": round(count / seconds),
        "longest_batch_s": round(longest, 2),
        "largest_state_kb": round(largest / 1000),
    }
