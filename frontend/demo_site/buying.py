"""Cart and checkout: three steps and a thank-you. Nobody pays, and no address is stored."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from frontend.demo_site.shop import fields, lines, page, put, see, store_of, total, visit_of

STEPS = ("address", "delivery", "payment")
DELIVERIES = {"post": ("Post, 3 to 4 days", 490), "bike": ("Bike courier, today", 990)}


async def cart(request: Request) -> Response:
    """What lies in the cart."""
    visit = visit_of(request)
    return page(request, "cart.html", lines=lines(visit), total=total(visit))


async def add(request: Request) -> Response:
    """One more of a product, or as many as the form says."""
    form, visit = await fields(request), visit_of(request)
    slug = form.get("product", "")
    put(visit, slug, visit.cart.get(slug, 0) + _number(form.get("number", "1")))
    visit.notice = "In your cart."
    return see("/cart")


async def change(request: Request) -> Response:
    """Set a line's number; zero removes it."""
    form = await fields(request)
    put(visit_of(request), form.get("product", ""), _number(form.get("number", "0")))
    return see("/cart")


async def begin(request: Request) -> Response:
    """To the first step, if there is something to buy."""
    return see("/checkout/address" if visit_of(request).cart else "/cart")


async def step(request: Request) -> Response:
    """One step's form, or its answer and on to the next."""
    visit, name = visit_of(request), request.path_params["step"]
    if name not in STEPS or not visit.cart:
        return see("/cart")
    if request.method == "POST":
        return await _answered(request, name)
    place = STEPS.index(name)
    return page(
        request,
        "checkout.html",
        step=name,
        place=place + 1,
        steps=STEPS,
        deliveries=DELIVERIES,
        lines=lines(visit),
        total=total(visit),
    )


async def _answered(request: Request, name: str) -> Response:
    visit, form = visit_of(request), await fields(request)
    if name == "address":
        visit.name = form.get("name", "")[:80] or visit.name
    place = STEPS.index(name) + 1
    if place < len(STEPS):
        return see(f"/checkout/{STEPS[place]}")
    number = store_of(request).add_purchase(visit.owner, total(visit), sum(visit.cart.values()))
    visit.cart.clear()
    return see(f"/thank-you?order={number}")


async def thank_you(request: Request) -> Response:
    """The end of a checkout."""
    number = request.query_params.get("order", "")
    return page(request, "thanks.html", number=number if number.isdecimal() else "")


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else 0


ROUTES = [
    Route("/cart", cart),
    Route("/cart/add", add, methods=["POST"]),
    Route("/cart/change", change, methods=["POST"]),
    Route("/checkout", begin),
    Route("/checkout/{step}", step, methods=["GET", "POST"]),
    Route("/thank-you", thank_you),
]
