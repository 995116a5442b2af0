// Listens to the browser for every page: Esc, opened claims, the ground's colour, steps of a lesson. Completes the
// address that a click in the menu leaves empty.

// An open menu, list or dialog is what Esc closes first; a chart or picture that fills the screen as well.
const OPEN = '[aria-haspopup][aria-expanded=true], [role=dialog], [aria-label^="Close fullscreen"]';
// Where Esc belongs to what is typed; sliders, switches and closed lists have no use for it.
const TYPED = 'textarea, select, input:not([type=range], [type=checkbox], [type=radio], '
  + '[role=combobox][aria-expanded=false])';

// Ends the listeners of the last drawing: Streamlit calls the function below for new data without the clean-up
// that it returned, which comes only when the part leaves the page.
let stopLast = () => {};
// The opened part that the server was sent last, until the address says the same.
let sentValue = null;

export default function ({data, parentElement, setStateValue, setTriggerValue}) {
  stopLast();
  // In place: as a step of its own, Back would lead to the empty address and not to the page before.
  if (data.address && !new URLSearchParams(location.search).has('data'))
    history.replaceState(history.state, '', '?' + [location.search.slice(1), data.address].filter(Boolean).join('&'));

  const leave = parentElement.querySelector('.leave');
  leave.hidden = !data.presentation;
  leave.title = 'Back to the page with its sidebar (Esc)';
  const listeners = new AbortController(), options = {capture: true, signal: listeners.signal};
  const leaveView = () => setTriggerValue('leave', true);
  leave.onclick = leaveView;

  // The server draws the charts of a presentation, smaller for the low window of a small projector.
  const heights = {low: matchMedia('(max-height: 800px)'), middle: matchMedia('(max-height: 920px)')};
  const tellHeight = () => {
    const height = Object.keys(heights).find(name => heights[name].matches) ?? '';
    if (data.presentation && data.height !== height) setStateValue('height', height); };
  for (const query of Object.values(heights))
    query.addEventListener('change', tellHeight, {signal: listeners.signal});
  tellHeight();

  // Inside another page a link leads to this one; its address is set when it is used.
  const openLink = parentElement.querySelector('.open');
  openLink.hidden = !data.embedded;
  const setAddress = () => {
    const url = new URL(location);
    url.searchParams.delete('embed');
    openLink.href = url.href; };
  setAddress();
  openLink.onpointerdown = openLink.onfocus = setAddress;

  // A mark opens its claim here; in a new tab it is an address like any other.
  document.addEventListener('click', event => {
    const mark = event.target.closest?.('.nysviz-marks a');
    if (!mark || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const claim = new URL(mark.href).searchParams.get('claims_open');
    leadTo(claim);
    setTriggerValue('opened', claim); }, options);

  // An experiment is tried below the pictures and seen in them.
  document.addEventListener('click', event => {
    if (!event.target.closest?.('[class*="st-key-nysviz_go_try_"] :is(a, button)')) return;
    document.querySelector('[data-testid=stMain]').scrollTo({top: 0, behavior: 'smooth'}); }, options);

  // At the window: a menu that listens at the document has closed before a later listener there sees it.
  window.addEventListener('keydown', event => {
    if (event.repeat || event.key !== 'Escape' || document.querySelector(OPEN)) return;
    // What a row means stands below its table while the row has the focus: that is closed first.
    const term = event.target.closest?.('.nysviz-term');
    if (term) return term.blur();
    if (!data.presentation) return;
    if (event.composedPath()[0].closest?.(TYPED)) return;
    leaveView(); }, options);

  // One opened part a page: what is open now, once all events of the click are through.
  document.addEventListener('toggle', event => {
    const name = event.target.dataset?.parameter;
    if (!name) return;
    if (event.target.contains(document.activeElement)) keepFocus(event.target.dataset.value);
    setTimeout(() => {
      const openValue = document.querySelector(`details[data-parameter="${name}"][open]`)?.dataset.value ?? '';
      const linkedValue = new URLSearchParams(location.search).get(name) ?? '';
      if (sentValue === linkedValue) sentValue = null;
      if (openValue === (sentValue ?? linkedValue)) return;
      sentValue = root.nysvizOpened = openValue;
      setTriggerValue('opened', openValue); }, 60); }, options);
  // The part is drawn anew with its table, and the keyboard stays where it was.
  let focusTimer = null;
  function keepFocus(value) {
    clearInterval(focusTimer);
    let triesLeft = 40;
    focusTimer = setInterval(() => {
      if (triesLeft-- < 0) return clearInterval(focusTimer);
      if (document.activeElement !== document.body) return;
      document.querySelector(`details[data-value="${CSS.escape(value)}"] > summary`)
        ?.focus({preventScroll: true}); }, 100); }
  // A chart is drawn for the colour of its ground: a new colour asks for a new drawing.
  const app = document.querySelector('.stApp');
  const groundColour = () => getComputedStyle(app).backgroundColor;
  let lastColour = groundColour();
  const observer = new MutationObserver(() => {
    if (groundColour() === lastColour) return;
    lastColour = groundColour();
    setTriggerValue('ground', lastColour); });
  observer.observe(app, {attributes: true, attributeFilter: ['class']});

  // A link to an opened claim leads to its row, once: later the reader's own place is kept.
  const root = document.documentElement.dataset;
  let leadTimer = null;
  function leadTo(claim) {
    let triesLeft = 100;
    clearInterval(leadTimer);
    leadTimer = setInterval(() => {
      const part = document.querySelector(`details[data-value="${CSS.escape(claim)}"][open]`);
      if (triesLeft-- > 0 && !part) return;
      clearInterval(leadTimer);
      if (!part) return;
      root.nysvizOpened = claim;
      part.closest('tr').scrollIntoView({block: 'start'}); }, 100); }
  const linkedClaim = new URLSearchParams(location.search).get('claims_open');
  if (linkedClaim && root.nysvizOpened !== linkedClaim) leadTo(linkedClaim);

  // At another step of a lesson the keyboard stands at the lesson's heading, not at the end of the old page.
  const isNewStep = data.step && root.nysvizStep && data.step !== root.nysvizStep;
  root.nysvizStep = data.step;
  const heading = document.querySelector('.nysviz-lesson b');
  if (isNewStep && heading && (document.activeElement === document.body
      || document.activeElement.closest('.st-key-lesson_bar'))) {
    heading.tabIndex = -1;
    heading.focus({preventScroll: true}); }

  return stopLast = () => {
    listeners.abort(); observer.disconnect(); clearInterval(leadTimer); clearInterval(focusTimer); };
}
