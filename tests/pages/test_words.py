"""What pages say of their numbers: titles and answers that no other part of the screen contradicts."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import nysviz as nv
from nysviz.advice.candidates import _reason, _why_behind, beyond
from nysviz.advice.curve import Estimate
from nysviz.papers.labels import data_in_words, in_words
from nysviz.sweep import Record
from nysviz.ui.compare import budget_words, words
from nysviz.ui.compare.parts import Question
from nysviz.ui.compare.pictures import _value_axis
from nysviz.ui.tournament.words import capital

QUESTION = Question(("svd", "uniform", "kmeans"), "error", "frobenius", "relative", 10, 10)
LABEL = {name: entry.label for name, entry in nv.METHODS.items()}


def values_of(gap, repeats=10, ms=range(1, 11)):
    """Errors of two methods at ten m; k-means is ahead by so many standard deviations in the mean."""
    rng = np.random.default_rng(0)
    found = {}
    for m in ms:
        noise = rng.normal(size=(2, repeats))
        noise -= noise.mean(axis=1, keepdims=True)
        found[m] = {"uniform": 10 + noise[0], "kmeans": 10 - gap + noise[1], "svd": np.array([1.0])}
    return found


def test_a_lead_within_chance_is_no_lead_in_the_title_nor_in_the_answer():
    chance, clear = values_of(0.01), values_of(9.0)
    assert words.title(QUESTION, chance) == "No method is ahead of all others by more than chance"
    assert "10 of 10 ratios, but within chance" in words.answer(QUESTION, chance, 100)
    assert "by more than chance at 0 of 10" in words.seen(QUESTION, chance, 100)
    assert words.title(QUESTION, clear) == "K-means centres: smallest mean error at every ratio"
    assert "chance" not in words.answer(QUESTION, clear, 100)
    # Too few runs to tell: the title says what the means are, and no more.
    few = replace(QUESTION, repeats=3)
    assert words.title(few, values_of(0.01, 3)) == "K-means centres: smallest mean error at every ratio"


def test_answer_and_table_of_errors_speak_of_one_m():
    values = values_of(9.0)
    # Uniform sampling is ahead at three: the middle of k-means' own ratios is another than that of all.
    for m in (1, 2, 3):
        values[m] = {**values[m], "uniform": values[m]["kmeans"] - 1.0}
    assert "at 7 % (m = 7)" in words.answer(QUESTION, values, 100)
    assert "at m = 7 (7 %)" in words.numbers(QUESTION, values, 100)


def test_lines_that_hardly_differ_fill_the_axis():
    line = SimpleNamespace(low=np.array([1.03, 1.04]), high=np.array([1.1, 1.15]))
    low, high = _value_axis([line], "error", nv_theme())["range"]
    assert 0.9 < low < 1.03 and 1.15 < high < 1.3
    wide = SimpleNamespace(low=np.array([0.01]), high=np.array([0.5]))
    assert _value_axis([wide], "error", nv_theme())["type"] == "log"


def nv_theme():
    from nysviz.figures.look import THEMES

    return THEMES["light"]


def timed(method, m, error, seconds):
    """Ten errors and three timings of a method, each in a list that tells what they are."""
    costs = [
        Record("", 100, 4, nv.Gaussian(1.0), method, (), m, repeat, 0, {"seconds": value}, value)
        for repeat, value in enumerate(seconds)
    ]
    return (m, method, np.full(10, error) + np.linspace(-1e-3, 1e-3, 10)), costs


def budget(*runs):
    values, costs = {}, []
    for (m, method, errors), records in runs:
        values.setdefault(m, {})[method] = errors
        costs += records
    return values, costs


def test_who_has_the_least_error_for_a_time():
    asked = replace(QUESTION, view="budget")
    values, costs = budget(
        timed("uniform", 5, 0.5, (0.001, 0.0011, 0.0012)),
        timed("uniform", 10, 0.4, (0.002, 0.0021, 0.0022)),
        timed("kmeans", 5, 0.2, (0.01, 0.011, 0.012)),
        timed("kmeans", 10, 0.1, (0.02, 0.021, 0.022)),
    )
    drawn = budget_words.points(values, costs)
    early, late = (budget_words.lead_within(drawn, seconds) for seconds in (0.005, 0.013))
    assert (early.first.method, early.first.m, early.second) == ("uniform", 10, None)
    assert (late.first.method, late.first.m, late.second.method, late.sure) == ("kmeans", 5, "uniform", True)
    assert budget_words.lead_within(drawn, 0.0005) is None
    answer = budget_words.answer(asked, values, costs)
    assert "within 11.0" in answer and f"**{LABEL['kmeans']}**, 0.200 with m = 5" in answer
    assert f"next is {LABEL['uniform']}, 0.400 with m = 10" in answer
    assert "ratios" not in answer
    # At its median time the slowest run of k-means' five landmarks is not over: sure is the next time.
    assert budget_words.title(values, costs).startswith("Least error for the time: k-means centres from 21.0")
    assert "m = 5" in budget_words.numbers(asked, values, costs)
    seen = budget_words.seen(asked, values, costs)
    assert "within each of 2 times" in seen and f"that of {LABEL['kmeans']} at 2 of them" in seen


def test_timings_that_overlap_leave_nobody_ahead():
    values, costs = budget(
        timed("uniform", 5, 0.5, (0.001, 0.002, 0.009)), timed("kmeans", 5, 0.4999, (0.001, 0.002, 0.009))
    )
    assert budget_words.title(values, costs) == budget_words.NOBODY
    assert "no method is surely ahead" in budget_words.answer(QUESTION, values, costs)


def candidate(m, value=0.09, high=0.11, verified=None, seconds=1.0):
    return SimpleNamespace(
        m=m,
        error=Estimate(value, 0.08, high),
        seconds=Estimate(seconds, seconds, seconds),
        verified=verified,
        meets=False,
        slow=False,
        needed=None,
        curve=SimpleNamespace(carries=True),
        label="greedy",
    )


def test_an_error_below_the_target_that_does_not_meet_it_says_why():
    asked = SimpleNamespace(target=0.1)
    assert _reason(asked, None, candidate(89), []) == (
        "Leaves 0.0900 with the most that were tried, m = 89, but up to 0.110 in 19 of 20 runs."
    )
    assert beyond(asked, candidate(89, value=0.12, high=0.13)) == ""


@pytest.mark.parametrize("m, start", [(74, "Fewer landmarks"), (79, "As few landmarks")])
def test_fewer_landmarks_are_not_as_few(m, start):
    first = candidate(79, verified=object())
    assert _why_behind(candidate(m), [first]).startswith(start)
    assert _why_behind(candidate(m, verified=object(), seconds=9.0), [first]).startswith(start)


@pytest.mark.parametrize("name", nv.METHODS)
def test_short_and_listed_names_are_the_label_s_own_words(name):
    entry = nv.METHODS[name]
    assert "," not in entry.listed and entry.listed.split(" (")[0] in entry.label
    assert in_words(name) == entry.listed
    if entry.short and entry.short != "RPCholesky":
        parts = [word.strip(",") for word in entry.label.replace("-based", "").split()]
        assert set(entry.short.split()) <= set(parts)
    assert capital(entry.label)[0] == entry.label[0].upper()


@pytest.mark.parametrize(
    "recorded, told",
    [
        ("rff (scale σ)", "random Fourier features (scale σ)"),
        ("dpp_10000", "k-DPP by swaps (10\u202f000 steps)"),
        ("dpp_kmeanspp_1000", "k-DPP by swaps (k-means++ start, 1000 steps)"),
        ("kmeanspp_lloyd", "kernel k-means++ (refined)"),
        ("exact", "exact"),
    ],
)
def test_recorded_methods_have_the_names_of_the_pages(recorded, told):
    assert in_words(recorded) == told


def test_recorded_data_have_their_titles():
    title = next(card.title for card in nv.catalog() if card.name == "breast_cancer")
    assert data_in_words("breast_cancer") == title
    assert data_in_words("breast_cancer, K = 5") == f"{title}, K = 5"
    assert data_in_words("gap/N 0.0113") == "gap/N 0.0113" and data_in_words("α") == "α"
