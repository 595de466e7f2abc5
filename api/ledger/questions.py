"""What the history knows of the ledger's columns."""

from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, func, select

from api.history.models import (
    Base,
    BucketStatsRow,
    EventRow,
    InterceptorStatsRow,
    JobStatusRow,
    LateEventRow,
)
from api.ledger.accounting import Known
from contracts import BucketStats, InterceptorStats, JobStatus

T = TypeVar("T")


def known(connection: Connection, prefix: str) -> Known:
    """Everything the ledger is made of, for the installation with this topic prefix."""
    return Known(
        prefix=prefix,
        buckets=_messages(connection, BucketStatsRow, BucketStats),
        interceptors=_messages(connection, InterceptorStatsRow, InterceptorStats),
        job=_newest_job(connection),
        late_listed=connection.execute(select(func.count()).select_from(LateEventRow)).scalar_one(),
        late_placed=_late_placed(connection),
    )


def _messages(connection: Connection, row: type[Base], kind: type[T]) -> list[T]:
    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(kind)
    texts = connection.execute(select(row.__table__.c.message)).scalars()
    return [decoder.decode(text) for text in texts]


def _newest_job(connection: Connection) -> JobStatus | None:
    newest = select(JobStatusRow.message).order_by(JobStatusRow.processed_time.desc()).limit(1)
    text = connection.execute(newest).scalar_one_or_none()
    return None if text is None else msgspec.json.decode(text, type=JobStatus)


def _late_placed(connection: Connection) -> int:
    """Late events that a backfill has meanwhile published as events."""
    late, event = LateEventRow, EventRow
    is_same = (
        (event.site_id == late.site_id)
        & (event.visitor_id == late.visitor_id)
        & (event.event_id == late.event_id)
    )
    query = select(func.count()).select_from(late).join(event, is_same)
    return connection.execute(query).scalar_one()
