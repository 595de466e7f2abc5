"""The browser beacon: serves its script, and takes what pages report, for every gateway.

The gateway reads and writes; what is asked, what is refused and what becomes an event is decided
here. Nothing waits: an event goes into the emitter's queue like any other.
"""

import math
import time
from collections.abc import Callable, Mapping
from typing import Literal

import msgspec

from contracts import RequestEvent
from interceptor.answers import Answer, sentence
from interceptor.beacon_report import Report, read_report
from interceptor.beacon_script import Script
from interceptor.capture import Capture, Outcome, Request
from interceptor.decision import Witness
from interceptor.emitter import Emitter
from interceptor.guard import Guard
from interceptor.policy import Policy
from interceptor.rate_limit import RateLimit, key_of
from interceptor.settings import SiteSettings
from interceptor.text import path_text

LIMIT = 8 * 1024
"""Bytes of a report's body."""

HEADERS = ("content-length", "host", "if-none-match", "origin", "sec-fetch-site")
"""What is read besides what every request is asked for."""

Wanted = Literal["script", "report"]

TAKEN = Answer(204, (("cache-control", "no-store"),))
FAILED = sentence(500, "The report could not be taken.")
TOO_LARGE = sentence(413, f"A report has at most {LIMIT} bytes.")


class Head(msgspec.Struct, frozen=True):
    """A request to the beacon before its body is read. ``headers`` are those of HEADERS."""

    request: Request
    headers: Mapping[str, str]
    is_debug: bool = False


class Refusal(msgspec.Struct, frozen=True):
    """Why a report is not taken, as the ledger's code and as an answer."""

    reason: str
    answer: Answer


class Beacon:
    """The script at ``settings.beacon_path`` and, without its ``.js``, the place for reports."""

    def __init__(
        self,
        settings: SiteSettings,
        policy: Policy,
        capture: Capture,
        emitter: Emitter,
        guard: Guard,
        *,
        witness: Witness | None = None,
    ) -> None:
        self.script = Script(respect_dnt=settings.respect_dnt)
        # Not one place for both: after a POST to it, browsers would fetch the script anew
        # (RFC 9111, section 4.4).
        self._places: dict[str, Wanted] = {
            settings.beacon_path: "script",
            settings.beacon_path.removesuffix(".js"): "report",
        }
        self._policy, self._capture = policy, capture
        self._emitter, self._guard, self._witness = emitter, guard, witness
        self._limit = RateLimit(settings.beacon_rate)

    def wanted(self, path: str, root: str) -> Wanted | None:
        """What a path below the application's ``root`` asks for. Servers differ in whether the
        path begins with the root."""
        found = self._places.get(path)
        if found is None and root and path.startswith(root):
            found = self._places.get(path[len(root) :])
        return found

    def admit(self, read: Callable[[], Head]) -> Head | Answer:
        """The head of a report whose body may be read, or the answer to one that is refused."""
        self._emitter.ledger.observed()
        try:
            head = read()
            refusal = _misplaced(head) or self._too_often(head.request)
        except Exception as error:
            return self._failed(error)
        return head if refusal is None else self._refused(refusal, head)

    def take(self, head: Head, body: bytes | None) -> Answer:
        """Log what the body reports; None stands for one beyond LIMIT."""
        try:
            event = self._event(head, body)
        except Exception as error:
            return self._failed(error)
        if isinstance(event, Refusal):
            return self._refused(event, head)
        with self._guard:
            taken = self._emitter.submit(event)
            if self._witness is not None:
                self._witness.logged(head.request, event, taken=taken)
        return TAKEN

    def _event(self, head: Head, body: bytes | None) -> RequestEvent | Refusal:
        if body is None:
            return Refusal("beacon_size", TOO_LARGE)
        report = read_report(body)
        if isinstance(report, str):
            return Refusal("beacon_invalid", sentence(400, report))
        # Whether a page is logged is the site's choice, whoever tells of it.
        reason = self._policy.drop_reason(
            "GET",
            path_text(report.path),
            {**head.request.headers, "sec-fetch-dest": "document"},
            debug=head.is_debug,
        )
        if reason is not None:
            return Refusal(reason, TAKEN)
        return event_of(report, head.request, self._capture, time.time_ns() // 1_000_000)

    def _too_often(self, request: Request) -> Refusal | None:
        wait = self._limit.wait(key_of(self._capture.address(request)), time.monotonic())
        if not wait:
            return None
        after = ("retry-after", str(math.ceil(wait)))
        return Refusal("beacon_rate", sentence(429, "Too many reports from this address.", after))

    def _refused(self, refusal: Refusal, head: Head) -> Answer:
        self._emitter.ledger.dropped(refusal.reason)
        if self._witness is not None:
            self._witness.dropped(head.request, refusal.reason)
        return refusal.answer

    def _failed(self, error: Exception) -> Answer:
        self._emitter.ledger.lost("internal_error")
        with self._guard:
            raise error
        return FAILED


def event_of(report: Report, request: Request, capture: Capture, arrived: int) -> RequestEvent:
    """The report as an event of the visitor who sent it. ``arrived`` is in ms since 1970 UTC.

    It is built as if the page had been asked for, so its address and referrer pass the same
    allow-lists as a request's.
    """
    asked = msgspec.structs.replace(
        request,
        method="GET",
        path=path_text(report.path),
        headers={**request.headers, "referer": report.referrer},
        query_string=report.query,
    )
    event = capture.event(asked, Outcome(arrived, 0.0, 200))
    event = msgspec.structs.replace(event, kind=report.kind, origin="beacon")
    if report.kind == "custom":
        properties = dict(report.properties)
        return msgspec.structs.replace(event, name=report.name, properties=properties)
    if report.kind == "engagement":
        return msgspec.structs.replace(event, engaged_ms=report.engaged_ms)
    return event


def _misplaced(head: Head) -> Refusal | None:
    """What the head alone tells: another method, another site's page, a size."""
    if head.request.method != "POST":
        answer = sentence(405, "Send reports with POST.", ("allow", "POST"))
        return Refusal("beacon_method", answer)
    if not is_same_origin(head.headers):
        return Refusal("beacon_origin", sentence(403, "Only pages of this site may report here."))
    length = head.headers.get("content-length") or "0"
    if not (length.isascii() and length.isdecimal()):
        return Refusal("beacon_invalid", sentence(400, "The Content-Length is no number."))
    # Compared by digits first: turning a very long number into one takes time.
    if len(length.lstrip("0")) > len(str(LIMIT)) or int(length) > LIMIT:
        return Refusal("beacon_size", TOO_LARGE)
    return None


def is_same_origin(headers: Mapping[str, str]) -> bool:
    """Whether a page of the site itself sent it, as far as the browser says.

    ``Sec-Fetch-Site`` (W3C Fetch Metadata) decides; browsers without it, and plain HTTP, say
    ``Origin`` (RFC 6454). Who says neither is no browser's page.
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    scheme, separator, place = headers.get("origin", "").partition("://")
    return (
        bool(separator)
        and scheme in ("http", "https")
        and place.lower() == headers.get("host", "").lower()
    )
