"""``python -m scripts.screenshots [ADDRESS]``: the README's pictures, of a dashboard that runs.

Start ``./clickwake demo`` some minutes before, so that there is something to see.
"""

import sys
from pathlib import Path

from benchmarks.dashboard.browsing import chromium

IMAGES = Path(__file__).parents[1] / "docs" / "images"
ADDRESS = "http://127.0.0.1:8020/"
THEMES = {"light": "dashboard.png", "dark": "dashboard-dark.png"}
SETTLE_MS = 4_000


def main(address: str) -> None:
    """One picture a theme, into ``docs/images``."""
    with chromium() as browser:
        for theme, name in THEMES.items():
            context = browser.new_context(
                viewport={"width": 1440, "height": 900},
                color_scheme="dark" if theme == "dark" else "light",
                locale="en-GB",
            )
            page = context.new_page()
            page.goto(address)
            page.locator("[data-session]").first.wait_for()
            page.wait_for_timeout(SETTLE_MS)
            page.screenshot(path=IMAGES / name)
            print(IMAGES / name)
            context.close()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ADDRESS)
