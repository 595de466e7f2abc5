"""Write docs/configuration.md from the settings structs: ``python -m scripts.configuration_docs``.

With ``--check`` nothing is written; the exit status is 1 when the page is stale.

A settings struct's docstring describes every field with an entry of its own: a line that begins
with the field's name in double backquotes and a colon, continued up to the next such line.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import inspect

from api.settings import ApiSettings
from contracts.client import ClientSettings
from contracts.kafka import KafkaSettings
from contracts.logs import LogSettings
from contracts.settings import PREFIX, Duration, Secret
from frontend.demo_site.settings import DemoSettings
from infra.settings import InfraSettings
from infra.traffic.settings import TrafficSettings
from interceptor.settings import SiteSettings
from spark_jobs.settings import JobSettings

PAGE = Path(__file__).resolve().parents[1] / "docs" / "configuration.md"
COMMAND = "python -m scripts.configuration_docs"
ENTRY = re.compile(r"^``(\w+)``: ", re.MULTILINE)
DURATION = inspect.type_info(Duration)


class DescriptionError(Exception):
    """A settings struct's docstring and its fields differ: describe each field in an entry."""


class Section(msgspec.Struct, frozen=True):
    """One struct's table. ``name`` stands in its variables after the prefix."""

    name: str
    settings: type[msgspec.Struct]
    title: str
    about: str


SECTIONS = (
    Section(
        "SITE",
        SiteSettings,
        "The middleware",
        "Read by `ClickwakeMiddleware` in the site's process, unless it gets a `SiteSettings`. "
        "`./clickwake demo` gives the demo shop the site id `demo`, a secret of its own kept in "
        "the data folder, loopback as a trusted proxy, and the beacon at `/cw.js`; it respects DNT "
        "and GPC, and its opt-out cookie is `cw_no_log`.",
    ),
    Section(
        "KAFKA",
        KafkaSettings,
        "Kafka",
        "Read by every process. `./clickwake demo` and `./clickwake up` start a Kafka of their own "
        "unless `CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS` is set.",
    ),
    Section(
        "JOB",
        JobSettings,
        "The session job",
        "`./clickwake` sets the checkpoint, the jars and the free geo database; a variable of "
        "yours takes precedence. `sessionize` uses them too, but for the gap, which is its "
        "`--gap`.",
    ),
    Section(
        "API",
        ApiSettings,
        "The API",
        "`./clickwake` sets the port itself (`--port-api`), and the database, the dashboard's "
        "folder and the demo site's origin unless you do.",
    ),
    Section(
        "CLIENT",
        ClientSettings,
        "The command line at an API that needs keys",
        "Read by `./clickwake status`, `ledger`, `verify` and `backfill`.",
    ),
    Section(
        "LOG",
        LogSettings,
        "Logs",
        "Read by every process of ours, Kafka's and Spark's JVM included; a site's own log is its "
        "own. See [operations.md](operations.md#logs).",
    ),
    Section(
        "INFRA",
        InfraSettings,
        "The command line",
        "Read by `./clickwake`. A relative path starts where the command is called.",
    ),
    Section(
        "DEMO",
        DemoSettings,
        "The demo shop",
        "`./clickwake demo` sets host, port (`--port-site`) and dashboard itself, and the database "
        "unless you do.",
    ),
    Section(
        "TRAFFIC",
        TrafficSettings,
        "The sample traffic",
        "`./clickwake demo` sets the target itself, and the geo database unless you do.",
    ),
)

INTRODUCTION = f"""# Configuration

<!-- Written by `{COMMAND}` from the settings structs: change their docstrings. -->

Settings are environment variables, read once when a process starts. A misspelt one stops the
process with a sentence that lists the known ones. Secrets are never logged.

- A **duration** is a whole number and a unit: `250ms`, `10s`, `30m`, `24h`, `7d`.
- A **list** is text with commas.
- A **secret** may stand in a file, whose path the variable with `_FILE` at its end has:
  `CLICKWAKE_KAFKA_SASL_PASSWORD_FILE=/run/secrets/kafka`, and so `CLICKWAKE_SITE_SECRET_FILE` and
  `CLICKWAKE_API_DATABASE_URL_FILE`, `CLICKWAKE_CLIENT_KEY_FILE`.
- **Yes or no** is `true` or `false`, `1` or `0`.

`./clickwake` hands its own environment on to the processes that it starts, so
`CLICKWAKE_JOB_GAP=10m ./clickwake demo` works.
"""

OTHERS = """## Other variables

| variable | meaning |
| --- | --- |
| `JAVA_HOME` | the Java 17 or 21 to use, before those on `PATH` and in `/usr/lib/jvm` |
| `PYTHON` | the Python with which `./clickwake` makes its virtual environment |
| `PIP_INDEX_URL`, `PIP_CERT` | used by the set-up too, for a mirror or a private certificate |
| `CLICKWAKE_DEV_API` | the API that `npm run dev` in `frontend/dashboard` asks |
"""


def page() -> str:
    """The whole page. Raises DescriptionError when a field is not described."""
    return "\n".join([INTRODUCTION, *map(section_text, SECTIONS), OTHERS])


def section_text(section: Section) -> str:
    """One struct's heading and table."""
    described = descriptions(section.settings)
    rows = (
        f"| `{PREFIX}{section.name}_{field.name.upper()}` | {kind(field.type)} "
        f"| {shown_default(field.default)} | {described[field.name]} |"
        for field in fields_of(section.settings)
    )
    head = ("| variable | kind | default | meaning |", "| --- | --- | --- | --- |")
    return "\n".join([f"## {section.title}", "", section.about, "", *head, *rows, ""])


def fields_of(settings: type[msgspec.Struct]) -> tuple[inspect.Field, ...]:
    """What msgspec knows of a struct's fields."""
    found = inspect.type_info(settings)
    assert isinstance(found, inspect.StructType)
    return found.fields


def descriptions(settings: type[msgspec.Struct]) -> dict[str, str]:
    """Each field's meaning, in Markdown."""
    lines = (settings.__doc__ or "").splitlines()
    parts = ENTRY.split("\n".join(line.strip() for line in lines))[1:]
    found = dict(zip(parts[::2], map(sentence, parts[1::2]), strict=True))
    fields = set(settings.__struct_fields__)
    if set(found) != fields:
        wrong = ", ".join(sorted(set(found) ^ fields))
        raise DescriptionError(f"{settings.__name__}: fields and descriptions differ in {wrong}")
    return found


def sentence(text: str) -> str:
    """One line of Markdown."""
    plain = " ".join(text.split()).removesuffix(".")
    return plain.replace("``", "`").replace("|", "\\|")


def kind(one: inspect.Type) -> str:
    """What a value looks like."""
    if isinstance(one, inspect.UnionType):
        (one,) = (part for part in one.types if not isinstance(part, inspect.NoneType))
    if isinstance(one, inspect.LiteralType):
        return " or ".join(f"`{value}`" for value in one.values)
    if isinstance(one, inspect.CustomType) and one.cls is Secret:
        return "secret text"
    if isinstance(one, inspect.BoolType):
        return "yes or no"
    if isinstance(one, inspect.IntType | inspect.FloatType):
        whole = "whole " if isinstance(one, inspect.IntType) else ""
        return " ".join([f"{whole}number", *bounds(one)])
    return "duration" if one == DURATION else "text"


def bounds(one: inspect.IntType | inspect.FloatType) -> Iterator[str]:
    """The limits of a number, in words."""
    if one.ge is not None:
        yield f"from {one.ge:,}"
    if one.gt is not None:
        yield f"above {one.gt:,}"
    if one.le is not None:
        yield f"to {one.le:,}"


def shown_default(default: object) -> str:
    """The value without the variable."""
    if default is None:
        return "none"
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f"`{default}`" if default != "" else "empty"


def main(arguments: list[str]) -> int:
    """Write the page, or compare it; the exit status."""
    text = page()
    if "--check" not in arguments:
        PAGE.write_text(text)
        return 0
    if PAGE.exists() and PAGE.read_text() == text:
        return 0
    print(f"{PAGE.name} is stale: run {COMMAND}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
