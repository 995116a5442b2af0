// How a chart whose traces are lines, markers and words is drawn with the numbers of another stop.

// Numbers as Plotly has them: a list, or the bytes of an array.
const ARRAYS = {f8: Float64Array, f4: Float32Array, i4: Int32Array, u4: Uint32Array, i2: Int16Array,
  u2: Uint16Array, i1: Int8Array, u1: Uint8Array};
const numbers = part => part?.bdata ? new ARRAYS[part.dtype](bytes(part.bdata).buffer) : part ?? [];
const tracesOf = ({traces, notes}) => ({notes,
  traces: new Map(traces.map(trace => [nameOf(trace), {x: numbers(trace.x), y: numbers(trace.y)}]))});
// What a trace is known by, in a frame and in the chart.
const nameOf = ({name, xaxis, mode}) => [name ?? '', xaxis ?? 'x', mode].join();

const paintTraces = (chart, key, frame) => {
  const {traces, notes} = frame.charts[key], layout = chart._fullLayout, area = emptied(canvasOver(chart, 'hand', true));
  chart.classList.add('nysviz-played');
  for (const note of chart.querySelectorAll('.infolayer .annotation')) {
    const index = Number(note.dataset.index);
    note.style.visibility = layout.annotations[index].text === notes[index] ? '' : 'hidden'; }
  for (const trace of chart._fullData) {
    const points = traces.get(nameOf(chart.data[trace.index]));
    if (!points || trace.visible !== true) continue;
    const [xaxis, yaxis] = [trace.xaxis, trace.yaxis].map(name => layout[name.replace(/^[xy]/, '$&axis')]);
    area.context.save();
    area.context.beginPath();
    area.context.rect(xaxis._offset - area.left, yaxis._offset - area.top, xaxis._length, yaxis._length);
    area.context.clip();
    area.context.translate(xaxis._offset - area.left, yaxis._offset - area.top);
    const {line, mode, opacity} = trace, place = {...area, xaxis, yaxis, height: yaxis._length};
    area.context.globalAlpha = opacity ?? 1;
    area.context.setLineDash(DASHES[line?.dash] ?? []);
    if (mode.includes('lines')) stroke(place, points, line.color, line.width);
    area.context.setLineDash([]);
    if (mode.includes('markers')) dots(place, points, chart, trace);
    if (mode.includes('text')) texts(place, points, trace);
    area.context.restore(); }};
// Where a stop is on a chart that is the same at every stop.
const paintCursor = (chart, x, look) => {
  const {context, xaxis, height} = emptied(canvasOver(chart, 'hand'));
  context.fillStyle = look.accent;
  context.fillRect(xaxis.d2p(x) - 1, 0, 2, height); };
const DASHES = {dot: [2, 4], dash: [7, 5], longdash: [12, 6], dashdot: [7, 4, 2, 4], longdashdot: [12, 4, 2, 4]};
const paths = new Map();
const pathOf = outline => {
  if (!paths.has(outline)) paths.set(outline, new Path2D(outline));
  return paths.get(outline); };
// Markers as Plotly has drawn them, each at its new place.
const dots = ({context, xaxis, yaxis}, {x, y}, chart, {uid, marker}) => {
  const drawn = [...chart.querySelectorAll(`.trace${uid} path.point`)]
    .map(({style, attributes}) => [pathOf(attributes.d.value), style.fill, style.stroke, parseFloat(style.strokeWidth) || 0,
      Number(style.opacity || 1)]);
  if (!drawn.length) return;
  const step = marker.maxdisplayed ? Math.max(1, Math.round(x.length / marker.maxdisplayed)) : 1;
  for (let i = 0; i < x.length; i += step) {
    const [path, fill, edge, width, opacity] = drawn[drawn.length === x.length ? i : 0];
    const [left, top] = [xaxis.d2p(x[i]), yaxis.d2p(y[i])];
    if (!Number.isFinite(left) || !Number.isFinite(top)) continue;
    context.globalAlpha = opacity;
    context.translate(left, top);
    context.fillStyle = fill;
    context.fill(path);
    if (width) {
      context.lineWidth = width;
      context.strokeStyle = edge;
      context.stroke(path); }
    context.translate(-left, -top); }};
const texts = ({context, xaxis, yaxis}, {x, y}, {text, textfont}) => {
  Object.assign(context, {fillStyle: textfont.color, font: `bold ${textfont.size}px sans-serif`, textAlign: 'center',
    textBaseline: 'middle'});
  for (let i = 0; i < x.length; i++) {
    context.fillText(text[i].replace(/<[^>]*>/g, ''), xaxis.d2p(x[i]), yaxis.d2p(y[i])); }};
