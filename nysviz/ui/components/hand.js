// What is dragged is drawn on canvases over the charts, since Plotly takes longer than a picture may last. The
// charts themselves are drawn anew by the server, on release; until they show the same stop, the canvas stays.
const PICTURES = ['picture_K', 'picture_approximation', 'picture_residual'];
const CHARTS = ['map', ...PICTURES, 'spectrum', 'curve'];
// Frames of so many settings are kept; a stop that the server does not take up within so many milliseconds is
// given up; charts that the server has drawn anew are looked for this often.
const KEPT = 3, PATIENCE = 15000, LOOK = 150;
const TAU = 2 * Math.PI;

const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
const floats = text => new Float64Array(bytes(text).buffer);
const lineOf = part => part && {x: floats(part.x), y: floats(part.y)};
const chartOf = key => {
  const chart = document.querySelector(`.st-key-${key} .js-plotly-plot`);
  return chart?.calcdata && chart._fullLayout?.xaxis?._length ? chart : null; };

// 256 colours of one of Plotly's scales, as the four bytes of a pixel and as text.
const palettes = new Map();
const paletteOf = scale => {
  const name = JSON.stringify(scale);
  if (!palettes.has(name)) {
    const context = Object.assign(document.createElement('canvas'), {width: 256, height: 1}).getContext('2d');
    const ramp = context.createLinearGradient(0, 0, 255, 0);
    for (const [at, colour] of scale) ramp.addColorStop(at, colour);
    context.fillStyle = ramp;
    context.fillRect(0, 0, 256, 1);
    const {data} = context.getImageData(0, 0, 256, 1);
    const texts = Array.from({length: 256}, (_, i) => `rgb(${data[4 * i]},${data[4 * i + 1]},${data[4 * i + 2]})`);
    palettes.set(name, {pixels: new Uint32Array(data.buffer.slice(0)), texts}); }
  return palettes.get(name); };

const decoded = frame => ({...frame, residuals: bytes(frame.residuals), landmarks: floats(frame.landmarks),
  picture_K: frame.K && bytes(frame.K), picture_approximation: bytes(frame.approximation),
  picture_residual: bytes(frame.residual), eigenvalues: lineOf(frame.eigenvalues),
  spectrum: lineOf(frame.spectrum)});

// Over what a chart draws, below its notes and what it says under the pointer; the veil over what is dragged.
const belowWords = (chart, canvas) => {
  const top = chart._fullLayout._toppaper.node(), veil = chart.querySelector('canvas.nysviz-veil');
  top.parentElement.insertBefore(canvas, veil ?? top); };

// The canvas of this kind over a chart's axes.
const canvasOver = (chart, kind) => {
  const {xaxis, yaxis} = chart._fullLayout, ratio = window.devicePixelRatio || 1;
  let canvas = chart.querySelector(`canvas.nysviz-${kind}`);
  if (!canvas) {
    canvas = Object.assign(document.createElement('canvas'), {className: `nysviz-${kind}`});
    belowWords(chart, canvas); }
  const [width, height] = [xaxis._length, yaxis._length];
  Object.assign(canvas.style, {left: `${xaxis._offset}px`, top: `${yaxis._offset}px`,
    width: `${width}px`, height: `${height}px`});
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio); }
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return {canvas, context, width, height, xaxis, yaxis}; };
const emptied = area => {
  area.context.clearRect(0, 0, area.width, area.height);
  return area; };
const canvasOf = chart => {
  chart.classList.add('nysviz-dragged');
  return emptied(canvasOver(chart, 'hand')); };
const uncover = chart => {
  if (!chart.classList.contains('nysviz-dragged')) return;
  chart.classList.remove('nysviz-dragged');
  chart.querySelector('canvas.nysviz-hand')?.remove(); };

const stroke = ({context, xaxis, yaxis, height}, {x, y}, colour, width) => {
  context.beginPath();
  for (let i = 0; i < x.length; i++) {
    const at = yaxis.d2p(y[i]);
    context.lineTo(xaxis.d2p(x[i]), Number.isFinite(at) ? at : height + 9); }
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.stroke(); };

const paintMap = (chart, frame, look) => {
  const {context, xaxis, yaxis} = canvasOf(chart), {marker} = chart._fullData[0];
  const {texts} = paletteOf(marker.colorscale), points = chart.calcdata[0];
  context.lineWidth = marker.line.width;
  context.strokeStyle = marker.line.color;
  for (let i = 0; i < points.length; i++) {
    context.beginPath();
    context.arc(xaxis.c2p(points[i].x), yaxis.c2p(points[i].y), marker.size / 2, 0, TAU);
    context.fillStyle = texts[frame.residuals[i]];
    context.fill();
    context.stroke(); }
  const {landmarks, size} = frame, scale = marker.size / 7;
  const mark = (radius, width, colour) => {
    context.beginPath();
    for (let i = 0; i < landmarks.length; i += 2) {
      const [x, y] = [xaxis.c2p(landmarks[i]), yaxis.c2p(landmarks[i + 1])];
      if (look.are_data) {
        context.moveTo(x + radius, y);
        context.arc(x, y, radius, 0, TAU);
      } else {
        context.moveTo(x - radius, y);
        context.lineTo(x + radius, y);
        context.moveTo(x, y - radius);
        context.lineTo(x, y + radius); }}
    context.lineWidth = width;
    context.strokeStyle = colour;
    context.stroke(); };
  const radius = scale * size / 2 * (look.are_data ? 1 : 0.8), width = scale * (look.are_data ? 2 : size / 4);
  mark(look.are_data ? radius : radius + 1, width + 2.5 * scale, look.ground);
  mark(radius, width, look.ink); };

const small = document.createElement('canvas');
const paintPicture = (chart, key, frame) => {
  const half = frame[key], {zmin, zmax, colorscale} = chart._fullData[0];
  if (!half) return uncover(chart);
  const rows = frame.rows, [low, high] = key === 'picture_residual' ? [0, frame.most] : frame.limits;
  // From the frame's scale to that of the chart, whose key stays.
  const table = new Uint32Array(256), {pixels} = paletteOf(colorscale);
  for (let v = 0; v < 256; v++) {
    const part = (low + v / 255 * (high - low) - zmin) / (zmax - zmin || 1);
    table[v] = pixels[Math.round(255 * Math.min(1, Math.max(0, part)))]; }
  small.width = small.height = rows;
  const brush = small.getContext('2d'), image = brush.createImageData(rows, rows);
  const cells = new Uint32Array(image.data.buffer);
  for (let i = 0, at = 0; i < rows; i++) {
    for (let j = i; j < rows; j++, at++) cells[i * rows + j] = cells[j * rows + i] = table[half[at]]; }
  brush.putImageData(image, 0, 0);
  const {context, width, height} = canvasOf(chart);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, 0, 0, width, height); };

const paintSpectrum = (chart, frame, look) => {
  const area = canvasOf(chart), {context, height, xaxis} = area;
  const K = frame.spectrum ?? chart._fullData.find(trace => trace.name === 'K');
  stroke(area, frame.eigenvalues, look.hue, 2);
  if (K) stroke(area, K, look.ink, 2.5);
  const at = xaxis.d2p(frame.m);
  context.fillStyle = look.faint;
  context.fillRect(at, 0, 1, height);
  context.font = '12px sans-serif';
  context.textAlign = frame.m > 3 ? 'right' : 'left';
  context.fillText(`m = ${frame.m}`, at + (frame.m > 3 ? -4 : 4), 12); };

const paintCurve = (chart, frame, look) => {
  const area = canvasOf(chart), {context, xaxis, yaxis, height} = area;
  stroke(area, chart._fullData[0], look.hue, 2);
  const at = yaxis.d2p(frame.error);
  context.beginPath();
  context.arc(xaxis.d2p(frame.value), Number.isFinite(at) ? Math.min(height - 4, at) : height - 4, 6, 0, TAU);
  context.fillStyle = look.ink;
  context.fill();
  context.lineWidth = 2;
  context.strokeStyle = look.ground;
  context.stroke(); };

const paint = {map: paintMap, spectrum: paintSpectrum, curve: paintCurve};
for (const key of PICTURES) paint[key] = (chart, frame) => paintPicture(chart, key, frame);

// One selection for the map and the pictures of K: what is not marked is veiled. Numbers are those of the points
// of the map.
const veilOf = (chart, marks) => {
  const area = canvasOver(chart, 'veil'), {canvas, xaxis, yaxis} = area;
  const sign = [marks, canvas.width, canvas.height, xaxis._offset, yaxis._offset, xaxis.range, yaxis.range].join();
  if (canvas.nysvizSign === sign) return null;
  canvas.nysvizSign = sign;
  return emptied(area); };
const VEIL = 0.72;
const cover = ({context, width, height}, look) => {
  context.globalAlpha = VEIL;
  context.fillStyle = look.ground;
  context.fillRect(0, 0, width, height);
  context.globalAlpha = 1;
  context.strokeStyle = look.accent;
  context.lineWidth = 2; };
const markMap = (area, chart, marked, look) => {
  const {context, xaxis, yaxis} = area, points = chart.calcdata[0];
  const radius = chart._fullData[0].marker.size / 2 + 2.5;
  cover(area, look);
  for (const through of [true, false]) {
    context.globalCompositeOperation = through ? 'destination-out' : 'source-over';
    for (const k of marked) {
      context.beginPath();
      context.arc(xaxis.c2p(points[k].x), yaxis.c2p(points[k].y), radius, 0, TAU);
      if (through) context.fill(); else context.stroke(); }}};
const markPicture = (area, chart, marked, look, places) => {
  const {context, width, height} = area, rows = chart._fullData[0].x.length;
  // One row is too thin to be seen.
  const [band, thick] = [Math.max(width / rows, 3), Math.max(height / rows, 3)];
  cover(area, look);
  for (const k of marked) {
    const [x, y] = [places[k] * width - band / 2, places[k] * height - thick / 2];
    context.clearRect(x, 0, band, height);
    context.clearRect(0, y, width, thick); }
  // Many outlines would be all that one sees.
  if (marked.size > 12) return;
  context.lineWidth = 1;
  for (const k of marked) {
    context.strokeRect(places[k] * width - band / 2 - 1, -2, band + 2, height + 4);
    context.strokeRect(-2, places[k] * height - thick / 2 - 1, width + 4, thick + 2); }};
const isInside = (x, y, way) => {
  let inside = false;
  for (let i = 0, j = way.length - 1; i < way.length; j = i++) {
    const [[ax, ay], [bx, by]] = [way[i], way[j]];
    if ((ay > y) !== (by > y) && x < (bx - ax) * (y - ay) / (by - ay) + ax) inside = !inside; }
  return inside; };
// Pixels within which a click means a point, and by which a click may slip.
const REACH = 12, SLIP = 5;

// Words of the page that follow. What React has written is only put aside, since it would not notice.
const say = (element, text) => {
  if (!element) return;
  element.nysvizRest ??= element.innerHTML;
  if (element.textContent !== text) element.textContent = text; };
const unsay = element => {
  if (element?.nysvizRest === undefined) return;
  element.innerHTML = element.nysvizRest;
  delete element.nysvizRest; };
const titleOf = key => document.querySelector(`.st-key-nysviz_chart_${key} .nysviz-title`);
const rowsOf = names => [...document.querySelectorAll('table.nysviz-numbers tr')].map(row => {
  const [head, ...cells] = row.cells;
  return {row, cells, name: names.find(name => name === head.textContent)}; });

export default function ({data, parentElement, setTriggerValue}) {
  const hand = window.nysvizHand ??= {frames: new Map(), words: new Map(), drawn: 0, marked: new Set()};
  hand.stop?.();
  const part = name => parentElement.querySelector('.' + name), input = part('drag');
  const {token, stops} = data, look = data;
  const indexOf = name => stops.findIndex(stop => stop.name === name);
  const frame = name => hand.frames.get(token)?.get(name);
  const words = name => hand.words.get(token)?.words[name];
  const places = () => hand.words.get(token)?.places;

  // The server says where the slider is, unless it has not heard of the last release yet.
  const waits = hand.pending && hand.pending.stop !== data.stop && indexOf(hand.pending.stop) >= 0
    && performance.now() - hand.pending.at < PATIENCE;
  if (!waits) hand.pending = null;
  if (!waits && (!hand.holding || indexOf(hand.at) < 0)) hand.at = data.stop;

  const collect = () => {
    let news = false;
    for (const element of document.querySelectorAll('.nysviz-frames')) {
      if (element.nysvizRead) continue;
      element.nysvizRead = news = true;
      const sent = JSON.parse(element.textContent);
      if (sent.words) { hand.words.set(sent.token, sent); continue; }
      if (!hand.frames.has(sent.token)) hand.frames.set(sent.token, new Map());
      const known = hand.frames.get(sent.token);
      for (const one of sent.frames) if (!known.has(one.stop)) known.set(one.stop, decoded(one)); }
    for (const store of [hand.frames, hand.words]) {
      for (const old of [...store.keys()].slice(0, -KEPT)) if (old !== token) store.delete(old); }
    return news; };

  const tell = () => {
    const index = indexOf(hand.at), known = words(hand.at), {label} = stops[index];
    input.max = stops.length - 1;
    if (Number(input.value) !== index) input.value = index;
    input.setAttribute('aria-label', data.label);
    input.setAttribute('aria-valuetext', known ? `${label}, ${known.spoken}` : label);
    part('stop').textContent = label;
    part('said').textContent = known ? `${known.spoken[0].toUpperCase()}${known.spoken.slice(1)}.` : '';
    const ready = stops.filter(stop => frame(stop.name) || stop.name === data.stop);
    const missing = stops.length - ready.length;
    const state = hand.at !== data.stop && !frame(hand.at) ? 'Release to compute this one.'
      : missing ? `${ready.length} of ${stops.length} are ready to be dragged to.` : '';
    part('state').textContent = [data.about && hand.at !== data.stop ? `While dragging, ${data.about}.` : '', state]
      .filter(Boolean).join(' ');
    const [first, last] = [ready[0], ready.at(-1)].map(stop => 100 * indexOf(stop.name) / (stops.length - 1 || 1));
    input.style.setProperty('--from', `${first}%`);
    input.style.setProperty('--to', `${last}%`); };

  // From the first move until the server has drawn the map at the same stop.
  const tellPage = () => {
    const meta = chartOf('map')?.layout.meta;
    const isThere = hand.at === data.stop && (!meta || (meta.drag === token && meta.stop === hand.at));
    const known = isThere ? null : words(hand.at)?.answer && words(hand.at);
    const place = document.querySelector('.st-key-nysviz_answer');
    const written = place?.textContent;
    // A new answer of the server's comes before what was put over the old one.
    if (hand.answered !== undefined && hand.answered !== written && hand.at === data.stop) hand.answered = '';
    if (known && hand.answered !== '') {
      hand.answered ??= written;
      place?.setAttribute('data-dragged', known.answer);
    } else place?.removeAttribute('data-dragged');
    if (!known) hand.answered = undefined;
    for (const key of ['map', 'picture_approximation', 'picture_residual']) {
      const title = titleOf(key);
      if (!title) continue;
      if (!known) { unsay(title); continue; }
      title.nysvizRest ??= title.innerHTML;
      const below = title.querySelector('small');
      if (key === 'map') {
        title.firstChild.textContent = known.map;
        if (below) below.textContent = known.map_below;
      } else if (below) below.textContent = known[key]; }
    for (const {row, cells, name} of rowsOf(Object.values(data.rows))) {
      const follows = name === data.rows.error ? [known?.error, known?.times] : name ? [known?.rank, ''] : null;
      row.style.opacity = known && !follows && row.closest('tbody') ? 0.35 : '';
      if (!follows) continue;
      cells.forEach((cell, i) => { if (known) say(cell, follows[i] ?? ''); else unsay(cell); }); }};

  const draw = () => {
    const shown = frame(hand.at);
    let painted = 0;
    for (const key of CHARTS) {
      const chart = chartOf(key), meta = chart?.layout.meta;
      if (!meta) continue;
      if (!shown || meta.drag !== token || meta.stop === hand.at) { uncover(chart); continue; }
      const {xaxis, yaxis} = chart._fullLayout;
      const sign = [token, hand.at, xaxis._length, yaxis._length, xaxis.range, yaxis.range].join();
      const canvas = chart.querySelector('canvas.nysviz-hand');
      if (canvas?.nysvizSign === sign && canvas.nysvizData === chart.data) continue;
      paint[key](chart, shown, look);
      painted = 1;
      const fresh = chart.querySelector('canvas.nysviz-hand');
      if (fresh) Object.assign(fresh, {nysvizSign: sign, nysvizData: chart.data}); }
    tellPage();
    hand.drawn += painted; };

  let asked = 0;
  const follow = () => { cancelAnimationFrame(asked); asked = requestAnimationFrame(() => { tell(); draw(); }); };
  const release = () => {
    if (hand.at === data.stop) return;
    hand.pending = {stop: hand.at, at: performance.now()};
    setTriggerValue('released', {along: data.along, value: stops[indexOf(hand.at)].value}); };

  input.oninput = () => { hand.at = stops[Number(input.value)].name; follow(); };
  input.onpointerdown = () => { hand.holding = 'pointer'; };
  input.onkeydown = () => { hand.holding ??= 'key'; };
  // A key that is held ends each step with a change, and is let go but once.
  input.onchange = () => { if (hand.holding !== 'key') { hand.holding = null; release(); } };
  input.onkeyup = () => { if (hand.holding === 'key') { hand.holding = null; release(); } };
  input.onpointerup = input.onpointercancel = () => { setTimeout(() => { hand.holding = null; }, 50); };
  input.onblur = () => { if (hand.holding === 'key') { hand.holding = null; release(); } };

  // Marks belong to the rows of one data set in one order.
  if (hand.marksOf !== data.rows_token) {
    if (hand.cell) setTimeout(() => window.dispatchEvent(new CustomEvent('nysviz-cell', {detail: null})));
    Object.assign(hand, {marksOf: data.rows_token, marked: new Set(), cell: null}); }
  const rowOf = k => chartOf('map')._fullData[0].customdata[k];
  const tellMarks = () => {
    part('clear').hidden = !hand.marked.size;
    const chart = chartOf('map'), [first, second] = hand.cell ?? [];
    part('marked').textContent = !hand.marked.size || !chart ? ''
      : hand.cell ? `Entry of row ${first} and row ${second}: its arithmetic is below the pictures.`
        : hand.marked.size === 1 ? `Row ${rowOf([...hand.marked][0])} is marked.`
          : `${hand.marked.size} points are marked.`; };
  const drawMarks = () => {
    for (const key of ['map', ...PICTURES]) {
      const chart = chartOf(key);
      if (!chart) continue;
      if (!hand.marked.size || !places()) { chart.querySelector('canvas.nysviz-veil')?.remove(); continue; }
      const area = veilOf(chart, [...hand.marked].join());
      if (area) (key === 'map' ? markMap : markPicture)(area, chart, hand.marked, look, places()); }};
  const mark = (points, cell = null) => {
    hand.marked = new Set(points);
    hand.cell = cell;
    tellMarks();
    drawMarks();
    window.dispatchEvent(new CustomEvent('nysviz-cell', {detail: cell})); };
  const at = (chart, event) => {
    const frame = chart?.querySelector('.svg-container')?.getBoundingClientRect();
    if (!frame) return null;
    const {xaxis, yaxis} = chart._fullLayout;
    const [x, y] = [event.clientX - frame.left - xaxis._offset, event.clientY - frame.top - yaxis._offset];
    return x >= 0 && y >= 0 && x <= xaxis._length && y <= yaxis._length ? [x, y] : null; };
  const seats = chart => chart.calcdata[0].map(({x, y}) =>
    [chart._fullLayout.xaxis.c2p(x), chart._fullLayout.yaxis.c2p(y)]);
  let down = null, way = null, lassos = false;
  const stopHere = event => { event.preventDefault(); event.stopImmediatePropagation(); };
  const setLasso = on => { lassos = on; part('lasso').setAttribute('aria-pressed', on); };
  part('lasso').onclick = () => setLasso(!lassos);
  part('clear').onclick = () => mark([]);
  const overOther = event => event.composedPath().some(one => one.matches?.(
    '.modebar-container, [role=dialog], [data-baseweb=popover], button, input'));
  const lowered = event => {
    if (overOther(event)) { down = null; return; }
    down = [event.clientX, event.clientY];
    const from = lassos && at(chartOf('map'), event);
    if (from) { way = [from]; stopHere(event); }};
  const moved = event => {
    if (!way) return;
    stopHere(event);
    const chart = chartOf('map'), frame = chart.querySelector('.svg-container').getBoundingClientRect();
    const {xaxis, yaxis} = chart._fullLayout;
    way.push([event.clientX - frame.left - xaxis._offset, event.clientY - frame.top - yaxis._offset]);
    const points = seats(chart);
    const inside = points.flatMap(([x, y], k) => isInside(x, y, way) ? [k] : []);
    hand.marked = new Set(inside);
    hand.cell = null;
    tellMarks();
    drawMarks(); };
  const raised = event => {
    if (way) {
      stopHere(event);
      way = null;
      setLasso(false);
      mark(hand.marked);
      return; }
    if (!down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > SLIP) return;
    const chart = chartOf('map'), spot = at(chart, event);
    if (spot) {
      const far = seats(chart).map(([x, y]) => Math.hypot(x - spot[0], y - spot[1]));
      const k = far.indexOf(Math.min(...far));
      if (far[k] > REACH) { if (hand.marked.size) mark([]); return; }
      const others = event.shiftKey ? [...hand.marked].filter(one => one !== k) : [];
      mark(event.shiftKey && hand.marked.has(k) ? others : [...others, k]);
      return; }
    for (const key of PICTURES) {
      const picture = chartOf(key), place = at(picture, event);
      if (!place || !chart) continue;
      const names = picture._fullData[0].x, {xaxis, yaxis} = picture._fullLayout;
      const name = part => names[Math.min(names.length - 1, Math.floor(part * names.length))];
      // What it says under the pointer, where it does: cells are as small as the steps of a mouse.
      const said = picture._hoverdata?.find(one => one.curveNumber === 0);
      const [y, x] = said ? [said.y, said.x] : [name(place[1] / yaxis._length), name(place[0] / xaxis._length)];
      const [i, j] = [y, x].map(row => Number(row.slice(4)));
      const rows = Array.from(chart._fullData[0].customdata);
      mark([rows.indexOf(i), rows.indexOf(j)].filter(k => k >= 0), [i, j]); }};
  const escaped = event => { if (event.key === 'Escape' && hand.marked.size) mark([]); };
  const listen = {capture: true};
  // At the window: Plotly keeps what it does with the pointer to itself.
  window.addEventListener('pointerdown', lowered, listen);
  window.addEventListener('pointermove', moved, listen);
  window.addEventListener('pointerup', raised, listen);
  // A finger that scrolls the page marks nothing.
  const lost = () => { down = way = null; };
  window.addEventListener('pointercancel', lost, listen);
  // Plotly zooms by the mouse's events.
  const asMouse = event => { if (way) event.stopImmediatePropagation(); };
  window.addEventListener('mousedown', asMouse, listen);
  window.addEventListener('keydown', escaped);
  const deaf = () => {
    window.removeEventListener('pointerdown', lowered, listen);
    window.removeEventListener('pointermove', moved, listen);
    window.removeEventListener('pointerup', raised, listen);
    window.removeEventListener('pointercancel', lost, listen);
    window.removeEventListener('mousedown', asMouse, listen);
    window.removeEventListener('keydown', escaped); };

  const watch = setInterval(() => {
    if (hand.pending && performance.now() - hand.pending.at > PATIENCE) {
      hand.pending = null;
      hand.at = data.stop; }
    if (collect()) tell();
    draw();
    drawMarks(); }, LOOK);
  hand.stop = () => { clearInterval(watch); cancelAnimationFrame(asked); deaf(); };
  collect();
  tell();
  tellMarks();
  draw();
  drawMarks();
  return () => { hand.stop(); CHARTS.map(chartOf).filter(Boolean).forEach(uncover); };
}
