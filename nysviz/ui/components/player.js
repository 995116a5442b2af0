const PLAY = 'M7 4.5v15l12.5-7.5z', PAUSE = 'M6 5h4.2v14H6zM13.8 5H18v14h-4.2z';
// Keys that belong to what has the focus: text, sliders and menus take arrows and space, buttons take space.
const OWNS_KEYS = 'input, textarea, select, [contenteditable=""], [contenteditable=true], [role=slider], '
  + '[role=combobox], [role=listbox], [role=option], [role=radio], [role=tab], [role=menuitem]';
const TAKES_NO_SPACE = 'input[type=range]';
const OWNS_SPACE = 'button, a, summary, [role=button]';

// A whole number from 0 to 255 as a colour of a scale of evenly spaced colours.
const shader = scale => {
  const stops = scale.map(([, hex]) => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16)));
  return Array.from({length: 256}, (_, v) => {
    const at = v / 255 * (stops.length - 1), low = Math.min(Math.floor(at), stops.length - 2);
    const mixed = stops[low].map((c, i) => Math.round(c + (at - low) * (stops[low + 1][i] - c)));
    return `rgb(${mixed.join(', ')})`; }); };

// Plotly styles every marker anew for a change of colour, some 30 ms for 500: here only the fills change. The
// chart's own data change with them, so that a zoom or a resize draws the same colours.
const recolour = (chart, step, change) => {
  const {bdata} = change.marker.color, trace = chart.data[0];
  const group = chart.querySelector('.scatterlayer .trace');
  const values = bdata ? Uint8Array.from(atob(bdata), c => c.charCodeAt(0)) : change.marker.color;
  const colours = shader(trace.marker.colorscale);
  trace.meta = step;
  trace.marker.color = values;
  for (const point of chart.calcdata[0]) point.mc = values[point.i];
  for (const path of group.querySelectorAll('path.point')) {
    path.style.fill = colours[values[path.__data__.i]]; }};

// The step in the address. Streamlit writes the address anew without it.
const KEPT = 'steps_at';
const linked = () => Number(new URLSearchParams(location.search).get(KEPT));
const keep = step => {
  if (linked() === step) return;
  const address = new URL(location);
  address.searchParams.set(KEPT, step);
  history.replaceState(history.state, '', address); };

// Three digits, in per cent.
const percent = part => `${Number((100 * part).toPrecision(3))} %`;
const counts = text => new Uint16Array(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer);
// Pixels within which a point is meant by a click, and by which a click may slip.
const REACH = 14, SLIP = 5;

// Where the points of a map are, from the left and the top of the chart.
const pointsOf = chart => {
  const {xaxis, yaxis} = chart._fullLayout;
  return chart.calcdata[0].map(({x, y}) => [xaxis._offset + xaxis.c2p(x), yaxis._offset + yaxis.c2p(y)]); };
const mapOf = k => document.querySelector(`.st-key-map_${k} .js-plotly-plot`);
// A ring around a point of a map, or none.
const ring = (chart, name, point) => {
  const frame = chart?.querySelector('.svg-container');
  if (!frame) return;
  let mark = frame.querySelector('.' + name);
  if (point === null) { mark?.remove(); return; }
  if (!mark) {
    mark = Object.assign(document.createElement('div'), {className: name});
    frame.append(mark); }
  const [x, y] = pointsOf(chart)[point];
  Object.assign(mark.style, {left: `${x}px`, top: `${y}px`}); };

export default function ({data, parentElement}) {
  const state = window.nysvizSteps ??= {playing: false, step: null, moved: false, pace: null};
  state.stop?.();
  const part = name => parentElement.querySelector('.' + name);
  state.step = Math.min(data.count, Math.max(1, state.step ?? (linked() || data.start)));
  state.pace ??= data.pace;
  let timer = null;

  const speed = part('speed');
  speed.replaceChildren(...Object.entries(data.speeds).map(([name, pace]) => new Option(name, pace)));
  speed.value = String(state.pace);
  part('jump').max = data.count;
  part('why').replaceChildren(...data.films.map(film => {
    const line = document.createElement('p'), name = document.createElement('b');
    name.textContent = film.label + '. ';
    line.append(name, document.createTextNode(''));
    return line; }));

  // Charts of this film that show another step: after a step, and after the server has drawn them anew.
  const follow = () => {
    if (state.moved && !state.playing) keep(state.step);
    if (!window.Plotly) return;
    for (const chart of document.querySelectorAll('.js-plotly-plot')) {
      const film = chart.layout?.meta;
      if (film?.film !== data.token || chart.data?.[0]?.meta === state.step) continue;
      if (!chart._transitionData?._frames?.length) continue;
      let frame = String(state.step);
      if (film.recolour) {
        const {data, traces} = chart._transitionData._frameHash[frame];
        recolour(chart, state.step, data[0]);
        frame = {data: data.slice(1), traces: traces.slice(1)}; }
      window.Plotly.animate(chart, [frame], {mode: 'immediate',
        frame: {duration: 0, redraw: film.redraw}, transition: {duration: 0}}).catch(() => {});
    }};
  const tell = () => {
    part('jump').value = state.step;
    part('jump').setAttribute('aria-valuetext', `step ${state.step} of ${data.count}`);
    part('where').textContent = `${state.step} / ${data.count}`;
    [...part('why').children].forEach((line, i) => {
      line.lastChild.textContent = data.films[i].sentences[state.step - 1]; });
    const label = state.playing ? 'Pause' : 'Play';
    part('play').setAttribute('aria-label', label);
    part('play').querySelector('path').setAttribute('d', state.playing ? PAUSE : PLAY);
    // Read aloud when the visitor steps, not thirty times while it plays.
    part('why').setAttribute('aria-live', state.playing ? 'off' : 'polite'); };
  // Predict the next one: what was expected of each step that was asked for, by the number of the method.
  const predicts = data.films.every(film => film.gains);
  if (state.token !== data.token) Object.assign(state, {token: data.token, guesses: {}, aim: null, said: ''});
  const picked = (film, step) => film.picks[step - 1];
  const gain = (film, step, row) => counts(film.gains[step - 1])[row] * film.tops[step - 1];
  const question = () => {
    if (state.step >= data.count) return 'No further step.';
    const names = data.films.map(film => film.label).join(' or ');
    return `Which row comes next? Click the one that you expect of ${names}.`; };
  const score = k => {
    const made = Object.entries(state.guesses[k] ?? {}), film = data.films[k];
    const hits = made.filter(([step, row]) => row === picked(film, step)).length;
    const sum = choice => made.reduce((total, [step, row]) => total + gain(film, step, choice(step, row)), 0);
    const theirs = sum(step => picked(film, step));
    const share = theirs > 0 ? `, and ${percent(sum((step, row) => row) / theirs)} of its gains` : '';
    return `So far ${hits} of ${made.length} expected${share}.`; };
  const guess = (k, row) => {
    const film = data.films[k], step = state.step + 1;
    if (!predicts || step > data.count || picked(film, step) === undefined) return;
    (state.guesses[k] ??= {})[step] = row;
    const own = percent(gain(film, step, row)), pick = picked(film, step);
    const theirs = `${percent(gain(film, step, pick))}`;
    const both = row === pick ? `Expected: row ${film.rows[row]} takes ${own} off the trace error.`
      : `Row ${film.rows[row]} would take ${own} off the trace error; ${film.label} takes row ${film.rows[pick]}, `
        + `which takes off ${theirs}.`;
    play(false);
    go(step);
    state.said = `${both} ${score(k)}`;
    state.marked = {k, row, step};
    ask(); };
  const ask = () => {
    part('predict').hidden = !predicts;
    if (predicts) part('ask').textContent = [state.said, question()].filter(Boolean).join(' '); };
  const rings = () => {
    data.films.forEach((_, k) => {
      const chart = mapOf(k), marked = state.marked;
      if (!chart?.calcdata) return;
      const isShown = predicts && marked?.k === k && marked.step === state.step;
      ring(chart, 'nysviz-guess', isShown ? marked.row : null);
      ring(chart, 'nysviz-aim', predicts && state.aim?.k === k ? state.aim.row : null); }); };
  const go = step => {
    state.step = Math.min(data.count, Math.max(1, step));
    state.moved = true;
    state.said = '';
    ask();
    rings();
    tell();
    follow(); };
  const run = () => {
    clearTimeout(timer);
    if (!state.playing) return;
    timer = setTimeout(() => {
      if (state.step >= data.count) { play(false); return; }
      go(state.step + 1);
      run(); }, state.pace); };
  const play = on => {
    // Before a pick that is to be predicted it stops.
    if (on && predicts) { state.said = ''; ask(); on = false; }
    state.playing = on;
    if (on && state.step >= data.count) go(1);
    tell();
    run(); };
  const by = change => { play(false); go(state.step + change); };

  part('back').onclick = () => by(-1);
  part('next').onclick = () => by(1);
  part('play').onclick = () => play(!state.playing);
  part('jump').oninput = event => { const to = Number(event.target.value); play(false); go(to); };
  speed.onchange = () => { state.pace = Number(speed.value); run(); };

  // Arrow keys move the aim to the nearest point on that side, Enter and space choose it.
  const WAYS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
  part('aim').onkeydown = event => {
    const way = WAYS[event.key], chart = mapOf(state.aim?.k ?? 0);
    if (event.ctrlKey || event.metaKey || event.altKey || !chart?.calcdata) return;
    if (way) {
      event.preventDefault();
      const points = pointsOf(chart), now = state.aim && points[state.aim.row];
      let best = 0, least = Infinity;
      points.forEach(([x, y], row) => {
        if (!now) return;
        const [dx, dy] = [x - now[0], y - now[1]], ahead = dx * way[0] + dy * way[1];
        const aside = Math.abs(dx * way[1]) + Math.abs(dy * way[0]);
        if (ahead > 0.5 && ahead + 2 * aside < least) [best, least] = [row, ahead + 2 * aside]; });
      if (!now || least < Infinity) state.aim = {k: state.aim?.k ?? 0, row: best};
      part('ask').textContent = `Row ${data.films[state.aim.k].rows[state.aim.row]}. Enter chooses it`
        + (data.films.length > 1 ? ', Page Down changes the map.' : '.');
      rings();
    } else if (event.key === 'PageDown' && data.films.length > 1) {
      event.preventDefault();
      state.aim = {k: 1 - (state.aim?.k ?? 0), row: state.aim?.row ?? 0};
      rings();
    } else if (['Enter', ' '].includes(event.key) && state.aim) {
      event.preventDefault();
      guess(state.aim.k, state.aim.row); }};
  part('aim').onblur = () => { state.aim = null; rings(); };
  // At the window, and by the pointer: Plotly keeps clicks that hit no point of its own to itself.
  let down = null;
  const lowered = event => { down = [event.clientX, event.clientY]; };
  const raised = event => {
    if (!predicts || !down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > SLIP) return;
    data.films.forEach((_, k) => {
      const frame = mapOf(k)?.querySelector('.svg-container')?.getBoundingClientRect();
      if (!frame || event.clientX < frame.left || event.clientX > frame.right
        || event.clientY < frame.top || event.clientY > frame.bottom) return;
      const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
      const far = pointsOf(mapOf(k)).map(point => Math.hypot(point[0] - x, point[1] - y));
      const row = far.indexOf(Math.min(...far));
      if (far[row] <= REACH) guess(k, row); }); };
  window.addEventListener('pointerdown', lowered, true);
  window.addEventListener('pointerup', raised, true);

  const pressed = event => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const focus = event.composedPath()[0];
    const actions = {' ': () => play(!state.playing), ArrowLeft: () => by(-1), ArrowRight: () => by(1)};
    const action = actions[event.key], space = event.key === ' ';
    if (!action || (space && event.shiftKey)) return;
    if (focus.closest?.(OWNS_KEYS) && !(space && focus.matches(TAKES_NO_SPACE))) return;
    if (space && focus.closest?.(OWNS_SPACE)) return;
    event.preventDefault();
    // A key that is held steps on and on, and plays once.
    if (!(space && event.repeat)) action(); };
  document.addEventListener('keydown', pressed);
  const watch = setInterval(() => { follow(); rings(); }, 150);
  state.stop = () => {
    clearInterval(watch);
    clearTimeout(timer);
    window.removeEventListener('pointerdown', lowered, true);
    window.removeEventListener('pointerup', raised, true);
    document.removeEventListener('keydown', pressed); };
  tell();
  ask();
  follow();
  run();
  return state.stop;
}
