"""Landmark selection: the registry of methods.

To add a method: one function ``select(K, m, rng, **options) -> Selection`` in the module of its family, one
entry here with what it costs and how it is drawn, and one slow twin in ``tests/naive.py``. Menus, sweeps and
the parametrised tests read this dict.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nysviz.kernels import Gaussian
from nysviz.landmarks import cost
from nysviz.landmarks.adaptive import adaptive_full, adaptive_partial
from nysviz.landmarks.best import sketch, svd
from nysviz.landmarks.cost import Work
from nysviz.landmarks.determinantal import dpp, dpp_exact
from nysviz.landmarks.eigenvector_pivoting import arp, osinsky
from nysviz.landmarks.greedy_pivoting import greedy, partition_greedy, sgma
from nysviz.landmarks.leverage_scores import bless, leverage, leverage_approx, rls
from nysviz.landmarks.mixture import ensemble
from nysviz.landmarks.pivoting import icd, rpcholesky, rpcholesky_block
from nysviz.landmarks.quantize import farthest, kmeans, kmeanspp, kmeanspp_lloyd
from nysviz.landmarks.random_features import orf, rff
from nysviz.landmarks.sampling import column_norm, diagonal, uniform
from nysviz.landmarks.selection import Method, Option, Selection

_RIDGE = Option(
    "ridge",
    "ridge, times the mean tail",
    1.0,
    bounds=(1e-6, 1e6),
    sentence="A small ridge asks for the fine detail of K, a large one for its leading directions alone.",
)
_PER_ROUND = Option(
    "per_round",
    "rows a round",
    10,
    bounds=(1, 1_000),
    sentence="Small rounds adapt sooner and cost more.",
)
_REPLACEMENT = Option(
    "replacement",
    "rows drawn",
    "with",
    choices=("with", "without"),
    sentence="With replacement, as in the papers, a row may come twice and then adds nothing.",
)

METHODS: dict[str, Method] = {
    "uniform": Method(
        label="uniform sampling",
        short="uniform",
        source="Williams & Seeger 2001",
        sentence="Picks m rows at random, each as likely as any other.",
        complexity="O(n)",
        select=uniform,
        family="sampling",
        stroke=("solid", "circle"),
        nested=True,
    ),
    "column_norm": Method(
        label="column-norm sampling",
        source="Drineas & Mahoney 2005; Zhang, Tsang & Kwok 2008",
        sentence="Draws rows with replacement, more often those whose column of K is long.",
        complexity="O(n²)",
        select=column_norm,
        family="sampling",
        stroke=("dash", "square-open"),
        nested=True,
        reads=True,
        work=lambda size, options: size.whole + size.factor,
    ),
    "diagonal": Method(
        label="diagonal sampling",
        source="Drineas & Mahoney 2005",
        sentence="Draws rows with replacement by the square of K_ii; for a Gaussian kernel all are equal.",
        complexity="O(n)",
        select=diagonal,
        family="sampling",
        stroke=("dot", "circle-open"),
        nested=True,
    ),
    "ensemble": Method(
        label="ensemble",
        source="Kumar, Mohri & Talwalkar 2009",
        sentence="Averages several approximations, each from its own m random rows.",
        complexity="O(pnm²)",
        select=ensemble,
        family="sampling",
        stroke=("dashdot", "hexagon-open"),
        options=(
            Option(
                "experts",
                "experts p",
                10,
                bounds=(1, 100),
                sentence="Each has m landmarks of its own, so the cost grows with their number.",
            ),
            Option(
                "shares",
                "shares of the experts",
                "uniform",
                choices=("uniform", "ridge"),
                sentence="Equal shares, or nonnegative ones fitted to twenty more columns of K.",
            ),
        ),
        work=lambda size, options: float(options["experts"]) * size.factor,
        factors=32.0,
    ),
    "kmeans": Method(
        label="k-means centres",
        short="k-means",
        source="Zhang, Tsang & Kwok 2008",
        sentence="Takes the m centres of k-means, which encode the data with a small error.",
        complexity="O(nmd) an iteration",
        select=kmeans,
        family="quantization",
        stroke=("solid", "square"),
        landmarks_are_data=False,
        options=(
            Option("iterations", "Lloyd iterations", 10, bounds=(1, 50)),
            Option(
                "empty",
                "empty clusters",
                "farthest",
                choices=("farthest", "keep"),
                sentence="They restart at the row farthest from its centre, or keep their centre.",
            ),
        ),
        work=lambda size, options: float(options["iterations"]) * size.nearest + size.factor,
    ),
    "kmeanspp": Method(
        label="kernel k-means++",
        source="Oglic & Gärtner 2017",
        sentence="Picks the next row more often the farther it lies, in feature space, from those chosen.",
        complexity="O(nmd)",
        select=kmeanspp,
        family="quantization",
        stroke=("dash", "diamond"),
        nested=True,
        work=lambda size, options: size.columns_one_by_one + size.factor,
    ),
    "kmeanspp_lloyd": Method(
        label="kernel k-means++, refined",
        short="k-means++ refined",
        source="Oglic & Gärtner 2017",
        sentence="Moves k-means++ rows to the means of their clusters while that pays in feature space.",
        complexity="O(nmd) a step",
        select=kmeanspp_lloyd,
        family="quantization",
        stroke=("dashdot", "diamond-wide"),
        landmarks_are_data=False,
        options=(Option("iterations", "Lloyd steps at most", 10, bounds=(0, 50)),),
        # Each Lloyd step is judged by the kernel's entries.
        work=lambda size, options: (
            size.columns_one_by_one
            + (1.0 + float(options["iterations"])) * (Work(size.nm) + size.nearest)
            + size.factor
        ),
    ),
    "farthest": Method(
        label="farthest points",
        source="Gonzalez 1985",
        sentence="From a random first row on, always picks the row farthest from all chosen so far.",
        complexity="O(nmd)",
        select=farthest,
        family="quantization",
        stroke=("dot", "x"),
        extreme=True,
        nested=True,
        work=lambda size, options: size.columns_one_by_one + size.factor,
    ),
    "icd": Method(
        label="incomplete Cholesky",
        source="Fine & Scheinberg 2001; Bach & Jordan 2005",
        sentence="Always picks the row that is reproduced worst so far; of a Gaussian process, the one with "
        "the largest conditional variance.",
        complexity="O(m²n)",
        select=icd,
        family="pivoting",
        stroke=("dot", "triangle-down"),
        extreme=True,
        nested=True,
        random=False,
        options=(
            Option(
                "first",
                "first pivot",
                "lowest",
                choices=("lowest", "random"),
                sentence="Of the rows with the largest K_ii: all rows, for a Gaussian kernel.",
            ),
        ),
        holds="factor",
        work=lambda size, options: size.pivoting,
        factors=1.25,
    ),
    "rpcholesky": Method(
        label="randomly pivoted Cholesky",
        short="RPCholesky",
        source="Chen, Epperly, Tropp & Webber 2022; Epperly, Tropp & Webber 2024",
        sentence="Picks the next row with a probability that grows with its own residual.",
        complexity="O(m²n)",
        select=rpcholesky,
        family="pivoting",
        stroke=("solid", "triangle-up"),
        nested=True,
        options=(Option("form", "form", "accelerated", choices=("accelerated", "simple")),),
        holds="factor",
        lean=("form", "accelerated"),
        work=cost.of_drawn_pivots,
        factors=1.4,
    ),
    "rpcholesky_block": Method(
        label="block randomly pivoted Cholesky",
        short="block RPCholesky",
        source="Chen, Epperly, Tropp & Webber 2022; Epperly, Tropp & Webber 2024",
        sentence="Draws rows by their residuals, a block at a time: those of a block may be much alike.",
        complexity="O(m²n)",
        select=rpcholesky_block,
        family="pivoting",
        stroke=("9px,3px,2px,3px,2px,3px", "triangle-up-open"),
        nested=True,
        options=(
            Option(
                "block",
                "rows a block b",
                20,
                bounds=(1, 1_000),
                sentence="Large blocks are faster; with 1 it is randomly pivoted Cholesky itself.",
            ),
        ),
        holds="factor",
        work=lambda size, options: Work(size.nm, 2.0 * size.nm * size.m),
        factors=1.25,
    ),
    "greedy": Method(
        label="greedy",
        source="Farahat, Ghodsi & Kamel 2011",
        sentence="Picks the row whose column explains most of all that is not reproduced yet.",
        complexity="O(n²) a step",
        select=greedy,
        family="pivoting",
        stroke=("dash", "star"),
        nested=True,
        random=False,
        options=(
            Option(
                "form",
                "memory",
                "auto",
                choices=("auto", "dense", "lean"),
                sentence="Dense holds K and its residual; lean evaluates K again each step. Same picks.",
            ),
        ),
        holds="factor",
        reads=True,
        work=cost.of_gains,
        matrices=1.1,
        blocks=2.0,
    ),
    "partition_greedy": Method(
        label="partition-based greedy",
        short="partition greedy",
        source="Farahat, Ghodsi & Kamel 2011",
        sentence="As greedy, but it looks at the rows through the sums of a few random groups.",
        complexity="O(n²) once, O(nc) a step",
        select=partition_greedy,
        family="pivoting",
        stroke=("dashdot", "star-open"),
        nested=True,
        options=(
            Option(
                "groups",
                "groups c",
                50,
                bounds=(1, 1_000),
                sentence="Fewer are faster; with as many groups as rows the picks are those of greedy.",
                holds_rows=True,
            ),
        ),
        holds="factor",
        reads=True,
        work=lambda size, options: (
            size.whole + Work(0.0, cost.ROW_BY_ROW * size.nm * float(options["groups"])) + size.pivoting
        ),
        factors=1.4,
    ),
    "sgma": Method(
        label="sparse greedy (SGMA)",
        source="Smola & Schölkopf 2000",
        sentence="As greedy, but each step looks at a few random candidates only.",
        complexity="O(c m²n)",
        select=sgma,
        family="pivoting",
        stroke=("longdash", "cross"),
        nested=True,
        options=(
            Option(
                "candidates",
                "candidates c each step",
                59,
                bounds=(1, 1_000),
                sentence="The best of 59 is among the best 5 % of all rows with probability 0.95.",
                holds_rows=True,
            ),
        ),
        holds="factor",
        work=lambda size, options: (
            size.pivoting + float(options["candidates"]) * Work(size.nm, size.nm * size.m / 2.0)
        ),
        factors=1.05,
        rows=2.3,
    ),
    "adaptive_full": Method(
        label="adaptive, full matrix",
        source="Deshpande, Rademacher, Vempala & Wang 2006; Kumar, Mohri & Talwalkar 2009",
        sentence="Draws rows in rounds, more often those whose column of K is still badly reproduced.",
        complexity="O(n²m)",
        select=adaptive_full,
        family="adaptive",
        stroke=("solid", "pentagon"),
        nested=True,
        options=(_PER_ROUND,),
        holds="matrix",
        reads=True,
        work=lambda size, options: size.whole + Work(0.0, 4.0 * size.nm * size.n) + size.factor,
        matrices=1.1,
    ),
    "adaptive_partial": Method(
        label="adaptive, chosen columns",
        source="Kumar, Mohri & Talwalkar 2009",
        sentence="Draws rows in rounds by an error that it estimates from the columns chosen so far.",
        complexity="O(nm²) a round",
        select=adaptive_partial,
        family="adaptive",
        stroke=("dash", "pentagon-open"),
        nested=True,
        options=(_PER_ROUND,),
        holds="factor",
        work=lambda size, options: (
            Work(size.nm, size.nm * size.m**2 / float(options["per_round"]) / 3.0) + size.factor
        ),
    ),
    "arp": Method(
        label="adaptive randomised pivoting",
        short="randomised pivoting",
        source="Cortinovis & Kressner 2024",
        sentence="Draws rows by their part in the m leading eigenvectors of K that the others leave.",
        complexity="O(n³)",
        select=arp,
        family="adaptive",
        stroke=("dot", "octagon"),
        holds="matrix",
        reads=True,
        work=lambda size, options: size.whole + size.eigenpairs + size.pivoting + size.factor,
        matrices=3.0,
    ),
    "osinsky": Method(
        label="adaptive pivoting, derandomised",
        short="adaptive pivoting",
        source="Osinsky 2023; Cortinovis & Kressner 2024",
        sentence="As adaptive randomised pivoting, but always takes the row with the least expected error.",
        complexity="O(n³)",
        select=osinsky,
        family="adaptive",
        stroke=("dashdot", "octagon-open"),
        random=False,
        holds="matrix",
        reads=True,
        work=lambda size, options: size.whole + size.eigenpairs + 2.0 * size.pivoting + size.factor,
        matrices=3.0,
    ),
    "leverage": Method(
        label="ridge leverage scores, exact",
        short="ridge leverage",
        source="Alaoui & Mahoney 2015; Cohen, Musco & Musco 2017",
        sentence="Draws rows by their exact influence on a ridge regression with the kernel.",
        complexity="O(n³)",
        select=leverage,
        family="leverage",
        stroke=("solid", "bowtie"),
        options=(_RIDGE, _REPLACEMENT),
        holds="matrix",
        reads=True,
        work=lambda size, options: size.whole + size.eigenpairs + size.factor,
        matrices=4.0,
    ),
    "leverage_approx": Method(
        label="ridge leverage scores, approximate",
        short="approximate ridge",
        source="Alaoui & Mahoney 2015; Gittens & Mahoney 2016",
        sentence="Draws rows by leverage scores that a first, uniform approximation estimates.",
        complexity="O(np²)",
        select=leverage_approx,
        family="leverage",
        stroke=("dash", "bowtie-open"),
        options=(
            Option(
                "oversampling",
                "sketch size p, times m",
                2.0,
                bounds=(0.1, 20.0),
                sentence="A larger uniform sketch gives truer scores and takes longer.",
            ),
            _RIDGE,
            _REPLACEMENT,
        ),
        work=cost.of_sketch,
        factors=6.4,
    ),
    "rls": Method(
        label="recursive ridge leverage scores",
        short="recursive ridge",
        source="Musco & Musco 2017",
        sentence="Estimates leverage scores from ever larger random halves of the rows, then draws by them.",
        complexity="O(nm²)",
        select=rls,
        family="leverage",
        stroke=("dashdot", "hourglass"),
        work=lambda size, options: 2.0 * Work(size.nm, size.nm * size.m) + size.factor,
    ),
    "bless": Method(
        label="bottom-up leverage scores (BLESS)",
        short="BLESS",
        source="Rudi, Calandriello, Carratino & Rosasco 2018",
        sentence="Estimates leverage scores for an ever smaller ridge, each time from ever more rows.",
        complexity="O(nm²) at most",
        select=bless,
        family="leverage",
        stroke=("dot", "hourglass-open"),
        options=(
            Option(
                "sample_size",
                "sample size, times the effective dimension",
                2.0,
                bounds=(0.5, 20.0),
                sentence="A larger sample gives truer scores and takes longer.",
            ),
        ),
        work=cost.of_path,
    ),
    "dpp": Method(
        label="k-DPP by swaps",
        short="k-DPP",
        source="Li, Jegelka & Sra 2016",
        sentence="Swaps landmarks at random, favouring sets whose kernel matrix has a large determinant.",
        complexity="O(m²) a step",
        select=dpp,
        family="determinantal",
        stroke=("solid", "hexagon"),
        options=(
            Option(
                "steps",
                "swap steps",
                1_000,
                bounds=(0, 100_000),
                sentence="The chain moves away from its start slowly; 1000 and 10 000 have been compared.",
            ),
            Option(
                "start",
                "start of the chain",
                "uniform",
                choices=("uniform", "kmeanspp"),
                sentence="From random rows, or from k-means++ rows, which are likely ones to begin with.",
            ),
        ),
        work=lambda size, options: (
            float(options["steps"]) * Work(cost.SWAP_ENTRIES * size.m, cost.ROW_BY_ROW * size.m**2)
            + size.factor
        ),
    ),
    "dpp_exact": Method(
        label="k-DPP, exact",
        source="Kulesza & Taskar 2011",
        sentence="Draws sets in proportion to the determinant of their kernel matrix, from K's eigenvectors.",
        complexity="O(n³)",
        select=dpp_exact,
        family="determinantal",
        stroke=("longdash", "hexagon2"),
        holds="matrix",
        reads=True,
        work=lambda size, options: (
            size.whole + size.eigenpairs + Work(0.0, cost.ROW_BY_ROW * size.nm * size.m) + size.factor
        ),
        matrices=4.0,
    ),
    "rff": Method(
        label="random Fourier features",
        source="Rahimi & Recht 2007",
        sentence="Takes sines and cosines at m random frequencies, drawn without a look at the data.",
        complexity="O(nmd)",
        select=rff,
        family="random features",
        stroke=("solid", "line-ew-open"),
        # The first frequencies stay the first, but the scale 1/√m of all columns changes.
        landmarks_are_data=False,
        data_dependent=False,
        kernels=(Gaussian,),
        work=lambda size, options: size.waves,
    ),
    "orf": Method(
        label="orthogonal random features",
        source="Yu, Suresh, Choromanski, Holtmann-Rice & Kumar 2016",
        sentence="As random Fourier features, with directions at right angles, which repeat each other less.",
        complexity="O(nmd + md² + d³)",
        select=orf,
        family="random features",
        stroke=("dash", "asterisk-open"),
        landmarks_are_data=False,
        data_dependent=False,
        kernels=(Gaussian,),
        work=lambda size, options: size.waves,
    ),
    "sketch": Method(
        label="Gaussian sketch",
        source="Tropp, Yurtsever, Udell & Cevher 2017",
        sentence="Multiplies K by m random vectors: near the best of rank m, without landmarks.",
        complexity="O(n²m)",
        select=sketch,
        family="floor",
        stroke=("dot", "y-up-open"),
        landmarks_are_data=False,
        holds="factor",
        reads=True,
        work=lambda size, options: size.whole + Work(0.0, size.nm * (size.n + 24.0 * size.m)),
        factors=6.0,
    ),
    "svd": Method(
        label="best rank m (SVD)",
        source="Eckart & Young 1936",
        sentence="Keeps the m leading eigenpairs of K: the best any method could do, without landmarks.",
        complexity="O(n³)",
        select=svd,
        family="floor",
        stroke=("longdash", None),
        nested=True,
        random=False,
        landmarks_are_data=False,
        holds="matrix",
        reads=True,
        work=lambda size, options: size.whole + size.eigenpairs + size.factor,
        matrices=3.0,
    ),
}


def cost_seconds(method: str, n: int, d: int, m: int, options: Mapping[str, Any] | None = None) -> float:
    """Estimate the seconds of one approximation on this machine, from what it takes and measured speeds."""
    found = METHODS[method].cost(n, d, m, options)
    return cost.OVERHEAD_SECONDS + cost.work_seconds(found.entries, found.flops, d)
