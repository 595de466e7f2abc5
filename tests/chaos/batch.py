"""The batch job's result over a request topic: the stream's own core, applied once, to all of it.

No watermark record takes part, so neither order nor time decides anything but what is in the
events themselves; a last watermark after everything makes all sessions final.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

import msgspec

from contracts import WATERMARK_END, SessionUpdate
from spark_jobs.bucket import Bucket, Job
from spark_jobs.enrich import Enricher, Source
from spark_jobs.parse import Record
from spark_jobs.settings import load
from tests.chaos.events import SITE
from tests.chaos.tail import TopicRecord

WATERMARK = b'{"watermark":'
_EVENT_ID = re.compile(rb'"event_id":"(chaos-[0-9]+)"')


def is_watermark(record: TopicRecord) -> bool:
    """Whether the job's clock wrote it."""
    return record.key is None and (record.value or b"").startswith(WATERMARK)


def batch_sessions(
    records: Iterable[TopicRecord], late: set[tuple[str, str]], environ: Mapping[str, str]
) -> list[SessionUpdate]:
    """Final sessions of everything but the events that are listed as late."""
    settings, kafka = load(environ)
    job = Job(settings.rules(), Enricher(settings.geo_paths()), epoch=0)
    partitions: dict[int, list[Record]] = defaultdict(list)
    too_late = {identifier.encode() for site, identifier in late if site == SITE}
    for record in records:
        if not is_watermark(record) and not _is_late(record, too_late):
            partitions[record.partition].append(
                Record(record.key, record.value, record.offset, record.timestamp)
            )
    return [
        session
        for partition, own in sorted(partitions.items())
        for session in _sessions(job, Source(kafka.topic("requests"), partition), own)
    ]


def _is_late(record: TopicRecord, late: set[bytes]) -> bool:
    found = _EVENT_ID.search(record.value or b"")
    return found is not None and found[1] in late


def _sessions(job: Job, source: Source, records: list[Record]) -> list[SessionUpdate]:
    bucket = Bucket(job, source, 0, None, 0)
    records.sort(key=lambda record: record.offset)
    end = Record(None, b"", 2**62, 0, WATERMARK_END)
    bucket.apply([*records, end])
    return [
        msgspec.json.decode(value, type=SessionUpdate)
        for role, _key, value in bucket.messages
        if role == "sessions"
    ]
