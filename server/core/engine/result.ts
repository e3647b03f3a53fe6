import type { LesionPlace } from "@/model/regions/lesion_site.ts";
import type { Affine, Shape } from "@/model/geometry.ts";
import type { LinearMeasures } from "@/model/linear/linear_measures.ts";
import type { LesionChangeKind } from "@/model/schema/reading/lesion_changes.ts";

/** Time and memory that one stage of an analysis used. */
export interface StageRecord {
  name: string;
  /** wall time, s */
  seconds: number;
  /** CPU time of all threads of the analysis, s; 0 when it cannot be measured */
  cpuSeconds: number;
  /** size of the engine's WebAssembly memory after the stage, MB (10⁶ bytes); never decreases */
  peakMb: number;
}

/** Codes of quality control rules; each has a text in `model/text/quality.ts`. */
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

/** A: normal. B: check the segmentation. C: shown with a warning, without percentiles. */
export type QualityGrade = "A" | "B" | "C";

/** Quality measures of one T1w analysis. */
export interface EngineQuality {
  grade: QualityGrade;
  warnings: EngineWarning[];
  /**
   * correlation with the template after affine registration, minus a penalty for scaling
   * usual range: 0.79..0.91
   */
  ncc: number;
  /** local correlation with the template at 4 mm and 2 mm after the nonlinear registration */
  lncc: [number, number];
  /**
   * Jacobian determinant of the nonlinear transform in the brain: minimum, 1st and 99th percentile
   */
  jacobian: [number, number, number];
  /**
   * mean intensity of tissue classes 0..12 (0 is unused) relative to white matter,
   * measured before bias correction
   */
  classMeans: number[];
  /** contrast-to-noise ratio: (white − grey) / SD of white matter */
  cnr: number;
  /**
   * signal-to-noise ratio: mean of white matter / SD of the air around the head
   * in images with zeroed air the SD of white matter is used instead
   */
  snr: number | null;
  /** mean probability of each voxel's most likely tissue class, over the voxels inside the dura */
  winningPosterior: number;
  /**
   * fineness of detail along each axis of the conformed grid (left, inferior, anterior):
   * 0.25 for straight edges, 1 for noise
   */
  sharpness: [number, number, number];
  /**
   * motion artefact: air beside the head minus distant air, as a fraction of the head's intensity
   */
  ghosting: number;
  hasConverged: boolean;
  /** number of regions with a centroid far from the region's position in the atlas */
  centroidOutliers: number;
  /** affine from atlas mm to the patient's RAS mm */
  subjectFromAtlas: Affine<"Ras", "Ras">;
}

/** Thickness of the cerebral cortex. */
export interface Thickness {
  /** thickness as value / 255 * 5 mm at cortical voxels of the result's grid, 0 at others */
  map: Uint8Array;
  /** mean thickness by label (index 0..104), mm; 0 for labels that are not cortical or too small */
  meanMm: number[];
  leftMm: number;
  rightMm: number;
  /** subtracted from every thickness so that values agree with FreeSurfer, mm */
  offsetMm: number;
}

/** Surface mesh of the brain. */
export interface Surface {
  /** vertex positions: n × 3 numbers, RAS mm */
  vertices: Float32Array;
  /** triangles: m × 3 indices of vertices */
  faces: Uint32Array;
  /** vertex normals: n × 3 numbers, unit vectors that point outward */
  normals: Float32Array;
  /** cortical thickness at each vertex, mm; 0 outside the cortex, or if not measured */
  values: Float32Array;
  trianglesBefore: number;
  eulerNumber: number;
}

/** Result of the second opinion: a published network that segments the T1w image. */
export interface SecondOpinion {
  /** name and version of the network */
  model: string;
  /** Dice overlap of the network's cortex with the engine's */
  agreement: number;
  /**
   * whether labels of the network were used; false: all labels are the engine's,
   * because the network agreed too little or failed a sanity check
   */
  isUsed: boolean;
  /**
   * `agreed`, or why the network was rejected: `brain volume`, `region missing`, `cortex`,
   * `structure volume`, `extracted brain`
   */
  reason: string;
}

/** Result of the product's network for deep structures. */
export interface DeepStructures {
  /** version of the network's weights */
  model: string;
  /** whether the network's structures were used; false: a check failed, so the atlas' are used */
  isUsed: boolean;
  /** `agreed`, or why the network was rejected: `weights`, `coverage`, `entropy`, `disagreement` */
  reason: string;
  /** fraction 0..1 of the atlas' deep structures inside the volume that the network segments */
  coverage: number;
  /** mean entropy of the network's probabilities in deep structures, 0 (certain) to 1 (uniform) */
  entropy: number;
  /** Dice overlap of the network's deep grey matter with the atlas' */
  agreement: number;
}

/**
 * Dice overlap, 0..1, of a result's labels with those of each source; index = label 0..104,
 * `null` for labels with fewer than 50 voxels in both the result and the source.
 */
export interface RegionAgreement {
  /** Dice overlap with the deformed atlas */
  atlas: (number | null)[];
  /** Dice overlap with the product's network (deep structures, ventricles); `null` if not used */
  deepStructures: (number | null)[] | null;
  /**
   * Dice overlap of the second opinion (cortex, deep structures) with labels before merging both;
   * `null` if no second opinion was used
   */
  secondOpinion: (number | null)[] | null;
}

/**
 * Result of one T1w analysis on a 1 mm grid with axes right, anterior, superior.
 * The grid contains only the field of view of the T1w series.
 */
export interface EngineResult {
  /** name and version of the engine and of the networks used */
  version: string;
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
  /** intensities 0..255, from the 1st to the 99.9th percentile inside the head */
  intensities: Uint8Array;
  /** labels 0..104, see `model/regions/regions.ts`; 28 only with a FLAIR series */
  labels: Uint8Array;
  /** volume by label, 105 numbers; background is 0 */
  volumesMm3: number[];
  /** number of voxels with an atlas prior inside the dura */
  icvMm3: number;
  /** mask on the result's grid: 1 inside the dura, where `icvMm3` counts voxels */
  intracranial: Uint8Array;
  /** `null` when voxels of the T1w series have a side above 1.5 mm: the cortex is not resolved */
  thickness: Thickness | null;
  /** widths and angle of the ventricles */
  linear: LinearMeasures;
  surface: Surface;
  secondOpinion: SecondOpinion | null;
  /** `null` when the network has no weights, or is disabled */
  deepStructures: DeepStructures | null;
  regionAgreement: RegionAgreement;
  stages: StageRecord[];
  quality: EngineQuality;
}

/** One lesion: a connected component of the FLAIR series. */
export interface Lesion {
  periMm3: number;
  deepMm3: number;
  /** voxel of the lesion that is nearest to its centre of mass, RAS mm on the result's grid */
  centreRasMm: [number, number, number];
  /** region label at the lesion, see `lesionRegion`; absent without a label map */
  nearLabel?: number | null;
  /** location of the lesion, see `LesionPlaces`; absent without a label map */
  place?: LesionPlace | null;
}

/**
 * Deep structures that the product's contrast-agnostic network segments in a FLAIR series alone.
 */
export interface FlairDeepStructures extends DeepStructures {
  /** label map on the result's grid, 0 outside structures; empty when the network was rejected */
  labels: Uint8Array;
  /** volumes by label, mm³, 105 numbers; all 0 when the network's result was rejected */
  volumesMm3: number[];
}

/** White matter hyperintensities (lesions) of one FLAIR series. */
export interface FlairResult {
  version: string;
  /**
   * shape of the grid of `intensities` and `mask`: that of the T1w result if there is one
   * without a T1w result: 1 mm voxels with axes right, anterior, superior
   */
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
  /** intensities 0..255, from the 1st to the 99.9th percentile inside the head */
  intensities: Uint8Array;
  /** lesion mask: 0 none, 1 periventricular, 2 deep */
  mask: Uint8Array;
  /** lesion mask on the FLAIR series' own grid, in which the volumes are measured */
  scannerMask: Uint8Array;
  /** affine from FLAIR mm to T1w mm; identity for a FLAIR series analysed alone */
  t1FromFlair: Affine<"Ras", "Ras">;
  /** series (T1w or FLAIR) that gave the tissue classes with which lesions are found */
  tissue: "t1" | "flair";
  periMm3: number;
  deepMm3: number;
  /**
   * volume of the cerebral white matter including lesions, by which the lesion volume is divided
   */
  whiteMatterMm3: number;
  lesionCount: number;
  /** lesions that are large enough to be counted, largest first */
  lesions: Lesion[];
  /** low confidence in the lesion volume: below 3 mL, or tissue classes from FLAIR */
  isLowConfidence: boolean;
  /**
   * normalised mutual information, and overlap of the brain masks, after registration to the T1w
   * `null` for a FLAIR series analysed alone
   */
  registration: { nmi: number; overlap: number } | null;
  /** intracranial volume from FLAIR alone, mm³; `null` when a T1w series provides it */
  icvMm3: number | null;
  /** `null` with a T1w series, when the network has no weights, or when it is disabled */
  deepStructures: FlairDeepStructures | null;
  grade: QualityGrade;
  warnings: EngineWarning[];
  stages: StageRecord[];
}

/** Reason why the T1w or the FLAIR series of an analysis has no result. */
export interface EngineFailureRecord {
  code: string;
  reason: string;
  message: string;
}

/** Response of the engine for a study: each given series has a result or a failure. */
export interface AnalysisOutcome {
  t1: EngineResult | null;
  flair: FlairResult | null;
  failures: { t1?: EngineFailureRecord; flair?: EngineFailureRecord };
}

/** Measurements of one visit in the common space halfway between all visits. */
export interface VisitResult {
  /** volumes by label, mm³, 105 numbers; 0 for the background */
  volumesMm3: number[];
  /** mean cortical thickness by label, mm; 0 for labels that are not cortical or too small */
  thicknessMm: number[];
  leftMm: number;
  rightMm: number;
  hasConverged: boolean;
}

/** Joint measurements of several visits of one patient. */
export interface LongitudinalResult {
  /** name and version of the engine */
  version: string;
  /** intracranial volume of the average of all visits, mm³: one value for all */
  icvMm3: number;
  /** measurements of the visits, in the order in which the series were given */
  visits: VisitResult[];
  /** `null` when the product's network was not used, which is the same for all visits */
  deepStructures: DeepStructures | null;
  stages: StageRecord[];
}

/** One changed lesion of a comparison of two FLAIR series. */
export interface ChangedLesion {
  kind: LesionChangeKind;
  /** high confidence: the changed voxels are clearly brighter than normal white matter */
  isSure: boolean;
  /** volume of the changed voxels, mm³ */
  changedMm3: number;
  /** volume of the whole lesion in the earlier and in the later series, mm³ */
  beforeMm3: number;
  afterMm3: number;
  /** intensity difference in standard deviations of the noise */
  z: number;
  /** centre in scanner mm of the earlier and of the later series */
  centreRasMm: [first: [number, number, number], second: [number, number, number]];
}

/** Lesion changes between two FLAIR series of one patient. */
export interface FlairChangeResult {
  /** changes by decreasing confidence, at most 254 */
  lesions: ChangedLesion[];
  /** changes on the grid of each series: 0, or 1 + the index in `lesions` */
  marks: [first: Uint8Array, second: Uint8Array];
  /** correlation of the two series in the space halfway between them */
  ncc: number;
  /** noise of the difference in homogeneous tissue, as a fraction of normal white matter */
  noise: number;
  /** affine from scanner mm of the earlier to the later series, 16 numbers column-major */
  secondFromFirst: number[];
  stages: StageRecord[];
}
