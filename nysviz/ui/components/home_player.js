const PLAY = 'M7 4.5v15l12.5-7.5z', PAUSE = 'M6 5h4.2v14H6zM13.8 5H18v14h-4.2z';

export default function ({data, parentElement}) {
  const state = window.nysvizHome ??= {step: null, playing: false, begun: false};
  state.stop?.();
  const [button, jump, now] = ['play', 'jump', 'now'].map(name => parentElement.querySelector('.' + name));
  const count = data.sentences.length;
  state.step = Math.min(count, state.step ?? data.start);
  jump.max = count;
  let timer = null;

  const charts = () => [...document.querySelectorAll('.js-plotly-plot')]
    .filter(chart => chart.layout?.meta?.film === data.film && chart._transitionData?._frames?.length);
  // After a step, and after the server has drawn a chart anew.
  const follow = () => {
    for (const chart of charts()) {
      if (chart.nysvizStep === state.step && chart.nysvizData === chart.data) continue;
      chart.nysvizStep = state.step;
      chart.nysvizData = chart.data;
      window.Plotly.animate(chart, [String(state.step)], {mode: 'immediate', transition: {duration: 0},
        frame: {duration: 0, redraw: chart.layout.meta.redraw}}).catch(() => {}); }};
  const tell = () => {
    jump.value = state.step;
    jump.setAttribute('aria-valuetext', `${state.step} of ${count}`);
    now.textContent = data.sentences[state.step - 1];
    now.setAttribute('aria-live', state.playing ? 'off' : 'polite');
    button.setAttribute('aria-label', state.playing ? 'Pause' : 'Play');
    button.querySelector('path').setAttribute('d', state.playing ? PAUSE : PLAY); };
  const go = step => { state.step = step; tell(); follow(); };
  const run = () => {
    clearTimeout(timer);
    if (state.playing) timer = setTimeout(() => {
      if (state.step >= count) { play(false); return; }
      go(state.step + 1);
      run(); }, data.pace); };
  const play = on => {
    state.playing = on;
    if (on && state.step >= count) go(1);
    tell();
    run(); };

  // The visitor's hand comes before the film's own start.
  button.onclick = () => { state.begun = true; play(!state.playing); };
  jump.oninput = () => { state.begun = true; const to = Number(jump.value); play(false); go(to); };
  const begin = () => {
    if (state.begun || charts().length < data.charts) return;
    state.begun = true;
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    go(1);
    play(true); };
  const watch = setInterval(() => { begin(); follow(); }, 150);
  state.stop = () => { clearInterval(watch); clearTimeout(timer); };
  tell();
  follow();
  run();
  return state.stop;
}
