// The slider below a page's picture: what it is dragged to is drawn over the charts at once. The charts themselves
// are drawn anew by the server, on release; until they show the same stop, the canvas stays.

// Settings whose frames are kept; milliseconds until a stop that the server does not take up is given up; and
// milliseconds between two looks for charts that the server has drawn anew.
const KEPT = 3, PATIENCE = 15000, LOOK = 150;

// A frame of Approximate has pictures of its own; one of another page has its charts as Plotly has them.
const decoded = frame => !frame.charts ? picturesOf(frame)
  : {charts: Object.fromEntries(Object.entries(frame.charts).map(([key, chart]) => [key, tracesOf(chart)]))};

// Words of the page that follow. What React has written is only put aside, since it would not notice.
const say = (element, text) => {
  if (!element) return;
  element.nysvizRest ??= element.innerHTML;
  if (element.nysvizSaid !== text) element.innerHTML = element.nysvizSaid = text; };
const unsay = element => {
  if (element?.nysvizRest === undefined) return;
  element.innerHTML = element.nysvizRest;
  delete element.nysvizRest;
  delete element.nysvizSaid; };
const titleOf = key => document.querySelector(`.st-key-nysviz_chart_${key} .nysviz-title`);

export default function ({data, parentElement, setTriggerValue}) {
  const hand = handHere();
  hand.stop?.();
  const part = name => parentElement.querySelector('.' + name), input = part('drag');
  const {token, stops} = data, look = data;
  const indexOf = name => stops.findIndex(stop => stop.name === name);
  const frame = name => hand.frames.get(token)?.get(name);
  const words = name => hand.words.get(token)?.stops[name];

  // The server says where the slider is, unless it has not heard of the last release yet.
  const waits = hand.pending && hand.pending.stop !== data.stop && indexOf(hand.pending.stop) >= 0
    && performance.now() - hand.pending.at < PATIENCE;
  if (!waits) hand.pending = null;
  if (!waits && (!hand.holding || indexOf(hand.at) < 0)) hand.at = data.stop;

  const collect = () => {
    const news = hand.sent.splice(0);
    for (const sent of news) {
      hand.words.set(sent.token, sent.words);
      if (!hand.frames.has(sent.token)) hand.frames.set(sent.token, new Map());
      const known = hand.frames.get(sent.token);
      for (const one of sent.frames) known.set(one.stop, decoded(one)); }
    for (const store of [hand.frames, hand.words]) {
      for (const old of [...store.keys()].slice(0, -KEPT)) if (old !== token) store.delete(old); }
    return news.length > 0; };

  const tell = () => {
    const index = indexOf(hand.at), known = words(hand.at), {label} = stops[index];
    input.max = stops.length - 1;
    if (Number(input.value) !== index) input.value = index;
    input.setAttribute('aria-label', data.label);
    part('what').textContent = data.heading ?? '';
    input.setAttribute('aria-valuetext', known?.spoken ? `${label}, ${known.spoken}` : label);
    part('stop').textContent = label;
    part('said').textContent = known?.spoken ? `${known.spoken[0].toUpperCase()}${known.spoken.slice(1)}.` : '';
    const ready = stops.filter(stop => frame(stop.name) || stop.name === data.stop);
    const missing = stops.length - ready.length;
    const state = hand.at !== data.stop && !frame(hand.at) ? 'Release to compute this one.'
      : missing && hand.near ? `${ready.length} of ${stops.length} are ready to be dragged to.` : '';
    part('state').textContent = [data.about && hand.at !== data.stop ? `While dragging, ${data.about}.` : '', state]
      .filter(Boolean).join(' ');
    const [first, last] = [ready[0], ready.at(-1)].map(stop => 100 * indexOf(stop.name) / (stops.length - 1 || 1));
    input.style.setProperty('--from', `${first}%`);
    input.style.setProperty('--to', `${last}%`); };

  // From the first move until the server has drawn the map at the same stop.
  const tellPage = () => {
    const meta = chartOf(data.charts[0])?.layout.meta;
    const isThere = hand.at === data.stop && (!meta || (meta.drag === token && meta.stop === hand.at));
    const known = isThere ? null : words(hand.at)?.titles && words(hand.at);
    const place = document.querySelector('.st-key-nysviz_answer');
    const written = place?.textContent;
    // A new answer of the server's comes before what was put over the old one.
    if (hand.answered !== undefined && hand.answered !== written && hand.at === data.stop) hand.answered = '';
    if (known?.answer && hand.answered !== '') {
      hand.answered ??= written;
      place?.setAttribute('data-dragged', known.answer);
    } else place?.removeAttribute('data-dragged');
    if (!known) hand.answered = undefined;
    for (const key of data.charts) {
      const title = titleOf(key), [first, second] = known?.titles[key] ?? [];
      if (!title) continue;
      if (!known) { unsay(title); continue; }
      title.nysvizRest ??= title.innerHTML;
      const below = title.querySelector('small');
      if (first) title.firstChild.textContent = first;
      if (second && below) below.textContent = second; }
    for (const row of document.querySelectorAll('table.nysviz-numbers tbody tr')) {
      const [head, ...cells] = row.cells, follows = known?.rows[head.textContent];
      row.style.opacity = known && !follows ? 0.35 : '';
      cells.forEach((cell, i) => { if (follows) say(cell, follows[i] ?? ''); else unsay(cell); }); }};

  const draw = () => {
    const shown = frame(hand.at);
    let painted = 0;
    for (const key of data.charts) {
      const chart = chartOf(key), meta = chart?.layout.meta;
      if (!meta?.drag) continue;
      if (!shown || meta.drag !== token || meta.stop === hand.at) { uncover(chart); continue; }
      const {xaxis, yaxis} = chart._fullLayout;
      const sign = [token, hand.at, xaxis._length, yaxis._length, xaxis.range, yaxis.range].join();
      const canvas = chart.querySelector('canvas.nysviz-hand');
      if (canvas?.nysvizSign === sign && canvas.nysvizData === chart.data) continue;
      if (shown.charts) paintTraces(chart, key, shown); else paint[key](chart, shown, look);
      painted = 1;
      const fresh = chart.querySelector('canvas.nysviz-hand');
      if (fresh) Object.assign(fresh, {nysvizSign: sign, nysvizData: chart.data}); }
    const {cursors = {}} = stops[indexOf(hand.at)];
    for (const key of Object.keys(cursors)) {
      const chart = chartOf(key);
      if (!chart) continue;
      if (hand.at === data.stop) chart.querySelector('canvas.nysviz-hand')?.remove();
      else paintCursor(chart, cursors[key], look); }
    tellPage();
    hand.drawn += painted; };

  let asked = 0;
  const follow = () => { cancelAnimationFrame(asked); asked = requestAnimationFrame(() => { tell(); draw(); }); };
  const release = () => {
    if (hand.at === data.stop) return;
    hand.pending = {stop: hand.at, at: performance.now()};
    setTriggerValue('released', {along: data.along, value: stops[indexOf(hand.at)].value}); };

  // Frames come once a pointer moves over the picture or the slider, or the slider has the focus; a finger is there too
  // late to ask for them.
  const approach = () => {
    if (hand.near === input) return;
    hand.near = input;
    hand.approach?.(); };
  const zone = input.getRootNode().host?.closest('.st-key-nysviz_picture') ?? parentElement;
  const listeners = new AbortController();
  zone.addEventListener('pointermove', approach, {signal: listeners.signal});
  input.onfocus = approach;
  if (matchMedia('(hover: none)').matches) approach();

  input.oninput = () => { hand.at = stops[Number(input.value)].name; follow(); };
  input.onpointerdown = () => { hand.holding = 'pointer'; };
  input.onkeydown = () => { hand.holding ??= 'key'; };
  // A key that is held ends each step with a change, and is let go but once.
  input.onchange = () => { if (hand.holding !== 'key') { hand.holding = null; release(); } };
  input.onkeyup = () => { if (hand.holding === 'key') { hand.holding = null; release(); } };
  input.onpointerup = input.onpointercancel = () => { setTimeout(() => { hand.holding = null; }, 50); };
  input.onblur = () => { if (hand.holding === 'key') { hand.holding = null; release(); } };

  const watch = setInterval(() => {
    if (hand.pending && performance.now() - hand.pending.at > PATIENCE) {
      hand.pending = null;
      hand.at = data.stop; }
    if (collect()) tell();
    draw(); }, LOOK);
  const stop = hand.stop = () => { clearInterval(watch); cancelAnimationFrame(asked); listeners.abort(); };
  collect();
  tell();
  draw();
  return () => {
    stop();
    if (hand.near === input) hand.near = null;
    data.charts.map(chartOf).filter(Boolean).forEach(uncover); };
}
