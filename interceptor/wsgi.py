"""WSGI middleware: ``app.wsgi_app = ClickwakeWsgiMiddleware(app.wsgi_app, site_id="shop")``.

WSGI tells nobody when a process begins or ends: the Kafka thread starts with a process's first
request, and an exit handler sends what waits. gunicorn's workers run it on SIGTERM.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from types import MethodType
from typing import Any

from contracts.logs import REQUEST_ID
from interceptor import metrics
from interceptor.answers import Answer
from interceptor.beacon import HEADERS, LIMIT, Beacon, Head, Wanted
from interceptor.capture import Request
from interceptor.cookie import Offer
from interceptor.environ import EnvironReader
from interceptor.ledger import Ledger
from interceptor.middleware import CLIENT_CLOSED, SiteMiddleware
from interceptor.visit import Visit

MAX_LAYERS = 16

Environ = dict[str, Any]
StartResponse = Callable[..., Callable[[bytes], object]]
App = Callable[[Environ, StartResponse], Iterable[bytes]]


class ClickwakeWsgiMiddleware(SiteMiddleware[App]):
    """The middleware for Flask, Django and every other WSGI application."""

    def __init__(self, app: App, *arguments: Any, **options: Any) -> None:
        super().__init__(app, *arguments, **options)
        self._reader = EnvironReader(self._capture.names)
        self._beacon_reader = EnvironReader(HEADERS)
        self._site: object = app
        with self.guard:
            self._site = _innermost(app)
        self._started: Ledger | None = None

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """One request."""
        self._start()
        if self._beacon and (wanted := self._beacon.wanted(*_place(environ))):
            return self._answer_beacon(self._beacon, wanted, environ, start_response)
        if self._metrics_path and metrics.is_asked_for_in(environ, self._metrics_path):
            return self._answer_metrics(start_response)
        request = self._admit(environ)
        if request is None:
            REQUEST_ID.set(None)
            return self.app(environ, start_response)
        visit = _Visit(request, self._log, start_response)
        if self._asks_who:
            self._equip(visit, environ, environ.get("wsgi.url_scheme", ""))
        REQUEST_ID.set(visit.event_id)
        try:
            body = self.app(environ, visit.start_response)
        except BaseException:
            visit.fail()
            visit.finish()
            raise
        return self._followed(visit, body, environ)

    def _answer_metrics(self, start_response: StartResponse) -> Iterable[bytes]:
        start, body = metrics.answer(self.emitter.stats())
        headers = [(name.decode(), value.decode()) for name, value in start["headers"]]
        start_response("200 OK", headers)
        return [body["body"]]

    def _answer_beacon(
        self, beacon: Beacon, wanted: Wanted, environ: Environ, start_response: StartResponse
    ) -> Iterable[bytes]:
        if wanted == "script":
            method = environ["REQUEST_METHOD"]
            answer = beacon.script.answer(method, self._beacon_reader.headers(environ))
        else:
            head = beacon.admit(lambda: self._head(environ))
            answer = head if isinstance(head, Answer) else beacon.take(head, _body(environ))
        start_response(answer.line, list(answer.headers))
        return [answer.body]

    def _head(self, environ: Environ) -> Head:
        headers = self._beacon_reader.headers(environ)
        return Head(self._read(environ), headers, self._is_debug(environ))

    def _read(self, source: Environ) -> Request:
        return self._reader.request(source)

    def _is_debug(self, source: Environ) -> bool:
        """Flask's own development switch, or Django's."""
        if type(self._site).__module__.startswith("django."):
            return bool(sys.modules["django.conf"].settings.DEBUG)
        return bool(getattr(self._site, "debug", False))

    def _start(self) -> None:
        """Begin to connect with a process's first request; after a fork the ledger is new."""
        ledger = self.emitter.ledger
        if self._started is not ledger:
            self._started = ledger
            with self.guard:
                self.emitter.start()

    def _followed(
        self, visit: "_Visit", body: Iterable[bytes], environ: Environ
    ) -> Iterable[bytes]:
        with self.guard:
            if not _is_file(body, environ):
                is_sized = hasattr(type(body), "__len__")
                return _SizedBody(body, visit) if is_sized else _Body(body, visit)
        # The server sends a file by itself, by what it is; the visit ends here for us.
        visit.finish()
        return body


class _Visit(Visit):
    """Sees the answer begin."""

    __slots__ = ("_start_response",)

    def __init__(
        self, request: Request, report: Callable[[Visit], None], start_response: StartResponse
    ) -> None:
        super().__init__(request, report)
        self._start_response = start_response

    def start_response(self, *arguments: Any, **options: Any) -> Callable[[bytes], object]:
        """The server's own, with the same arguments but for a cookie, whose status is kept."""
        if self.offer is not None:
            arguments = _with_cookie(arguments, self.offer)
        write = self._start_response(*arguments, **options)
        self.status = arguments[0] if arguments else options.get("status")
        return write

    def _code(self) -> int:
        return int(str(self.status)[:3])


class _Body:
    """An application's body as it is; its end, or the server closing it, ends the visit."""

    __slots__ = ("_body", "_chunks", "_visit")

    def __init__(self, body: Iterable[bytes], visit: _Visit) -> None:
        self._body, self._visit = body, visit
        self._chunks: Iterator[bytes] | None = None

    def __iter__(self) -> Iterator[bytes]:
        self._chunks = self._passed(iter, self._body)
        return self

    def __next__(self) -> bytes:
        # A server may ask an iterator for its next chunk without asking for the iterator.
        chunks = self._body if self._chunks is None else self._chunks
        chunk: bytes = self._passed(next, chunks)
        return chunk

    def _passed(self, ask: Callable[[Any], Any], of: Any) -> Any:
        try:
            return ask(of)
        except StopIteration:
            self._visit.finish()
            raise
        except BaseException:
            self._visit.fail()
            self._visit.finish()
            raise

    def close(self) -> None:
        """The server is done. The application's own ``close`` runs after the visitor was served."""
        self._visit.fail(CLIENT_CLOSED)
        self._visit.finish()
        close = getattr(self._body, "close", None)
        if close is not None:
            close()


class _SizedBody(_Body):
    """A body whose length the server may ask for, to write a Content-Length."""

    __slots__ = ()

    def __len__(self) -> int:
        return len(self._body)  # type: ignore[arg-type]


def _place(environ: Environ) -> tuple[str, str]:
    """The whole path and the application's root in it."""
    root: str = environ.get("SCRIPT_NAME", "")
    return root + environ.get("PATH_INFO", ""), root


def _body(environ: Environ) -> bytes | None:
    """A report's body, as far as it comes; None when it is too large.

    Without a length a server may wait for more for ever, unless it says that it will not.
    """
    length = environ.get("CONTENT_LENGTH")
    if not length and not environ.get("wsgi.input_terminated"):
        return b""
    try:
        body: bytes = environ["wsgi.input"].read(int(length) if length else LIMIT + 1)
    except OSError:
        return b""  # the visitor has gone
    return None if len(body) > LIMIT else body


def _with_cookie(arguments: tuple[Any, ...], offer: Offer) -> tuple[Any, ...]:
    try:
        status, headers, *others = arguments
        return (status, offer.in_headers(status, headers), *others)
    except (TypeError, ValueError, AttributeError):
        # What the application says is no answer; the server is to be the one to say so.
        return arguments


def _innermost(app: object) -> object:
    """The framework's application, which other middleware may wrap (ProxyFix, WhiteNoise)."""
    for _ in range(MAX_LAYERS):
        # What a Flask application installs is its method ``wsgi_app``.
        inner = app.__self__ if isinstance(app, MethodType) else None
        inner = inner or getattr(app, "app", None) or getattr(app, "application", None)
        if inner is None:
            break
        app = inner
    return app


def _is_file(body: object, environ: Environ) -> bool:
    """Whether the server may recognise the body as a file to be sent by the kernel.

    gunicorn compares its class; uWSGI, whose wrapper is a function, compares the object.
    """
    wrapper = environ.get("wsgi.file_wrapper")
    is_wrapped = isinstance(wrapper, type) and isinstance(body, wrapper)
    return is_wrapped or hasattr(body, "read")
