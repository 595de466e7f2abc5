"""The script itself: how large it is, and how it is served."""

import gzip

import pytest

from contracts import ContractError
from contracts.settings import Secret
from interceptor import SiteSettings
from interceptor.beacon_script import Script
from interceptor.settings import site_settings
from tests.support.gateways import Asked, NewSite, asgi_site, wsgi_site
from tests.support.watched import Recorder

SITE = SiteSettings(site_id="shop", secret=Secret("k"), beacon_path="/cw.js")


@pytest.fixture(params=[asgi_site, wsgi_site], ids=["asgi", "wsgi"])
def new_site(request: pytest.FixtureRequest) -> NewSite:
    maker: NewSite = request.param
    return maker


def test_it_is_small() -> None:
    assert len(gzip.compress(Script(respect_dnt=True).body)) < 2_048


def test_it_stores_nothing_and_has_no_comments() -> None:
    text = Script(respect_dnt=False).body.decode()
    for word in ("cookie", "localStorage", "sessionStorage", "indexedDB", "eval", "//"):
        assert word not in text


def test_it_is_served_as_a_script_and_is_no_visit(new_site: NewSite) -> None:
    seen = Recorder()
    answer = new_site(SITE, seen)(Asked(path="/cw.js"))
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.headers["content-length"] == str(len(answer.body))
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "max-age=" in answer.headers["cache-control"]
    assert seen.ledger.stats(0).observed == 0
    head = new_site(SITE, seen)(Asked("HEAD", "/cw.js"))
    assert (head.status, head.headers, head.body) == (200, answer.headers, b"")


def test_a_browser_that_has_it_is_told_so(new_site: NewSite) -> None:
    etag = new_site(SITE, Recorder())(Asked(path="/cw.js")).headers["etag"]
    for known in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        answer = new_site(SITE, Recorder())(Asked(path="/cw.js", headers={"If-None-Match": known}))
        assert (answer.status, answer.body, answer.headers["etag"]) == (304, b"", etag)
    other = Asked(path="/cw.js", headers={"If-None-Match": '"other"'})
    assert new_site(SITE, Recorder())(other).status == 200


def test_it_is_only_read(new_site: NewSite) -> None:
    answer = new_site(SITE, Recorder())(Asked("POST", "/cw.js"))
    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")


def test_a_site_that_respects_dnt_serves_another_one() -> None:
    assert Script(respect_dnt=True).etag != Script(respect_dnt=False).etag


@pytest.mark.parametrize("path", ["cw.js", "/cw", "/.js/", "/"])
def test_a_path_that_cannot_be_one_is_named(path: str) -> None:
    with pytest.raises(ContractError, match="CLICKWAKE_SITE_BEACON_PATH"):
        site_settings({"CLICKWAKE_SITE_BEACON_PATH": path})
