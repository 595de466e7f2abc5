"""A Django site, watched. Each page says which process served it."""

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path

from interceptor import ClickwakeWsgiMiddleware

settings.configure(ROOT_URLCONF=__name__, SECRET_KEY="k", ALLOWED_HOSTS=["127.0.0.1"])


def page(request: HttpRequest, number: int) -> HttpResponse:
    return HttpResponse(str(os.getpid()))


urlpatterns = [path("page/<int:number>", page)]
app = ClickwakeWsgiMiddleware(get_wsgi_application(), site_id="shop")
