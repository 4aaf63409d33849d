"""Draw the picture of a report that README shows: RESULT.json to PICTURE.png, by Chromium."""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from mrflearn.report import write_report
from mrflearn.result import Result

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main(result: str, picture: str) -> None:
    """Open the report, pick the surest edge, and take a picture of what a reader sees first."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"this needs one of {', '.join(BROWSERS)}: install it first")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        found = Result.load(result)
        strongest_first = sorted(found.graph.edges, key=lambda edge: -edge.weight)
        surest = min(range(len(strongest_first)), key=lambda row: strongest_first[row].q_value or 1)
        page_file = write_report(found, Path(folder) / "report.html")
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page(
            viewport={"width": 1180, "height": 1010}, device_scale_factor=1.5, color_scheme="light"
        )
        page.goto(page_file.as_uri())
        page.locator("#edges tbody tr").nth(surest).click()
        page.evaluate("window.scrollTo(0, 0)")
        page.wait_for_timeout(500)
        page.screenshot(path=picture)
        chromium.close()
    print("wrote", picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
