import { REGIONS } from "@/model/regions/regions.ts";
import type { VoxelArray } from "@/model/viewer/volume.ts";

/** Additional FreeSurfer codes that belong to one of our labels. */
const ALSO: Readonly<Record<number, number>> = {
  // choroid plexus counts as lateral ventricle, hypointensities as white matter
  31: 15,
  63: 16,
  78: 1,
  79: 2,
  72: 25,
  // cortex without parcels: only sums of the cortex are compared
  3: 37,
  42: 38,
};
/** Code of white matter hypointensities without a side. */
const WHITE_MATTER_HYPOINTENSITY = 77;
const MAX_CODE = 3000;
/** Our label for FreeSurfer's code 24 (CSF). */
const CENTRAL_FLUID = 27;

/** Labels 0..104 converted from FreeSurfer's aparc+aseg, and whether the cortex has parcels. */
export interface Truth {
  labels: Uint8Array;
  hasParcels: boolean;
}

/**
 * Converts FreeSurfer's codes to our labels.
 *
 * @param isLeft  Whether a voxel is on the left, for codes without a side.
 */
export function foldCodes(codes: VoxelArray, isLeft: (index: number) => boolean): Truth {
  const table = new Uint8Array(MAX_CODE),
    ours = new Map(REGIONS.map((r) => [r.freesurferId, r.label]));
  for (
    const [code, label] of [
      ...Object.entries(ALSO).map(([c, l]) => [Number(c), l] as const),
      ...ours,
    ]
  ) {
    if (code < MAX_CODE) table[code] = label;
  }
  const labels = new Uint8Array(codes.length);
  let undivided = 0, divided = 0;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!;
    if (code === 3 || code === 42) undivided++;
    else if (code >= 1000 && code < MAX_CODE) divided++;
    labels[i] = code === WHITE_MATTER_HYPOINTENSITY
      ? isLeft(i) ? 1 : 2
      : code >= 0 && code < MAX_CODE
      ? table[code]!
      : 0;
  }
  const hasParcels = divided > undivided;
  // without parcels, code 24 includes all fluid around the brain, unlike our label
  if (!hasParcels) {
    for (let i = 0; i < labels.length; i++) if (labels[i] === CENTRAL_FLUID) labels[i] = 0;
  }
  return { labels, hasParcels };
}

/** Mean thickness, mm, by FreeSurfer's parcel name and of the hemisphere, from ?h.aparc.stats. */
export function thicknessOf(stats: string): { mean: number; parcels: ReadonlyMap<string, number> } {
  const mean = Number(/MeanThickness, Mean Thickness, ([\d.]+)/.exec(stats)?.[1] ?? NaN);
  const rows = stats.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return {
    mean,
    parcels: new Map(
      rows.map((line) => line.trim().split(/\s+/)).map((c) => [c[0]!, Number(c[4])]),
    ),
  };
}
