"""The database's own look at itself."""

from pathlib import Path

from sqlalchemy import text

from api.doctor import look
from tests.support.history import new_history


def url(folder: Path) -> str:
    return f"sqlite:///{folder / 'history.db'}"


def test_no_history_yet_is_worth_a_note_and_makes_none(tmp_path: Path) -> None:
    found = look(url(tmp_path))
    assert (found.level, "no history yet" in found.what) == ("note", True)
    assert not (tmp_path / "history.db").exists()


def test_a_history_in_order(tmp_path: Path) -> None:
    new_history(tmp_path).dispose()
    found = look(url(tmp_path))
    assert found.level == "ok"
    assert "writable" in found.what


def test_an_empty_file_is_worth_a_note(tmp_path: Path) -> None:
    (tmp_path / "history.db").touch()
    assert "database is empty" in look(url(tmp_path)).what


def test_an_earlier_schema_is_worth_a_note(tmp_path: Path) -> None:
    engine = new_history(tmp_path / "new")
    engine.dispose()
    with engine.connect() as connection:
        newest = connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one()
    (tmp_path / "old").mkdir()
    old = new_history(tmp_path / "old")
    with old.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    old.dispose()
    found = look(url(tmp_path / "old"))
    assert found.level == "note"
    assert f"schema 0001, writable; the API's next start brings it to {newest}" in found.what


def test_a_later_schema_is_a_problem(tmp_path: Path) -> None:
    engine = new_history(tmp_path)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    found = look(url(tmp_path))
    assert (found.level, "Upgrade Clickwake" in found.todo) == ("problem", True)


def test_a_history_that_somebody_locks_is_a_problem(tmp_path: Path) -> None:
    engine = new_history(tmp_path)
    with engine.connect() as connection:
        connection.exec_driver_sql("INSERT INTO consumer_offsets VALUES ('t', 0, 1)")
        found = look(f"{url(tmp_path)}?timeout=0.1")
    engine.dispose()
    assert (found.level, "cannot be written" in found.what) == ("problem", True)


def test_what_is_no_database_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "history.db").write_bytes(b"This is text and no database, for several lines. " * 40)
    found = look(url(tmp_path))
    assert (found.level, "backup" in found.todo) == ("problem", True)


def test_a_postgresql_that_is_not_there_is_a_problem() -> None:
    found = look("postgresql://nobody:canary@127.0.0.1:1/none")
    assert (found.level, "Start it" in found.todo) == ("problem", True)
    assert "canary" not in found.what
