"""A visitor of a site, and all the sessions that the history has of them."""

from sqlalchemy import Connection, func, select

from api.history.answers import VisitorPage
from api.history.filters import MERGED
from api.history.models import SessionRow
from api.history.names import is_of_visitor
from api.history.pages import session_page
from api.history.parameters import VisitorParameters


def visitor_page(
    connection: Connection, visitor_id: str, parameters: VisitorParameters, now: int
) -> VisitorPage | None:
    """The visitor and a page of their sessions; None when the history has none."""
    row = SessionRow
    numbers = connection.execute(
        select(func.count(), func.min(row.start), func.max(row.end)).where(
            is_of_visitor(row, visitor_id, parameters.site), row.status != MERGED
        )
    ).one()
    if not numbers[0]:
        return None
    page = session_page(connection, parameters.model_copy(update={"visitor": visitor_id}), now)
    return VisitorPage(
        site_id=str(parameters.site),
        visitor_id=visitor_id,
        sessions=numbers[0],
        first_start=numbers[1],
        last_end=numbers[2],
        items=page.items,
        next_cursor=page.next_cursor,
        as_of=page.as_of,
        count=page.count,
    )
