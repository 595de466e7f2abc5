"""Who is erased, as the topic ``erasures`` says: whatever reads old events must leave them out."""

import msgspec

from contracts import Barred, Erasure
from contracts.erasures import Bar, bars_of
from contracts.kafka import KafkaSettings
from contracts.reading import whole_topic
from spark_jobs.parse import Valid
from spark_jobs.positions import make_consumer

ROLE = "erasures"


def read_bars(kafka: KafkaSettings) -> tuple[Bar, ...]:
    """All bars that stand now; none where the topic does not exist.

    Raises KafkaError when Kafka does not answer.
    """
    newest: dict[str, Erasure] = {}
    for record in whole_topic(make_consumer(kafka), kafka.topic(ROLE)):
        if record.value is not None:
            erasure = msgspec.json.decode(record.value, type=Erasure)
            newest[erasure.erasure_id] = erasure
    return bars_of(newest.values())


def is_barred(valid: Valid, barred: Barred) -> bool:
    """Whether a file's event is an erased visitor's, from before the erasure."""
    return barred.covers(valid.event.site_id, valid.event.visitor_id, valid.time)
