"""Links, the browser's history, kept choices and the presentation view, on the pages in a real browser."""

import json
import re
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import expect

import nysviz as nv
from tests.browser.driving import (
    calm,
    charts,
    choose,
    evaluate,
    hand,
    menu,
    move_hand,
    no_exception,
    open_from_menu,
    parameters,
    set_slider,
    shows,
    slider,
)

pytestmark = pytest.mark.slow

TITLES = {card.name: card.title for card in nv.catalog()}
DATA = f"data={quote(TITLES['iris'])}"


def to(page, name):
    """Go to a page by the menu at the top."""
    open_from_menu(page, name)
    page.wait_for_url(re.compile(f"/{name.lower()}"))
    calm(page)


def shown_elsewhere(page, open_page):
    """Copy the link of a page; assert that it shows the same charts to another visitor, and return it."""
    menu(page, "Share").get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    link = page.get_by_label("Link to this page as it is now").input_value()
    page.keyboard.press("Escape")
    there = open_page("/" + link.split("/", 3)[3])
    # The curve that is made of a slider's frames comes with the pointer.
    sliders = page.get_by_role("slider", name=re.compile("^Drag")).all()
    for visited in (page, there) if sliders else ():
        calm(visited).get_by_role("slider", name=re.compile("^Drag")).hover()
        expect(visited.locator(".st-key-curve .js-plotly-plot")).to_be_attached()
        calm(visited)
    shows(there, charts(page))
    assert link.startswith(page.url) and parameters(page).items() <= parameters(there).items()
    no_exception(there)
    return link


# Approximate is tried in test_approximate.py; that the other pages follow their links, without a browser.
def test_a_link_copied_after_a_click_into_a_chart_shows_the_same_picture_elsewhere(open_page):
    few = [quote(nv.METHODS[name].label) for name in ("uniform", "kmeanspp")]
    methods = "&".join(f"quantization_methods={label}" for label in few)
    page = open_page(f"/quantization?{DATA}&quantization_runs=20&{methods}")
    before = charts(page)
    set_slider(page, "Landmarks m / n", 1)
    calm(page)
    page.locator(".st-key-runs g.trace.scatter path.point").nth(3).click(force=True)
    assert charts(page) != before
    shown_elsewhere(page, open_page)
    assert {"ratio", "quantization_run", "quantization_methods"} <= set(parameters(page))


def test_back_and_forward_undo_what_was_changed_and_a_reset(open_page):
    page = open_page(f"/approximate?{DATA}&method={quote('uniform sampling')}&kernel=Laplacian")
    seen = [charts(page)]
    for change in (
        lambda: choose(page, "Method", "farthest points"),
        lambda: set_slider(page, "Bandwidth", -1),
    ):
        change()
        seen.append(charts(page))
    assert len({str(one["map"]) for one in seen}) == 3
    for earlier in reversed(seen[:-1]):
        page.go_back()
        shows(page, earlier)
    assert parameters(page) == {
        "data": [TITLES["iris"]],
        "method": ["uniform sampling"],
        "kernel": ["Laplacian"],
    }
    page.go_forward()
    shows(page, seen[1])
    menu(page, "More").get_by_role("link", name="Reset").click()
    page.wait_for_url(re.compile(r"\?data=[^&]*$"))
    assert parameters(page) == {"data": [TITLES["iris"]]}
    calm(page)
    page.go_back()
    shows(page, seen[1])
    page.reload()
    shows(page, seen[1])
    no_exception(page)


def test_evidence_opens_in_its_state_within_a_session_of_other_settings(open_page):
    page = open_page(f"/spectrum?{DATA}&kernel=Laplacian&seed=5", width=1280)
    calm(page)
    to(page, "Compare")
    choose(page, "Show", "error against seconds")
    calm(page)
    to(page, "Claims")
    calm(page)
    at = "one => (b => document.elementFromPoint(b.x + 9, b.y + 9))(one.getBoundingClientRect()) === one"
    assert all(mark.evaluate(at) for mark in page.locator(".nysviz-marks a").all())
    claim = page.locator("details[data-parameter=claims_open]").nth(4)
    claim.locator("summary").click()
    page.wait_for_url(re.compile(r"claims_open=" + (claim.get_attribute("data-value") or "")))
    calm(page)
    expect(claim).to_have_attribute("open", "")
    link = page.get_by_role("link", name="Open Compare")
    wanted = parse_qs(urlsplit(link.get_attribute("href") or "").query)
    link.click()
    page.wait_for_url(re.compile(r"/compare\?"))
    calm(page)
    assert parameters(page) == wanted
    expect(box(page, "Kernel")).to_have_value("Gaussian")
    page.go_back()
    page.wait_for_url(re.compile(r"/claims\?.*claims_open="))
    expect(claim).to_have_attribute("open", "")
    # Marks of the picture lead to their claims, one after the other.
    for mark in (page.locator(".nysviz-marks a").last, page.locator(".nysviz-marks a").nth(30)):
        mark.click()
        name = str(mark.get_attribute("href")).removeprefix("claims?claims_open=")
        page.wait_for_url(re.compile(rf"claims_open={name}\b"))
        calm(page)
        opened = page.locator(f"details[data-value={name}]")
        expect(opened).to_have_attribute("open", "")
        expect(opened).to_be_in_viewport()
    no_exception(page)


def test_links_in_the_menu_in_two_tabs_and_a_file_that_stays(open_page, tmp_path):
    first, second = open_page(f"/approximate?{DATA}&seed=3"), open_page("/approximate?data=Wine&seed=4")
    for page in (first, second):
        calm(page)
    # Two tabs are two sessions: what one changes the other does not have.
    move_hand(first, 2)
    first.wait_for_url("**ratio=**")
    calm(first)
    assert "ratio" in parameters(first) and "ratio" not in parameters(second)
    expect(hand(second)).not_to_have_attribute(
        "aria-valuetext", hand(first).get_attribute("aria-valuetext") or ""
    )
    rows = "\n".join(f"{k % 7},{k % 11},{k % 5}" for k in range(60))
    file = tmp_path / "mine.csv"
    file.write_text("a,b,c\n" + rows)
    first.get_by_role("button", name="Upload").click()
    first.locator("[data-testid=stSidebar] input[type=file]").set_input_files(file)
    first.get_by_role("dialog").get_by_role("button", name=re.compile("Use")).click()
    expect(first.get_by_text("60 × 3")).to_be_visible()
    for name in ("Spectrum", "Compare"):
        to(first, name)
        expect(first.get_by_text("60 × 3")).to_be_visible()
        assert parameters(first)["data"] == ["Your own file"]
    first.go_back()
    first.wait_for_url(re.compile("/spectrum"))
    expect(first.get_by_text("60 × 3")).to_be_visible()
    no_exception(first)


def test_the_presentation_view_is_large_and_is_left_by_a_key(open_page):
    page = open_page(f"/spectrum?{DATA}")
    page.set_viewport_size({"width": 1920, "height": 1080})
    small = charts(page)
    menu(page, "More").get_by_role("button", name="Presentation view").click()
    page.wait_for_url(re.compile("presentation=on"))
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    calm(page)
    # The menu that led here does not cover the chart, and one button leads back.
    expect(page.get_by_role("link", name="Reset")).to_have_count(0)
    expect(page.get_by_role("button", name=re.compile("Leave|End"))).to_have_count(1)
    expect(menu(page, "Terms").get_by_text("Eigenvalue").first).to_be_visible()
    calm(page)
    page.keyboard.press("Escape")  # closes this menu, and nothing more
    calm(page)
    large = charts(page)
    assert parameters(page)["presentation"] == ["on"]
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    sizes = evaluate(
        page, "[...document.querySelectorAll('.xtick text')].map(t => parseFloat(t.style.fontSize))"
    )
    assert min(sizes) >= 16
    assert evaluate(page, "parseFloat(getComputedStyle(document.documentElement).fontSize)") >= 24
    assert evaluate(page, "document.querySelector('[data-testid=stMain]').scrollWidth") <= 1920
    drawn = [[trace["y"] for trace in json.loads(one["spectrum"])["data"]] for one in (large, small)]
    assert drawn[0] == drawn[1]
    page.locator("body").press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    shows(page, small)
    page.set_viewport_size({"width": 1400, "height": 900})
    # A single Esc leaves it straight after the menu has led to it.
    menu(page, "More").get_by_role("button", name="Presentation view").click()
    page.wait_for_url(re.compile("presentation=on"))
    calm(page)
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    page.wait_for_function("() => !location.search.includes('presentation')")
    # And it is left from a control too.
    page = open_page(f"/approximate?{DATA}&presentation=on")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    calm(page)
    page.get_by_test_id("stMain").get_by_role("slider").first.focus()
    page.keyboard.press("ArrowRight")
    calm(page)
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    page.wait_for_function("() => !location.search.includes('presentation')")


@pytest.mark.parametrize("width, height", [(1280, 720), (1400, 900), (1920, 1080)])
def test_a_projected_chart_is_in_view_as_a_whole(open_page, width, height):
    page = open_page(f"/approximate?{DATA}&presentation=on")
    page.set_viewport_size({"width": width, "height": height})
    size = {720: 12, 900: 14.4, 1080: 18}[height]
    page.wait_for_function(
        """size => { const chart = document.querySelector('.st-key-nysviz_chart_map .js-plotly-plot');
        return parseFloat(chart?.querySelector('.xtick text')?.style.fontSize) === size
        && chart.getBoundingClientRect().bottom <= innerHeight; }""",
        arg=size,
    )


def test_a_link_is_copied_without_the_clipboard_of_https(open_page):
    page = open_page("/two_balls?balls_n=500")
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.reload()
    calm(page)
    button = menu(page, "Share").get_by_role("button", name="Copy link")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Copied.")).to_be_visible()
    page.keyboard.press("Escape")
    page.goto(page.url.split("/two_balls")[0] + "/data")
    field = page.get_by_label("Search")
    field.press("Control+V")
    expect(field).to_have_value(re.compile(r"^http://.*/two_balls\?data=[^&]*&balls_n=500$"))


def test_a_page_stands_inside_another_one_without_menus_and_sidebar(open_page, context):
    page = open_page(f"/spectrum?{DATA}&spectrum_ranks=linear&presentation=on")
    wanted = charts(page)["spectrum"]
    menu(page, "Share").get_by_role("button", name="Copy Markdown").click()
    text = page.get_by_label("Markdown with the question and the link")
    expect(text).to_have_value(f"[How fast do the eigenvalues fall?]({page.url})")
    page.get_by_role("button", name="Copy iframe").click()
    code = page.get_by_label("HTML that shows this page inside another one").input_value()
    around = context.new_page()
    around.set_content(f"<!doctype html><title>A lecture</title><p>Before</p>{code}<p>After</p>")
    inside = around.frame_locator("iframe")
    expect(inside.get_by_role("heading", name="How fast do the eigenvalues fall?")).to_be_visible()
    chart = inside.locator(".st-key-spectrum .js-plotly-plot")
    expect(chart.locator(".cartesianlayer")).to_be_attached()
    names = "chart => chart.data.map(trace => trace.name ?? '')"
    assert chart.evaluate(names) == [trace.get("name", "") for trace in json.loads(wanted)["data"]]
    for part in ("stSidebar", "stHeader"):
        expect(inside.get_by_test_id(part)).to_be_hidden()
    expect(inside.get_by_role("button", name="Share")).to_have_count(0)
    link = inside.get_by_role("link", name="Open in nysviz").get_attribute("href") or ""
    assert parse_qs(urlsplit(link).query) == {"data": [TITLES["iris"]], "spectrum_ranks": ["linear"]}
    around.close()


def test_an_experiment_is_seen_from_the_top_and_keeps_the_answer_that_was_given(open_page):
    page = open_page(f"/spectrum?{DATA}")
    calm(page)
    page.get_by_text("Try this", exact=True).click()
    page.locator(".st-key-try_spectrum_1_answer").get_by_text("It grows").click()
    expect(page.get_by_text("Right. For a wide kernel")).to_be_visible()
    page.get_by_role("link", name="Make σ four times as wide").click()
    page.wait_for_url(re.compile("bandwidth=4"))
    calm(page)
    expect(page.get_by_role("heading", name="How fast do the eigenvalues fall?")).to_be_in_viewport()
    expect(page.get_by_text("Right. For a wide kernel")).to_be_attached()
    menu(page, "More").get_by_text("Expert view").click()
    page.wait_for_url(re.compile("expert=true"))
    calm(page)
    expect(page.get_by_text("Try this", exact=True)).to_have_count(0)
    expect(page.get_by_text("Each line has the eigenvalues")).to_have_count(0)
    page.go_back()
    expect(page.get_by_text("Try this", exact=True)).to_be_attached()
    no_exception(page)


def box(page, label):
    return page.get_by_test_id("stSelectbox").get_by_role("combobox", name=label, exact=True)


def has_kernel(page):
    expect(box(page, "Kernel")).to_have_value("Laplacian")
    expect(slider(page, "Bandwidth")).to_have_attribute("aria-valuetext", "2 times")


def test_the_kernel_outlives_pages_that_have_their_own(open_page):
    page = open_page(f"/approximate?{DATA}&kernel=Laplacian&bandwidth=2+times")
    calm(page)
    to(page, "Lift")
    expect(box(page, "Data")).to_be_visible()
    expect(box(page, "Kernel")).to_have_count(0)
    # A step on that page and back again is none of the kernel's business.
    choose(page, "Show", "lift against rank")
    calm(page)
    page.go_back()
    expect(box(page, "Show")).to_have_value("lift against bandwidth")
    calm(page)
    to(page, "Findings")
    to(page, "Approximate")
    has_kernel(page)
    # What is reset just after a change of page stays out of the address.
    choose(page, "Kernel", "Gaussian")
    page.wait_for_function("() => !location.search.includes('kernel=')")
    page.wait_for_timeout(1_500)
    assert "kernel" not in parameters(page) and "data" in parameters(page)
    no_exception(page)


def test_the_browsers_back_and_forward_keep_what_the_sidebar_holds(open_page):
    page = open_page(f"/approximate?{DATA}&kernel=Laplacian&bandwidth=2+times&seed=7")
    calm(page)
    for name in ("Spectrum", "Compare"):
        to(page, name)
        calm(page)
    # One step a page, each with all of its parameters.
    walk = (page.go_back, "spectrum"), (page.go_back, "approximate"), (page.go_forward, "spectrum")
    for go, name in walk:
        go()
        page.wait_for_url(re.compile(rf"/{name}\?.*seed=7"))
        calm(page)
        wanted = {"data": TITLES["iris"], "kernel": "Laplacian", "bandwidth": "2 times", "seed": "7"}
        assert parameters(page) == {key: [value] for key, value in wanted.items()}
        expect(box(page, "Data")).to_have_value(TITLES["iris"])
        has_kernel(page)
        expect(page.get_by_role("spinbutton", name="Seed").first).to_have_value("7")
    no_exception(page)
