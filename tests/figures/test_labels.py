"""Words on charts: they cover no line, and every line, band and axis has a name where it needs one."""

import numpy as np
import pytest

from nysviz.figures.bands import Line
from nysviz.figures.home import film_error
from nysviz.figures.lift import VARIANTS, Ground, lift_chart
from nysviz.figures.look import LIGHT
from nysviz.figures.misalignment import gram_chart
from nysviz.figures.spectrum_bandwidth import bandwidth_chart
from nysviz.spectrum.gaps import Gap, largest_gaps

RANKS = np.arange(1, 151)
EARLY_GAP, LATE_GAP = 0.15 * RANKS**-0.6 * np.exp(-RANKS / 20), np.r_[np.full(149, 0.0066), 1e-9]


def test_the_words_of_a_late_gap_run_to_the_left():
    spectra = [LATE_GAP, EARLY_GAP]
    gaps = [Gap(149, 0.0066, np.inf), largest_gaps(spectra[1])[0]]
    figure = bandwidth_chart([0.5, 1.0], spectra, gaps, [130.0, 20.0], 0, LIGHT, "t", "s")
    sides = [figure.data[1].textposition, *(frame.data[1].textposition for frame in figure.frames)]
    assert sides == ["bottom left", "bottom left", "top right"]
    assert max(map(len, figure.data[1].text[0].split("<br>"))) < 20


def test_no_two_chains_of_swaps_look_alike():
    symbols = [symbol for _, symbol in VARIANTS.values()]
    assert len({symbol.replace("2", "") for symbol in symbols}) == len(symbols)
    assert [symbol.endswith("-open") for symbol in symbols] == [name.endswith("_10000") for name in VARIANTS]
    one = np.ones(2)
    lines = [Line("dpp", name, one, one, one, one) for name in VARIANTS]
    ground = Ground("t", "s", "x", "y", (1.0, 10.0))
    figure = lift_chart(lines, {name: name for name in VARIANTS}, ground, LIGHT)
    assert {trace.name: trace.marker.symbol for trace in figure.data} == dict(
        zip(VARIANTS, symbols, strict=True)
    )


def test_the_key_of_products_is_as_long_as_their_matrix():
    figure = gram_chart(np.eye(8), np.eye(7), LIGHT, "t", "s")
    key = figure.layout.yaxis9
    assert key.scaleanchor == "x" and key.constrain == "domain" and key.constraintoward == "top"
    # Pixels of a unit of the key, in those of a row: together as long as 8 rows.
    assert (key.range[1] - key.range[0]) * key.scaleratio == pytest.approx(8)


def test_the_error_of_a_film_is_written_beside_falling_lines():
    errors = np.geomspace(0.7, 0.03, 15)
    figure = film_error(errors, 0.9 * errors, 14, "greedy", LIGHT, "f")
    moving = [figure.data[2], *(frame.data[0] for frame in figure.frames)]
    assert {trace.textposition for trace in moving} == {"top right"}
    # Room for four digits.
    low, high = figure.layout.xaxis.range
    assert (high - 15) / (high - low) * 170 > 36
