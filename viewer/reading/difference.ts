import { Difference } from "@/wasm/pkg/reading/bind_reading.js";

/** Differences below this are noise and the edges of a voxel, bytes. */
const SHOWN_FROM = 28;

/**
 * Brighter and darker voxels, slice by slice, after both volumes are scaled to one mean and spread:
 * 128 where both are alike, up to 255 where the first is brighter, down to 1 where it is darker, 0
 * outside of the head. After `startReading`.
 *
 * @param volumes Current views, requested again after every pause, because memory that grows
 *   detaches views.
 * @param slice   Voxels of a slice; the three volumes have one shape.
 * @param pause   Awaited between slices, so that the page stays alive.
 */
export async function writeDifference(
  volumes: () => { now: Uint8Array; then: Uint8Array; out: Uint8Array },
  slice: number,
  pause: () => Promise<void>,
): Promise<void> {
  const difference = new Difference(), { length } = volumes().now;
  const parts = (at: number) => {
    const { now, then, out } = volumes(), end = at + slice;
    return { now: now.subarray(at, end), then: then.subarray(at, end), out };
  };
  try {
    for (let at = 0; at < length; at += slice) {
      const { now, then } = parts(at);
      difference.add(now, then);
      await pause();
    }
    for (let at = 0; at < length; at += slice) {
      const { now, then, out } = parts(at);
      out.set(difference.of(now, then), at);
      await pause();
    }
  } finally {
    difference.free();
  }
}

/**
 * Colours of {@link writeDifference}: red for brighter now, blue for darker; transparent without a
 * difference.
 */
export function writeDifferenceColours(table: Uint32Array): void {
  for (let value = 0; value < 256; value++) {
    const away = value === 0 ? 0 : value - 128,
      strength = Math.min((Math.abs(away) - SHOWN_FROM) / 60, 1);
    const weak = Math.round(200 * (1 - Math.max(strength, 0)));
    const [r, g, b] = away > 0 ? [255, weak, 40] : [40, weak, 255];
    table[value] = (255 << 24 | b! << 16 | g! << 8 | r!) >>> 0;
  }
}

/** Values of {@link writeDifference} that are drawn. */
export const isShownDifference = (value: number): boolean =>
  value > 0 && Math.abs(value - 128) >= SHOWN_FROM;
