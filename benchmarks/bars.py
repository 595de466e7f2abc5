"""Measured values as bars: an SVG that needs no library. Pure."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

WIDTH, LABEL, LONGEST, STEP, TOP = 900, 330, 400, 26, 56
OURS, THEIRS, WRONG = "#1f8a70", "#6b7f99", "#c0392b"


class Bar(NamedTuple):
    """A value with its label, the text beside it, whether it is the product's own, and right."""

    label: str
    value: float
    text: str
    is_ours: bool = True
    is_right: bool = True


def svg(title: str, bars: Sequence[Bar]) -> str:
    """A bar for each value, the longest for the largest."""
    height = TOP + STEP * len(bars) + 16
    largest = max((bar.value for bar in bars), default=0) or 1
    drawn = "".join(_drawn(bar, number, largest) for number, bar in enumerate(bars))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="system-ui, sans-serif" font-size="13" role="img">'
        f"<title>{escape(title)}</title>"
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'
        f'<text x="16" y="30" font-size="16" font-weight="600">{escape(title)}</text>'
        f"{drawn}</svg>\n"
    )


def _drawn(bar: Bar, number: int, largest: float) -> str:
    top, length = TOP + STEP * number, max(2.0, LONGEST * bar.value / largest)
    colour = (OURS if bar.is_ours else THEIRS) if bar.is_right else WRONG
    return (
        f'<text x="{LABEL - 10}" y="{top + 13}" text-anchor="end" fill="#222222">'
        f"{escape(bar.label)}</text>"
        f'<rect x="{LABEL}" y="{top}" width="{length:.0f}" height="{STEP - 8}" rx="3" '
        f'fill="{colour}"/>'
        f'<text x="{LABEL + length + 8:.0f}" y="{top + 13}" fill="#222222">'
        f"{escape(bar.text)}</text>"
    )
