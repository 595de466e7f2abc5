"""What axe-core finds wrong with a page, for people who cannot see, hear or point."""

from typing import Any

from playwright.sync_api import Page

from tests.support.job import ROOT

AXE = ROOT / "frontend/dashboard/node_modules/axe-core/axe.min.js"


SETTLED = """() => Promise.allSettled(
    document.getAnimations()
        .filter((one) => one.effect.getComputedTiming().endTime !== Infinity)
        .map((one) => one.finished),
)"""
"""What fades in has other colours on its way, and they are nobody's to read."""


def findings(page: Page) -> list[str]:
    """A line for each finding: the rule, where, and what to do. Empty when all is well.

    All of axe's rules, best practices included. The page's content security policy forbids
    scripts from elsewhere; the debugger's protocol stands above it.
    """
    page.evaluate(f"{AXE.read_text()};0")
    page.evaluate(SETTLED)
    found: list[dict[str, Any]] = page.evaluate(
        "axe.run(document, {resultTypes: ['violations']}).then((result) => result.violations)"
    )
    return [
        f"{one['id']}: {' '.join(map(str, node['target']))}: {node['failureSummary']}"
        for one in found
        for node in one["nodes"]
    ]
