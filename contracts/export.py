"""Write the contracts as JSON Schema, for other languages and for the drift check.

``python -m contracts.export`` rewrites ``contracts/schema``; ``--check`` only compares and
exits with 1 when a committed file is stale. The dashboard's TypeScript comes from these files.
"""

import sys
from pathlib import Path

import msgspec

from contracts import live
from contracts.clock import WatermarkRecord
from contracts.ledger import Ledger
from contracts.topics import TOPICS

FOLDER = Path(__file__).parent / "schema"


def documents() -> dict[str, bytes]:
    """File name → JSON Schema document."""
    types = {
        "watermark-record": WatermarkRecord,
        "live": live.ServerMessage,
        "live-client": live.ClientMessage,
        "ledger": Ledger,
    }
    types |= {topic.role: topic.value for topic in TOPICS if topic.role != "replay"}
    return {f"{name}.schema.json": _document(kind) for name, kind in types.items()}


def _document(kind: object) -> bytes:
    (schema,), components = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    whole["$defs"] = components
    return msgspec.json.format(msgspec.json.encode(whole, order="sorted"), indent=2) + b"\n"


def main(arguments: list[str]) -> int:
    """Write or check; the exit status."""
    stale = [
        name
        for name, text in documents().items()
        if not (FOLDER / name).exists() or (FOLDER / name).read_bytes() != text
    ]
    if "--check" in arguments:
        for name in stale:
            print(f"contracts/schema/{name} is stale: run `python -m contracts.export`")
        return 1 if stale else 0
    FOLDER.mkdir(exist_ok=True)
    for name, text in documents().items():
        (FOLDER / name).write_bytes(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
