"""Headers that every answer carries, and the refusal of requests that other sites trigger."""

from starlette.responses import PlainTextResponse

from frontend.demo_site.session import App, Message, Receive, Scope, Send

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"strict-origin-when-cross-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
]


class Protection:
    """ASGI middleware. Browsers say where a request comes from; others need no protection.

    Cross-site requests that change something are refused by ``Sec-Fetch-Site``, and by
    ``Origin`` in browsers that lack it.
    """

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One connection."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *HEADERS]
            await send(message)

        if is_foreign(scope["method"], dict(scope["headers"])):
            refusal = PlainTextResponse("This request came from another site.", 403)
            await refusal(scope, receive, with_headers)
            return
        await self.app(scope, receive, with_headers)


def is_foreign(method: str, headers: dict[bytes, bytes]) -> bool:
    """Whether another site made a browser send a request that changes something."""
    if method in SAFE_METHODS:
        return False
    site = headers.get(b"sec-fetch-site")
    if site is not None:
        return site not in (b"same-origin", b"none")
    origin = headers.get(b"origin")
    return origin is not None and origin.partition(b"://")[2] != headers.get(b"host")
