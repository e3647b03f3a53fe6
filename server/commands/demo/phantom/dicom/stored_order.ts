import type { Affine, Shape } from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";

/**
 * Copies a volume with permuted and flipped axes.
 * Axis a of the copy is axis `order[a]`, reversed if `isFlipped[a]`.
 */
export function storedInOrder(
  head: Volume,
  order: readonly [number, number, number],
  isFlipped: readonly boolean[],
): Volume {
  const shape = order.map((a) => head.shape[a]!) as Shape;
  const strides = [1, head.shape[0], head.shape[0] * head.shape[1]];
  const rasFromIjk = new Float64Array(16) as Affine<"Ras", "Ijk">;
  rasFromIjk.set(head.rasFromIjk.subarray(12), 12);
  let start = 0;
  const step = order.map((a, axis) => {
    const sign = isFlipped[axis] ? -1 : 1, last = isFlipped[axis] ? head.shape[a]! - 1 : 0;
    start += last * strides[a]!;
    for (let r = 0; r < 3; r++) {
      const column = head.rasFromIjk[4 * a + r]!;
      rasFromIjk[4 * axis + r] = sign * column;
      rasFromIjk[12 + r]! += last * column;
    }
    return sign * strides[a]!;
  });
  const voxels = head.voxels.slice();
  let at = 0;
  for (let k = 0; k < shape[2]; k++) {
    for (let j = 0; j < shape[1]; j++) {
      for (let i = 0; i < shape[0]; i++) {
        voxels[at++] = head.voxels[start + i * step[0]! + j * step[1]! + k * step[2]!]!;
      }
    }
  }
  return { voxels, shape, rasFromIjk };
}
