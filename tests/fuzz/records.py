"""Targets that take what Kafka, log files and spools hold."""

import tempfile
from functools import cache
from pathlib import Path

import msgspec

from contracts import BucketStats, RequestEvent
from contracts.events import LONGEST_RESPONSE_MS
from contracts.topics import TOPICS
from interceptor.frames import Frame, framed, frames
from interceptor.frames import Record as SpoolRecord
from interceptor.segments import Segment
from spark_jobs.bucket import Bucket, Job
from spark_jobs.enrich import Enricher, Source
from spark_jobs.files import FORMATS, FileOptions, Skipped, read_line
from spark_jobs.log_lines import columns_of
from spark_jobs.parse import Invalid, Record, Valid
from spark_jobs.rules import Rules
from tests.fuzz.requests import assert_printable

NOON = 1_767_268_800_000
KEY = b"shop/v"
END = 2**53
VALUES = {topic.role: topic.value for topic in TOPICS}
IIS = (
    "#Fields: date time cs-method cs-uri-stem cs-uri-query c-ip cs(User-Agent) cs(Referer) "
    "cs-host sc-status time-taken"
)
CLOUDFRONT = (
    "#Fields: date time c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) "
    "cs(User-Agent) cs-uri-query x-edge-request-id time-taken"
)
HEADERS = {
    "iis": columns_of([IIS]),
    "cloudfront": columns_of([CLOUDFRONT]),
    "csv": ("visitor", "timestamp", "page", "status"),
}


def record(data: bytes) -> None:
    """Records, one a line, give messages by the contract, and a ledger that balances."""
    bucket = Bucket(_job(), Source("t.requests", 0), 0, None, NOON)
    lines = data.split(b"\n")[:64]
    records = [Record(KEY, line, n, NOON) for n, line in enumerate(lines)]
    bucket.apply([*records, Record(None, b"", len(records), NOON, watermark=END)])
    tally = bucket.header.tally
    columns = tally.events + tally.duplicates + tally.late + tally.dead_letters + tally.cut
    assert tally.requests == len(records) == columns, tally
    for role, _key, value in bucket.messages:
        msgspec.json.decode(value, type=VALUES[role])
    assert any(msgspec.json.decode(value, type=BucketStats) for role, _, value in bucket.messages
               if role == "bucket-stats")  # fmt: skip
    again = Bucket(_job(), Source("t.requests", 0), 0, bucket.stored(), NOON)
    again.apply([Record(None, b"", len(records) + 1, NOON, watermark=END)])


@cache
def _job() -> Job:
    rules = Rules(
        gap=1_800_000, delay=10_000, lateness=900_000, max_length=86_400_000, max_events=50,
        max_per_minute=20, clock_tolerance=60_000,
    )  # fmt: skip
    return Job(rules, Enricher(()), epoch=1)


def log_line(data: bytes) -> None:
    """A line of any format is a valid event, a reject or passed over; never an exception."""
    line = data.partition(b"\n")[0]
    for format_ in FORMATS:
        outcome, value = read_line(line, 1, _options(format_))
        if isinstance(outcome, Valid):
            event = msgspec.json.decode(value, type=RequestEvent)
            assert event == outcome.event
            assert 0 <= event.duration_ms <= LONGEST_RESPONSE_MS
            if format_ not in ("csv", "jsonl"):
                assert_printable((event.path, event.host, event.referrer or "", event.user_agent))
                assert "?" not in (event.referrer or ""), event.referrer
        else:
            assert isinstance(outcome, Invalid | Skipped), outcome


@cache
def _options(format_: str) -> FileOptions:
    return FileOptions(
        format=format_,  # type: ignore[arg-type]
        identity="column" if format_ in ("csv", "jsonl") else "address+agent",
        count="all",
        site_id="shop",
        source="access.log",
        header=HEADERS.get(format_, ()),
    )


def spool(data: bytes) -> None:
    """A segment of a spool, whole, torn or damaged, gives only records that were written.

    A first byte of 0 means the rest is the file; else the rest are records, one a line, and
    that byte and the next say where one bit of the file is turned or where it ends.
    """
    kind, rest = data[:1] or b"\0", data[1:]
    if kind == b"\0":
        assert all(frame.end <= len(rest) for frame in _read(rest))
        return
    records = [SpoolRecord(KEY, line) for line in rest.split(b"\n")]
    file = bytearray(b"".join(map(framed, records)))
    place = int.from_bytes(data[:3], "big") % len(file)
    if kind[0] % 2:
        del file[place:]
    else:
        file[place] ^= 1 << kind[0] % 8
    found = [frame.record for frame in _read(bytes(file))]
    _assert_in_order(found, records)


def _read(data: bytes) -> list[Frame]:
    found = list(frames(data))
    path = _folder() / "00000001.events"
    path.write_bytes(data)
    segment = Segment.found(path, 0)
    assert segment.count == len(found)
    assert segment.next(10**6) == found
    return found


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="clickwake-fuzz-"))


def _assert_in_order(found: list[SpoolRecord], written: list[SpoolRecord]) -> None:
    rest = iter(written)
    assert all(record in rest for record in found), (found, written)
    assert len(found) <= len(written)
