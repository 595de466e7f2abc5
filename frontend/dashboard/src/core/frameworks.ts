// How a site begins to be watched, word for word as the README has it (a test compares them).

export const FRAMEWORKS = {
  FastAPI: `from fastapi import FastAPI
from interceptor import ClickwakeMiddleware

app = FastAPI()


@app.get("/")
def home() -> dict[str, str]:
    return {"hello": "visitor"}


app.add_middleware(ClickwakeMiddleware, site_id="shop")`,

  Starlette: `from interceptor import ClickwakeMiddleware
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route


def home(request):
    return PlainTextResponse("hello")


app = Starlette(
    routes=[Route("/", home)],
    middleware=[Middleware(ClickwakeMiddleware, site_id="shop")],
)`,

  Flask: `from flask import Flask
from interceptor import ClickwakeWsgiMiddleware

app = Flask(__name__)


@app.get("/")
def home():
    return "hello"


app.wsgi_app = ClickwakeWsgiMiddleware(app.wsgi_app, site_id="shop")`,

  Django: `import os

from django.core.wsgi import get_wsgi_application
from interceptor import ClickwakeWsgiMiddleware

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")

application = ClickwakeWsgiMiddleware(get_wsgi_application(), site_id="shop")`,
} as const;

export type Framework = keyof typeof FRAMEWORKS;

export const SETTINGS = `export CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS=127.0.0.1:19092
export CLICKWAKE_SITE_SECRET=replace-this-by-a-long-random-text`;

const UVICORN = "uvicorn shop:app --no-proxy-headers --port 8000";

export const SERVE: Readonly<Record<Framework, string>> = {
  FastAPI: UVICORN,
  Starlette: UVICORN,
  Flask: "gunicorn shop:app --preload --workers 2 --bind 127.0.0.1:8000",
  Django: "gunicorn shop.wsgi --preload --workers 2 --bind 127.0.0.1:8000",
};
