"""Arguments of public names, and of what scripts of the pages call, given what they are not: one sentence."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import nysviz as nv
from nysviz.advice.data import columns, pairwise_distances, repeated_rows, standard_bandwidths
from nysviz.analysis import bounds
from nysviz.analysis.learning.conjugate_gradients import solve
from nysviz.analysis.learning.feature_trial import TrialSetting, trial
from nysviz.analysis.learning.gaussian_process import exact_process, sparse_process
from nysviz.analysis.learning.kernel_pca import exact_embedding
from nysviz.analysis.learning.ls_svm import train, train_exact, two_classes
from nysviz.analysis.steps import trace
from nysviz.kernels.base import as_kernel
from nysviz.kernels.matrix import KernelMatrix
from nysviz.nystroem.measures import row_errors, sampled_errors
from nysviz.sweep import Problem, cost_jobs, sweep_jobs
from nysviz.sweep.ranking import friedman

NAN, INF = float("nan"), float("inf")
X = np.random.default_rng(0).standard_normal((30, 2))
K = nv.Gaussian(1.0)
A = nv.approximate(X, K, "icd", 5)
CSV = b"a,b\n1,2\n3,4\n5,6\n"
Y, SIGNS = X[:, 0], np.where(np.arange(30) % 3, 1.0, -1.0)
PROBLEM, IRIS = Problem("x", X, K, "x"), nv.load("iris")
LONELY = nv.Dataset.from_arrays("few", np.eye(3), [0, 0, 1], task="classification")
CLASSES = TrialSetting("classification")
OTHERS = ("kmeans", "rpcholesky", "dpp", "ensemble", "rff", "svd")
OTHERS = {method: nv.approximate(X, K, method, 5) for method in OTHERS}


class Nothing:
    """No argument takes it; its name is the same in every process that collects the tests."""

    def __repr__(self):
        return "Nothing()"


NOTHING = Nothing()
WHOLE = ["3", NAN, INF, 0, -1, 2.5, [], [2], NOTHING]
REAL = ["3", NAN, INF, -1, [], [2.0], NOTHING, 1 + 2j, 10**400]
TABLE = [
    "text", None, NAN, 5, [], [[]], [1.0, 2.0], [[NAN, 1.0]], [[INF, 1.0]], [["a", "b"]], [[1], [1, 2]],
    np.zeros((2, 2, 2)), {"a": 1}, NOTHING, np.zeros((0, 2)), np.zeros((3, 0)), np.ones((3, 2), complex),
    np.ma.masked_greater(X, 1.0), np.array([[1j, 2.0]], object), np.array([["1", 2.0]], object),
    np.array([["2020-01-01"]], "datetime64[D]"), np.zeros(2, [("a", float)]),
    pd.DataFrame({"a": pd.to_datetime(["2020-01-01"]), "b": [1.0]}),
    pd.DataFrame({"a": pd.array([1, None, 3], "Int64"), "b": [0.5, 1.5, 2.5]}),
]  # fmt: skip
SPARSE = sparse.csr_array(X)
OF_SPARSE = nv.approximate(SPARSE, nv.Linear(), "uniform", 2)
NO_TABLE = ["text", None, NAN, 5, [1.0, 2.0], NOTHING]
KERNEL = [None, "gaussian", 3, nv.Gaussian, NOTHING]
COUNTS = [5, NAN, None, "5", True, NOTHING, np.array(3), [0], [-1], [2.5], [NAN], ["3"], [[3]], [31], [None]]
SEED = ["a", NAN, -1, 2.5, [2.5], NOTHING]
MATRIX = [3, "a", X, NOTHING]
METHOD = [None, "kmeen", 3, ["kmeans"], ""]
CHOICE = [None, 3, "x", NOTHING]
POSITIVE = [*REAL, None, 0]
# Functions with arguments that are right, each of which is replaced in turn by what it cannot be.
RIGHT = [
    (nv.approximate, {"X": X, "kernel": K, "method": "uniform", "m": 1, "seed": 0, "matrix": None}),
    (nv.error_curve, {"X": X, "kernel": K, "method": "uniform", "ms": [1], "seed": 0, "matrix": None}),
    (nv.errors, {"X": X, "kernel": K, "a": A, "K": None, "tolerance": 0.1}),
    (nv.spectrum, {"X": X, "kernel": K, "K": None}),
    (nv.quantization_error, {"X": X, "landmarks": X}),
    (nv.recommend, {"X": X, "norm": "trace", "seed": 0}),
    (nv.two_balls, {"n": 9, "redundant": 0, "seed": 0}),
    *((of, {"sigma": 1.0}) for of in (nv.Gaussian, nv.Laplacian, nv.Matern, nv.RationalQuadratic)),
    (nv.Gaussian.from_width, {"width": 1.0}),
    (nv.Gaussian.from_gamma, {"gamma": 1.0}),
    (nv.RationalQuadratic, {"alpha": 1.0}),
    (nv.InverseDistance, {"sigma": 1.0, "epsilon": 1.0}),
    (A.eigh, {"k": 2, "form": "orthogonal"}),
    (A.truncate, {"d": 2, "how": "best"}),
    (A.solve, {"b": X[:, 0], "shift": 1.0}),
    (A.logdet, {"shift": 1.0}),
]
WRONG = {
    "X": TABLE, "kernel": KERNEL, "method": METHOD, "m": [*WHOLE, None, 31, True], "ms": COUNTS, "seed": SEED,
    "matrix": MATRIX, "K": MATRIX, "a": [None, *MATRIX], "tolerance": REAL, "norm": [None, "spectral", 3],
    **dict.fromkeys(["sigma", "width", "gamma", "alpha", "epsilon", "shift"], POSITIVE),
    "k": WHOLE, "d": [*WHOLE, None], "form": CHOICE, "how": CHOICE,
    "landmarks": [*TABLE, np.ones((3, 3)), sparse.eye_array(3, format="csr")],
    "b": [*TABLE, sparse.csr_array(np.ones((30, 1))), np.full(30, NAN)],
    "n": [*WHOLE, None, 1, 10**9], "redundant": ["3", None, NAN, -1, 2.5, []],
}  # fmt: skip


ARGUMENTS = {
    **{
        f"{function.__qualname__}, {name}": (
            lambda v, function=function, right=right, name=name: function(**right | {name: v}), WRONG[name],
        )
        for function, right in RIGHT
        for name in right
    },
    "approximate, X of the kernel": (lambda v: nv.approximate(v, K, "icd", 1), [SPARSE, 1e200 * X]),
    **{
        f"{name} kernel, {way}": (call, [SPARSE])
        for name, kernel in (("Gaussian", K), ("polynomial", nv.Polynomial()))
        for way, call in (("X", kernel), ("against", kernel.against), ("Y", lambda v, k=kernel: k(X, v)))
    },
    **{
        f"{name}, squares out of range of the {kernel.label} kernel": (
            lambda v, ask=ask, kernel=kernel: ask(v, kernel), [1e80 * X, 1e-75 * X, 1e-90 * X, 1e-170 * X],
        )
        for kernel in (nv.Linear(), nv.Polynomial(2, 0.0))
        for name, ask in (
            ("error_curve", lambda v, k: nv.error_curve(v, k, "uniform", [2])),
            ("errors", lambda v, k: nv.errors(v, k, nv.approximate(v, k, "uniform", 2))),
        )
    },
    "Problem, X": (lambda v: Problem("x", v, K, "x"), [SPARSE]),
    **{
        f"{name}, sparse X": (call, [SPARSE])
        for name, call in (
            ("error_bound", lambda v: bounds.error_bound(v, nv.Linear(), OF_SPARSE)),
            ("ladder", lambda v: bounds.ladder(v, nv.Linear(), OF_SPARSE)),
            ("entry_errors", lambda v: bounds.entry_errors(nv.Linear(), X[:5], v)),
            ("encode", lambda v: bounds.encode(v, X[:5])),
        )
    },
    "an own function, what it returns": (
        lambda v: as_kernel(lambda X, Y: v)(X[:7], X[:4]),
        [1.0, np.ones((7, 7)), np.full((7, 4), "a"), np.full((7, 4), NAN)],
    ),
    "approximate, method of the kernel": (lambda v: nv.approximate(X, nv.Linear(), v, 2), ["rff", "orf"]),
    "error_curve, method of the kernel": (lambda v: nv.error_curve(X, nv.Linear(), v, [2]), ["rff", "orf"]),
    "approximate, tolerance": (
        lambda v: nv.approximate(X, K, "icd", 5, tolerance=v), [*REAL, 0, 1, 2.0],
    ),
    "approximate, tolerance of the method": (
        lambda v: nv.approximate(X, K, v, 5, tolerance=0.1), ["uniform", "kmeans", "svd", "rff", "arp"],
    ),
    "approximate, options": (lambda v: nv.approximate(X, K, "uniform", 2, **v), [{"form": "simple"}]),
    "error_curve, options": (lambda v: nv.error_curve(X, K, "rpcholesky", [2], **v), [{"form": "quick"}]),
    "errors, X of fewer rows": (lambda v: nv.errors(v, K, A), [X[:20]]),
    "spectrum, k": (lambda v: nv.spectrum(X, K, v), [*WHOLE, 31]),
    "default_width, X": (nv.default_width, [*TABLE, sparse.eye_array(3)]),
    "Matern, nu": (nv.Matern, [*REAL, None, 0, 1.0]),
    "PerFeature, kernel_class": (lambda v: nv.PerFeature(v, [1.0]), [None, K, nv.Linear, "gaussian"]),
    "PerFeature, widths": (lambda v: nv.PerFeature(nv.Gaussian, v), [3, None, *([v] for v in [*REAL, 0])]),
    "PerFeature, X": (nv.PerFeature(nv.Gaussian, [1.0]), [*TABLE, X]),
    "Precomputed, K": (nv.Precomputed, [*TABLE, X, [[-1.0]], [[1.0, 0.5], [0.4, 1.0]], ["ab"]]),
    "Precomputed, repair": (lambda v: nv.Precomputed([[1.0]], v), ["clipped", 1, NOTHING]),
    "Sigmoid, gamma": (nv.Sigmoid, POSITIVE),
    "Sigmoid, c": (lambda v: nv.Sigmoid(1.0, v), ["3", None, NAN, INF, [], [2.0], NOTHING, 1j]),
    "ChiSquared, gamma": (nv.ChiSquared, POSITIVE),
    **{
        f"ChiSquared, {name}": (call, [*NO_TABLE, X])
        for name, call in (
            ("X", nv.ChiSquared()),
            ("diagonal", nv.ChiSquared().diag),
            ("left", lambda v: nv.ChiSquared()(v, np.abs(X))),
        )
    },
    "Cosine, X": (nv.Cosine(), [*NO_TABLE, SPARSE]),
    "Polynomial, degree": (lambda v: nv.Polynomial(v, 1.0), [*WHOLE, None]),
    "Polynomial, epsilon": (lambda v: nv.Polynomial(2, v), [*REAL, None]),
    **{f"{kind}, diagonal": (made.diag, NO_TABLE) for kind, made in (("radial", K), ("linear", nv.Linear()))},
    "transform, X_new": (A.transform, [*NO_TABLE, [[NAN, 1.0]], [[INF, 1.0]], np.ones((3, 3)), SPARSE]),
    "recommend, target": (lambda v: nv.recommend(X, target=v), [*REAL, None, 0, 1]),
    "recommend, seconds": (lambda v: nv.recommend(X, seconds=v), [*REAL, 0]),
    "recommend, memory": (lambda v: nv.recommend(X, memory=v), [*REAL, 0]),
    "recommend, methods": (lambda v: nv.recommend(X, methods=v), [[], ["kmeen"], [3], 3, "kmeans"]),
    "recommend, y": (lambda v: nv.recommend(X, y=v), ["a", 3, [], X, np.zeros(3), np.full(30, NAN)]),
    "load, name": (nv.load, [None, 3, "nope", "", NOTHING]),
    "load, n": (lambda v: nv.load("clusters", n=v), [*WHOLE, None]),
    "two_balls, distance": (lambda v: nv.two_balls(n=9, distance=v), [None, NAN, INF, -1, [], 1j]),
    "clusters": (
        lambda v: nv.load("clusters", **v),
        [{"k": 0}, {"k": 11, "n": 10}, {"d": 0}, {"separation": -1.0}, {"separation": INF}, {"n": 1.5},
         {"m": 5}],
    ),
    "swiss_roll": (lambda v: nv.load("swiss_roll", **v), [{"n": 0}, {"noise": -0.1}, {"n": 10**9}]),
    "eigengap_mixture": (
        lambda v: nv.load("eigengap_mixture", **v),
        [{"gap": 0.0}, {"gap": 0.18}, {"gap": NAN}, {"r": 1}, {"r": 16}, {"n": 0}, {"n": 99}, {"seed": -3}],
    ),
    "chosen_spectrum": (
        lambda v: nv.load("chosen_spectrum", **v),
        [{"n": 1}, {"d": 501}, {"d": 11, "n": 10}, {"law": "linear"}, {"law": 3}, {"rate": -1.0}, {"rank": 0},
         {"rank": 201}, {"coherence": 1.1}, {"coherence": NAN}, {"seed": -1}],
    ),
    "flower_patches": (
        lambda v: nv.load("flower_patches", **v),
        [{"patch": 3}, {"patch": 17}, {"n": 99}, {"n": 20_001}, {"seed": -1}, {"patch": 8.5}, {"size": 3}],
    ),
    "parse, content": (lambda v: nv.parse(v, "a.csv"), [None, 3, "1,2", b"", [], NOTHING]),
    "parse, filename": (lambda v: nv.parse(CSV, v), [None, 3, NOTHING]),
    "parse, target": (lambda v: nv.parse(CSV, "a.csv", v), [3.5, -1, 99, "zz", [], NAN, NOTHING]),
    "NystroemFeatures, kernel": (lambda v: nv.NystroemFeatures(v).fit(X), KERNEL[1:]),
    "NystroemFeatures, method": (lambda v: nv.NystroemFeatures(K, v, 3).fit(X), METHOD),
    "NystroemFeatures, n_components": (lambda v: nv.NystroemFeatures(K, "icd", v).fit(X), [*WHOLE, None]),
    "NystroemFeatures, options": (lambda v: nv.NystroemFeatures(K, options=v).fit(X), [3, "a", {"x": 1}]),
    "NystroemFeatures, landmarks": (
        lambda v: nv.NystroemFeatures(K, landmarks=v).fit(X),
        [*(each for each in TABLE if each is not None), [30], [-1]],
    ),
    "NystroemFeatures, random_state": (lambda v: nv.NystroemFeatures(K, random_state=v).fit(X), SEED),
    "FourierFeatures, sigma": (lambda v: nv.FourierFeatures(v, 3).fit(X), [*REAL, 0]),
    "FourierFeatures, n_frequencies": (lambda v: nv.FourierFeatures(1.0, v).fit(X), [*WHOLE, None]),
    "FourierFeatures, random_state": (lambda v: nv.FourierFeatures(1.0, 3, random_state=v).fit(X), SEED),
    "conjugate gradients, b and shift": (
        lambda v: solve(KernelMatrix(X, K), *v), [(Y, 0.0), (Y[:9], 1.0), (X, 1.0), (np.full(30, NAN), 1.0)],
    ),
    "conjugate gradients, a": (
        lambda v: solve(KernelMatrix(X, K), Y, 1.0, v), [nv.approximate(X[:9], K, "uniform", 3)],
    ),
    **{
        f"{name}, y and noise": (process, [(Y, 0.0), (Y[:5], 1.0), (X[:, :1], 1.0)])
        for name, process in (
            ("exact process", lambda v: exact_process(X, v[0], K, v[1])),
            ("sparse process", lambda v: sparse_process(X, v[0], A, v[1])),
        )
    },
    "sparse process, a": (lambda v: sparse_process(X, Y, v, 0.1), [nv.approximate(X, K, "rff", 9)]),
    "exact_embedding": (
        lambda v: exact_embedding(v[0], K, v[1]),
        [(np.ones((50, 2)), 3), (X[:1], 1), (X[:3], 3), (X[:9], 0), (np.full((5, 2), NAN), 1)],
    ),
    "train_exact, C": (lambda v: train_exact(K(X), SIGNS, v), POSITIVE),
    "train_exact, y": (lambda v: train_exact(K(X), v), [np.ones(30), np.arange(30.0)]),
    "train_exact, K": (lambda v: train_exact(v, SIGNS[:2], 10.0), [np.array([[1.0, 4.0], [4.0, 1.0]])]),
    "train, y": (
        lambda v: train(A, v),
        [np.ones(3), None, "a", np.where(SIGNS > 0, "a", "b"), np.where(SIGNS > 0, "1", "-1"), SIGNS > 0,
         Y, np.full(30, NAN), np.where(SIGNS > 0, 1.0, NAN), 1j * SIGNS, SIGNS.astype(object) * 2],
    ),
    "two_classes": (
        lambda v: two_classes(IRIS, **v),
        [{"first": 1, "second": 1}, {"first": 1, "second": 11}, {"first": 0, "second": 1, "share": 1.0}],
    ),
    "two_classes, data": (lambda v: two_classes(v, 0, 1), [LONELY]),
    "trial": (
        lambda v: trial(IRIS.X[: v[0]], v[1][: v[0]], v[2], v[3], v[4], v[5], 0),
        [(150, IRIS.y, nv.Linear(), CLASSES, "rff", 10), (8, IRIS.y, K, CLASSES, "uniform", 2),
         (150, IRIS.y, K, TrialSetting("regression", "svm"), "uniform", 10),
         (150, np.zeros(150), K, CLASSES, "uniform", 10), (150, IRIS.y, K, CLASSES, "uniform", 121)],
    ),
    "friedman": (
        lambda v: friedman(*v),
        [(np.ones((3, 2)), ["a", "b", "c"]), (np.ones((3, 1)), ["a"]), (np.ones((0, 2)), ["a", "b"]),
         (np.array([[1.0, NAN]]), ["a", "b"])],
    ),
    "trace": (
        lambda v: trace(KernelMatrix(X, K), v[0], rng=np.random.default_rng(0), **({"steps": 5} | v[1])),
        [("svd", {}), ("icd", {"steps": 71}), ("icd", {"landmarks": 5}), ("dpp", {"landmarks": 71}),
         ("greedy", {"speed": 3}), ("kmeans", {"iterations": 3})],
    ),
    "sweep_jobs": (
        lambda v: sweep_jobs(PROBLEM, *v),
        [({"kmean": ()}, [3]), ({"kmeans": ()}, (0, 3)), ({"kmeans": ()}, (500,)),
         ({"kmeans": ()}, [3], 1, 0, ("error",))],
    ),
    "cost_jobs": (lambda v: cost_jobs(PROBLEM, v, [3]), [{"kmeans": (("steps", 3),)}]),
    **{
        f"{ask.__name__}, another's approximation": (
            lambda v, ask=ask: ask(X, K, v),
            [nv.approximate(X, nv.Gaussian(9.0), "icd", 5), nv.approximate(X[:, :1], K, "icd", 5)],
        )
        for ask in (nv.errors, sampled_errors, row_errors, bounds.error_bound, bounds.ladder)
    },
    "errors, another function": (
        lambda m: nv.errors(X, lambda A, B: A @ B.T, nv.approximate(X, lambda A, B: A @ B.T, "icd", m)), [2],
    ),
    "leave_one_out": (nv.leave_one_out, [*OTHERS.values(), nv.approximate(X, K, "uniform", 5).truncate(3)]),
    "inducing_points, method": (lambda v: nv.inducing_points(X, 5, v), ["svd", "rff", "ensemble"]),
    "derived_constant": (
        lambda v: bounds.derived_constant(*v),
        [(of, *radius) for of in (nv.Linear(), nv.Polynomial(3, 0.2)) for radius in ((), (INF,))],
    ),
    "error_bound, a": (lambda v: bounds.error_bound(X, K, v), [OTHERS["svd"], OTHERS["ensemble"]]),
    "recommend, all": (
        lambda v: nv.recommend(X if len(v) < 3 else sparse.eye_array(5, format="csr"), methods=v),
        [["svd"], ["rff"], ["icd", "uniform", "greedy"]],
    ),
    **{
        f"{ask.__name__}, X": (ask, [sparse.csr_array(np.eye(3)), np.array([[1.0], [NAN]])])
        for ask in (pairwise_distances, columns, repeated_rows)
    },
    "standard_bandwidths": (lambda v: standard_bandwidths(v, pairwise_distances(v)), [np.ones((5, 2))]),
    "Dataset.from_arrays": (
        lambda v: nv.Dataset.from_arrays("a", *v),
        [(np.zeros(3),), (np.zeros((0, 3)),), (np.zeros((3, 0)),), ([[1.0, NAN]],), ([[1.0, INF]],),
         (np.zeros((3, 2)), [1, 2]), (np.zeros((2, 2)), [1, NAN])],
    ),
    "plot.error_curves": (
        lambda v: nv.plot.error_curves(*v), [([5, 10, 15], {"kmeans": [1.0, 0.5]}), ([5], {"kmean": [1.0]})],
    ),
    "plot.lift": (lambda v: nv.plot.lift([5, 10], v), [{"kmeans": [1.0, 0.5]}]),
    "plot.landmarks, data": (lambda v: nv.plot.landmarks(v, A), [IRIS]),
    "load, preparation": (lambda v: nv.load("iris", preparation=v), ["tf-idf", 3]),
    **{
        f"{method}, {option.name}": (
            lambda v, method=method, name=option.name: nv.approximate(X, K, method, 2, **{name: v}),
            ["x", NAN, -1, [], NOTHING],
        )
        for method, entry in nv.METHODS.items()
        for option in entry.options
    },
}  # fmt: skip


@pytest.mark.parametrize(
    "call, value",
    [
        pytest.param(call, value, id=f"{name} = {value!r:.40}")
        for name, (call, values) in ARGUMENTS.items()
        for value in values
    ],
)
def test_what_an_argument_cannot_be_is_refused_in_one_sentence(call, value):
    with pytest.raises(ValueError, match=r"\A[^\n]+[.]\Z"):
        call(value)
