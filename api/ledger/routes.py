"""The ledger's address under /api/v1."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Engine
from starlette.responses import Response

from api.history.engine import reading
from api.ledger.accounting import ledger
from api.ledger.questions import known
from api.ledger.shared import Shared
from api.schema import answers
from contracts.ledger import Ledger


class LedgerParameters(BaseModel):
    """The ledger's parameters."""

    model_config = ConfigDict(extra="forbid")

    buckets: bool = Field(True, description="Whether to list each bucket's columns.")


def shared_ledger(engine: Engine, topic_prefix: str) -> Shared[Ledger]:
    """The ledger from the database behind ``engine``, for all who ask.

    Every open dashboard asks, and to look for late events among all others may take a while.
    """
    return Shared(lambda: _read(engine, topic_prefix))


def ledger_router(newest: Shared[Ledger]) -> APIRouter:
    """Routes that answer from the newest ledger."""
    router = APIRouter(prefix="/api/v1", tags=["ledger"], default_response_class=Response)

    @router.get("/ledger", responses=answers(Ledger, 422, 503))
    def accounts(parameters: Annotated[LedgerParameters, Query()]) -> Response:
        """What became of every request: one column each, in every bucket, to the unit.

        Counts are since the job's checkpoint began, as the buckets last published them, some
        seconds ago. Beside them stand the interceptors' own counts.
        """
        found = newest.get()
        if not parameters.buckets:
            found = msgspec.structs.replace(found, buckets=[])
        return Response(
            msgspec.json.encode(found),
            headers={"Cache-Control": "no-store"},
            media_type="application/json",
        )

    return router


def _read(engine: Engine, topic_prefix: str) -> Ledger:
    with reading(engine) as connection:
        return ledger(known(connection, topic_prefix))
