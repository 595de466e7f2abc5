"""What Schemathesis is told of the API besides its OpenAPI document.

Formats that the document names, as values that they have; and rules between parameters, which
no document can state: requests that should be accepted keep them.
"""

from datetime import date
from typing import Any

import schemathesis
from hypothesis import strategies as st

from contracts import SessionUpdate

_COUNTS = st.integers(1, 20).map(str)
_WORD = st.text("abcdeäß%_*?'\\", min_size=1, max_size=8)
_NAME = st.sampled_from(["search", "social", "direct", "mobile", "Chrome", "no such", ""])
_MARK = st.sampled_from(["", "!"])


def _listed(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(values, min_size=1, max_size=4).map(",".join)


FORMATS: dict[str, st.SearchStrategy[str]] = {
    "moment": st.builds("-{}{}".format, _COUNTS, st.sampled_from("smh")) | st.just("now"),
    "short-duration": st.builds("{}{}".format, _COUNTS, st.sampled_from(["ms", "s", "m", "h", ""])),
    "countries": _listed(
        st.builds("{}{}".format, _MARK, st.sampled_from(["DE", "fr", "unknown", "ZZ"]))
    ),
    "statuses": _listed(st.sampled_from(["open", "closed", "final"])),
    "names": _listed(st.builds("{}{}".format, _MARK, _NAME)),
    "words": st.lists(_WORD, min_size=1, max_size=8).map(" ".join),
    "fields": _listed(st.sampled_from([*SessionUpdate.__struct_fields__, "geo.country"])),
    "date": st.dates(date(2000, 1, 1), date(2030, 1, 1)).map(str),
    "iana-time-zone": st.sampled_from(["UTC", "Europe/Berlin", "Asia/Kathmandu"]),
    "path-pattern": st.builds("{}/{}".format, _MARK, _WORD),
    "two-dimensions": st.sampled_from(["country,device", "path,site", "entry,exit"]),
    "cursor": st.just("none"),
}
for _name, _values in FORMATS.items():
    schemathesis.openapi.format(_name, _values)


@schemathesis.hook
def before_call(_context: Any, case: Any, _options: Any) -> None:
    """Keep the rules between parameters in requests that should be accepted."""
    if case.meta is None or case.meta.generation.mode.is_positive:
        _settle(case.query, case.path)
        _name_what_there_is(case.path_parameters, case.query)
        if isinstance(case.body, dict):
            _settle_body(case.body, case.path)


def _name_what_there_is(parameters: dict[str, str], query: dict[str, Any]) -> None:
    """Every other time what is in the history, so that not all are told that there is none."""
    if len(parameters.get("session_id", "")) % 2:
        parameters["session_id"] = "paris"
    if len(parameters.get("visitor_id", "")) % 2:
        parameters["visitor_id"] = "visitor-of-paris"
        query["site"] = "shop"


def _settle_body(body: dict[str, Any], path: str) -> None:
    if path.endswith("/backfills") and isinstance(body.get("begin"), int):
        body["end"] = body["begin"] + 1
    if path.endswith("/replay") and body.get("ids") is not None:
        body.pop("reason", None)


def _settle(query: dict[str, Any], path: str) -> None:
    # What only an earlier answer can tell is left out.
    for name in ("cursor", "after"):
        query.pop(name, None)
    if "tz" in query:
        query.pop("time_zone", None)
    ranges = [name for name in ("period", "day", "from", "to") if name in query]
    for name in ranges[1:]:
        del query[name]
    if ranges and path.endswith(("/timeseries", "/retention")):
        query.pop("interval", None)
