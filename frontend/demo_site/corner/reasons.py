"""The ledger's reasons in words for visitors."""

WORDS = {
    "image": "a picture is part of a page, not a view",
    "font": "a font is part of a page, not a view",
    "script": "a script is part of a page, not a view",
    "style_sheet": "a style sheet is part of a page, not a view",
    "source_map": "a source map is for developers",
    "media": "sound and film are part of a page, not a view",
    "manifest": "a manifest is part of a page, not a view",
    "favicon": "an icon is part of a page, not a view",
    "robots_txt": "robots.txt is for crawlers",
    "health_check": "a health check is nobody's visit",
    "prefetch": "the browser looked ahead: nobody has seen it yet",
    "range": "a later part of a document that was counted already",
    "websocket": "a connection, not a view",
    "head": "only the head was asked for",
    "options": "the browser asked what is allowed",
    "do_not_track": "your browser says no (DNT or GPC)",
    "opted_out": "you said: do not record me",
    "excluded_path": "the shop leaves this path out",
    "bot": "a program, not a person",
    "development": "nothing is logged while a site is being developed",
    "beacon_origin": "it did not come from a page of this shop",
    "beacon_invalid": "it was no report",
    "beacon_method": "reports are posted",
    "beacon_size": "the report was too large",
    "beacon_rate": "too many reports from this address",
    "lost": "the queue to Kafka is full, so this one was lost",
}


def words(reason: str) -> str:
    """Why, in a few words; the code itself where there are none."""
    return WORDS.get(reason, reason.replace("_", " "))
