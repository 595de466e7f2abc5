"""Who may ask, and what a browser is told."""

from pathlib import Path

import httpx
import pytest

from api.guard import host_name, is_allowed_origin
from tests.support.api import client_of

HERE = "127.0.0.1:8020"


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        (None, True),
        ("http://127.0.0.1:8020", True),
        ("https://127.0.0.1:8020", True),
        ("http://127.0.0.1:5173", False),
        ("http://localhost:8020", False),
        ("http://evil.example", False),
        ("http://127.0.0.1:8020.evil.example", False),
        ("http://evil.example#127.0.0.1:8020", False),
        ("https://dash.example", True),
        ("null", False),
        ("", False),
    ],
)
def test_only_pages_of_our_own_open_the_live_view(origin: str | None, allowed: bool) -> None:
    assert is_allowed_origin(origin, HERE, {"https://dash.example"}) is allowed


@pytest.mark.parametrize(
    ("host", "name"),
    [("Example.ORG:80", "example.org"), ("[::1]:8020", "::1"), ("localhost.", "localhost")],
)
def test_host_names(host: str, name: str) -> None:
    assert host_name(host) == name


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8020", 200),
        ("127.0.0.1:8020", 200),
        ("[::1]:8020", 200),
        ("10.1.2.3", 200),
        ("stats.example", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("", 421),
    ],
)
def test_foreign_host_names_are_refused(tmp_path: Path, host: str, status: int) -> None:
    with client_of(tmp_path, allowed_hosts="stats.example, other.example") as client:
        assert client.get("/healthz", headers={"Host": host}).status_code == status


def test_any_host_name_can_be_allowed(tmp_path: Path) -> None:
    with client_of(tmp_path, allowed_hosts="*") as client:
        assert client.get("/healthz", headers={"Host": "any.example"}).status_code == 200


def test_browsers_are_told_to_load_nothing_foreign(tmp_path: Path) -> None:
    with client_of(tmp_path) as client:
        headers = client.get("/").headers
    policy = headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "connect-src 'self' ws://localhost wss://localhost;" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


class TestDashboard:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        (tmp_path / "dashboard/assets").mkdir(parents=True)
        (tmp_path / "dashboard/assets/index-1.js").write_text("let a = 1")
        return tmp_path

    def test_a_dashboard_that_is_not_built_says_how(self, folder: Path) -> None:
        with client_of(folder) as client:
            assert "npm run build" in client.get("/").text
            (folder / "dashboard/index.html").write_text("built")
            assert client.get("/").text == "built"

    def test_files_are_cached_by_their_names(self, folder: Path) -> None:
        (folder / "dashboard/index.html").write_text("built")
        with client_of(folder) as client:
            assert caching(client.get("/")) == "no-cache"
            assert "immutable" in caching(client.get("/assets/index-1.js"))

    @pytest.mark.parametrize("path", ["/../history.db", "/%2e%2e/history.db", "/assets/none.js"])
    def test_nothing_else_is_served(self, folder: Path, path: str) -> None:
        (folder / "dashboard/index.html").write_text("built")
        (folder / "history.db").write_text("secret")
        with client_of(folder) as client:
            assert client.get(path).status_code == 404


def caching(answer: httpx.Response) -> str:
    return answer.headers["cache-control"]
