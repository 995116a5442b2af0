"""o1 to o11 on rows in which they are true, and on rows in which they are not."""

import numpy as np
import pytest

from nysviz.papers.oglic2017.lift import landmark_count
from tests.papers.rows import noisy, row, verdict

ERRORS = {
    "uniform": 1.0,
    "kmeanspp": 0.5,
    "kmeanspp_lloyd": 0.4,
    "leverage_approx": 0.8,
    "dpp": 0.9,
    "dpp_10000": 0.8,
    "dpp_kmeanspp": 0.6,
}
DATA = ("elevators", "cal_housing")
GAMMAS = ("0.01", "0.1 1/median", "1", "10")


def figure1(datas=DATA, gammas=GAMMAS, seconds=10.0, experiment="oglic-fig1", ms=(100,), **errors):
    """Runs over the bandwidths, whose last one has a nearly diagonal matrix and no lift."""
    rng = np.random.default_rng(0)
    rows = []
    for data in datas:
        for gamma in gammas:
            flat = gamma == gammas[-1]
            for m in ms:
                for method, mean in (ERRORS | errors).items():
                    level = 1.0 if flat else mean
                    time = seconds if method == "dpp_10000" else 1.0
                    rows += [
                        row(
                            experiment,
                            f"{data}@gamma={gamma}",
                            method,
                            m,
                            r,
                            "relative_frobenius",
                            v,
                            seconds=time,
                        )
                        for r, v in enumerate(noisy(rng, level, 10, 0.01))
                    ]
    return rows


def not_flat(**errors):
    return figure1(gammas=("0.01", "0.1 1/median", "1", "2", "3"), **errors)


def test_o1_lift():
    only = [r for r in figure1() if "gamma=10" not in r.data]
    assert verdict("o1", only) == "reproduced"
    assert verdict("o1", figure1()) == "partly"
    assert verdict("o1", figure1(kmeanspp=2.0)) == "not reproduced"


def test_o2_best():
    assert verdict("o2", figure1()) == "reproduced"
    assert verdict("o2", figure1(leverage_approx=0.3)) == "not reproduced"


def test_o3_identity():
    assert verdict("o3", figure1()) == "reproduced"
    assert verdict("o3", [r for r in figure1() if "gamma=10" not in r.data]) == "not reproduced"


def test_o4_leverage():
    assert verdict("o4", figure1(leverage_approx=0.3)) == "reproduced"
    assert verdict("o4", figure1(leverage_approx=0.9)) == "not reproduced"
    assert verdict("o4", figure1(("elevators",))) == "not testable here"


def test_o5_chain():
    assert verdict("o5", figure1()) == "reproduced"
    assert verdict("o5", figure1(seconds=1.0)) == "partly"
    assert verdict("o5", figure1(seconds=1.0, dpp=0.2, dpp_10000=0.3)) == "not reproduced"


def chains(warm, cold, settled):
    """Errors after 10 steps from either start, and after 1 000."""
    rng = np.random.default_rng(0)
    means = {"dpp_kmeanspp_10": warm, "dpp_uniform_10": cold, "dpp_uniform_1000": settled}
    return [
        row("oglic-chain", data, method, 100, r, "relative_frobenius", value)
        for data in DATA
        for method, mean in means.items()
        for r, value in enumerate(noisy(rng, mean, 10, 0.01))
    ]


def test_o6_warm_start():
    assert verdict("o6", chains(0.5, 1.0, 0.5)) == "reproduced"
    assert verdict("o6", chains(0.8, 1.0, 0.5)) == "partly"
    assert verdict("o6", chains(1.2, 1.0, 0.5)) == "not reproduced"


def growing(**slopes):
    rng = np.random.default_rng(0)
    rows = []
    for m in (5, 20, 50, 100):
        for method in ("uniform", "kmeanspp", "leverage_approx", "dpp_10000"):
            error = 1.0 / (1.0 + slopes.get(method, 0.0) * m)
            rows += [
                row("oglic-fig3", "elevators", method, m, r, "relative_frobenius", v)
                for r, v in enumerate(noisy(rng, error, 5, 0.01))
            ]
    return rows


def test_o7_growth():
    assert verdict("o7", growing(kmeanspp=0.05, leverage_approx=0.01)) == "reproduced"
    assert verdict("o7", growing(kmeanspp=0.01, leverage_approx=0.05)) == "partly"
    assert verdict("o7", growing(kmeanspp=-0.005)) == "not reproduced"


@pytest.mark.parametrize("loss, expected", [(1.02, "reproduced"), (2.0, "not reproduced")])
def test_o8_landmarks(loss, expected):
    few, many = (landmark_count(100, 1000, rule) for rule in ("K ln K", "K ln n"))
    rows = [
        row("oglic-ranks", f"elevators@gamma={g}", "kmeanspp", m, r, "relative_frobenius", error)
        for g in (0.1, 1.0)
        for m, error in ((few, loss), (many, 1.0))
        for r in range(4)
    ]
    assert verdict("o8", rows) == expected


def test_o9_refinement():
    assert verdict("o9", figure1()) == "reproduced"
    assert verdict("o9", figure1(kmeanspp_lloyd=0.9)) == "not reproduced"


@pytest.mark.parametrize("size, expected", [(2.0, "reproduced"), (900.0, "not reproduced")])
def test_o10_o11_bounds(size, expected):
    fixed = {"bound": 500.0, "outside_share": 0.01, "potential_bound": 30.0}
    rows = [
        row("oglic-theorems", "a", "kmeanspp", k, 0, name, v) for k in (5, 20) for name, v in fixed.items()
    ]
    rows += [
        row("oglic-theorems", "a", "kmeanspp", k, r, name, size)
        for k in (5, 20)
        for r in range(3)
        for name in ("over_best", "potential")
    ]
    assert verdict("o10", rows) == expected
    assert verdict("o11", rows) == expected
