"""The annotations' addresses under /api/v1."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Query
from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from api.access import audit
from api.access.logins import Door
from api.access.rules import ANNOTATIONS
from api.access.scopes import Access
from api.annotations import store
from api.annotations.store import Annotation, Days, Wish
from api.history import values
from api.history.engine import changing, reading
from api.plain import as_json
from api.problems import wrong_parameter
from api.schema import answers, made

TEXT_LIMIT = 500
"""Characters of an annotation."""

AnnotationId = Annotated[str, Path(pattern=r"^[0-9a-f-]{36}$")]


class Annotations(Struct, frozen=True, kw_only=True):
    """Annotations by day, and in the order in which they were made."""

    items: list[Annotation]


class DaysParameters(BaseModel):
    """Which annotations are asked for."""

    model_config = ConfigDict(extra="forbid")

    from_: values.Day | None = Field(None, alias="from", description="On this day or later.")
    to: values.Day | None = Field(None, description="On this day or earlier.")
    site: values.Identity | None = Field(None, description="About this site_id or all sites.")

    def days(self) -> Days:
        """The days. Raises a 422 when they end before they begin."""
        if self.from_ is not None and self.to is not None and self.to < self.from_:
            raise wrong_parameter("to", "must not be before from")
        return Days(self.from_, self.to)


class NewAnnotation(BaseModel):
    """The body that makes an annotation."""

    model_config = ConfigDict(extra="forbid")

    day: values.Day = Field(description="The day, such as 2026-03-01.")
    text: str = Field(
        max_length=TEXT_LIMIT, pattern=values.SAYS_SOMETHING, description="What happened on it."
    )
    site: values.Identity | None = Field(None, description="The only site_id it is about.")

    def wish(self) -> Wish:
        """What is to be kept."""
        return Wish(self.day, self.text.strip() or self.text, self.site)


def annotations_router(door: Door) -> APIRouter:
    """Routes that read, make and delete annotations; the audit log has the latter two."""
    router = APIRouter(tags=["annotations"], default_response_class=Response)

    @router.get(ANNOTATIONS, responses=answers(Annotations, 422, 503))
    def pinned(parameters: Annotated[DaysParameters, Query()]) -> Response:
        """Notes that people pinned to days, all sites' included; of many the newest 1,000."""
        days = parameters.days()
        with reading(door.engine) as connection:
            return as_json(Annotations(items=store.listed(connection, days, parameters.site)))

    @router.post(ANNOTATIONS, status_code=201, responses=made(Annotation, 422, 503))
    def pin(request: Request, wanted: NewAnnotation) -> Response:
        """Pin a note to a day, for everyone. Needs the scope `admin`."""
        with changing(door.engine) as connection:
            author = Access.of(request).name
            made = store.add(connection, wanted.wish(), author, door.clock())
            _enter(connection, door, request, "annotation_made", made)
        return as_json(made, 201)

    @router.delete(
        f"{ANNOTATIONS}/{{annotation_id}}", status_code=204, responses=answers(None, 404, 422, 503)
    )
    def unpin(request: Request, annotation_id: AnnotationId) -> Response:
        """Delete a note. Needs the scope `admin`."""
        with changing(door.engine) as connection:
            gone = store.take_away(connection, annotation_id)
            if gone is None:
                raise HTTPException(404, f"No annotation has the id {annotation_id!r}.")
            _enter(connection, door, request, "annotation_deleted", gone)
        return Response(status_code=204, headers={"Cache-Control": "no-store"})

    return router


def _enter(
    connection: Connection, door: Door, request: Request, action: str, what: Annotation
) -> None:
    entry = audit.Entry(
        action,
        Access.of(request).actor,
        f"annotation {what.annotation_id}",
        door.address_of(request.scope),
        f"{what.day}: {what.text}",
    )
    audit.record(connection, entry, door.clock())
