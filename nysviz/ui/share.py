"""Beside the question of a page: its link, a step back, a new start, bookmarks, a view for lectures."""

from __future__ import annotations

import streamlit as st

from nysviz.ui import state
from nysviz.ui.bookmarks import bookmarks
from nysviz.ui.frame import frame
from nysviz.ui.sidebar.data_choice import FIRST, LAST, OWN_FILE
from nysviz.ui.state import SETTINGS

COPY_HTML = """
<div class="copy">
  <label for="address">Link to this page as it is now</label>
  <input id="address" class="address" type="text" readonly>
  <button type="button" class="button">Copy link</button>
  <span class="told" role="status" aria-live="polite"></span>
</div>
"""

COPY_CSS = """
.copy {font-family: var(--st-font); font-size: 0.95rem; color: var(--st-text-color); min-width: 16rem;}
label {display: block; margin-bottom: 0.3rem;}
.address {box-sizing: border-box; width: 100%; font: inherit; font-size: 0.85rem; padding: 0.35rem 0.5rem;
  color: inherit; background: var(--st-secondary-background-color);
  border: 1px solid var(--st-border-color); border-radius: 0.25rem;}
.button {font: inherit; margin: 0.5rem 0.5rem 0 0; padding: 0.3rem 0.8rem; cursor: pointer; color: inherit;
  background: var(--st-background-color); border: 1px solid var(--st-border-color); border-radius: 0.25rem;}
.button:hover {border-color: var(--st-primary-color); color: var(--st-primary-color);}
.button:focus-visible, .address:focus-visible {
  outline: 2px solid var(--st-primary-color); outline-offset: 1px;}
"""

# A page that is not served over https has no clipboard but the one of the selected text.
COPY_JS = """
export default function ({parentElement}) {
  const part = name => parentElement.querySelector('.' + name);
  const address = part('address'), told = part('told');
  // The m of the strip on Approximate is dragged in the browser alone.
  const link = () => {
    const url = new URL(location);
    const [strip] = [...document.querySelectorAll('.js-plotly-plot')].map(chart => chart.layout?.sliders?.[0])
      .filter(slider => slider?.currentvalue.prefix === 'm = ' && slider.active !== slider.steps.length >> 1);
    if (strip) url.searchParams.set('approximate_strip', strip.steps[strip.active].label);
    return url.href; };
  const refresh = () => { const now = link(); if (address.value !== now) address.value = now; };
  const selected = () => {
    address.focus();
    address.select();
    try { return document.execCommand('copy'); } catch { return false; } };
  refresh();
  const watch = setInterval(refresh, 300);
  address.onfocus = () => address.select();
  part('button').onclick = async () => {
    refresh();
    let copied = false;
    try { await navigator.clipboard.writeText(address.value); copied = true; }
    catch { copied = selected(); part('button').focus(); }
    told.textContent = '';
    // Emptied first, so that a second copy is read aloud as well.
    setTimeout(() => {
      told.textContent = copied ? 'Copied.' : 'Not copied: select the link above and copy it.'; }, 50); };
  return () => clearInterval(watch);
}
"""

_copy = st.components.v2.component("nysviz_copy", html=COPY_HTML, css=COPY_CSS, js=COPY_JS)


def bar(question: str) -> None:
    """Draw the page's question with its two menus at the right."""
    with st.container(horizontal=True, vertical_alignment="top", gap="small", key="nysviz_bar"):
        st.header(question, anchor=False)
        if state.is_presentation():
            # The controls of the sidebar, which is not shown; empty on pages without them.
            st.session_state[SETTINGS] = st.container(width="content")
        with st.popover("Share", icon=":material/share:"):
            _share()
        with st.popover("More", icon=":material/more_horiz:"):
            _more()
        frame()


def _share() -> None:
    _copy(key="nysviz_copy")
    if _data() == OWN_FILE:
        st.caption(
            "The link carries the settings, and on Playground the drawn points, but not your file: who opens "
            "it is asked for a file. Features of the file go as numbers, not by name."
        )
    else:
        st.caption("Who opens it sees the same data, settings and seed, and so the same picture.")


def _data() -> str:
    """Name of the data as the sidebar has it, which is drawn later: a page just opened has no address yet."""
    last: str = st.session_state.get(LAST, (FIRST, {}))[0]
    return str(st.query_params.get("data", st.session_state.get("data", last)))


def _more() -> None:
    # Never greyed out: a control in a fragment changes what can be undone and does not draw this anew.
    back, forward = st.columns(2)
    back.button(
        "Undo",
        key="nysviz_undo",
        icon=":material/undo:",
        on_click=state.undo,
        width="stretch",
        help="Takes back the last change on this page. The browser's Back leads to the page before.",
    )
    forward.button("Redo", key="nysviz_redo", icon=":material/redo:", on_click=state.redo, width="stretch")
    st.button(
        "Reset",
        key="nysviz_reset",
        icon=":material/restart_alt:",
        on_click=state.reset,
        width="stretch",
        help="Gives the controls of this page, the kernel, the bandwidth and the seed their defaults. The "
        "data set stays. Undo takes it back.",
    )
    shown = state.is_presentation()
    st.button(
        "Leave the presentation view" if shown else "Presentation view",
        key="nysviz_present",
        icon=":material/slideshow:",
        on_click=state.present,
        args=(not shown,),
        width="stretch",
        help="Larger type, and the sidebar in a menu at the top. Esc leaves it.",
    )
    bookmarks()
