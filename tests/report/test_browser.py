"""In a real browser: the page does what it says, with mouse and keyboard, and asks for nothing."""

import csv
import io
import shutil
import time
import warnings
from dataclasses import dataclass, field

import pytest
from made_results import HOSTILE, make_result

from mrflearn.report import write_report

HOW_TO_INSTALL = "pip install 'mrflearn[test]' and a Chromium, such as apt install chromium"
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
if CHROMIUM is None:
    pytest.skip(
        f"REPORTS ARE NOT TESTED IN A BROWSER: there is no Chromium here; {HOW_TO_INSTALL}",
        allow_module_level=True,
    )
sync_api = pytest.importorskip(
    "playwright.sync_api",
    reason=f"REPORTS ARE NOT TESTED IN A BROWSER: playwright is missing; {HOW_TO_INSTALL}",
)

OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
NAMES = ("rain", "wet", "sprinkler", "season", "roof", "=sum(A1)", "grass, long", "lawn")
GRAPH = "document.getElementById('canvas')._cyreg.cy"


@dataclass
class Opened:
    """A page in the browser, and all that went wrong on it."""

    page: object
    result: object
    address: str
    complaints: list = field(default_factory=list)
    requests: list = field(default_factory=list)

    def listen(self):
        page = self.page
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self._dismiss(dialog))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(self.address)
        page.wait_for_selector("html.scripted")
        return self

    def _dismiss(self, dialog):
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def rows(self):
        return self.page.locator("#edges tbody tr")

    def n_drawn(self):
        """Return how many edges the picture shows; `visible()` lags behind by a frame."""
        shown = "edge => edge.style('display') === 'element'"
        return self.page.evaluate(f"{GRAPH}.edges().filter({shown}).length")


def wait_for(page, condition):
    """Wait until a condition holds; `wait_for_function` asks twice only where a page lets it."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never came true: {condition}")


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser, tmp_path):
    """Return a function that opens the report of a result; in the end, all must have been quiet."""
    visits = []

    def open_report(result, **context):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="the font of the figure lacks")
            path = write_report(result, tmp_path / f"report{len(visits)}.html")
        page = browser.new_context(viewport={"width": 1200, "height": 900}, **context).new_page()
        visits.append(Opened(page, result, path.as_uri()))
        return visits[-1].listen() if context.get("java_script_enabled", True) else visits[-1]

    yield open_report
    for opened in visits:
        opened.page.context.close()
        assert opened.complaints == []
        assert set(opened.requests) <= {opened.address}


@pytest.fixture
def opened(visit):
    return visit(make_result(NAMES, 20))


def test_the_slider_walks_the_path(opened):
    page, path = opened.page, opened.result.path
    assert page.locator("#stop").get_attribute("max") == str(len(path) - 1)
    for at, (lam, graph) in enumerate(zip(path.lams, path, strict=True)):
        page.locator("#stop").fill(str(at))
        n_edges = len(graph.edges)
        said = page.locator("#shown").inner_text()
        assert said.startswith(f"lambda {lam:.3g}, {n_edges} edge")
        assert said.endswith("chosen") == (at == opened.result.choice.position)
        assert page.locator("#stop").get_attribute("aria-valuetext") == said
        assert opened.n_drawn() == opened.rows().count() == n_edges
    page.click("#back")
    assert opened.n_drawn() == len(opened.result.graph.edges)
    assert page.locator("#back").is_disabled()


def test_the_keyboard_reaches_and_moves_the_slider(opened):
    page, chosen = opened.page, opened.result.choice.position
    for _ in range(5):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "stop":
            break
    page.keyboard.press("ArrowRight")
    assert opened.n_drawn() == len(opened.result.path[chosen + 1].edges)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert opened.n_drawn() == len(opened.result.path[chosen - 1].edges)


def test_every_control_can_be_reached_and_has_a_name(opened):
    page = opened.page
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
    assert {"stop", "search", "closer", "farther", "whole", "download", "TR"} <= reached
    unnamed = page.evaluate(
        "[...document.querySelectorAll('button, input')].filter(control => "
        "!control.textContent.trim() && !control.ariaLabel && !control.labels?.length).length"
    )
    assert unnamed == 0
    assert page.locator("#canvas[role=img]").get_attribute("aria-label").startswith("8 variables")


def test_enter_on_a_row_selects_the_edge_and_escape_clears(opened):
    page = opened.page
    opened.rows().nth(0).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    edge = sorted(opened.result.graph.edges, key=lambda edge: -edge.weight)[1]
    words = str(opened.result.graph.explain(edge.source, edge.target))
    assert words in page.locator("#details").inner_text()
    assert opened.rows().nth(1).get_attribute("aria-current") == "true"
    assert page.evaluate(f"{GRAPH}.edges('.picked').length") == 1
    page.keyboard.press("Escape")
    assert "Nothing is selected" in page.locator("#details").inner_text()
    assert page.locator("tr[aria-current]").count() == 0
    assert page.evaluate(f"{GRAPH}.elements('.picked, .far').length") == 0


@pytest.mark.parametrize("width", [1200, 500])
@pytest.mark.parametrize("way", ["click", "Enter"])
def test_what_a_row_tells_comes_into_view(opened, way, width):
    page = opened.page
    page.set_viewport_size({"width": width, "height": 500})
    page.locator("#stop").fill(str(len(opened.result.path) - 1))
    row = opened.rows().nth(15)
    row.scroll_into_view_if_needed()
    heading = "document.querySelector('#details h3').getBoundingClientRect()"
    assert page.evaluate(f"{heading}.bottom < 0")
    row.click() if way == "click" else row.press(way)
    wait_for(page, f"{heading}.top >= 0 && {heading}.bottom <= innerHeight")
    assert row.evaluate("row => row === document.activeElement")


def test_an_edge_elsewhere_on_the_path_says_what_it_is_there(opened):
    page = opened.page
    page.locator("#stop").fill(str(len(opened.result.path) - 1))
    chosen = {edge[:2] for edge in opened.result.graph.edges}
    edges = sorted(opened.result.path[-1].edges, key=lambda edge: -edge.weight)
    at = next(at for at, edge in enumerate(edges) if edge[:2] not in chosen)
    opened.rows().nth(at).click()
    said = page.locator("#details").inner_text()
    assert "At lambda 0.01 they have an edge." in said
    assert str(opened.result.graph.explain(*edges[at][:2])) in said
    page.click("#back")
    assert "have no edge" in page.locator("#details").inner_text()


def test_search_finds_and_shows_the_markov_blanket(opened):
    page = opened.page
    page.fill("#search", "RAIN")
    assert page.locator("#matching").inner_text() == "1 of 8 variables"
    assert page.evaluate(f"{GRAPH}.nodes('.found').map(node => node.data('label'))") == ["rain"]
    page.press("#search", "Enter")
    buttons = page.locator("#details li bdi").all_inner_texts()
    assert sorted(buttons) == sorted(opened.result.graph.neighbors("rain"))
    page.locator("#details li button").first.click()
    assert "have an edge" in page.locator("#details").inner_text()
    page.fill("#search", "nowhere")
    assert page.locator("#matches button").count() == 0


def test_the_mouse_selects_in_the_picture(opened):
    page, graph = opened.page, opened.result.graph
    box = page.locator("#canvas").bounding_box()
    place = page.evaluate(f"{GRAPH}.getElementById('n0').renderedPosition()")
    x, y = box["x"] + place["x"], box["y"] + place["y"]
    page.mouse.move(x, y)
    wait_for(page, f"{GRAPH}.nodes('.near').length === {1 + len(graph.neighbors('rain'))}")
    assert page.locator("#canvas").get_attribute("title") == "rain"
    page.mouse.click(x, y)
    sync_api.expect(page.locator("#details h3")).to_have_text("rain")


def test_the_table_sorts(opened):
    page = opened.page
    heading = page.locator("#edges th").nth(2)
    assert heading.get_attribute("aria-sort") == "descending"
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    shown = [float(text) for text in page.locator("#edges tbody td:nth-child(3)").all_inner_texts()]
    assert shown == sorted(shown)
    page.locator("#edges th").nth(0).locator("button").press("Enter")
    assert heading.get_attribute("aria-sort") == "none"
    assert page.locator("#edges th").nth(0).get_attribute("aria-sort") == "ascending"


@pytest.fixture
def long_table(visit):
    """Return a page with more edges than the table shows at once."""
    return visit(make_result([f"variable {at}" for at in range(40)], 400, chosen=5))


def test_all_rows_of_a_long_table_follow(long_table):
    sync_api.expect(long_table.rows()).to_have_count(400)
    long_table.page.locator("#stop").fill("4")
    n_edges = len(long_table.result.path[4].edges)
    sync_api.expect(long_table.rows()).to_have_count(n_edges)
    shown = long_table.page.evaluate(
        "[...document.querySelectorAll('#edges tbody tr')].map(row => row.dataset.pair)"
    )
    assert len(set(shown)) == n_edges
    assert long_table.page.locator("#edges tbody tr[tabindex='0']").count() == 1


ROWS_THAT_WAIT = "show(4); show(5); const rows = document.querySelector('#edges tbody').rows"


def test_rows_that_are_not_there_yet_come_when_they_are_needed(long_table):
    """Each program runs at once, so that no row has come by itself."""
    run = long_table.page.evaluate
    press = "new KeyboardEvent('keydown', {key: '%s', bubbles: true})"
    assert run(f"() => {{ {ROWS_THAT_WAIT}; return rows.length }}") < 400
    end = f"rows[0].dispatchEvent({press % 'End'}); return document.activeElement === rows[399]"
    assert run(f"() => {{ {ROWS_THAT_WAIT}; {end} }}")
    down = f"const last = rows.length - 1; rows[last].dispatchEvent({press % 'ArrowDown'})"
    assert run(
        f"() => {{ {ROWS_THAT_WAIT}; {down}; return document.activeElement === rows[last + 1] }}"
    )
    pick = "select({edge: waiting.at(-1).pair}); return rows[399].getAttribute('aria-current')"
    assert run(f"() => {{ {ROWS_THAT_WAIT}; {pick} }}") == "true"
    printed = "dispatchEvent(new Event('beforeprint')); return rows.length"
    assert run(f"() => {{ {ROWS_THAT_WAIT}; {printed} }}") == 400


def test_the_still_picture_shows_if_the_script_fails(browser, tmp_path):
    result = make_result(NAMES, 20)
    path = write_report(result, tmp_path / "report.html")
    whole = path.read_text(encoding="utf-8")
    broken = whole.replace("const cy = cytoscape(", "const cy = cytoscope(")  # refused by its hash
    path.write_text(broken, encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    assert page.locator(".still svg").is_visible()
    assert page.locator("#canvas").is_hidden()
    assert page.locator("#edges tbody tr").count() == len(result.graph.edges)
    page.close()


def _downloaded(page):
    with page.expect_download() as waiting:
        page.click("#download")
    with open(waiting.value.path(), encoding="utf-8-sig", newline="") as stream:
        return waiting.value.suggested_filename, list(csv.DictReader(io.StringIO(stream.read())))


def test_the_download_has_the_edges(opened):
    opened.page.locator("#stop").fill(str(len(opened.result.path) - 1))
    name, rows = _downloaded(opened.page)
    assert name == "edges-lambda-0.01.csv"
    found = {(row["source"].lstrip("'"), row["target"].lstrip("'")): row for row in rows}
    edges = opened.result.path[-1].edges
    assert len(rows) == len(edges)
    for edge in edges:
        assert float(found[edge[:2]]["weight"]) == pytest.approx(edge.weight, rel=1e-5)
    formulas = [row for row in rows if "sum(A1)" in row["source"] + row["target"]]
    assert formulas
    assert all("'=sum(A1)" in (row["source"], row["target"]) for row in formulas)


def test_hostile_names_do_nothing(visit):
    opened = visit(make_result(HOSTILE, 60))
    page = opened.page
    page.locator("#stop").fill(str(len(opened.result.path) - 1))
    for at in range(opened.rows().count()):
        opened.rows().nth(at).press("Enter")
    for at in range(len(HOSTILE)):
        page.locator(f"button[data-node='{at}']").click()
    for wanted in ("script", "<", "x", "😀"):
        page.fill("#search", wanted)
        page.press("#search", "Enter")
    _, rows = _downloaded(page)
    assert len(rows) == len(opened.result.path[-1].edges)
    names = {row[end] for row in rows for end in ("source", "target")}
    assert names <= {*HOSTILE, *(f"'{name}" for name in HOSTILE)}
    assert not any(name[0] in "=+-@\t\r" for name in names)
    assert page.locator("img, b").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_print_shows_the_still_picture_and_no_controls(visit, scripts):
    opened = visit(make_result(NAMES, 20), java_script_enabled=scripts)
    page = opened.page
    if not scripts:
        page.goto(opened.address)
        assert page.locator(".still svg").is_visible()
        assert page.locator("#canvas").is_hidden()
        assert opened.rows().count() == len(opened.result.graph.edges)
    else:
        assert page.locator(".still svg").is_hidden()
    page.emulate_media(media="print")
    assert page.locator(".still svg").is_visible()
    assert page.locator("#canvas").is_hidden()
    assert page.locator("#stop").is_hidden()
    assert page.pdf().startswith(b"%PDF")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 400])
def test_nodes_keep_a_sane_size_inside_the_frame(visit, scheme, width):
    opened = visit(make_result(NAMES, 20), color_scheme=scheme)
    page = opened.page
    page.set_viewport_size({"width": width, "height": 800})
    for size in ("Width", "Height"):
        here = f"document.getElementById('canvas').client{size}"
        wait_for(page, f"Math.abs({GRAPH}.{size.lower()}() - {here}) < 2")
    lowest = f"Math.max(...{GRAPH}.nodes().map(node => node.renderedPosition().y))"
    wait_for(page, f"{lowest} < document.getElementById('canvas').clientHeight")
    nodes = page.evaluate(
        f"{GRAPH}.nodes().map(node => [node.renderedWidth(), node.renderedPosition()])"
    )
    box = page.locator("#canvas").bounding_box()
    for wide, place in nodes:
        assert 5 <= wide <= 40
        assert 0 < place["x"] < box["width"]
        assert 0 < place["y"] < box["height"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_large_graph_opens(visit):
    result = make_result([f"variable {at}" for at in range(300)], 1_500, n_lams=4, chosen=3)
    begun = time.monotonic()
    opened = visit(result)
    print(f"written and opened in {time.monotonic() - begun:.1f} s")
    assert opened.n_drawn() == 1_500
    assert opened.page.evaluate(f"{GRAPH}.nodes().length") == 300
    assert max(opened.page.evaluate(f"{GRAPH}.nodes().map(node => node.renderedWidth())")) < 40
