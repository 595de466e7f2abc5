"""A Flask site, as ``plain`` and, watched, as ``app``."""

import os
from collections.abc import Iterator

from flask import Flask, Response, send_file, stream_with_context

from interceptor import ClickwakeWsgiMiddleware

app = Flask(__name__)


@app.get("/page/<int:number>")
def page(number: int) -> str:
    """Which process served it."""
    return str(os.getpid())


@app.get("/file")
def file() -> Response:
    return send_file(os.environ["TINY_SITE_FILE"], conditional=True)


@app.get("/stream")
def stream() -> Response:
    def chunks() -> Iterator[str]:
        yield from ("a" * 70_000, "", "end of stream")

    return Response(stream_with_context(chunks()), headers={"X-Site": "flask"})


@app.get("/fails")
def fails() -> Response:
    raise ZeroDivisionError("the site's own")


plain = app.wsgi_app
app.wsgi_app = ClickwakeWsgiMiddleware(app.wsgi_app, site_id="shop")
