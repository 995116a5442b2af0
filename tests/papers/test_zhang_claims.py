"""z1 to z15 on rows in which they are true, and on rows in which they are not."""

import math

import numpy as np
import pytest

from nysviz.papers.published import table as published
from tests.papers.rows import judged, noisy, row, runs, verdict

FIGURE1 = {"svd": 1.0, "kmeans": 2.0, "icd": 5.0, "uniform": 4.0, "column_norm": 4.5}
TABLE3 = {"kmeans": 0.1, "icd": 0.5, "uniform": 0.3, "column_norm": 0.35}


def figure1(**changed):
    return runs("zhang-fig1", "frobenius", FIGURE1 | changed, once=("svd", "icd"))


@pytest.mark.parametrize("size, expected", [(1e-14, "reproduced"), (1e-3, "not reproduced")])
def test_z1_errors_between_landmarks(size, expected):
    rows = [
        row("zhang-prop1", d, k, 40, 0, "entry_error", size) for d in "ab" for k in ("Gaussian", "linear")
    ]
    assert verdict("z1", rows) == expected


def bounded(data, error, bound):
    return [
        row("zhang-prop3", data, "uniform", m, 0, measure, value)
        for m in (10, 20)
        for measure, value in (("frobenius", error), ("bound", bound))
    ]


def test_z2_bound():
    assert verdict("z2", bounded("a", 1.0, 100.0)) == "reproduced"
    assert verdict("z2", bounded("a", 1.0, 100.0) + bounded("b", 3.0, 2.0)) == "partly"
    assert verdict("z2", bounded("b", 3.0, 2.0)) == "not reproduced"
    assert "2 of 2 runs; bound / error 100" in judged("z2", bounded("a", 1.0, 100.0)).statistic


@pytest.mark.parametrize("ratio, expected", [(0.2, "reproduced"), (0.7, "not reproduced")])
def test_z3_constants(ratio, expected):
    values = {"largest_ratio": ratio, "printed_constant": 0.25, "derived_constant": 0.74}
    rows = [
        row("zhang-property8", "line", k, 4, 0, name, v)
        for k in ("Gaussian", "Laplacian")
        for name, v in values.items()
    ]
    assert verdict("z3", rows) == expected


def two_errors(between, inside, seed=0):
    """Errors that go together between the schemes, and with this sign within each."""
    rng = np.random.default_rng(seed)
    rows = []
    for level, method in enumerate(("kmeans", "uniform", "column_norm")):
        e = rng.normal(size=40)
        for r in range(40):
            q = 10.0 + between * level + e[r]
            f = 10.0 + between * level + inside * e[r] + 0.3 * rng.normal()
            rows += [
                row("zhang-fig2", "a", method, 100, r, "quantization", q),
                row("zhang-fig2", "a", method, 100, r, "frobenius", f),
            ]
    return rows


def test_z4_correlation():
    assert verdict("z4", two_errors(3.0, 1.0)) == "reproduced"
    assert verdict("z4", two_errors(5.0, 0.0)) == "partly"
    assert verdict("z4", two_errors(0.0, -1.0)) == "not reproduced"


def test_z5_second_to_svd():
    assert verdict("z5", figure1()) == "reproduced"
    assert verdict("z5", figure1(icd=1.5)) == "not reproduced"
    # Ahead on one of three sets only.
    one = [r for r in figure1() if r.data == "a"] + [r for r in figure1(kmeans=9.0) if r.data != "a"]
    assert verdict("z5", one) == "partly"


def test_z5_a_difference_by_chance_is_none():
    assert verdict("z5", figure1(kmeans=4.0)) == "not reproduced"


def test_z6_column_norm():
    assert verdict("z6", figure1()) == "reproduced"
    assert verdict("z6", figure1(column_norm=2.0)) == "not reproduced"


def with_decay(excess):
    """Three sets whose best error falls faster and faster; icd's excess over uniform is given for each."""
    rows = []
    for power, (data, ratio) in enumerate(zip("abc", excess, strict=True), start=1):
        for m in (10, 100):
            means = {"svd": m ** -float(power), "uniform": 1.0, "icd": ratio}
            rows += runs("zhang-fig1", "frobenius", means, (data,), (m,), 20, once=("svd", "icd"))
    return rows


def test_z7_icd_and_decay():
    assert verdict("z7", with_decay((3.0, 2.0, 1.0))) == "reproduced"
    assert verdict("z7", with_decay((2.0, 2.5, 3.0))) == "partly"
    assert verdict("z7", with_decay((0.3, 0.4, 0.5))) == "not reproduced"


def table3(**changed):
    return runs("zhang-table3", "misalignment", TABLE3 | changed, ms=(50,), once=("icd",))


def test_z8_misalignment():
    assert verdict("z8", table3()) == "reproduced"
    assert verdict("z8", table3(kmeans=0.4)) == "not reproduced"


def test_z9_printed_cells():
    cells = published("zhang2008_table3_error")
    rows = [
        row("zhang-table3", c["data"], c["method"], 50, r, "misalignment", c["mean"])
        for c in cells
        for r in range(3)
    ]
    assert verdict("z9", rows) == "reproduced"
    doubled = [row("zhang-table3", r.data, r.method, 50, r.repeat, "misalignment", 9 * r.value) for r in rows]
    assert verdict("z9", doubled) == "not reproduced"
    assert f"0 of {len(cells)} printed cells" in judged("z9", doubled).statistic


@pytest.mark.parametrize("whole, expected", [(50.0, "reproduced"), (3.0, "partly"), (0.5, "not reproduced")])
def test_z10_seconds(whole, expected):
    rows = [
        row("zhang-table3", d, m, 50, 0, "misalignment", 0.1, seconds=whole if m == "svd" else 1.0)
        for d in "ab"
        for m in ("svd", "kmeans", "uniform")
    ]
    assert verdict("z10", rows) == expected


def costs(exponents):
    rows = []
    for method, (of_n, of_m) in exponents.items():
        rows += [
            row("zhang-table1", "random points@n varied", method, 100, 0, "seconds", 1e-6 * n**of_n, n=n)
            for n in (1000, 2000, 8000)
        ]
        rows += [
            row("zhang-table1", "random points@m varied", method, m, 0, "seconds", 1e-6 * m**of_m, n=4000)
            for m in (50, 100, 400)
        ]
    return rows


def test_z11_exponents():
    stated = {"uniform": (1, 0), "column_norm": (2, 0), "kmeans": (1, 1), "icd": (1, 2)}
    assert verdict("z11", costs(stated)) == "reproduced"
    assert verdict("z11", costs(stated | {"kmeans": (1, 2)})) == "partly"
    assert verdict("z11", costs(dict.fromkeys(stated, (3.0, 3.0)))) == "not reproduced"


def table4(few, many, exact=1.0):
    """Test errors by method at m = 0.05 n and 0.1 n."""
    rng = np.random.default_rng(0)
    rows = []
    for data in ("digits 1-7", "digits 2-3"):
        for measure in ("test_error", "test_error_restricted"):
            rows.append(row("zhang-table4", data, "exact", 1000, 0, measure, exact))
            for m, means in ((50, few), (100, many)):
                for method, mean in means.items():
                    values = noisy(rng, mean, 1 if method == "icd" else 20)
                    rows += [
                        row("zhang-table4", data, method, m, r, measure, v) for r, v in enumerate(values)
                    ]
    return rows


AHEAD = {"svd": 1.0, "kmeans": 1.0, "uniform": 2.0, "column_norm": 2.2, "icd": 3.0}
LEVEL = {"svd": 1.0, "kmeans": 1.0, "uniform": 1.0, "column_norm": 1.0, "icd": 1.0}
BEHIND = {"svd": 1.0, "kmeans": 5.0, "uniform": 2.0, "column_norm": 2.2, "icd": 3.0}


def test_z12_to_z14_learning():
    assert verdict("z12", table4(AHEAD, LEVEL)) == "reproduced"
    assert verdict("z12", table4(BEHIND, AHEAD)) == "not reproduced"
    assert verdict("z13", table4(AHEAD, LEVEL)) == "reproduced"
    assert (
        verdict("z13", table4(AHEAD, {**AHEAD, "uniform": 4.0, "column_norm": 4.0, "icd": 4.0}))
        == "not reproduced"
    )
    assert verdict("z14", table4(AHEAD, LEVEL)) == "reproduced"
    assert verdict("z14", table4(AHEAD, BEHIND)) == "not reproduced"


def test_z12_absent_digits_are_named():
    assert judged("z12", table4(AHEAD, LEVEL)).absent == ("usps",)


@pytest.mark.parametrize("plain, expected", [(0.5, "reproduced"), (1e-14, "not reproduced")])
def test_z15_orthogonality(plain, expected):
    values = {
        "departure_orthogonal": 1e-14,
        "departure_extension": plain,
        "angle_orthogonal": 3.0,
        "angle_extension": 9.0,
    }
    rows = [row("zhang-prop4", d, "uniform", 50, 0, name, v) for d in "ab" for name, v in values.items()]
    assert verdict("z15", rows) == expected
    assert math.isfinite(rows[0].value)
