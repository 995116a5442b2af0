// How the map, the pictures of the matrices, the eigenvalues and the error curve of Approximate are drawn at a stop.
const floats = text => new Float64Array(bytes(text).buffer);
const lineOf = part => part && {x: floats(part.x), y: floats(part.y)};

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

const picturesOf = frame => ({...frame, residuals: bytes(frame.residuals), landmarks: floats(frame.landmarks),
  picture_K: frame.K && bytes(frame.K), picture_approximation: bytes(frame.approximation),
  picture_residual: bytes(frame.residual), eigenvalues: lineOf(frame.eigenvalues),
  spectrum: lineOf(frame.spectrum)});

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
for (const key of ['picture_K', 'picture_approximation', 'picture_residual']) {
  paint[key] = (chart, frame) => paintPicture(chart, key, frame); }
