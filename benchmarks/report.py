"""How long a report takes to write and to open, and how large it is.

Random graphs with 20 lambdas, the last of them chosen. Opening is from the address to the picture
drawn, in a headless Chromium, and left out where there is none.
"""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from _measure import describe_machine, print_table

from mrflearn.plot.graph import place_nodes
from mrflearn.report import write_report

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "report"))
from made_results import make_result

SIZES = ((10, 20), (50, 150), (300, 1_500))
DRAWN = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"


def open_in_browser(path: Path) -> float | str:
    """Return the seconds until a page has drawn its graph."""
    names = ("chromium", "chromium-browser", "google-chrome")
    chromium = next(filter(None, map(shutil.which, names)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        return "no browser"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        begun = time.monotonic()
        page.goto(path.as_uri())
        page.evaluate(DRAWN)
        spent = time.monotonic() - begun
        browser.close()
    return spent


def main() -> None:
    """Print a row for each size."""
    print(describe_machine())
    rows = []
    for n_nodes, n_edges in SIZES:
        names = [f"variable_{at}" for at in range(n_nodes)]
        result = make_result(names, n_edges, n_lams=20, chosen=19)
        begun = time.monotonic()
        place_nodes(result.graph)
        placed = time.monotonic()
        with TemporaryDirectory() as folder:
            path = write_report(result, Path(folder) / "report.html")
            written = time.monotonic()
            megabytes = path.stat().st_size / 1e6
            opened = open_in_browser(path)
        rows.append([n_nodes, n_edges, placed - begun, written - placed, opened, megabytes])
        print(f"{n_nodes} nodes measured", flush=True)
    headings = ["nodes", "edges", "layout alone", "write", "open", "MB"]
    print_table("Seconds, and megabytes", headings, rows)


if __name__ == "__main__":
    main()
