import type { Shape, Vec3 } from "@/model/geometry.ts";

/** Bounding box of voxels that are added one by one; both corners are inclusive. */
export class VoxelBox {
  readonly low: Vec3;
  readonly high: Vec3 = [-1, -1, -1];

  /** @param shape Shape of the voxels' grid. */
  constructor(private readonly shape: Shape) {
    this.low = [...shape];
  }

  add(i: number, j: number, k: number): void {
    const { low, high } = this;
    if (i < low[0]) low[0] = i;
    if (j < low[1]) low[1] = j;
    if (k < low[2]) low[2] = k;
    if (i > high[0]) high[0] = i;
    if (j > high[1]) high[1] = j;
    if (k > high[2]) high[2] = k;
  }

  /** Extends the box to the whole grid when no voxel was added. */
  fillIfEmpty(): void {
    if (this.high[0] >= 0) return;
    for (const axis of [0, 1, 2] as const) {
      this.low[axis] = 0;
      this.high[axis] = this.shape[axis] - 1;
    }
  }
}
