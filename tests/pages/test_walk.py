"""All pages by data, kernel and bandwidth: the same question has the same number on each of them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

import pytest

from nysviz.landmarks import METHODS
from tests.pages.driving import alone, settled
from tests.pages.scripts import Number, kept_of, numbers_of

pytestmark = pytest.mark.slow

DATA = ("Iris flowers", "Wine", "Swiss roll", "Diabetes progress", "Gaussian clusters")
KERNELS = ("Gaussian", "Laplacian", "inverse distance", "polynomial")
BANDWIDTHS = ("0.0312", "0.125", "0.25", "0.354", "0.5", "0.707", "1.0", "1.41", "2.0", "8.0")
SMALL = {"swiss_roll_n": "150", "clusters_n": "150"}
FEW = [METHODS[name].label for name in ("uniform", "kmeans", "rpcholesky")]
# Pages of the shared data and kernel, with few runs; at each the chosen method is k-means at 5 %.
PAGES = {
    "approximate": {}, "compare": {"compare_methods": FEW, "compare_repeats": "3"},
    "quantization": {"quantization_methods": FEW, "quantization_runs": "10"}, "spectrum": {}, "data": {},
    "recommend": {"recommend_methods": FEW}, "steps": {"steps_count": "10"}, "solve": {"solve_methods": FEW},
    "learning": {"learning_repeats": "5"}, "kernel_pca": {"kernel_pca_methods": FEW[:1]}, "bounds": {},
}  # fmt: skip
# Columns that are no part of the question; the clock gives no number twice.
ASIDE, MEASURED = ("d", "sigma", "repeat", "rows", "picture"), ("seconds",)
# The largest eigenvalue of a residual is found by an iteration.
RELATIVE, ROUNDING = 2e-4, 1e-9


def settings(count: int) -> Iterator[dict[str, str]]:
    for i in range(count):
        turn, place = divmod(i, len(BANDWIDTHS))
        data, kernel = DATA[(place + turn) % len(DATA)], KERNELS[(place + turn) % len(KERNELS)]
        yield {"data": data, "kernel": kernel, "bandwidth": BANDWIDTHS[place], "ratio": "5 %", **SMALL}


def question(one: Number) -> tuple[str, frozenset[tuple[str, str]]]:
    """Return what the number answers: its measure, and all that says of what it is the measure."""
    keys = {name: text for name, text in one.keys.items() if text and name not in ASIDE}
    if keys.get("options") == "{}":
        del keys["options"]
    if "step" in keys and METHODS[keys["method"]].nested:
        # After so many steps there are so many landmarks.
        keys["m"] = keys.pop("step")
    return one.measure, frozenset(keys.items())


@pytest.mark.parametrize("link", tuple(settings(10)), ids=lambda link: f"{link['data']}, {link['kernel']}")
def test_the_same_question_has_the_same_number_on_every_page(link):
    answers: dict[tuple[str, frozenset[tuple[str, str]]], dict[str, float]] = defaultdict(dict)
    for page, more in PAGES.items():
        for one in numbers_of(kept_of(settled(alone(page, {**link, **more})))[1]):
            if one.measure not in MEASURED:
                answers[question(one)][page] = one.value
    met = {asked: values for asked, values in answers.items() if len(values) > 1}
    for asked, values in met.items():
        first, *others = values.values()
        for other in others:
            assert math.isclose(first, other, rel_tol=RELATIVE, abs_tol=ROUNDING), (asked, values)
    assert {measure for measure, _ in met} >= {"relative_frobenius", "frobenius", "quantization"}
