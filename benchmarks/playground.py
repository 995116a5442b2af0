"""What the playground takes in the browser: ``python -m benchmarks.playground``.

Needs the tests' packages and a browser, as ``make test`` brings them.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from nysviz.playground.drawing import SIZE, Drawing, on_grid
from nysviz.playground.standalone import bundle, standalone
from tests.browser.serving import browsing

POINTS = (100, 200, 400)
LANDMARKS = (10, 30, 40)
# Median milliseconds of what follows the pointer while one landmark moves, each part and all of them, for
# random points in a square and a kernel of a medium bandwidth; and of all errors, at rest.
DRAG = """([n, m, id]) => {
  const random = seeded(n + m), kernel = KERNELS[id].make(0.2);
  const points = Float64Array.from({length: 2 * n}, random.uniform), landmarks = points.slice(0, 2 * m);
  const K = kernelMatrix(points, kernel);
  const parts = {approximate: [], field: [], errors: [], eigenvalues: [], all: [], resting: []};
  const timed = (name, call) => {
    const begun = performance.now(), made = call();
    parts[name].push(performance.now() - begun);
    return made; };
  for (let step = 0; step < 40; step++) {
    landmarks[0] = random.uniform();
    const a = timed('all', () => {
      const moved = timed('approximate', () => approximate(points, landmarks, kernel));
      timed('field', () => field(moved, 0, 0, 1 / 95, 1 / 71, 96, 72));
      timed('errors', () => errors(K, moved, false));
      timed('eigenvalues', () => approximatedEigenvalues(moved));
      return moved; });
    if (step % 5 == 0) timed('resting', () => errors(K, a)); }
  const median = times => times.sort((a, b) => a - b)[times.length >> 1];
  return Object.fromEntries(Object.entries(parts).map(([name, times]) => [name, median(times)])); }"""
# Median milliseconds of all eigenvalues of K, when the points or the kernel change.
SPECTRUM = """n => {
  const random = seeded(n), points = Float64Array.from({length: 2 * n}, random.uniform), times = [];
  const K = kernelMatrix(points, KERNELS.gaussian.make(0.2));
  for (let run = 0; run < 7; run++) {
    const begun = performance.now();
    eigenvalues(K, n);
    times.push(performance.now() - begun); }
  return times.sort((a, b) => a - b)[3]; }"""
NAMES = "KERNELS, seeded, kernelMatrix, approximate, field, errors, eigenvalues, approximatedEigenvalues"


def arithmetic() -> None:
    """Print the milliseconds of one step of a drag, without any drawing."""
    print(
        "  n  m kernel            step: approximate, field 96 × 72, errors, eigenvalues of K̃; errors at rest"
    )
    with browsing() as browser:
        page = browser.new_page()
        page.add_script_tag(content=f"{bundle()}\nObject.assign(globalThis, {{ {NAMES} }});", type="module")
        page.wait_for_function("() => globalThis.seeded")
        for n in POINTS:
            for m in LANDMARKS:
                for kernel in ("gaussian", "laplacian", "matern32", "inverse_distance"):
                    ms = page.evaluate(DRAG, [n, m, kernel])
                    parts = ", ".join(
                        f"{ms[part]:.1f}" for part in ("approximate", "field", "errors", "eigenvalues")
                    )
                    print(f"{n:3} {m:2} {kernel:17} {ms['all']:4.1f} ms: {parts}; {ms['resting']:4.1f} ms")
            print(f"{n:3}    all eigenvalues of K {page.evaluate(SPECTRUM, n):.0f} ms")


# Frames drawn a second while a landmark is moved before each of them, by the browser's clock, and the median
# milliseconds that one takes.
FOLLOW = """() => new Promise(done => {
  const root = document.querySelector('.playground'), canvas = root.querySelector('canvas.plane');
  const box = canvas.getBoundingClientRect(), spent = [], first = Number(root.dataset.frames);
  const begun = performance.now();
  const step = now => {
    if (now - begun > 3000) {
      spent.sort((a, b) => a - b);
      return done([1000 * (Number(root.dataset.frames) - first) / (now - begun), spent[spent.length >> 1]]); }
    spent.push(Number(root.dataset.spent));
    const angle = now / 300;
    canvas.dispatchEvent(new PointerEvent('pointermove', {pointerId: 1, isPrimary: true, pointerType: 'mouse',
      clientX: box.left + box.width * (0.5 + 0.3 * Math.cos(angle)),
      clientY: box.top + box.height * (0.5 + 0.3 * Math.sin(angle))}));
    requestAnimationFrame(step); };
  requestAnimationFrame(step); })"""


def frames() -> None:
    """Print the frames a second of the whole page, drawn at 1400 × 900, while a landmark is dragged."""
    rng = np.random.default_rng(0)
    print("  n  m  frames a second, milliseconds a frame")
    with browsing() as browser, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "playground.html"
        file.write_text(standalone(), encoding="utf-8")
        for n in POINTS:
            points = on_grid(rng.random((n, 2)) * SIZE)
            for m in LANDMARKS:
                page = browser.new_page(viewport={"width": 1400, "height": 900})
                page.goto(f"{file.as_uri()}#d={Drawing(points, (points[:m],)).text}")
                page.wait_for_timeout(3_000)
                box = page.locator("canvas.plane").first.bounding_box()
                assert box is not None
                x, y = points[0] / SIZE
                page.mouse.move(box["x"] + x * box["width"], box["y"] + (1 - y) * box["height"])
                page.mouse.down()
                a_second, spent = page.evaluate(FOLLOW)
                print(f"{n:3} {m:2} {a_second:6.1f} {spent:6.1f}")
                page.close()


def main() -> None:
    """Print the time of the arithmetic alone, then the frames a second of the page."""
    arithmetic()
    frames()


if __name__ == "__main__":
    main()
