// What is drawn: the field of the residual, the points, the landmarks and their cells; also as SVG.
import { WIDTH, HEIGHT } from './state.js';

const SEEN_LIGHT = ['#FFFFFF', '#FBDDC9', '#EE9A78', '#C7476B', '#7A1F6B', '#2B0B3F'];
const SEEN_DARK = ['#121212', '#43185A', '#8E2B72', '#D65B73', '#F4A582', '#FDEBDD'];
const CIVIDIS = ['#00224E', '#123570', '#3B496C', '#575D6D', '#707173', '#8A8678', '#A59C74', '#C3B369', '#E1CC55',
  '#FEE838'];

const bytes = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));

/** 256 colours, red, green, blue …, between the given ones; mixed with the ground for a paler ramp. */
const ramp = (stops, ground = stops[0], strength = 1) => {
  const colours = stops.map(bytes), below = bytes(ground), found = new Uint8ClampedArray(768);
  for (let v = 0; v < 256; v++) {
    const at = v / 255 * (colours.length - 1), low = Math.min(Math.floor(at), colours.length - 2);
    for (let c = 0; c < 3; c++) {
      const pure = colours[low][c] + (at - low) * (colours[low + 1][c] - colours[low][c]);
      found[3 * v + c] = below[c] + strength * (pure - below[c]); } }
  return found; };

const look = (ground, ink, faint, grid, accent, stops) => ({ground, ink, faint, grid, accent,
  residual: ramp(stops), field: ramp(stops, ground, ground === '#FFFFFF' ? 0.5 : 0.42), kernel: ramp(CIVIDIS)});
export const LOOK = {
  light: look('#FFFFFF', '#1A1A1A', '#5F6368', '#D9D9D9', '#0072B2', SEEN_LIGHT),
  dark: look('#121212', '#F2F2F2', '#A9ADB3', '#3A3F47', '#56B4E9', SEEN_DARK)};

const colourOf = (colours, value) => {
  const v = 3 * Math.min(255, Math.max(0, Math.round(255 * value)));
  return `rgb(${colours[v]},${colours[v + 1]},${colours[v + 2]})`; };

/** Fill a canvas of columns × rows pixels with values / top as colours. */
export const shade = (canvas, values, columns, rows, top, colours) => {
  if (canvas.width !== columns || canvas.height !== rows) { canvas.width = columns; canvas.height = rows; }
  const context = canvas.getContext('2d'), picture = context.createImageData(columns, rows);
  const scale = 255 / top;
  for (let i = 0; i < values.length; i++) {
    const v = 3 * Math.min(255, Math.max(0, Math.round(values[i] * scale)));
    picture.data[4 * i] = colours[v];
    picture.data[4 * i + 1] = colours[v + 1];
    picture.data[4 * i + 2] = colours[v + 2];
    picture.data[4 * i + 3] = 255; }
  context.putImageData(picture, 0, 0); };

/** Voronoi cells of x, y pairs in the plane, each a list of corners. */
const cellsOf = landmarks => {
  const sites = Array.from({length: landmarks.length / 2}, (_, i) => [landmarks[2 * i], landmarks[2 * i + 1]]);
  return sites.map(([x, y]) => sites.reduce((corners, [u, v]) => {
    if (u === x && v === y) return corners;
    // Kept is what is nearer to (x, y) than to (u, v).
    const side = ([a, b]) => (a - (x + u) / 2) * (u - x) + (b - (y + v) / 2) * (v - y);
    return corners.flatMap((corner, i) => {
      const next = corners[(i + 1) % corners.length], s = side(corner), t = side(next);
      const cut = s * t < 0
        ? [corner.map((value, c) => value + s / (s - t) * (next[c] - value))] : [];
      return s <= 0 ? [corner, ...cut] : cut; }); },
    [[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]])); };

/** Shapes of a view in pixels, back to front: [kind, x, y, size, style] or ['cell', corners]. */
const shapesOf = (view, scale) => {
  const {points, landmarks, look} = view, shapes = [], n = points.length / 2;
  const at = (pairs, i) => [pairs[2 * i] * scale, (HEIGHT - pairs[2 * i + 1]) * scale];
  for (const corners of view.cells ? cellsOf(landmarks) : [])
    for (const [stroke, width] of [[look.ground, 2.4], [look.faint, 1]])
      shapes.push({cell: corners.map(([x, y]) => [x * scale, (HEIGHT - y) * scale]), stroke, width});
  const most = view.weights ? Math.max(...view.weights, 1e-300) : 1;
  const usual = (n > 250 ? 3 : 3.6) * view.size;
  for (let i = 0; i < n; i++) {
    const [x, y] = at(points, i);
    const radius = view.weights ? view.size * (1.6 + 7 * Math.sqrt(Math.max(0, view.weights[i]) / most)) : usual;
    shapes.push({x, y, radius, fill: colourOf(look.residual, view.residual[i] / view.top), stroke: look.ink,
      width: 0.8}); }
  const places = new Set(Array.from({length: n}, (_, i) => `${points[2 * i]},${points[2 * i + 1]}`));
  for (let i = 0; i < landmarks.length / 2; i++) {
    const [x, y] = at(landmarks, i), arm = 8 * view.size, chosen = i === view.chosen;
    const on = places.has(`${landmarks[2 * i]},${landmarks[2 * i + 1]}`);
    for (const [stroke, width] of [[look.ground, 5.5], [chosen ? look.accent : look.ink, 2.6]]) shapes.push(
      on ? {x, y, radius: 7.5 * view.size, stroke, width: width * view.size}
        : {plus: [x, y, stroke === look.ground ? arm + 1.5 : arm], stroke, width: width * view.size});
    if (chosen) shapes.push({x, y, radius: 13 * view.size, stroke: look.accent, width: 1.5, dash: '3 3'}); }
  if (view.pointed !== null && view.pointed < n) {
    const [x, y] = at(points, view.pointed);
    shapes.push({x, y, radius: 11 * view.size, stroke: look.accent, width: 1.5, dash: '3 3'}); }
  for (const i of (view.pair ?? []).filter(i => i < n)) {
    const [x, y] = at(points, i);
    shapes.push({x, y, radius: 9 * view.size, stroke: look.accent, width: 3}); }
  if (view.reach) shapes.push({x: view.reach[0] * scale, y: (HEIGHT - view.reach[1]) * scale,
    radius: view.reach[2] * scale, stroke: look.ink, width: 1.2, dash: '4 4'});
  return shapes; };

/** Draws views on one canvas. */
export class Painter {
  constructor(canvas) { this.canvas = canvas; this.field = document.createElement('canvas'); }

  /** Pixels of the canvas for one unit of the plane, as it stands on the page. */
  get scale() { return (this.canvas.clientWidth || 1) / WIDTH; }

  paint(view) {
    const {canvas, scale} = this, ratio = Math.min(3, window.devicePixelRatio || 1);
    const [width, height] = [Math.round(WIDTH * scale * ratio), Math.round(HEIGHT * scale * ratio)];
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    const pen = canvas.getContext('2d'), {values, columns, rows} = view.field;
    shade(this.field, values, columns, rows, view.top, view.look.field);
    pen.imageSmoothingQuality = view.fine ? 'high' : 'low';  // the finer is slow without a graphics card
    pen.drawImage(this.field, 0, 0, width, height);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.lineCap = 'round';
    for (const shape of shapesOf(view, scale)) {
      pen.beginPath();
      if (shape.cell) {
        shape.cell.forEach(([x, y]) => pen.lineTo(x, y));
        pen.closePath(); }
      else if (shape.plus) {
        const [x, y, arm] = shape.plus;
        pen.moveTo(x - arm, y); pen.lineTo(x + arm, y); pen.moveTo(x, y - arm); pen.lineTo(x, y + arm); }
      else pen.arc(shape.x, shape.y, shape.radius, 0, 2 * Math.PI);
      if (shape.fill) { pen.fillStyle = shape.fill; pen.fill(); }
      pen.setLineDash((shape.dash ?? '').split(' ').filter(Boolean).map(Number));
      pen.strokeStyle = shape.stroke;
      pen.lineWidth = shape.width;
      pen.stroke(); }
    pen.setTransform(1, 0, 0, 1, 0, 0); }
}

/** The same picture as SVG, 800 × 600. */
export const svg = view => {
  const field = document.createElement('canvas'), scale = 200, short = value => Number(value.toFixed(2));
  shade(field, view.field.values, view.field.columns, view.field.rows, view.top, view.look.field);
  const drawn = shapesOf(view, scale).map(shape => {
    const line = `stroke="${shape.stroke}" stroke-width="${shape.width}" fill="${shape.fill ?? 'none'}"`
      + (shape.dash ? ` stroke-dasharray="${shape.dash}"` : '');
    if (shape.cell) return `<polygon points="${shape.cell.flat().map(short).join(' ')}" ${line}/>`;
    if (shape.plus) {
      const [x, y, arm] = shape.plus.map(short);
      return `<path d="M${x - arm} ${y}h${2 * arm}M${x} ${y - arm}v${2 * arm}" stroke-linecap="round" ${line}/>`; }
    return `<circle cx="${short(shape.x)}" cy="${short(shape.y)}" r="${short(shape.radius)}" ${line}/>`; });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 600" width="800" height="600">\n`
    + `<image href="${field.toDataURL()}" width="800" height="600" preserveAspectRatio="none"/>\n`
    + `${drawn.join('\n')}\n</svg>\n`; };
