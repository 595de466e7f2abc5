"""Who visits: browsers, languages, and where people come from."""

from random import Random

import msgspec

from infra.traffic.places import Place

WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/"
ANDROID = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) "
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_{m} like Mac OS X) AppleWebKit/605.1.15 "
AGENTS: dict[str, int] = {
    WINDOWS + "Chrome/{n}.0.0.0 Safari/537.36": 25,
    WINDOWS + "Chrome/{n}.0.0.0 Safari/537.36 Edg/{n}.0.0.0": 8,
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:{n}.0) Gecko/20100101 Firefox/{n}.0": 5,
    MAC + "537.36 (KHTML, like Gecko) Chrome/{n}.0.0.0 Safari/537.36": 8,
    MAC + "605.1.15 (KHTML, like Gecko) Version/18.{m} Safari/605.1.15": 7,
    "Mozilla/5.0 (X11; Linux x86_64; rv:{n}.0) Gecko/20100101 Firefox/{n}.0": 3,
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/{n}.0.0.0 Safari/537.36": 2,
    ANDROID + "Chrome/{n}.0.0.0 Mobile Safari/537.36": 20,
    ANDROID + "SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36": 3,
    IPHONE + "(KHTML, like Gecko) Version/18.{m} Mobile/15E148 Safari/604.1": 16,
    "Mozilla/5.0 (iPad; CPU OS 18_{m} like Mac OS X) AppleWebKit/605.1.15 "
    "(KHTML, like Gecko) Version/18.{m} Mobile/15E148 Safari/604.1": 3,
}
CRAWLERS = (
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; "
    "+https://openai.com/gptbot)",
    "DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)",
)
LANGUAGES: dict[str, str] = {
    "AR": "es-AR", "AT": "de-AT", "AU": "en-AU", "BE": "nl-BE", "BR": "pt-BR", "CA": "en-CA",
    "CH": "de-CH", "CN": "zh-CN", "CZ": "cs-CZ", "DE": "de-DE", "DK": "da-DK", "ES": "es-ES",
    "FI": "fi-FI", "FR": "fr-FR", "GB": "en-GB", "ID": "id-ID", "IN": "en-IN", "IT": "it-IT",
    "JP": "ja-JP", "KR": "ko-KR", "MX": "es-MX", "NL": "nl-NL", "NO": "nb-NO", "PL": "pl-PL",
    "PT": "pt-PT", "RU": "ru-RU", "SE": "sv-SE", "TR": "tr-TR", "TW": "zh-TW", "UA": "uk-UA",
    "US": "en-US", "VN": "vi-VN", "ZA": "en-ZA",
}  # fmt: skip


class Entry(msgspec.Struct, frozen=True):
    """How somebody came: the referring page, and the parameters of the link."""

    referrer: str = ""
    query: str = ""


ENTRIES: dict[Entry, int] = {
    Entry(): 34,
    Entry("https://www.google.com/"): 26,
    Entry("https://www.bing.com/"): 4,
    Entry("https://duckduckgo.com/"): 4,
    Entry("https://search.brave.com/"): 1,
    Entry("https://www.reddit.com/"): 4,
    Entry("https://news.ycombinator.com/item"): 3,
    Entry("https://t.co/"): 2,
    Entry("https://www.instagram.com/"): 4,
    Entry("https://l.facebook.com/"): 3,
    Entry("https://www.pinterest.com/"): 2,
    Entry("", "utm_source=newsletter&utm_medium=email&utm_campaign=autumn"): 6,
    Entry("https://www.google.com/", "utm_source=google&utm_medium=cpc&utm_campaign=kettles"): 4,
    Entry("https://www.facebook.com/", "utm_source=facebook&utm_medium=paid_social"): 2,
    Entry("https://slow-homes.example/ten-kettles", "ref=slow-homes"): 1,
}


class Person(msgspec.Struct, frozen=True):
    """Somebody with an address, a browser and habits. The same person may come again."""

    place: Place
    agent: str
    headers: dict[str, str]


def person(places: list[Place], rng: Random) -> Person:
    """A plausible visitor from one of the places."""
    place, agent = rng.choice(places), _agent(rng)
    return Person(place, agent, _headers(place, agent, rng))


def crawler(places: list[Place], rng: Random) -> Person:
    """A search engine's or an archive's robot."""
    american = [place for place in places if place.country == "US"] or places
    place, agent = rng.choice(american), rng.choice(CRAWLERS)
    headers = {"User-Agent": agent, "X-Forwarded-For": place.address, "Accept": "*/*"}
    return Person(place, agent, headers)


def entry(rng: Random) -> Entry:
    """Where a visit comes from."""
    return rng.choices(list(ENTRIES), list(ENTRIES.values()))[0]


def _agent(rng: Random) -> str:
    template = rng.choices(list(AGENTS), list(AGENTS.values()))[0]
    return template.format(n=rng.randint(136, 146), m=rng.randint(1, 6))


def _headers(place: Place, agent: str, rng: Random) -> dict[str, str]:
    language = LANGUAGES.get(place.country or "", "en-US")
    headers = {
        "User-Agent": agent,
        "X-Forwarded-For": place.address,
        "Accept-Language": f"{language},{language[:2]};q=0.9,en;q=0.7",
    }
    if "Chrome/" in agent:
        headers["Sec-CH-UA-Mobile"] = "?1" if "Mobile" in agent else "?0"
    if rng.random() < 0.06:
        headers["DNT"] = "1"
    if rng.random() < 0.05:
        headers["Sec-GPC"] = "1"
    return headers
