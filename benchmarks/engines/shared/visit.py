"""A session folded of its events, in any order, for engines whose windows are Python's.

A visit is (events, entry, exit). Both places are (rank, event_time, event_id, path), so that the
smallest is the first page and the largest the last: other requests rank behind pages.
"""

Place = tuple[bool, int, str, str]
Visit = tuple[int, Place, Place]

NONE: Visit = (0, (True, 2**63 - 1, "", ""), (False, -1, "", ""))
"""Of no event; any event takes its place."""


def visit(time: int, event_id: str, kind: str, path: str) -> Visit:
    """Of one event."""
    is_page = kind == "page"
    return 1, (not is_page, time, event_id, path), (is_page, time, event_id, path)


def joined(one: Visit, other: Visit) -> Visit:
    """Of the events of both."""
    return one[0] + other[0], min(one[1], other[1]), max(one[2], other[2])


def pages(found: Visit) -> tuple[int, str, str]:
    """(events, path of the entry page, path of the exit page)."""
    return found[0], found[1][3], found[2][3]
