"""Pages to look around in."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from frontend.demo_site import catalog
from frontend.demo_site.shop import page, store_of

HIGHLIGHTS = ("harbour-kettle", "reading-lamp", "fisher-blanket", "quiet-clock")
SORTS = {
    "shelf": lambda product: 0,
    "price": lambda product: product.cents,
    "name": lambda product: product.name,
}


async def home(request: Request) -> Response:
    """The shelves and four highlights."""
    highlights = [catalog.BY_SLUG[slug] for slug in HIGHLIGHTS]
    return page(request, "home.html", highlights=highlights, in_category=catalog.in_category)


async def category(request: Request) -> Response:
    """One shelf, sorted as asked."""
    shelf = catalog.CATEGORY_BY_SLUG.get(request.path_params["slug"])
    if shelf is None:
        raise HTTPException(404)
    sort = request.query_params.get("sort", "shelf")
    key = SORTS.get(sort, SORTS["shelf"])
    products = sorted(catalog.in_category(shelf.slug), key=key)
    return page(request, "category.html", category=shelf, products=products, sort=sort)


async def product(request: Request) -> Response:
    """One product with its reviews; below it, how to care for it."""
    found = catalog.BY_SLUG.get(request.path_params["slug"])
    if found is None or request.path_params.get("panel", "care") != "care":
        raise HTTPException(404)
    reviews = store_of(request).reviews(found.slug)
    average = sum(review.rating for review in reviews) / len(reviews) if reviews else None
    return page(
        request,
        "product.html",
        product=found,
        category=catalog.CATEGORY_BY_SLUG[found.category],
        related=catalog.related(found),
        care=catalog.CARE[found.category],
        panel=request.path_params.get("panel", "details"),
        review_count=len(reviews),
        average=average,
    )


async def search(request: Request) -> Response:
    """Products with all the words."""
    query = request.query_params.get("q", "").strip()[:100]
    return page(request, "search.html", query=query, products=catalog.matching(query))


async def about(request: Request) -> Response:
    """What this shop is."""
    return page(request, "about.html")


async def robots(request: Request) -> Response:
    """Nothing to hide from crawlers but the cart."""
    return PlainTextResponse("User-agent: *\nDisallow: /cart\nDisallow: /checkout\n")


async def healthz(request: Request) -> Response:
    """Whether the shop can read its store."""
    store_of(request).reviews(HIGHLIGHTS[0])
    return PlainTextResponse("ok")


ROUTES = [
    Route("/", home),
    Route("/category/{slug}", category),
    Route("/product/{slug}", product),
    Route("/product/{slug}/{panel}", product),
    Route("/search", search),
    Route("/about", about),
    Route("/robots.txt", robots),
    Route("/healthz", healthz),
]
