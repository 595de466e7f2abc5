"""``python -m api.access``: what ``./clickwake keys`` hands over to."""

import os
import sys
from collections.abc import Sequence

from sqlalchemy.exc import SQLAlchemyError

from api.access import commands
from api.access.entry import require_a_key
from api.history.engine import SchemaError, migrate, open_engine
from api.settings import ApiSettings
from contracts import ContractError
from contracts.settings import from_environment


def main(arguments: Sequence[str]) -> int:
    """Carry out the command; the exit status. What fails is said in one sentence."""
    try:
        settings = from_environment(ApiSettings, "API", os.environ)
        if list(arguments) == ["may-open"]:
            require_a_key(settings, commands.wall_clock())
        else:
            _carry_out(settings, arguments)
    except (ContractError, SchemaError, OSError) as error:
        return _fail(str(error))
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).partition("\n")[0]
        return _fail(f"the history database does not take it: {reason}")
    return 0


def _carry_out(settings: ApiSettings, arguments: Sequence[str]) -> None:
    options = commands.parser().parse_args(arguments)
    engine = open_engine(settings.database_url)
    try:
        migrate(engine)
        now = commands.wall_clock()
        if options.command == "create":
            print(commands.create(engine, options, now))
            print("This key is shown once: keep it where only its user can read.", file=sys.stderr)
        elif options.command == "revoke":
            commands.revoke(engine, options.key_id, now)
            print(f"Revoked {options.key_id}: it opens nothing from five seconds on.")
        else:
            print(commands.listing(engine, now, as_json=options.json))
    finally:
        engine.dispose()


def _fail(sentence: str) -> int:
    print(f"clickwake: {sentence}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
