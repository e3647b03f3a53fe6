import type { Shape } from "@/model/geometry.ts";
import { distanceTo } from "@/server/commands/demo/phantom/distance.ts";

/** A ribbon of voxels under a surface. */
interface Ribbon {
  /**
   * thickness of the ribbon in voxels, measured between voxel centres inward from the surface
   */
  depth: number;
  /** its thickness, in voxels */
  thickness: number;
}

const RADIUS = 40;
/** An eighth of a ball, its middle in the corner, and a margin outside. */
const SIDE = RADIUS + 3;
const OCTANT: Shape = [SIDE, SIDE, SIDE];

let ribbons: Ribbon[] | undefined;

/**
 * Every ribbon that a limit on the distance between centres can make, with the thickness it has by
 * volume under a curved surface. The nearest of many centres is nearer than the surface plus half a
 * voxel, by an amount that depends on the limit: hence a count instead of a formula.
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

/** The ribbon whose thickness is nearest to the wanted one, in voxels. */
export const ribbonOf = (thickness: number): Ribbon =>
  allRibbons().reduce((best, one) =>
    Math.abs(one.thickness - thickness) < Math.abs(best.thickness - thickness) ? one : best
  );
