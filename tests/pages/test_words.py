"""What pages say of their numbers: titles and answers that no other part of the screen contradicts."""

from types import SimpleNamespace

import pytest

import nysviz as nv
from nysviz.papers.labels import data_in_words, in_words
from nysviz.text import capital
from nysviz.ui.learning.ls_svm_words import curves_title, rows_told


def test_the_least_of_the_landmark_methods_is_not_called_the_least_of_all():
    records = [
        SimpleNamespace(method=method, m=9, values={"test_error": error})
        for method, error in (("exact", 0.5), ("svd", 0.56), ("kmeans", 0.7), ("uniform", 2.0))
    ]
    assert curves_title(records, "test_error", 9) == (
        "Least of the landmark methods at m = 9: k-means centres 0.70 %"
    )


def test_classes_that_are_numbers_are_told_as_classes():
    data = SimpleNamespace(title="German credit", name="german")
    question = SimpleNamespace(source=SimpleNamespace(data=data), classes=("-1", "1"))
    assert rows_told(question) == "German credit, classes −1 and 1"


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
