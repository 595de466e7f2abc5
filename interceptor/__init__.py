"""Middleware that watches a site's requests without ever hurting the site."""

from interceptor.asgi import ClickwakeMiddleware
from interceptor.errors import InterceptorError
from interceptor.settings import SiteSettings

__all__ = ["ClickwakeMiddleware", "InterceptorError", "SiteSettings"]
