"""Backfills that people ask for on the dashboard, which the supervisor beside this API runs."""

import re
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, HTTPException
from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.requests import Request
from starlette.responses import Response
from uuid_utils import uuid7

from api.access.logins import Door
from api.access.rules import BACKFILLS
from api.pipeline.audited import enter
from api.plain import as_json
from api.schema import answers, made
from contracts.backfills import LOG, ORDER, BackfillOrder, orders_in, progress_of, write_file
from contracts.event_time import EARLIEST_MS, LATEST_MS

SHOWN = 20
OUTPUT_BYTES = 8_192
# It becomes an argument of a command, where a hyphen would begin an option.
_SITE = r"^[A-Za-z0-9._][A-Za-z0-9._-]{0,63}$"
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")


class Backfill(Struct, frozen=True, kw_only=True):
    """One backfill. ``output`` is the end of what its command said; times ms since 1970 UTC."""

    id: str
    asked: int
    begin: int
    end: int
    site: str | None
    command: str
    state: Literal["waiting", "running", "done", "failed"]
    started: int | None
    ended: int | None
    output: str


class Backfills(Struct, frozen=True, kw_only=True):
    """The newest backfills. ``runs_here``: a supervisor takes orders from this API."""

    runs_here: bool
    items: list[Backfill]


Instant = Annotated[int, Field(ge=EARLIEST_MS, lt=LATEST_MS)]


class NewBackfill(BaseModel):
    """The body that orders a backfill."""

    model_config = ConfigDict(extra="forbid")

    begin: Instant = Field(description="Sessions that start then or later, ms since 1970 UTC.")
    end: Instant = Field(description="Sessions that start before, ms since 1970 UTC.")
    site: str | None = Field(None, pattern=_SITE, description="Sessions of this site_id only.")

    @model_validator(mode="after")
    def _is_a_period(self) -> "NewBackfill":
        if self.end <= self.begin:
            raise ValueError("end must be later than begin")
        return self


def backfills_router(door: Door, folder: Path | None) -> APIRouter:
    """The routes. ``folder`` is where the supervisor looks for orders; None: there is none."""
    router = APIRouter(tags=["pipeline"], default_response_class=Response)

    @router.get(BACKFILLS, responses=answers(Backfills, 503))
    def newest() -> Response:
        """Backfills that were ordered here, the newest first, and what they said."""
        orders = orders_in(folder)[:SHOWN] if folder else []
        items = [_backfill(folder, order) for order in orders] if folder else []
        return as_json(Backfills(runs_here=folder is not None, items=items))

    @router.post(
        BACKFILLS, status_code=201, responses=made(Backfill, 403, 409, 422, 503, said="Ordered.")
    )
    def order(request: Request, wanted: NewBackfill) -> Response:
        """Order a backfill, which the supervisor runs: one at a time. Needs the scope `admin`.

        Where no supervisor takes orders, the answer is a 409 with the command to run.
        """
        now = door.clock()
        asked = BackfillOrder(
            id=str(uuid7()), asked=now, begin=wanted.begin, end=wanted.end, site=wanted.site
        )
        if folder is None:
            raise HTTPException(
                409, f"Nobody runs it from here. Run it yourself: {_command(asked)}"
            )
        enter(door, request, "backfill_ordered", f"backfill {asked.id}", _command(asked))
        write_file(folder / f"{asked.id}{ORDER}", asked)
        return as_json(_backfill(folder, asked), 201)

    return router


def _backfill(folder: Path, order: BackfillOrder) -> Backfill:
    progress = progress_of(folder, order.id)
    return Backfill(
        id=order.id,
        asked=order.asked,
        begin=order.begin,
        end=order.end,
        site=order.site,
        command=_command(order),
        state=progress.state if progress else "waiting",
        started=progress.started if progress else None,
        ended=progress.ended if progress else None,
        output=_output(folder / f"{order.id}{LOG}"),
    )


def _command(order: BackfillOrder) -> str:
    return " ".join(["./clickwake backfill", *order.arguments()])


def _output(log: Path) -> str:
    """The log's end, as lines that stand still: without what moves a terminal's cursor."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - OUTPUT_BYTES))
            text = file.read().decode(errors="replace")
    except OSError:
        return ""
    lines = (line.rpartition("\r")[2].rstrip() for line in text.split("\n"))
    return "\n".join(_CONTROL.sub("", line) for line in lines).strip()
