import { affineFromRowMajor, applyAffine, determinant } from "@/model/geometry.ts";
import { LINEAR_LABELS } from "@/model/linear/linear_measures.ts";
import type { LesionPlaces } from "@/model/regions/lesion_site.ts";
import type {
  AnalysisResults,
  FlairResults,
  StoredAnalysis,
} from "@/server/core/analyses/storage/analyses.ts";
import { lesionComponents } from "@/server/core/analyses/service/lesion_components.ts";
import type { StoredStroke } from "@/server/core/reading/storage/strokes.ts";

/** Record of the corrections that readers made to a result. */
export interface CorrectionNote {
  at: string;
  by: string;
  strokes: number;
  /**
   * labels that gained or lost voxels;
   * absent in records of earlier versions: then any label may have changed
   */
  labels?: number[];
}

/** Record of the corrections of a result; `null` for an uncorrected result. */
export const correctionOf = (
  results: AnalysisResults | FlairResults | null,
): CorrectionNote | null => (results as { corrected?: CorrectionNote } | null)?.corrected ?? null;

type Dated = Pick<StoredAnalysis, "finishedAt" | "correctedAt" | "results" | "flair">;
const NEVER = "1970-01-01T00:00:00Z";

/** Time at which the results reached their present state: last correction, otherwise analysis. */
export function instantOf({ finishedAt, correctedAt, results, flair }: Dated): string {
  // earlier versions recorded only the time of the last valid stroke
  const changed = correctedAt ?? correctionOf(results ?? flair)?.at ?? NEVER,
    measured = finishedAt ?? NEVER;
  return changed > measured ? changed : measured;
}

/** Whether readers have ever changed results, even if the original results are restored since. */
export const isChangedByReaders = ({ correctedAt, results, flair }: Dated): boolean =>
  correctedAt !== null || correctionOf(results ?? flair) !== null;

/**
 * Current time, but at least 1 ms after all given times, as another server's clock may be ahead.
 * Each change of results thus has a different time.
 */
export function laterThan(instants: readonly (string | null)[]): string {
  const latest = Math.max(...instants.map((at) => at === null ? 0 : Date.parse(at)));
  return new Date(Math.max(Date.now(), latest + 1)).toISOString();
}

/** Whether strokes are within a volume; if not, they were made on another volume. */
export const fitsInto = (runs: readonly number[], voxels: number): boolean =>
  runs.every((value, at) =>
    at % 2 === 1 ? value > 0 && runs[at - 1]! + value <= voxels : value >= 0
  );

/** New label of each voxel that the strokes changed; the last stroke at a voxel decides. */
export function touchedBy(strokes: readonly StoredStroke[]): Map<number, number> {
  const touched = new Map<number, number>();
  for (const { runs, value, isUndone } of strokes) {
    if (isUndone) continue;
    for (let at = 0; at < runs.length; at += 2) {
      const end = runs[at]! + runs[at + 1]!;
      for (let voxel = runs[at]!; voxel < end; voxel++) touched.set(voxel, value);
    }
  }
  return touched;
}

/** @param map Label map as the analysis computed it, without corrections. */
function noteOf(
  strokes: readonly StoredStroke[],
  touched: ReadonlyMap<number, number>,
  map: Uint8Array,
): CorrectionNote | undefined {
  const activeStrokes = strokes.filter(({ isUndone }) => !isUndone),
    last = activeStrokes.at(-1),
    labels = new Set<number>();
  for (const [voxel, value] of touched) {
    const originalLabel = map[voxel]!;
    if (originalLabel !== value) {
      [originalLabel, value].filter((label) => label > 0).forEach((label) => labels.add(label));
    }
  }
  return last && {
    at: last.createdAt,
    by: last.creator,
    strokes: activeStrokes.length,
    labels: [...labels].sort((a, b) => a - b),
  };
}

const voxelMm3 = (rows: readonly number[]) =>
  Math.abs(determinant(affineFromRowMajor<"Ras", "Ijk">(rows)));

/**
 * Results with the volumes of the corrected label map: voxels that a region gained or lost change
 * its measured volume. Thickness and surface are those of the analysis;
 * the widths of ventricles are removed if these were corrected.
 *
 * @param labels Label map as the analysis computed it, without corrections.
 */
export function correctedResults(
  original: AnalysisResults,
  labels: Uint8Array,
  strokes: readonly StoredStroke[],
): AnalysisResults & { corrected?: CorrectionNote } {
  const volumesMm3 = [...original.volumesMm3], mm3 = voxelMm3(original.rasFromIjkRows);
  const touched = touchedBy(strokes);
  for (const [voxel, value] of touched) {
    const originalLabel = labels[voxel]!;
    if (originalLabel > 0) volumesMm3[originalLabel] = (volumesMm3[originalLabel] ?? 0) - mm3;
    if (value > 0) volumesMm3[value] = (volumesMm3[value] ?? 0) + mm3;
  }
  const corrected = noteOf(strokes, touched, labels), { linear, ...others } = original;
  const isLinearKept = linear && !corrected?.labels?.some((label) => LINEAR_LABELS.includes(label));
  return {
    ...others,
    ...(isLinearKept && { linear }),
    volumesMm3: volumesMm3.map((volume) => Math.max(0, volume)),
    ...(corrected && { corrected }),
  };
}

const PERI = 1, DEEP = 2;

type Lesion = NonNullable<FlairResults["lesions"]>[number];

/**
 * A lesion, with the volume of its voxels, and the position of the voxel closest to its centroid.
 */
function lesionOf(
  voxels: readonly number[],
  mask: Uint8Array,
  original: FlairResults,
  { mm3, places }: { mm3: number; places: LesionPlaces | null },
): Lesion {
  const [nx, ny] = original.shape;
  const ijkOf = (voxel: number): [number, number, number] => [
    voxel % nx,
    Math.floor(voxel / nx) % ny,
    Math.floor(voxel / (nx * ny)),
  ];
  const mean = [0, 0, 0];
  for (const voxel of voxels) {
    ijkOf(voxel).forEach((index, axis) => mean[axis]! += index / voxels.length);
  }
  let best = voxels[0]!, least = Infinity;
  for (const voxel of voxels) {
    const away = ijkOf(voxel).reduce((sum, index, axis) => sum + (index - mean[axis]!) ** 2, 0);
    if (away < least) [best, least] = [voxel, away];
  }
  const deep = voxels.filter((voxel) => mask[voxel] === DEEP).length;
  return {
    periMm3: (voxels.length - deep) * mm3,
    deepMm3: deep * mm3,
    centreRasMm: applyAffine(
      affineFromRowMajor<"Ras", "Ijk">(original.rasFromIjkRows),
      ijkOf(best),
    ),
    ...(places && { place: places.placeOf(voxels) }),
  };
}

/**
 * Results with the lesions of the corrected mask. Unchanged lesions keep their volumes, measured on
 * the FLAIR series' own grid; changed lesions are measured on the viewer's grid.
 *
 * @param mask    Lesion mask as the analysis computed it, without corrections.
 * @param places  Locates lesions by the T1w label map on the same grid; `null` without one.
 */
export function correctedFlair(
  original: FlairResults,
  mask: Uint8Array,
  strokes: readonly StoredStroke[],
  places: LesionPlaces | null = null,
): FlairResults & { corrected?: CorrectionNote } {
  const touched = touchedBy(strokes), corrected = noteOf(strokes, touched, mask);
  if (!corrected) return original;
  const mm3 = voxelMm3(original.rasFromIjkRows), changed = mask.slice();
  let { periMm3, deepMm3 } = original;
  for (const [voxel, value] of touched) {
    for (const [kind, sign] of [[mask[voxel], -1], [value, 1]] as const) {
      if (kind === PERI) periMm3 += sign * mm3;
      if (kind === DEEP) deepMm3 += sign * mm3;
    }
    changed[voxel] = value;
  }
  // a lesion is unchanged if it has exactly the voxels of a lesion before the corrections
  const originalComponents = new Map(
    lesionComponents(mask, original.shape).map((voxels) => [voxels[0]!, voxels]),
  );
  const owner = new Map<number, number>();
  for (const [first, voxels] of originalComponents) {
    for (const voxel of voxels) owner.set(voxel, first);
  }
  const unused = [...original.lesions ?? []];
  const lesions = lesionComponents(changed, original.shape).map((voxels) => {
    const first = owner.get(voxels[0]!),
      same = first === undefined ? undefined : originalComponents.get(first);
    const isSame = same?.length === voxels.length &&
      voxels.every((voxel) => owner.get(voxel) === first && changed[voxel] === mask[voxel]);
    const measured = lesionOf(voxels, changed, original, { mm3, places });
    if (!isSame) return measured;
    const away = ({ centreRasMm }: Lesion) =>
      Math.hypot(...centreRasMm.map((mm, axis) => mm - measured.centreRasMm[axis]!));
    const nearest = unused.toSorted((a, b) => away(a) - away(b))[0];
    if (!nearest || away(nearest) > 4) return measured;
    unused.splice(unused.indexOf(nearest), 1);
    return nearest;
  }).sort((a, b) => b.periMm3 + b.deepMm3 - a.periMm3 - a.deepMm3);
  return {
    ...original,
    periMm3: Math.max(0, periMm3),
    deepMm3: Math.max(0, deepMm3),
    lesions,
    lesionCount: lesions.length,
    corrected,
  };
}
