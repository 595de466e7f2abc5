import time

import pytest

from interceptor import text
from tests.unit.interceptor.cases import json_lines

CASES = json_lines("urls.jsonl")


def split(target):
    path, _, query = target.partition("?")
    return path.encode(), query.encode()


def test_the_shared_cases_are_all_spoken_for():
    assert len(CASES) == 8


def test_bytes_that_are_not_utf8_become_replacement_characters():
    path, query = split(CASES[0]["raw_path"])
    assert text.path_text(path) == "/caf�"
    assert text.query_values(query, frozenset({"q"})) == {"q": "�"}


def test_a_check_mark_survives():
    _, query = split(CASES[1]["raw_path"])
    assert text.query_values(query, frozenset({"utf8"})) == {"utf8": "✓"}


def test_a_broken_escape_is_kept():
    assert text.path_text(split(CASES[2]["raw_path"])[0]) == "/%zz"


def test_a_long_value_is_cut_on_a_whole_character_and_marked():
    _, query = split("/?q=" + "%E3%83%84" * 2000)
    assert text.query_values(query, frozenset({"q"})) == {"q": "ツ" * 255 + "…"}
    assert text.path_text(b"/" + b"%E3%83%84" * 3000) == "/" + "ツ" * 2046 + "…"


@pytest.mark.parametrize("letter", ["a", "%61", "%F0%9F%AB%96"])
def test_a_value_that_just_fits_has_no_mark(letter: str):
    fits, longer = (f"q={letter * number}".encode() for number in (256, 257))
    whole = text.query_values(fits, frozenset({"q"}))["q"]
    assert whole == whole[0] * 256
    assert text.query_values(longer, frozenset({"q"}))["q"] == whole[:255] + "…"


def test_a_session_id_in_the_path_is_gone():
    path, _ = split(CASES[4]["raw_path"])
    assert text.path_text(path) == "/a"
    assert text.path_text(b"/a;jsessionid=SECRET6;v=1/b") == "/a/b"
    assert text.path_text(b"/a%3Bjsessionid=SECRET6") == "/a"
    assert text.path_text(b"/a%253Bjsessionid=SECRET6/b") == "/a/b"
    assert text.path_text(b"/a;id[0]=SECRET6") == "/a"
    assert text.path_text(b"/wiki/Lock;_Stock") == "/wiki/Lock;_Stock"


@pytest.mark.parametrize(
    ("target", "path"),
    [
        (b"http://user:SECRET@shop.example/a?t=S", "/a"),
        (b"http://user:SECRET@shop.example", "/"),
        (b"//user:SECRET@shop.example/a", "//shop.example/a"),
        (b"/away/https://user:SECRET@shop.example/a", "/away/https://shop.example/a"),
        (b"/a#SECRET", "/a"),
        (b"/@ann/post", "/@ann/post"),
    ],
)
def test_a_user_in_the_path_is_gone(target, path):
    assert text.path_text(target) == path


def test_what_the_server_has_decoded_is_not_cut():
    assert text.path_text(text.quoted(b"/c#/what?")) == "/c#/what?"


def test_an_allowed_value_does_not_carry_another_parameter():
    assert text.query_values(b"q=tea;token=SECRET", frozenset({"q"})) == {"q": "tea"}
    assert text.query_values(b"q=salt;pepper", frozenset({"q"})) == {"q": "salt;pepper"}


@pytest.mark.parametrize(
    ("referer", "kept"),
    [
        (CASES[5]["referer"], "http://www.shop.example/x"),
        (CASES[6]["referer"], "android-app://com.example/"),
        (CASES[7]["referer"], "javascript:alert(1)"),
        ("https://user:pw@News.example/a;jsessionid=S?token=T#frag", "https://news.example/a"),
        ("https://news.example:8443/a", "https://news.example:8443/a"),
        ("https://[2001:db8::1]/a", "https://[2001:db8::1]/a"),
        ("https://[broken/a", "https://[broken/a"),
        ("https://news.example:port/", "https://news.example:port/"),
        ("https://user:pw@[broken/a?token=T", "https://[broken/a"),
        ("https://news.example/a%3bjsessionid=S/b%3Bv%3D1", "https://news.example/a/b"),
        ("https://news.example;sid=S/a", "https://news.example/a"),
        ("https://news.example%3Bsid=S/a", "https://news.example/a"),
        ("https://user:p/w@news.example/a", "news.example/a"),
        ("user:pw@news.example/a;sid=S", "news.example/a"),
        ("", None),
    ],
)
def test_a_referrer_keeps_no_query_and_no_user(referer, kept):
    assert text.referrer_text(referer) == kept


def test_a_referrer_is_capped():
    referrer = text.referrer_text("https://a.example/" + "x" * 9000)
    assert (len(referrer), referrer[-2:]) == (2048, "x…")


def test_controls_never_reach_a_store():
    assert text.path_text(b"/a%00b%0d%0a") == "/a�b��"
    assert text.query_values(b"q=%00", frozenset({"q"})) == {"q": "�"}


def test_only_allowed_parameters_are_kept_and_the_first_wins():
    kept = text.query_values(b"token=S&utm%5Fsource=a+b&utm_source=c&x", frozenset({"utm_source"}))
    assert kept == {"utm_source": "a b"}


def test_headers_in_latin_1_are_readable():
    assert text.decoded(b"Mozilla/\xe9") == "Mozilla/é"
    assert text.decoded("Mozilla/ツ".encode()) == "Mozilla/ツ"


@pytest.mark.parametrize(
    ("header", "host"),
    [
        ("Shop.Example:8010", "shop.example"),
        ("[2001:db8::1]:80", "2001:db8::1"),
        ("shop.example.", "shop.example"),
        ("user:SECRET@shop.example", "shop.example"),
        ("shop.example/?token=SECRET", "shop.example"),
        ("shop.example;sid=SECRET", "shop.example"),
        ("", ""),
    ],
)
def test_a_host_is_a_name(header, host):
    assert text.host_text(header) == host


def test_hostile_input_is_quick():
    began = time.perf_counter()
    text.path_text(b"/" + b";a=" * 20_000)
    text.path_text(b"/" + b";" * 60_000)
    text.referrer_text("http://a.example/" + "%3B" * 20_000)
    text.referrer_text("http://" + ";a=" * 20_000)
    text.query_values(b"&".join([b"a%41=1"] * 10_000), frozenset({"q"}))
    assert time.perf_counter() - began < 5
