"""The comparison as bars: an SVG that needs no library."""

from collections.abc import Sequence
from html import escape

from benchmarks.compare.results import Row

WIDTH, LABEL, BAR, STEP, TOP = 860, 250, 480, 34, 56
RIGHT, WRONG, OURS = "#6b7f99", "#c0392b", "#1f8a70"


def svg(rows: Sequence[Row], title: str) -> str:
    """A bar for each engine, as long as its rate, with rate and memory beside it."""
    height = TOP + STEP * len(rows) + 16
    longest = max((row.per_s for row in rows), default=1) or 1
    bars = "".join(_bar(row, number, longest) for number, row in enumerate(rows))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="system-ui, sans-serif" font-size="13" role="img">'
        f"<title>{escape(title)}</title>"
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'
        f'<text x="16" y="30" font-size="16" font-weight="600">{escape(title)}</text>'
        f"{bars}</svg>\n"
    )


def _bar(row: Row, number: int, longest: float) -> str:
    top = TOP + STEP * number
    length = max(2.0, BAR * row.per_s / longest)
    is_right = row.verdict == "right"
    colour = (OURS if row.engine.name == "clickwake" else RIGHT) if is_right else WRONG
    figures = f"{row.per_s / 1000:.1f} k/s · {row.memory_mb / 1000:.1f} GB"
    if not is_right:
        figures += " · wrong"
    # A long bar has room for its figures inside.
    inside = length > BAR * 0.6
    place = (
        f'x="{LABEL + length - 8:.0f}" text-anchor="end" fill="#ffffff"'
        if inside
        else f'x="{LABEL + length + 8:.0f}" fill="#222222"'
    )
    return (
        f'<text x="{LABEL - 10}" y="{top + 17}" text-anchor="end" fill="#222222">'
        f"{escape(row.engine.title)}</text>"
        f'<rect x="{LABEL}" y="{top}" width="{length:.0f}" height="{STEP - 10}" rx="3" '
        f'fill="{colour}"/><text {place} y="{top + 17}">{escape(figures)}</text>'
    )
