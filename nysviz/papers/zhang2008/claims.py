"""The claims of Zhang, Tsang & Kwok 2008."""

from __future__ import annotations

from nysviz.papers.claim import Choice, Claim, fewer_trials
from nysviz.papers.experiments import ZHANG
from nysviz.papers.zhang2008 import criteria_error as error
from nysviz.papers.zhang2008 import criteria_learning as learning

_GERMAN = {"data": "german"}
_TRIALS = fewer_trials(20, 10)
_KERNEL = Choice("the test kernel", "exact", "restricted", {"kernel": "test_error_restricted"})

CLAIMS = (
    Claim(
        "z1",
        "zhang",
        "Between two landmarks the approximation leaves no error.",
        "proposition 1",
        "The largest error of an entry between landmarks is below 1e-10 of the largest entry, for all "
        "kernels.",
        ("zhang-prop1",),
        error.exact_between_landmarks,
        "bounds",
        _GERMAN,
    ),
    Claim(
        "z2",
        "zhang",
        "The whole error is bounded by cluster size T, quantization error e and ‖W⁻¹‖.",
        "proposition 3",
        "Every run is within the bound with the derived constant C, on every set; its looseness is reported.",
        ("zhang-prop3",),
        error.within_bound,
        "bounds",
        _GERMAN,
        ZHANG,
    ),
    Claim(
        "z3",
        "zhang",
        "The constants printed for three radial kernels satisfy property (8).",
        "section 3.4",
        "No quadruple of a random search exceeds the printed constant.",
        ("zhang-property8",),
        error.printed_constants,
        "bounds",
        _GERMAN,
    ),
    Claim(
        "z4",
        "zhang",
        "Runs with a small quantization error have a small approximation error, and strongly so.",
        "figure 2",
        "Spearman's correlation over all runs is at least 0.7 with an interval above 0, and with the schemes "
        "taken out its interval is above 0, on every set.",
        ("zhang-fig2",),
        error.errors_go_together,
        "quantization",
        _GERMAN,
        ZHANG,
    ),
    Claim(
        "z5",
        "zhang",
        "With k-means centres the error is second only to the SVD's on most data sets.",
        "figure 1",
        "Ahead of incomplete Cholesky, uniform and column-norm sampling at once (Wilcoxon, Holm) at more "
        "than half of the "
        "ten ratios, on more than half of the sets.",
        ("zhang-fig1",),
        error.kmeans_second_to_svd,
        "compare",
        _GERMAN,
        ZHANG,
        choices=(_TRIALS,),
    ),
    Claim(
        "z6",
        "zhang",
        "Sampling by column norms is no better than uniform sampling, and at times worse.",
        "figure 1",
        "Never ahead of uniform sampling (Wilcoxon, Holm) on any set, and behind in some cell.",
        ("zhang-fig1",),
        error.column_norm_no_better,
        "compare",
        _GERMAN,
        ZHANG,
        choices=(_TRIALS,),
    ),
    Claim(
        "z7",
        "zhang",
        "Incomplete Cholesky falls behind on several sets and keeps up where the spectrum falls fast.",
        "figure 1",
        "Behind uniform sampling at most ratios on two sets or more; and its relative error falls with the "
        "decay of the best error (Spearman below −0.5 over the sets).",
        ("zhang-fig1",),
        error.icd_follows_decay,
        "compare",
        _GERMAN,
        ZHANG,
    ),
    Claim(
        "z8",
        "zhang",
        "Kernel PCA on k-means centres is nearest to the exact one on most sets.",
        "table 3",
        "Misalignment smaller than that of all three others (Wilcoxon, Holm) on more than half of the sets, "
        "m = 0.05 n.",
        ("zhang-table3",),
        learning.kmeans_least_misaligned,
        "kernel_pca",
        _GERMAN,
        ZHANG,
        choices=(_TRIALS,),
    ),
    Claim(
        "z9",
        "zhang",
        "The printed misalignments can be measured again.",
        "table 3",
        "Each mean is within three printed standard deviations, or 10 % where nothing is random.",
        ("zhang-table3",),
        learning.misalignment_as_printed,
        "kernel_pca",
        _GERMAN,
        ZHANG,
    ),
    Claim(
        "z10",
        "zhang",
        "A low-rank scheme costs far less than the eigen-decomposition.",
        "table 3",
        "All eigenvectors take at least ten times the seconds of every scheme, on every set.",
        ("zhang-table3",),
        learning.cheaper_than_svd,
        "kernel_pca",
        _GERMAN,
        ZHANG,
        choices=(
            Choice("the eigensolver", "LAPACK, all pairs", "Lanczos, three pairs", {"exact": "lanczos"}),
        ),
    ),
    Claim(
        "z11",
        "zhang",
        "Choosing a basis takes O(mn) for k-means, O(n), O(n²) for column norms and O(m²n) for incomplete "
        "Cholesky.",
        "table 1",
        "Slopes of processor seconds in log n and log m are within 0.35 of these exponents.",
        ("zhang-table1",),
        learning.orders_of_cost,
        "compare",
        {"compare_view": "seconds against m / n"},
    ),
    Claim(
        "z12",
        "zhang",
        "At m = 0.05 n the LS-SVM on k-means centres errs less than on any other scheme, surely.",
        "table 4",
        "A one-sided t-test gives at least 99.5 % confidence against all three others on every pair of "
        "digits. Exact test kernel.",
        ("zhang-table4",),
        learning.kmeans_classifies_best,
        "learning",
        {},
        ("usps",),
        choices=(_KERNEL, _TRIALS),
    ),
    Claim(
        "z13",
        "zhang",
        "At m = 0.1 n that advantage is smaller, and on some pairs gone.",
        "table 4",
        "The gap to the best rival is smaller than at 0.05 n on most pairs, and on one both errors are equal "
        "within 0.25 percentage points (two one-sided t-tests at 5 %). Exact test kernel.",
        ("zhang-table4",),
        learning.advantage_shrinks,
        "learning",
        {},
        ("usps",),
        choices=(
            _KERNEL,
            _TRIALS,
            *(
                Choice("the margin", "0.25 points", f"{margin} points", {"margin": margin})
                for margin in (0.1, 0.5)
            ),
        ),
    ),
    Claim(
        "z14",
        "zhang",
        "The approximate LS-SVM comes as low as the exact machine.",
        "table 4",
        "At m = 0.1 n its mean error exceeds the exact machine's by no more than the printed difference's "
        "interval allows. Exact test kernel.",
        ("zhang-table4",),
        learning.as_good_as_exact,
        "learning",
        {},
        ("usps",),
        choices=(_KERNEL,),
    ),
    Claim(
        "z15",
        "zhang",
        "The eigenvectors of proposition 4 are orthogonal, those of the plain extension are not.",
        "section 3.5",
        "‖UᵀU − I‖ is below 1e-8 for the one and above 0.01 for the other, in every run on every set.",
        ("zhang-prop4",),
        error.orthogonal_form,
        "kernel_pca",
        _GERMAN,
    ),
)
