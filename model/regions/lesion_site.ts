// Classifies the location of lesions as multiple sclerosis reports do: by contact with ventricle
// and
// cortex.
import { type Affine, type Shape, spacingMm } from "@/model/geometry.ts";
import { isCortex, type Region, REGIONS } from "@/model/regions/regions.ts";

/**
 * Site of a lesion: touching a lateral ventricle, otherwise touching the cortex, otherwise deep
 * (white or grey matter); or in brain stem or cerebellum.
 *
 * @see Montalban et al. 2025 (McDonald criteria 2024); Filippi et al. 2019, doi:10.1093/brain/awz144.
 */
export const LESION_SITES = [
  "periventricular",
  "juxtacortical",
  "deep_white",
  "infratentorial",
  "deep_grey",
] as const;
export type LesionSite = (typeof LESION_SITES)[number];

/** Brain parts after which the location of a lesion is named. */
export const LESION_LOBES = [
  "frontal",
  "parietal",
  "temporal",
  "occipital",
  "insula",
  "corpus callosum",
  "deep grey",
  "brain stem",
  "cerebellum",
] as const;
export type LesionLobe = (typeof LESION_LOBES)[number];

/**
 * Hemisphere of a lesion. `both`: it extends into both hemispheres; `null`: no structure with a
 * side is near
 */
export type LesionSide = "L" | "R" | "both" | null;

export interface LesionPlace {
  site: LesionSite;
  lobe: LesionLobe | null;
  side: LesionSide;
  /** true: the lesion touches both a lateral ventricle and the cortex */
  is_at_both?: true;
}

/** Whether an empty site was not searched: the engine looks for lesions in the cerebrum only. */
export const isUnsearched = ({ site, count }: { site: LesionSite; count: number }): boolean =>
  site === "infratentorial" && count === 0;

/** A label map of the whole brain. */
export interface LabelMap {
  /** labels of the voxels, i fastest */
  labels: Uint8Array;
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
}

/**
 * Maximum gap between a lesion and a structure that still counts as contact, mm.
 * This is the uncertainty of the borders in label maps.
 */
export const TOUCH_MM = 1;
/** Maximum distance between lesion in white matter and the cortex it is named after, mm. */
const MOST_MM = 45;
/** Maximum number of voxels of a lesion for which the nearest lobe and side are searched. */
const MOST_SAMPLES = 60;
/** Minimum fraction of a lesion in each hemisphere for it to count as bilateral. */
const LEAST_PART = 0.2;

/**
 * The lobe of a region, by FreeSurfer's assignment of parcels to lobes.
 * Anterior cingulate parcels belong to the frontal lobe, posterior parcels to the parietal lobe.
 *
 * @see FreeSurfer, `mri_annotation2label --lobes`.
 */
export function lobeOfRegion({ group, part }: Region): LesionLobe | null {
  if (group === "cingulate") return part.includes("anterior") ? "frontal" : "parietal";
  if (group === "medial temporal") return "temporal";
  return (LESION_LOBES as readonly string[]).includes(group) ? group as LesionLobe : null;
}

const tableOf = <T>(valueOf: (region: Region) => T): (T | undefined)[] => {
  const table: (T | undefined)[] = [];
  for (const region of REGIONS) table[region.label] = valueOf(region);
  return table;
};
const LOBES = tableOf(lobeOfRegion), SIDES = tableOf(({ hemisphere }) => hemisphere);
const GROUPS = tableOf(({ group }) => group);
const isLateralVentricle = (label: number) => label >= 15 && label <= 18;
/** Lobes that contain white matter; a lesion is named after the insula only on contact. */
const isWhiteMatterLobe = (lobe: LesionLobe | null | undefined) =>
  lobe === "frontal" || lobe === "parietal" || lobe === "temporal" || lobe === "occipital";

/** Voxel offsets to all voxels within a gap of {@link TOUCH_MM}. */
function touchingSteps(spacing: readonly [number, number, number]): [number, number, number][] {
  const reach = spacing.map((mm) => 1 + Math.floor(TOUCH_MM / mm)), steps = [];
  const gap = (step: number, axis: number) => Math.max(0, Math.abs(step) - 1) * spacing[axis]!;
  for (let k = -reach[2]!; k <= reach[2]!; k++) {
    for (let j = -reach[1]!; j <= reach[1]!; j++) {
      for (let i = -reach[0]!; i <= reach[0]!; i++) {
        if (Math.hypot(gap(i, 0), gap(j, 1), gap(k, 2)) <= TOUCH_MM) {
          steps.push([i, j, k] as [number, number, number]);
        }
      }
    }
  }
  return steps;
}

/** Determines the locations of lesions on one label map. */
export class LesionPlaces {
  readonly #map: LabelMap;
  readonly #spacing: [number, number, number];
  readonly #steps: [number, number, number][];

  constructor(map: LabelMap) {
    this.#map = map;
    this.#spacing = spacingMm(map.rasFromIjk) as [number, number, number];
    this.#steps = touchingSteps(this.#spacing);
  }

  /**
   * Location class, lobe and side of one lesion.
   *
   * @param voxels  Voxel indices of the lesion on the label map.
   * @returns `null` for an empty lesion, or where no labelled brain is near.
   */
  placeOf(voxels: readonly number[]): LesionPlace | null {
    if (voxels.length === 0) return null;
    const inside = this.#insideOf(voxels), { hasVentricle, cortex } = this.#touchedBy(voxels);
    const most = voxels.length / 2, infratentorial = inside.stem + inside.cerebellum;
    const nearest = this.#nearestOf(voxels);
    const named = (site: LesionSite, lobe: LesionLobe | null): LesionPlace => ({
      site,
      lobe,
      side: nearest.side,
    });
    if (infratentorial > most) {
      return named("infratentorial", inside.stem > inside.cerebellum ? "brain stem" : "cerebellum");
    }
    if (inside.deepGrey > most) return named("deep_grey", "deep grey");
    const lobe = inside.callosum > most ? "corpus callosum" : nearest.lobe;
    if (hasVentricle) {
      const place = named("periventricular", lobe);
      return cortex.size > 0 ? { ...place, is_at_both: true } : place;
    }
    if (cortex.size > 0) return named("juxtacortical", mostOf(cortex) ?? lobe);
    return lobe === null && nearest.side === null ? null : named("deep_white", lobe);
  }

  #labelAt(i: number, j: number, k: number): number {
    const { labels, shape: [nx, ny, nz] } = this.#map;
    return i < 0 || j < 0 || k < 0 || i >= nx || j >= ny || k >= nz
      ? 0
      : labels[i + nx * (j + ny * k)]!;
  }

  #ijkOf(voxel: number): [number, number, number] {
    const [nx, ny] = this.#map.shape;
    return [voxel % nx, Math.floor(voxel / nx) % ny, Math.floor(voxel / (nx * ny))];
  }

  /** Number of a lesion's voxels in each structure that can give the lesion a name. */
  #insideOf(voxels: readonly number[]) {
    const counts = { stem: 0, cerebellum: 0, deepGrey: 0, callosum: 0 };
    for (const voxel of voxels) {
      const group = GROUPS[this.#map.labels[voxel]!];
      if (group === "brain stem") counts.stem++;
      else if (group === "cerebellum") counts.cerebellum++;
      else if (group === "deep grey") counts.deepGrey++;
      else if (group === "corpus callosum") counts.callosum++;
    }
    return counts;
  }

  /**
   * Whether a lesion touches a lateral ventricle, and its contacts with each lobe's cortex.
   */
  #touchedBy(voxels: readonly number[]) {
    const cortex = new Map<LesionLobe, number>();
    let hasVentricle = false;
    for (const voxel of voxels) {
      const [i, j, k] = this.#ijkOf(voxel);
      for (const [di, dj, dk] of this.#steps) {
        const label = this.#labelAt(i + di, j + dj, k + dk);
        if (isLateralVentricle(label)) hasVentricle = true;
        else if (isCortex(label)) {
          const lobe = LOBES[label]!;
          cortex.set(lobe, (cortex.get(lobe) ?? 0) + 1);
        }
      }
    }
    return { hasVentricle, cortex };
  }

  /** Lobe nearest to most voxels of a lesion, and the hemispheres into which the lesion extends. */
  #nearestOf(voxels: readonly number[]): { lobe: LesionLobe | null; side: LesionSide } {
    const step = Math.max(1, Math.floor(voxels.length / MOST_SAMPLES));
    const lobes = new Map<LesionLobe, number>(), sides = { L: 0, R: 0 };
    for (let at = step >> 1; at < voxels.length; at += step) {
      const { lobe, side } = this.#nearestTo(voxels[at]!);
      if (lobe) lobes.set(lobe, (lobes.get(lobe) ?? 0) + 1);
      if (side) sides[side]++;
    }
    const { L: left, R: right } = sides, least = LEAST_PART * (left + right);
    const side = left + right === 0
      ? null
      : Math.min(left, right) >= least
      ? "both"
      : left > right
      ? "L"
      : "R";
    return { lobe: mostOf(lobes), side };
  }

  /** Nearest lobe with white matter, and the side of the nearest structure that has a side. */
  #nearestTo(voxel: number) {
    const [ci, cj, ck] = this.#ijkOf(voxel), [si, sj, sk] = this.#spacing;
    const shortest = Math.min(si, sj, sk);
    let lobe: LesionLobe | null = null, side: "L" | "R" | null = null;
    let lobeMm = MOST_MM, sideMm = MOST_MM;
    // searches shells of voxels of growing radius until no closer structure is possible
    for (let shell = 0; shell * shortest < Math.max(lobeMm, sideMm); shell++) {
      for (let k = -shell; k <= shell; k++) {
        for (let j = -shell; j <= shell; j++) {
          const isFace = Math.abs(k) === shell || Math.abs(j) === shell;
          const stride = isFace || shell === 0 ? 1 : 2 * shell;
          for (let i = -shell; i <= shell; i += stride) {
            const label = this.#labelAt(ci + i, cj + j, ck + k);
            if (label === 0) continue;
            const found = LOBES[label], hemisphere = SIDES[label];
            const away = Math.hypot(i * si, j * sj, k * sk);
            if (away < lobeMm && isWhiteMatterLobe(found)) [lobe, lobeMm] = [found!, away];
            if (away < sideMm && hemisphere) [side, sideMm] = [hemisphere, away];
          }
        }
      }
    }
    return { lobe, side };
  }
}

/** Returns the key with the largest count; `null` without counts. */
function mostOf<Key>(counts: ReadonlyMap<Key, number>): Key | null {
  let best: Key | null = null, most = 0;
  for (const [key, count] of counts) if (count > most) [best, most] = [key, count];
  return best;
}

/**
 * Voxels of a label map covered by voxels of a series on another grid.
 *
 * @param toMap  Index on the label map from the index on the series.
 * @param spacing  Voxel spacing of the series and of the map, mm.
 * @returns Voxel indices, ascending.
 */
export function coveredVoxels(
  voxels: readonly number[],
  [nx, ny]: Shape,
  toMap: (ijk: [number, number, number]) => readonly number[],
  [mx, my, mz]: Shape,
  spacing: readonly [series: readonly number[], map: readonly number[]],
): number[] {
  const finest = Math.min(...spacing[1]);
  // sample points per voxel, spaced so closely that no covered map voxel is missed
  const parts = spacing[0].map((mm) => Math.max(1, Math.ceil(2 * mm / finest)));
  const offsets = parts.map((n) => Array.from({ length: n }, (_, at) => (at + 0.5) / n - 0.5));
  const found = new Set<number>();
  for (const voxel of voxels) {
    const i = voxel % nx, j = Math.floor(voxel / nx) % ny, k = Math.floor(voxel / (nx * ny));
    for (const c of offsets[2]!) {
      for (const b of offsets[1]!) {
        for (const a of offsets[0]!) {
          const [x, y, z] = toMap([i + a, j + b, k + c]).map(Math.round) as [
            number,
            number,
            number,
          ];
          if (x < 0 || y < 0 || z < 0 || x >= mx || y >= my || z >= mz) continue;
          found.add(x + mx * (y + my * z));
        }
      }
    }
  }
  return [...found].sort((one, other) => one - other);
}
