"""The script that a page shows prints the numbers that the page offers as CSV, in a process of its own."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import nysviz as nv
from nysviz.ui.downloads import table
from tests.pages.driving import PATIENCE_SECONDS, settled
from tests.pages.scripts import ROOT, Number, compare, kept_of, numbers_of, printed, run

DIGITS, IRIS = nv.load("digits"), nv.load("iris")


@dataclass(frozen=True)
class Case:
    """A page in a state, measures that must have been printed, and what the script must say of the state."""

    name: str
    page: str
    link: dict[str, str | list[str]]
    measures: tuple[str, ...]
    says: tuple[str, ...] = ()
    session: dict[str, object] = field(default_factory=dict)


CASES: list[Case] = []


def opened(case: Case) -> AppTest:
    """Open a page alone in the case's state, and wait until nothing is left to compute."""
    at = AppTest.from_file(str(ROOT / "pages" / f"{case.page}.py"), default_timeout=PATIENCE_SECONDS)
    at.query_params |= case.link
    for name, value in case.session.items():
        at.session_state[name] = value
    return settled(at)


def page(name: str, file: str, *measures: str, says: tuple[str, ...] = (), **link: str | list[str]) -> Case:
    """Shorten a case."""
    return Case(name, file, {"data": IRIS.title, **link}, measures, says)


CASES += [
    page("approximate", "approximate", "relative_frobenius", "best_trace", "quantization", "rank"),
    page(
        "approximate, another kernel",
        "approximate",
        "relative_spectral",
        says=("nv.Laplacian(", '"rpcholesky"', "seed=7"),
        kernel="Laplacian",
        method="randomly pivoted Cholesky",
        seed="7",
        bandwidth="2",
    ),
    page("spectrum", "spectrum", "gap", "law_rate", "eigenvalue_over_n", "largest_distance", "asked_m"),
    page(
        "spectrum, another kernel",
        "spectrum",
        "gap_ratio",
        says=("nv.InverseDistance(", "'rpcholesky'", ", 3)"),
        kernel="inverse distance",
        seed="3",
        spectrum_landmark_methods="randomly pivoted Cholesky",
    ),
    page("steps", "steps", "relative_frobenius", "row", "criterion"),
    page(
        "steps, swaps and centres",
        "steps",
        "leaving",
        "largest_move",
        says=("nv.Laplacian(", "'dpp'", "'kmeans'", "default_rng(5)"),
        seed="5",
        kernel="Laplacian",
        steps_method="k-DPP by swaps",
        steps_second="k-means centres",
        steps_count="20",
    ),
    page("steps, sampled rows", "steps", "row", data=DIGITS.title, steps_count="5"),
    page("data", "data", "distance_50", "needed_m", "default_width"),
    page(
        "data, another kernel",
        "data",
        "needed_m",
        says=("nv.Laplacian(", "seed=4"),
        kernel="Laplacian",
        seed="4",
    ),
    page("quantization", "quantization", "quantization", "spearman", "pearson_low", quantization_runs="10"),
    page(
        "quantization, other methods",
        "quantization",
        "relative_frobenius",
        says=("nv.Polynomial(", "['uniform', 'dpp']", "seed=9"),
        kernel="polynomial",
        seed="9",
        quantization_runs="10",
        quantization_methods=["uniform sampling", "k-DPP by swaps"],
    ),
    page("compare", "compare", "mean_relative_frobenius", "relative_frobenius", compare_repeats="3"),
    page(
        "compare, times the best",
        "compare",
        "mean_times_best_spectral",
        says=("nv.Laplacian(", "'dpp'", "2, ["),
        kernel="Laplacian",
        seed="2",
        compare_repeats="3",
        compare_methods=["uniform sampling", "k-DPP by swaps"],
        compare_norm="spectral",
        compare_scale="times the best possible",
    ),
    page(
        "compare, costs",
        "compare",
        "kernel_evaluations",
        says=("'icd'", "cost_jobs"),
        compare_methods=["incomplete Cholesky", "randomly pivoted Cholesky"],
        compare_view="error against seconds",
        compare_repeats="3",
    ),
    page(
        "relative accuracy",
        "compare",
        "mean_relative_accuracy_5",
        "mean_classical_accuracy_5",
        says=("seconds_jobs", "'farthest'"),
        compare_what="Relative accuracy at rank d",
        compare_rank_repeats="3",
        compare_rank_methods=["greedy", "farthest points", "uniform sampling"],
        compare_rank_d="5",
        seed="4",
    ),
    page(
        "lift",
        "lift",
        "lift",
        "lift_p",
        "relative_frobenius",
        lift_repeats="6",
        lift_methods=["kernel k-means++", "best rank m (SVD)"],
    ),
    page(
        "lift, ranks",
        "lift",
        "lift_low",
        says=("seed=3", "'dpp'", 'rule="K ln K"'),
        lift_view="lift against rank",
        lift_repeats="3",
        lift_methods="k-DPP, 1000 steps, uniform start",
        lift_landmarks="K ln K",
        seed="3",
    ),
    page(
        "lift, seconds",
        "lift",
        "lift",
        says=("at_hand=False", "'rpcholesky'"),
        lift_view="seconds against error",
        lift_methods="randomly pivoted Cholesky",
        lift_repeats="1",
    ),
    page("kernel PCA", "kernel_pca", "misalignment", "degrees", "departure", "degrees_orthogonal"),
    page(
        "kernel PCA, another kernel",
        "kernel_pca",
        "misalignment",
        says=("nv.Laplacian(", "seed=6", "'farthest'", '"greedy"'),
        kernel="Laplacian",
        seed="6",
        method="greedy",
        kernel_pca_methods=["farthest points", "uniform sampling"],
    ),
    page("bounds", "bounds", "total", "ladder", "entry_error", "bound", "constant"),
    page(
        "bounds, polynomial",
        "bounds",
        "inverse_norm",
        says=("nv.Polynomial(", '"rpcholesky"', "seed=8", "X[[3, 77]]", "radius_of(X, a.landmarks)"),
        kernel="polynomial",
        seed="8",
        method="randomly pivoted Cholesky",
        bounds_entry="my own",
        bounds_row="3",
        bounds_column="77",
    ),
    page(
        "bounds, relative",
        "bounds",
        "oglic_bound",
        "theta",
        "frobenius",
        "best_frobenius",
        says=("nv.Laplacian(", '2, "K ln K")', "rank = 5"),
        bounds_view="Oglic, Li: against the best rank K",
        kernel="Laplacian",
        seed="2",
        bounds_rank="5",
        bounds_landmarks="K ln K",
    ),
    page(
        "bounds, mixing",
        "bounds",
        "log_determinant",
        "median_kept",
        says=("m=10", "seed=4", "nv.Laplacian("),
        bounds_view="k-DPP: does the chain mix?",
        bounds_chain="10",
        kernel="Laplacian",
        seed="4",
    ),
    page(
        "two balls",
        "two_balls",
        "cosine",
        "accuracy",
        "reach_low",
        "eigenvalue_over_n",
        says=("= 2.5, 20, 3", "distance=1.4", "('orf', '1')"),
        balls_n="500",
        balls_m="20",
        balls_sigma="2.5",
        balls_distance="1.4",
        balls_redundant="5",
        balls_scale="1",
        seed="3",
    ),
    page(
        "learning, features",
        "learning",
        "accuracy",
        "mean_accuracy",
        "difference",
        "p",
        says=("('rpcholesky', 'frequencies')", "('orf', 'columns')", '"ridge"', "3, 5)", "exact"),
        learning_view="Nyström against random features",
        learning_features_landmarks="randomly pivoted Cholesky",
        learning_features_random="orthogonal (ORF)",
        learning_features_reading="columns",
        learning_features_machine="ridge regression",
        learning_features_trials="3",
        seed="5",
    ),
    page(
        "learning, regression",
        "learning",
        "mse",
        says=("nv.Laplacian(", '"regression"'),
        data=nv.load("diabetes").title,
        kernel="Laplacian",
        learning_view="Nyström against random features",
        learning_features_trials="2",
    ),
    page(
        "learning, LS-SVM",
        "learning",
        "test_error",
        "agreement",
        "test_error_restricted",
        "above_ridge",
        says=(
            "nv.Laplacian(",
            '"rpcholesky"',
            "decide_restricted(machine, a, X_test)\n",
            "C = pair.y, 2.0",
            "seed=1,",
        ),
        data=DIGITS.title,
        kernel="Laplacian",
        seed="5",
        method="randomly pivoted Cholesky",
        learning_c="2",
        learning_split="1",
        learning_repeats="5",
        learning_test_kernel="restricted",
    ),
    page(
        "learning, two features",
        "learning",
        "test_error",
        says=("np.eye",),
        learning_repeats="5",
        axes="two features",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_script_prints_the_numbers_of_the_page(case):
    script, text = kept_of(opened(case))
    shown, found = numbers_of(text), printed(run(script))
    assert compare(found, shown) == []
    assert [words for words in case.says if words not in script] == []
    assert set(case.measures) <= {one.measure for one in found}


def test_the_script_of_the_claims_prints_every_finding():
    script, text = kept_of(opened(Case("claims", "claims", {}, ())))
    lines = [line.split("\t") for line in run(script).splitlines()]
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == len(lines) > 40
    assert [line[:2] for line in lines] == [[row["claim"], row["verdict"]] for row in rows]
    # Dates and seconds aside, a statistic is text made from the same records.
    assert [line[2] for line in lines] == [row["statistic"] for row in rows]
    assert [line[3] for line in lines] == [row["repeats"] for row in rows]


def test_a_script_that_differs_is_found_out():
    row = {"data": "iris", "method": "kmeans", "m": 5, "measure": "error", "value": 0.1}
    shown = numbers_of(table([row, {**row, "m": 6, "value": 0.2}]))
    right = "method=kmeans m=5 error 0.1\nmethod=kmeans m=6 error 0.2"
    assert compare(printed(right), shown) == []
    assert compare(printed(right.replace("0.2", "0.2000000001")), shown) != []
    assert compare(printed(right.replace("m=6", "m=7")), shown) != []
    assert compare(printed(right.splitlines()[0]), shown) != []
    assert compare(printed(table([row, {**row, "m": 6, "value": 0.2}])), shown) == []


RNG = np.random.default_rng(4)
OWN = "a;b;tint;class\n" + "\n".join(
    f"{x:.6f};{1000 * y:.3f};{'red' if x > 0 else 'blue'};{k % 2}"
    for k, (x, y) in enumerate(RNG.standard_normal((60, 2)))
)


@pytest.mark.parametrize("page", ["approximate", "compare"])
def test_the_script_reads_the_users_own_file_as_the_dialog_did(page, tmp_path):
    name = "=it's mine.csv"
    at = AppTest.from_file(str(ROOT / "pages" / f"{page}.py"), default_timeout=PATIENCE_SECONDS)
    at.query_params |= {"data": "Your own file", "compare_repeats": "3", "seed": "3"}
    at.run()
    at.file_uploader(key="own_upload").set_value((name, OWN.encode(), "text/csv")).run()
    at.multiselect(key="own_choice_encode").set_value(["tint"]).run()
    at.selectbox(key="own_choice_scale").set_value("unit box").run()
    at.button(key="own_use").click()
    script, text = kept_of(settled(at))
    assert "encode=['tint']" in script and "scale='unit box'" in script and "target='class'" in script
    (tmp_path / name).write_text(OWN, encoding="utf-8")
    shown, found = numbers_of(text), printed(run(script, tmp_path))
    assert len(found) > 5 and {one.keys["d"] for one in shown} == {"4"}
    # The name begins like a formula: the CSV has it as text.
    assert {one.keys["data"] for one in shown} == {"'=it's mine"}
    known = [
        Number({k: v for k, v in one.keys.items() if k != "data"}, one.measure, one.value) for one in found
    ]
    assert compare(known, shown) == []
