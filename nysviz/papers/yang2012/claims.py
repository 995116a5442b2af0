"""The claims of Yang, Li, Mahdavi, Jin & Zhou 2012."""

from __future__ import annotations

from nysviz.papers.claim import Choice, Claim, fewer_trials, untried
from nysviz.papers.experiments import YANG
from nysviz.papers.yang2012 import criteria as tests

_BALLS = {"balls_n": "10000"}
_GAP = {"data": "eigengap_mixture"}
_FEATURES = {"learning_view": "Nyström against random features"}
_SCALE = tuple(
    Choice("the frequency scale", "1/σ", scale, {"scale": f"rff (scale {scale})"}) for scale in ("1", "σ")
)

CLAIMS = (
    Claim(
        "y1",
        "yang",
        "The two balls have the printed first and second eigenvalue.",
        "figure 1b",
        "λ₁/N and λ₂/N are within 2 % and 8 % of 0.785 and 0.0067 in every sample of the balls.",
        ("yang-fig1-seeds",),
        tests.printed_eigenvalues,
        "two_balls",
        _BALLS,
    ),
    Claim(
        "y2",
        "yang",
        "Nyström features of 100 samples tell the two balls apart perfectly.",
        "figure 1c",
        "The mean test error is at most 0.5 %; partly where it is at most 5 %.",
        ("yang-fig1",),
        tests.nystroem_perfect,
        "two_balls",
        _BALLS,
    ),
    Claim(
        "y3",
        "yang",
        "Random Fourier features of 100 samples do hardly better than guessing.",
        "figure 1c",
        "The mean test error is at least 40 % with frequencies of deviation 1/σ; partly where they are only "
        "behind Nyström.",
        ("yang-fig1",),
        tests.features_guess,
        "two_balls",
        _BALLS,
        choices=_SCALE,
    ),
    Claim(
        "y4",
        "yang",
        "Nyström keeps the first two eigenvectors of K, random features do not.",
        "figure 1 d to f",
        "The larger principal angle is below 30° for Nyström and above 60° for random features at 1/σ; "
        "partly where Nyström is only closer.",
        ("yang-fig1",),
        tests.leading_vectors,
        "two_balls",
        _BALLS,
        choices=_SCALE,
    ),
    Claim(
        "y5",
        "yang",
        "Nyström learns better than random features on all sets, whatever m.",
        "figure 2",
        "A paired t-test at 95 % has Nyström ahead at every m, at equal frequencies and at equal columns, on "
        "every set.",
        ("yang-fig2",),
        tests.nystroem_ahead,
        "learning",
        _FEATURES,
        YANG,
        choices=(fewer_trials(10, 5),),
    ),
    Claim(
        "y6",
        "yang",
        "Eigenvalues fall quickly and leave a large gap.",
        "figure 3",
        "The largest gap is at least a tenth of the trace and the effective dimension at λ = 0.001 at most "
        "5 % of N, at the default bandwidth, on every set.",
        ("yang-fig3",),
        tests.quick_decay,
        "spectrum",
        {"data": "cpu"},
        YANG,
        choices=(untried("the bandwidth", "default", "cross-validated"),),
    ),
    Claim(
        "y7",
        "yang",
        "With a large gap the extra error falls like 1/m, without it like 1/√m.",
        "theorem 1",
        "The slope of log excess in log m is −1 or steeper at the largest gap, flatter than −1 at the "
        "smallest, and steeper the larger the gap.",
        ("yang-eigengap",),
        tests.faster_with_gap,
        "learning",
        {**_GAP, **_FEATURES},
    ),
    Claim(
        "y8",
        "yang",
        "The sets of the experiments satisfy the theorem's condition on the gap.",
        "theorem 1",
        "The smallest m that satisfies it is at most 1000, the most in use, and at most N, on every set.",
        ("yang-fig3",),
        tests.gap_condition,
        "spectrum",
        {"data": "cpu"},
        YANG,
        choices=(untried("the bandwidth", "default", "cross-validated"),),
    ),
    Claim(
        "y9",
        "yang",
        "The operators of all points and of a sample are no farther apart than the bound.",
        "theorem 5",
        "Every draw is within 2 ln(2N³)/m + √(2 ln(2N³)/m), on every set.",
        ("yang-theorem5",),
        tests.operators_within,
        "spectrum",
        {"data": "cpu"},
        YANG,
    ),
    Claim(
        "y10",
        "yang",
        "A small gap takes Nyström's advantage away.",
        "section 2",
        "At the smallest gap the error of random features is at most 1.05 times that of Nyström (95 % "
        "interval), and Nyström's advantage grows with the gap.",
        ("yang-eigengap",),
        tests.advantage_by_gap,
        "learning",
        {**_GAP, **_FEATURES},
        choices=(Choice("the limit", "1.05", "1.1", {"limit": 1.1}),),
    ),
)
