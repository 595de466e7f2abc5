"""What every page needs: the visitor, the store, the templates."""

from pathlib import Path
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.templating import Jinja2Templates

from frontend.demo_site import art, catalog
from frontend.demo_site.session import Visit
from frontend.demo_site.store import Store
from frontend.demo_site.wishes import wishes_of

FOLDER = Path(__file__).parent
MAX_OF_ONE = 9
MAX_LINES = 12


class Line(msgspec.Struct, frozen=True):
    """One line of a cart."""

    product: catalog.Product
    number: int

    @property
    def cents(self) -> int:
        """What the line costs."""
        return self.product.cents * self.number


def visit_of(request: Request) -> Visit:
    """What the signed cookie says of the visitor; changes to it are kept."""
    visit: Visit = request.scope["visit"]
    return visit


def store_of(request: Request) -> Store:
    """The shop's store."""
    store: Store = request.app.state.store
    return store


def lines(visit: Visit) -> list[Line]:
    """The cart with its products; what is no longer sold has gone from it."""
    known = ((catalog.BY_SLUG.get(slug), number) for slug, number in visit.cart.items())
    return [Line(product, number) for product, number in known if product]


def total(visit: Visit) -> int:
    """The cart's sum in cents."""
    return sum(line.cents for line in lines(visit))


def put(visit: Visit, slug: str, number: int) -> None:
    """Set how many of a product lie in the cart; none removes it."""
    if number <= 0 or slug not in catalog.BY_SLUG:
        visit.cart.pop(slug, None)
    elif slug in visit.cart or len(visit.cart) < MAX_LINES:
        visit.cart[slug] = min(number, MAX_OF_ONE)


def euros(cents: int) -> str:
    """``1850`` → ``€ 18.50``."""
    return f"€ {cents / 100:,.2f}"


def templates() -> Jinja2Templates:
    """The pages' templates with the functions they use."""
    made = Jinja2Templates(FOLDER / "templates")
    made.env.filters["euros"] = euros
    made.env.globals["drawing"] = art.drawing
    made.env.globals["categories"] = catalog.CATEGORIES
    made.env.globals["place"] = {item.slug: n for n, item in enumerate(catalog.PRODUCTS)}
    return made


def page(request: Request, name: str, status: int = 200, **context: Any) -> Response:
    """A rendered template; the visitor's notice is shown once."""
    visit = visit_of(request)
    notice, visit.notice = visit.notice, ""
    state = request.app.state
    common = {
        "visit": visit,
        "notice": notice,
        "cart_size": sum(visit.cart.values()),
        "dashboard_url": state.settings.dashboard_url,
        "beacon_path": state.beacon_path,
        "wishes": wishes_of(request.headers, request.cookies, state.opt_out_cookie),
        "has_studio": bool(state.settings.steering),
    }
    answer: Response = state.templates.TemplateResponse(
        request, name, {**common, **context}, status_code=status
    )
    return answer


def see(path: str) -> Response:
    """After a form: look there with GET."""
    return RedirectResponse(path, status_code=303)


async def fields(request: Request) -> dict[str, str]:
    """A form's text fields, trimmed and capped."""
    form = await request.form(max_files=0, max_fields=20)
    return {name: value.strip()[:500] for name, value in form.items() if isinstance(value, str)}
