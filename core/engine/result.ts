import type { Affine, Shape } from "@/model/geometry.ts";

/** Time and memory of one stage. */
export interface StageRecord {
  name: string;
  seconds: number;
  /** size of the engine's memory at the end of the stage, MB (10⁶ bytes); it never shrinks */
  peakMb: number;
}

/** What the reader of the figures must know: the registration that was used, and the rules that fired. */
export type EngineWarning =
  | "registration_linear"
  | "registration_retried"
  | "correlation_low"
  | "not_converged"
  | "icv_out_of_range"
  | "brain_icv_ratio_out_of_range"
  | "region_empty"
  | "pair_unequal";

/** What quality control needs to know of one analysis. */
export interface EngineQuality {
  /** correlation with the template after the affine registration, less a scale penalty; 0.79..0.91 is usual */
  ncc: number;
  /** mean intensity of tissue classes 0..12 (0 unused) relative to white matter before bias correction */
  classMeans: number[];
  /** mean over the voxels inside the dura of the largest class posterior, 0..1 */
  winningPosterior: number;
  hasConverged: boolean;
  /** atlas mm → subject mm */
  subjectFromAtlas: Affine<"Ras", "Ras">;
  warnings: EngineWarning[];
}

/** Result of one analysis on a 1 mm grid with axes right, anterior, superior, cut to the source's field of view. */
export interface EngineResult {
  /** name and version of the engine */
  version: string;
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
  /** 0..255 from the 1st to the 99.9th percentile inside the head */
  intensities: Uint8Array;
  /** 0..104, see `model/regions.ts` */
  labels: Uint8Array;
  /** index = label, 105 numbers; background is 0 */
  volumesMm3: number[];
  /** voxels whose prior lies inside the dura */
  icvMm3: number;
  stages: StageRecord[];
  quality: EngineQuality;
}
