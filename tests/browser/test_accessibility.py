"""What a screen reader, a keyboard and weak eyes find on every page, by axe-core's rules, light and dark."""

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
