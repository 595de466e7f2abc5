"""The documentation page at /docs: the OpenAPI document as plain HTML.

The usual viewers are large scripts from a third-party origin, which the content security policy
forbids. A page made on the server needs no script at all.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

Document = Mapping[str, Any]

STYLE_PATH = "/docs/style.css"
_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #8888; }
code { font: 0.9em ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.8rem 0.3rem 0;
  border-bottom: 1px solid #8884; }
p.text { white-space: pre-line; }
"""


def install(app: FastAPI) -> None:
    """Serve /docs."""

    async def page(_request: Request) -> Response:
        return HTMLResponse(render(app.openapi()))

    async def style(_request: Request) -> Response:
        return Response(_STYLE, media_type="text/css")

    app.add_route("/docs", page, include_in_schema=False)
    app.add_route(STYLE_PATH, style, include_in_schema=False)


def render(document: Document) -> str:
    """The whole page."""
    title = escape(document["info"]["title"])
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} API</title>'
        '<meta name="viewport" content="width=device-width">'
        f'<link rel="icon" href="/favicon.svg">'
        f'<link rel="stylesheet" href="{STYLE_PATH}"></head><body><main><h1>{title} API</h1>'
        f"{_text(document['info']['description'])}"
        '<p>As a document for programs: <a href="/openapi.json">openapi.json</a>.</p>'
        f"{''.join(_operations(document))}{''.join(_schemas(document))}</main></body></html>"
    )


def _operations(document: Document) -> Iterator[str]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"<h2><code>{method.upper()} {escape(path)}</code></h2>"
            yield _text(operation.get("description", ""))
            yield _table(
                ("Parameter", "In", "Type", "Default", "Meaning"),
                (_parameter(item) for item in operation.get("parameters", [])),
            )
            yield _table(
                ("Status", "Answer", "Meaning"),
                (_answer(status, item) for status, item in operation["responses"].items()),
            )


def _parameter(item: Document) -> tuple[str, ...]:
    schema = item["schema"]
    default = schema.get("default")
    return (
        f"<code>{escape(item['name'])}</code>",
        escape(item["in"]),
        _given(schema),
        "" if default is None else escape(str(default)),
        escape(item.get("description", "")),
    )


def _given(schema: Document) -> str:
    """A parameter's type and bounds."""
    least, most = schema.get("minimum"), schema.get("maximum")
    bounds = f", {least} to {most}" if least is not None and most is not None else ""
    return _type(schema) + bounds


def _answer(status: str, item: Document) -> tuple[str, ...]:
    kinds = (_type(content["schema"]) for content in item.get("content", {}).values())
    return escape(status), ", ".join(kinds), escape(item["description"])


def _schemas(document: Document) -> Iterator[str]:
    for name, schema in document["components"]["schemas"].items():
        yield f'<h2 id="{escape(name)}"><code>{escape(name)}</code></h2>'
        yield _text(schema.get("description", ""))
        fields = schema.get("properties", {}).items()
        yield _table(
            ("Field", "Type"),
            ((f"<code>{escape(key)}</code>", _type(kind)) for key, kind in fields),
        )


def _type(schema: Document) -> str:
    if "$ref" in schema:
        name = escape(str(schema["$ref"]).rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    if "anyOf" in schema:
        return " or ".join(_type(choice) for choice in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(f"<code>{escape(str(value))}</code>" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    examples = [f"<code>{escape(str(example))}</code>" for example in schema.get("examples", [])]
    kind = escape(str(schema.get("type", "any")))
    return f"{kind}, such as {' or '.join(examples)}" if examples else kind


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    if not body:
        return ""
    titles = "".join(f"<th>{title}</th>" for title in head)
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"


def _text(text: str) -> str:
    marked = re.sub(r"`+([^`]+)`+", r"<code>\1</code>", escape(text))
    return f'<p class="text">{marked}</p>' if text else ""
