import type { LesionPlace } from "@/model/regions/lesion_site.ts";
import type { Affine, Shape } from "@/model/geometry.ts";
import type { LinearMeasures } from "@/model/linear/linear_measures.ts";
import type { LesionChangeKind } from "@/model/schema/reading/lesion_changes.ts";

/** Time and memory of one stage. */
export interface StageRecord {
  name: string;
  /** wall time */
  seconds: number;
  /** processor time of all threads of the analysis; 0 when it cannot be measured */
  cpuSeconds: number;
  /** size of the engine's memory at the end of the stage, MB (10⁶ bytes); it never shrinks */
  peakMb: number;
}

/** Rules of quality control that fired; each has a text in `model/text/quality.ts`. */
export type EngineWarning =
  | "registration_retried"
  | "correlation_low"
  | "similarity_low"
  | "folding"
  | "pose_extreme"
  | "contrast_low"
  | "posterior_low"
  | "image_noisy"
  | "image_blurred"
  | "ghosting"
  | "voxels_large"
  | "not_converged"
  | "icv_out_of_range"
  | "brain_icv_ratio_out_of_range"
  | "cortex_white_ratio_out_of_range"
  | "volume_outside_norms"
  | "region_empty"
  | "pair_unequal"
  | "outliers"
  | "second_opinion_refused"
  | "brain_extracted"
  | "field_of_view_cut"
  | "deep_structures_refused"
  | "t1_lossy"
  | "flair_lossy";

/** A: usual. B: look at the segmentation. C: shown with a warning, without percentiles. */
export type QualityGrade = "A" | "B" | "C";

/** Facts of one T1w analysis for quality control. */
export interface EngineQuality {
  grade: QualityGrade;
  warnings: EngineWarning[];
  /**
   * correlation with the template after the affine registration, less a scale penalty; 0.79..0.91
   * is usual
   */
  ncc: number;
  /** local correlation with the template at 4 mm and 2 mm after the nonlinear registration */
  lncc: [number, number];
  /** determinant of the nonlinear map's Jacobian in the brain: smallest, 1st and 99th percentile */
  jacobian: [number, number, number];
  /**
   * mean intensity of tissue classes 0..12 (0 unused) relative to white matter before bias
   * correction
   */
  classMeans: number[];
  /** (white - grey) / standard deviation of white matter */
  cnr: number;
  /**
   * white matter mean / standard deviation of the air, or of white matter where the air is zeroed
   */
  snr: number | null;
  /** mean over the voxels inside the dura of the largest class posterior, 0..1 */
  winningPosterior: number;
  /**
   * detail along each axis of the conformed grid (left, inferior, anterior); 0.25 straight edges, 1
   * noise
   */
  sharpness: [number, number, number];
  /** air beside the head over the other air, part of the head's brightness: motion */
  ghosting: number;
  hasConverged: boolean;
  /** regions with a centroid far from the atlas's */
  centroidOutliers: number;
  /** atlas mm → subject mm */
  subjectFromAtlas: Affine<"Ras", "Ras">;
}

/** Thickness of the cerebral cortex. */
export interface Thickness {
  /** value / 255 * 5 mm at cortical voxels of the result's grid, 0 elsewhere */
  map: Uint8Array;
  /**
   * mean of the map by label (index 0..104), mm; 0 where a label is not cortex or too small to
   * measure
   */
  meanMm: number[];
  leftMm: number;
  rightMm: number;
}

/** Outer surface of the brain. */
export interface Surface {
  /** n × 3, RAS mm */
  vertices: Float32Array;
  /** m × 3 */
  faces: Uint32Array;
  /** n × 3, unit, outward */
  normals: Float32Array;
  /** cortical thickness at each vertex, mm; 0 where there is none or it was not measured */
  values: Float32Array;
  trianglesBefore: number;
  eulerNumber: number;
}

/** Another network's answer beside the engine's. */
export interface SecondOpinion {
  /** name and version of the model */
  model: string;
  /** Dice of both cortices */
  agreement: number;
  /**
   * false when the agreement or a sanity check refused it; then the result is the engine's alone
   */
  isUsed: boolean;
  /**
   * `agreed`, or the reason of a refusal: `brain volume`, `region missing`, `cortex`, `structure
   * volume`, `extracted brain`
   */
  reason: string;
}

/** Our own network's reading of the deep structures. */
export interface DeepStructures {
  /** version of its weights */
  model: string;
  /** false when a check refused it; then the deep structures are the atlas's alone */
  isUsed: boolean;
  /** `agreed`, or the reason of a refusal: `weights`, `coverage`, `entropy`, `disagreement` */
  reason: string;
  /** part of the atlas's deep structures inside the boxes that the network sees, 0..1 */
  coverage: number;
  /** mean entropy of its posteriors over the deep structures, 0 certain .. 1 knows nothing */
  entropy: number;
  /** Dice of the deep grey matter of network and atlas */
  agreement: number;
}

/**
 * Dice, 0..1, of the result's labels with those of the sources that they were made of; index =
 * label 0..104, `null` where both have fewer than 50 voxels of it.
 */
export interface RegionAgreement {
  /** the deformed atlas alone */
  atlas: (number | null)[];
  /** our own network alone: deep structures and ventricles; `null` when it was not asked */
  deepStructures: (number | null)[] | null;
  /**
   * the second opinion, which knows cortex and deep structures, with the labels before both were
   * merged; `null` when it was not asked
   */
  secondOpinion: (number | null)[] | null;
}

/**
 * Result of one T1w analysis on a 1 mm grid with axes right, anterior, superior, cut to the
 * source's field of view.
 */
export interface EngineResult {
  /** name and version of the engine, with those of the networks that were used */
  version: string;
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
  /** 0..255 from the 1st to the 99.9th percentile inside the head */
  intensities: Uint8Array;
  /** 0..104, see `model/regions/regions.ts`; 28 only with a FLAIR series */
  labels: Uint8Array;
  /** index = label, 105 numbers; background is 0 */
  volumesMm3: number[];
  /** voxels with a prior inside the dura */
  icvMm3: number;
  /** 1 inside the dura, as `icvMm3` counts it, 0 elsewhere; the result's grid */
  intracranial: Uint8Array;
  /**
   * `null` when a side of the source's voxels is longer than 1.5 mm: too little of the cortex is
   * seen
   */
  thickness: Thickness | null;
  /** widths and angle of the ventricles */
  linear: LinearMeasures;
  surface: Surface;
  secondOpinion: SecondOpinion | null;
  /** null without weights, or when it was switched off */
  deepStructures: DeepStructures | null;
  regionAgreement: RegionAgreement;
  stages: StageRecord[];
  quality: EngineQuality;
}

/** One lesion: connected voxels of the FLAIR series. */
export interface Lesion {
  periMm3: number;
  deepMm3: number;
  /** its voxel nearest to its centre of mass, RAS mm on the grid of the result */
  centreRasMm: [number, number, number];
  /** see `lesionRegion`; absent without a label map */
  nearLabel?: number | null;
  /** see `LesionPlaces`; absent without a label map */
  place?: LesionPlace | null;
}

/** Deep structures as our network for any contrast reads them in a FLAIR series alone. */
export interface FlairDeepStructures extends DeepStructures {
  /** labels on the result's grid, 0 elsewhere; empty when the answer is not used */
  labels: Uint8Array;
  /** index = label, 105 numbers; all 0 when the answer is not used */
  volumesMm3: number[];
}

/** White matter hyperintensities of one FLAIR series. */
export interface FlairResult {
  version: string;
  /**
   * grid of `intensities` and `mask`: the T1w result's when there is one, else 1 mm axes right,
   * anterior, superior
   */
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
  /** 0..255 from the 1st to the 99.9th percentile inside the head */
  intensities: Uint8Array;
  /** 0, 1 periventricular, 2 deep */
  mask: Uint8Array;
  /** the same mask on the series' own grid, from which the volumes are counted */
  scannerMask: Uint8Array;
  /** FLAIR mm → T1w mm; identity without a T1w series */
  t1FromFlair: Affine<"Ras", "Ras">;
  /** tissue that the lesions were found on */
  tissue: "t1" | "flair";
  periMm3: number;
  deepMm3: number;
  /** cerebral white matter with its lesions: the denominator of the ratio */
  whiteMatterMm3: number;
  lesionCount: number;
  /** those that are counted, the largest first */
  lesions: Lesion[];
  /** true below 3 mL, and always on FLAIR tissue: the figure is not to be trusted by itself */
  isLowConfidence: boolean;
  /**
   * normalised mutual information and overlap of the brain masks after registration; null without a
   * T1w series
   */
  registration: { nmi: number; overlap: number } | null;
  /** from FLAIR alone; null when a T1w series gives it */
  icvMm3: number | null;
  /** null beside a T1w series, without weights, or when it was switched off */
  deepStructures: FlairDeepStructures | null;
  grade: QualityGrade;
  warnings: EngineWarning[];
  stages: StageRecord[];
}

/** Why one of the two series has no result. */
export interface EngineFailureRecord {
  code: string;
  reason: string;
  message: string;
}

/** Answer of one analysis: each series that was given has a result or a failure. */
export interface AnalysisOutcome {
  t1: EngineResult | null;
  flair: FlairResult | null;
  failures: { t1?: EngineFailureRecord; flair?: EngineFailureRecord };
}

/** One visit, measured in the space in the middle of all. */
export interface VisitResult {
  /** index = label, 105 numbers; background is 0 */
  volumesMm3: number[];
  /** mean cortical thickness by label; 0 where a label is not cortex or too small to measure */
  thicknessMm: number[];
  leftMm: number;
  rightMm: number;
  hasConverged: boolean;
}

/** Several visits of one patient, measured alike. */
export interface LongitudinalResult {
  /** name and version of the engine */
  version: string;
  /** of the mean of all visits: one figure */
  icvMm3: number;
  /** in the order given */
  visits: VisitResult[];
  /** `null` when our own network was not asked; all visits have it, or none */
  deepStructures: DeepStructures | null;
  stages: StageRecord[];
}

/** One lesion that changed. */
export interface ChangedLesion {
  kind: LesionChangeKind;
  /** brighter than normal white matter beyond doubt */
  isSure: boolean;
  /** of the voxels that changed */
  changedMm3: number;
  /** of the whole lesion in each series */
  beforeMm3: number;
  afterMm3: number;
  /** the difference in standard deviations of the noise */
  z: number;
  /** scanner mm of the first and of the second series */
  centreRasMm: [first: [number, number, number], second: [number, number, number]];
}

/** Changes between two FLAIR series of one patient. */
export interface FlairChangeResult {
  /** the surest first, at most 254 */
  lesions: ChangedLesion[];
  /** on each series' own grid: 0, or 1 + the place in `lesions` */
  marks: [first: Uint8Array, second: Uint8Array];
  /** correlation of both in the space halfway */
  ncc: number;
  /** of the difference where the image is flat, parts of normal white matter */
  noise: number;
  /** first scanner mm → second scanner mm, 16 numbers column by column */
  secondFromFirst: number[];
  stages: StageRecord[];
}
