import { type Composer, type Slot, SLOTS } from "@/viewer/slices/compose.ts";
import type { PaneMapping } from "@/viewer/scene.ts";

/** Voxels that were chosen. */
interface Mask {
  count: number;
  /** 255 where a voxel is chosen, else 0; a view that the next call overwrites. */
  voxels: Uint8Array;
}

const NO_VOXEL = 0xffffffff;

/** @throws {RangeError} when there is no such volume, or memory is short. */
function maskOf({ kernel, memory, shape }: Composer, slot: Slot, count: number): Mask {
  if (count >>> 0 === NO_VOXEL) {
    throw new RangeError(`Cannot mask ${slot}: it is not loaded or memory is short`);
  }
  return {
    count,
    voxels: new Uint8Array(memory.buffer, kernel.mask_address(), shape[0] * shape[1] * shape[2]),
  };
}

/**
 * Voxels of a volume with a value in `low`..`high`, inclusive; 0..255. Its cost follows the volume.
 */
export function maskValues(composer: Composer, slot: Slot, low: number, high: number): Mask {
  return maskOf(composer, slot, composer.kernel.mask_values(SLOTS.indexOf(slot), low, high));
}

/**
 * Voxels with a label percentile in 0..threshold; 15–18 and 25–28 (fluid) count from the other end.
 * A label without a percentile (NaN), and label 0, never do.
 *
 * @param percentiles By label, 256 of them, 0..100.
 */
export function maskPercentiles(
  composer: Composer,
  slot: Slot,
  percentiles: Float32Array,
  threshold: number,
): Mask {
  return maskOf(
    composer,
    slot,
    composer.kernel.mask_percentiles(SLOTS.indexOf(slot), percentiles, threshold),
  );
}

/**
 * How often each of the 256 values occurs in a volume; all 0 when it is not loaded. Made once, it
 * answers every later question of how many mL lie in a range.
 */
export function histogramOf(composer: Composer, slot: Slot): Uint32Array {
  const counts = composer.kernel.histogram(SLOTS.indexOf(slot));
  return counts.length > 0 ? counts : new Uint32Array(256);
}

/** mL of the values `low`..`high` (both included), from {@link histogramOf}. */
export function volumeMlOf(
  counts: Uint32Array,
  low: number,
  high: number,
  voxelMm3: number,
): number {
  let voxels = 0;
  for (let value = low; value <= high; value++) voxels += counts[value]!;
  return voxels * voxelMm3 / 1000;
}

/**
 * One stored slice along a voxel axis: rows along the first of the other two axes; a view that the
 * next call overwrites. Empty when there is no such slice.
 *
 * @param window Window/level to be applied; the stored values without.
 */
export function sliceOf(
  { kernel, memory }: Composer,
  slot: Slot,
  axis: number,
  index: number,
  window?: { width: number; level: number },
): Uint8Array {
  const at = SLOTS.indexOf(slot);
  const voxels = window
    ? kernel.extract_windowed(at, axis, index, window.width, window.level)
    : kernel.extract(at, axis, index);
  return new Uint8Array(memory.buffer, kernel.slice_address(), voxels);
}

/**
 * Value of a volume under a point of a pane, chosen as the compositor chooses the overlay's; −1
 * outside and when the volume is not loaded.
 *
 * @param x, y Device pixels from the pane's top left corner; the first pixel's centre is (0.5,
 *   0.5).
 */
export function valueUnder(
  composer: Composer,
  slot: Slot,
  mapping: PaneMapping,
  x: number,
  y: number,
): number {
  composer.setMapping(mapping);
  return composer.kernel.value_at(SLOTS.indexOf(slot), x, y);
}
