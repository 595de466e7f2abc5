"""The pipeline's addresses under /api/v1."""

from collections.abc import Callable
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query
from sqlalchemy import Engine
from starlette.responses import Response

from api.feed import Clock
from api.history.engine import reading
from api.ledger.shared import Shared
from api.metrics.moment import Moment
from api.pipeline import questions, state
from api.pipeline.answers import DeadLetters, LateEvents, Pipeline, ReaderLag, Storage
from api.pipeline.parameters import LetterParameters, PageParameters
from api.pipeline.storage import StorageMeter
from api.plain import as_json
from api.schema import answers
from contracts.ledger import Ledger


def pipeline_router(
    engine: Engine,
    look: Callable[[], Moment],
    ledger: Shared[Ledger],
    storage: StorageMeter,
    clock: Clock,
) -> APIRouter:
    """Routes that tell how everything is doing, and change nothing."""
    router = APIRouter(prefix="/api/v1", tags=["pipeline"], default_response_class=Response)

    @router.get("/pipeline", responses=answers(Pipeline, 503))
    def pipeline() -> Response:
        """What is wrong and what to do, the ledger, lags, watermarks and micro-batches."""
        return as_json(_state(engine, look(), ledger.get(), clock()))

    @router.get("/pipeline/storage", responses=answers(Storage, 503))
    def sizes() -> Response:
        """What the history, the job's state and each topic take, as of the last half minute."""
        return as_json(storage.get())

    @router.get("/dead-letters", responses=answers(DeadLetters, 422, 503))
    def letters(parameters: Annotated[LetterParameters, Query()]) -> Response:
        """Records that could not become events, the newest first, without their bytes."""
        with reading(engine) as connection:
            page = questions.dead_letters(
                connection, parameters.reason, parameters.limit, parameters.after
            )
        return as_json(page)

    @router.get("/late-events", responses=answers(LateEvents, 422, 503))
    def late(parameters: Annotated[PageParameters, Query()]) -> Response:
        """Events that came after their session was final, the newest first."""
        with reading(engine) as connection:
            return as_json(questions.late_events(connection, parameters.limit, parameters.after))

    return router


def _state(engine: Engine, moment: Moment, ledger: Ledger, now: int) -> Pipeline:
    with reading(engine) as connection:
        letters = questions.reasons(connection, now)
    lags = [
        ReaderLag(reader=name, topic=place.topic, partition=place.partition, lag=lag)
        for name, reader in moment.readers.items()
        for place, lag in sorted(reader.lags.items())
    ]
    return Pipeline(
        now=now,
        findings=state.findings(moment.components, ledger, letters),
        ledger=msgspec.structs.replace(ledger, buckets=[]),
        partitions=state.partitions(ledger.buckets),
        readers=lags,
        job=moment.job,
        batches=list(moment.live.recent),
        dead_letters=letters,
    )
