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
  const go = step => {
    state.step = Math.min(data.count, Math.max(1, step));
    state.moved = true;
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
  const watch = setInterval(follow, 150);
  state.stop = () => {
    clearInterval(watch);
    clearTimeout(timer);
    document.removeEventListener('keydown', pressed); };
  tell();
  follow();
  run();
  return state.stop;
}
