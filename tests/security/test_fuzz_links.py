"""Hostile links: a page shows its defaults and one sentence, and never the error page."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import nysviz as nv
from tests.pages.driving import APP, IRIS, PAGES, PATIENCE_SECONDS

PAGES = sorted(file.stem for file in PAGES.glob("*.py"))
SEEDS, LINKS = range(3), 12
VALUES = [
    "inf", "-inf", "Infinity", "nan", "1e999999", "9" * 400, "9" * 5_000, "-" + "9" * 308, "1e308", "1e-320",
    "-1", "-0", "0", "1.5", "1_0", "0x10", "1,5", "٣", "²", "", " ", "\0", "\u202e", "\ufffd", "e\u0301" * 99,
    "True", "None", "[]", "{}", "a&b=c", "%00", "../..", "<script>", "$x$", "x" * 200, "x" * 100_000,
]  # fmt: skip
# Small data, some with knobs.
DATA = ["Iris flowers", "Wine", *(card.title for card in nv.catalog() if card.parameters)]
# Set by a page or the frame, without a control.
OF_PAGES = ["quantization_run", "claims_open", "playground_view"]
WITHOUT_CONTROL = [*OF_PAGES, "lesson", "step", "presentation"]


def opened(page, link):
    at = AppTest.from_file(str(APP), default_timeout=PATIENCE_SECONDS)
    at.switch_page(f"../../pages/{page}.py")
    at.query_params |= {"data": IRIS.title, **link}
    at.run()
    assert not at.exception, (page, link, [problem.value for problem in at.exception])
    said = [warning.value for warning in at.warning if "The link asks for" in warning.value]
    assert len(said) <= 1 and all(len(words) < 1_000 and "\n" not in words for words in said), said
    return at


def controls(at):
    nodes = [node for node in at._tree if getattr(node, "key", None)]
    return {node.key: list(getattr(node, "options", None) or []) for node in nodes} | {"data": DATA}


def a_link(page, usual, rng):
    """Ask for other options first, so that the controls behind them are drawn; then most get nonsense."""
    first = {key: str(rng.choice(texts)) for key, texts in usual.items() if texts and rng.random() < 0.4}
    drawn = [*controls(opened(page, first)), *WITHOUT_CONTROL]
    return first | {key: VALUES[rng.integers(len(VALUES))] for key in drawn if rng.random() < 0.6}


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("page", PAGES)
def test_hostile_links_show_a_page(page, seed):
    rng, usual = np.random.default_rng([seed, *page.encode()]), controls(opened(page, {}))
    for _ in range(LINKS):
        opened(page, a_link(page, usual, rng))
