"""Slow and obvious twins of every algorithm, written from the definitions, for the tests to compare with.

Plain numpy, loops where the definition has an index, no blocks, no threads, no shortcuts. Nothing of nysviz
is imported here: a twin that shares code with the original shares its mistakes.
"""

import decimal
import fractions
import itertools
import math

import numpy as np
from scipy import stats
from scipy.spatial.distance import cdist

# Eigenvalues of W below this part of the largest count as zero.
RANK_TOLERANCE = 1e-12


# Kernels: one number from two points.


def squared_distance(x, y):
    return math.fsum((float(a) - float(b)) ** 2 for a, b in zip(x, y, strict=True))


def inner_product(x, y):
    return math.fsum(float(a) * float(b) for a, b in zip(x, y, strict=True))


def gaussian(x, y, sigma):
    return math.exp(-squared_distance(x, y) / (2 * sigma**2))


def laplacian(x, y, sigma):
    return math.exp(-math.sqrt(squared_distance(x, y)) / sigma)


def matern(x, y, nu, sigma):
    s = math.sqrt(2 * nu * squared_distance(x, y)) / sigma
    return {0.5: 1, 1.5: 1 + s, 2.5: 1 + s + s**2 / 3}[nu] * math.exp(-s) if s < 700 else 0.0


def rational_quadratic(x, y, alpha, sigma):
    return (1 + squared_distance(x, y) / (2 * alpha * sigma**2)) ** -alpha


def inverse_distance(x, y, sigma, epsilon):
    return 1 / (math.sqrt(squared_distance(x, y)) / sigma + epsilon)


def polynomial(x, y, degree, epsilon):
    return (inner_product(x, y) + epsilon) ** degree


def cosine(x, y):
    lengths = math.sqrt(inner_product(x, x)) * math.sqrt(inner_product(y, y))
    return inner_product(x, y) / lengths if lengths > 0 else 0.0


def chi_squared(x, y, gamma):
    return math.exp(-gamma * sum((a - b) ** 2 / (a + b) for a, b in zip(x, y, strict=True) if a + b > 0))


def kernel_matrix(k, X, Y=None):
    """``k(x, y)`` for all pairs of rows, where k maps two points to a number."""
    Y = X if Y is None else Y
    K = np.empty((len(X), len(Y)))
    for i in range(len(X)):
        for j in range(len(Y)):
            K[i, j] = k(X[i], Y[j])
    return K


# The Nyström approximation and what follows from it, with n × n matrices throughout.


def descending_eigh(A):
    values, vectors = np.linalg.eigh(A)
    order = np.argsort(-values)
    return values[order], vectors[:, order]


def positive_eigh(W):
    values, vectors = descending_eigh(W)
    kept = values > RANK_TOLERANCE * values[0]
    return values[kept], vectors[:, kept]


def nystroem(E, W):
    """E W⁺ Eᵀ."""
    return E @ np.linalg.pinv(W, rcond=RANK_TOLERANCE, hermitian=True) @ E.T


def nystroem_of_pivots(K, pivots, weights=None):
    """E W⁺ Eᵀ of columns of K, each column and W rescaled by the weights."""
    weights = np.ones(len(pivots)) if weights is None else weights
    E = K[:, pivots] * weights
    W = K[np.ix_(pivots, pivots)] * weights[:, None] * weights[None, :]
    return nystroem(E, W)


def leave_one_out(K, pivots, weights=None):
    """Squared error and jackknife variance from approximations that each leave out one pivot."""
    n, m = len(K), len(pivots)
    without, error = [], 0.0
    for j in range(m):
        others = [pivots[i] for i in range(m) if i != j]
        without.append(nystroem_of_pivots(K, others) if others else np.zeros_like(K))
        column = (K - without[j])[:, pivots[j]]
        error += (column @ column) * ((n - m + 1) / m if weights is None else weights[j] ** 2)
    mean = sum(without) / m
    return error, sum(np.linalg.norm(A - mean) ** 2 for A in without)


def exact_gaussian_error(X, Z, sigma, digits=60):
    """‖K − E W⁻¹ Eᵀ‖_F in ``digits`` decimal digits, for distinct landmarks however near W is to singular.

    No approximation from the span of these landmarks has a smaller error.
    """
    with decimal.localcontext(prec=digits):
        points = [[decimal.Decimal(float(value)) for value in row] for row in (*Z, *X)]
        scale = -2 * decimal.Decimal(float(sigma)) ** 2

        def k(x, y):
            return (sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) / scale).exp()

        K = np.array([[k(x, y) for y in points] for x in points])
        rest = residual_after(K, range(len(Z)))[len(Z) :, len(Z) :]
        return float((rest**2).sum().sqrt())


def inclusion_probabilities(sizes, rows):
    """Rows that dominate one after the other, and the others' shares times the factor at which they fit."""
    n, dominating = len(sizes[0]), []

    def shares():
        rest = [i for i in range(n) if i not in dominating]
        parts = [[1.0] * n, *sizes]
        parts = [part for part in parts if sum(part[i] for i in rest) > 0]
        return {i: sum(part[i] / sum(part[j] for j in rest) for part in parts) / len(parts) for i in rest}

    while True:
        share, free = shares(), rows - len(dominating)
        large = sorted((i for i in share if free * share[i] >= 1), key=lambda i: -share[i])
        if not large or len(dominating) == rows // 2:
            break
        dominating += large[: rows // 2 - len(dominating)]
    low, high = 0.0, 2 * rows / min(share.values())
    for _ in range(200):
        middle = (low + high) / 2
        total = sum(min(1, middle * one) for one in share.values())
        low, high = (middle, high) if total < free else (low, middle)
    probabilities = [min(1, low * share[i]) if i in share else 1 for i in range(n)]
    return probabilities, [i in dominating for i in range(n)]


def ratio_with_spread(parts, wholes, entries, probabilities, of_chance):
    """Horvitz–Thompson over a ratio estimate; Hájek's variance, Student's law, Satterthwaite's freedom."""
    rows = list(zip(parts, wholes, entries, probabilities, strict=True))
    chance = [row for row in rows if row[3] < 1]
    mean = sum(w / c for _, w, _, c in chance) / sum(k / c for _, _, k, c in chance)
    whole = sum(w for _, w, _, c in rows if c == 1) + mean * of_chance
    ratio = sum(p / c for p, _, _, c in rows) / whole
    gaps = [(p - ratio * (w - mean * k)) / c for p, w, k, c in chance]
    left = [1 - c for *_, c in chance]
    s, middle = len(left), sum(c * g for g, c in zip(gaps, left, strict=True)) / sum(left)
    squares = [c * (g - middle) ** 2 for g, c in zip(gaps, left, strict=True)]
    total = sum(squares)
    freedom = min(s - 1, 2 * total**2 / (sum(q**2 for q in squares) - total**2 / s))
    spread = stats.t.ppf(0.975, freedom) * math.sqrt(s / (s - 1) * total) / whole
    return ratio, spread, freedom


def features(k, Z, X):
    """z(x) = Λ^(-1/2) Vᵀ k(Z, x) for each row of X, as rows."""
    values, vectors = positive_eigh(kernel_matrix(k, Z))
    return kernel_matrix(k, X, Z) @ vectors / np.sqrt(values)


def extension(E, W, rescaled=False):
    """Zhang 2008, eq. 4: Λ = (n/m) Λ_Z, Φ = √(m/n) E Φ_Z Λ_Z⁻¹; columns scaled by 1/√(m p) need no n/m."""
    n, m = (1, 1) if rescaled else E.shape
    values, vectors = positive_eigh(W)
    return values * n / m, math.sqrt(m / n) * (E @ vectors) / values


def best_of_rank(A, d):
    """The best rank d approximation of a positive semidefinite matrix."""
    values, vectors = descending_eigh(A)
    return (vectors[:, :d] * values[:d]) @ vectors[:, :d].T


def landmark_truncation(E, W, d):
    """E (W_d)⁺ Eᵀ with W_d the best rank d of W."""
    values, vectors = positive_eigh(W)
    values, vectors = values[:d], vectors[:, :d]
    return E @ (vectors / values) @ vectors.T @ E.T


# Landmarks.


def lloyd(X, start, iterations, restart=True):
    """Lloyd's algorithm; an empty cluster takes the farthest row, never a last one, or stays."""
    centres = np.array(start, dtype=float)
    labels = None
    for _ in range(iterations):
        distances = np.array([[squared_distance(x, z) for z in centres] for x in X])
        nearest = list(distances.argmin(axis=1))
        if nearest == labels:
            break
        labels = list(nearest)
        apart = [distances[i, nearest[i]] for i in range(len(X))]
        for j in range(len(centres)):
            if restart and j not in nearest:
                settled = [i for i in range(len(X)) if labels[i] == nearest[i]]
                movable = [i for i in settled if labels.count(nearest[i]) > 1]
                labels[max(movable, key=lambda i: apart[i])] = j
        members = [[i for i in range(len(X)) if labels[i] == j] for j in range(len(centres))]
        means = [X[rows].mean(axis=0) if rows else z for rows, z in zip(members, centres, strict=True)]
        centres = np.array(means)
    return centres


def sequence_probabilities(step, length):
    """All sequences of picks with their probabilities; ``step(chosen)`` gives those of the next pick."""
    sequences = {(): 1.0}
    for _ in range(length):
        longer = {}
        for chosen, probability in sequences.items():
            for i, p in enumerate(step(chosen)):
                if p > 0:
                    longer[(*chosen, i)] = probability * p
        sequences = longer
    return sequences


def kmeanspp_step(K):
    """First uniform, then p_i ∝ min over the chosen z of K_ii + K_zz − 2 K_iz."""

    def step(chosen):
        n = len(K)
        if not chosen:
            return [1 / n] * n
        gaps = [min(K[i, i] + K[z, z] - 2 * K[i, z] for z in chosen) for i in range(n)]
        gaps = [max(gap, 0.0) for gap in gaps]
        return [gap / sum(gaps) for gap in gaps]

    return step


def residual_after(K, pivots):
    """K minus its Nyström approximation by these columns, one elimination after the other."""
    R = np.array(K)
    for p in pivots:
        R = R - np.outer(R[:, p], R[p]) / R[p, p]
        R[p] = R[:, p] = 0
    return R


def rpcholesky_step(K):
    """p_i ∝ residual diagonal."""

    def step(chosen):
        diagonal = np.clip(np.diag(residual_after(K, chosen)), 0, None)
        return list(diagonal / diagonal.sum())

    return step


def rpcholesky_block(K, m, block, filtering="plain", chosen=()):
    """Sequences of m picks with their probabilities: blocks of draws by the residual, each row kept once."""
    if len(chosen) >= m:
        return {tuple(chosen[:m]): 1.0}
    R, shares = residual_after(K, chosen), rpcholesky_step(K)(list(chosen))
    blocks, sequences = {}, {}
    for draws in itertools.product(range(len(K)), repeat=block):
        probability = math.prod(shares[i] for i in draws)
        if probability > 0:
            kept = tuple(robust_subset(R, draws, block) if filtering == "robust" else dict.fromkeys(draws))
            blocks[kept] = blocks.get(kept, 0) + probability
    for kept, probability in blocks.items():
        for picks, p in rpcholesky_block(K, m, block, filtering, (*chosen, *kept)).items():
            sequences[picks] = sequences.get(picks, 0) + probability * p
    return sequences


def robust_subset(R, draws, block):
    """Those draws, in order, that are pivots, the largest first, until 1/block of their trace is left."""
    rows, kept = list(dict.fromkeys(draws)), []
    trace = left = sum(R[i, i] for i in rows)
    while not kept or left > trace / block:
        residual = np.diag(residual_after(R, kept))
        kept.append(rows[first_of_largest([residual[i] for i in rows])])
        left = sum(residual_after(R, kept)[i, i] for i in rows)
    return [i for i in rows if i in kept]


def first_of_largest(values, order=None):
    """Index of the lowest place in order, of the entries that are at most 1e-11 of the largest below it."""
    equals = [i for i, value in enumerate(values) if value >= max(values) - 1e-11 * abs(max(values))]
    return equals[0] if order is None else min(equals, key=lambda i: order[i])


def incomplete_cholesky(K, m, order=None):
    """Pivots of the largest residual diagonal, of equals the first in an order, and the factor (n, m)."""
    n = len(K)
    pivots, G = [], np.zeros((n, m))
    for t in range(m):
        residual = [K[i, i] - sum(G[i, s] ** 2 for s in range(t)) for i in range(n)]
        p = first_of_largest([0.0 if i in pivots else residual[i] for i in range(n)], order if t else None)
        for i in range(n):
            if i not in pivots:
                G[i, t] = (K[i, p] - sum(G[i, s] * G[p, s] for s in range(t))) / math.sqrt(residual[p])
        pivots.append(p)
    return pivots, G


def without_replacement_step(weights, chosen):
    """p_i ∝ w_i of the rows not chosen."""
    left = [0.0 if i in chosen else float(w) for i, w in enumerate(weights)]
    return [w / sum(left) for w in left]


def farthest(K, first, m, order=None):
    """From the first row on, the largest of min over the chosen z of K_ii + K_zz − 2 K_iz."""
    chosen = [first]
    while len(chosen) < m:
        gaps = [min(K[i, i] + K[z, z] - 2 * K[i, z] for z in chosen) for i in range(len(K))]
        chosen.append(first_of_largest(gaps, order))
    return chosen


def trace_left(k, X, Z, ridge=0.0):
    """tr K − tr E (W + ridge I)⁻¹ Eᵀ."""
    W = kernel_matrix(k, Z) + ridge * np.eye(len(Z))
    E = kernel_matrix(k, X, Z)
    return math.fsum(k(x, x) for x in X) - np.trace(nystroem(E, W))


def derivative(function, Z, h):
    """Differences to both sides in each coordinate of Z."""
    slopes = np.empty(Z.shape)
    for place in np.ndindex(Z.shape):
        step = np.zeros(Z.shape)
        step[place] = h
        slopes[place] = (function(Z + step) - function(Z - step)) / (2 * h)
    return slopes


def moved_downhill(k, X, Z, steps):
    """Steepest descent on the trace error: a step twice as long as the last one, halved until it pays."""
    length = 1.0
    for _ in range(steps):
        slopes, length = derivative(lambda P: trace_left(k, X, P), Z, 1e-5), 2 * length
        while not trace_left(k, X, Z - length * slopes) < trace_left(k, X, Z):
            length /= 2
            if length < 1e-12:
                return Z
        Z = Z - length * slopes
    return Z


def kernel_potential(k, X, Z):
    """Σ_i min_z k(x, x) + k(z, z) − 2 k(x, z)."""
    return math.fsum(min(k(x, x) + k(z, z) - 2 * k(x, z) for z in Z) for x in X)


def refined(k, X, seeds, iterations):
    """Lloyd steps from the seeds, each kept only if the kernel potential falls."""
    centres = np.array(seeds, dtype=float)
    for _ in range(iterations):
        moved = lloyd(X, centres, 1)
        if not kernel_potential(k, X, moved) < kernel_potential(k, X, centres):
            break
        centres = moved
    return centres


def gains(R, K, members=None):
    """‖R_:i‖² / (R_ii + 1e-8 K_ii) of every column, its rows summed in groups if given; 0 where R_ii is."""
    sums = R if members is None else np.array([R[members == j].sum(axis=0) for j in range(max(members) + 1)])
    all_gains = np.zeros(len(R))
    for i in range(len(R)):
        if R[i, i] > 1e-12 * K.max():
            all_gains[i] = (sums[:, i] ** 2).sum() / (R[i, i] + 1e-8 * K[i, i])
    return all_gains


def greedy(K, m, members=None, order=None):
    """The column of the residual matrix with the largest gain, m times; of equals the first in an order."""
    pivots, R = [], np.array(K, dtype=float)
    for _ in range(m):
        p = first_of_largest(list(gains(R, K, members)), order)
        R = R - np.outer(R[:, p], R[p]) / R[p, p]
        R[p] = R[:, p] = 0.0
        pivots.append(p)
    return pivots


def sgma_step(K, candidates):
    """The best gain among a random subset of the rows that are left."""

    def step(chosen):
        gain = gains(residual_after(K, chosen), K)
        left = [i for i in range(len(K)) if i not in chosen]
        subsets = list(itertools.combinations(left, min(candidates, len(left))))
        best = [subset[first_of_largest([gain[i] for i in subset])] for subset in subsets]
        return [best.count(i) / len(subsets) for i in range(len(K))]

    return step


def adaptive_full_step(K, per_round):
    """p_j ∝ ‖column j of K − Q Qᵀ K‖², Q a basis of the columns of the rounds before."""

    def step(chosen):
        before = list(chosen[: len(chosen) // per_round * per_round])
        Q = np.linalg.qr(K[:, before])[0]
        rest = K - Q @ Q.T @ K
        return without_replacement_step((rest**2).sum(axis=0), chosen)

    return step


def adaptive_partial_step(K, per_round):
    """p_j ∝ ‖row j of C − C̃‖², C the columns of the rounds before and C̃ = C W_k⁺ W their reconstruction."""

    def step(chosen):
        before = list(chosen[: len(chosen) // per_round * per_round])
        if not before:
            return without_replacement_step(np.ones(len(K)), chosen)
        C, W = K[:, before], K[np.ix_(before, before)]
        k = min(math.ceil(len(before) / 2), len(before) - 1)
        values, vectors = descending_eigh(W)
        inverse = (vectors[:, :k] / values[:k]) @ vectors[:, :k].T
        rest = C - C @ inverse @ W
        return without_replacement_step((rest**2).sum(axis=1), chosen)

    return step


def projection_probabilities(V):
    """P(J) = det(V_J)² over all sets of as many rows as V has orthonormal columns."""
    k = V.shape[1]
    return {J: np.linalg.det(V[list(J)]) ** 2 for J in itertools.combinations(range(len(V)), k)}


def oblique_rest(A, V, J):
    """A − A_J V_J⁻ᵀ Vᵀ with the columns J of A."""
    return A - A[:, list(J)] @ np.linalg.inv(V[list(J)]).T @ V.T


def square_root(K):
    values, vectors = descending_eigh(K)
    return (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T


def osinsky(K, m):
    """The row with the smallest mean oblique error of K^½ over the sets that hold it and those chosen."""
    root, V = square_root(K), descending_eigh(K)[1][:, :m]
    shares = projection_probabilities(V)
    errors = {J: (oblique_rest(root, V, J) ** 2).sum() for J in shares}
    chosen = []

    def mean(row):
        sets = [J for J in shares if {*chosen, row} <= set(J)]
        return sum(shares[J] * errors[J] for J in sets) / sum(shares[J] for J in sets)

    for _ in range(m):
        chosen.append(min((i for i in range(len(K)) if i not in chosen), key=mean))
    return chosen


def mean_tail(eigenvalues, k):
    """(1/k) Σ_{i>k} λ_i."""
    return sum(sorted(eigenvalues, reverse=True)[k:]) / k


def ridge_leverage(K, ridge):
    """diag(K (K + λ I)⁻¹)."""
    return np.diag(K @ np.linalg.inv(K + ridge * np.eye(len(K))))


def recursive_leverage(K, rows, sample, weights, ridge):
    """(K_ii − K_iS (K_SS + λ D⁻²)⁻¹ K_Si) / λ."""
    inner = np.linalg.inv(K[np.ix_(sample, sample)] + ridge * np.diag(1 / np.asarray(weights) ** 2))
    return np.array([(K[i, i] - K[i, sample] @ inner @ K[sample, i]) / ridge for i in rows])


def bless(K, m, rng, q2):
    """The last rows that BLESS looks at, with q = q1 = 2, their scores and λ."""
    n, largest = len(K), max(np.diag(K))
    ridge, sample, weights = n * largest, [], []
    while True:
        ridge = ridge / 2
        rows = list(rng.permutation(n)[: math.ceil(2 * n * largest / ridge)])
        scores = np.clip(recursive_leverage(K, rows, sample, weights, ridge), 0, 1)
        dimension = n / len(rows) * sum(scores)
        if (dimension >= m and len(rows) >= m) or ridge <= 1e-12 * n * largest:
            return rows, scores, ridge
        chances = scores / sum(scores)
        uniforms = rng.random(math.ceil(q2 * dimension))
        drawn = [next(i for i, c in enumerate(np.cumsum(chances)) if c > u) for u in uniforms]
        sample = [rows[i] for i in drawn]
        weights = [(len(rows) * len(drawn) / n * chances[i]) ** -0.5 for i in drawn]


def subset_probabilities(K, m):
    """P(S) ∝ det K_SS over all subsets of m rows."""
    volumes = {S: np.linalg.det(K[np.ix_(S, S)]) for S in itertools.combinations(range(len(K)), m)}
    return {S: volume / sum(volumes.values()) for S, volume in volumes.items()}


def inclusion_of_independent(values, m):
    """Probability of each row to be in S, P(S) ∝ Π_{i∈S} λ_i over all S of m rows, in fractions."""
    values = [fractions.Fraction(float(value)) for value in values]

    def elementary(of, k):
        e = [1] + [0] * k
        for value in of:
            e = [1, *(e[j] + value * e[j - 1] for j in range(1, k + 1))]
        return e[k]

    whole, others = elementary(values, m), [values[:i] + values[i + 1 :] for i in range(len(values))]
    shares = (v * elementary(rest, m - 1) / whole for v, rest in zip(values, others, strict=True))
    return np.array([float(share) for share in shares])


def swap_chain(K, inside, outside, positions, slots, uniforms):
    """Swap where det W_new / det W_old exceeds the uniform number; what is inside and outside at the end."""
    inside, outside = list(inside), list(outside)
    for p, slot, u in zip(positions, slots, uniforms, strict=True):
        swapped = list(inside)
        swapped[p] = outside[slot]
        old = np.linalg.slogdet(K[np.ix_(inside, inside)])[1]
        if math.log(u) < np.linalg.slogdet(K[np.ix_(swapped, swapped)])[1] - old:
            inside, outside[slot] = swapped, inside[p]
    return inside, outside


def mixture(K, parts, shares):
    """Σ μ_r times the Nyström approximation of part r."""
    return sum(mu * nystroem_of_pivots(K, list(part)) for mu, part in zip(shares, parts, strict=True))


def ls_svm(K, y, C):
    """α and b of the LS-SVM from its optimality system [0 yᵀ; y Y(K + I/C)Y] [b; α] = [0; 1]."""
    n = len(K)
    system = np.zeros((n + 1, n + 1))
    for i in range(n):
        system[0, i + 1] = system[i + 1, 0] = y[i]
        for j in range(n):
            system[i + 1, j + 1] = y[i] * (K[i, j] + (1 / C if i == j else 0)) * y[j]
    solution = np.linalg.solve(system, np.array([0.0] + [1.0] * n))
    return solution[1:], solution[0]


def ls_svm_decision(K_new, y, alpha, b):
    """f(x) = Σ y_i α_i k(x, x_i) + b for each row of k(x, x_i)."""
    return [math.fsum(y[i] * alpha[i] * row[i] for i in range(len(y))) + b for row in K_new]


# Proposition 3 of Zhang, Tsang & Kwok 2008 and the matrices of its proof.


def proposition_three(constant, X, Z, W):
    """Both terms of the bound, from the sizes of the clusters, the quantization error and the inverse."""
    labels = cdist(X, Z).argmin(axis=1)
    largest = max(int((labels == k).sum()) for k in range(len(Z)))
    e = sum(squared_distance(x, Z[k]) for x, k in zip(X, labels, strict=True))
    m, inverse_norm = len(Z), math.sqrt((np.linalg.inv(W) ** 2).sum())
    encoding = 4 * largest * math.sqrt(m * constant * e * largest)
    return encoding, m * constant * largest * e * inverse_norm


def moves_to_landmarks(K, E, W, labels):
    """A, P and B with K = P W Pᵀ + A and E = P W + B."""
    P = np.zeros((len(E), len(W)))
    for i, k in enumerate(labels):
        P[i, k] = 1.0
    return K - P @ W @ P.T, P, E - P @ W


# Kernel PCA.


def centred_eigenvectors(K, k):
    """Top k eigenvalues, descending, and eigenvectors of H K H with H = I − 11ᵀ/n."""
    n = len(K)
    H = np.eye(n) - np.ones((n, n)) / n
    values, vectors = np.linalg.eigh(H @ K @ H)
    return values[::-1][:k], vectors[:, ::-1][:, :k]


def misalignment(U, other):
    """min_A ‖U − Ũ A‖_F by the normal equations, column by column."""
    total = 0.0
    for column in U.T:
        a = np.linalg.solve(other.T @ other, other.T @ column)
        total += math.fsum((column - other @ a) ** 2)
    return math.sqrt(total)


# Spectral clustering.


def spectral_embedding(K, k):
    """Top k eigenvalues of D^(-1/2) K D^(-1/2) and its eigenvectors' rows, each of length 1."""
    n = len(K)
    degrees = [math.fsum(row) for row in K]
    normalised = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            normalised[i, j] = K[i, j] / math.sqrt(degrees[i] * degrees[j])
    values, vectors = np.linalg.eigh(normalised)
    rows = [row / math.sqrt(math.fsum(row**2)) for row in vectors[:, ::-1][:, :k]]
    return values[::-1][:k], np.array(rows)


# Linear machines on features.


def kernel_ridge(K, targets, unseen, penalty):
    """Kernel ridge regression with a free intercept, from its saddle point system, at the rows of unseen."""
    n = len(K)
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = K + penalty * np.trace(K) * np.eye(n)
    system[:n, n] = system[n, :n] = 1.0
    solved = np.linalg.solve(system, np.vstack([targets, np.zeros((1, targets.shape[1]))]))
    return unseen @ solved[:n] + solved[n]


# Gaussian processes.


def variational_bound(K, E, W, y, noise):
    """Titsias 2009, equation 9, with n × n matrices."""
    Q = nystroem(E, W)
    density = stats.multivariate_normal(cov=Q + noise * np.eye(len(y))).logpdf(y)
    return density - np.trace(K - Q) / (2 * noise)


def inducing_posterior(E, W, across, own, y, noise):
    """Titsias 2009, equation 6 and below it: mean and variance from k(Z, x) in the columns of ``across``."""
    S = np.linalg.inv(W + E.T @ E / noise)
    variance = own - np.diag(across.T @ (np.linalg.inv(W) - S) @ across)
    return across.T @ S @ E.T @ y / noise, variance
