// Landmarks that roll downhill on the trace error, by L-BFGS: nysviz/landmarks/moving.py has the same formula.

import { squareBetween } from "./kernels.js";
import { approximate, cholesky, kernelBlock, kernelMatrix } from "./nystrom.js";
import { snapped } from "./state.js";

// As in nysviz/landmarks/moving.py.
const RIDGE = 1e-10;
const LEAST_LEFT = 1e-8;
const LEAST_GAIN = 1e-6;
const MOST_MOVES = 200;
// Moves whose changes of the derivative shape the next one; how far a landmark goes in one move, so that it is
// seen to roll, in units of the plane; how often a move is halved; the part of the promised fall it must have.
const MEMORY = 8;
const LONGEST_MOVE = 0.12;
const HALVINGS = 30;
const LEAST_FALL = 1e-4;

/**
 * tr E (W + ridge I)⁻¹ Eᵀ and its derivative in the landmarks, x, y pairs; null where W has no Cholesky factor. `slope`
 * is the kernel's derivative in the squared distance. O(n m²).
 */
export function explainedTrace(points, landmarks, kernel, slope, ridge = 0) {
  const [n, m] = [points.length / 2, landmarks.length / 2];
  const W = kernelMatrix(landmarks, kernel);
  for (let j = 0; j < m; j++) W[j * m + j] += ridge;
  const inverse = cholesky(W, m)?.inverse;
  if (!inverse) return null;
  const E = kernelBlock(points, landmarks, kernel);
  const [c, a, inner] = [new Float64Array(m), new Float64Array(m), new Float64Array(m * m)];
  const slopes = new Float64Array(2 * m);
  // Adds the derivative of weight · k(x, z_j) in z_j, of one of some places x.
  const pull = (places, i, j, weight) => {
    const push = 2 * weight * slope(squareBetween(places, i, landmarks, j));
    slopes[2 * j] += push * (landmarks[2 * j] - places[2 * i]);
    slopes[2 * j + 1] += push * (landmarks[2 * j + 1] - places[2 * i + 1]);
  };
  let value = 0;
  // With A = W⁻¹ Eᵀ, of which a is a column, the derivative is 2⟨Aᵀ, dE⟩ − ⟨A Aᵀ, dW⟩.
  for (let i = 0; i < n; i++) {
    a.fill(0);
    for (let j = 0; j < m; j++) {
      c[j] = 0;
      for (let k = 0; k <= j; k++) c[j] += inverse[j * m + k] * E[i * m + k];
      for (let k = 0; k <= j; k++) a[k] += inverse[j * m + k] * c[j];
      value += c[j] * c[j];
    }
    for (let j = 0; j < m; j++) {
      pull(points, i, j, 2 * a[j]);
      for (let k = 0; k < m; k++) inner[j * m + k] += a[j] * a[k];
    }
  }
  // Each entry of W has z_j in its row and in its column.
  for (let j = 0; j < m; j++) {
    for (let k = 0; k < m; k++) pull(landmarks, k, j, -2 * inner[j * m + k]);
  }
  return { value, slopes };
}

/**
 * Moves of the landmarks, each to places of the grid where the trace error is smaller: the landmarks, their relative
 * trace error, that of the start, and the number of the move. Ends where a move gains next to nothing.
 */
export function* downhill(points, landmarks, kernel, slope) {
  const [trace, ridge] = [(points.length / 2) * kernel(0), RIDGE * kernel(0)];
  const left = (places) => approximate(points, places, kernel).residual.reduce((sum, value) => sum + value / trace, 0);
  const start = left(landmarks);
  if (!(start > LEAST_LEFT)) return;
  let shown = start;
  const unit = start * trace;
  const look = (places) => {
    const found = explainedTrace(points, places, kernel, slope, ridge);
    return found && { places, error: (trace - found.value) / unit, slopes: found.slopes.map((one) => -one / unit) };
  };
  let now = look(landmarks);
  const memory = [];
  for (let move = 1; now && move <= MOST_MOVES; move++) {
    const next = nextOf(now, direction(now.slopes, memory), look);
    if (!next) {
      // What earlier moves have taught may lead astray: once more straight downhill.
      if (!memory.length) return;
      memory.length = 0;
      continue;
    }
    const way = next.places.map((place, at) => place - now.places[at]);
    const change = next.slopes.map((one, at) => one - now.slopes[at]);
    const bend = dot(way, change);
    if (bend > 0) memory.push({ way, change, bend });
    if (memory.length > MEMORY) memory.shift();
    const gain = now.error - next.error;
    now = next;
    const places = snapped(now.places);
    const error = left(places);
    if (error < shown) {
      shown = error;
      yield { landmarks: places, error, start, move };
    }
    if (gain < LEAST_GAIN) return;
  }
}

/** The way that L-BFGS goes from here, by the moves that it remembers; straight downhill without any. */
function direction(slopes, memory) {
  const way = slopes.map((slope) => -slope);
  if (!memory.length) return way.map((one) => (one * LONGEST_MOVE) / longest(way));
  const add = (other, weight) => other.forEach((one, at) => (way[at] += weight * one));
  const weights = [];
  for (const one of memory.toReversed()) {
    weights.unshift(dot(one.way, way) / one.bend);
    add(one.change, -weights[0]);
  }
  const { change, bend } = memory.at(-1);
  const scale = bend / dot(change, change);
  way.forEach((one, at) => (way[at] = scale * one));
  memory.forEach((one, k) => add(one.way, weights[k] - dot(one.change, way) / one.bend));
  return way;
}

/** Where a move of at most LONGEST_MOVE that way ends, halved until the error falls as promised; or null. */
function nextOf(now, way, look) {
  const fall = dot(now.slopes, way);
  let size = Math.min(1, LONGEST_MOVE / longest(way));
  for (let t = 0; fall < 0 && t < HALVINGS; t++, size /= 2) {
    const next = look(now.places.map((place, at) => place + size * way[at]));
    if (next && next.error <= now.error + LEAST_FALL * size * fall) return next;
  }
  return null;
}

const dot = (first, second) => first.reduce((sum, one, at) => sum + one * second[at], 0);
/** The longest of some ways, x, y pairs; never 0. */
const longest = (ways) =>
  ways.reduce((most, x, at) => (at % 2 ? most : Math.max(most, Math.hypot(x, ways[at + 1]))), Number.MIN_VALUE);
