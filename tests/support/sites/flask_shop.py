"""A Flask site, watched. Each page says which process served it."""

import os

from flask import Flask

from interceptor import ClickwakeWsgiMiddleware

app = Flask(__name__)


@app.get("/page/<int:number>")
def page(number: int) -> str:
    return str(os.getpid())


app.wsgi_app = ClickwakeWsgiMiddleware(app.wsgi_app, site_id="shop")
