// What the hand does on one canvas: mouse, pen, touch and keyboard.
import { WIDTH, HEIGHT, MOST_POINTS, MOST_LANDMARKS, cluster, snap, snapped } from './state.js';
import { withPair, withMoved, withoutPair } from './state.js';

export const TOOLS = {
  landmarks: ['Landmarks', 'Click sets a landmark, on a point or anywhere; drag moves it; a click on it removes it.'],
  points: ['Points', 'Click adds a point; drag moves it.'],
  brush: ['Brush', 'Press and move to spray points.'],
  eraser: ['Eraser', 'Press and move to remove points and landmarks.']};
const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
const SPRAY = 0.12, REACH = 0.12, LONG_PRESS = 450, STEP = 0.02;

/** Index of the nearest of x, y pairs within a distance, or −1. */
const nearest = (pairs, x, y, within) => {
  let best = -1, least = within * within;
  for (let i = 0; i < pairs.length / 2; i++) {
    const square = (pairs[2 * i] - x) ** 2 + (pairs[2 * i + 1] - y) ** 2;
    if (square <= least) { least = square; best = i; } }
  return best; };
const farFrom = (pairs, x, y, reach) => {
  const keeps = i => (pairs[i] - x) ** 2 + (pairs[i + 1] - y) ** 2 > reach * reach;
  return pairs.filter((_, i) => keeps(i - i % 2)); };

/** Listens to one canvas. `app` holds the history, the tool, and draws. */
export class Hand {
  constructor(painter, board, app) {
    Object.assign(this, {painter, board, app, chosen: null, pointed: null, place: [WIDTH / 2, HEIGHT / 2],
      grip: null, inside: false});
    const {canvas} = painter, signal = app.signal;
    const on = (name, act, more) => canvas.addEventListener(name, event => act(event), {signal, ...more});
    on('pointerdown', event => this.press(event));
    on('pointermove', event => this.move(event));
    on('pointerup', () => this.release());
    on('pointercancel', () => this.release());
    on('pointerleave', () => { this.inside = false; this.pointed = null; app.redraw(); });
    on('contextmenu', event => event.preventDefault());
    on('keydown', event => this.key(event));
    on('keyup', event => { if (event.key in ARROWS) app.settle(); });
    on('blur', () => { app.settle(); app.redraw(); });
    on('focus', () => { app.activate(board); app.redraw(); });
    // A finger on an object drags it; elsewhere it moves the page.
    on('touchstart', event => {
      const finger = this.at(event.touches[0]);
      if (this.draws || [this.pairs, app.state.points].some(pairs => this.near(pairs, ...finger, true) >= 0))
        event.preventDefault(); }, {passive: false});
    on('touchmove', event => { if (this.grip) event.preventDefault(); }, {passive: false}); }

  get landmarks() { return this.app.state.boards[this.board]; }
  /** The pairs that the tool is about. */
  get pairs() { return this.app.tool === 'landmarks' ? this.landmarks : this.app.state.points; }
  get draws() { return ['brush', 'eraser'].includes(this.app.tool); }
  get reach() {
    const focused = this.painter.canvas.matches(':focus-visible');
    const size = this.app.tool === 'brush' ? 2 * SPRAY : REACH;
    return this.draws && (this.inside || focused) ? [...this.place, size] : null; }

  at(event) {
    const box = this.painter.canvas.getBoundingClientRect(), {scale} = this.painter;
    return [(event.clientX - box.left) / scale, HEIGHT - (event.clientY - box.top) / scale]; }

  near(pairs, x, y, finger) { return nearest(pairs, x, y, (finger ? 20 : 9) / this.painter.scale); }

  /** Change the tool's pairs while the hand moves. */
  put(pairs) {
    const {state, tool} = this.app;
    this.app.live(tool === 'landmarks'
      ? {boards: state.boards.map((one, i) => i === this.board ? pairs : one)} : {points: pairs}); }

  add(x, y) {
    const landmarks = this.app.tool === 'landmarks', most = landmarks ? MOST_LANDMARKS : MOST_POINTS;
    if (this.pairs.length / 2 >= most)
      return this.app.say(`There are ${most} ${landmarks ? 'landmarks' : 'points'}, the most that fit here.`);
    this.put(withPair(this.pairs, x, y));
    this.chosen = this.pairs.length / 2 - 1;
    return true; }

  press(event) {
    if (!event.isPrimary || event.button) return;
    const finger = event.pointerType === 'touch', [x, y] = this.at(event), {canvas} = this.painter;
    this.place = this.from = [x, y];
    this.inside = true;
    this.app.activate(this.board);
    canvas.setPointerCapture(event.pointerId);
    const hold = (fresh, index = this.chosen) => { this.grip = {x, y, fresh, index, moved: false}; this.app.redraw(); };
    if (this.draws) {
      hold(true);
      this.draw();
      this.grip.timer = setInterval(() => this.draw(), 60);
      return; }
    const found = this.near(this.pairs, x, y, finger);
    const onto = this.app.tool === 'landmarks' ? this.near(this.app.state.points, x, y, finger) : -1;
    if (found >= 0) { this.chosen = found; hold(false); }
    else if (onto >= 0) {
      if (this.add(...this.app.state.points.subarray(2 * onto, 2 * onto + 2))) hold(true); }
    else if (finger) this.waiting = setTimeout(() => { if (this.add(x, y)) hold(true); }, LONG_PRESS);
    else if (this.add(x, y)) hold(true); }

  move(event) {
    const [x, y] = this.at(event), {points} = this.app.state, {grip} = this;
    this.inside = true;
    this.place = [x, y];
    if (!grip) {
      const gone = this.from && Math.hypot(x - this.from[0], y - this.from[1]) * this.painter.scale;
      if (gone > 8) clearTimeout(this.waiting);
      const pointed = event.pointerType !== 'touch' && this.app.tool === 'landmarks'
        && this.near(this.landmarks, x, y) < 0 ? this.near(points, x, y) : -1;
      if (this.draws || pointed !== (this.pointed ?? -1)) this.app.redraw();
      this.pointed = pointed < 0 ? null : pointed;
      return; }
    if (this.draws) return this.draw();
    if (!grip.moved && Math.hypot(x - grip.x, y - grip.y) * this.painter.scale < 4) return;
    grip.moved = true;
    this.pointed = null;
    const onto = this.app.tool === 'landmarks' ? nearest(points, x, y, 5 / this.painter.scale) : -1;
    // A landmark near a point lies on it.
    const to = onto < 0 ? [x, y] : points.subarray(2 * onto, 2 * onto + 2);
    this.put(withMoved(this.pairs, grip.index, ...to)); }

  release() {
    const {grip} = this;
    clearTimeout(this.waiting);
    clearInterval(grip?.timer);
    this.grip = null;
    if (!grip) return;
    if (this.app.tool === 'landmarks' && !grip.fresh && !grip.moved) this.remove(grip.index);
    if (this.painter.canvas.matches(':focus-visible') === false) this.chosen = null;
    this.app.settle();
    this.app.redraw(); }

  draw() {
    const {app, place: [x, y]} = this, {points, boards} = app.state;
    if (app.tool === 'eraser') {
      const kept = {points: farFrom(points, x, y, REACH),
        boards: boards.map((one, i) => i === this.board ? farFrom(one, x, y, REACH) : one)};
      if (kept.points.length < points.length || kept.boards[this.board].length < this.landmarks.length) {
        this.chosen = null;
        app.live(kept); }
      return app.redraw(); }
    const room = Math.min(3, MOST_POINTS - points.length / 2);
    if (room <= 0) return app.say(`There are ${MOST_POINTS} points, the most that fit here.`);
    app.live({points: Float64Array.of(...points, ...snapped(cluster(Math.random, room, x, y, SPRAY)))}); }

  remove(index) { this.put(withoutPair(this.pairs, index)); this.chosen = null; }

  /** Tab walks through the landmarks and then leaves; the arrows move one, Enter drops it or sets a new one. */
  key(event) {
    const {app} = this, count = this.draws ? 0 : this.pairs.length / 2;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const done = () => { event.preventDefault(); app.redraw(); app.tell(this.described()); };
    if (this.chosen !== null && this.chosen >= count) this.chosen = null;
    if (event.key === 'Tab') {
      const next = this.chosen === null ? (event.shiftKey ? count - 1 : 0) : this.chosen + (event.shiftKey ? -1 : 1);
      this.chosen = next < 0 || next >= count ? null : next;
      if (this.chosen === null) return app.redraw();
      return done(); }
    if (event.key in ARROWS) {
      const size = event.shiftKey ? 5 * STEP : STEP, move = (value, c) => value + size * ARROWS[event.key][c];
      const from = this.chosen === null ? this.place : [...this.pairs.subarray(2 * this.chosen, 2 * this.chosen + 2)];
      this.place = snap(...from.map(move));
      if (this.chosen !== null) this.put(withMoved(this.pairs, this.chosen, ...this.place));
      return done(); }
    if (event.key === 'Enter') {
      if (this.draws) this.draw();
      else if (this.chosen !== null) this.chosen = null;
      else this.add(...(app.tool === 'landmarks' ? app.darkest(this.board) : this.place));
      app.settle();
      return done(); }
    if (['Delete', 'Backspace'].includes(event.key) && this.chosen !== null) {
      this.remove(this.chosen);
      app.settle();
      return done(); }
    if (event.key === 'Escape' && this.chosen !== null) { this.chosen = null; event.stopPropagation(); done(); } }

  described() {
    if (this.draws || this.chosen === null) return '';
    const [x, y] = this.pairs.subarray(2 * this.chosen, 2 * this.chosen + 2);
    const what = this.app.tool === 'landmarks' ? 'Landmark' : 'Point';
    return `${what} ${this.chosen + 1} of ${this.pairs.length / 2} at ${x.toFixed(2)}, ${y.toFixed(2)}.`; }
}
