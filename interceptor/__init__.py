"""Middleware that watches a site's requests without ever hurting the site."""

from interceptor.asgi import ClickwakeMiddleware
from interceptor.errors import InterceptorError
from interceptor.settings import SiteSettings
from interceptor.wsgi import ClickwakeWsgiMiddleware

__all__ = ["ClickwakeMiddleware", "ClickwakeWsgiMiddleware", "InterceptorError", "SiteSettings"]
