/** Side of the conformed grid, and how many of its voxels one of the coarse grid stands for along an axis. */
const SIDE = 256, STEP = 2, COARSE = SIDE / STEP;
/** Part of the brightness of the head, see {@link brightness}, above which a voxel belongs to it. */
const HEAD_LEVEL = 0.25;
/** Lines with fewer bright voxels do not count as crossing the head; the scalp's blur lies within so many voxels of it. */
const MIN_ON_LINE = 12, MARGIN = 4;
const MIN_AIR_VOXELS = 1000;

/**
 * How much brighter the air beside the head is than air that no line through the head reaches, part of the head's
 * brightness: the largest of the three axes. A head that moves while it is measured is repeated along the phase
 * direction, in front of itself; noise is the same everywhere.
 *
 * Good images gave 0 to .015, mild motion .003 to .024, motion that cost a quarter of the Dice or more .023 to .042
 * (docs/accuracy.md). 0 where the air was zeroed, as around an extracted brain, or none is left.
 *
 * @param conformed 256³ voxels, 0..255.
 */
export function ghosting(conformed: Uint8Array): number {
  const voxels = coarse(conformed), head = brightness(voxels), level = HEAD_LEVEL * head;
  if (head === 0) return 0;
  const steps = [1, COARSE, COARSE * COARSE];
  const found = steps.map((step, axis) => {
    const [u, v] = steps.filter((_, other) => other !== axis) as [number, number];
    let beside = 0, besides = 0, apart = 0, aparts = 0;
    for (let b = 0; b < COARSE; b++) {
      for (let a = 0; a < COARSE; a++) {
        const from = a * u + b * v;
        let first = COARSE, last = -1, bright = 0, sum = 0;
        for (let n = 0; n < COARSE; n++) {
          const value = voxels[from + n * step]!;
          sum += value;
          if (value <= level) continue;
          first = Math.min(first, n);
          last = n;
          bright++;
        }
        if (bright === 0) {
          apart += sum;
          aparts += COARSE;
        }
        if (bright < MIN_ON_LINE) continue;
        for (let n = 0; n < COARSE; n++) {
          if (n >= first - MARGIN && n <= last + MARGIN) continue;
          beside += voxels[from + n * step]!;
          besides++;
        }
      }
    }
    return besides < MIN_AIR_VOXELS || aparts < MIN_AIR_VOXELS ? 0 : beside / besides - apart / aparts;
  });
  return Math.max(0, ...found) / head;
}

/** Every second voxel along each axis. */
function coarse(conformed: Uint8Array): Uint8Array {
  const out = new Uint8Array(COARSE ** 3);
  for (let k = 0, at = 0; k < COARSE; k++) {
    for (let j = 0; j < COARSE; j++) {
      const from = STEP * (SIDE * j + SIDE * SIDE * k);
      for (let i = 0; i < COARSE; i++, at++) out[at] = conformed[from + STEP * i]!;
    }
  }
  return out;
}

/** Upper quartile of what is brighter than the mean of the voxels that are not 0: about that of white matter. */
function brightness(voxels: Uint8Array): number {
  const counts = new Array<number>(256).fill(0);
  for (const value of voxels) counts[value]!++;
  const from = counts.map((count, value) => count * value).reduce((a, b) => a + b, 0) /
    Math.max(1, voxels.length - counts[0]!);
  const bright = counts.map((count, value) => value > from ? count : 0);
  const wanted = 0.75 * bright.reduce((a, b) => a + b, 0);
  let seen = 0;
  return wanted === 0 ? 0 : bright.findIndex((count) => (seen += count) >= wanted);
}
