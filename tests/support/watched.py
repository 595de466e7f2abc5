"""What tests put around and behind the middleware."""

from contracts import RequestEvent
from contracts.settings import Secret
from interceptor import SiteSettings
from interceptor.guard import Guard
from interceptor.ledger import Ledger

SITE = SiteSettings(site_id="shop", secret=Secret("k"))


class Recorder:
    """Takes the emitter's place and keeps the events."""

    def __init__(self) -> None:
        self.ledger = Ledger("shop")
        self.events: list[RequestEvent] = []
        self.calls: list[str] = []

    def submit(self, event: RequestEvent) -> bool:
        self.events.append(event)
        return True

    def start(self) -> None:
        self.calls.append("start")

    def close(self) -> None:
        self.calls.append("close")


class Strict(Guard):
    """Lets the middleware's own errors through, so that a test sees them."""

    raising = True
