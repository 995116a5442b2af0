"""What pages say of their numbers: titles and answers that no other part of the screen contradicts."""

import pytest

import nysviz as nv
from nysviz.papers.labels import data_label, method_label
from nysviz.text import capital


@pytest.mark.parametrize("name", nv.METHODS)
def test_short_and_listed_names_are_the_label_s_own_words(name):
    entry = nv.METHODS[name]
    assert "," not in entry.listed and entry.listed.split(" (")[0] in entry.label
    assert method_label(name) == entry.listed
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
    assert method_label(recorded) == told


def test_recorded_data_have_their_titles():
    title = next(card.title for card in nv.catalog() if card.name == "breast_cancer")
    assert data_label("breast_cancer") == title
    assert data_label("breast_cancer, K = 5") == f"{title}, K = 5"
    assert data_label("gap/N 0.0113") == "gap/N 0.0113" and data_label("α") == "α"
