import {
  type Affine,
  affineFromRows,
  applyAffine,
  cross,
  dot,
  subtract,
  unit,
  type Vec3,
} from "@/model/geometry.ts";

/** Axes of a rotated head in RAS: three perpendicular unit vectors, to its right, front and top. */
export interface HeadAxes {
  right: Vec3;
  front: Vec3;
  top: Vec3;
}

/** Anterior and posterior commissure, and a superior point on the midsagittal plane, RAS mm. */
export interface Commissures {
  anterior: Vec3;
  posterior: Vec3;
  above: Vec3;
}

/**
 * Head axes with the front axis along a given direction.
 * The top axis is as close as possible to a second direction.
 */
export function axesAlong(front: Vec3, top: Vec3): HeadAxes {
  const ahead = unit(front), right = unit(cross(ahead, top));
  return { right, front: ahead, top: cross(right, ahead) };
}

/**
 * Head axes with both commissures in one axial plane,
 * and the midsagittal plane in one sagittal plane.
 */
export const axesOfCommissures = ({ anterior, posterior, above }: Commissures): HeadAxes =>
  axesAlong(subtract(anterior, posterior), subtract(above, anterior));

/**
 * Position of the commissures in a study.
 * Mapped from the ICBM average brain by the atlas transform.
 *
 * @see Horn et al. 2017, doi:10.1016/j.neuroimage.2017.02.004 (coordinates in ICBM 2009b).
 */
export const commissuresIn = (subjectFromAtlas: Affine<"Ras", "Ras">): Commissures => ({
  anterior: applyAffine(subjectFromAtlas, [0.25, 1.298, -5.003]),
  posterior: applyAffine(subjectFromAtlas, [-0.188, -24.756, -2.376]),
  above: applyAffine(subjectFromAtlas, [0.25, 1.298, 55]),
});

/**
 * Affine from RAS to millimetres of the head, without scaling: 0 at the anterior commissure, to the
 * right, to the front along the line through both commissures, to the top.
 */
export function headFromRas(commissures: Commissures): Affine<"Ras", "Ras"> {
  const { right, front, top } = axesOfCommissures(commissures);
  return affineFromRows([
    ...[right, front, top].map((axis) => [...axis, -dot(axis, commissures.anterior)]),
    [0, 0, 0, 1],
  ]);
}
