"""Access logs of several servers: one visit to /shop, told by each in its own way."""

import argparse
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from spark_jobs.file_arguments import FileError, add_file_arguments, file_options
from spark_jobs.files import FORMATS, FileOptions, Skipped, read_line
from spark_jobs.log_lines import columns_of
from spark_jobs.parse import Invalid, Valid

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
NOON = round(datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC).timestamp() * 1000)
IIS_FIELDS = (
    "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip "
    "cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken"
)
CLOUDFRONT_FIELDS = (
    "#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status "
    "cs(Referer) cs(User-Agent) cs-uri-query x-edge-request-id x-host-header time-taken"
)
LINES = {
    "combined": (
        '81.2.69.142 - - [01/Mar/2026:13:00:00 +0100] "GET /shop%20a;jsessionid=1?utm_source=news'
        f'&id=7 HTTP/1.1" 200 512 "https://news.example/a" "{FIREFOX}"'
    ),
    "nginx": (
        '81.2.69.142 - ann [01/Mar/2026:12:00:00 +0000] "GET /shop%20a?utm_source=news HTTP/2.0" '
        f'200 512 "https://news.example/a" "{FIREFOX}"'
    ),
    "caddy": (
        '{"level":"info","ts":1772366400.0,"logger":"http.log.access","msg":"handled request",'
        '"request":{"remote_ip":"10.0.0.1","client_ip":"81.2.69.142","proto":"HTTP/2.0",'
        '"method":"GET","host":"shop.example","uri":"/shop%20a?utm_source=news",'
        f'"headers":{{"User-Agent":["{FIREFOX}"],"Referer":["https://news.example/a"]}}}},'
        '"duration":0.25,"size":512,"status":200}'
    ),
    "traefik": (
        '{"ClientAddr":"81.2.69.142:4000","ClientHost":"81.2.69.142","DownstreamStatus":200,'
        '"Duration":250000000,"RequestHost":"shop.example","RequestMethod":"GET",'
        '"RequestPath":"/shop%20a?utm_source=news","StartUTC":"2026-03-01T12:00:00.000000Z",'
        f'"request_User-Agent":"{FIREFOX}","request_Referer":"https://news.example/a"}}'
    ),
    "iis": (
        "2026-03-01 12:00:00 10.0.0.1 GET /shop%20a utm_source=news 443 - 81.2.69.142 "
        f"{FIREFOX.replace(' ', '+')} https://news.example/a 200 0 0 250"
    ),
    "cloudfront": "\t".join(
        (
            *("2026-03-01", "12:00:00", "FRA2", "512", "81.2.69.142", "GET", "d1.example"),
            *("/shop%20a", "200", "https://news.example/a", FIREFOX.replace(" ", "%2520")),
            *("utm_source=news", "request-1", "shop.example", "0.250"),
        )
    ),
    "alb": (
        "https 2026-03-01T12:00:00.250000Z app/shop/1 81.2.69.142:4000 10.0.0.1:80 0.010 0.200 "
        '0.040 200 200 34 512 "GET https://shop.example:443/shop%20a?utm_source=news HTTP/2.0" '
        f'"{FIREFOX}" - - arn "Root=1-2" "shop.example" "-" 0 2026-03-01T12:00:00.000000Z "x"'
    ),
}
COLUMNS = {"iis": columns_of([IIS_FIELDS]), "cloudfront": columns_of(["#V", CLOUDFRONT_FIELDS])}
ENDS_ONLY = ("iis", "cloudfront")
"""They have whole seconds, and say when the answer ended."""
NO_HOST = ("combined", "nginx", "iis")


def options(format_: str, **others: Any) -> FileOptions:
    plain: dict[str, Any] = {
        "format": format_,
        "identity": "address+agent",
        "count": "views",
        "site_id": "shop",
        "source": "access.log",
        "header": COLUMNS.get(format_, ()),
    }
    return FileOptions(**plain | others)


def read(format_: str, line: str) -> Valid | Invalid | Skipped:
    return read_line(line.encode(), 1, options(format_))[0]


def test_every_log_format_has_a_line_here() -> None:
    assert [*LINES, "csv", "jsonl"] == list(FORMATS)


@pytest.mark.parametrize("format_", LINES)
def test_all_servers_tell_of_the_same_visit(format_: str) -> None:
    found = read(format_, LINES[format_])
    assert isinstance(found, Valid)
    event = found.event
    assert found.time == NOON - (250 if format_ in ENDS_ONLY else 0)
    assert (event.method, event.path, event.status) == ("GET", "/shop a", 200)
    assert event.client_ip == "81.2.69.142"
    assert event.query == {"utm_source": "news"}
    assert event.user_agent == FIREFOX
    assert event.referrer == (None if format_ == "alb" else "https://news.example/a")
    assert event.host == ("" if format_ in NO_HOST else "shop.example")
    assert event.duration_ms == pytest.approx(0 if format_ in ("combined", "nginx") else 250)


@pytest.mark.parametrize("format_", LINES)
def test_no_servers_log_brings_secrets_in(format_: str) -> None:
    """A log has whole referrers and targets; the middleware would have kept neither."""
    line = LINES[format_].replace("/shop%20a", "/shop%20a;jsessionid=SECRET/b")
    line = line.replace("news.example/a", "ann:SECRET@news.example/a%3Bsid=SECRET?token=SECRET#x")
    line = line.replace("utm_source=news", "token=SECRET&utm_source=news;sid=SECRET")
    outcome, value = read_line(line.encode(), 1, options(format_))
    assert isinstance(outcome, Valid)
    assert outcome.event.path == "/shop a/b"
    assert outcome.event.query == {"utm_source": "news"}
    assert b"SECRET" not in value


@pytest.mark.parametrize("format_", ["caddy", "traefik", "iis", "cloudfront", "alb"])
@pytest.mark.parametrize("line", ["", "nonsense", "{}", "[]", '{"request":7}', "\t\t", "a b c"])
def test_a_line_of_another_kind_is_named(format_: str, line: str) -> None:
    found = read(format_, line)
    assert isinstance(found, Invalid)
    assert found.reason == "wrong_format"
    assert found.detail


@pytest.mark.parametrize("line", ["v1,2026-03-01\r12:00:00", "v1," + "x" * 200_000])
def test_a_row_that_no_csv_reader_takes_is_named(line: str) -> None:
    header = ("visitor", "timestamp")
    found = read_line(line.encode(), 2, options("csv", header=header, identity="column"))[0]
    assert isinstance(found, Invalid)
    assert found.reason == "wrong_format"
    assert "no row of a CSV" in found.detail


@pytest.mark.parametrize("format_", ["iis", "cloudfront"])
def test_directives_are_no_visits(format_: str) -> None:
    assert read(format_, "#Software: Microsoft Internet Information Services 10.0") == Skipped(
        "directive"
    )


def test_a_request_that_the_balancer_could_not_read_is_no_visit() -> None:
    line = LINES["alb"].replace('"GET https://shop.example:443', '"- http://shop.example:443-')
    found = read("alb", line)
    assert isinstance(found, Invalid)
    assert "not METHOD TARGET PROTOCOL" in found.detail


def test_images_are_not_counted_in_any_format() -> None:
    for format_, line in LINES.items():
        assert read(format_, line.replace("/shop%20a", "/logo.png")) == Skipped("image")


def test_a_sites_own_choices_count_as_in_its_middleware(tmp_path: Path) -> None:
    file = tmp_path / "access.log"
    file.write_text(LINES["nginx"])
    given = arguments(file, "nginx", "--exclude-paths=/admin/*,*.php", "--health-paths=/up",
                      "--api-paths=/rpc/", "--bots=drop", "--site=shop")  # fmt: skip
    chosen = file_options(given)

    def outcome(path: str, agent: str = FIREFOX) -> Valid | Invalid | Skipped:
        line = LINES["nginx"].replace("/shop%20a", path).replace(FIREFOX, agent)
        return read_line(line.encode(), 1, chosen)[0]

    assert outcome("/admin/users") == outcome("/x/y.php") == Skipped("excluded_path")
    assert outcome("/up") == Skipped("health_check")
    assert outcome("/", "Googlebot/2.1") == Skipped("bot")
    kinds = [outcome(path).event.kind for path in ("/rpc/a", "/api/a")]  # type: ignore[union-attr]
    assert kinds == ["api", "page"]


def test_the_columns_come_from_the_file(tmp_path: Path) -> None:
    file = tmp_path / "u_ex260301.log"
    file.write_text(f"#Software: IIS\n#Version: 1.0\n{IIS_FIELDS}\n{LINES['iis']}\n")
    assert file_options(arguments(file, "iis")).header == COLUMNS["iis"]
    file.write_text(f"{LINES['iis']}\n")
    with pytest.raises(FileError, match="no #Fields line"):
        file_options(arguments(file, "iis"))


def arguments(file: Path, format_: str, *others: str) -> Any:
    parser = argparse.ArgumentParser()
    add_file_arguments(parser)
    return parser.parse_args([str(file), "--format", format_, *others])
