"""How long a report takes to write and to open, and how large it is.

Random graphs with 20 lambdas, the last of them chosen. Opening is from the address to the picture
drawn, as the first page of a headless Chromium, the median of five; it is left out where there is
none. Rows of the table beyond the first hundred follow while the page is in use: "all rows".
"""

from __future__ import annotations

import shutil
import statistics
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from _measure import describe_machine, print_table

from mrflearn.plot.graph import place_nodes
from mrflearn.report import write_report

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "report"))
from made_results import make_result

SIZES = ((10, 20), (50, 150), (300, 1_500), (1_000, 5_000))
N_TIMES = 5
DRAWN = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"

HAS_PICTURE = """() => [...document.querySelectorAll("#canvas canvas")].some((canvas) =>
    canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean))"""


def open_in_browser(path: Path) -> tuple[float | str, float | str]:
    """Return the seconds until a page has drawn its graph, and until its table is whole."""
    names = ("chromium", "chromium-browser", "google-chrome")
    chromium = next(filter(None, map(shutil.which, names)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        return "no browser", "no browser"
    with sync_playwright() as playwright:
        times = [_open_once(playwright, chromium, path) for _ in range(N_TIMES)]
    drawn, whole = zip(*times, strict=True)
    return statistics.median(drawn), statistics.median(whole)


def _open_once(playwright: Any, chromium: str, path: Path) -> tuple[float, float]:
    browser = playwright.chromium.launch(
        executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
    )
    page = browser.new_page()
    begun = time.monotonic()
    page.goto(path.as_uri())
    page.evaluate(DRAWN)
    drawn = time.monotonic()
    if not page.evaluate(HAS_PICTURE):
        raise RuntimeError("the time was taken before the picture was drawn")
    while page.evaluate("waiting.length"):
        page.wait_for_timeout(10)
    whole = time.monotonic()
    browser.close()
    return drawn - begun, whole - begun


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
            times = open_in_browser(path)
        rows.append([n_nodes, n_edges, placed - begun, written - placed, *times, megabytes])
        print(f"{n_nodes} nodes measured", flush=True)
    headings = ["nodes", "edges", "layout alone", "write", "open", "all rows", "MB"]
    print_table("Seconds, and megabytes", headings, rows)


if __name__ == "__main__":
    main()
