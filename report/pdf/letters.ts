/**
 * Strokes of the orientation letters in a box of height 1, as lists of points.
 * In these points, x is to the right and y is down.
 */
const STROKES: Record<string, readonly (readonly [number, number])[][]> = {
  L: [[[0.1, 0], [0.1, 1], [0.62, 1]]],
  R: [
    [[0.1, 1], [0.1, 0], [0.42, 0], [0.58, 0.06], [0.66, 0.26], [0.58, 0.46], [0.42, 0.52], [
      0.1,
      0.52,
    ]],
    [[0.4, 0.52], [0.68, 1]],
  ],
  A: [[[0, 1], [0.36, 0], [0.72, 1]], [[0.13, 0.66], [0.59, 0.66]]],
  P: [[[0.1, 1], [0.1, 0], [0.42, 0], [0.58, 0.06], [0.66, 0.28], [0.58, 0.5], [0.42, 0.56], [
    0.1,
    0.56,
  ]]],
  S: [[
    [0.64, 0.14],
    [0.54, 0.03],
    [0.36, 0],
    [0.16, 0.04],
    [0.07, 0.2],
    [0.14, 0.38],
    [0.36, 0.48],
    [0.58, 0.58],
    [0.66, 0.78],
    [0.56, 0.96],
    [0.36, 1],
    [0.14, 0.97],
    [0.04, 0.84],
  ]],
  I: [[[0.36, 0], [0.36, 1]]],
};
const WIDTH = 0.72;

function distance(
  px: number,
  py: number,
  a: readonly [number, number],
  b: readonly [number, number],
): number {
  const dx = b[0] - a[0], dy = b[1] - a[1];
  const t = Math.min(1, Math.max(0, ((px - a[0]) * dx + (py - a[1]) * dy) / (dx * dx + dy * dy)));
  return Math.hypot(px - a[0] - t * dx, py - a[1] - t * dy);
}

/**
 * Draws a letter (L R A P S I) in white with a dark outline into a square RGB image.
 *
 * @param x,y   Centre of the letter, pixels.
 * @param size  Height of the letter, pixels.
 */
export function drawLetter(
  rgb: Uint8Array,
  pixels: number,
  letter: string,
  x: number,
  y: number,
  size: number,
): void {
  const strokes = STROKES[letter];
  if (!strokes) throw new RangeError(`Cannot draw letter: no strokes for ${letter}`);
  const pen = 0.075, rim = 0.17, soft = 0.6 / size;
  const x0 = x - WIDTH / 2 * size, y0 = y - size / 2;
  const reach = Math.ceil(rim * size) + 1;
  for (let row = Math.floor(y0) - reach; row <= y0 + size + reach; row++) {
    for (let column = Math.floor(x0) - reach; column <= x0 + WIDTH * size + reach; column++) {
      if (row < 0 || column < 0 || row >= pixels || column >= pixels) continue;
      const px = (column + 0.5 - x0) / size, py = (row + 0.5 - y0) / size;
      let nearest = Infinity;
      for (const points of strokes) {
        for (let i = 1; i < points.length; i++) {
          nearest = Math.min(nearest, distance(px, py, points[i - 1]!, points[i]!));
        }
      }
      const cover = (radius: number) => Math.min(1, Math.max(0, (radius - nearest) / soft + 0.5));
      const dark = cover(rim), white = cover(pen);
      for (let c = 0; c < 3; c++) {
        const at = 3 * (row * pixels + column) + c;
        rgb[at] = Math.round((rgb[at]! * (1 - 0.8 * dark)) * (1 - white) + 255 * white);
      }
    }
  }
}
