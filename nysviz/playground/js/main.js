// The playground: puts everything together, follows the hand frame by frame, and tells the server at rest.
import { KERNELS } from './kernels.js';
import { approximate, best, eigenvalues, errors, field, kernelMatrix } from './nystrom.js';
import { ALGORITHMS, seeded } from './algorithms.js';
import { downhill } from './improve.js';
import { WIDTH, HEIGHT, LOW_SIGMA, HIGH_SIGMA, SIGMA_UNITS, MOST_LANDMARKS, PRESETS, preset } from './state.js';
import { History, decode, encode, snapped } from './state.js';
import { LOOK, Painter, svg } from './canvas.js';
import { Hand, TOOLS } from './hand.js';
import { CHALLENGES, multiple, picturedRows, showBars, showEigenvalues, showMatrices, showNumbers } from './panel.js';
import { three } from './panel.js';

// Milliseconds without a move until the state counts as at rest, and until what takes longer is worked out.
const REST = 300, PAUSE = 120, SLICE = 8, MOVING_COLUMNS = 64, RESTING_COLUMNS = 176;
const SPEEDS = {slow: 1600, normal: 700, fast: 200, 'very fast': 40};
// Moves downhill in the time of one step of an algorithm.
const MOVES = 5;
const ROLLS = 'Let the landmarks roll downhill on the trace error; stop with the same button or Esc.';
const NONE = new Float64Array(), HASH = '#d=';
const NO_LINK = 'The link is damaged, so its drawing cannot be shown: this is the one to begin with.';

// Whose landmarks have a record, and what it is called.
const RECORDS = {hand: 'by hand', improved: 'by hand, improved'};

const options = (select, pairs) =>
  select.length < 2 && select.append(...pairs.map(([value, text]) => new Option(text, value)));

/**
 * Bring an element with playground.html to life, with the state in the address, or else in `start`. `onRest` is
 * called with the state's text and errors when the hand has rested.
 */
export function mount(root, {start, onRest = () => {}, address = location.hash}) {
  const part = name => root.querySelector('.' + name), stopping = new AbortController(), {signal} = stopping;
  const linked = address.startsWith(HASH) ? decode(address.slice(HASH.length)) : null;
  const kept = window.nysvizPlayground ??= {text: null, by: [], best: new Map()};
  const history = new History(linked ?? decode(kept.text ?? start));
  // What landmarks come from, where it is not the hand: undone and redone, and when the page is left, they keep it.
  const origins = new WeakMap(), by = (i = active) => origins.get(history.now.boards[i]) ?? 'hand';
  if (encode(history.now) === kept.text) history.now.boards.forEach((one, i) => origins.set(one, kept.by[i]));
  const canvases = [...root.querySelectorAll('.plane')], painters = canvases.map(canvas => new Painter(canvas));
  // What is worked out for the state that is shown: K for its points, its eigenvalues, each algorithm's errors.
  const known = {points: null, kernel: null, sigma: null, K: null, values: null, m: 0, scores: null, frames: null};
  // A view of K alone: the plane shows points without a residual.
  const isPlain = () => root.dataset.view === 'matrix';
  let pair = [];  // the points of the entry of K under the pointer
  let found = [], overlay = null, active = 0, tool = 'landmarks', seen = '', looks = null, dirty = true, moved = 0, sent = '';
  let task = null, work = null, frame = 0, playing = 0, roll = null, resting = false, columns = MOVING_COLUMNS;

  const app = {signal,
    get state() { return history.now; }, get tool() { return tool; },
    live(change) { if (roll) pause(); history.live(change); edited(); },
    settle() { if (!roll) history.settle(); },
    activate(i) { if (active !== i) { if (roll) pause(); active = i; changed(); } },
    redraw() { dirty = true; },
    say(text) { part('message').textContent = text; return false; },
    tell(text) { part('spoken').textContent = text; },
    /** The point with the largest residual, or the place in the plane where there is none. */
    darkest(i) {
      const {points} = history.now, {residual} = found[i].approximation;
      const at = residual.indexOf(Math.max(...residual));
      return at < 0 ? [WIDTH / 2, HEIGHT / 2] : points.subarray(2 * at, 2 * at + 2); }};
  const hands = painters.map((painter, i) => new Hand(painter, i, app));

  const changed = () => { dirty = true; resting = false; moved = performance.now(); work = null; };
  const edited = () => {
    pause();
    overlay = null;
    part('m').value = Math.max(1, history.now.boards[active].length / 2);
    part('message').textContent = part('note').textContent = '';
    changed(); };
  const set = change => { history.set(change); edited(); };

  /** Forget what does not belong to the state any more. */
  const refresh = () => {
    const {points, kernel, sigma} = history.now, m = Number(part('m').value) || 1;
    if (known.points !== points || known.kernel !== kernel || known.sigma !== sigma) {
      const make = KERNELS[kernel].make(sigma);
      Object.assign(known, {points, kernel, sigma, make, K: kernelMatrix(points, make), values: null, m: 0}); }
    if (known.m !== m) Object.assign(known, {m, scores: new Map(), frames: new Map()}); };

  const view = (i, size = 1) => {
    const {approximation: {residual: explained, peak}} = found[i], {chosen, pointed, reach} = hands[i];
    const residual = isPlain() ? explained.map(() => peak) : explained;
    const colours = isPlain() ? {values: [0], columns: 1, rows: 1} : found[i].field;
    const frame = i === active ? overlay : null;
    return {points: history.now.points, pair, landmarks: history.now.boards[i], look: looks, size, residual, top: peak,
      field: colours, weights: frame?.weights, cells: frame?.cells, reach, fine: resting,
      chosen: tool === 'landmarks' ? chosen : null, pointed: tool === 'points' ? chosen : pointed}; };

  const draw = () => {
    const {points, boards} = history.now, rows = Math.round(columns * HEIGHT / WIDTH), d = WIDTH / columns;
    refresh();
    found = boards.map((landmarks, i) => {
      // What only the pointer's place has changed is not worked out again.
      const of = [landmarks, known.K, known.values, columns, resting];
      if (found[i]?.of.every((part, k) => part === of[k])) return found[i];
      const approximation = approximate(points, landmarks, known.make);
      const error = errors(known.K, approximation, resting);
      const least = known.values && best(known.values, approximation.m);
      return {of, approximation, errors: error, multiple: multiple(error, least),
        field: {values: field(approximation, d / 2, HEIGHT - d / 2, d, -d, columns, rows), columns, rows}}; });
    found.forEach((_, i) => painters[i].paint(view(i, Math.max(0.8, painters[i].scale / 170))));
    const {approximation} = found[active], bestOfM = known.values && best(known.values, known.m);
    showNumbers(part('numbers'), found);
    showBars(part('bars'), found, known.scores, bestOfM, looks === LOOK.dark, overlay && by());
    showMatrices([...root.querySelectorAll('.matrix')], points, known.K, approximation, looks);
    showEigenvalues(part('eigenvalues'), known.values, approximation, looks);
    if (resting && points.length) judge(); };

  /** The best of this visit on these points, by hand and by hand, improved; and the task. */
  const judge = () => {
    const {boards} = history.now, {multiple: mine, approximation: {m}} = found[active];
    const key = `${m} ${encode({...history.now, boards: [NONE]})}`, hand = by() === 'hand' && m > 0;
    const held = kept.best.get(key) ?? {};
    if (m > 0 && by() in RECORDS && mine < (held[by()]?.mine ?? Infinity))
      kept.best.set(key, Object.assign(held, {[by()]: {mine, landmarks: boards[active]}}));
    const records = Object.keys(RECORDS).filter(origin => held[origin]);
    const numbers = records.map(origin => `${RECORDS[origin]} ${held[origin].mine.toFixed(2)}`);
    part('record').textContent = records.length ? `Best with m = ${m} in this visit: ${numbers.join('; ')}` : '';
    const first = records.map(origin => held[origin]).sort((a, b) => a.mine - b.mine)[0];
    part('again').hidden = !(first?.mine < mine);
    part('again').onclick = () => set({boards: boards.map((one, i) => i === active ? first.landmarks : one)});
    const scores = [...known.scores.values()].map(error => multiple(error, best(known.values, m)));
    if (!task || m !== task.m || !hand || known.m !== m || scores.length < Object.keys(ALGORITHMS).length) return;
    const least = Math.min(...scores), words = mine <= least + 1e-9 ? 'Reached' : 'Not yet';
    const result = task.open ? '' : `${words}: ${mine.toFixed(2)} by hand, ${least.toFixed(2)} by the best algorithm. `;
    part('task').textContent = result + task.text; };

  const run = id => known.points.length ? ALGORITHMS[id].run(known.points, known.make, known.m, seeded(0)) : [];

  /** What takes longer, in slices between frames: eigenvalues of K, then each algorithm's error. */
  const working = function* () {
    refresh();
    if (!known.points.length) return;
    known.values ??= eigenvalues(known.K, known.points.length / 2);
    dirty = true;
    yield;
    for (const id of Object.keys(ALGORITHMS)) {
      if (known.scores.has(id)) continue;
      const all = [];
      for (const one of run(id)) { all.push(one); yield; }
      known.frames.set(id, all);
      known.scores.set(id, errors(known.K, approximate(known.points, all.at(-1).landmarks, known.make), false));
      dirty = true;
      yield; } };

  const rest = () => {
    resting = dirty = true;
    columns = RESTING_COLUMNS;
    work ??= working();
    Object.assign(kept, {text: encode(history.now), by: history.now.boards.map((_, i) => by(i))}); };

  const publish = () => {
    if (kept.text === sent) return;
    sent = kept.text;
    onRest({text: sent, errors: found.map(one => one.errors)});
    const [{errors: {relative_frobenius: error}, multiple: times}] = found;
    const more = Number.isFinite(times) ? `, ${three(times)} times the best possible` : '';
    part('spoken').textContent = history.now.points.length ? `Relative Frobenius error ${three(error)}${more}.` : ''; };

  const tick = now => {
    if (signal.aborted) return;
    requestAnimationFrame(tick);
    const quiet = now - moved, busy = hands.some(hand => hand.grip) || playing;
    if (quiet > REST && !resting && !busy) rest();
    if (quiet > PAUSE && !resting && !busy) work ??= working();
    for (const until = performance.now() + SLICE; work && quiet > PAUSE && performance.now() < until;)
      if (work.next().done) work = false;
    if (!dirty) return;
    if (!resting) columns = MOVING_COLUMNS;
    dirty = false;
    const begun = performance.now();
    draw();
    root.dataset.frames = Number(root.dataset.frames ?? 0) + 1;
    root.dataset.spent = (performance.now() - begun).toFixed(2);
    if (resting) publish(); };

  /** Show landmarks that the hand has not set on the active canvas. */
  const place = (places, origin) => {
    const landmarks = snapped(places);
    origins.set(landmarks, origin);
    history.live({boards: history.now.boards.map((one, i) => i === active ? landmarks : one)}); };

  /** Steps of an algorithm on the active canvas. */
  const frames = () => {
    refresh();
    const id = part('algorithm').value;
    if (!known.frames.has(id)) known.frames.set(id, [...run(id)]);
    return known.frames.get(id); };
  const show = to => {
    const all = frames(), id = part('algorithm').value;
    if (!all.length) return app.say('There are no points to choose from.');
    frame = Math.min(all.length - 1, Math.max(0, to));
    place(all[frame].landmarks, id);
    overlay = all[frame];
    hands[active].chosen = null;
    part('jump').max = all.length - 1;
    part('jump').value = frame;
    part('note').textContent = `${ALGORITHMS[id].label}, ${frame + 1} of ${all.length}. ${all[frame].note}`;
    changed(); };
  const pause = () => {
    clearTimeout(playing);
    playing = 0;
    if (roll) history.settle();  // Undo takes all of its moves back
    roll = null;
    part('play').textContent = 'Play';
    part('improve').textContent = 'Improve';
    part('note').ariaLive = 'polite'; };
  const play = () => {
    part('play').textContent = 'Pause';
    part('note').ariaLive = 'off';
    playing = setTimeout(() => {
      if (frame + 1 >= frames().length) { pause(); changed(); return; }
      show(frame + 1);
      play(); }, SPEEDS[part('speed').value]); };
  const shown = () => by() === part('algorithm').value && overlay;

  /** Why the landmarks of the active canvas cannot roll; empty where they can. */
  const obstacle = () => {
    const {kernel, points, boards} = history.now;
    if (!KERNELS[kernel].slope) return `The ${KERNELS[kernel].label} kernel has no derivative to roll along.`;
    return points.length && boards[active].length ? '' : 'There are no landmarks to roll, or no points.'; };
  const improve = () => {
    const {kernel, sigma, points, boards} = history.now, origin = by() in RECORDS ? 'improved' : 'moved';
    refresh();
    history.settle();
    roll = downhill(points, boards[active], known.make, KERNELS[kernel].slope(sigma));
    overlay = null;
    part('improve').textContent = 'Stop';
    part('note').ariaLive = 'off';
    const move = text => {
      const {value, done} = roll.next();
      if (done) pause(); else place(value.landmarks, origin);
      const of = value && `${three(value.error)}, ${three(value.start)} at the start.`;
      part('note').textContent = done ? text || 'No move lowers the trace error.'
        : `Move ${value.move} downhill: relative trace error ${of}`;
      changed();
      const last = `${part('note').textContent} Further moves hardly lower it.`;
      if (!done) playing = setTimeout(move, SPEEDS[part('speed').value] / MOVES, last); };
    move(''); };

  /** Bring the controls in line with the state. */
  const controls = () => {
    const {kernel, sigma, boards} = history.now;
    part('kernel').value = kernel;
    const slider = part('sigma');
    if (!slider.matches(':active'))
      slider.value = Math.round(1000 * Math.log(sigma / LOW_SIGMA) / Math.log(HIGH_SIGMA / LOW_SIGMA));
    part('sigma-text').textContent = `σ = ${three(sigma)}`;
    part('two').checked = boards.length > 1;
    part('stage').classList.toggle('double', boards.length > 1);
    canvases.forEach((canvas, i) => {
      canvas.parentElement.hidden = i >= boards.length;
      const count = (boards[i]?.length ?? 0) / 2, hand = i === active ? ', in hand' : '';
      canvas.nextElementSibling.textContent = `${'AB'[i]}: ${count} landmarks${hand}`; });
    part('undo').disabled = !history.past.length && !history.before;
    part('redo').disabled = !history.future.length;
    part('improve').ariaDisabled = String(Boolean(obstacle()));
    part('improve').title = obstacle() || ROLLS;
    for (const one of part('segments').children) one.ariaChecked = String(one.value === tool);
    part('boards').dataset.tool = tool; };
  const step = act => {
    history[act]();
    if (active >= history.now.boards.length) active = 0;
    edited(); };
  const save = (download, type, text) => {
    const href = URL.createObjectURL(new Blob([text], {type})), link = document.createElement('a');
    Object.assign(link, {href, download}).click();
    setTimeout(() => URL.revokeObjectURL(href), 1000); };
  const csv = () => 'x,y\n' + Array.from(history.now.points, (value, i) => value + (i % 2 ? '\n' : ',')).join('');

  part('segments').replaceChildren(...Object.entries(TOOLS).map(([value, [textContent, title]]) =>
    Object.assign(document.createElement('button'), {type: 'button', role: 'radio', title, textContent, value})));
  for (const one of part('segments').children) one.onclick = () => {
    tool = one.value; hands.forEach(hand => { hand.chosen = null; }); dirty = true; app.say(TOOLS[tool][1]); };
  part('segments').onkeydown = event => {
    const to = event.target[{ArrowRight: 'nextSibling', ArrowLeft: 'previousSibling'}[event.key]];
    if (to) { to.focus(); to.click(); } };
  const acts = {
    undo: () => step('undo'), redo: () => step('redo'),
    clear: () => set({boards: history.now.boards.map((one, i) => i === active ? NONE : one)}),
    back: () => { pause(); show(shown() ? frame - 1 : 0); },
    next: () => { pause(); show(shown() ? frame + 1 : 0); },
    improve: () => {
      const rolls = Boolean(roll), why = obstacle();
      pause();
      if (why) app.say(why); else if (!rolls) improve(); },
    play: () => {
      const plays = playing && !roll;
      pause();
      if (plays) return;
      if (!shown() || frame + 1 >= frames().length) show(0);
      play(); },
    csv: () => save('playground.csv', 'text/csv', csv()),
    picture: () => save('playground.svg', 'image/svg+xml', svg(view(active)))};
  for (const [name, act] of Object.entries(acts)) part(name).onclick = act;
  part('two').onchange = event => {
    const [first] = history.now.boards;
    active = event.target.checked ? 1 : 0;
    set({boards: event.target.checked ? [first, first] : [first]}); };
  part('kernel').onchange = event => set({kernel: event.target.value});
  part('sigma').oninput = event => {
    const sigma = LOW_SIGMA * (HIGH_SIGMA / LOW_SIGMA) ** (event.target.value / 1000);
    app.live({sigma: Math.round(SIGMA_UNITS * sigma) / SIGMA_UNITS}); };
  part('sigma').onchange = () => history.settle();
  part('preset').onchange = event => {
    if (event.target.value) set({points: preset(event.target.value), boards: [NONE]});
    event.target.value = ''; };
  for (const canvas of root.querySelectorAll('.matrix')) {
    const point = event => {
      const rows = picturedRows(history.now.points), box = canvas.getBoundingClientRect();
      const at = share => rows[Math.min(rows.length - 1, Math.max(0, Math.floor(share * rows.length)))];
      pair = [at((event.clientY - box.top) / box.height), at((event.clientX - box.left) / box.width)];
      const known = pair.every(i => i !== undefined), [i, j] = pair;
      part('entry').textContent = known ? `: k(x, y) = ${three(KERNELS[history.now.kernel].make(history.now.sigma)(
        (history.now.points[2 * i] - history.now.points[2 * j]) ** 2
        + (history.now.points[2 * i + 1] - history.now.points[2 * j + 1]) ** 2))}` : '';
      if (!known) pair = [];
      dirty = true; };
    canvas.onpointermove = canvas.onpointerdown = point;
    canvas.onpointerleave = () => { pair = []; part('entry').textContent = ''; dirty = true; }; }
  part('m').onchange = event => {
    event.target.value = Math.min(MOST_LANDMARKS, Math.max(1, Math.round(event.target.valueAsNumber) || 1));
    pause();
    changed(); };
  part('jump').oninput = event => { pause(); show(Number(event.target.value)); };
  part('algorithm').onchange = pause;
  part('challenge').onchange = event => {
    task = CHALLENGES[event.target.value];
    part('task').textContent = task ? `Set ${task.m} landmarks${task.open ? '.' : ' and beat the best algorithm.'}` : '';
    if (!task) return;
    set({points: task.points(), kernel: 'gaussian', sigma: task.sigma, boards: [NONE]});
    part('m').value = task.m; };
  root.addEventListener('keydown', event => {
    const key = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || !['z', 'y'].includes(key)) return;
    event.preventDefault();
    step(key === 'z' && !event.shiftKey ? 'undo' : 'redo'); }, {signal});

  // Before a canvas takes the key for the landmark that is chosen.
  window.addEventListener('keydown', event => {
    if (event.key !== 'Escape' || !roll) return;
    event.stopPropagation();
    pause(); }, {signal, capture: true});

  /** The link in the address; whoever writes the address anew leaves it out. */
  const keep = () => {
    const wanted = HASH + encode(history.now);
    if (location.hash !== wanted) window.history.replaceState(window.history.state, '', wanted); };
  const ground = () => {
    const [red, green, blue] = getComputedStyle(root).backgroundColor.match(/\d+/g).map(Number);
    return red + green + blue > 384 ? LOOK.light : LOOK.dark; };
  const watch = () => {
    if (seen !== root.dataset.view) {
      seen = root.dataset.view;
      tool = isPlain() ? 'points' : 'landmarks';
      dirty = true; }
    if (looks !== ground()) {
      looks = ground();
      root.dataset.ground = looks === LOOK.dark ? 'dark' : 'light';
      dirty = true; }
    if (resting) keep();
    controls(); };
  const watching = setInterval(watch, 150);
  window.addEventListener('hashchange', () => {
    const text = location.hash.slice(HASH.length);
    if (location.hash.startsWith(HASH) && text !== encode(history.now)) load(text); }, {signal});
  new ResizeObserver(() => { dirty = true; }).observe(part('boards'));
  const load = text => {
    const state = decode(text);
    if (state) { active = 0; set(state); } else app.say(NO_LINK); };

  options(part('preset'), Object.keys(PRESETS).map(name => [name, name]));
  options(part('kernel'), Object.entries(KERNELS).map(([id, {label}]) => [id, label]));
  options(part('algorithm'), Object.entries(ALGORITHMS).map(([id, {label}]) => [id, label]));
  options(part('speed'), Object.keys(SPEEDS).map(name => [name, name]));
  options(part('challenge'), CHALLENGES.map(({title}, i) => [i, title]));
  part('speed').value = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'slow' : 'normal';
  part('m').value = Math.max(1, history.now.boards[0].length / 2);
  if (address.startsWith(HASH) && !linked) app.say(NO_LINK);
  watch();
  changed();
  requestAnimationFrame(tick);
  return {load, stop() { clearInterval(watching); clearTimeout(playing); stopping.abort(); }}; }
