// Nyström approximation K̃ = E W⁺ Eᵀ = G Gᵀ of points in the plane, its errors and its field, in double precision.
// Points and landmarks are Float64Array of x, y pairs; matrices are Float64Array, one row after the other.
// A kernel is a function of the squared distance (kernels.js).

import { squareBetween } from "./kernels.js";

// Eigenvalues of W below this part of the largest are rounding: nysviz/landmarks/nystroem.py has the same rule.
const RANK_TOLERANCE = 1e-12;
const DIAGONAL_ROUNDING = 1e-12;

/** k(x, z) for all n points x and m points z, (n, m). */
export function kernelBlock(points, others, kernel) {
  const [n, m] = [points.length / 2, others.length / 2];
  const block = new Float64Array(n * m);
  for (let i = 0, at = 0; i < n; i++) {
    for (let j = 0; j < m; j++, at++) block[at] = kernel(squareBetween(points, i, others, j));
  }
  return block;
}

/** The symmetric K, (n, n). */
export function kernelMatrix(points, kernel) {
  const n = points.length / 2;
  const K = new Float64Array(n * n);
  const peak = kernel(0);
  for (let i = 0; i < n; i++) {
    K[i * n + i] = peak;
    for (let j = 0; j < i; j++) K[i * n + j] = K[j * n + i] = kernel(squareBetween(points, i, points, j));
  }
  return K;
}

/**
 * The approximation from these landmarks: factor G (n, r), rank r, residual K_ii − K̃_ii (n), peak k(x, x),
 * condition, a bound on the condition number of what is kept of W.
 */
export function approximate(points, landmarks, kernel) {
  const [n, m, peak] = [points.length / 2, landmarks.length / 2, kernel(0)];
  const W = kernelMatrix(landmarks, kernel);
  const turn = safeCholesky(W, m) ?? spectralTurn(W, m);
  const { factor, squares } = turned(turn, kernelBlock(points, landmarks, kernel), n);
  const residual = squares.map((square) => peak - square);
  const { rank, condition } = turn;
  return { n, m, rank, factor, residual, peak, landmarks, kernel, turn, condition };
}

/** k(z, z) − k̃(z, z) on a grid of columns × rows places from (x0, y0) on, rows one after the other, never negative. */
export function field(approximation, x0, y0, dx, dy, columns, rows) {
  const { peak, landmarks, kernel, turn } = approximation;
  const values = new Float32Array(columns * rows);
  const places = new Float64Array(2 * columns);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      places[2 * column] = x0 + dx * column;
      places[2 * column + 1] = y0 + dy * row;
    }
    const { squares } = turned(turn, kernelBlock(places, landmarks, kernel), columns);
    for (let column = 0; column < columns; column++) {
      values[row * columns + column] = Math.max(0, peak - squares[column]);
    }
  }
  return values;
}

/** K − K̃, (n, n). */
export function residualMatrix(K, { n, rank, factor }) {
  const rest = new Float64Array(n * n);
  // Two rows with two columns at a time: four sums that do not wait for one another. An odd last row meets itself.
  for (let i = 0; i < n; i += 2) {
    const below = Math.min(i + 1, n - 1);
    for (let j = 0; j <= i; j += 2) {
      const right = Math.min(j + 1, n - 1);
      let [a, b, c, d] = [i * rank, below * rank, j * rank, right * rank];
      let [first, second, third, fourth] = [0, 0, 0, 0];
      for (let k = 0; k < rank; k++, a++, b++, c++, d++) {
        first += factor[a] * factor[c];
        second += factor[a] * factor[d];
        third += factor[b] * factor[c];
        fourth += factor[b] * factor[d];
      }
      rest[i * n + j] = rest[j * n + i] = K[i * n + j] - first;
      rest[i * n + right] = rest[right * n + i] = K[i * n + right] - second;
      rest[below * n + j] = rest[j * n + below] = K[below * n + j] - third;
      rest[below * n + right] = rest[right * n + below] = K[below * n + right] - fourth;
    }
  }
  return rest;
}

/**
 * Norms of K − K̃, absolute and relative to those of K, as nysviz.errors has them. The spectral ones need all
 * eigenvalues, which takes too long while a hand moves: they are NaN where they are not asked for.
 */
export function errors(K, approximation, spectral = true) {
  const { n, residual } = approximation;
  const of = normsOf(K, n);
  const rest = residualMatrix(K, approximation);
  const size = frobeniusNorm(rest);
  let [trace, overshot] = [0, 0];
  for (const value of residual) {
    trace += Math.abs(value);
    overshot -= Math.min(value, 0);
  }
  const slack = DIAGONAL_ROUNDING * of.trace;
  if (overshot > slack || trace < size - slack) {
    trace = eigenvalues(rest, n).reduce((sum, value) => sum + Math.abs(value), 0);
  }
  if (!spectral) return relativeTo({ ...of, spectral: NaN }, size, NaN, Math.max(trace, size));
  of.spectral ??= spectralNorm(K, n);
  return relativeTo(of, size, spectralNorm(rest, n), Math.max(trace, size));
}

/** Errors of the best approximation of rank m (Eckart–Young), from the eigenvalues of K, descending. */
export function best(values, m) {
  const norms = (left) => [frobeniusNorm(left), Math.abs(left[0] ?? 0), left.reduce((sum, v) => sum + Math.abs(v), 0)];
  const [frobenius, spectral, trace] = norms(values);
  return relativeTo({ frobenius, spectral, trace }, ...norms(values.subarray(m)));
}

/** Eigenvalues of K̃ above 0, descending, (r), from GᵀG. */
export function approximatedEigenvalues(approximation) {
  const { n, rank, factor } = approximation;
  const gram = new Float64Array(rank * rank);
  for (let i = 0; i < n; i++) {
    for (let a = 0; a < rank; a++) {
      const left = factor[i * rank + a];
      for (let b = 0; b <= a; b++) gram[a * rank + b] += left * factor[i * rank + b];
    }
  }
  return eigenvalues(gram, rank);
}

/** All eigenvalues of a symmetric matrix (n, n), of which the lower triangle is read, descending. */
export function eigenvalues(symmetric, n) {
  const { diagonal, beside } = tridiagonal(Float64Array.from(symmetric), n, null);
  implicitQL(diagonal, beside, null);
  return diagonal.sort().reverse();
}

function relativeTo(of, frobenius, spectral, trace) {
  // A matrix of zeros is approximated exactly.
  const ratio = (part, whole) => (whole === 0 ? 0 : part / whole);
  return {
    frobenius,
    spectral,
    trace,
    relative_frobenius: ratio(frobenius, of.frobenius),
    relative_spectral: ratio(spectral, of.spectral),
    relative_trace: ratio(trace, of.trace),
  };
}

const knownNorms = new WeakMap();

/** Norms of K itself, worked out once for each matrix, the spectral one when it is asked for. */
function normsOf(K, n) {
  if (!knownNorms.has(K)) {
    let trace = 0;
    for (let i = 0; i < n; i++) trace += K[i * n + i];
    knownNorms.set(K, { frobenius: frobeniusNorm(K), trace, spectral: null });
  }
  return knownNorms.get(K);
}

function frobeniusNorm(matrix) {
  let sum = 0;
  for (let at = 0; at < matrix.length; at++) sum += matrix[at] * matrix[at];
  return Math.sqrt(sum);
}

/** The largest |eigenvalue|. */
function spectralNorm(symmetric, n) {
  return eigenvalues(symmetric, n).reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
}

/** Cholesky's L below its diagonal, 1 / L_ii, L⁻¹ and tr W⁻¹ of the symmetric W (m, m); null without one. */
export function cholesky(W, m) {
  const L = new Float64Array(m * m);
  const inverse = new Float64Array(m * m);
  const scale = new Float64Array(m);
  let inverseTrace = 0;
  for (let i = 0; i < m; i++) {
    for (let j = 0; j <= i; j++) {
      let value = W[i * m + j];
      for (let k = 0; k < j; k++) value -= L[i * m + k] * L[j * m + k];
      if (j < i) L[i * m + j] = value * scale[j];
      else if (value > 0) scale[i] = 1 / Math.sqrt(value);
      else return null;
    }
    // Row i of L⁻¹, whose squares sum to tr W⁻¹.
    for (let j = 0; j <= i; j++) {
      let value = j === i ? 1 : 0;
      for (let k = j; k < i; k++) value -= L[i * m + k] * inverse[k * m + j];
      inverse[i * m + j] = value * scale[i];
      inverseTrace += inverse[i * m + j] ** 2;
    }
  }
  return { L, scale, inverse, inverseTrace };
}

/**
 * A turn maps a point's kernel e with the landmarks to its row g of G: g_i = scale_i e_i + Σ_j rows_ij g_j over j < i
 * from a Cholesky factor (triangular), or g = rows · e from eigenpairs. This one is null where W is nearly singular.
 */
function safeCholesky(W, m) {
  const found = cholesky(W, m);
  if (!found) return null;
  const { L, scale, inverseTrace } = found;
  let trace = 0;
  for (let i = 0; i < m; i++) trace += W[i * m + i];
  const condition = m ? trace * inverseTrace : 1;
  const rows = L.map((value, at) => -value * scale[Math.floor(at / m)]);
  return RANK_TOLERANCE * condition < 1 ? { rank: m, m, rows, scale, triangular: true, condition } : null;
}

/** From the eigenpairs of W above rounding: rows v_kᵀ / √λ_k, (r, m), the largest first. */
function spectralTurn(W, m) {
  const vectors = new Float64Array(m * m);
  const { diagonal, beside } = tridiagonal(Float64Array.from(W), m, vectors);
  implicitQL(diagonal, beside, vectors);
  const largest = Math.max(0, ...diagonal);
  const kept = [...diagonal.keys()].filter((k) => diagonal[k] > RANK_TOLERANCE * largest);
  kept.sort((a, b) => diagonal[b] - diagonal[a]);
  const rank = kept.length;
  const rows = Float64Array.from({ length: rank * m }, (_, at) => {
    const k = kept[Math.floor(at / m)];
    return vectors[(at % m) * m + k] / Math.sqrt(diagonal[k]);
  });
  const condition = rank ? largest / diagonal[kept[rank - 1]] : 1;
  return { rank, m, rows, scale: new Float64Array(rank), triangular: false, condition };
}

/** Rows of G for points whose kernel with the landmarks is given, (count, m), and their squared lengths. */
function turned({ rank, m, rows, scale, triangular }, entries, count) {
  // Four points at a time, so that no sum waits for another; the last ones are repeated to make four.
  const factor = new Float64Array(count * rank);
  const squares = new Float64Array(count);
  const [source, width] = triangular ? [factor, rank] : [entries, m];
  for (let first = 0; first < count; first += 4) {
    const p = Math.min(first + 1, count - 1);
    const q = Math.min(first + 2, count - 1);
    const r = Math.min(first + 3, count - 1);
    for (let i = 0; i < rank; i++) {
      let a = scale[i] * entries[first * m + i];
      let b = scale[i] * entries[p * m + i];
      let c = scale[i] * entries[q * m + i];
      let d = scale[i] * entries[r * m + i];
      const from = i * m;
      const [w, x, y, z] = [first * width, p * width, q * width, r * width];
      for (let j = 0, end = triangular ? i : m; j < end; j++) {
        const share = rows[from + j];
        a += share * source[w + j];
        b += share * source[x + j];
        c += share * source[y + j];
        d += share * source[z + j];
      }
      factor[first * rank + i] = a;
      factor[p * rank + i] = b;
      factor[q * rank + i] = c;
      factor[r * rank + i] = d;
    }
  }
  for (let i = 0, at = 0; i < count; i++) {
    for (let j = 0; j < rank; j++, at++) squares[i] += factor[at] * factor[at];
  }
  return { factor, squares };
}

/**
 * Householder's reduction of a symmetric matrix, whose lower triangle is used up, to its diagonal (n) and what
 * stands beside it (n − 1); the orthogonal Q (n, n) with A = Q T Qᵀ goes into vectors where they are asked for.
 */
function tridiagonal(A, n, vectors) {
  const diagonal = new Float64Array(n);
  const beside = new Float64Array(Math.max(0, n - 1));
  const [v, p] = [new Float64Array(n), new Float64Array(n)];
  if (vectors) for (let i = 0; i < n; i++) vectors[i * n + i] = 1;
  for (let k = 0; k + 1 < n; k++) {
    diagonal[k] = A[k * n + k];
    let tail = 0;
    for (let i = k + 1; i < n; i++) {
      v[i] = A[i * n + k];
      p[i] = 0;
      if (i > k + 1) tail += v[i] * v[i];
    }
    if (tail === 0) {
      beside[k] = v[k + 1];
      continue;
    }
    const length = Math.sqrt(v[k + 1] * v[k + 1] + tail);
    beside[k] = v[k + 1] > 0 ? -length : length;
    v[k + 1] -= beside[k];
    const scale = 1 / Math.sqrt(tail + v[k + 1] * v[k + 1]);
    for (let i = k + 1; i < n; i++) v[i] *= scale;
    // A − 2 v wᵀ − 2 w vᵀ with p = A v and w = p − (vᵀ p) v, on the lower triangle.
    for (let i = k + 1; i < n; i++) {
      const [from, vi] = [i * n, v[i]];
      let sum = A[from + i] * vi;
      for (let j = k + 1; j < i; j++) {
        sum += A[from + j] * v[j];
        p[j] += A[from + j] * vi;
      }
      p[i] += sum;
    }
    let product = 0;
    for (let i = k + 1; i < n; i++) product += v[i] * p[i];
    for (let i = k + 1; i < n; i++) p[i] = 2 * (p[i] - product * v[i]);
    for (let i = k + 1; i < n; i++) {
      const [from, vi, wi] = [i * n, v[i], p[i]];
      for (let j = k + 1; j <= i; j++) A[from + j] -= vi * p[j] + wi * v[j];
    }
    for (let i = 0; vectors && i < n; i++) {
      let sum = 0;
      for (let j = k + 1; j < n; j++) sum += vectors[i * n + j] * v[j];
      for (let j = k + 1; j < n; j++) vectors[i * n + j] -= 2 * sum * v[j];
    }
  }
  if (n) diagonal[n - 1] = A[n * n - 1];
  return { diagonal, beside };
}

/** Turn a tridiagonal matrix into its eigenvalues, in place, by the QL method with implicit shifts. */
function implicitQL(diagonal, beside, vectors) {
  const n = diagonal.length;
  let size = 0;
  for (let i = 0; i < n; i++) size = Math.max(size, Math.abs(diagonal[i]) + Math.abs(beside[i] ?? 0));
  const negligible = Number.EPSILON * size;
  for (let low = 0; low < n; low++) {
    for (let round = 0; round < 60; round++) {
      let high = low;
      while (high < n - 1 && Math.abs(beside[high]) > negligible) high++;
      if (high === low) break;
      // Wilkinson's shift, from the leading 2 × 2 block.
      const half = (diagonal[low + 1] - diagonal[low]) / (2 * beside[low]);
      const root = Math.sqrt(half * half + 1);
      let g = diagonal[high] - diagonal[low] + beside[low] / (half + (half < 0 ? -root : root));
      let [sine, cosine, shift] = [1, 1, 0];
      for (let i = high - 1; i >= low; i--) {
        const [f, b] = [sine * beside[i], cosine * beside[i]];
        const length = Math.sqrt(f * f + g * g);
        if (i + 1 < high) beside[i + 1] = length;
        sine = length ? f / length : 0;
        cosine = length ? g / length : 1;
        g = diagonal[i + 1] - shift;
        const change = (diagonal[i] - g) * sine + 2 * cosine * b;
        shift = sine * change;
        diagonal[i + 1] = g + shift;
        g = cosine * change - b;
        for (let j = i, row = 0; vectors && row < n; row++, j += n) {
          const right = vectors[j + 1];
          vectors[j + 1] = sine * vectors[j] + cosine * right;
          vectors[j] = cosine * vectors[j] - sine * right;
        }
      }
      diagonal[low] -= shift;
      beside[low] = g;
    }
  }
}
