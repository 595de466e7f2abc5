"""The shared cases as Python values."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "fixtures" / "cases"


def json_lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text().splitlines() if line]


def client_ip_rows() -> list[tuple[str, dict[str, str], str, str]]:
    """(peer, headers by lower-case name, expected, why)."""
    lines = (FOLDER / "client_ip.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")][1:]
    return [(peer, _headers(text), expected, why) for peer, text, expected, why in rows]


def _headers(text: str) -> dict[str, str]:
    pairs = (line.split(": ", 1) for line in text.split("\\n"))
    return {name.lower(): value for name, value in pairs}
