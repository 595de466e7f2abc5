"""``./clickwake keys``, and an API that does not open to others without one."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from api.access.__main__ import main
from api.access.entry import require_a_key
from api.settings import ApiSettings
from contracts import ContractError
from contracts.settings import Secret
from infra.errors import InfraError
from infra.handover import require_a_key as require_a_key_for_a_stack
from infra.paths import Places
from tests.support.access import new_key

NOW = 1_800_000_000_000

Keys = Callable[..., tuple[int, str, str]]


@pytest.fixture
def keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Keys:
    monkeypatch.setenv("CLICKWAKE_API_DATABASE_URL", f"sqlite:///{tmp_path / 'history.db'}")

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(arguments)
        said = capsys.readouterr()
        return status, said.out.strip(), said.err.strip()

    return run


def test_a_key_is_made_listed_and_revoked(keys: Keys) -> None:
    status, key, hint = keys("create", "--scope", "read", "--scope", "export", "--name", "wall")
    assert (status, key[:3]) == (0, "cw_")
    assert "shown once" in hint
    key_id = key.split("_")[1]
    assert f"{key_id}  wall  read,export  all" in keys("list")[1]
    assert keys("list")[1].endswith("never      good")
    assert keys("revoke", key_id)[0] == 0
    assert "revoked 20" in keys("list")[1]
    again = keys("revoke", key_id)
    assert again[0] == 1
    assert again[2].startswith(f"clickwake: no good key has the id '{key_id}'")


def test_a_list_for_programs_has_no_digest(keys: Keys) -> None:
    keys("create", "--scope", "ingest", "--site", "shop", "--expires", "30d")
    (one,) = json.loads(keys("list", "--json")[1])
    assert one["site_id"] == "shop"
    assert one["expires"] - one["created"] == 30 * 86_400_000
    assert "digest" not in one


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--scope", "read", "--site", "shop"], "--site binds what a key sends"),
        (["--scope", "ingest", "--site", "a/b"], "--site takes up to 64"),
        (["--scope", "read", "--expires", "soon"], "--expires takes a duration"),
        (["--scope", "read", "--expires", "2020-01-01T00:00:00Z"], "--expires is in the past"),
        (["--scope", "read", "--name", "a\x1b[31m"], "--name takes up to 64"),
    ],
)
def test_what_cannot_be_is_one_sentence(keys: Keys, arguments: list[str], sentence: str) -> None:
    status, made, said = keys("create", *arguments)
    assert (status, made) == (1, "")
    assert said.startswith(f"clickwake: {sentence}")
    assert "\n" not in said


def test_the_command_line_is_in_the_audit_log(keys: Keys, tmp_path: Path) -> None:
    key_id = keys("create", "--scope", "read", "--name", "wall")[1].split("_")[1]
    keys("revoke", key_id)
    with sqlite3.connect(tmp_path / "history.db") as database:
        found = database.execute("SELECT action, actor, subject, detail FROM audit_log").fetchall()
    assert found == [
        ("key_created", "command line", f"key {key_id}", "wall: read"),
        ("key_revoked", "command line", f"key {key_id}", ""),
    ]


def settings(folder: Path, **fields: str | bool) -> ApiSettings:
    url = Secret(f"sqlite:///{folder / 'history.db'}")
    return ApiSettings(database_url=url, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.8.8.8"])
def test_on_loopback_the_api_opens_without_a_key(tmp_path: Path, host: str) -> None:
    require_a_key(settings(tmp_path, host=host), NOW)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "stats.example", ""])
def test_elsewhere_it_does_not_and_says_how(tmp_path: Path, host: str) -> None:
    with pytest.raises(ContractError, match=r"make one with `./clickwake keys create"):
        require_a_key(settings(tmp_path, host=host), NOW)
    new_key(tmp_path, "read", expires=NOW)
    with pytest.raises(ContractError, match="there is none yet"):
        require_a_key(settings(tmp_path, host=host), NOW)
    new_key(tmp_path, "read")
    require_a_key(settings(tmp_path, host=host), NOW)


def test_keys_that_are_required_must_exist_on_loopback_too(tmp_path: Path) -> None:
    with pytest.raises(ContractError):
        require_a_key(settings(tmp_path, require_keys=True), NOW)


def test_a_stack_refuses_before_anything_starts(tmp_path: Path) -> None:
    here = Places(data=tmp_path)
    with pytest.raises(InfraError, match=r"an API on 0\.0\.0\.0 needs API keys"):
        require_a_key_for_a_stack(here, {"CLICKWAKE_API_HOST": "0.0.0.0"})
    new_key(tmp_path, "read")
    require_a_key_for_a_stack(here, {"CLICKWAKE_API_HOST": "0.0.0.0"})
