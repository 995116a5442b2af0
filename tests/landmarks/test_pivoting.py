"""Pivots of the residual: the largest, drawn in proportion to it, and by the gain of a column."""

from functools import partial

import numpy as np
import pytest

import nysviz as nv
from nysviz.kernels.matrix import KernelMatrix
from nysviz.landmarks import cost, greedy_pivoting, pivoting
from nysviz.landmarks.greedy_pivoting import greedy, partition_greedy, sgma
from nysviz.landmarks.pivoting import icd, rpcholesky, rpcholesky_block
from tests import naive
from tests.landmarks.frequencies import FIVE, SIX, p_value, sequences_drawn

X = np.random.default_rng(0).standard_normal((80, 4))
KERNELS = [nv.Gaussian(1.0), nv.Laplacian(1.0), nv.InverseDistance(1.0, 0.5), nv.Polynomial(2)]
FORMS = ["dense", "lean"]


def select(method, kernel, m, rows=X, seed=0, **options):
    return method(KernelMatrix(rows, kernel), m, np.random.default_rng(seed), **options)


def groups_of(seed, n, groups):
    members = np.empty(n, dtype=int)
    members[np.random.default_rng(seed).permutation(n)] = np.arange(n) % groups
    return members


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_greedy_maximises_the_gain_on_the_residual_matrix(kernel, form):
    m = 14 if kernel == nv.Polynomial(2) else 30
    assert list(select(greedy, kernel, m, form=form).pivots) == naive.greedy(kernel(X), m)


@pytest.mark.parametrize("kernel", [nv.Gaussian(0.7), nv.Gaussian(3.0), nv.Laplacian(1.0)])
def test_greedy_maximises_nuclear_scores_and_falls_as_fast_as_their_mean(kernel):
    """A row's nuclear score is what it takes off ‖K − K̃‖_* (Fornace & Lindsey 2024, arXiv:2407.01698).

    The largest is at least the mean over rows drawn by R_ii, ‖R‖_F² / tr R. Measured, the trace error stays
    below (m + 1) times the best one, which bounds the mean of a k-DPP and not of every greedy choice; it is
    at most 2.3 times the best one in the end.
    """
    m, K, chosen = 20, kernel(X), []
    values = np.linalg.eigvalsh(K)[::-1]

    def left(rows):
        return K - K[:, rows] @ np.linalg.pinv(K[np.ix_(rows, rows)], hermitian=True) @ K[rows]

    for pivot in select(greedy, kernel, m).pivots:
        R = left(chosen)
        scores = [np.linalg.norm(R, "nuc") - np.linalg.norm(left([*chosen, i]), "nuc") for i in range(len(K))]
        slack = 1e-9 * len(K)
        assert scores[pivot] >= max(scores) - slack
        assert scores[pivot] >= np.linalg.norm(R) ** 2 / np.trace(R) - slack
        chosen.append(int(pivot))
        assert np.trace(left(chosen)) <= (len(chosen) + 1) * values[len(chosen) :].sum() + slack
    assert np.trace(left(chosen)) < 2.3 * values[m:].sum()


@pytest.mark.parametrize("panel, ahead", [(1, 3), (5, 1)])
def test_the_dense_form_in_many_panels(panel, ahead, monkeypatch):
    monkeypatch.setattr(greedy_pivoting, "PANEL", panel)
    monkeypatch.setattr(greedy_pivoting, "LOOKAHEAD", ahead)
    kernel = nv.Gaussian(1.0)
    assert list(select(greedy, kernel, 30, form="dense").pivots) == naive.greedy(kernel(X), 30)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "rows, sigma, m",
    [
        (np.arange(200.0)[:, None], 1e-3, 150),
        (np.repeat(10.0 * np.arange(70), 2)[:, None], 1.0, 60),
        ((10.0 * np.arange(60)[:, None] + np.array([0.0, 0.5])).reshape(-1, 1), 1.0, 100),
    ],
    ids=["identity", "repeated", "pairs"],
)
def test_of_equal_rows_the_first_in_the_order_of_the_seed_is_chosen(form, rows, sigma, m, monkeypatch):
    panels = []
    deflate = greedy_pivoting.deflate
    monkeypatch.setattr(greedy_pivoting, "deflate", lambda R, up: panels.append(len(up)) or deflate(R, up))
    kernel, order = nv.Gaussian(sigma), np.random.default_rng(7).permutation(len(rows))
    found = select(greedy, kernel, m, rows, seed=7, form=form).pivots.tolist()
    assert found == naive.greedy(kernel(rows), m, order=order)
    # A pivot whose column of R² is not among those at hand would end its panel early.
    assert panels == ([m] if form == "dense" else [])


GRID = np.stack(np.meshgrid(np.arange(5.0), np.arange(5.0)), axis=-1).reshape(-1, 2)


@pytest.mark.parametrize("name", ["icd", "greedy", "farthest", "partition_greedy", "sgma"])
def test_the_seed_breaks_ties_and_the_notes_count_them(name):
    kernel = nv.Gaussian(1.0)
    # With all groups and candidates, each method is deterministic but for ties.
    options = {"partition_greedy": {"groups": 25}, "sgma": {"candidates": 25}}.get(name, {})
    runs = [nv.approximate(GRID, kernel, name, 9, seed, **options) for seed in range(6)]
    again = nv.approximate(GRID, kernel, name, 9, 2, **options)
    assert again.pivots.tolist() == runs[2].pivots.tolist() and again.notes == runs[2].notes
    assert len({tuple(a.pivots) for a in runs}) > 3
    if name not in ("partition_greedy", "sgma"):
        assert all("the seed decided between them." in a.notes[0] for a in runs)
    shorter = nv.approximate(GRID, kernel, name, 5, 2, **options)
    assert shorter.pivots.tolist() == runs[2].pivots[:5].tolist()


@pytest.mark.parametrize("seed", range(3))
def test_both_forms_of_greedy_and_icd_break_ties_alike(seed):
    K, order = nv.Gaussian(1.0)(GRID), np.random.default_rng(seed).permutation(25)
    forms = [select(greedy, nv.Gaussian(1.0), 9, GRID, seed, form=form).pivots.tolist() for form in FORMS]
    assert forms == 2 * [naive.greedy(K, 9, order=order)]
    found = select(icd, nv.Gaussian(1.0), 9, GRID, seed).pivots.tolist()
    assert found == naive.incomplete_cholesky(K, 9, order)[0] and found[0] == 0


@pytest.mark.parametrize("method", [icd, greedy])
def test_without_ties_the_seed_changes_nothing(method):
    runs = {tuple(select(method, KERNELS[0], 20, seed=seed).pivots) for seed in range(4)}
    assert len(runs) == 1


def naive_ties(K, pivots, first, criterion):
    """At how many pivots from the first on another row, no copy, has the largest ``criterion(chosen)``."""
    count = 0
    for t in range(first, len(pivots)):
        values = np.array(criterion(pivots[:t]))
        equals = np.flatnonzero(values >= values.max() * (1 - 1e-11))
        count += bool((K[pivots[t], equals] < 1 - 1e-9).any())
    return count


@pytest.mark.parametrize("rows", [GRID, X, np.repeat(X[:20], 3, axis=0)], ids=["grid", "rows", "copies"])
@pytest.mark.parametrize("method", ["icd", "greedy dense", "greedy lean", "farthest"])
def test_the_notes_say_where_the_seed_decides(method, rows):
    """All rows have the same chance to be the first pivot of ``icd`` and ``farthest``."""
    kernel, (name, *form) = nv.Gaussian(1.0), method.split()
    K = kernel(rows)
    criterion, first = {
        "icd": (lambda chosen: np.diag(naive.residual_after(K, chosen)), 1),
        "farthest": (lambda chosen: (2 - 2 * K[:, chosen]).min(axis=1), 1),
        "greedy": (lambda chosen: naive.gains(naive.residual_after(K, chosen), K), 0),
    }[name]
    a = nv.approximate(rows, kernel, name, 12, **{"form": form[0]} if form else {})
    ties = naive_ties(K, a.pivots.tolist(), first, criterion)
    assert (ties > 0) == (rows is GRID)
    start = f"At {ties} of 12 pivots several rows were as good up to rounding"
    assert [note.startswith(start) for note in a.notes] == [True] * int(ties > 0)


@pytest.mark.parametrize("form", FORMS)
def test_each_pivot_has_the_largest_gain_down_to_rounding(form):
    """K falls by ten orders of magnitude, so that f by recursion alone would be noise."""
    kernel = nv.Gaussian(2.5)
    found = select(greedy, kernel, 80, form=form)
    K = kernel(X)
    for t in range(0, len(found.pivots), 3):
        R = K - found.factor[:, :t] @ found.factor[:, :t].T
        R[found.pivots[:t]] = 0.0
        R[:, found.pivots[:t]] = 0.0
        p, trusted = found.pivots[t], np.diag(R) > 1e-9
        if not trusted.any():
            break
        gain = (R**2).sum(axis=0)[trusted] / np.diag(R)[trusted]
        assert R[:, p] @ R[:, p] / R[p, p] > gain.max() * (1 - 1e-4)
    assert t > 30


def test_which_form_is_chosen(monkeypatch):
    dense = select(greedy, KERNELS[0], 5)
    monkeypatch.setattr(cost, "DENSE_ROWS", 79)
    lean = KernelMatrix(X, KERNELS[0])
    assert list(greedy(lean, 5, np.random.default_rng(0)).pivots) == list(dense.pivots)
    # Once for f at the start and once a step for K ω; a row a pivot; the diagonal.
    assert lean.evaluations == 6 * 80 * 80 + 5 * 80 + 80
    assert lean.dense is None


@pytest.mark.parametrize("kernel, block", [(KERNELS[0], 16), (KERNELS[3], greedy_pivoting.GROUP_COLUMNS)])
def test_partition_greedy_is_greedy_on_the_sums_of_groups(kernel, block, monkeypatch):
    monkeypatch.setattr(greedy_pivoting, "GROUP_COLUMNS", block)
    monkeypatch.setattr("nysviz.kernels.matrix.rows_per_block", lambda n, columns: block)
    found = select(partition_greedy, kernel, 12, seed=3, groups=7)
    assert list(found.pivots) == naive.greedy(kernel(X), 12, groups_of(3, 80, 7))


def test_all_groups_and_all_candidates_give_greedy():
    expected = list(select(greedy, KERNELS[1], 14).pivots)
    assert list(select(partition_greedy, KERNELS[1], 14, groups=1_000).pivots) == expected
    assert list(select(sgma, KERNELS[1], 14, candidates=80).pivots) == expected


@pytest.mark.parametrize("candidates", [1, 4])
def test_sgma_takes_the_best_of_a_random_subset(candidates):
    kernel = nv.Gaussian(0.8)
    probabilities = naive.sequence_probabilities(naive.sgma_step(kernel(SIX), candidates), 3)
    assert p_value(sequences_drawn(sgma, SIX, kernel, 3, 2_000, candidates=candidates), probabilities) > 1e-4


@pytest.mark.parametrize("method", [greedy, icd])
@pytest.mark.parametrize("form", FORMS)
def test_the_order_of_the_rows_does_not_matter(method, form):
    order = np.random.default_rng(5).permutation(80)
    options = {"form": form} if method is greedy else {}
    # The linear kernel's diagonal tells the rows apart from the first pivot on.
    for kernel in (nv.Polynomial(2), nv.Linear()):
        m = 4 if kernel == nv.Linear() else 12
        straight = select(method, kernel, m, **options)
        turned = select(method, kernel, m, X[order], **options)
        assert list(order[turned.pivots]) == list(straight.pivots)
        np.testing.assert_allclose(turned.factor, straight.factor[order], atol=1e-8)


@pytest.mark.parametrize("method", [greedy, partition_greedy, sgma])
def test_the_best_pivot_of_a_residual_of_rank_one_is_not_a_small_one(method):
    """All rows have one criterion there; a small pivot would amplify rounding a thousandfold."""
    for seed in range(20):
        rows = np.random.default_rng(seed).standard_normal((60, 4)) * np.array([1, 1, 1, 1e-1])
        found = select(method, nv.Linear(), 10, rows)
        K = rows @ rows.T
        assert len(found.pivots) == 4
        assert np.linalg.norm(K - found.factor @ found.factor.T) < 1e-10 * np.linalg.norm(K)


@pytest.mark.parametrize(
    "method, options",
    [(greedy, {"form": "dense"}), (greedy, {"form": "lean"}), (partition_greedy, {}), (sgma, {})],
)
def test_a_wide_kernel_is_not_overshot(method, options):
    """Pivots with few digits took K̃ above K by 1e-7 to 1e-5 of it, where the largest ones leave 1e-13."""
    for d, times, m, seeds in ((2, 100, 30, (1, 26)), (1, 30, 15, range(8))):
        for seed in seeds:
            rows = np.random.default_rng(seed).standard_normal((150, d))
            kernel = nv.Gaussian.from_width(times * nv.default_width(rows))
            found, K = select(method, kernel, m, rows, seed, **options), kernel(rows)
            assert np.linalg.norm(K - found.factor @ found.factor.T) < 1e-12 * np.linalg.norm(K)


@pytest.mark.parametrize("kernel", [*KERNELS, nv.Linear()])
def test_icd_is_incomplete_cholesky(kernel):
    m = 4 if kernel == nv.Linear() else 9
    pivots, factor = naive.incomplete_cholesky(kernel(X), m)
    found = select(icd, kernel, m)
    assert list(found.pivots) == pivots
    np.testing.assert_allclose(found.factor, factor, atol=1e-9)


def test_rounding_does_not_choose_the_first_pivot():
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    assert np.ptp(nv.Linear().diag(unit)) > 0.0
    for seed in range(4):
        rows = unit[np.random.default_rng(seed).permutation(len(unit))]
        assert select(icd, nv.Linear(), 2, rows).pivots[0] == 0
    drawn = {nv.approximate(unit, nv.Linear(), "icd", 1, seed, first="random").pivots[0] for seed in range(9)}
    assert len(drawn) > 5


@pytest.mark.parametrize(
    "kernel, form, few",
    [(nv.Gaussian(0.8), "accelerated", False), (nv.Polynomial(2), "simple", False),
     (nv.Gaussian(0.8), "accelerated", True)],
)  # fmt: skip
def test_rpcholesky_draws_in_proportion_to_the_residual(kernel, form, few, monkeypatch):
    if few:
        # Two proposals a round, so that the third pivot often comes from a second or third round.
        monkeypatch.setattr(pivoting, "FIRST_PROPOSALS", 2)
        monkeypatch.setattr(pivoting, "MOST_PROPOSALS", 2)
    probabilities = naive.sequence_probabilities(naive.rpcholesky_step(kernel(FIVE)), 3)
    counts = sequences_drawn(rpcholesky, FIVE, kernel, 3, 2_000, form=form)
    assert p_value(counts, probabilities) > 1e-4


@pytest.mark.parametrize("filtering", ["plain", "robust"])
@pytest.mark.parametrize("block", [1, 2, 4])
def test_block_rpcholesky_draws_a_block_by_the_residual_before_it(block, filtering):
    K = nv.Gaussian(0.8)(FIVE)
    probabilities = naive.rpcholesky_block(K, 3, block, filtering)
    if block == 1:
        assert probabilities == pytest.approx(naive.sequence_probabilities(naive.rpcholesky_step(K), 3))
    settings = {"block": block, "filtering": filtering}
    counts = sequences_drawn(rpcholesky_block, FIVE, nv.Gaussian(0.8), 3, 2_000, **settings)
    assert p_value(counts, probabilities) > 1e-4


@pytest.mark.parametrize("block", [1, 7, 30, 1_000])
def test_the_robust_filter_takes_the_columns_asked_for_and_the_first_ones_of_more(block):
    most = select(rpcholesky_block, KERNELS[0], 60, block=block, filtering="robust").pivots
    for m in (1, 8, 59):
        found = select(rpcholesky_block, KERNELS[0], m, block=block, filtering="robust").pivots
        assert found.tolist() == most[:m].tolist() and len(set(found)) == m
    if block == 1:
        assert most.tolist() == select(rpcholesky_block, KERNELS[0], 60, block=1).pivots.tolist()


@pytest.mark.parametrize("block, gain", [(8, 0.7), (40, 0.6)])
def test_the_robust_filter_spends_no_block_on_one_cluster(block, gain):
    """Forty clusters of one to eighteen rows, the largest five of which are copies."""
    rng = np.random.default_rng(1)
    sizes, spread = np.repeat([1, 3, 6, 10, 18], 8), np.repeat([0.1, 0.1, 0.1, 0.1, 0.0], 8)
    centres = 6.0 * rng.standard_normal((40, 5))
    rows = np.repeat(centres, sizes, axis=0)
    rows += np.repeat(spread, sizes)[:, None] * rng.standard_normal(rows.shape)
    K = KernelMatrix(rows, nv.Gaussian(1.0), dense=nv.Gaussian(1.0)(rows))

    def mean_error(select, **options):
        runs = (select(K, 40, np.random.default_rng(seed), **options) for seed in range(20))
        return np.mean([len(rows) - (run.factor**2).sum() for run in runs])

    plain, robust = (mean_error(rpcholesky_block, block=block, filtering=f) for f in ("plain", "robust"))
    assert robust < gain * plain
    assert robust < 1.1 * mean_error(rpcholesky)


@pytest.mark.parametrize(
    "method, far_error",
    [
        (icd, 1e-4),
        (rpcholesky, 1e-4),
        (rpcholesky_block, 1e-4),
        # All rows of one block, which are drawn alike.
        (partial(rpcholesky_block, block=100), 1e-3),
        (partial(rpcholesky_block, filtering="robust"), 1e-4),
    ],
)
def test_many_pivots_keep_their_digits(method, far_error):
    """Pivots of a matrix that falls to rounding: the factor must still reproduce it, and never overshoot."""
    far = [np.random.default_rng(seed).standard_t(1.5, (400, 1)) for seed in range(20)]
    for rows, kernel, m, error in [
        (X, nv.Gaussian(1.5), 80, 1e-11),
        *((t, nv.Gaussian(3.0), 25, far_error) for t in far),
    ]:
        found, K = select(method, kernel, m, rows), kernel(rows)
        G = found.factor
        assert np.linalg.norm(K - G @ G.T) < error * np.linalg.norm(K)
        assert np.abs(K[found.pivots] - G[found.pivots] @ G.T).max() < 1e-9
        assert np.einsum("ij,ij->i", G, G).max() < 1 + 1e-9
