// One selection for the map and the pictures of K: what is not marked is veiled. Numbers are those of the points
// of the map.
const PICTURES = ['picture_K', 'picture_approximation', 'picture_residual'];
// How often charts that were drawn anew are looked for, in milliseconds.
const LOOK = 150;

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

export default function ({data, parentElement}) {
  const hand = handHere(), look = data;
  hand.deaf?.();
  const part = name => parentElement.querySelector('.' + name);
  const places = () => hand.words.get(data.token)?.places;

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

  const watch = setInterval(drawMarks, LOOK);
  hand.deaf = () => { clearInterval(watch); deaf(); };
  tellMarks();
  drawMarks();
  return hand.deaf;
}
