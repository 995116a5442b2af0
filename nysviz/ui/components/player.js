// Plays the steps of one or two methods in the charts of their films, and takes predictions of the next pick.

const PLAY = 'M7 4.5v15l12.5-7.5z', PAUSE = 'M6 5h4.2v14H6zM13.8 5H18v14h-4.2z';
// Keys that belong to what has the focus: text, sliders and menus take arrows and space, buttons take space.
const OWNS_KEYS = 'input, textarea, select, [contenteditable=""], [contenteditable=true], [role=slider], '
  + '[role=combobox], [role=listbox], [role=option], [role=radio], [role=tab], [role=menuitem]';
const TAKES_NO_SPACE = 'input[type=range]';
const OWNS_SPACE = 'button, a, summary, [role=button]';

// Returns the colours of the numbers 0 to 255 on a scale of evenly spaced colours.
const shadeColours = scale => {
  const stops = scale.map(([, hex]) => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16)));
  return Array.from({length: 256}, (_, v) => {
    const position = v / 255 * (stops.length - 1), low = Math.min(Math.floor(position), stops.length - 2);
    const mixed = stops[low].map((c, i) => Math.round(c + (position - low) * (stops[low + 1][i] - c)));
    return `rgb(${mixed.join(', ')})`; }); };

// Plotly styles every marker anew for a change of colour, some 30 ms for 500: here only the fills change. The
// chart's own data change with them, so that a zoom or a resize draws the same colours.
const recolour = (chart, step, change) => {
  const {bdata} = change.marker.color, trace = chart.data[0];
  const group = chart.querySelector('.scatterlayer .trace');
  const values = bdata ? Uint8Array.from(atob(bdata), c => c.charCodeAt(0)) : change.marker.color;
  const colours = shadeColours(trace.marker.colorscale);
  trace.meta = step;
  trace.marker.color = values;
  for (const point of chart.calcdata[0]) point.mc = values[point.i];
  for (const path of group.querySelectorAll('path.point')) {
    path.style.fill = colours[values[path.__data__.i]]; }};

// The parameter of the step in the address; Streamlit writes the address anew without it.
const STEP_PARAMETER = 'steps_at';
const linkedStep = () => Number(new URLSearchParams(location.search).get(STEP_PARAMETER));
const keepStep = step => {
  if (linkedStep() === step) return;
  const address = new URL(location);
  address.searchParams.set(STEP_PARAMETER, step);
  history.replaceState(history.state, '', address); };

// Three digits, in per cent.
const percent = part => `${Number((100 * part).toPrecision(3))} %`;
const decodeCounts = text => new Uint16Array(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer);
// Largest distance of a click from its point, and from where the pointer went down.
const REACH_PIXELS = 14, SLIP_PIXELS = 5;

// Returns the points of a map in pixels from the left and the top of the chart.
const pointsOf = chart => {
  const {xaxis, yaxis} = chart._fullLayout;
  return chart.calcdata[0].map(({x, y}) => [xaxis._offset + xaxis.c2p(x), yaxis._offset + yaxis.c2p(y)]); };
const mapOf = k => document.querySelector(`.st-key-map_${k} .js-plotly-plot`);
// Draws a ring around a point of a map, or removes it.
const drawRing = (chart, name, point) => {
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
  state.step = Math.min(data.count, Math.max(1, state.step ?? (linkedStep() || data.start)));
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
  const updateCharts = () => {
    if (state.moved && !state.playing) keepStep(state.step);
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
  const showState = () => {
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
  // Predict the next one: the rows guessed, by method and step.
  const predicts = data.films.every(film => film.gains);
  if (state.token !== data.token) Object.assign(state, {token: data.token, guesses: {}, aim: null, report: ''});
  const pickOf = (film, step) => film.picks[step - 1];
  const gainOf = (film, step, row) => decodeCounts(film.gains[step - 1])[row] * film.tops[step - 1];
  const questionText = () => {
    if (state.step >= data.count) return 'No further step.';
    const names = data.films.map(film => film.label).join(' or ');
    return `Which row comes next? Click the one that you expect of ${names}.`; };
  const scoreText = k => {
    const guesses = Object.entries(state.guesses[k] ?? {}), film = data.films[k];
    const hits = guesses.filter(([step, row]) => row === pickOf(film, step)).length;
    const sum = choice => guesses.reduce((total, [step, row]) => total + gainOf(film, step, choice(step, row)), 0);
    const pickGain = sum(step => pickOf(film, step));
    const share = pickGain > 0 ? `, and ${percent(sum((step, row) => row) / pickGain)} of its gains` : '';
    return `So far ${hits} of ${guesses.length} expected${share}.`; };
  const submitGuess = (k, row) => {
    const film = data.films[k], step = state.step + 1;
    if (!predicts || step > data.count || pickOf(film, step) === undefined) return;
    (state.guesses[k] ??= {})[step] = row;
    const guessGain = percent(gainOf(film, step, row)), pick = pickOf(film, step);
    const pickGain = `${percent(gainOf(film, step, pick))}`;
    const verdict = row === pick ? `Expected: row ${film.rows[row]} takes ${guessGain} off the trace error.`
      : `Row ${film.rows[row]} would take ${guessGain} off the trace error; ${film.label} takes row `
        + `${film.rows[pick]}, which takes off ${pickGain}.`;
    setPlaying(false);
    goTo(step);
    state.report = `${verdict} ${scoreText(k)}`;
    state.marked = {k, row, step};
    showQuestion(); };
  const showQuestion = () => {
    part('predict').hidden = !predicts;
    if (predicts) part('ask').textContent = [state.report, questionText()].filter(Boolean).join(' '); };
  const drawRings = () => {
    data.films.forEach((_, k) => {
      const chart = mapOf(k), marked = state.marked;
      if (!chart?.calcdata) return;
      const isShown = predicts && marked?.k === k && marked.step === state.step;
      drawRing(chart, 'nysviz-guess', isShown ? marked.row : null);
      drawRing(chart, 'nysviz-aim', predicts && state.aim?.k === k ? state.aim.row : null); }); };
  const goTo = step => {
    state.step = Math.min(data.count, Math.max(1, step));
    state.moved = true;
    state.report = '';
    showQuestion();
    drawRings();
    showState();
    updateCharts(); };
  const scheduleNext = () => {
    clearTimeout(timer);
    if (!state.playing) return;
    timer = setTimeout(() => {
      if (state.step >= data.count) { setPlaying(false); return; }
      goTo(state.step + 1);
      scheduleNext(); }, state.pace); };
  const setPlaying = isPlaying => {
    // Before a pick to predict it stops.
    if (isPlaying && predicts) { state.report = ''; showQuestion(); isPlaying = false; }
    state.playing = isPlaying;
    if (isPlaying && state.step >= data.count) goTo(1);
    showState();
    scheduleNext(); };
  const moveBy = change => { setPlaying(false); goTo(state.step + change); };

  part('back').onclick = () => moveBy(-1);
  part('next').onclick = () => moveBy(1);
  part('play').onclick = () => setPlaying(!state.playing);
  part('jump').oninput = event => { const step = Number(event.target.value); setPlaying(false); goTo(step); };
  speed.onchange = () => { state.pace = Number(speed.value); scheduleNext(); };

  // Arrow keys move the aim to the nearest point on that side, Enter and space choose it.
  const DIRECTIONS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
  part('aim').onkeydown = event => {
    const direction = DIRECTIONS[event.key], chart = mapOf(state.aim?.k ?? 0);
    if (event.ctrlKey || event.metaKey || event.altKey || !chart?.calcdata) return;
    if (direction) {
      event.preventDefault();
      const points = pointsOf(chart), aimPoint = state.aim && points[state.aim.row];
      let nearestRow = 0, leastDistance = Infinity;
      points.forEach(([x, y], row) => {
        if (!aimPoint) return;
        const [dx, dy] = [x - aimPoint[0], y - aimPoint[1]], ahead = dx * direction[0] + dy * direction[1];
        const aside = Math.abs(dx * direction[1]) + Math.abs(dy * direction[0]);
        const distance = ahead + 2 * aside;
        if (ahead > 0.5 && distance < leastDistance) [nearestRow, leastDistance] = [row, distance]; });
      if (!aimPoint || leastDistance < Infinity) state.aim = {k: state.aim?.k ?? 0, row: nearestRow};
      part('ask').textContent = `Row ${data.films[state.aim.k].rows[state.aim.row]}. Enter chooses it`
        + (data.films.length > 1 ? ', Page Down changes the map.' : '.');
      drawRings();
    } else if (event.key === 'PageDown' && data.films.length > 1) {
      event.preventDefault();
      state.aim = {k: 1 - (state.aim?.k ?? 0), row: state.aim?.row ?? 0};
      drawRings();
    } else if (['Enter', ' '].includes(event.key) && state.aim) {
      event.preventDefault();
      submitGuess(state.aim.k, state.aim.row); }};
  part('aim').onblur = () => { state.aim = null; drawRings(); };
  // At the window, and by the pointer: Plotly keeps clicks that hit no point of its own to itself.
  let pressPoint = null;
  const onPointerDown = event => { pressPoint = [event.clientX, event.clientY]; };
  const onPointerUp = event => {
    if (!predicts || !pressPoint) return;
    const [dx, dy] = [event.clientX - pressPoint[0], event.clientY - pressPoint[1]];
    if (Math.hypot(dx, dy) > SLIP_PIXELS) return;
    data.films.forEach((_, k) => {
      const frame = mapOf(k)?.querySelector('.svg-container')?.getBoundingClientRect();
      if (!frame || event.clientX < frame.left || event.clientX > frame.right
        || event.clientY < frame.top || event.clientY > frame.bottom) return;
      const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
      const distances = pointsOf(mapOf(k)).map(point => Math.hypot(point[0] - x, point[1] - y));
      const row = distances.indexOf(Math.min(...distances));
      if (distances[row] <= REACH_PIXELS) submitGuess(k, row); }); };
  window.addEventListener('pointerdown', onPointerDown, true);
  window.addEventListener('pointerup', onPointerUp, true);

  const onKeyDown = event => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const focus = event.composedPath()[0];
    const actions = {' ': () => setPlaying(!state.playing), ArrowLeft: () => moveBy(-1), ArrowRight: () => moveBy(1)};
    const action = actions[event.key], space = event.key === ' ';
    if (!action || (space && event.shiftKey)) return;
    if (focus.closest?.(OWNS_KEYS) && !(space && focus.matches(TAKES_NO_SPACE))) return;
    if (space && focus.closest?.(OWNS_SPACE)) return;
    event.preventDefault();
    // A key that is held steps on and on, and plays once.
    if (!(space && event.repeat)) action(); };
  document.addEventListener('keydown', onKeyDown);
  const poll = setInterval(() => { updateCharts(); drawRings(); }, 150);
  state.stop = () => {
    clearInterval(poll);
    clearTimeout(timer);
    window.removeEventListener('pointerdown', onPointerDown, true);
    window.removeEventListener('pointerup', onPointerUp, true);
    document.removeEventListener('keydown', onKeyDown); };
  showState();
  showQuestion();
  updateCharts();
  scheduleNext();
  return state.stop;
}
