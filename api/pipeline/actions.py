"""The raw bytes of dead letters, and sending them again. Both need the scope ``admin``."""

import asyncio
import base64
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path
from kafka.errors import KafkaError
from starlette.requests import Request
from starlette.responses import Response

from api.access.logins import Door
from api.access.rules import DEAD_LETTERS
from api.access.scopes import Access
from api.history.engine import reading
from api.ingest.routes import deliver
from api.ingest.sender import Sender
from api.pipeline import questions
from api.pipeline.answers import RawRecord, Replayed
from api.pipeline.audited import enter
from api.pipeline.parameters import MOST_AT_ONCE, ReplayWish
from api.pipeline.places import ID_PATTERN, RecordPlace, place_of
from api.pipeline.records import Record, read_records
from api.pipeline.replaying import Readable, Sorted, records_of, sort_out, told
from api.plain import as_json
from api.schema import answers
from contracts import DeadLetter
from contracts.kafka import KafkaSettings
from contracts.outcomes import RAW_LIMIT

LetterId = Annotated[str, Path(pattern=ID_PATTERN)]


def actions_router(door: Door, sender: Sender, kafka: KafkaSettings) -> APIRouter:
    """Routes that show and do what only an administrator may."""
    router = APIRouter(tags=["pipeline"], default_response_class=Response)

    @router.get(
        f"{DEAD_LETTERS}/{{letter_id}}/raw", responses=answers(RawRecord, 403, 404, 422, 503)
    )
    def raw(request: Request, letter_id: LetterId) -> Response:
        """A dead letter's bytes as they came, whole addresses included. Needs the scope `admin`.

        When Kafka has dropped the record, what the history keeps of it: with addresses cut.
        """
        Access.of(request).require("admin")
        found = _raw(door, kafka, place_of(letter_id))
        enter(door, request, "dead_letter_read", f"dead letter {letter_id}", f"of {found.source}")
        return as_json(found)

    @router.post(f"{DEAD_LETTERS}/replay", responses=answers(Replayed, 403, 422, 429, 503))
    async def replay(request: Request, wanted: ReplayWish) -> Response:
        """Send dead letters that can be read by now to the requests topic again.

        Of one with the wrong key, the right one is used. What this version cannot read is
        refused, and what the history has already is not sent. Needs the scope `admin`.
        """
        Access.of(request).require("admin")
        chosen, more = await asyncio.to_thread(_chosen, door, wanted)
        sorted_out, known = await asyncio.to_thread(_sorted, door, kafka, chosen)
        if sorted_out.readable:
            await deliver(sender, records_of(sorted_out.readable))
        published = len(sorted_out.readable)
        done = told(len(chosen), published, known, sorted_out.refused, more=more)
        subject = wanted.reason or f"{len(chosen)} records"
        await asyncio.to_thread(enter, door, request, "dead_letters_replayed", subject, done.detail)
        return as_json(done)

    return router


def _raw(door: Door, kafka: KafkaSettings, place: RecordPlace) -> RawRecord:
    with reading(door.engine) as connection:
        letters = questions.letters_at(connection, [place])
    if not letters:
        raise HTTPException(404, f"No dead letter has the id {str(place)!r}.")
    try:
        record = read_records(kafka, [place]).get(place)
    except (KafkaError, OSError):
        record = None  # the history's copy is better than nothing
    return _from_history(letters[0], place) if record is None else _from_topic(record, place)


def _from_topic(record: Record, place: RecordPlace) -> RawRecord:
    value = record.value or b""
    key = None if record.key is None else record.key.decode(errors="replace")
    return _answer(place, "topic", key, value[:RAW_LIMIT], len(value))


def _from_history(letter: DeadLetter, place: RecordPlace) -> RawRecord:
    return _answer(place, "history", None, base64.b64decode(letter.raw), letter.raw_size)


def _answer(place: RecordPlace, source: str, key: str | None, value: bytes, size: int) -> RawRecord:
    return RawRecord(
        id=str(place),
        source="topic" if source == "topic" else "history",
        key=key,
        raw=base64.b64encode(value).decode(),
        text=value.decode(errors="replace"),
        size=size,
    )


def _chosen(door: Door, wanted: ReplayWish) -> tuple[list[RecordPlace], bool]:
    """Which letters there are of those that are asked for, and whether there are more."""
    with reading(door.engine) as connection:
        if wanted.places is not None:
            letters = questions.letters_at(connection, wanted.places)
            return [RecordPlace(one.topic, one.partition, one.offset) for one in letters], False
        page = questions.dead_letters(connection, wanted.reason, MOST_AT_ONCE, None)
    return [place_of(item.id) for item in page.items], page.next_cursor is not None


def _sorted(door: Door, kafka: KafkaSettings, places: list[RecordPlace]) -> tuple[Sorted, int]:
    """What is to be sent, and how many the history knows already."""
    try:
        found = read_records(kafka, places) if places else {}
    except (KafkaError, OSError):
        raise HTTPException(503, _AWAY, {"Retry-After": "5"}) from None
    sorted_out = sort_out(places, found)
    with reading(door.engine) as connection:
        news = [
            one
            for one in sorted_out.readable
            if not questions.is_known(connection, *_identity(one))
        ]
    return Sorted(news, sorted_out.refused), len(sorted_out.readable) - len(news)


def _identity(one: Readable) -> tuple[str, str, str]:
    event = one.event
    return event.site_id, event.visitor_id, event.event_id


_AWAY = "Kafka does not answer, so nothing was sent: try again when it is back."
