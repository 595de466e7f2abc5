"""The demo's sample visitors: whether there are any to steer, and how many are to come."""

import time
from pathlib import Path
from typing import Annotated

import msgspec
from fastapi import APIRouter, HTTPException
from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from api.access.logins import Door
from api.access.rules import SAMPLE_TRAFFIC
from api.pipeline.audited import enter
from api.plain import as_json
from api.schema import answers
from contracts import steering
from contracts.steering import TrafficNow, TrafficWish, Wishes

FRESH_MS = 5_000
"""The sample traffic says twice a second how it is; later than this it has ended."""

NONE = "No sample visitors can be sent here: only ./clickwake demo has some."


class SampleTraffic(Struct, frozen=True, kw_only=True):
    """``visitors_per_minute`` is null when there is no sample traffic to be steered."""

    available: bool
    visitors_per_minute: float | None = None


class WantedTraffic(BaseModel):
    """The body that says how many sample visitors are to come."""

    model_config = ConfigDict(extra="forbid")

    visitors_per_minute: Annotated[
        float, Field(ge=0, le=6000, description="How many visits begin in a minute.")
    ]


def sample_traffic_router(door: Door, folder: Path | None) -> APIRouter:
    """Routes to look at the sample traffic and to steer it; ``folder`` is where wishes go."""
    router = APIRouter(tags=["sample traffic"], default_response_class=Response)

    @router.get(SAMPLE_TRAFFIC, responses=answers(SampleTraffic))
    def now() -> Response:
        """How many sample visitors come, where a demo runs."""
        return as_json(_told(folder))

    @router.post(SAMPLE_TRAFFIC, responses=answers(SampleTraffic, 404, 422, 503))
    def steer(request: Request, wanted: WantedTraffic) -> Response:
        """Send so many sample visitors a minute from now on. Needs the scope `admin`."""
        if folder is None or not _told(folder).available:
            raise HTTPException(404, NONE)
        rate = f"{wanted.visitors_per_minute:g} visitors a minute"
        enter(door, request, "sample_traffic_set", "sample traffic", rate)
        wish = TrafficWish(visitors_per_minute=wanted.visitors_per_minute)
        known = steering.read(folder, Wishes) or Wishes()
        steering.write(folder, msgspec.structs.replace(known, traffic=wish))
        return as_json(SampleTraffic(available=True, visitors_per_minute=wish.visitors_per_minute))

    return router


def _told(folder: Path | None) -> SampleTraffic:
    said = None if folder is None else steering.read(folder, TrafficNow)
    # By this machine's own clock, as the traffic's: both run on it.
    if said is None or time.time_ns() // 1_000_000 - said.time > FRESH_MS:
        return SampleTraffic(available=False)
    return SampleTraffic(available=True, visitors_per_minute=said.traffic.visitors_per_minute)
