import type { Shape } from "@/model/geometry.ts";
import { distanceTo } from "@/server/commands/demo/phantom/distance.ts";

/** The voxels up to a depth below a surface, as a model of the cortex. */
interface Ribbon {
  /** distance limit in voxels: voxel centres within it below the surface form the ribbon */
  depth: number;
  /** thickness that results: volume of the ribbon per area, voxels */
  thickness: number;
}

const RADIUS = 40;
/** Grid of an octant of a ball with its centre in the corner, plus a margin. */
const SIDE = RADIUS + 3;
const OCTANT: Shape = [SIDE, SIDE, SIDE];

let ribbons: Ribbon[] | undefined;

/**
 * All ribbons that a limit on the distance between voxel centres can produce.
 * Thickness: radius of a ball minus the radius of a ball with the volume of the deeper voxels.
 * It cannot be set equal to the limit: the distance to the nearest outside voxel centre exceeds
 * the distance to the surface by an amount (up to half a voxel) that depends on the limit.
 */
function allRibbons(): Ribbon[] {
  if (ribbons) return ribbons;
  const isOutside = new Uint8Array(SIDE ** 3);
  for (let k = 0, v = 0; k < SIDE; k++) {
    for (let j = 0; j < SIDE; j++) {
      for (let i = 0; i < SIDE; i++, v++) {
        isOutside[v] = Math.hypot(i + 0.5, j + 0.5, k + 0.5) < RADIUS ? 0 : 1;
      }
    }
  }
  const distance = distanceTo(isOutside, OCTANT);
  ribbons = [];
  for (let n = 1; n <= 64; n++) {
    const depth = Math.sqrt(n) + 1e-6;
    let inside = 0;
    for (const d of distance) if (d >= depth) inside++;
    ribbons.push({ depth, thickness: RADIUS - Math.cbrt(inside * 8 * 0.75 / Math.PI) });
  }
  return ribbons;
}

/** Selects the ribbon with the thickness closest to the wanted thickness, voxels. */
export const ribbonOf = (thickness: number): Ribbon =>
  allRibbons().reduce((best, one) =>
    Math.abs(one.thickness - thickness) < Math.abs(best.thickness - thickness) ? one : best
  );
