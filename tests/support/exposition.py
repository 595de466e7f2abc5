"""Prometheus's text format 0.0.4, read as strictly as its specification allows."""

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
SAMPLE = re.compile(rf"({NAME.pattern})(?:\{{(.*)\}})? (\S+)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
SUFFIXES = {"histogram": ("_bucket", "_sum", "_count")}
UNESCAPED = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}


class Read(NamedTuple):
    """A family: its kind and its samples by full name and labels."""

    kind: str
    samples: dict[tuple[str, frozenset[tuple[str, str]]], float]

    def values(self, **labels: str) -> list[float]:
        """The numbers of the samples that carry these labels."""
        wanted = set(labels.items())
        return [value for (_, found), value in self.samples.items() if wanted <= found]


def read_exposition(text: str) -> dict[str, Read]:
    """The families by name. AssertionError says which rule of the format a line breaks."""
    assert text.endswith("\n"), "the last line must end"
    families: dict[str, Read] = {}
    helped, name = "", ""
    for line in text.splitlines():
        if line.startswith("# HELP "):
            helped = line.split(" ", 3)[2]
            assert NAME.fullmatch(helped), line
        elif line.startswith("# TYPE "):
            name, kind = line.removeprefix("# TYPE ").split(" ")
            assert name == helped, f"TYPE without its HELP: {line}"
            assert name not in families, f"a second family {name}"
            assert kind in {"counter", "gauge", "histogram"}, line
            assert (kind == "counter") == name.endswith("_total"), line
            families[name] = Read(kind, {})
        else:
            key, value = _sample(line, name, families[name].kind)
            assert key not in families[name].samples, f"a second time: {line}"
            families[name].samples[key] = value
    for one in families.values():
        assert one.samples
        if one.kind == "histogram":
            _check_histogram(one)
    return families


def _sample(
    line: str, name: str, kind: str
) -> tuple[tuple[str, frozenset[tuple[str, str]]], float]:
    match = SAMPLE.fullmatch(line)
    assert match, f"no sample: {line}"
    full, labels, number = match.groups()
    assert full.removeprefix(name) in SUFFIXES.get(kind, ("",)), f"not of {name}: {line}"
    value = float(number)
    assert kind == "gauge" or value >= 0, f"below zero: {line}"
    return (full, frozenset(_labels(labels or ""))), value


def _labels(text: str) -> Iterator[tuple[str, str]]:
    seen, end = set(), 0
    while end < len(text):
        match = LABEL.match(text, end)
        assert match, f"no label: {text[end:]}"
        assert match[1] not in seen, f"{match[1]} twice"
        seen.add(match[1])
        yield match[1], re.sub(r"\\.", lambda found: UNESCAPED[found[0]], match[2])
        end = match.end()


def _check_histogram(one: Read) -> None:
    buckets = {
        math.inf if dict(labels)["le"] == "+Inf" else float(dict(labels)["le"]): value
        for (name, labels), value in one.samples.items()
        if name.endswith("_bucket")
    }
    counts = [buckets[limit] for limit in sorted(buckets)]
    assert counts == sorted(counts), "buckets are cumulative"
    (count,) = (value for (name, _), value in one.samples.items() if name.endswith("_count"))
    assert buckets[math.inf] == count
    assert sum(name.endswith("_sum") for name, _ in one.samples) == 1
