"""``/studio``: the page, what it asks for by itself, and its forms."""

import secrets
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from contracts.ledger import Ledger
from contracts.steering import LONGEST_OUTAGE_S
from frontend.demo_site.corner.following import Api, ApiAwayError
from frontend.demo_site.shop import fields, page, see, visit_of
from frontend.demo_site.studio.door import is_at_home, is_right
from frontend.demo_site.studio.wishing import Desk, WishError

LEDGER = "/api/v1/ledger"
NO_ENTRY = "The studio opens on the machine that the demo runs on, at http://127.0.0.1."
Deed = Callable[[Mapping[str, str]], str]


class Studio:
    """The desk, the API for the ledger, and the token of this run's forms.

    ``queued``: how many events wait in this process, which no API knows while Kafka is away.
    """

    def __init__(self, folder: Path, api: Api | None, queued: Callable[[], int]) -> None:
        self.desk, self.api, self.queued = Desk(folder), api, queued
        self.token = secrets.token_urlsafe(24)

    async def ledger(self) -> dict[str, object] | None:
        """The ledger's sums as the API tells them; None while it does not."""
        if self.api is None:
            return None
        try:
            found = msgspec.json.decode(await self.api.get(LEDGER), type=Ledger)
        except (ApiAwayError, msgspec.MsgspecError):
            return None
        return {
            "balances": found.balances,
            "detail": found.detail,
            "behind": found.behind,
            "total": found.total,
            "lost": sum(found.interceptors.lost.values()),
            "dropped": sum(found.interceptors.dropped.values()),
        }


async def studio(request: Request) -> Response:
    """The page."""
    found = _entered(request)
    return page(
        request,
        "studio.html",
        token=found.token,
        longest=LONGEST_OUTAGE_S,
        state=found.desk.state(),
    )


async def state(request: Request) -> Response:
    """How things are now, for the page's script."""
    found = _entered(request)
    now = {**found.desk.state(), "queued": found.queued(), "ledger": await found.ledger()}
    return Response(
        msgspec.json.encode(now),
        headers={"Cache-Control": "no-store"},
        media_type="application/json",
    )


async def deed(request: Request) -> Response:
    """One of the forms: back to the page, or a sentence for its script."""
    found, form = _entered(request), await fields(request)
    if not is_right(found.token, form.get("token")):
        raise HTTPException(403, "The studio was restarted since: load its page again.")
    deeds: dict[str, Deed] = {
        "traffic": found.desk.set_traffic,
        "act": found.desk.act,
        "outage": found.desk.stop_broker,
        "recovery": found.desk.end_outage,
    }
    done = deeds.get(request.path_params["deed"])
    if done is None:
        raise HTTPException(404)
    try:
        status, said = 200, done(form)
    except WishError as error:
        status, said = 422, str(error)
    return _answered(request, status, said)


def _answered(request: Request, status: int, said: str) -> Response:
    if "application/json" in request.headers.get("accept", ""):
        body = msgspec.json.encode({"said": said})
        return Response(body, status, media_type="application/json")
    visit_of(request).notice = said
    return see("/studio")


def _entered(request: Request) -> Studio:
    found: Studio | None = request.app.state.studio
    if found is None:
        raise HTTPException(404)
    peer = request.client.host if request.client else None
    if not is_at_home(peer, request.headers):
        raise HTTPException(403, NO_ENTRY)
    return found


ROUTES = [
    Route("/studio", studio),
    Route("/studio/state", state),
    Route("/studio/{deed}", deed, methods=["POST"]),
]
