"""``GET /metrics`` for Prometheus. Whoever may ask ``/readyz`` may ask this."""

import asyncio
from collections.abc import Callable, Sequence

from fastapi import APIRouter
from sqlalchemy.exc import SQLAlchemyError
from starlette.responses import Response

from api.feed import Clock
from api.ledger.shared import Shared
from api.metrics.ledger import ledger_families
from api.metrics.moment import Moment, moment_families
from api.metrics.own import own_families
from contracts.exposition import CONTENT_TYPE, Family, exposition_of
from contracts.ledger import Ledger


def metrics_router(
    look: Callable[[], Moment], ledger: Shared[Ledger], topic_prefix: str, clock: Clock
) -> APIRouter:
    """The route; what comes out of the history is left out while the database fails."""
    router = APIRouter(tags=["health"], default_response_class=Response)
    started = clock()

    def recorded() -> Sequence[Family]:
        try:
            return list(ledger_families(ledger.get(), topic_prefix, clock()))
        except SQLAlchemyError:
            return []

    @router.get("/metrics", responses=_TEXT)
    async def metrics() -> Response:
        """How the whole is doing, in Prometheus's text format."""
        from_history = await asyncio.to_thread(recorded)
        families = [*moment_families(look()), *from_history, *own_families(started)]
        return Response(
            exposition_of(families),
            headers={"Cache-Control": "no-store", "Content-Type": CONTENT_TYPE},
        )

    return router


_TEXT: dict[int | str, dict[str, object]] = {
    200: {"description": "OK", "content": {"text/plain": {"schema": {"type": "string"}}}}
}
