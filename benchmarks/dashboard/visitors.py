"""Visitors that never leave: their sessions, and the events that make these grow. Pure."""

from random import Random

import msgspec

from contracts import Agent, Attribution, EnrichedEvent, Geo, SessionUpdate

MINUTE_MS = 60_000
SITE = "bench"
PLACES = (
    ("DE", "Berlin", 52.5, 13.4),
    ("FR", "Lyon", 45.8, 4.8),
    ("GB", "Leeds", 53.8, -1.5),
    ("US", "Austin", 30.3, -97.7),
    ("US", "Boston", 42.4, -71.1),
    ("BR", "Recife", -8.1, -34.9),
    ("IN", "Pune", 18.5, 73.9),
    ("JP", "Osaka", 34.7, 135.5),
    ("KE", "Nairobi", -1.3, 36.8),
    ("AU", "Perth", -31.9, 115.9),
)
SOURCES = ((None, "direct"), ("search.example", "search"), ("news.example", "referral"))
AGENTS = (
    Agent(browser="Firefox", browser_version="140", os="Linux", device="desktop"),
    Agent(browser="Chrome", browser_version="141", os="Windows", device="desktop"),
    Agent(browser="Safari", browser_version="18", os="iOS", device="mobile"),
)
PAGES = 200


class Crowd:
    """So many open sessions; each request that comes is of one of them, by chance."""

    def __init__(self, size: int, now: int, rng: Random) -> None:
        self._rng = rng
        self.sessions = [self._first(number, now) for number in range(size)]
        self._count = 0

    def _first(self, number: int, now: int) -> SessionUpdate:
        country, city, latitude, longitude = self._rng.choice(PLACES)
        domain, channel = self._rng.choice(SOURCES)
        began = now - self._rng.randrange(5 * MINUTE_MS, 25 * MINUTE_MS)
        page = self._page()
        return SessionUpdate(
            session_id=f"bench-session-{number:06}",
            site_id=SITE,
            visitor_id=f"bench-visitor-{number:06}",
            epoch=1,
            revision=1,
            status="open",
            merged_into=None,
            start=began,
            end=began,
            last_seen=began,
            expires=now + 60 * 24 * MINUTE_MS,
            duration_ms=0,
            events=1,
            pages=1,
            api_calls=0,
            errors=0,
            entry_page=page,
            exit_page=page,
            referrer=None if domain is None else f"https://{domain}/",
            geo=Geo(country=country, city=city, latitude=latitude, longitude=longitude),
            agent=self._rng.choice(AGENTS),
            attribution=Attribution(domain=domain, channel=channel),
            flags=[],
            broker_time=began,
            processed_time=began,
        )

    def step(self, now: int) -> tuple[SessionUpdate, EnrichedEvent]:
        """The next request: the session it makes grow, and its event."""
        number = self._rng.randrange(len(self.sessions))
        before = self.sessions[number]
        grown = msgspec.structs.replace(
            before,
            revision=before.revision + 1,
            end=now,
            last_seen=now,
            duration_ms=now - before.start,
            events=before.events + 1,
            pages=before.pages + 1,
            exit_page=self._page(),
            broker_time=now,
            processed_time=now,
        )
        self.sessions[number] = grown
        self._count += 1
        return grown, self._event(grown, now)

    def _event(self, session: SessionUpdate, now: int) -> EnrichedEvent:
        return EnrichedEvent(
            event_id=f"bench-event-{now}-{self._count:08}",
            site_id=SITE,
            visitor_id=session.visitor_id,
            event_time=now,
            sequence=0,
            broker_time=now,
            processed_time=now,
            kind="page",
            method="GET",
            status=200,
            duration_ms=3.0,
            host="bench.example",
            path=session.exit_page,
            query={},
            referrer=session.referrer,
            user_agent="Mozilla/5.0 (X11; Linux x86_64) Bench/1.0",
            network="192.0.2.0/24",
            geo=session.geo,
            geo_reason=None,
            agent=session.agent,
            attribution=session.attribution,
            headers={},
            dnt=False,
            gpc=False,
            flags=[],
            topic="clickwake.requests",
            partition=0,
            offset=self._count,
        )

    def _page(self) -> str:
        return f"/product/{self._rng.randrange(PAGES)}"
