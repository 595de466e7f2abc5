"""The arguments that ``sessionize``, ``replay`` and ``import`` share, and the files they name."""

import argparse
import csv
import gzip
import re
from collections.abc import Iterator
from hashlib import blake2b
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import IO, Any, cast

import zstandard

from contracts.views import ViewRules
from spark_jobs.files import FORMATS, LOGS, FileOptions, Identity, missing_columns
from spark_jobs.log_lines import WITH_FIELDS, columns_of

PACKED = (".gz", ".zst")
MOST_DIRECTIVES = 10
"""A W3C log's ``#Fields`` is looked for in so many lines."""


class FileError(Exception):
    """The file cannot be used. The message says why and what to do."""


def add_file_arguments(parser: argparse.ArgumentParser, *, is_optional: bool = False) -> None:
    """FILE and how to read it. ``is_optional``: there may be none."""
    parser.add_argument(
        "file",
        metavar="FILE",
        type=Path,
        nargs="?" if is_optional else None,
        help="the file; .gz is unpacked",
    )
    add_reading_arguments(parser, is_optional=is_optional)


def add_reading_arguments(parser: argparse.ArgumentParser, *, is_optional: bool = False) -> None:
    """How to read a file."""
    parser.add_argument(
        "--format",
        required=not is_optional,
        choices=FORMATS,
        help="the lines' format; combined is Apache's and nginx'",
    )
    parser.add_argument(
        "--identity",
        choices=("address", "address+agent", "column"),
        help="what makes a visitor (csv and jsonl: column; all others: address+agent)",
    )
    parser.add_argument(
        "--count",
        choices=("views", "all"),
        default="views",
        help="views: what the interceptor would log (default); all: every readable line",
    )
    parser.add_argument(
        "--bots",
        choices=("keep", "drop"),
        default="keep",
        help="bots are kept and marked (default), or left out of the views",
    )
    _add_path_arguments(parser)
    parser.add_argument("--site", help="the site id of the events (default: the file's name)")
    parser.add_argument("--visitor-column", help="CSV: the column with the visitor")
    parser.add_argument("--time-column", help="CSV: the column with the time")
    parser.add_argument("--page-column", help="CSV: the column with the page or event name")


def _add_path_arguments(parser: argparse.ArgumentParser) -> None:
    """The site's own choices, under the names that its middleware's settings have."""
    parser.add_argument("--exclude-paths", help="as CLICKWAKE_SITE_EXCLUDE_PATHS: /admin/*,…")
    parser.add_argument("--health-paths", help="as CLICKWAKE_SITE_HEALTH_PATHS: /up,…")
    parser.add_argument("--api-paths", help="as CLICKWAKE_SITE_API_PATHS: /api/,…")


def _rules(arguments: argparse.Namespace) -> ViewRules:
    given: dict[str, Any] = {}
    if arguments.health_paths is not None:
        given["health_paths"] = frozenset(_listed(arguments.health_paths))
    if arguments.api_paths is not None:
        given["api_prefixes"] = _listed(arguments.api_paths)
    return ViewRules(**given)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def file_options(arguments: argparse.Namespace) -> FileOptions:
    """Check the file and say how to read it; FileError says what is wrong."""
    file: Path = arguments.file
    if not file.is_file():
        raise FileError(f"{file} is not a file that can be read: check the path")
    if arguments.format is None:
        raise FileError(f"say how to read {file}: --format {', '.join(FORMATS)}")
    plain = file.with_suffix("").name if file.suffix in PACKED else file.name
    default: Identity = "address+agent" if arguments.format in LOGS else "column"
    options = FileOptions(
        format=arguments.format,
        identity=arguments.identity if arguments.identity else default,
        count=arguments.count,
        site_id=arguments.site or re.sub(r"[^A-Za-z0-9._-]", "-", Path(plain).stem)[:64],
        source=plain,
        header=_header(file, arguments.format),
        origin=_origin(file, arguments.format),
        drop_bots=arguments.bots == "drop",
        rules=_rules(arguments),
        excluded=_listed(arguments.exclude_paths or ""),
        visitor_column=arguments.visitor_column,
        time_column=arguments.time_column,
        page_column=arguments.page_column,
    )
    _check(options)
    return options


def open_lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """(line number from 1, line without its end), unpacked."""
    with _open(file) as stream:
        for number, line in enumerate(stream, start=1):
            yield number, line.rstrip(b"\n")


def _check(options: FileOptions) -> None:
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,64}", options.site_id):
        raise FileError("--site may have letters, digits, dots, dashes and underscores, up to 64")
    if options.format in LOGS and options.identity == "column":
        raise FileError("an access log has no visitor column: use address or address+agent")
    if options.format in WITH_FIELDS and not options.header:
        raise FileError(f"no #Fields line among the first {MOST_DIRECTIVES}: which columns has it?")
    missing = missing_columns(options)
    if missing:
        raise FileError(
            f"no column for {' and '.join(missing)} among {', '.join(options.header)}: "
            "name it with --visitor-column or --time-column"
        )


def _header(file: Path, format_: str) -> tuple[str, ...]:
    if format_ != "csv" and format_ not in WITH_FIELDS:
        return ()
    with _open(file) as stream:
        lines = [line.decode("utf-8-sig", "replace") for line in islice(stream, MOST_DIRECTIVES)]
    if format_ in WITH_FIELDS:
        return columns_of(lines)
    try:
        return tuple(next(csv.reader([line.rstrip("\r\n") for line in lines[:1]]), []))
    except csv.Error as error:
        raise FileError(f"the first line of {file} is no CSV header: {error}") from None


def _origin(file: Path, format_: str) -> str:
    """Of the first line that may tell of a visit: no header of a CSV, no directive."""
    with _open(file) as stream:
        lines = islice(stream, 1 if format_ == "csv" else 0, MOST_DIRECTIVES + 1)
        visits = (one for one in lines if format_ not in WITH_FIELDS or not one.startswith(b"#"))
        return blake2b(next(visits, b"").rstrip(b"\n"), digest_size=16).hexdigest()


def _open(file: Path) -> IO[bytes]:
    return unpacked(file.open("rb"), file.suffix)


def unpacked(raw: IO[bytes], suffix: str) -> IO[bytes]:
    """What a file holds, read through an open file, which is closed with it."""
    if suffix == ".gz":
        return cast(IO[bytes], _OwningGzip(raw))
    if suffix == ".zst":
        reader = zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True)
        return cast(IO[bytes], BufferedReader(reader))
    return raw


class _OwningGzip(gzip.GzipFile):
    """Closes what it reads from, which GzipFile leaves open."""

    def __init__(self, raw: IO[bytes]) -> None:
        super().__init__(fileobj=raw)
        self._raw = raw

    def close(self) -> None:
        super().close()
        self._raw.close()
