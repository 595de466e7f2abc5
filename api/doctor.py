"""``python -m api.doctor``: how the history database is, as one JSON line; changes nothing."""

import os
import sys
from pathlib import Path

import msgspec
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from api.history.engine import MIGRATIONS, open_engine
from api.history.probe import write_failure
from api.settings import ApiSettings
from contracts import ContractError
from contracts.findings import Finding, note, ok, problem
from contracts.settings import from_environment

CHECK = "history database"


def look(database_url: str) -> Finding:
    """Whether it can be opened and written, and has a schema that this version knows."""
    missing = _missing_file(database_url)
    if missing is not None:
        return note(CHECK, f"There is no history yet in {missing}: the API's first start makes it.")
    engine = open_engine(database_url)
    try:
        return _look_at(engine)
    except SQLAlchemyError as error:
        return problem(CHECK, f"The database cannot be opened: {_reason(error)}.", _OPEN)
    finally:
        engine.dispose()


_OPEN = (
    "Start it, correct CLICKWAKE_API_DATABASE_URL, or restore the file from a backup; until then "
    "topics keep what comes."
)
_WRITE = "Make room on its disk, or let the API's user write it; the API goes on by itself."


def _missing_file(database_url: str) -> Path | None:
    url = make_url(database_url)
    if url.get_backend_name() != "sqlite" or not url.database:
        return None
    file = Path(url.database).absolute()
    return None if file.exists() else file


def _look_at(engine: Engine) -> Finding:
    found, newest = _revisions(engine)
    if found is None:
        return note(CHECK, "The database is empty: the API's first start makes the schema.")
    if found not in _known():
        return problem(
            CHECK,
            f"The database has schema {found}, which this version does not know.",
            "Upgrade Clickwake, or restore the backup made before the later version.",
        )
    failure = write_failure(engine)
    if failure is not None:
        return problem(CHECK, f"The database cannot be written: {failure}.", _WRITE)
    what = f"{engine.dialect.name}, schema {found}, writable"
    if found != newest:
        return note(CHECK, f"{what}; the API's next start brings it to {newest}.")
    return ok(CHECK, f"{what}.")


def _revisions(engine: Engine) -> tuple[str | None, str | None]:
    with engine.connect() as connection:
        found = MigrationContext.configure(connection).get_current_revision()
    return found, _scripts().get_current_head()


def _known() -> set[str]:
    return {script.revision for script in _scripts().walk_revisions()}


def _scripts() -> ScriptDirectory:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return ScriptDirectory.from_config(config)


def _reason(error: SQLAlchemyError) -> str:
    return str(error.orig if isinstance(error, DBAPIError) else error).partition("\n")[0]


def main() -> int:
    """Print the finding; a wrong setting is one, too."""
    try:
        finding = look(from_environment(ApiSettings, "API", os.environ).database_url)
    except (ContractError, OSError) as error:
        finding = problem(CHECK, f"{error}.".replace("..", "."), "Correct the setting.")
    print(msgspec.json.encode(finding).decode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
