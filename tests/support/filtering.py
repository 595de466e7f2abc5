"""A history to filter, and which of its sessions each question finds, whatever the database."""

from contracts import Agent, Attribution, EnrichedEvent, Geo, SessionUpdate
from tests.support.messages import MINUTE, NOON, a_session, an_event

SESSIONS: list[SessionUpdate] = [
    a_session(
        "paris",
        start=NOON,
        end=NOON + 10 * MINUTE,
        status="final",
        events=3,
        pages=3,
        entry_page="/blog/kafka",
        exit_page="/cart",
        geo=Geo(country="FR", region="Île-de-France", city="Paris"),
        agent=Agent(browser="Chrome", os="Windows", device="desktop"),
        attribution=Attribution(
            channel="search",
            domain="search.example",
            utm_source="news, weekly",
            utm_campaign="100%",
        ),
    ),
    a_session(
        "bounced",
        start=NOON + MINUTE,
        status="closed",
        entry_page="/blog/",
        exit_page="/blog/",
        agent=Agent(browser="Safari", os="iOS", device="mobile"),
        attribution=Attribution(channel="social", utm_medium="post", utm_term="a", utm_content=""),
    ),
    a_session(
        "odd",
        start=NOON + 2 * MINUTE,
        end=NOON + 3 * MINUTE,
        events=2,
        pages=1,
        api_calls=1,
        entry_page="/50%_[off]\\ü",
        exit_page="/blo",
        country=None,
        site_id="blog",
    ),
]

_PATHS = {
    "paris": ["/blog/kafka", "/Products/Blue-Shoe", "/cart"],
    "bounced": ["/blog/"],
    "odd": ["/50%_[off]\\ü", "/api/Größe"],
}

EVENTS: list[EnrichedEvent] = [
    an_event(
        f"{session.session_id}-{n}",
        site_id=session.site_id,
        visitor_id=session.visitor_id,
        event_time=session.start + n * (session.end - session.start) // 2,
        path=path,
    )
    for session in SESSIONS
    for n, path in enumerate(_PATHS[session.session_id])
] + [
    # Of a visit in between, which no session here holds.
    an_event("before", visitor_id="visitor-of-paris", event_time=NOON - 1, path="/before")
]

NOW = NOON + 60 * MINUTE

CASES: list[tuple[dict[str, str | list[str]], list[str]]] = [
    ({}, ["odd", "bounced", "paris"]),
    ({"from": "-59m"}, ["odd", "bounced"]),
    ({"from": "-1d", "to": "-58m"}, ["bounced", "paris"]),
    ({"from": "-1h", "to": str(NOON + 1)}, ["paris"]),
    ({"from": "now"}, []),
    ({"tz": "Europe/Berlin", "day": "2026-03-01"}, ["odd", "bounced", "paris"]),
    ({"tz": "Pacific/Kiritimati", "day": "2026-03-01"}, []),
    ({"site": "blog"}, ["odd"]),
    ({"visitor": "visitor-of-paris"}, ["paris"]),
    ({"visitor": "visitor-of-%"}, []),
    ({"region": "Île-de-France"}, ["paris"]),
    ({"city": "Paris"}, ["paris"]),
    ({"city": "paris"}, []),
    ({"city": ""}, ["odd", "bounced"]),
    ({"city": ["", "Paris"]}, ["odd", "bounced", "paris"]),
    ({"city": "' OR 1=1 --"}, []),
    ({"referrer_domain": "search.example"}, ["paris"]),
    ({"channel": "search,social"}, ["bounced", "paris"]),
    ({"utm_source": "news, weekly"}, ["paris"]),
    ({"utm_medium": "post", "utm_term": "a"}, ["bounced"]),
    ({"utm_campaign": "100%"}, ["paris"]),
    ({"utm_campaign": "1%"}, []),
    ({"utm_content": ""}, ["odd", "bounced", "paris"]),
    ({"device": "mobile"}, ["bounced"]),
    ({"browser": ["Chrome", "Safari"]}, ["bounced", "paris"]),
    ({"os": "Windows"}, ["paris"]),
    ({"entry": "/blog/kafka"}, ["paris"]),
    ({"entry": "/blog"}, []),
    ({"entry": "/blog/*"}, ["bounced", "paris"]),
    ({"entry": "/BLOG/*"}, []),
    ({"entry": "*[off]*"}, ["odd"]),
    ({"entry": "/50%_[off]\\?"}, ["odd"]),
    ({"entry": "/5%"}, []),
    ({"entry": "/5%*"}, []),
    ({"entry": "/?????????"}, []),
    ({"exit": "/b*o"}, ["odd"]),
    ({"exit": "/car?"}, ["paris"]),
    ({"path": "/cart"}, ["paris"]),
    ({"path": "/Products/*"}, ["paris"]),
    ({"path": "/products/*"}, []),
    ({"path": "/*/Größe"}, ["odd"]),
    ({"path": "/before"}, []),
    ({"q": "shoe BLUE"}, ["paris"]),
    ({"q": "blue kafka"}, []),
    ({"q": "größe"}, ["odd"]),
    ({"q": "GRÖSSE"}, []),
    ({"q": "50%_"}, ["odd"]),
    ({"q": "%"}, ["odd"]),
    ({"q": "_"}, ["odd"]),
    ({"q": "\\"}, ["odd"]),
    ({"q": "*"}, []),
    ({"duration_min": "1m"}, ["odd", "paris"]),
    ({"duration_min": "60001", "duration_max": "10m"}, ["paris"]),
    ({"duration_max": "0"}, ["bounced"]),
    ({"events_min": "2", "events_max": "2"}, ["odd"]),
    ({"bounce": "true"}, ["bounced"]),
    ({"bounce": "false"}, ["odd", "paris"]),
    ({"path": "*a" * 1_023 + "*"}, []),
    ({"q": "ü" * 2_048}, []),
    ({"entry": "😀*"}, []),
]
