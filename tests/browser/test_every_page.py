"""Every page by the rules of axe-core and by the keyboard; titles stay inside charts, and nothing moves."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

from tests.browser.driving import calm, wait_for_value
from tests.pairing import quickly

PAGES = sorted(file.stem for file in (Path(__file__).parents[2] / "pages").glob("*.py"))
# Pages with runs have few of them here; what is drawn is the same.
LINK = (
    "data=Iris&balls_n=500&compare_repeats=3&quantization_runs=10&learning_repeats=5&lift_repeats=1"
    "&lift_methods=randomly+pivoted+Cholesky"
)
# Streamlit's own: its menu of pages is a list whose items stand below headings, which no list may hold; it
# fades what is about to be drawn anew; what is inside a chart is plotly's, a thousand shapes that axe knows
# nothing of: the chart's own words are looked at here, its colours in tests/figures/test_look.py.
NOT_OURS = ["[data-testid=stTopNav]", "[data-stale=true]", ".js-plotly-plot > *"]
# Tall enough for all of a page: what lies outside the window has no contrast to look at.
HEIGHT = 4_000
SERIOUS = ("serious", "critical")


def violations(page, **options):
    options["resultTypes"] = ["violations"]
    found = Axe().run(page, context={"exclude": NOT_OURS}, options=options).response["violations"]
    return [
        (
            rule["id"],
            rule["impact"],
            node["html"][:200],
            (node["any"] or node["all"] or node["none"])[0]["message"],
        )
        for rule in found
        for node in rule["nodes"]
        if rule["impact"] in SERIOUS
    ]


def alternatives(page):
    """The text that stands for each chart where it cannot be seen."""
    return page.evaluate(
        """() => [...document.querySelectorAll('[data-testid=stPlotlyChart]')].map(chart =>
             (chart.closest('[aria-label]') ?? chart.querySelector('[aria-label], [alt]') ?? chart)
             .getAttribute('aria-label') ?? '')"""
    )


@pytest.mark.parametrize("name", quickly(("approximate",), PAGES))
def test_charts_have_words_and_no_serious_violation_is_ours(open_page, name):
    page = calm(open_page(f"/{name}?{LINK}", height=HEIGHT))
    assert violations(page) == []
    assert all(len(text) > 20 for text in alternatives(page)), alternatives(page)
    for part in page.get_by_text("The maths", exact=True).all():
        part.click()
        page.locator(".katex").last.wait_for()
        assert page.locator(".katex-error").all_inner_texts() == []
    page.emulate_media(color_scheme="dark")
    ground = "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    wait_for_value(page, ground, "rgb(18, 18, 18)")
    calm(page)
    assert violations(page, runOnly=["color-contrast"]) == []


@pytest.mark.slow
def test_every_control_is_reached_by_the_keyboard(open_page):
    page = calm(open_page("/approximate?data=Iris"))
    wanted = page.evaluate(
        """() => [...document.querySelectorAll('[data-testid=stSidebar] input, [data-testid=stMain] input,'
             + '[data-testid=stMain] [data-testid=stPopover] button')].filter(control => control.offsetParent)
             .map(control => control.getAttribute('aria-label') ?? control.innerText)"""
    )
    assert len(wanted) > 5
    reached = set()
    for _ in range(120):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText"
            )
        )
    assert set(wanted) <= reached, set(wanted) - reached


# Pages with long titles, with few runs.
LONG_TITLES = (
    "/approximate?data=Iris+flowers&kernel=polynomial",
    "/compare?data=Iris+flowers&compare_repeats=3&compare_view=error+against+seconds",
    "/steps?data=Swiss+roll&steps_method=k-means+centres",
    "/spectrum?data=Iris+flowers&bandwidth=0.001",
    "/data?data=Iris+flowers&data_where=to+be+fetched",
    "/home?data=Iris+flowers",
    "/lessons?lesson=1-low-rank&step=5",
)
# What of a chart's words lies outside of it, and titles that run into the picture, in pixels.
OUTSIDE = """() => [...document.querySelectorAll('.js-plotly-plot')].flatMap(chart => {
  const box = chart.getBoundingClientRect(), found = [];
  const words = chart.querySelectorAll('.g-gtitle text, .annotation text, .scatterlayer .textpoint text');
  const title = chart.closest('[data-testid=stElementContainer]')?.previousElementSibling
    ?.querySelector('.nysviz-title');
  for (const text of words) {
    const at = text.getBoundingClientRect();
    if (at.width && (at.left < box.left - 1 || at.right > box.right + 1 || at.top < box.top - 1))
      found.push(`${text.textContent}: ${at.left - box.left}, ${box.right - at.right}`); }
  if (title) {
    const at = title.getBoundingClientRect();
    const plots = [...chart.querySelectorAll('.nsewdrag')].map(plot => plot.getBoundingClientRect());
    const top = Math.min(...plots.filter(one => one.height).map(one => one.top));
    if (title.scrollWidth > title.clientWidth + 1 || at.bottom > top + 1)
      found.push(`${title.textContent}: ${title.scrollWidth - title.clientWidth}, ${at.bottom - top}`); }
  return found; })"""


@pytest.mark.slow
@pytest.mark.parametrize("width,height", [(1280, 800), (390, 844)])
@pytest.mark.parametrize("path", LONG_TITLES, ids=lambda path: path[1 : path.index("?")])
def test_words_of_charts_stay_inside_and_no_page_scrolls_sideways(open_page, path, width, height):
    page = calm(open_page(path, width=width, height=height))
    page.locator(".js-plotly-plot .nsewdrag").first.wait_for(state="attached")
    assert page.evaluate(OUTSIDE) == []
    for whole in ("document.documentElement", "document.querySelector('[data-testid=stMain]')"):
        assert page.evaluate(f"() => {whole}.scrollWidth") <= width


# Streamlit draws its own frame, then the sidebar, and loads what applies a page's style while the first
# elements are there already: no page can keep these still. The shifts that count come after its style.
WATCH = """
  window.shifts = [];
  let styled = Infinity;
  new PerformanceObserver(list => window.shifts.push(...list.getEntries()
    .filter(shift => shift.startTime > styled).map(shift => [shift.startTime, shift.value])))
    .observe({type: 'layout-shift', buffered: true});
  const look = () => document.querySelector('.stHtml style')
    ? requestAnimationFrame(() => { styled = performance.now(); }) : requestAnimationFrame(look);
  look();"""


def largest(shifts):
    """The largest sum of shifts within five seconds, less than a second apart."""
    most = total = 0.0
    first = last = -1e9
    for time, value in shifts:
        if time - last > 1_000 or time - first > 5_000:
            total, first = 0.0, time
        total, last = total + value, time
        most = max(most, total)
    return most


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_what_is_drawn_stays_where_it_is(context, server, name):
    page = context.new_page()
    page.set_viewport_size({"width": 1400, "height": 900})
    page.add_init_script(WATCH)
    page.goto(f"{server.url}/{name}?{LINK}")
    calm(page)
    # Up to 0.1 is called good.
    assert largest(page.evaluate("window.shifts")) <= 0.1
    page.close()
