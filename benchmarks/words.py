"""Count the words of every page: ``python -m benchmarks.words [--sentences FILE]``, recorded in words.md."""

from __future__ import annotations

import re
import time
from pathlib import Path
from statistics import fmean
from urllib.parse import urlencode

import click
from playwright.sync_api import Browser, Page

from tests.browser.serving import ROOT, browsing, serving

WAIT_SECONDS = 60.0
BUSY = "[data-testid=stProgress], [data-stale=true], [data-test-script-state=running]"
# Few runs: the words are the same.
FEW = {"compare_repeats": "3", "quantization_runs": "10", "learning_repeats": "5", "lift_repeats": "1"}
OTHER = {"data": "Breast cancer, Wisconsin", "kernel": "Laplacian"}
# The third setting of a page: another of its views, or another method.
THIRD = {
    "bounds": {"bounds_view": "Oglic, Li: best rank k"},
    "claims": {"claims_open": "z1"},
    "compare": {"compare_what": "Accuracy at rank d"},
    "learning": {"learning_view": "Random features"},
    "lift": {"lift_view": "lift against rank"},
    "solve": {"solve_view": "Gaussian process"},
}
# Text by block, with whether any of it lies in the window. Chromium calls visible what nobody sees: a chart's
# title that one of the page stands for, what is folded, and what is cut at the side of its box.
TEXTS = """() => {
  const found = new Map(), walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const isAway = e => e.closest('.g-gtitle') && !e.closest('.g-gtitle').getBoundingClientRect().width
    || e.closest('details:not([open])') && !e.closest('summary');
  const isCut = (e, box) => {
    for (; e; e = e.parentElement) {
      const edge = e.getBoundingClientRect();
      if (getComputedStyle(e).overflowX !== 'visible'
          && (edge.width < 2 || box.left >= edge.right || box.right <= edge.left)) return true; }
    return false; };
  for (let node; node = walk.nextNode();) {
    const inside = node.parentElement;
    if (!node.data.trim() || inside.closest('style, script, noscript, .katex-mathml') || isAway(inside)
        || inside.closest('[data-testid=stIconMaterial]')
        || !inside.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
    const range = document.createRange(); range.selectNodeContents(node);
    const box = range.getBoundingClientRect(); if (!box.width || isCut(inside, box)) continue;
    const block = inside.closest('p, li, td, th, h1, h2, h3, text, button, label, code, div');
    const one = found.get(block) ?? {text: '', first: box.top < innerHeight && box.bottom > 0};
    one.text += node.data; found.set(block, one); }
  return [...found.values()]; }"""
WORD = re.compile(r"[^\W\d_]{2,}")
# Words that words.md at the head of the project bans from pages.
BANNED = re.compile(
    r"\b(lots?|luck|hermits?|dear|parted|the machine|told|tells|least of|where shall|cannot be told)\b", re.I
)


def settle(page: Page) -> None:
    """Wait until nothing is in progress, or the time is up."""
    page.get_by_role("heading", level=2).first.wait_for()
    deadline, quiet = time.monotonic() + WAIT_SECONDS, 0
    while quiet < 6 and time.monotonic() < deadline:
        page.wait_for_timeout(250)
        quiet = 0 if page.locator(BUSY).count() else quiet + 1


def look(browser: Browser, link: str) -> tuple[int, int, list[str]]:
    """Return the words of the first screen and of the whole page, and the page's texts."""
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(link)
    settle(page)
    blocks = page.evaluate(TEXTS)
    page.close()
    words = [len(WORD.findall(block["text"])) for block in blocks]
    first = sum(count for count, block in zip(words, blocks, strict=True) if block["first"])
    return first, sum(words), [" ".join(block["text"].split()) for block in blocks]


@click.command()
@click.option("--sentences", type=click.Path(path_type=Path), help="File for all texts.")
@click.option("--only", multiple=True, help="Pages to look at.")
def main(sentences: Path | None, only: tuple[str, ...]) -> None:
    """Print a table: words of the first screen and the whole page, mean sentence, words of the list."""
    lines, names = [], only or sorted(file.stem for file in (ROOT / "pages").glob("*.py"))
    click.echo("| page | first screen | whole page | words a sentence | banned |\n|---|---:|---:|---:|---|")
    with serving(ROOT / "app.py") as server, browsing() as browser:
        for name in names:
            looks = [
                look(browser, f"{server.url}/{name.removeprefix('home')}?{urlencode({**FEW, **setting})}")
                for setting in (
                    {},
                    OTHER,
                    {**THIRD.get(name, {"method": "rpcholesky"}), "data": "Iris flowers"},
                )
            ]
            texts = list(dict.fromkeys(text for *_, found in looks for text in found))
            ended = [text for text in texts if text[-1] in ".?" and len(WORD.findall(text)) > 3]
            parts = [len(WORD.findall(s)) for text in ended for s in re.split(r"(?<=[.?:]) (?=[A-Z“])", text)]
            bad = sorted({found[0].lower() for text in texts for found in BANNED.finditer(text)})
            screen, whole = (round(fmean(counts)) for counts in list(zip(*looks, strict=True))[:2])
            mean = fmean(parts) if parts else 0.0
            click.echo(f"| {name} | {screen} | {whole} | {mean:.1f} | {', '.join(bad)} |")
            lines += [f"\n# {name}", *texts]
    if sentences is not None:
        sentences.write_text("\n".join(lines), "utf-8")


if __name__ == "__main__":
    main()
