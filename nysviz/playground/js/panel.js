// What stands beside and below the canvas: numbers, bars, pictures of the matrices, eigenvalues, tasks.
import { ALGORITHMS, seeded } from './algorithms.js';
import { approximatedEigenvalues } from './nystrom.js';
import { shade } from './canvas.js';
import { cluster, preset, snapped } from './state.js';

// Colours of the families, light and dark, as on all pages.
const GREY = ['#7A7A7A', '#A8A8A8'], RED = ['#D55E00', '#FF8A3D'], BLUE = ['#0072B2', '#56B4E9'];
const HUES = {uniform: GREY, kmeans: RED, kmeanspp: RED, farthest: RED, icd: BLUE, rpcholesky: BLUE, greedy: BLUE,
  dpp: ['#B58900', '#F0C75E']};
// Below this part of ‖K‖ the best possible error is rounding, and a multiple of it says nothing.
const NOTHING = 1e-10;
const PICTURE_ROWS = 160, LONGEST_BAR = 8;

const ten = power => `10${[...String(power)].map(c => c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[c]).join('')}`;
/** Three significant digits, as the sentences of the pages write them. */
export const three = value => {
  if (value === 0 || !Number.isFinite(value)) return value === 0 ? '0' : '–';
  const [digits, power] = value.toExponential(2).split('e').map(Number);
  if (power >= -3 && power <= 3) return value.toFixed(Math.max(0, 2 - power));
  return `${digits.toFixed(2)}·${ten(power)}`; };

/** An error as a multiple of the best possible; NaN where that is rounding or not known yet. */
export const multiple = (error, best) =>
  best && best.relative_frobenius > NOTHING ? error.frobenius / best.frobenius : NaN;

/** The table of numbers: a row a measure, a column a canvas. */
export const showNumbers = (table, found) => {
  const rows = {
    'relative Frobenius error': one => three(one.errors.relative_frobenius),
    'times the best possible': one => three(one.multiple),
    'relative spectral error': one => three(one.errors.relative_spectral),
    'relative trace error': one => three(one.errors.relative_trace),
    'landmarks, rank of K̃': ({approximation: {m, n, rank}}) => `${m}, ${Math.min(rank, n)}`};
  const cells = (row, tag) => row.map(text => `<${tag}>${text}</${tag}>`).join('');
  const head = found.length > 1 ? `<tr><td></td>${cells(['A', 'B'], 'th')}</tr>` : '';
  table.innerHTML = head + Object.entries(rows).map(([name, cell], k) =>
    `<tr${k < 2 ? ' class="main"' : ''}>${cells([name, ...found.map(cell)], 'td')}</tr>`).join(''); };

/** Bars from 1, the best possible: yours in `found`, and each algorithm in `scores`, with m landmarks. */
export const showBars = (place, found, scores, best, dark, chosen) => {
  const rows = found.map((one, i) => ({name: found.length > 1 ? `canvas ${'AB'[i]}` : 'on the canvas', ...one}));
  for (const [id, {label}] of Object.entries(ALGORITHMS)) {
    const error = scores.get(id), hue = HUES[id]?.[dark ? 1 : 0];
    rows.push({name: label, errors: error, multiple: error ? multiple(error, best) : NaN, hue, chosen: id === chosen}); }
  const end = Math.min(LONGEST_BAR, Math.max(1.5, ...rows.map(one => one.multiple).filter(Number.isFinite)));
  rows.forEach((one, i) => {
    const row = place.children[i] ?? place.appendChild(document.createElement('div'));
    const known = Number.isFinite(one.multiple);
    const share = known ? Math.min(1, Math.max(0.005, (one.multiple - 1) / (end - 1))) : 0;
    const text = known ? one.multiple.toFixed(2) : one.errors ? three(one.errors.relative_frobenius) : '…';
    const html = `<span>${one.name}</span><i><b style="width:${(100 * share).toFixed(1)}%;`
      + `background:${one.hue ?? 'currentColor'}"></b></i><span>${text}</span>`;
    row.className = one.hue && !one.chosen ? 'bar-row' : 'bar-row strong';
    if (row.shown !== html) row.innerHTML = row.shown = html; });
  while (place.children.length > rows.length) place.lastElementChild.remove(); };

/** The points whose rows the pictures show, by their place from left to right; some of them where many are. */
export const picturedRows = points => {
  const n = points.length / 2, size = Math.min(n, PICTURE_ROWS);
  const order = Array.from({length: n}, (_, i) => i).sort((a, b) => points[2 * a] - points[2 * b]);
  return Array.from({length: size}, (_, i) => order[Math.floor(i * n / size)]); };

/** K, K̃ and |K − K̃| as pictures. */
export const showMatrices = (canvases, points, K, {n, rank, factor, peak}, look) => {
  const rows = picturedRows(points), size = Math.max(1, rows.length), row = i => rows[i];
  const parts = canvases.map(() => new Float32Array(size * size));
  for (let i = 0; n && i < size; i++) for (let j = 0; j <= i; j++) {
    const a = row(i), b = row(j), exact = K[a * n + b];
    let sum = 0;
    for (let k = 0; k < rank; k++) sum += factor[a * rank + k] * factor[b * rank + k];
    for (const at of [i * size + j, j * size + i]) {
      parts[0][at] = exact;
      parts[1][at] = sum;
      parts[2][at] = Math.abs(exact - sum); } }
  parts.forEach((values, p) => shade(canvases[p], values, size, size, peak, p < 2 ? look.kernel : look.residual)); };

/** Eigenvalues of K as a line and of K̃ as dots, on a logarithmic axis down to 10⁻⁴. */
export const showEigenvalues = (place, exact, approximation, look) => {
  const found = approximatedEigenvalues(approximation), low = -4, left = 26, right = 146, top = 8, bottom = 128;
  const count = Math.min(exact?.length ?? 40, Math.max(12, Math.ceil(1.5 * found.length)));
  const high = Math.ceil(Math.log10(Math.max(1.01, exact?.[0] ?? 0, found[0] ?? 0)));
  const x = i => (left + 4 + (right - left - 4) * i / Math.max(1, count - 1)).toFixed(1);
  const y = value => (top + (bottom - top) * (high - Math.log10(Math.max(value, 1e-9))) / (high - low)).toFixed(1);
  const shown = [...(exact ?? [])].slice(0, count).filter(value => value >= 10 ** low);
  const ticks = [high, high - 2, high - 4, high - 6].filter(power => power >= low).map(power =>
    `<path d="M${left} ${y(10 ** power)}H${right}" stroke="${look.grid}" stroke-width="0.6"/><text x="${left - 3}"`
    + ` y="${Number(y(10 ** power)) + 3}" text-anchor="end">${ten(power)}</text>`);
  const dots = [...found].map((value, i) => value < 10 ** low ? ''
    : `<circle cx="${x(i)}" cy="${y(value)}" r="2.4" fill="${look.accent}"/>`);
  const line = shown.map((value, i) => `${x(i)},${y(value)}`).join(' ');
  place.innerHTML = `<svg viewBox="0 0 150 150" role="img" aria-label="Eigenvalues">${ticks.join('')}`
    + `<text x="${left}" y="142">1</text><text x="${right}" y="142" text-anchor="end">${count}</text>`
    + `<polyline points="${line}" fill="none" stroke="${look.ink}" stroke-width="1.2"/>${dots.join('')}</svg>`; };

const clusters = (...parts) => {
  const {uniform} = seeded(2);
  return snapped(parts.flatMap(part => cluster(uniform, ...part))); };

// Tasks: points, Gaussian bandwidth, m, what they teach, and what then `holds` of the algorithms' multiples of the
// best possible and of their relative errors (checked by a test). An `open` one is not about beating anybody.
export const CHALLENGES = [
  {title: 'A bandwidth at which anything does', points: () => preset('uniform'), sigma: 8, m: 3, open: true,
    text: 'Seen so broadly, all points are alike: K has rank 1 but for a little, and any three landmarks do.',
    holds: (times, relative) => relative.every(error => error < 0.02)},
  {title: 'A bandwidth at which nothing helps', points: () => preset('uniform'), sigma: 0.02, m: 10, open: true,
    text: 'K is nearly the identity: a landmark explains itself alone, and the best possible is no better.',
    holds: (times, relative) => relative.every(error => error > 0.9) && Object.values(times).every(t => t < 1.1)},
  {title: 'An outlier', points: () => preset('line with an outlier'), sigma: 0.4, m: 4,
    text: 'Farthest points takes the outlier second, one entry of K. K-means spaces its centres along the line.',
    holds: times => times.farthest > 2 * times.kmeans},
  {title: 'A cluster of 5 beside one of 300', sigma: 0.4, m: 3,
    points: () => clusters([300, 1.4, 1.5, 0.45], [5, 3.4, 2.3, 0.06]),
    text: 'The Frobenius error counts entries of K: 25 beside 90 000. Whoever goes for the five does worse than chance.',
    holds: times => times.farthest > times.uniform && times.icd > times.uniform},
  {title: 'A ring', points: () => preset('ring'), sigma: 0.4, m: 8,
    text: 'All of the ring counts the same, so even spacing is good; drawn at random, landmarks leave gaps.',
    holds: times => times.uniform > 1.8 * times.farthest},
  {title: 'Greedy loses to k-means', points: () => preset('two balls'), sigma: 0.5, m: 4,
    text: 'Two landmarks a ball lie best off the first, central choice, and greedy never takes a choice back.',
    holds: times => times.greedy > 1.1 * times.kmeans},
  {title: 'K-means loses to greedy', sigma: 0.15, m: 8,
    points: () => clusters([200, 1, 1.5, 0.08], [60, 3, 1.5, 0.9]),
    text: 'K-means spends centres on scattered points that K hardly counts; greedy first finishes the dense cluster.',
    holds: times => times.kmeans > 1.3 * times.greedy},
];
