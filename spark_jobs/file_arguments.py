"""The arguments that ``sessionize`` and ``replay`` share, and the file they name."""

import argparse
import csv
import gzip
import re
from collections.abc import Iterator
from io import BufferedIOBase
from pathlib import Path

from spark_jobs.files import FileOptions, Identity, missing_columns


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
    parser.add_argument(
        "--format",
        required=not is_optional,
        choices=("combined", "csv", "jsonl"),
        help="the lines' format",
    )
    parser.add_argument(
        "--identity",
        choices=("address", "address+agent", "column"),
        help="what makes a visitor (combined: address+agent; csv and jsonl: column)",
    )
    parser.add_argument(
        "--count",
        choices=("views", "all"),
        default="views",
        help="views: what the interceptor would log (default); all: every readable line",
    )
    parser.add_argument("--site", help="the site id of the events (default: the file's name)")
    parser.add_argument("--visitor-column", help="CSV: the column with the visitor")
    parser.add_argument("--time-column", help="CSV: the column with the time")
    parser.add_argument("--page-column", help="CSV: the column with the page or event name")


def file_options(arguments: argparse.Namespace) -> FileOptions:
    """Check the file and say how to read it; FileError says what is wrong."""
    file: Path = arguments.file
    if not file.is_file():
        raise FileError(f"{file} is not a file that can be read: check the path")
    if arguments.format is None:
        raise FileError(f"say how to read {file}: --format combined, csv or jsonl")
    plain = file.name.removesuffix(".gz")
    default: Identity = "address+agent" if arguments.format == "combined" else "column"
    options = FileOptions(
        format=arguments.format,
        identity=arguments.identity if arguments.identity else default,
        count=arguments.count,
        site_id=arguments.site or re.sub(r"[^A-Za-z0-9._-]", "-", Path(plain).stem)[:64],
        source=plain,
        header=_header(file) if arguments.format == "csv" else (),
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
    if options.format == "combined" and options.identity == "column":
        raise FileError("a combined log has no visitor column: use address or address+agent")
    missing = missing_columns(options)
    if missing:
        raise FileError(
            f"no column for {' and '.join(missing)} among {', '.join(options.header)}: "
            "name it with --visitor-column or --time-column"
        )


def _header(file: Path) -> tuple[str, ...]:
    with _open(file) as stream:
        first = stream.readline().decode("utf-8-sig", "replace").rstrip("\r\n")
    return tuple(next(csv.reader([first]), []))


def _open(file: Path) -> BufferedIOBase:
    return gzip.open(file) if file.suffix == ".gz" else file.open("rb")
