"""The dashboard's built files, at the root."""

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles

_UNBUILT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Clickwake</title></head><body>
<h1>The dashboard is not built</h1>
<p>Run <code>./clickwake demo</code>, which builds it, or
<code>npm ci &amp;&amp; npm run build</code> in <code>frontend/dashboard</code>, then reload.</p>
<p>The API itself is running: <a href="/docs">its documentation</a>,
<a href="/readyz">its state</a>.</p>
</body></html>
"""


class Dashboard:
    """Serves a folder that may appear, or be built anew, while the API runs."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._files = StaticFiles(directory=folder, html=True, check_dir=False)

    async def answer(self, request: Request) -> Response:
        """The file at the request's path, or how to build the dashboard."""
        path = request.path_params["path"]
        if not (self._folder / "index.html").is_file():
            return _unbuilt(path)
        response = await self._files.get_response(path or ".", request.scope)
        response.headers["Cache-Control"] = _caching(path)
        return response


def _unbuilt(path: str) -> Response:
    if path:
        raise HTTPException(404)
    return HTMLResponse(_UNBUILT, headers={"Cache-Control": "no-store"})


def _caching(path: str) -> str:
    # The build names what lies in assets/ by its content; all else keeps its name when it changes.
    return "public, max-age=31536000, immutable" if path.startswith("assets/") else "no-cache"
