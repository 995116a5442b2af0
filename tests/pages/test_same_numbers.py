"""The script that a page shows prints the numbers that the page offers as CSV."""

import csv
import io
import os
import re
import subprocess
import sys
from collections import defaultdict

import pytest

from nysviz.engine import Run
from nysviz.engine.shared import engine
from nysviz.landmarks import METHODS
from nysviz.studies.rows import table
from nysviz.ui.downloads import KEY
from tests.pages.driving import ROOT, settle, settled, unopened
from tests.pages.scripts import compare, kept_of, numbers_of, printed, run
from tests.pairing import quickly


def shown(address):
    page, _, query = address.partition("?")
    link: dict[str, list[str]] = {}
    for name, _, value in (part.partition("=") for part in query.split("&") if part):
        link.setdefault(name, []).append(value)
    return settled(unopened(page, link))


# A line: the address of a page | measures that must have been printed | what the script must say; a long
# one is folded before & or |.
TABLE = r"""
playground | relative_spectral best_frobenius rank | nv.studies.playground( ; text='gaussian.
approximate | relative_frobenius best_trace quantization rank
approximate?kernel=Laplacian&method=randomly pivoted Cholesky&seed=7&bandwidth=2
    | relative_spectral | nv.Laplacian( ; method='rpcholesky' ; seed=7
spectrum | gap law_rate eigenvalue_over_n largest_distance asked_m
spectrum?kernel=inverse distance&seed=3&spectrum_landmark_methods=randomly pivoted Cholesky
    | gap_ratio | nv.InverseDistance( ; methods=['rpcholesky'] ; seed=3
spectrum?data=Gaussian clusters&clusters_n=5000&ratio=0.2 %&seed=2&spectrum_methods=uniform sampling
    | gap | methods=['uniform'] ; m=10 ; seed=2
recommend?recommend_goal=Copy K&recommend_norm=Frobenius&recommend_methods=uniform sampling
&recommend_methods=k-means centres&recommend_methods=greedy | relative_frobenius
    | nv.studies.recommend( ; norm='frobenius' ; goal='copy' ; methods=['uniform', 'kmeans', 'greedy']
findings?findings_about=methods&findings_by=error at equal kernel evaluations&findings_widths=σ
&findings_percents=5 %&findings_methods=k-means centres
&findings_methods=kernel k-means++ (refined)&findings_methods=greedy
    | mean_rank critical_difference rank winner_p
    | methods=['kmeans', 'kmeanspp_lloyd', 'greedy'] ; multiples=[1.0] ; percents=[5]
steps | relative_frobenius row criterion
steps?seed=5&kernel=Laplacian&steps_method=k-DPP by swaps&steps_second=k-means centres&steps_count=20
    | leaving largest_move | nv.Laplacian( ; methods=['dpp', 'kmeans'] ; steps=20 ; seed=5
steps?data=Handwritten digits, 8 × 8&steps_count=5 | row
data | distance_50 needed_m default_width | nv.studies.data(data, kernel)
data?kernel=Laplacian&seed=4&data_target=2 % | needed_m | nv.Laplacian( ; target=0.02 ; seed=4
quantization?quantization_runs=10 | quantization spearman pearson_low
quantization?kernel=polynomial&seed=9&quantization_runs=10&quantization_methods=uniform sampling
&quantization_methods=k-DPP by swaps
    | relative_frobenius | nv.Polynomial( ; methods=['uniform', 'dpp'] ; m=8 ; seed=9
compare?compare_repeats=3 | mean_relative_frobenius relative_frobenius
compare?kernel=Laplacian&seed=2&compare_repeats=3&compare_methods=uniform sampling
&compare_methods=k-DPP by swaps&compare_norm=spectral&compare_scale=times the best possible
    | mean_times_best_spectral | nv.Laplacian( ; 'dpp' ; seed=2 ; scale='best' ; norm='spectral'
compare?compare_methods=incomplete Cholesky&compare_methods=randomly pivoted Cholesky
&compare_view=error against seconds&compare_repeats=3
    | kernel_evaluations | methods=['icd', 'rpcholesky'] ; view='budget'
compare?compare_what=Accuracy at rank d&compare_rank_repeats=3&compare_rank_methods=greedy
&compare_rank_methods=farthest points&compare_rank_methods=uniform sampling&compare_rank_d=5&seed=4
    | mean_relative_accuracy_5 mean_classical_accuracy_5
    | nv.studies.accuracy( ; 'farthest' ; d=5 ; seed=4
lift?lift_methods=kernel k-means++&lift_methods=randomly pivoted Cholesky&lift_methods=best rank m (SVD)
    | lift lift_p relative_frobenius
lift?lift_view=lift against rank&lift_repeats=3&lift_methods=k-DPP, 1000 steps
&lift_landmarks=k ln k&seed=3
    | lift_low | view='rank' ; 'dpp' ; rule='k ln k' ; repeats=3 ; seed=3
lift?lift_view=seconds against error&lift_methods=randomly pivoted Cholesky&lift_repeats=1
    | lift | view='seconds' ; 'rpcholesky'
kernel_pca | misalignment degrees departure degrees_orthogonal
kernel_pca?kernel=Laplacian&seed=6&method=greedy&kernel_pca_methods=farthest points
&kernel_pca_methods=uniform sampling | misalignment | nv.Laplacian( ; seed=6 ; 'farthest' ; 'greedy'
clusters | rand_exact mutual_classes normalised_eigenvalue rows
clusters?data=Wine&kernel=Laplacian&seed=6&method=greedy&ratio=20 %&clusters_groups_3=4
&clusters_methods=farthest points&clusters_methods=uniform sampling
    | rand_classes | nv.Laplacian( ; seed=6 ; groups=4 ; 'farthest' ; 'greedy'
clusters?data=Swiss roll&swiss_roll_n=200&clusters_groups_3=5&clusters_methods=k-means centres
    | rand_exact | nv.studies.clusters( ; groups=5 ; methods=['kmeans']
clusters?clusters_view=Photograph&clusters_picture=Flower&clusters_parts=3&clusters_m_320=40
&clusters_method=uniform sampling&clusters_position=2&clusters_bandwidth=1&seed=4
    | colours_explained pixels red | nv.studies.photograph( ; image='flower' ; method='uniform' ; m=40 ;
    | parts=3 ; position=2.0 ; bandwidth=1.0 ; seed=4
bounds | total ladder entry_error bound constant
bounds?kernel=polynomial&seed=8&method=randomly pivoted Cholesky
    | inverse_norm | nv.Polynomial( ; bounds( ; method='rpcholesky' ; seed=8
bounds?bounds_view=Oglic, Li: best rank k&kernel=Laplacian&seed=2&bounds_rank=5
&bounds_landmarks=k ln k
    | oglic_bound theta frobenius best_frobenius | nv.Laplacian( ; rank=5 ; rule='k ln k' ; seed=2
two_balls?balls_n=500&balls_m=20&balls_sigma=2.5&balls_distance=1.4&balls_redundant=5&balls_scale=1&seed=3
    | cosine accuracy reach_low eigenvalue_over_n
    | n=500 ; redundant=5 ; distance=1.4 ; sigma=2.5 ; m=20 ; scale='1' ; seed=3
learning?data=Handwritten digits, 8 × 8&kernel=Laplacian&seed=5&method=randomly pivoted Cholesky
&learning_c=2&learning_split=1&learning_share=30 %&learning_repeats=5&learning_test_kernel=restricted
    | test_error agreement test_error_restricted above_ridge
    | nv.Laplacian( ; nv.studies.classifier( ; classes=[3, 8] ; method='rpcholesky' ; C=2.0 ; share=0.3 ;
    | split=1 ; test_kernel='restricted' ; repeats=5 ; seed=5
learning?learning_view=Random features
&learning_features_landmarks=randomly pivoted Cholesky&learning_features_random=orthogonal (ORF)
&learning_features_reading=columns&learning_features_machine=ridge regression&learning_features_trials=3
&seed=5
    | accuracy mean_accuracy difference p
    | nv.studies.random_features( ; method='rpcholesky' ; random='orf' ; reading='columns' ; trials=3 ;
    | exact=True ; seed=5
learning?data=Diabetes progress&kernel=Laplacian&learning_view=Random features
&learning_features_trials=2 | mse | nv.Laplacian( ; trials=2
solve | iterations condition condition_bound residual
solve?kernel=Laplacian&seed=3&solve_methods=farthest points&solve_shift=10⁻⁴&data=Swiss roll
&swiss_roll_n=120 | iterations | nv.Laplacian( ; methods=['farthest'] ; seed=3
solve?solve_view=Gaussian process&data=Diabetes progress&seed=2&solve_noise=0.3
    | evidence evidence_upper trace_term nlpd | gaussian_process( ; noise=0.3 ; along_feature=2 ; seed=2
approximate?method=random Fourier features&data=Wine&bandwidth=0.5&ratio=10 % | relative_frobenius rank
data?data=Wine&bandwidth=2 | needed_m
kernel_pca?data=Wine&method=randomly pivoted Cholesky&ratio=20 %&kernel_pca_pair=2 and 3
&kernel_pca_methods=greedy
    | degrees | directions=[2, 3] ; methods=['greedy']
quantization?data=Wine&quantization_runs=20&quantization_methods=k-means centres
&quantization_methods=farthest points&ratio=10 % | pearson_low | methods=['kmeans', 'farthest']
bounds?data=Wine&method=farthest points&ratio=20 % | total | method='farthest'
bounds?bounds_view=Oglic, Li: best rank k | oglic_bound
bounds?bounds_view=Oglic, Li: best rank k&data=Wine&bounds_rank=10 | oglic_bound | rank=10
two_balls?balls_n=500&balls_m=10 | cosine | n=500 ; m=10
two_balls?balls_n=1000&balls_m=50&balls_scale=1&balls_distance=2.0 | accuracy | distance=2.0 ; n=1000
findings?findings_about=methods&findings_widths=σ&findings_methods=uniform sampling
&findings_methods=greedy | mean_rank | methods=['uniform', 'greedy']
findings?findings_about=methods&findings_by=seconds | mean_rank
recommend?recommend_goal=Copy K&recommend_methods=uniform sampling | relative_trace
recommend?data=Wine&recommend_goal=Copy K&recommend_target=0.2&recommend_methods=greedy
&recommend_methods=k-means centres
    | relative_trace | target=0.2
learning?data=Wine&learning_repeats=5&method=farthest points&ratio=20 % | test_error | method='farthest'
learning?learning_repeats=5&learning_c=1&seed=1 | agreement | C=1.0 ; seed=1
learning?data=Breast cancer, Wisconsin&learning_view=Random features&learning_features_trials=2 | accuracy
solve?data=Wine&solve_methods=greedy&solve_methods=uniform sampling&solve_shift=10⁻³ | condition | 0.001
solve?solve_view=Gaussian process&data=Diabetes progress&solve_process_methods=greedy | nlpd | ['greedy']
solve?solve_view=Gaussian process&data=Swiss roll&swiss_roll_n=150&solve_noise=0.01 | nlpd | noise=0.01
compare?compare_what=Accuracy at rank d&compare_rank_repeats=3&data=Wine | classical_accuracy_5
compare?compare_what=Accuracy at rank d&compare_rank_repeats=3&compare_rank_d=15&seed=2
    | mean_classical_accuracy_15 | d=15 ; seed=2
"""
LINES = [line.split("|") for line in re.sub(r"\n(?=&)|\n +(?=\|)", "", TABLE).split("\n") if line]
CASES = {address.strip(): (measures, "".join(says)) for address, measures, *says in LINES}
# The first case of each page but the longest; the others are run in make test-slow.
QUICK = {address.partition("?")[0]: address for address in reversed(CASES)}
for page in ("lift", "findings", "two_balls"):
    del QUICK[page]


IN_SECONDS = re.compile(r"[0-9]\s(ms|s|h)\b")


@pytest.mark.parametrize("address", quickly(QUICK.values(), CASES))
def test_the_script_prints_the_numbers_of_the_page(address):
    at = shown(address)
    script, text = kept_of(at)
    result, output = run(script)
    if result is None:
        found = printed(output)
    else:
        found = numbers_of(result.table.to_csv(index=False))
        # The clock gives no number twice.
        assert IN_SECONDS.search(output) or output.strip() in [text.value for text in at.markdown]
    assert compare(found, numbers_of(text)) == []
    measures, says = CASES[address]
    words = [text.strip().replace(r"\n", "\n") for text in says.split(" ; ")]
    assert [text for text in words if text not in script] == []
    assert set(measures.split()) <= {one.measure for one in found}


OTHER = {address.partition("?")[0]: address for address in CASES if "?" in address}


@pytest.mark.slow
@pytest.mark.parametrize("address", [*QUICK.values(), *OTHER.values(), "claims"])
def test_the_script_gives_the_answer_in_a_process_of_its_own(address, tmp_path):
    at = shown(address)
    output = subprocess.run(
        [sys.executable, "-c", kept_of(at)[0]],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert output.returncode == 0, output.stderr
    assert IN_SECONDS.search(output.stdout) or output.stdout.strip() in [text.value for text in at.markdown]


@pytest.mark.slow
def test_the_call_of_the_claims_has_every_row_of_the_page():
    script, text = kept_of(shown("claims"))
    result, output = run(script)
    assert "nv.studies.claims()" in script and output.startswith("**")
    rows = [list(csv.DictReader(io.StringIO(rows))) for rows in (text, result.table.to_csv(index=False))]
    assert rows[0] == rows[1] and len(rows[0]) > 40


def test_a_script_that_differs_is_found_out():
    row = {"data": "iris", "method": "kmeans", "m": 5, "measure": "error", "value": 0.1}
    shown = numbers_of(table([row, {**row, "m": 6, "value": 0.2}]))
    right = "method=kmeans m=5 error 0.1\nmethod=kmeans m=6 error 0.2"
    assert compare(printed(right), shown) == []
    assert compare(printed(right.replace("0.2", "0.2000000001")), shown) != []
    assert compare(printed(right.replace("m=6", "m=7")), shown) != []
    assert compare(printed(right.splitlines()[0]), shown) != []
    assert compare(printed(table([row, {**row, "m": 6, "value": 0.2}])), shown) == []


FEW, SEED = ["uniform sampling", "k-means centres"], 6_401


@pytest.mark.slow
def test_rows_are_those_of_the_run_as_it_stands_when_they_are_asked_for(monkeypatch):
    at = settle(unopened("compare", {"seed": str(SEED), "compare_methods": FEW, "compare_repeats": "3"}))
    offered = at.session_state[KEY]
    whole = len(offered.rows())
    (run,) = (
        one
        for _, one in engine().results.small_results.values()
        if isinstance(one, Run) and SEED in one.key[1]
    )
    monkeypatch.setattr(
        run, "records_by_job", dict(list(run.records_by_job.items())[: len(run.records_by_job) // 2])
    )
    assert 0 < len(offered.rows()) < whole


DATA = ("Iris flowers", "Wine", "Swiss roll", "Diabetes progress", "Gaussian clusters")
KERNELS = ("Gaussian", "Laplacian", "inverse distance", "polynomial")
BANDWIDTHS = ("0.0312", "0.125", "0.25", "0.354", "0.5", "0.707", "1.0", "1.41", "2.0", "8.0")
SMALL = {"ratio": "5 %", "swiss_roll_n": "150", "clusters_n": "150"}
LINKS = [
    {"data": DATA[i % 5], "kernel": KERNELS[i % 4], "bandwidth": width, **SMALL}
    for i, width in enumerate(BANDWIDTHS)
]
THREE = [*FEW, "randomly pivoted Cholesky"]
# Pages of the shared data and kernel, with few runs; at each the chosen method is k-means at 5 %.
PAGES = {
    "approximate": {}, "compare": {"compare_methods": THREE, "compare_repeats": "3"},
    "quantization": {"quantization_methods": THREE, "quantization_runs": "10"}, "spectrum": {}, "data": {},
    "recommend": {"recommend_goal": "Copy K", "recommend_methods": THREE}, "steps": {"steps_count": "10"},
    "solve": {"solve_methods": THREE}, "learning": {"learning_repeats": "5"},
    "kernel_pca": {"kernel_pca_methods": FEW[:1]}, "bounds": {},
}  # fmt: skip
# Columns that are no part of the question.
ASIDE = ("d", "sigma", "repeat", "rows", "picture")


def question(one):
    """Return what the number answers: its measure, and all that says of what it is the measure."""
    keys = {name: text for name, text in one.keys.items() if text and name not in ASIDE}
    if keys.get("options") == "{}":
        del keys["options"]
    if "step" in keys and METHODS[keys["method"]].nested:
        # A step adds a landmark.
        keys["m"] = keys.pop("step")
    return one.measure, frozenset(keys.items())


@pytest.mark.slow
@pytest.mark.parametrize("link", LINKS, ids=lambda link: f"{link['data']}, {link['kernel']}")
def test_the_same_question_has_the_same_number_on_every_page(link):
    answers = defaultdict(dict)
    for page, more in PAGES.items():
        for one in numbers_of(kept_of(settled(unopened(page, {**link, **more})))[1]):
            if one.measure != "seconds":  # the clock gives no number twice
                answers[question(one)][page] = one.value
    met = {asked: values for asked, values in answers.items() if len(values) > 1}
    for asked, values in met.items():
        first = next(iter(values.values()))
        # The largest eigenvalue of a residual is found by an iteration.
        assert [*values.values()] == pytest.approx([first] * len(values), 2e-4, 1e-9), asked
    assert {measure for measure, _ in met} >= {"relative_frobenius", "frobenius", "quantization"}
