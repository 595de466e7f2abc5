"""The demo site as its visitors reach it: one connection pool, a cookie for each visitor."""

import asyncio
import logging
from http.cookiejar import DefaultCookiePolicy

import httpx
import msgspec

from infra.traffic.journeys import Step
from infra.traffic.people import Person

log = logging.getLogger("clickwake.traffic")

CONNECTIONS = 50
KNOWN = 28
TIMEOUT_S = 20.0
KEPT_IDLE_S = 2.0
"""Less than the five seconds after which the site's server closes an idle connection."""
FIRST_PAUSE_S = 1.0
REPORTS = "/cw"
"""Where the demo site takes what its pages' script reports."""
LONGEST_PAUSE_S = 30.0


class SiteDownError(Exception):
    """The site does not answer. It is asked again later; start it, or check the target."""


class Counts(msgspec.Struct):
    """What happened since the last report."""

    visits: int = 0
    requests: int = 0
    errors: int = 0
    refused: int = 0


class Site:
    """Sends requests, and waits for a site that does not answer. Use as a context manager."""

    def __init__(self, target: str) -> None:
        self.target = target.rstrip("/")
        self.counts = Counts()
        self.requests = 0
        self.known: list[str] = []
        self._client = httpx.AsyncClient(
            base_url=self.target,
            timeout=TIMEOUT_S,
            limits=httpx.Limits(max_connections=CONNECTIONS, keepalive_expiry=KEPT_IDLE_S),
            trust_env=False,
        )
        # Each visitor carries a cookie of their own; the shared client must keep none.
        self._client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))

    async def __aenter__(self) -> "Site":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def send(self, step: Step, headers: dict[str, str]) -> httpx.Response:
        """One request. Raises SiteDownError when there is no answer."""
        self.counts.requests += 1
        self.requests += 1
        try:
            answer = await self._client.request(
                step.method,
                step.path,
                headers=headers,
                data=step.form or None,
                json=step.json or None,
            )
        except httpx.HTTPError as error:
            self.counts.errors += 1
            raise SiteDownError(str(error) or type(error).__name__) from error
        self.counts.refused += answer.status_code >= 500
        return answer

    def learn(self, links: list[str]) -> None:
        """Remember where the site's pages lead: searchers later land there."""
        if len(self.known) < KNOWN:
            self.known = list(dict.fromkeys([*self.known, *links]))[:KNOWN]

    async def until_up(self) -> None:
        """Return once the site answers; asks with pauses that double up to 30 s."""
        pause_s = FIRST_PAUSE_S
        while not await self._is_up():
            log.warning("%s does not answer; asked again in %.0f s", self.target, pause_s)
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)

    async def _is_up(self) -> bool:
        try:
            return (await self._client.get("/healthz")).status_code < 500
        except httpx.HTTPError:
            return False


class Browser:
    """One person's browser: remembers the cookie and the page that it shows."""

    def __init__(self, site: Site, person: Person) -> None:
        self._site, self._person = site, person
        self._cookie = ""
        self._referrer = ""
        self.here = "/"

    async def open(self, step: Step, referrer: str | None = None) -> httpx.Response:
        """Send a step, and follow where the site sends one after a form."""
        if referrer is not None:
            self._referrer = referrer
        answer = await self._send(step)
        while answer.has_redirect_location:
            answer = await self._send(Step("GET", answer.headers["location"]))
        return answer

    async def report(self, kind: str, **said: object) -> None:
        """What the script of the page that it shows tells the site."""
        step = Step("POST", REPORTS, json={"kind": kind, "path": self.here, **said})
        by_script = {"Accept": "*/*", "Sec-Fetch-Dest": "empty", "Sec-Fetch-Site": "same-origin"}
        await self._site.send(step, {**self._headers(step), **by_script})

    async def _send(self, step: Step) -> httpx.Response:
        answer = await self._site.send(step, self._headers(step))
        self._cookie = answer.headers.get("set-cookie", self._cookie).partition(";")[0]
        if step.method == "GET" and not step.path.startswith("/api/"):
            self.here = step.path.partition("?")[0]
            self._referrer = f"{self._site.target}{step.path}"
        return answer

    def _headers(self, step: Step) -> dict[str, str]:
        is_api = step.path.startswith("/api/")
        is_own = self._referrer.startswith(self._site.target)
        headers = {
            **self._person.headers,
            "Accept": "application/json" if is_api else "text/html,*/*;q=0.8",
            "Sec-Fetch-Dest": "empty" if is_api else "document",
            "Sec-Fetch-Site": "same-origin" if is_own else "cross-site",
        }
        if not self._referrer:
            headers["Sec-Fetch-Site"] = "none"
        else:
            headers["Referer"] = self._referrer
        if self._cookie:
            headers["Cookie"] = self._cookie
        return headers
