"""All pages by data, kernel and bandwidth: the same question has the same number on each of them."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from nysviz.landmarks import METHODS
from nysviz.ui.glossary import glossary
from tests.pages.driving import alone, charts, settled
from tests.pages.scripts import Number, kept_of, numbers_of

pytestmark = pytest.mark.slow

DATA = ("Iris flowers", "Wine", "Swiss roll", "Diabetes progress", "Gaussian clusters")
KERNELS = ("Gaussian", "Laplacian", "inverse distance", "polynomial")
BANDWIDTHS = ("0.0312", "0.125", "0.25", "0.354", "0.5", "0.707", "1.0", "1.41", "2.0", "8.0")
SMALL = {"swiss_roll_n": "150", "clusters_n": "150"}
FEW = [METHODS[name].label for name in ("uniform", "kmeans", "rpcholesky")]
# Pages of the shared data and kernel, with few runs; at each the chosen method is k-means at 5 %.
PAGES = {
    "approximate": {},
    "compare": {"compare_methods": FEW, "compare_repeats": "3"},
    "quantization": {"quantization_methods": FEW, "quantization_runs": "10"},
    "spectrum": {},
    "data": {},
    "recommend": {"recommend_methods": FEW},
    "steps": {"steps_count": "10"},
    "solve": {"solve_methods": FEW},
    "learning": {"learning_repeats": "5"},
    "kernel_pca": {"kernel_pca_methods": FEW[:1]},
    "bounds": {},
}
# Columns that are no part of the question.
ASIDE = ("d", "sigma", "repeat", "rows", "picture")
# Measured by the clock, which gives no number twice.
MEASURED = ("seconds",)
# The largest eigenvalue of a residual is found by an iteration.
RELATIVE, ROUNDING = 2e-4, 1e-9
# What an answer has in bold, but for the bandwidth; the rest may be derived, as m in per cent.
BOLD, DECIMAL = re.compile(r"\*\*(.+?)\*\*"), re.compile(r"(?<!σ = )\b\d+\.\d+")
# Words of a title that put one before others, and the titles that may have them: a test of the runs,
# or compares numbers without randomness.
CLAIM = re.compile(r"\b(ahead|better|best|largest|smallest|lowest|fewest|closest|wins|beats)\b", re.I)
SURE = re.compile(
    r"[Cc]lear|lowest test error of the landmark methods|^Smallest median at"
    r"|comes the largest gap|^Largest loss:|times the best"
)


def settings(count: int) -> Iterator[dict[str, str]]:
    """Yield settings: each bandwidth comes up in ten of them, with each data set in fifty."""
    for i in range(count):
        turn, place = divmod(i, len(BANDWIDTHS))
        data, kernel = DATA[(place + turn) % len(DATA)], KERNELS[(place + turn) % len(KERNELS)]
        yield {"data": data, "kernel": kernel, "bandwidth": BANDWIDTHS[place], "ratio": "5 %", **SMALL}


class Seen(NamedTuple):
    titles: list[str]
    answer: str
    tables: str
    records: list[Number]


def opened(page: str, link: dict[str, str]) -> Seen:
    at = settled(alone(page, {**link, **PAGES[page]}))
    told = [text.value for text in at.main.markdown if "**" in text.value and text.value != glossary(page)]
    tables = " ".join(block.proto.body for block in at.get("html") if "<table" in block.proto.body)
    return Seen(
        [figure["layout"].get("title", {}).get("text", "") for figure in charts(at).values()],
        told[0] if told else "",
        re.sub("<[^>]+>", " ", tables),
        numbers_of(kept_of(at)[1]),
    )


def question(one: Number) -> tuple[str, frozenset[tuple[str, str]]]:
    """Return what the number answers: its measure, and all that says of what it is the measure."""
    keys = {name: text for name, text in one.keys.items() if text and name not in ASIDE}
    if keys.get("options") == "{}":
        del keys["options"]
    if "step" in keys and METHODS[keys["method"]].nested:
        # After so many steps there are so many landmarks.
        keys["m"] = keys.pop("step")
    return one.measure, frozenset(keys.items())


def disagreements(pages: dict[str, Seen]) -> tuple[list[str], set[str]]:
    """Return the numbers that two pages show differently, and the measures that more than one page shows."""
    by_question: dict[tuple[str, frozenset[tuple[str, str]]], dict[str, float]] = defaultdict(dict)
    for page, seen in pages.items():
        for one in seen.records:
            if one.measure not in MEASURED:
                by_question[question(one)][page] = one.value
    met, found = set(), []
    for (measure, keys), values in by_question.items():
        if len(values) > 1:
            met.add(measure)
            first = next(iter(values.values()))
            if not all(
                math.isclose(first, one, rel_tol=RELATIVE, abs_tol=ROUNDING) for one in values.values()
            ):
                found.append(f"{measure} {sorted(keys)}: {values}")
    return found, met


@pytest.mark.parametrize("link", tuple(settings(10)), ids=lambda link: f"{link['data']}, {link['kernel']}")
def test_the_same_question_has_the_same_number_on_every_page(link):
    pages = {page: opened(page, link) for page in PAGES}
    found, met = disagreements(pages)
    assert found == []
    assert met >= {"relative_frobenius", "frobenius", "quantization"}
    titles = [title for seen in pages.values() for title in seen.titles]
    assert [title for title in titles if CLAIM.search(title) and not SURE.search(title)] == []
    # The numbers of an answer stand in the table or a title beside it, where a page has a table.
    for page, seen in pages.items():
        beside, bold = " ".join([seen.tables, *seen.titles]), " ".join(BOLD.findall(seen.answer))
        assert not seen.tables or [n for n in DECIMAL.findall(bold) if n not in beside] == [], page
