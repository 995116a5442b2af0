// The algorithms that choose landmarks, a frame a choice. Ids, rules and ties are those of nysviz.METHODS, with the
// same picks for the same random numbers: randomly pivoted Cholesky in its form "simple", the others by default.
//
// A frame: landmarks (x, y pairs), picks (their points, or null for centres), weights (n) that the last choice was
// made by, or null, cells (n) that a quantizer assigns the points to, or null, and a note, one short sentence.

import { squareBetween } from "./kernels.js";
import { kernelMatrix } from "./nystrom.js";

// As in nysviz/landmarks/selection.py and nysviz/numerics/loops.py.
const RESIDUAL_FLOOR = 1e-12;
const PIVOT_DAMPING = 1e-8;
const TIE = 1e-11;
const LLOYD_STEPS = 10;
const SWAPS = 1000;

export const ALGORITHMS = {
  uniform: { label: "uniform", run: uniformly },
  kmeans: { label: "k-means", run: lloyd },
  kmeanspp: {
    label: "kernel k-means++",
    run: (points, kernel, m, random) =>
      seeds(points, kernel, m, random, (gaps) => drawn(gaps, random.uniform()), shares, "drawn by distance"),
  },
  farthest: {
    label: "farthest points",
    run: (points, kernel, m, random) =>
      seeds(points, kernel, m, random, firstOfLargest, (gaps) => gaps.slice(), "farthest from all landmarks"),
  },
  icd: {
    label: "incomplete Cholesky",
    run: (points, kernel, m) =>
      pivots(points, kernel, m, firstOfLargest, (left) => left.slice(), "has the largest residual"),
  },
  rpcholesky: {
    label: "RPCholesky",
    run: (points, kernel, m, random) =>
      pivots(points, kernel, m, (left) => drawn(left, random.uniform()), shares, "drawn by its residual"),
  },
  greedy: { label: "greedy", run: greedily },
  dpp: { label: "k-DPP", run: swapping },
};

/** Random numbers that the seed alone decides: uniform() in [0, 1) and integer(n) in 0 … n − 1. */
export function seeded(seed) {
  let state = (seed >>> 0) + 0x6d2b79f5;
  const word = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const uniform = () => ((word() >>> 5) * 2 ** 26 + (word() >>> 6)) / 2 ** 53;
  return { uniform, integer: (n) => Math.floor(uniform() * n) };
}

function* uniformly(points, kernel, m, random) {
  const order = shuffled(points.length / 2, m, random);
  const weights = new Float64Array(points.length / 2).fill(1);
  for (let t = 0; t < order.length; t++) {
    yield pickedFrame(points, order.slice(0, t + 1), shares(weights), null, "drawn; all others were as likely");
    weights[order[t]] = 0;
  }
}

/** Lloyd's algorithm; a cluster that runs empty restarts at the point farthest from its centre. */
function* lloyd(points, kernel, m, random) {
  const n = points.length / 2;
  let centres = placesOf(points, shuffled(n, m, random));
  let before = null;
  for (let step = 0; ; step++) {
    const cells = nearestOf(points, centres);
    const done = before !== null && cells.every((cell, i) => cell === before[i]);
    const note = step === 0 ? "Start: points drawn at random." : done ? "No point changes its cell." : "Centres moved.";
    yield { landmarks: centres, picks: null, weights: null, cells: cells.slice(), note: `Step ${step}. ${note}` };
    if (done || step === LLOYD_STEPS) return;
    centres = meansOf(points, centres, cells);
    before = cells;
  }
}

/** The mean of each cell; cells without a point take one over, which changes the cells as well. */
function meansOf(points, centres, cells) {
  const sums = new Float64Array(centres.length);
  const counts = new Int32Array(centres.length / 2);
  const add = (i, cell, sign) => {
    counts[cell] += sign;
    sums[2 * cell] += sign * points[2 * i];
    sums[2 * cell + 1] += sign * points[2 * i + 1];
  };
  cells.forEach((cell, i) => add(i, cell, 1));
  const gaps = Float64Array.from(cells, (cell, i) => squareBetween(points, i, centres, cell));
  const far = [...cells.keys()].sort((a, b) => gaps[b] - gaps[a] || a - b);
  const empty = [...counts.keys()].filter((cell) => counts[cell] === 0);
  let next = 0;
  for (const cell of empty) {
    while (counts[cells[far[next]]] < 2) next++;
    const i = far[next++];
    add(i, cells[i], -1);
    add(i, cell, 1);
    cells[i] = cell;
  }
  return sums.map((sum, at) => sum / counts[at >> 1]);
}

/** Points chosen one after the other by their squared distance, in feature space, from those chosen so far. */
function* seeds(points, kernel, m, random, choose, shown, how) {
  const [n, floor, picks] = [points.length / 2, RESIDUAL_FLOOR * kernel(0), []];
  const [gaps, squares, cells] = [new Float64Array(n), new Float64Array(n).fill(Infinity), new Int32Array(n)];
  let pick = Math.min(Math.floor(random.uniform() * n), n - 1);
  let weights = new Float64Array(n).fill(1 / n);
  while (n > 0 && picks.length < m) {
    for (let i = 0; i < n; i++) {
      // All of these kernels fall with the distance, so the nearest in the plane is the nearest in feature space.
      const square = squareBetween(points, i, points, pick);
      if (square >= squares[i]) continue;
      const gap = 2 * kernel(0) - 2 * kernel(square);
      [squares[i], cells[i], gaps[i]] = [square, picks.length, gap < floor ? 0 : gap];
    }
    picks.push(pick);
    yield pickedFrame(points, picks.slice(), weights, cells.slice(), picks.length > 1 ? how : "drawn at random");
    if (picks.length === m || !gaps.some((gap) => gap > 0)) return;
    weights = shown(gaps);
    pick = choose(gaps);
  }
}

/** Pivots of a partial Cholesky factorisation of K, chosen by the diagonal of what is left. */
function* pivots(points, kernel, m, choose, shown, how) {
  const [n, floor, factor, picks] = [points.length / 2, RESIDUAL_FLOOR * kernel(0), [], []];
  const left = new Float64Array(n).fill(kernel(0));
  while (picks.length < m) {
    for (let i = 0; i < n; i++) if (left[i] <= floor) left[i] = 0;
    if (!left.some((value) => value > 0)) return;
    const weights = shown(left);
    const pick = choose(left);
    const row = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      row[i] = kernel(squareBetween(points, i, points, pick));
      for (const known of factor) row[i] -= known[pick] * known[i];
    }
    const scale = 1 / Math.sqrt(row[pick]);
    for (let i = 0; i < n; i++) {
      row[i] *= scale;
      left[i] = Math.max(0, left[i] - row[i] * row[i]);
    }
    // A point that was chosen is reproduced exactly: the rest would be rounding.
    for (const known of picks) row[known] = 0;
    left[pick] = 0;
    factor.push(row);
    picks.push(pick);
    yield pickedFrame(points, picks.slice(), weights, null, how);
  }
}

/** Greedy (Farahat 2011): the column of the residual R with the largest ‖R_i‖² / R_ii. */
function* greedily(points, kernel, m) {
  const [n, peak, R, picks] = [points.length / 2, kernel(0), kernelMatrix(points, kernel), []];
  while (picks.length < m) {
    const weights = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const left = R[i * n + i];
      let square = 0;
      for (let at = i * n, end = at + n; at < end; at++) square += R[at] * R[at];
      weights[i] = left > RESIDUAL_FLOOR * peak ? square / (left + PIVOT_DAMPING * peak) : 0;
    }
    const pick = firstOfLargest(weights);
    if (!(weights[pick] > 0)) return;
    const scale = 1 / Math.sqrt(R[pick * n + pick]);
    const row = R.slice(pick * n, (pick + 1) * n).map((value) => value * scale);
    for (let i = 0, at = 0; i < n; i++) {
      for (let j = 0; j < n; j++, at++) R[at] -= row[i] * row[j];
    }
    for (let i = 0; i < n; i++) R[i * n + pick] = R[pick * n + i] = 0;
    picks.push(pick);
    yield pickedFrame(points, picks.slice(), weights, null, "reduces the trace of the residual most");
  }
}

/** k-DPP by a chain of swaps (Li, Jegelka & Sra 2016); a frame for the start, each swap made, and the end. */
function* swapping(points, kernel, m, random) {
  const n = points.length / 2;
  const inside = shuffled(n, m, random);
  // The odds of each point to take the leaving one's place are worked out for frames that are looked at alone.
  const frame = (note, odds) => ({
    landmarks: placesOf(points, inside),
    picks: inside.slice(),
    get weights() {
      return odds ? Float64Array.from({ length: n }, (_, i) => odds(i)) : null;
    },
    cells: null,
    note,
  });
  yield frame("Start: points drawn at random.");
  if (m >= n) return;
  const outside = [...Array(n).keys()].filter((i) => !inside.includes(i));
  let refused = 0;
  for (let step = 1; step <= SWAPS; step++) {
    const [place, slot, chance] = [random.integer(m), random.integer(outside.length), random.uniform()];
    const [leaving, entering, before] = [inside[place], outside[slot], inside.slice()];
    const left = leftBy(points, kernel, inside.filter((_, at) => at !== place));
    refused += 1;
    const present = Math.max(left(leaving), Number.MIN_VALUE);
    if (!(left(entering) > 0 && chance * present < left(entering))) continue;
    const odds = (i) => (before.includes(i) ? 0 : left(i) / present);
    [inside[place], outside[slot], refused] = [entering, leaving, 0];
    const value = odds(entering).toPrecision(2);
    yield frame(`Step ${step}: point ${entering} takes the place of ${leaving}, at odds of ${value}.`, odds);
  }
  yield frame(`End after ${SWAPS} proposals, the last ${refused} of which were refused.`);
}

/** What is left of a point's k(x, x) without what these landmarks explain; W's diagonal is raised to stay regular. */
function leftBy(points, kernel, landmarks) {
  const raised = kernel(0) * (1 + RESIDUAL_FLOOR);
  const rows = [];
  const explain = (point) => {
    const row = new Float64Array(rows.length);
    let left = raised;
    for (let i = 0; i < rows.length; i++) {
      let value = kernel(squareBetween(points, landmarks[i], points, point));
      for (let j = 0; j < i; j++) value -= rows[i].row[j] * row[j];
      row[i] = value / rows[i].pivot;
      left -= row[i] * row[i];
    }
    return { row, left };
  };
  for (const landmark of landmarks) {
    const { row, left } = explain(landmark);
    rows.push({ row, pivot: Math.sqrt(Math.max(left, Number.EPSILON * raised)) });
  }
  return (point) => Math.max(0, explain(point).left);
}

function pickedFrame(points, picks, weights, cells, how) {
  return { landmarks: placesOf(points, picks), picks, weights, cells, note: `Point ${picks.at(-1)}: ${how}.` };
}

function placesOf(points, picks) {
  return Float64Array.from({ length: 2 * picks.length }, (_, at) => points[2 * picks[at >> 1] + (at & 1)]);
}

/** The first m of the numbers below n in random order. */
function shuffled(n, m, random) {
  const order = [...Array(n).keys()];
  const count = Math.min(m, n);
  for (let t = 0; t < count; t++) {
    const other = t + random.integer(n - t);
    [order[t], order[other]] = [order[other], order[t]];
  }
  return order.slice(0, count);
}

/** Index of each point's nearest centre, the first of equally near ones. */
function nearestOf(points, centres) {
  return Int32Array.from({ length: points.length / 2 }, (_, i) => {
    let [best, least] = [0, Infinity];
    for (let j = 0; j < centres.length / 2; j++) {
      const square = squareBetween(points, i, centres, j);
      if (square < least) [best, least] = [j, square];
    }
    return best;
  });
}

/** The index that a uniform number draws in proportion to the weights. */
function drawn(weights, uniform) {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let [sum, last] = [0, 0];
  for (let i = 0; i < weights.length; i++) {
    sum += weights[i];
    if (sum > uniform * total) return i;
    if (weights[i] > 0) last = i;
  }
  return last;
}

function shares(weights) {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** The lowest index of the values that are the largest but for rounding. */
function firstOfLargest(values) {
  const largest = values.reduce((most, value) => Math.max(most, value), -Infinity);
  return values.findIndex((value) => value >= largest - TIE * Math.abs(largest));
}
