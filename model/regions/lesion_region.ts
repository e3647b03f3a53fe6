import { type Affine, applyAffine, invert, type Shape, spacingMm } from "@/model/geometry.ts";
import { isCortex, type RegionGroup, regionOf } from "@/model/regions/regions.ts";

/**
 * Groups of structures after which lesions inside them are named.
 * Lesions in white matter are named after the nearest cortex.
 */
const NAMED: readonly RegionGroup[] = [
  "deep grey",
  "brain stem",
  "cerebellum",
  "corpus callosum",
  "medial temporal",
];
/** Maximum distance between lesion in white matter and the cortex it is named after, mm. */
const MOST_MM = 45;

/**
 * Label that names the location of a lesion.
 *
 * @param labels  Label map, shape `shape`, i fastest.
 * @param rasMm   A position inside the lesion.
 * @returns `null` if no labelled structure is near.
 */
export function lesionRegion(
  labels: Uint8Array,
  shape: Shape,
  rasFromIjk: Affine<"Ras", "Ijk">,
  rasMm: readonly [number, number, number],
): number | null {
  const [nx, ny, nz] = shape, spacing = spacingMm(rasFromIjk);
  const middle = applyAffine(invert(rasFromIjk), rasMm).map(Math.round);
  const labelAt = (i: number, j: number, k: number) =>
    i < 0 || j < 0 || k < 0 || i >= nx || j >= ny || k >= nz ? 0 : labels[i + nx * (j + ny * k)]!;
  const [ci, cj, ck] = middle as [number, number, number], own = labelAt(ci, cj, ck);
  const group = regionOf(own)?.group;
  if (isCortex(own) || (group && NAMED.includes(group))) return own;
  let best: number | null = null, least = MOST_MM;
  // searches shells of voxels of growing radius until no closer label is possible
  const shortest = Math.min(...spacing);
  for (let shell = 1; (shell - 1) * shortest < least; shell++) {
    for (let k = -shell; k <= shell; k++) {
      for (let j = -shell; j <= shell; j++) {
        const step = Math.abs(k) === shell || Math.abs(j) === shell ? 1 : 2 * shell;
        for (let i = -shell; i <= shell; i += step) {
          const label = labelAt(ci + i, cj + j, ck + k);
          if (!isCortex(label)) continue;
          const away = Math.hypot(i * spacing[0], j * spacing[1], k * spacing[2]);
          if (away < least) [best, least] = [label, away];
        }
      }
    }
  }
  return best;
}
