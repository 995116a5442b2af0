"""The player of the first page: m runs, is dragged or stepped, in the browser alone.

A chart belongs to the film whose name stands in its ``layout.meta``; a step is one ``Plotly.animate`` a
chart. It starts by itself once, unless the visitor's system asks for less motion.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

# Milliseconds a step.
PACE = 700

HTML = """
<div class="player" role="group" aria-label="Number of landmarks">
  <button type="button" class="play" aria-label="Play">
    <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M7 4.5v15l12.5-7.5z"/></svg></button>
  <input type="range" class="jump" aria-label="Landmarks m" min="1" value="1" step="1">
  <p class="now" aria-live="polite"></p>
</div>
"""

CSS = """
.player {font-family: var(--st-font); color: var(--st-text-color); display: flex; align-items: center;
  gap: 0.3rem 0.8rem; flex-wrap: wrap;}
button {width: 3.2rem; height: 2.5rem; padding: 0; cursor: pointer; border: none; border-radius: 0.3rem;
  color: var(--st-background-color); background: var(--st-primary-color);}
button svg {width: 1.6rem; height: 1.6rem; fill: currentColor; vertical-align: middle;}
button:hover {filter: brightness(1.12);}
button:focus-visible, input:focus-visible {outline: 2px solid var(--st-primary-color); outline-offset: 2px;}
.jump {flex: 1 1 10rem; min-width: 8rem; height: 2rem; cursor: pointer;
  accent-color: var(--st-primary-color);}
.now {flex: 1 1 26rem; margin: 0; font-variant-numeric: tabular-nums; line-height: 1.35;}
"""

JS = """
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
"""

_player = st.components.v2.component("nysviz_home_player", html=HTML, css=CSS, js=JS)


def play(film: str, charts: int, start: int, sentences: Sequence[str]) -> None:
    """Draw the player.

    Parameters
    ----------
    film : str
        ``layout.meta["film"]`` of the charts that it plays.
    charts : int
        So many charts are waited for before it starts by itself.
    start : int
        The step that the charts were drawn at, from 1.
    sentences : sequence of str
        One a step, shown as text.
    """
    _player(
        key="home_player",
        data={
            "film": film,
            "charts": charts,
            "start": start,
            "sentences": list(sentences),
            "pace": PACE,
        },
    )
