"""What a site chooses not to log."""

import pytest

from interceptor.capture import Capture
from interceptor.policy import Policy
from interceptor.settings import SiteSettings

GOOGLE = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/admin/", "excluded_path"),
        ("/admin/users/1", "excluded_path"),
        ("/admin", None),
        ("/shop/admin/", None),
        ("/a/feed.xml", "excluded_path"),
        ("/a/feed.xml.html", None),
        ("/draft-1\n/x", "excluded_path"),
        ("/", None),
    ],
)
def test_a_site_leaves_paths_out_by_pattern(path: str, reason: str | None) -> None:
    policy = Policy.of(SiteSettings(exclude_paths="/admin/*, *.xml, /draft-?*"))
    assert policy.drop_reason("GET", path, {}) == reason


@pytest.mark.parametrize(("agent", "reason"), [(GOOGLE, "bot"), (FIREFOX, None), ("", None)])
def test_bots_are_dropped_where_that_is_chosen(agent: str, reason: str | None) -> None:
    headers = {"user-agent": agent}
    assert Policy.of(SiteSettings(drop_bots=True)).drop_reason("GET", "/", headers) == reason
    assert Policy.of(SiteSettings()).drop_reason("GET", "/", headers) is None


@pytest.mark.parametrize(
    ("cookie", "reason"),
    [
        ("no_log=1", "opted_out"),
        ("a=b; no_log=yes; c=d", "opted_out"),
        ("a=b,no_log=1", "opted_out"),
        ("no_log=00", "opted_out"),
        ("no_log=0", None),
        ("no_log=0; a=1", None),
        ("no_log=", None),
        ("a=1; no_log= ; b=2", None),
        ("not_no_log=1", None),
        ("no_logs=1; a=no_log", None),
        ("", None),
    ],
)
def test_a_visitor_opts_out_by_a_cookie(cookie: str, reason: str | None) -> None:
    policy = Policy.of(SiteSettings(opt_out_cookie="no_log"))
    assert policy.drop_reason("GET", "/", {"cookie": cookie}) == reason
    assert Policy.of(SiteSettings()).drop_reason("GET", "/", {"cookie": cookie}) is None


def test_cookies_are_read_only_where_one_may_opt_out() -> None:
    for name, reads in (("no_log", True), ("", False)):
        site = SiteSettings(opt_out_cookie=name)
        capture = Capture(site, Policy.of(site), lambda *_: "v")
        assert ("cookie" in capture.names) == reads
