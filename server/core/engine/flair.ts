import type { Affine, Shape } from "@/model/geometry.ts";
import { lesionRegion } from "@/model/regions/lesion_region.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { type Engine, type EngineFlair, version } from "@/wasm/pkg/engine/bind_engine.js";
import { placesOfLesions } from "@/model/regions/series_places.ts";
import { deepStructuresOf } from "@/server/core/engine/t1.ts";
import type {
  EngineFailureRecord,
  EngineResult,
  FlairDeepStructures,
  FlairResult,
  Lesion,
  StageRecord,
} from "@/server/core/engine/result.ts";

/** Passes a FLAIR series' voxels to the engine in the number type in which they are stored. */
export function addFlair(engine: Engine, { voxels, shape, rasFromIjk }: Volume): void {
  const size = new Uint32Array(shape);
  if (voxels instanceof Uint8Array) engine.add_flair_u8(voxels, size, rasFromIjk);
  else if (voxels instanceof Int8Array) engine.add_flair_i8(voxels, size, rasFromIjk);
  else if (voxels instanceof Uint16Array) engine.add_flair_u16(voxels, size, rasFromIjk);
  else if (voxels instanceof Int16Array) engine.add_flair_i16(voxels, size, rasFromIjk);
  else if (voxels instanceof Int32Array) engine.add_flair_i32(voxels, size, rasFromIjk);
  else engine.add_flair_f32(voxels, size, rasFromIjk);
}

const FLAIR_STAGES = ["flair", "lesions"];

/**
 * Result of a FLAIR series that was analysed with a T1w series, on the grid of the T1w result.
 * @param series  Grid of the FLAIR series.
 */
export function flairBesideT1(
  found: EngineFlair,
  t1: EngineResult,
  { shape, rasFromIjk }: Pick<Volume, "shape" | "rasFromIjk">,
): FlairResult {
  const stages = t1.stages.filter(({ name }) => FLAIR_STAGES.includes(name));
  const result = resultOf(found, "t1", t1.quality.grade, stages);
  const places = placesOfLesions(result.lesions.map(({ centreRasMm }) => centreRasMm), t1, {
    mask: result.scannerMask,
    shape,
    rasFromIjk,
    mapFromSeries: result.t1FromFlair,
  });
  const lesions = result.lesions.map((lesion, n) => ({
    ...lesion,
    nearLabel: lesionRegion(t1.labels, t1.shape, t1.rasFromIjk, lesion.centreRasMm),
    place: places[n] ?? null,
  }));
  return { ...result, lesions };
}

/** Result of a FLAIR series that was analysed alone. */
export function flairAlone(found: EngineFlair, stages: StageRecord[]): FlairResult {
  const deepStructures = deepOf(found), result = resultOf(found, "flair", "B", stages);
  if (!deepStructures) return result;
  const { isUsed, model } = deepStructures;
  return {
    ...result,
    version: isUsed
      ? `${result.version} with deep structures of any contrast ${model}`
      : result.version,
    deepStructures,
    warnings: isUsed ? result.warnings : [...result.warnings, "deep_structures_refused"],
  };
}

/** Volumes of deep structures by the product's network; `null` when the network did not run. */
function deepOf(found: EngineFlair): FlairDeepStructures | null {
  const reading = deepStructuresOf(found.deep());
  return reading &&
    { ...reading, labels: found.take_deep_labels(), volumesMm3: [...found.deep_volumes_mm3()] };
}

/** @param flat  Five numbers per lesion: periventricular mm³, deep mm³, and centre in RAS mm. */
function lesionsOf(flat: Float64Array): Lesion[] {
  return Array.from({ length: flat.length / 5 }, (_, n) => {
    const [periMm3, deepMm3, ...centreRasMm] = flat.subarray(
      5 * n,
      5 * n + 5,
    ) as unknown as number[];
    return {
      periMm3: periMm3!,
      deepMm3: deepMm3!,
      centreRasMm: centreRasMm as Lesion["centreRasMm"],
    };
  });
}

/** Whether two series are identical: the same voxels on the same grid. */
export function isSameSeries(one: Volume, other: Volume): boolean {
  const isEqual = (a: ArrayLike<number>, b: ArrayLike<number>) => {
    if (a.length !== b.length) return false;
    for (let n = 0; n < a.length; n++) if (a[n] !== b[n]) return false;
    return true;
  };
  return isEqual(one.shape, other.shape) && isEqual(one.rasFromIjk, other.rasFromIjk) &&
    isEqual(one.voxels, other.voxels);
}

/** Failure of an analysis for which the same series was given both as T1w and as FLAIR. */
export const SAME_SERIES: EngineFailureRecord = {
  code: "engine.unsupported_input",
  reason: "same_series",
  message: "Cannot find lesions: the FLAIR is the T1w series",
};

function resultOf(
  found: EngineFlair,
  tissue: FlairResult["tissue"],
  grade: FlairResult["grade"],
  stages: StageRecord[],
): FlairResult {
  const [periMm3 = 0, deepMm3 = 0, whiteMatterMm3 = 0] = found.volumes_mm3();
  const lesions = lesionsOf(found.lesions());
  const [nmi, overlap] = found.similarity(), icvMm3 = found.icv_mm3();
  return {
    version: `sulcus-engine ${version()}`,
    shape: [...found.shape()] as Shape,
    rasFromIjk: found.ras_from_ijk() as Affine<"Ras", "Ijk">,
    intensities: found.take_intensities(),
    mask: found.take_marks(),
    scannerMask: found.take_scanner_marks(),
    t1FromFlair: found.t1_from_flair() as Affine<"Ras", "Ras">,
    tissue,
    periMm3,
    deepMm3,
    whiteMatterMm3,
    lesionCount: lesions.length,
    lesions,
    isLowConfidence: found.low_confidence(),
    registration: nmi === undefined || overlap === undefined ? null : { nmi, overlap },
    icvMm3: icvMm3 > 0 ? icvMm3 : null,
    deepStructures: null,
    grade,
    warnings: [],
    stages,
  };
}
