import { Difference } from "@/wasm/pkg/reading/bind_reading.js";

/** Minimum difference that is shown, 0..255; smaller ones are noise and partial-volume effects. */
const SHOWN_FROM = 28;

/**
 * Difference image, slice by slice, after scaling both volumes to the same mean and SD.
 * Values: 128 equal; up to 255 the first image is brighter; down to 1 darker; 0 outside the head.
 * Call `startReading` first.
 *
 * @param volumes Returns current views of the volumes.
 * It is called after each pause, because growing memory detaches views.
 * @param slice   Number of voxels per slice; all three volumes have the same shape.
 * @param pause   Awaited between slices, so that the page stays responsive.
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

/** Colours of {@link writeDifference}: red for brighter, blue for darker, transparent for equal. */
export function writeDifferenceColours(table: Uint32Array): void {
  for (let value = 0; value < 256; value++) {
    const away = value === 0 ? 0 : value - 128,
      strength = Math.min((Math.abs(away) - SHOWN_FROM) / 60, 1);
    const weak = Math.round(200 * (1 - Math.max(strength, 0)));
    const [r, g, b] = away > 0 ? [255, weak, 40] : [40, weak, 255];
    table[value] = (255 << 24 | b! << 16 | g! << 8 | r!) >>> 0;
  }
}

/** Flags of the values of {@link writeDifference} that are large enough to be shown. */
export const isShownDifference = (value: number): boolean =>
  value > 0 && Math.abs(value - 128) >= SHOWN_FROM;
