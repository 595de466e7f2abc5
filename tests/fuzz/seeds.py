"""What each target's corpus begins with: lines of real logs, and the shared cases."""

import csv
import gzip
import json
from itertools import islice
from pathlib import Path

import msgspec

from tests.fuzz.records import NOON
from tests.unit.spark_jobs.test_log_lines import LINES

FIXTURES = Path(__file__).parent.parent / "fixtures"
CASES = FIXTURES / "cases"
AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
EVENT = {
    "schema_version": 1, "event_id": "e1", "site_id": "shop", "visitor_id": "v",
    "event_time": NOON, "kind": "page", "method": "GET", "status": 200, "path": "/product/7",
    "query": {"utm_source": "news"}, "referrer": "https://search.example/", "user_agent": AGENT,
    "client_ip": "81.2.69.142",
}  # fmt: skip


def requests() -> list[bytes]:
    """For ``scope`` and ``environ``."""
    urls = [json.loads(line) for line in (CASES / "urls.jsonl").read_text().splitlines()]
    found = [f"GET {url.get('raw_path', '/')}\n10.0.0.1\nhost: {url.get('host', 'shop.example')}\n"
             f"referer: {url.get('referer', '')}\nuser-agent: {AGENT}" for url in urls]  # fmt: skip
    found += [
        "GET /a;jsessionid=S/b?q=%E2%9C%93&utm_source=a+b&token=S\n10.0.0.1\n"
        'x-forwarded-for: 203.0.113.7, 10.1.2.3\nforwarded: for="[2001:db8::1]:80";proto=http\n'
        "referer: https://u:p@news.example/a;v=1?t=S#f\naccept-language: de\ndnt: 1\nsec-gpc: 1",
        "HEAD /style.css\n\nsec-purpose: prefetch\nrange: bytes=0-\nsec-fetch-dest: document",
    ]
    return [text.encode() for text in found]


def addresses() -> list[bytes]:
    """For ``address``: the shared table's peers and headers."""
    with (CASES / "client_ip.tsv").open() as file:
        rows = [row for row in csv.reader(file, delimiter="\t") if len(row) > 2]
    return ["\n".join(row[:3]).encode() for row in rows]


def address_texts() -> list[bytes]:
    """For ``address_texts``."""
    return [
        b"https://user:pw@News.example:8443/a;jsessionid=S/b%3Bv=1?token=T#frag",
        b"android-app://com.example/",
        b"https://[2001:db8::1]:443/a",
        b"/caf%E9/%zz;v=2?q=%E3%83%84+x&q=2",
        # Found by fuzzing: a session id behind the host.
        b"android-app://cohttps\xff\x01;====,mg.",
        b"hts://hhhhhhhhhtps%3Bv=1/u",
    ]


def records() -> list[bytes]:
    """For ``record``: valid events, later and earlier ones, and the shared bad records."""
    bad = (CASES / "bad_records.jsonl").read_bytes()
    visit = [EVENT | {"event_id": f"e{n}", "event_time": NOON + n * 700_000} for n in (0, 3, 1, 2)]
    return [bad, b"\n".join(map(msgspec.json.encode, visit)), msgspec.json.encode(EVENT)]


def log_lines() -> list[bytes]:
    """For ``log_line``: one line of each format, and some of a real site's."""
    with gzip.open(FIXTURES / "data" / "elastic_apache_access.log.gz") as file:
        real = [line.rstrip() for line in islice(file, 0, 2000, 100)]
    others = [f"2026-03-01\t12:00:00\t81.2.69.142\tGET\tshop.example\t/a\t200\t-\t{AGENT}\tq=1\tr"
              "\t0.2", f"2026-03-01 12:00:00 GET /a - 81.2.69.142 {AGENT.replace(' ', '+')} - "
              "shop.example 200 250", "v1,2026-03-01 12:00:00,/a,200"]  # fmt: skip
    # Found by fuzzing: a host with a control character, a row that csv raises at.
    others += [
        others[1].replace("shop.example", "shop\x11.example"),
        "v1,2026-03-01\r12:00:00,/a,1",
    ]
    return [*real, *(line.encode() for line in [*LINES.values(), *others]), *records()[2:]]


def spools() -> list[bytes]:
    """For ``spool``."""
    event = msgspec.json.encode(EVENT)
    return [b"\0" + event, b"\x01\x10\x20" + event + b"\n" + event, b"\x02\x11\x21a\nb\nc"]
