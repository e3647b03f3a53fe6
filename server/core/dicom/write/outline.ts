// Outlines of marked pixels, as closed lines along the pixels' borders.

/**
 * Vertices x, y of a closed line, the first not repeated.
 * Pixel (0, 0) is the square from (0, 0) to (1, 1).
 */
export type Outline = number[];

/** Rectangle in an image; the last column and row are excluded. */
interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** An outline with marked pixels on its right; `to`: the outline into which it was merged. */
interface Loop {
  xs: number[];
  ys: number[];
  to: Loop | null;
}

/** Directions along pixel borders, each a right turn from the one before: right, down, left, up. */
const STEPS = [[1, 0], [0, 1], [-1, 0], [0, -1]] as const;

/**
 * Borders between marked and other pixels, by the corner at which they start: a bit per direction.
 */
function bordersOf(
  isMarked: (x: number, y: number) => boolean,
  { left, top, right, bottom }: Box,
  keyOf: (x: number, y: number) => number,
): Map<number, number> {
  const borders = new Map<number, number>();
  const isInside = (x: number, y: number) =>
    x >= left && x < right && y >= top && y < bottom && isMarked(x, y);
  const add = (x: number, y: number, step: number) => {
    const key = keyOf(x, y);
    borders.set(key, (borders.get(key) ?? 0) | 1 << step);
  };
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      if (!isInside(x, y)) continue;
      if (!isInside(x, y - 1)) add(x, y, 0);
      if (!isInside(x + 1, y)) add(x + 1, y, 1);
      if (!isInside(x, y + 1)) add(x + 1, y + 1, 2);
      if (!isInside(x - 1, y)) add(x, y + 1, 3);
    }
  }
  return borders;
}

/** Follows pixel borders to closed lines. Pixels that touch only at a corner get separate lines. */
function loopsOf(borders: Map<number, number>, width: number): Loop[] {
  const loops: Loop[] = [];
  for (const start of borders.keys()) {
    while (borders.get(start)) {
      const loop: Loop = { xs: [], ys: [], to: null };
      let key = start, step = 31 - Math.clz32(borders.get(start)!);
      do {
        borders.set(key, borders.get(key)! & ~(1 << step));
        loop.xs.push(key % width);
        loop.ys.push(Math.floor(key / width));
        const [dx, dy] = STEPS[step]!;
        key += dx + dy * width;
        // a right turn first: it goes around the same pixel
        const next = [1, 0, 3].map((turn) => (step + turn) % 4)
          .find((one) => (borders.get(key) ?? 0) & 1 << one);
        step = next ?? step;
      } while (key !== start);
      loops.push(loop);
    }
  }
  return loops;
}

/** Twice the area inside a line, pixels²; negative for the border of a hole. */
function areaOf({ xs, ys }: Loop): number {
  let area = 0;
  for (let n = 0, last = xs.length - 1; n < xs.length; last = n++) {
    area += xs[last]! * ys[n]! - xs[n]! * ys[last]!;
  }
  return area;
}

/** Index of the leftmost vertex; of several, the uppermost. */
function leftmostOf({ xs, ys }: Loop): number {
  let first = 0;
  for (let n = 1; n < xs.length; n++) {
    if (xs[n]! < xs[first]! || (xs[n] === xs[first] && ys[n]! < ys[first]!)) first = n;
  }
  return first;
}

/** Joins a hole to the outline on its left by a cut without width, so that one line covers both. */
function joinHole(hole: Loop, loopAt: Map<number, Loop>, keyOf: (x: number, y: number) => number) {
  const first = leftmostOf(hole), y = hole.ys[first]!;
  let x = hole.xs[first]! - 1;
  while (!loopAt.has(keyOf(x, y))) x--;
  let outer = loopAt.get(keyOf(x, y))!;
  while (outer.to) outer = outer.to;
  const at = outer.xs.findIndex((one, n) => one === x && outer.ys[n] === y);
  const around = (of: number[]) => [...of.slice(first), ...of.slice(0, first + 1)];
  const joined = (of: number[], added: number[]) => [
    ...of.slice(0, at + 1),
    ...around(added),
    of[at]!,
    ...of.slice(at + 1),
  ];
  outer.xs = joined(outer.xs, hole.xs);
  outer.ys = joined(outer.ys, hole.ys);
  hole.to = outer;
}

/** Removes vertices in the middle of straight lines. */
function straightened({ xs, ys }: Loop): Outline {
  const outline: Outline = [], count = xs.length;
  for (let n = 0; n < count; n++) {
    const before = (n + count - 1) % count, after = (n + 1) % count;
    const isStraight = Math.sign(xs[n]! - xs[before]!) === Math.sign(xs[after]! - xs[n]!) &&
      Math.sign(ys[n]! - ys[before]!) === Math.sign(ys[after]! - ys[n]!);
    if (!isStraight) outline.push(xs[n]!, ys[n]!);
  }
  return outline;
}

/**
 * Outlines of the marked pixels in a rectangle of an image. Filled by the even-odd rule, they
 * cover exactly these pixels: a hole belongs to the line around it.
 *
 * @param maxVertices If a line would be longer, the rectangle is cut into halves.
 */
export function outlinesOf(
  isMarked: (x: number, y: number) => boolean,
  box: Box,
  maxVertices: number,
): Outline[] {
  const width = box.right + 1, keyOf = (x: number, y: number) => x + y * width;
  const loops = loopsOf(bordersOf(isMarked, box, keyOf), width);
  const loopAt = new Map<number, Loop>();
  for (const loop of loops) loop.xs.forEach((x, n) => loopAt.set(keyOf(x, loop.ys[n]!), loop));
  const holes = loops.filter((loop) => areaOf(loop) < 0)
    .map((loop) => ({ loop, x: loop.xs[leftmostOf(loop)]! })).sort((a, b) => a.x - b.x);
  for (const { loop } of holes) joinHole(loop, loopAt, keyOf);
  const outlines = loops.filter(({ to }) => to === null).map(straightened);
  if (!outlines.some(({ length }) => length > 2 * maxVertices)) return outlines;
  const { left, top, right, bottom } = box;
  const isWide = right - left > bottom - top;
  const middle = isWide ? (left + right) >> 1 : (top + bottom) >> 1;
  const halves = isWide
    ? [{ ...box, right: middle }, { ...box, left: middle }]
    : [{ ...box, bottom: middle }, { ...box, top: middle }];
  return halves.flatMap((half) => outlinesOf(isMarked, half, maxVertices));
}
