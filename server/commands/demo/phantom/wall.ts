import type { Shape, Vec3 } from "@/model/geometry.ts";
import { isCortex } from "@/model/regions/regions.ts";
import { VoxelBox } from "@/model/viewer/voxel_box.ts";
import { distanceTo } from "@/server/commands/demo/phantom/distance.ts";

/**
 * Moves the surface of one structure outwards (negative: inwards) by a distance in voxels.
 * Brain tissue is displaced; fluid outside the brain is not.
 * The space behind an inward-moving wall becomes `filling`, or its nearest neighbour.
 */
export function moveWall(
  labels: Uint8Array,
  shape: Shape,
  label: number,
  shift: number,
  filling?: number,
): void {
  if (shift === 0) return;
  const box = boxOf(labels, shape, label, Math.ceil(Math.abs(shift)) + 2);
  const isTarget = new Uint8Array(box.length);
  for (let b = 0; b < box.length; b++) {
    isTarget[b] = (labels[box.voxelAt(b)] === label) === (shift > 0) ? 1 : 0;
  }
  const distance = distanceTo(isTarget, box.shape);
  const [nx, ny] = shape, around = [1, -1, nx, -nx, nx * ny, -nx * ny];
  const changed: [voxel: number, distance: number][] = [];
  for (let b = 0; b < box.length; b++) {
    if (distance[b]! > 0 && distance[b]! - 0.5 < Math.abs(shift)) {
      changed.push([box.voxelAt(b), distance[b]!]);
    }
  }
  if (shift > 0) {
    for (const [v] of changed) if (givesWay(labels[v]!)) labels[v] = label;
    return;
  }
  changed.sort((a, b) => a[1] - b[1] || a[0] - b[0]);
  for (const [v] of changed) {
    if (filling !== undefined) {
      labels[v] = filling;
      continue;
    }
    const neighbour = around.map((d) => labels[v + d]!).find((l) => l !== label && l !== 0) ??
      label;
    // cortex keeps its thickness: white matter of the same side fills the gap
    labels[v] = isCortex(neighbour) ? (neighbour % 2 === 1 ? 1 : 2) : neighbour;
  }
}

/** Whether a label can be displaced: brain tissue can, ventricles and other fluid cannot. */
const givesWay = (label: number): boolean =>
  label >= 1 && label <= 104 && !(label >= 15 && label <= 18) && label !== 25 && label !== 26;

/** The box around one label, `margin` voxels wider on each side. */
function boxOf(labels: Uint8Array, shape: Shape, label: number, margin: number) {
  const [nx, ny, nz] = shape, around = new VoxelBox(shape);
  for (let k = 0, v = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, v++) {
        if (labels[v] === label) around.add(i, j, k);
      }
    }
  }
  const { low, high } = around, from = low.map((n) => Math.max(0, n - margin)) as Vec3;
  const size = high.map((n, axis) =>
    Math.max(0, Math.min(shape[axis]! - 1, n + margin) - from[axis]! + 1)
  ) as Shape;
  return {
    shape: size,
    length: size[0] * size[1] * size[2],
    voxelAt: (b: number) => {
      const i = b % size[0],
        j = Math.floor(b / size[0]) % size[1],
        k = Math.floor(b / (size[0] * size[1]));
      return from[0] + i + nx * (from[1] + j + ny * (from[2] + k));
    },
  };
}
