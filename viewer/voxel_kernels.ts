import { type Composer, type Slot, SLOTS } from "@/viewer/slices/compose.ts";
import type { PaneMapping } from "@/viewer/scene.ts";

/**
 * One stored slice along a voxel axis: rows along the first of the other two axes; a view that the
 * next call overwrites. Empty for an invalid index.
 */
export function sliceOf(
  { kernel, memory }: Composer,
  slot: Slot,
  axis: number,
  index: number,
): Uint8Array {
  const voxels = kernel.extract(SLOTS.indexOf(slot), axis, index);
  return new Uint8Array(memory.buffer, kernel.slice_address(), voxels);
}

/**
 * Value of a volume at a point of a pane, selected like the compositor's overlay.
 * −1 outside the volume, and before the volume is loaded.
 *
 * @param x, y Device pixels from the pane's top left corner;
 * the centre of the first pixel is (0.5, 0.5).
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
