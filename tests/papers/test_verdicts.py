"""The verdict of every claim on rows in which it is true, and on rows in which it is not."""

import math
import re

import numpy as np
import pytest
from scipy.stats import t as student

from nysviz.papers.oglic2017.lift import landmark_count
from nysviz.papers.output import published
from tests.papers.rows import base, judged, row, runs, single

YES, PARTLY, NO = "reproduced", "partly", "not reproduced"


def of(claim, *cases):
    """Verdicts and the rows that have them, in turn."""
    return [(claim, rows, verdict) for verdict, rows in zip(cases[::2], cases[1::2], strict=True)]


# Zhang, Tsang & Kwok 2008.
ZHANG_MEANS = {"svd": 1.0, "kmeans": 2.0, "icd": 5.0, "uniform": 4.0, "column_norm": 4.5}
zhang_figure1 = base(runs, "zhang-fig1", "frobenius", means=ZHANG_MEANS, once=("svd", "icd"))
bounded = base(single, "zhang-prop3", means={"frobenius": 1.0, "bound": 100.0}, ms=(10, 20))
CONSTANTS = {"largest_ratio": 0.2, "printed_constant": 0.25, "derived_constant": 0.74}
constants = base(single, "zhang-property8", means=CONSTANTS, methods=("Gaussian", "Laplacian"))
TABLE3 = {"kmeans": 0.1, "icd": 0.5, "uniform": 0.3, "column_norm": 0.35}
table3 = base(runs, "zhang-table3", "misalignment", means=TABLE3, ms=(50,), once=("icd",))
ANGLES = {"angle_orthogonal": 3.0, "angle_extension": 9.0}
DEPARTURES = {"departure_orthogonal": 1e-14, "departure_extension": 0.5}
forms = base(single, "zhang-prop4", means=DEPARTURES | ANGLES, datas="ab")


def two_errors(between, inside):
    """Errors that go together between the schemes, and with this sign within each."""
    rng, rows = np.random.default_rng(0), []
    for level, method in enumerate(("kmeans", "uniform", "column_norm")):
        for r, e in enumerate(rng.normal(size=40)):
            f = 10.0 + between * level + inside * e + 0.3 * rng.normal()
            rows.append(row("zhang-fig2", "a", method, 100, r, "quantization", 10.0 + between * level + e))
            rows.append(row("zhang-fig2", "a", method, 100, r, "frobenius", f))
    return rows


def with_decay(*excess):
    """Three sets whose best error falls faster and faster; icd's excess over uniform is given for each."""
    rows = []
    for power, (data, ratio) in enumerate(zip("abc", excess, strict=True), start=1):
        for m in (10, 100):
            means = {"svd": m ** -float(power), "uniform": 1.0, "icd": ratio}
            rows += runs("zhang-fig1", "frobenius", means, (data,), (m,), once=("svd", "icd"))
    return rows


def printed(times):
    return [
        row("zhang-table3", c["data"], c["method"], 50, r, "misalignment", times * float(c["mean"]))
        for c in published("zhang2008_table3_error")
        for r in range(3)
    ]


def timed(whole):
    rows = single("zhang-table3", {"misalignment": 0.1}, "ab", ("svd", "kmeans", "uniform"))
    return [one._replace(seconds=whole if one.method == "svd" else 1.0) for one in rows]


STATED = {"uniform": (1, 0), "column_norm": (2, 0), "kmeans": (1, 1), "icd": (1, 2)}


def costs(exponents):
    rows = []
    for method, (of_n, of_m) in exponents.items():
        for size in (1, 2, 8):
            head = ("zhang-table1", "random points@n varied", method, 100, 0, "seconds")
            rows.append(row(*head, size**of_n, n=1000 * size))
            head = ("zhang-table1", "random points@m varied", method, 50 * size, 0, "seconds")
            rows.append(row(*head, size**of_m, n=4000))
    return rows


AHEAD = {"svd": 1.0, "kmeans": 1.0, "uniform": 2.0, "column_norm": 2.2, "icd": 3.0}
LEVEL = dict.fromkeys(AHEAD, 1.0)
BEHIND = AHEAD | {"kmeans": 5.0}


def table4(few, many):
    return [
        one
        for measure in ("test_error", "test_error_restricted")
        for m, means in ((50, few), (100, many), (1000, {"exact": 1.0}))
        for one in runs(
            "zhang-table4", measure, means, ("digits 1-7", "digits 2-3"), (m,), once=("icd", "exact"), seed=m
        )
    ]


ZHANG = [
    *of("z1", YES, single("zhang-prop1", {"entry_error": 1e-14}, "ab", ("Gaussian", "linear")),
        NO, single("zhang-prop1", {"entry_error": 1e-3}, "ab", ("Gaussian", "linear"))),
    *of("z2", YES, bounded(), NO, bounded(frobenius=3.0, bound=2.0)),
    *of("z3", YES, constants(), NO, constants(largest_ratio=0.7)),
    *of("z4", YES, two_errors(3.0, 1.0), PARTLY, two_errors(5.0, 0.0), NO, two_errors(0.0, -1.0)),
    *of("z5", YES, zhang_figure1(), NO, zhang_figure1(icd=1.5), NO, zhang_figure1(kmeans=4.0)),
    *of("z6", YES, zhang_figure1(), NO, zhang_figure1(column_norm=2.0)),
    *of("z7", YES, with_decay(3.0, 2.0, 1.0), PARTLY, with_decay(2.0, 2.5, 3.0),
        NO, with_decay(0.3, 0.4, 0.5)),
    *of("z8", YES, table3(), NO, table3(kmeans=0.4)),
    *of("z9", YES, printed(1), NO, printed(9)),
    *of("z10", YES, timed(50.0), PARTLY, timed(3.0), NO, timed(0.5)),
    *of("z11", YES, costs(STATED), PARTLY, costs(STATED | {"kmeans": (1, 2)}),
        NO, costs(dict.fromkeys(STATED, (3.0, 3.0)))),
    *of("z12", YES, table4(AHEAD, LEVEL), NO, table4(BEHIND, AHEAD)),
    *of("z13", YES, table4(AHEAD, LEVEL),
        NO, table4(AHEAD, AHEAD | {"uniform": 4.0, "column_norm": 4.0, "icd": 4.0})),
    *of("z14", YES, table4(AHEAD, LEVEL), NO, table4(AHEAD, BEHIND)),
    *of("z15", YES, forms(), NO, forms(departure_extension=1e-14)),
]  # fmt: skip


# Farahat, Ghodsi & Kamel 2011.
ACCURACY = {"uniform": 0.6, "adaptive_full": 0.7, "adaptive_partial": 0.65, "kmeans": 0.9, "sgma": 0.78}
ACCURACY |= {"greedy": 0.8, "partition_greedy": 0.79}
SECONDS = {"uniform": 1.0, "sgma": 9.0, "greedy": 5.0, "partition_greedy": 2.0}
GROUPS = {"greedy": 1.0, "uniform": 2.0, "partition_greedy_5": 1.02, "partition_greedy_50": 1.0}
groups = base(runs, "farahat-groups", "relative_frobenius", means=GROUPS, ms=[50], repeats=5, once=["greedy"])
chosen = base(single, "farahat-recursion", means={"parted": 0.0}, methods=("greedy",), ms=(60,))


def farahat_figure1(accuracy=(), seconds=(), datas=("a", "b")):
    given = [f"{d}@K given" for d in datas]
    return [
        *runs("farahat-fig1", "relative_accuracy", ACCURACY | dict(accuracy), datas, once=("greedy",)),
        *runs("farahat-seconds", "seconds", SECONDS | dict(seconds), given, repeats=3),
    ]


def truncated(best, classical, data="a"):
    values = {f"relative_accuracy_{d}": best for d in (5, 10)}
    values |= {f"classical_accuracy_{d}": classical for d in (5, 10)}
    return single("farahat-rank-d", values, (data,), ms=(50, 100))


FARAHAT = [
    *of("f1", YES, single("farahat-recursion", {"difference": 1e-14}, "ab", ("icd", "greedy")),
        NO, single("farahat-recursion", {"difference": 1e-3}, "ab", ("icd", "greedy"))),
    *of("f2", YES, truncated(0.9, 0.7), PARTLY, truncated(0.9, 0.7) + truncated(0.7, 0.9, "b"),
        # Equal everywhere: nothing is gained.
        PARTLY, truncated(0.9, 0.9), NO, truncated(0.7, 0.9)),
    *of("f3", YES, farahat_figure1(), NO, farahat_figure1({"adaptive_full": 0.95})),
    *of("f4", YES, farahat_figure1(), PARTLY, farahat_figure1({}, {"sgma": 1.0}),
        NO, farahat_figure1({"sgma": 0.95}, {"sgma": 1.0})),
    *of("f5", YES, farahat_figure1() + farahat_figure1({"kmeans": 0.4}, datas=("c",)),
        PARTLY, farahat_figure1(), NO, farahat_figure1({"kmeans": 0.7})),
    *of("f6", YES, groups(), NO, groups(partition_greedy_5=1.5)),
    *of("f7", YES, farahat_figure1({}, {"partition_greedy": 2.0}),
        NO, farahat_figure1({}, {"partition_greedy": 50.0})),
    *of("f8", YES, chosen(agreed=60), YES, chosen(agreed=41, parted=1e-13), NO, chosen(agreed=3, parted=0.2)),
]  # fmt: skip


# Yang et al. 2012.
LEARNED = {"uniform": 0.5, "rff": 0.6, "rff_columns": 0.7}
learned = base(runs, "yang-fig2", "mse", means=LEARNED, datas=("cpu", "adult"), ms=(10, 20, 50), repeats=8)
operators = base(single, "yang-theorem5", means={"frobenius": 0.1, "bound": 2.0})


def eigenvalues(first, second):
    values = enumerate((first, second), start=1)
    return [one for k, v in values for one in single("yang-fig1-seeds", {"eigenvalue": v}, ms=(k,))]


GOOD = {"uniform": 0.1, "kmeans": 0.1, "rff": 49.0, "rff (scale 1)": 50.0}
CLOSE = {"uniform": 0.99, "kmeans": 0.99, "rff": 0.1, "rff (scale 1)": 0.1}


def balls(errors=(), cosines=()):
    values = {"test_error": GOOD | dict(errors), "cosine": CLOSE | dict(cosines)}
    return [one for name, of in values.items() for one in runs("yang-fig1", name, of, "a", (100,), once=of)]


def spectrum(values, n=100_000):
    ranks = enumerate(values, start=1)
    return [row("yang-fig3", "a", "svd", rank, 0, "eigenvalue", v, n=n) for rank, v in ranks]


SHARP = [0.9998] + [1e-6] * 200


def mixtures(slopes, advantages, spread=0.01):
    """Excess c·m^slope, and the error of random features over that of Nyström, for gaps that grow."""
    rng, rows = np.random.default_rng(0), []
    for k, (s, a) in enumerate(zip(slopes, advantages, strict=True), start=1):
        head = ("yang-eigengap", f"eigengap_mixture@share={k}")
        for r in range(10):
            rows.append(row(*head, "exact", 1000, r, "eigengap", 0.03 * k))
            for m in (10, 40, 160):
                wobble = 1.0 + 0.01 * rng.normal()
                rows.append(row(*head, "uniform", m, r, "excess", wobble * m**s))
                rows.append(row(*head, "uniform", m, r, "mse", wobble))
                rows.append(row(*head, "rff", m, r, "mse", a * math.exp(spread * rng.normal())))
    return rows


THEORY = (-0.5, -0.8, -1.1)
YANG = [
    *of("y1", YES, eigenvalues(0.786, 0.0068), PARTLY, eigenvalues(0.6, 0.0068), NO, eigenvalues(0.3, 0.3)),
    *of("y2", YES, balls(), PARTLY, balls({"uniform": 2.0}), NO, balls({"uniform": 30.0, "kmeans": 30.0})),
    *of("y3", YES, balls(), PARTLY, balls({"rff": 30.0}), NO, balls({"rff": 5.0})),
    *of("y4", YES, balls(), PARTLY, balls(cosines={"rff": 0.9}),
        NO, balls(cosines={"uniform": 0.1, "kmeans": 0.1})),
    *of("y5", YES, learned(), NO, learned(uniform=0.7, rff_columns=0.5)),
    *of("y6", YES, spectrum(SHARP, n=1000), NO, spectrum(np.full(1000, 1e-3), n=1000),
        # What the records leave out of the trace may stand in many eigenvalues.
        NO, spectrum([0.9] + [1e-6] * 200, n=1000)),
    *of("y7", YES, mixtures(THEORY, (0.99, 2.0, 5.0)), PARTLY, mixtures((-2.0, -3.0, -4.0), (1, 1, 1)),
        NO, mixtures((-0.9, -0.7, -0.5), (5.0, 3.0, 2.0))),
    *of("y8", YES, spectrum([40.0, 1e-6]), NO, spectrum(SHARP)),
    *of("y9", YES, operators(), NO, operators(frobenius=3.0)),
    *of("y10", YES, mixtures(THEORY, (0.99, 2.0, 5.0)),
        # An advantage that is not significant but above the limit is not gone.
        PARTLY, mixtures(THEORY, (1.1, 5.0, 50.0), spread=1.0), NO, mixtures(THEORY, (5.0, 3.0, 2.0))),
]  # fmt: skip


# Oglic & Gärtner 2017.
ERRORS = {"uniform": 1.0, "kmeanspp": 0.5, "kmeanspp_lloyd": 0.4, "leverage_approx": 0.8, "dpp": 0.9}
ERRORS |= {"dpp_10000": 0.8, "dpp_kmeanspp": 0.6}
CHAINS = {"dpp_kmeanspp_10": 0.5, "dpp_uniform_10": 1.0, "dpp_uniform_1000": 0.5}
chains = base(runs, "oglic-chain", "relative_frobenius", means=CHAINS, ms=(100,), repeats=10)
GUARANTEED = {"bound": 500.0, "outside_share": 0.01, "potential_bound": 30.0}
GUARANTEED |= {"over_best": 2.0, "potential": 2.0}
guaranteed = base(single, "oglic-theorems", means=GUARANTEED, methods=("kmeanspp",), ms=(5, 20))


def oglic_figure1(datas=("elevators", "cal_housing"), seconds=10.0, **errors):
    """Runs over the bandwidths, whose last one has a nearly diagonal matrix and no lift."""
    rows = []
    for k, gamma in enumerate(("0.01", "0.1 1/median", "1", "10")):
        means = dict.fromkeys(ERRORS, 1.0) if gamma == "10" else ERRORS | errors
        labels = [f"{data}@gamma={gamma}" for data in datas]
        rows += runs("oglic-fig1", "relative_frobenius", means, labels, (100,), 10, seed=k)
    return [one._replace(seconds=seconds if one.method == "dpp_10000" else 1.0) for one in rows]


def without_the_end():
    return [r for r in oglic_figure1() if "gamma=10" not in r.data]


def growing(**slopes):
    methods, rows = ("uniform", "kmeanspp", "leverage_approx", "dpp_10000"), []
    for m in (5, 20, 50, 100):
        means = {method: 1.0 / (1.0 + slopes.get(method, 0.0) * m) for method in methods}
        rows += runs("oglic-fig3", "relative_frobenius", means, ("elevators",), (m,), 5, seed=m)
    return rows


def fewer(loss):
    counts = (landmark_count(100, 1000, rule) for rule in ("k ln k", "k ln n"))
    datas = [f"elevators@gamma={g}" for g in (0.1, 1.0)]
    return [
        one
        for m, error in zip(counts, (loss, 1.0), strict=True)
        for one in runs("oglic-ranks", "relative_frobenius", {"kmeanspp": error}, datas, (m,), 4, "kmeanspp")
    ]


OGLIC = [
    *of("o1", YES, without_the_end(), PARTLY, oglic_figure1(), NO, oglic_figure1(kmeanspp=2.0)),
    *of("o2", YES, oglic_figure1(), NO, oglic_figure1(leverage_approx=0.3)),
    *of("o3", YES, oglic_figure1(), NO, without_the_end()),
    *of("o4", YES, oglic_figure1(leverage_approx=0.3), NO, oglic_figure1(leverage_approx=0.9),
        "not testable here", oglic_figure1(("elevators",))),
    *of("o5", YES, oglic_figure1(), PARTLY, oglic_figure1(seconds=1.0),
        NO, oglic_figure1(seconds=1.0, dpp=0.2, dpp_10000=0.3)),
    *of("o6", YES, chains(), PARTLY, chains(dpp_kmeanspp_10=0.8), NO, chains(dpp_kmeanspp_10=1.2)),
    *of("o7", YES, growing(kmeanspp=0.05, leverage_approx=0.01),
        PARTLY, growing(kmeanspp=0.01, leverage_approx=0.05), NO, growing(kmeanspp=-0.005)),
    *of("o8", YES, fewer(1.02), NO, fewer(2.0)),
    *of("o9", YES, oglic_figure1(), NO, oglic_figure1(kmeanspp_lloyd=0.9)),
    *of("o10", YES, guaranteed(), NO, guaranteed(over_best=900.0, potential=900.0)),
    *of("o11", YES, guaranteed(), NO, guaranteed(over_best=900.0, potential=900.0)),
]  # fmt: skip


# Papers after these.
GAPS = {"icd": 1.0, "uniform": 5.0, "kmeans": 2.0, "dpp": 2.0}
gaps = base(runs, "newer-evidence", "gap", means=GAPS, repeats=10, once=("icd",))
MACHINES = {"exact": 1.0, "uniform": 1.0, "farthest": 1.0}
machines = base(runs, "newer-centres", "mse", means=MACHINES, datas="ab", ms=(219,), repeats=10)
PIVOTS = {"rpcholesky_simple": 1.2, "rpcholesky": 1.2}
PIVOTS |= {"rpcholesky_block_m/2": 4.0, "rpcholesky_block_m/10": 1.3}


def pivots(evaluations=1.1, datas=("clusters@width=100", "digits"), **changed):
    spent = {"kernel_evaluations": evaluations * 51_000}
    spent = single("newer-columns", spent, datas, ["rpcholesky"], (50,))
    return spent + runs("newer-columns", "over_best", PIVOTS | changed, datas, (50,))


def over_best(bound, means, once=()):
    bounds = single("newer-columns", {"bound": bound}, "ab", list(means)[:1], (50,))
    return bounds + runs("newer-columns", "over_best", means, "ab", (50,), once=once)


def systems(condition=3.0, iterations=20, uniform=60):
    counts = {"rpcholesky": 40, "uniform": uniform, "none": 300}
    datas = [f"a@mu={shift}" for shift in ("0.01", "1e-06")]
    return [
        *single("newer-preconditioner", {"condition": condition}, "a", ("sketch",), (101,)),
        *runs("newer-preconditioner", "iterations", {"sketch": iterations}, datas, (101,), 10),
        *runs("newer-preconditioner", "iterations", counts, datas, (100,), 10),
    ]


def left_out(estimate, single_spread=0.1, jackknife=0.05, method="uniform"):
    rng = np.random.default_rng(0)
    rows = single("newer-columns", {"deviation": 0.04}, methods=(method,))
    for r in range(20):
        values = {"relative_frobenius": 0.1, "jackknife": jackknife}
        values["estimate"] = estimate * math.exp(single_spread * rng.normal())
        rows += [row("newer-columns", "a", method, 10, r, name, value) for name, value in values.items()]
    return rows


def sketched(mean):
    rows = single("newer-columns", {"bound": 2.0, "truncated": mean}, methods=("sketch",), ms=(51,))
    return rows + runs("newer-columns", "over_best", {"uniform": 2.0, "sketch": 1.3}, ("a",), (51,))


def nuclear(error):
    limit = single("newer-columns", {"expected": 2.0}, methods=("dpp",))
    return limit + single("newer-columns", {"over_best": error, "bound": 30.0}, methods=("greedy",))


def bless(error, evaluations):
    spent = single("newer-columns", {"kernel_evaluations": evaluations}, methods=("bless",))
    means = {"leverage": 1.0, "bless": error}
    return spent + runs("newer-columns", "relative_frobenius", means, ("a",), (10,))


NEWER = [
    *of("e1", YES, pivots(),
        PARTLY, pivots() + pivots(datas=("clusters@width=25",), **{"rpcholesky_block_m/2": 1.5}),
        # On other data it does not count.
        NO, pivots(datas=["digits"]) + pivots(datas=["clusters@width=100"], **{"rpcholesky_block_m/2": 1.3})),
    *of("e2", YES, pivots(), PARTLY, pivots(evaluations=3.0), NO, pivots(rpcholesky=1.5)),
    *of("e3", YES, over_best(2.0, {"rpcholesky": 1.5}), NO, over_best(1.2, {"rpcholesky": 1.5})),
    *of("e4", YES, systems(), NO, systems(condition=40.0)),
    *of("e5", YES, systems(), NO, systems(iterations=80)),
    *of("e6", YES, systems(), NO, systems(uniform=30)),
    *of("e7", YES, left_out(0.1), NO, left_out(0.2),
        # Right in the mean square, but single estimates are far off.
        NO, left_out(0.05, 1.2)),
    *of("e8", YES, left_out(0.1, method="diagonal"), NO, left_out(0.1, jackknife=0.03, method="diagonal")),
    *of("e9", YES, gaps(), NO, gaps(uniform=0.5)),
    *of("e10", YES, over_best(math.nan, {"arp": 20.0, "osinsky": 2.0}, once=("osinsky",)),
        NO, over_best(math.nan, {"arp": 20.0, "osinsky": 60.0}, once=("osinsky",))),
    *of("e11", YES, sketched(1.5), NO, sketched(2.5)),
    *of("e12", YES, bless(1.0, 400_000), PARTLY, bless(1.0, 2_000_000), NO, bless(1.5, 400_000)),
    *of("e13", YES, machines(), PARTLY, machines(farthest=0.5), NO, machines(uniform=2.0)),
    *of("e14", YES, nuclear(1.5), NO, nuclear(2.5)),
]  # fmt: skip


@pytest.mark.parametrize("repeats, expected", [(1, "too few runs"), (8, "too few runs"), (9, YES)])
def test_what_no_outcome_could_make_significant_is_a_verdict_of_its_own(repeats, expected):
    # Over ten cells the first limit of Holm's correction is 0.005, and 2/2⁸ is above it.
    ms = range(10, 110, 10)
    rows = runs("farahat-fig1", "relative_accuracy", ACCURACY, ("a", "b"), ms, repeats, ("greedy",))
    outcome = judged("f3", rows)
    assert str(outcome.verdict) == expected
    if repeats == 8:
        low, high = map(float, re.search(r"interval (\S+) … (\S+)", outcome.statistic).groups())
        values = [one.value for one in rows if (one.data, one.method) == ("a", "uniform")]
        logs = np.log(values).reshape(len(ms), repeats).mean(axis=0) - math.log(ACCURACY["greedy"])
        ends = student.interval(0.95, repeats - 1, logs.mean(), logs.std(ddof=1) / math.sqrt(repeats))
        assert (low, high) == pytest.approx(np.exp(ends), rel=6e-3) and high < 1
        assert "8 repeats on a" in outcome.statistic and "9 are needed" in outcome.statistic


@pytest.mark.parametrize("claim, rows, expected", [*ZHANG, *FARAHAT, *YANG, *OGLIC, *NEWER])
def test_verdict(claim, rows, expected):
    assert str(judged(claim, rows).verdict) == expected
