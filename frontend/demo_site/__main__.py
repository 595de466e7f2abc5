"""``python -m frontend.demo_site``: serve the shop until told to stop."""

import logging
import sys

import uvicorn

from contracts import ContractError, logs
from frontend.demo_site.app import create_app
from frontend.demo_site.settings import demo_settings
from interceptor import InterceptorError

LINGER_SECONDS = 1
"""How long open requests may hold up the end; the interceptor flushes after them."""


def main() -> int:
    """Run the server; the exit status. A wrong setting is one sentence and status 1."""
    # Its client tells of each connection; what matters of that, the interceptor says.
    logging.getLogger("kafka").setLevel(logging.WARNING)
    # It would tell of each question to the API, with the visitor's id in it.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    try:
        logs.configure("site")
        settings = demo_settings()
        app = create_app(settings)
    except (ContractError, InterceptorError) as error:
        print(error, file=sys.stderr)
        return 1
    # The interceptor judges proxy headers itself; the server must leave the peer as it is.
    uvicorn.run(
        app,
        host=settings.host,
        port=settings.port,
        proxy_headers=False,
        # Neither requests nor refused WebSockets may leave an address in the log.
        access_log=False,
        log_config=None,
        ws="none",
        timeout_graceful_shutdown=LINGER_SECONDS,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
