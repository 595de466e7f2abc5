"""Middleware that watches a site's requests without ever hurting the site."""

from interceptor.asgi import ClickwakeMiddleware
from interceptor.decision import Decision, Observe
from interceptor.errors import InterceptorError
from interceptor.settings import SiteSettings
from interceptor.wsgi import ClickwakeWsgiMiddleware

__all__ = [
    "ClickwakeMiddleware",
    "ClickwakeWsgiMiddleware",
    "Decision",
    "InterceptorError",
    "Observe",
    "SiteSettings",
]
