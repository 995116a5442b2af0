"""Words on charts: they cover no line, and every line, band and axis has a name where it needs one."""

import numpy as np
import pytest

from nysviz.figures.bands import Line
from nysviz.figures.free_place import free_place
from nysviz.figures.home import film_error
from nysviz.figures.lift import VARIANTS, Ground, lift_chart
from nysviz.figures.look import LIGHT
from nysviz.figures.misalignment import gram_chart
from nysviz.figures.spectrum_bandwidth import bandwidth_chart
from nysviz.figures.spectrum_compared import (
    NOTE_HEIGHT,
    NOTE_WIDTH,
    PLOT_MARGINS,
    PLOT_WIDTHS,
    compared_chart,
)
from nysviz.spectrum.gaps import Gap, largest_gaps

DIAGONAL = (np.array([0.0, 1.0]), np.array([1.0, 0.0]))


def covers(lines, point, place, words, sheet):
    """Whether a label hides a part of a line, by a fine walk along the lines."""
    right, down, side = place
    left = point[0] * sheet[0] + right - words[0] * {"left": 0.0, "center": 0.5, "right": 1.0}[side]
    low = point[1] * sheet[1] - down - words[1] / 2
    assert left >= 0 and low >= 0 and left + words[0] <= sheet[0] and low + words[1] <= sheet[1]
    for x, y in lines:
        fine = np.linspace(0, len(x) - 1, 20_000)
        across = np.interp(fine, np.arange(len(x)), x) * sheet[0]
        up = np.interp(fine, np.arange(len(x)), y) * sheet[1]
        within = (across > left) & (across < left + words[0]) & (up > low) & (up < low + words[1])
        if within.any():
            return True
    return False


@pytest.mark.parametrize("point", [(0.02, 0.98), (0.5, 0.5), (0.97, 0.03), (0.3, 0.7)])
def test_a_label_finds_the_place_without_lines(point):
    words, sheets = (150, 40), [(600, 450), (270, 450)]
    lines = [DIAGONAL, (np.array([0.0, 0.4]), np.array([0.6, 0.2]))]
    place = free_place(lines, point, words, sheets)
    assert not any(covers(lines, point, place, words, sheet) for sheet in sheets)


def test_a_label_keeps_off_other_words():
    everywhere = [(0.0, 1.0, 0.2, 1.0)]
    _, down, _ = free_place([], (0.5, 0.5), (100, 30), [(600, 400)], everywhere)
    assert 200 - down + 15 <= 0.2 * 400


def test_where_no_place_is_free_the_label_stays_inside():
    x = np.linspace(0, 1, 200)
    lines = [(x, np.full(200, height)) for height in np.linspace(0, 1, 40)]
    right, down, side = free_place(lines, (0.9, 0.9), (150, 40), [(600, 400)])
    left = 540 + right - 150 * {"left": 0.0, "center": 0.5, "right": 1.0}[side]
    assert 0 <= left <= 450 and 20 <= 360 - down <= 380


RANKS = np.arange(1, 151)
SPECTRA = {
    "early gap": 0.15 * RANKS**-0.6 * np.exp(-RANKS / 20),
    "late gap": np.r_[np.full(149, 0.0066), 1e-9],
    "middle gap": np.r_[np.full(20, 0.04), 1e-4 / np.arange(1, 131)],
}


@pytest.mark.parametrize("log_ranks", [True, False])
@pytest.mark.parametrize("name", SPECTRA)
def test_the_words_at_the_gap_hide_no_line(name, log_ranks):
    values = SPECTRA[name]
    others = {
        method: (method, values[:8] * factor)
        for method, factor in (("uniform", 0.5), ("kmeans", 0.8), ("rff", 2))
    }
    gap = largest_gaps(values)[0]
    figure = compared_chart(values, others, 150, gap, None, 1e-3, LIGHT, "t", log_ranks=log_ranks)
    note = next(note for note in figure.layout.annotations if "gap" in note.text)
    assert note.bgcolor is None
    ends = figure.layout.xaxis.range, figure.layout.yaxis.range

    def part(values, ends, log):
        return ((np.log10(values) if log else np.asarray(values, dtype=float)) - ends[0]) / (
            ends[1] - ends[0]
        )

    lines = [(part(t.x, ends[0], log_ranks), part(t.y, ends[1], True)) for t in figure.data]
    point = float(part(note.x, ends[0], False)), float(part(note.y, ends[1], False))
    sheet = PLOT_WIDTHS[0], 560 - PLOT_MARGINS
    assert not covers(lines, point, (note.ax, note.ay, note.xanchor), (NOTE_WIDTH, NOTE_HEIGHT), sheet)


def test_the_words_of_a_late_gap_run_to_the_left():
    spectra = [SPECTRA["late gap"], SPECTRA["early gap"]]
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
