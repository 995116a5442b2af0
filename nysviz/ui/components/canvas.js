// Canvases over a chart: what follows the hand is drawn on them, since Plotly takes longer than a picture may last.
const TAU = 2 * Math.PI;
// What the slider and the marks of a page know together.
const handHere = () => window.nysvizHand ??= {frames: new Map(), words: new Map(), sent: [], marked: new Set(), drawn: 0};

const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
const chartOf = key => {
  const chart = document.querySelector(`.st-key-${key} .js-plotly-plot`);
  return chart?.calcdata && chart._fullLayout?.xaxis?._length ? chart : null; };

// Over what a chart draws, below its notes and what it says under the pointer; the veil over what is dragged.
const belowWords = (chart, canvas) => {
  const top = chart._fullLayout._toppaper.node(), veil = chart.querySelector('canvas.nysviz-veil');
  top.parentElement.insertBefore(canvas, veil ?? top); };

// The canvas of this kind over a chart's axes, or over all that it has.
const canvasOver = (chart, kind, isWhole = false) => {
  const {xaxis, yaxis, _size: size} = chart._fullLayout, ratio = window.devicePixelRatio || 1;
  let canvas = chart.querySelector(`canvas.nysviz-${kind}`);
  if (!canvas) {
    canvas = Object.assign(document.createElement('canvas'), {className: `nysviz-${kind}`});
    belowWords(chart, canvas); }
  const [left, top, width, height] = isWhole ? [size.l, size.t, size.w, size.h]
    : [xaxis._offset, yaxis._offset, xaxis._length, yaxis._length];
  Object.assign(canvas.style, {left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px`});
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio); }
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return {canvas, context, left, top, width, height, xaxis, yaxis}; };
const emptied = area => {
  area.context.clearRect(0, 0, area.width, area.height);
  return area; };
const canvasOf = chart => {
  chart.classList.add('nysviz-dragged');
  return emptied(canvasOver(chart, 'hand')); };
const uncover = chart => {
  if (!chart.querySelector('canvas.nysviz-hand')) return;
  chart.classList.remove('nysviz-dragged', 'nysviz-played');
  for (const note of chart.querySelectorAll('.infolayer .annotation')) note.style.visibility = '';
  chart.querySelector('canvas.nysviz-hand')?.remove(); };

const stroke = ({context, xaxis, yaxis, height}, {x, y}, colour, width) => {
  context.beginPath();
  for (let i = 0; i < x.length; i++) {
    const at = yaxis.d2p(y[i]);
    context.lineTo(xaxis.d2p(x[i]), Number.isFinite(at) ? at : height + 9); }
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.stroke(); };
