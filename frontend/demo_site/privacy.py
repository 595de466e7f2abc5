"""What is recorded of a visitor, what the browser says about that, and a switch to say no."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from frontend.demo_site.shop import fields, page, see

MAX_AGE_S = 180 * 24 * 60 * 60


async def privacy(request: Request) -> Response:
    """The page with the switch."""
    return page(request, "privacy.html")


async def consent(request: Request) -> Response:
    """Set or clear the cookie by which the middleware leaves a visitor out; back to the page.

    A page's script cannot set ``DNT`` or ``Sec-GPC``, so this is a setting of the shop's own.
    """
    form = await fields(request)
    answer = see(_path(form.get("back", "")))
    answer.set_cookie(
        request.app.state.opt_out_cookie,
        "1" if form.get("recorded") == "no" else "0",
        max_age=MAX_AGE_S,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return answer


def _path(text: str) -> str:
    """A path of this shop; what could lead elsewhere becomes the page with the switch."""
    is_path = text.startswith("/") and not text.startswith(("//", "/\\"))
    return text if is_path and text.isascii() and text.isprintable() else "/privacy"


ROUTES = [Route("/privacy", privacy), Route("/consent", consent, methods=["POST"])]
