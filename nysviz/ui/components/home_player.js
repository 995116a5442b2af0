// Plays the film of the first page: shows one step in its four charts, and its sentence.

const PLAY = 'M7 4.5v15l12.5-7.5z', PAUSE = 'M6 5h4.2v14H6zM13.8 5H18v14h-4.2z';

export default function ({data, parentElement}) {
  const state = window.nysvizHome ??= {step: null, playing: false, begun: false};
  state.stop?.();
  const [button, jump, sentence] = ['play', 'jump', 'now'].map(name => parentElement.querySelector('.' + name));
  const count = data.sentences.length;
  state.step = Math.min(count, state.step ?? data.start);
  jump.max = count;
  let timer = null;

  const charts = () => [...document.querySelectorAll('.js-plotly-plot')]
    .filter(chart => chart.layout?.meta?.film === data.film && chart._transitionData?._frames?.length);
  // After a step, and after the server has drawn a chart anew.
  const updateCharts = () => {
    for (const chart of charts()) {
      if (chart.nysvizStep === state.step && chart.nysvizData === chart.data) continue;
      chart.nysvizStep = state.step;
      chart.nysvizData = chart.data;
      window.Plotly.animate(chart, [String(state.step)], {mode: 'immediate', transition: {duration: 0},
        frame: {duration: 0, redraw: chart.layout.meta.redraw}}).catch(() => {}); }};
  const showState = () => {
    jump.value = state.step;
    jump.setAttribute('aria-valuetext', `${state.step} of ${count}`);
    sentence.textContent = data.sentences[state.step - 1];
    sentence.setAttribute('aria-live', state.playing ? 'off' : 'polite');
    button.setAttribute('aria-label', state.playing ? 'Pause' : 'Play');
    button.querySelector('path').setAttribute('d', state.playing ? PAUSE : PLAY); };
  const showStep = step => { state.step = step; showState(); updateCharts(); };
  const scheduleNext = () => {
    clearTimeout(timer);
    if (state.playing) timer = setTimeout(() => {
      if (state.step >= count) { setPlaying(false); return; }
      showStep(state.step + 1);
      scheduleNext(); }, data.pace); };
  const setPlaying = isPlaying => {
    state.playing = isPlaying;
    if (isPlaying && state.step >= count) showStep(1);
    showState();
    scheduleNext(); };

  // The visitor's hand comes before the film's own start.
  button.onclick = () => { state.begun = true; setPlaying(!state.playing); };
  jump.oninput = () => { state.begun = true; const step = Number(jump.value); setPlaying(false); showStep(step); };
  const startOnce = () => {
    if (state.begun || charts().length < data.charts) return;
    state.begun = true;
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    showStep(1);
    setPlaying(true); };
  const poll = setInterval(() => { startOnce(); updateCharts(); }, 150);
  state.stop = () => { clearInterval(poll); clearTimeout(timer); };
  showState();
  updateCharts();
  scheduleNext();
  return state.stop;
}
