import { applyAffine, determinant, type Vec3 } from "@/model/geometry.ts";
import { lesionBrightness } from "@/server/commands/demo/phantom/contrast.ts";
import { distanceTo } from "@/server/commands/demo/phantom/distance.ts";
import type { Head } from "@/server/commands/demo/phantom/head_types.ts";

/** A spherical lesion that is placed in the cerebral white matter of a head. */
interface LesionPlace {
  voxel: number;
  /** centre of the ball, RAS mm of the scanner */
  rasMm: Vec3;
}

/**
 * Finds centres for balls in the white matter, the deepest first.
 *
 * @param radiiMm  Radius at each centre.
 * A margin of `marginMm` around the ball is white matter too.
 * @param apartMm  Minimum distance between two centres.
 */
export function lesionPlaces(
  { labels, shape, rasFromIjk, resolutionMm, options }: Head,
  radiiMm: readonly number[],
  { marginMm, apartMm }: { marginMm: number; apartMm: number },
): LesionPlace[] {
  const [nx, ny] = shape, voxelMm = resolutionMm * options.scale;
  const depth = distanceTo(labels.map((label) => label === 1 || label === 2 ? 0 : 1), shape);
  const places: LesionPlace[] = [];
  for (const radius of radiiMm) {
    let best = -1;
    for (let v = 0; v < labels.length; v++) {
      if (depth[v]! * voxelMm < radius + marginMm) continue;
      if (best >= 0 && depth[v]! <= depth[best]!) continue;
      const mm = rasOf(v);
      const isApart = places.every(({ rasMm }) =>
        Math.hypot(...rasMm.map((at, axis) => at - mm[axis]!)) >= apartMm
      );
      if (isApart) best = v;
    }
    if (best < 0) throw new RangeError(`Cannot place lesion: no room for ${radius} mm`);
    places.push({ voxel: best, rasMm: rasOf(best) });
  }
  return places;

  function rasOf(v: number): Vec3 {
    return applyAffine(rasFromIjk, [v % nx, Math.floor(v / nx) % ny, Math.floor(v / (nx * ny))]);
  }
}

/**
 * Adds balls as lesions to the FLAIR of a head.
 * @param balls  A radius of 0 adds no lesion.
 * @returns the head, and the volume of each ball, mm³.
 */
export function withLesions(
  head: Head,
  balls: readonly { place: LesionPlace; radiusMm: number }[],
): { head: Head; volumesMm3: number[] } {
  const { shape: [nx, ny], resolutionMm, options } = head, flair = head.flair.slice();
  const voxelMm = resolutionMm * options.scale, mm3 = Math.abs(determinant(head.rasFromIjk));
  const volumesMm3 = balls.map(({ place: { voxel }, radiusMm }) => {
    const reach = Math.ceil(radiusMm / voxelMm);
    let count = 0;
    for (let k = -reach; k <= reach; k++) {
      for (let j = -reach; j <= reach; j++) {
        for (let i = -reach; i <= reach; i++) {
          if (radiusMm === 0 || Math.hypot(i, j, k) * voxelMm > radiusMm) continue;
          flair[voxel + i + nx * (j + ny * k)] = lesionBrightness();
          count++;
        }
      }
    }
    return count * mm3;
  });
  return { head: { ...head, flair }, volumesMm3 };
}
