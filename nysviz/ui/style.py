"""How the pages look beyond what Streamlit can be told: margins, small screens, and the view for lectures."""

from __future__ import annotations

from nysviz.figures.look import Theme

# Streamlit has no setting for the wide margin round a page; a projected page needs that space.
_STYLE = """
.stMainBlockContainer, .stApp:has([data-testid="stExpandSidebarButton"]) .stMainBlockContainer
  {padding: 3.6rem 2rem 3rem 2rem; max-width: 1700px;}
.stMainBlockContainer h2 {padding: 0;}
.st-key-nysviz_bar > :has(h2) {flex: 1 1 16rem;}
.st-key-nysviz_bar {padding-right: 2.5rem;}
/* The page scrolls below the menu. */
.stAppHeader {background: var(--nysviz-ground); height: 3.4rem; min-height: 0; pointer-events: none;}
.stAppHeader div {background: transparent; pointer-events: none;}
.stAppHeader button, .stAppHeader a {pointer-events: auto;}
/* A chart's title is text in its margin, which breaks into lines where it is long. */
.nysviz-title {margin: 0; line-height: 1.25; text-wrap: balance;}
[data-testid="stElementContainer"]:has(.nysviz-title) {position: relative; z-index: 1; pointer-events: none;}
.nysviz-title :is(sub, sup) {line-height: 0;}
.nysviz-title small {display: block; opacity: 0.75; font-size: 0.8rem;}
[data-testid="stElementContainer"]:has(.nysviz-title) + div .js-plotly-plot .g-gtitle {display: none;}
/* A chart that fills the screen leaves that text behind. */
[data-testid="stElementContainer"]:has(.nysviz-title) + div
  .js-plotly-plot:has([data-title="Close fullscreen"]) .g-gtitle {display: inline;}
[data-testid="stElementContainer"]:has(.nysviz-title) + div {margin-top: -3.1rem;}
[data-testid="stElementContainer"]:has(.nysviz-title):not(:has(small)) + div {margin-top: -1.6rem;}
/* Where nothing hovers a chart's buttons would always stand on its title. */
@media (hover: none) {.js-plotly-plot .modebar-container {display: none;}}
@media (max-width: 640px) {
  .stApp .stMainBlockContainer {padding: 3.6rem 1rem 2rem 1rem;}
  /* Choices that stand on lines of their own have all four edges. */
  [role="radiogroup"]:has(> button[data-variant="segmented_control"]) {padding-left: 1px;}
  button[data-variant="segmented_control"]:not([data-selected])
    {border-color: rgba(128, 128, 128, 0.35) !important;}
  button[data-variant="segmented_control"] + button {margin-left: -1px;}
}
.stMultiSelect [data-tag], .stMultiSelect [data-tag] :is(span, button, svg),
[data-testid="stBaseButton-primary"]:not(:disabled), [data-testid="stBaseButton-primary"]:not(:disabled) *
  {color: var(--nysviz-ground) !important;}
/* All that is chosen stands in view, as small tags in as many lines as it takes. */
.stMultiSelect [data-rac]:has(> [data-testid="stMultiSelectTagsContainer"]) {height: auto; max-height: none;}
.stMultiSelect [data-testid="stMultiSelectTagsContainer"]
  {flex-wrap: wrap; overflow: visible; mask-image: none; gap: 0.2rem; padding-block: 0.3rem;}
.stMultiSelect [data-testid="stMultiSelectTagsContainer"] {padding-inline: 0.3rem 0; align-content: center;}
.stMultiSelect [data-tag] {height: 1.4rem; margin: 0; padding: 0 0 0 0.3rem; max-width: 100%;}
.stMultiSelect [data-tag] span {font-size: 0.76rem;}
.stMultiSelect [data-testid="stMultiSelectTagsContainer"] input {height: 1.4rem; margin: 0;}
.stApp :not(pre) > code {color: var(--nysviz-ink) !important;}
[data-testid="stCaptionContainer"] code {background: transparent !important;}
.js-plotly-plot .gtitle-subtitle {transform: translateY(-7px);}
@media (min-width: 641px) {[data-testid="stSidebarHeader"] {height: 2rem; margin-bottom: 0;}}
[data-testid="stStatusWidget"] button {display: none;}
[data-stale="true"] {opacity: 0.8 !important;}
.nysviz-numbers {width: 100%; border-collapse: collapse; font-size: 0.88rem; line-height: 1.45;}
.nysviz-numbers th, .nysviz-numbers td {padding: 0 0.3rem 0 0; text-align: right; font-weight: 400;}
.nysviz-numbers th:first-child, .nysviz-numbers td:first-child {text-align: left;}
.nysviz-numbers td + td {white-space: nowrap;}
.nysviz-numbers th {opacity: 0.75;}
.nysviz-numbers td {font-variant-numeric: tabular-nums;}
"""

# To be read from the last row of a lecture hall: all sizes of Streamlit follow the root's.
_PRESENTATION = """
html {font-size: 25px !important;}
[data-testid="stSidebar"], [data-testid="stExpandSidebarButton"] {display: none;}
.stApp .stMainBlockContainer, .stApp:has([data-testid="stExpandSidebarButton"]) .stMainBlockContainer
  {padding: 2.9rem 1.2rem 2rem 1.2rem; max-width: none;}
.stMainBlockContainer h2 {font-size: 1.15rem;}
.stApp .stAppHeader {height: 2.7rem;}
/* The menus step back, so that the question has one line and the pictures begin higher. */
.st-key-nysviz_bar {flex-wrap: nowrap; gap: 0.4rem; padding-right: 1.6rem;}
.st-key-nysviz_bar [data-testid="stPopover"] button
  {min-height: 0; padding: 0.15rem 0.4rem; font-size: 0.7rem; white-space: nowrap;}
.st-key-nysviz_bar [data-testid="stPopover"] button * {font-size: 0.7rem !important;}
.stApp .stMainBlockContainer [data-testid="stVerticalBlock"] {gap: 0.6rem;}
[data-testid="stElementContainer"]:has(.nysviz-title) + div,
[data-testid="stElementContainer"]:has(.nysviz-title):not(:has(small)) + div {margin-top: -1.3rem;}
"""


def style(drawn: Theme, presentation: bool) -> str:
    """Return the rules of a page as HTML, in its theme's colours."""
    # Words on the accent's colour are in that of the ground, which is dark where the accent is bright.
    colours = f"--nysviz-ground: {drawn.ground}; --nysviz-ink: {drawn.ink}; --nysviz-accent: {drawn.accent};"
    return f"<style>{_STYLE}:root {{{colours}}}{_PRESENTATION if presentation else ''}</style>"
