"""The reviews' JSON API, which the product page's script calls."""

from http import HTTPStatus
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from frontend.demo_site import catalog
from frontend.demo_site.shop import store_of, visit_of
from frontend.demo_site.store import Review

MAX_BODY = 10_000


class Written(msgspec.Struct, frozen=True):
    """What a review's form sends."""

    rating: Annotated[int, Meta(ge=1, le=5)]
    text: Annotated[str, Meta(min_length=1, max_length=1000)]
    name: Annotated[str, Meta(max_length=80)] = ""


class Shown(msgspec.Struct, frozen=True):
    """A review as the API shows it. ``mine``: the visitor may change and delete it."""

    id: int
    name: str
    rating: int
    text: str
    created: int
    changed: int
    mine: bool


class Refused(Exception):  # noqa: N818 (an answer, not a fault of ours)
    """The request cannot be done; ``status`` and the text say why (RFC 9457)."""

    def __init__(self, status: HTTPStatus, detail: str) -> None:
        super().__init__(detail)
        self.status = status


async def listing(request: Request) -> Response:
    """A product's reviews, newest first."""
    owner = visit_of(request).owner
    found = store_of(request).reviews(_product(request))
    return _json([_shown(review, owner) for review in found])


async def create(request: Request) -> Response:
    """A new review by the visitor."""
    slug, written, visit = _product(request), await _written(request), visit_of(request)
    visit.name = visit.name or written.name.strip() or "Guest"
    review = store_of(request).add_review(
        slug, visit.owner, visit.name, written.rating, written.text
    )
    return _json(_shown(review, visit.owner), HTTPStatus.CREATED)


async def update(request: Request) -> Response:
    """New stars and words for one's own review."""
    review, written = _own(request), await _written(request)
    store = store_of(request)
    store.change_review(review.id, written.rating, written.text)
    changed = store.review(review.id) or review
    return _json(_shown(changed, visit_of(request).owner))


async def delete(request: Request) -> Response:
    """One's own review goes."""
    store_of(request).delete_review(_own(request).id)
    return Response(status_code=HTTPStatus.NO_CONTENT)


def _product(request: Request) -> str:
    slug = str(request.path_params["slug"])
    if slug not in catalog.BY_SLUG:
        raise Refused(HTTPStatus.NOT_FOUND, "There is no such product.")
    return slug


def _own(request: Request) -> Review:
    review = store_of(request).review(request.path_params["number"])
    if review is None:
        raise Refused(HTTPStatus.NOT_FOUND, "There is no such review.")
    if review.owner != visit_of(request).owner:
        raise Refused(HTTPStatus.FORBIDDEN, "Only its author may change a review.")
    return review


async def _written(request: Request) -> Written:
    try:
        return msgspec.json.decode(await _body(request), type=Written)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from None


async def _body(request: Request) -> bytes:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "A review is shorter than that.")
    return body


def _shown(review: Review, owner: str) -> Shown:
    mine = review.owner == owner
    return Shown(
        review.id, review.name, review.rating, review.text, review.created, review.changed, mine
    )


def _json(value: object, status: HTTPStatus = HTTPStatus.OK) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")


async def refusal(request: Request, error: Exception) -> Response:
    """Problem details for what was refused."""
    status = error.status if isinstance(error, Refused) else HTTPStatus.INTERNAL_SERVER_ERROR
    problem = {"title": status.phrase, "status": status.value, "detail": str(error)}
    return Response(msgspec.json.encode(problem), status, media_type="application/problem+json")


ROUTES = [
    Route("/api/products/{slug}/reviews", listing, methods=["GET"]),
    Route("/api/products/{slug}/reviews", create, methods=["POST"]),
    Route("/api/reviews/{number:int}", update, methods=["PUT", "PATCH"]),
    Route("/api/reviews/{number:int}", delete, methods=["DELETE"]),
]
