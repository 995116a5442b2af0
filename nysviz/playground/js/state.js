// The state of the playground: what it is, its link, its undo and redo, and the points to begin with.
import { KERNELS } from './kernels.js';
import { seeded } from './algorithms.js';

// The plane is 4 × 3; coordinates are multiples of 1/1024, so that a link holds them exactly.
export const WIDTH = 4, HEIGHT = 3, GRID = 1024, MOST_POINTS = 400, MOST_LANDMARKS = 40;
export const LOW_SIGMA = 0.02, HIGH_SIGMA = 8, SIGMA_UNITS = 10000;
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const onGrid = (value, end) => Math.min(end * GRID - 1, Math.max(0, Math.round(value * GRID))) / GRID;
/** Nearest place of the grid, as [x, y]. */
export const snap = (x, y) => [onGrid(x, WIDTH), onGrid(y, HEIGHT)];
/** Coordinates x, y, x, y … on the grid as a Float64Array. */
export const snapped = values =>
  Float64Array.from(values, (value, i) => onGrid(value, i % 2 ? HEIGHT : WIDTH));
/** A copy of x, y pairs with one more, or with pair i moved or left out. */
export const withPair = (pairs, x, y) => Float64Array.of(...pairs, ...snap(x, y));
export const withMoved = (pairs, i, x, y) => {
  const copy = pairs.slice();
  copy.set(snap(x, y), 2 * i);
  return copy; };
export const withoutPair = (pairs, i) => pairs.filter((_, k) => k >> 1 !== i);

const written = pairs => Array.from(pairs, value => {
  const whole = Math.round(value * GRID);
  return DIGITS[whole >> 6] + DIGITS[whole & 63]; }).join('');

/** A state as text: kernel.10000σ.points.landmarks.landmarks of the second canvas.coordinates. */
export const encode = ({kernel, sigma, points, boards}) =>
  [kernel, Math.round(SIGMA_UNITS * sigma), ...[points, boards[0], boards[1] ?? []].map(pairs => pairs.length / 2),
    written(points) + boards.map(written).join('')].join('.');

/** The state that a text holds; null where the text is damaged. */
export const decode = text => {
  const [kernel, units, ...rest] = String(text).split('.'), coordinates = rest.pop() ?? '';
  const counts = rest.map(Number);
  const whole = [units, ...rest].every(part => /^\d{1,5}$/.test(part)) && rest.length === 3;
  const sigma = Number(units) / SIGMA_UNITS, most = [MOST_POINTS, MOST_LANDMARKS, MOST_LANDMARKS];
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (!whole || !Object.hasOwn(KERNELS, kernel) || sigma < LOW_SIGMA || sigma > HIGH_SIGMA
      || counts.some((count, i) => count > most[i]) || !/^[\w-]*$/.test(coordinates)
      || coordinates.length !== 4 * total) return null;
  const values = Float64Array.from({length: 2 * total}, (_, i) =>
    (DIGITS.indexOf(coordinates[2 * i]) * 64 + DIGITS.indexOf(coordinates[2 * i + 1])) / GRID);
  if (values.some((value, i) => i % 2 && value >= HEIGHT)) return null;
  const [n, first] = [2 * counts[0], 2 * (counts[0] + counts[1])];
  return {kernel, sigma, points: values.slice(0, n),
    boards: counts[2] ? [values.slice(n, first), values.slice(first)] : [values.slice(n, first)]}; };

/** States with undo and redo; a gesture is one step, however many states it passes. */
export class History {
  constructor(state) { this.now = state; this.past = []; this.future = []; this.before = null; }
  /** Change while the hand moves; `settle` ends the step. */
  live(change) { this.before ??= this.now; this.now = {...this.now, ...change}; }
  settle() {
    if (this.before && this.before !== this.now) {
      this.past = [...this.past, this.before].slice(-200);
      this.future = []; }
    this.before = null; }

  set(change) { this.settle(); this.live(change); this.settle(); }
  undo() { this.#step(this.past, this.future); }
  redo() { this.#step(this.future, this.past); }

  #step(from, to) {
    this.settle();
    if (from.length) { to.push(this.now); this.now = from.pop(); } }
}

/** Points around a centre, normally distributed, x, y, x, y …; `random` gives numbers in [0, 1). */
export const cluster = (random, count, x, y, spread) => Array.from({length: count}, () => {
  const radius = spread * Math.sqrt(-2 * Math.log(1 - random())), angle = 2 * Math.PI * random();
  return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)]; }).flat();

const along = (count, curve) => Array.from({length: count}, (_, i) => curve(i / count, i)).flat();
const noise = (random, spread) => spread * (random() + random() + random() - 1.5);

/** Points to begin with, by name: functions of a random generator. */
export const PRESETS = {
  'unequal clusters': random => [...cluster(random, 120, 1.2, 1.8, 0.28), ...cluster(random, 40, 2.8, 0.9, 0.17),
    ...cluster(random, 8, 3.3, 2.4, 0.07)],
  'ring': random => along(160, t => [2 + 1.15 * Math.cos(2 * Math.PI * t) + noise(random, 0.08),
    1.5 + 1.15 * Math.sin(2 * Math.PI * t) + noise(random, 0.08)]),
  'two moons': random => along(200, (_, i) => {
    const angle = Math.PI * random(), side = i % 2 ? 1 : -1;
    return [2 - 0.45 * side + side * Math.cos(angle) + noise(random, 0.12),
      1.5 - 0.2 * side + side * Math.sin(angle) + noise(random, 0.12)]; }),
  'spiral': random => along(180, t => [2 + (0.15 + 1.1 * t) * Math.cos(13 * t) + noise(random, 0.05),
    1.5 + (0.15 + 1.1 * t) * Math.sin(13 * t) + noise(random, 0.05)]),
  'line with an outlier': random => [...along(60, t => [0.4 + 2.6 * t, 0.9 + 0.5 * t + noise(random, 0.04)]),
    3.5, 2.6],
  'grid': () => along(192, (_, i) => [0.25 + 0.2333 * (i % 16), 0.2 + 0.236 * Math.floor(i / 16)]),
  'uniform': random => along(200, () => [0.15 + 3.7 * random(), 0.15 + 2.7 * random()]),
  'two balls': random => along(240, (_, i) => {
    const radius = 0.75 * Math.sqrt(random()), angle = 2 * Math.PI * random();
    return [1.1 + 1.8 * (i % 2) + radius * Math.cos(angle), 1.5 + radius * Math.sin(angle)]; }),
};

export const preset = name => snapped(PRESETS[name](seeded(1).uniform));
