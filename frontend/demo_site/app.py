"""The shop as an ASGI application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from frontend.demo_site import accounts, browsing, buying, detours, privacy, reviews
from frontend.demo_site.corner import routes as corner
from frontend.demo_site.corner.following import Api
from frontend.demo_site.corner.visitors import Visitors
from frontend.demo_site.protection import Protection
from frontend.demo_site.session import SignedSession
from frontend.demo_site.settings import DemoSettings, api_headers, shop_site
from frontend.demo_site.shop import FOLDER, page, templates
from frontend.demo_site.store import Store
from frontend.demo_site.studio import routes as studio
from interceptor import ClickwakeMiddleware, SiteSettings
from interceptor.emitter import Emitter

FORBIDDEN = 403


def create_app(
    settings: DemoSettings, site: SiteSettings | None = None, emitter: Emitter | None = None
) -> ClickwakeMiddleware:
    """The shop with the interceptor in front, whose settings come from the environment.

    Raises ContractError or InterceptorError at once when one of them is wrong.
    """
    store = Store(settings.database)
    watched = site or shop_site(store.secret)
    api = Api(settings.api_url, api_headers()) if settings.api_url else None
    shop = _shop(settings, store, api)
    visitors = Visitors(api.messages if api else None, settings.dashboard_url)
    middleware = ClickwakeMiddleware(shop, watched, emitter=emitter, observe=visitors.observe)
    state = shop.state
    state.visitors, state.address_of, state.corner_streams = visitors, middleware.address_of, 0
    state.studio = None
    if settings.steering:
        state.studio = studio.Studio(Path(settings.steering), api, lambda: _queued(middleware))
    state.beacon_path, state.opt_out_cookie = watched.beacon_path, watched.opt_out_cookie
    return middleware


def _queued(middleware: ClickwakeMiddleware) -> int:
    return middleware.emitter.stats().queued


def _shop(settings: DemoSettings, store: Store, api: Api | None) -> Starlette:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        store.close()
        if api is not None:
            await api.close()

    app = Starlette(
        routes=[
            *browsing.ROUTES,
            *buying.ROUTES,
            *accounts.ROUTES,
            *reviews.ROUTES,
            *detours.ROUTES,
            *privacy.ROUTES,
            *corner.ROUTES,
            *studio.ROUTES,
            Mount("/static", StaticFiles(directory=FOLDER / "static")),
        ],
        middleware=[Middleware(Protection), Middleware(SignedSession, secret=store.secret)],
        exception_handlers={HTTPException: _failed, reviews.Refused: reviews.refusal},
        lifespan=lifespan,
    )
    app.state.store, app.state.settings, app.state.templates = store, settings, templates()
    return app


async def _failed(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    detail = error.detail if isinstance(error, HTTPException) and status == FORBIDDEN else ""
    return page(request, "error.html", status, code=status, detail=detail)
