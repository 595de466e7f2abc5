"""A Django site, as ``plain`` and, watched, as ``app``."""

import os
from pathlib import Path

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import path

from interceptor import ClickwakeWsgiMiddleware

settings.configure(ROOT_URLCONF=__name__, SECRET_KEY="k", ALLOWED_HOSTS=["*"])


def page(request: HttpRequest, number: int) -> HttpResponse:
    """Which process served it."""
    return HttpResponse(str(os.getpid()))


def file(request: HttpRequest) -> FileResponse:
    return FileResponse(Path(os.environ["TINY_SITE_FILE"]).open("rb"))


def stream(request: HttpRequest) -> StreamingHttpResponse:
    return StreamingHttpResponse(("a" * 70_000, "", "end of stream"), headers={"X-Site": "django"})


def fails(request: HttpRequest) -> HttpResponse:
    raise ZeroDivisionError("the site's own")


urlpatterns = [
    path("page/<int:number>", page),
    path("file", file),
    path("stream", stream),
    path("fails", fails),
]
plain = get_wsgi_application()
app = ClickwakeWsgiMiddleware(plain, site_id="shop")
