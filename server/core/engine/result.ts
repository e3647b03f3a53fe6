import type { LesionPlace } from "@/model/regions/lesion_site.ts";
import type { Affine, Shape } from "@/model/geometry.ts";
import type { LinearMeasures } from "@/model/linear/linear_measures.ts";
import type { LesionChangeKind } from "@/model/schema/reading/lesion_changes.ts";

/** Time and memory of one stage. */
export interface StageRecord {
  name: string;
  /** wall time, s */
  seconds: number;
  /** CPU time of all threads of the analysis, s; 0 when it cannot be measured */
  cpuSeconds: number;
  /** size of the engine's memory at the end of the stage, MB (10⁶ bytes); never decreases */
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
   * correlation with the template after affine registration, minus a scale penalty
   * normally 0.79..0.91
   */
  ncc: number;
  /** local correlation with the template at 4 mm and 2 mm after the nonlinear registration */
  lncc: [number, number];
  /**
   * Jacobian determinant of the nonlinear transform in the brain: minimum, 1st and 99th percentile
   */
  jacobian: [number, number, number];
  /**
   * mean intensity of tissue classes 0..12 (0 unused), before bias correction
   * relative to white matter
   */
  classMeans: number[];
  /** contrast-to-noise ratio: (white − grey) / SD of white matter */
  cnr: number;
  /**
   * signal-to-noise ratio: mean of white matter / SD of the air
   * the SD is that of white matter in images with zeroed air
   */
  snr: number | null;
  /** mean over the voxels inside the dura of the largest class probability, 0..1 */
  winningPosterior: number;
  /**
   * detail along each axis of the conformed grid (left, inferior, anterior)
   * 0.25 for straight edges, 1 for noise
   */
  sharpness: [number, number, number];
  /** motion artefact: air next to the head minus other air, as fraction of the head's intensity */
  ghosting: number;
  hasConverged: boolean;
  /** number of regions with a centroid far from the position in the atlas */
  centroidOutliers: number;
  /** affine from atlas mm to subject mm */
  subjectFromAtlas: Affine<"Ras", "Ras">;
}

/** Thickness of the cerebral cortex. */
export interface Thickness {
  /** value / 255 * 5 mm at cortical voxels of the result's grid, 0 elsewhere */
  map: Uint8Array;
  /** mean thickness by label (index 0..104), mm; 0 if not cortical or too small */
  meanMm: number[];
  leftMm: number;
  rightMm: number;
  /** what the engine subtracted from every value to read as FreeSurfer does, mm */
  offsetMm: number;
}

/** Surface mesh of the brain. */
export interface Surface {
  /** vertices: n × 3, RAS mm */
  vertices: Float32Array;
  /** triangles: m × 3 vertex indices */
  faces: Uint32Array;
  /** normals: n × 3, unit vectors, outward */
  normals: Float32Array;
  /** cortical thickness at each vertex, mm; 0 without cortex, or if not measured */
  values: Float32Array;
  trianglesBefore: number;
  eulerNumber: number;
}

/** Second opinion of another network. */
export interface SecondOpinion {
  /** name and version of the network */
  model: string;
  /** Dice overlap of both cortices */
  agreement: number;
  /**
   * whether the second opinion was used; false: the labels are the engine's alone
   * rejected for insufficient agreement, or by a sanity check
   */
  isUsed: boolean;
  /**
   * `agreed`, or the reason of the rejection: `brain volume`, `region missing`, `cortex`,
   * `structure volume`, `extracted brain`
   */
  reason: string;
}

/** Deep structures from our own network. */
export interface DeepStructures {
  /** version of the network's weights */
  model: string;
  /** whether the network's structures were used; false: those of the atlas alone, after a check */
  isUsed: boolean;
  /** `agreed`, or the reason of the rejection: `weights`, `coverage`, `entropy`, `disagreement` */
  reason: string;
  /** fraction of the atlas' deep structures inside the network's field of view, 0..1 */
  coverage: number;
  /** mean entropy of the network's posteriors in the deep structures, 0 (certain) to 1 (uniform) */
  entropy: number;
  /** Dice overlap of the deep grey matter of network and atlas */
  agreement: number;
}

/**
 * Dice overlap, 0..1, of the result's labels with those of each source; index = label 0..104,
 * `null` where both have fewer than 50 voxels of the label.
 */
export interface RegionAgreement {
  /** overlap with the deformed atlas */
  atlas: (number | null)[];
  /** overlap with the product's network: deep structures and ventricles; `null` if not used */
  deepStructures: (number | null)[] | null;
  /**
   * overlap of the second opinion (cortex and deep structures) with the labels before merging
   * `null` without a second opinion
   */
  secondOpinion: (number | null)[] | null;
}

/**
 * Result of one T1w analysis on a 1 mm grid with axes right, anterior, superior.
 * The grid is cropped to the source's field of view.
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
  /** number of voxels with a prior inside the dura */
  icvMm3: number;
  /** mask on the result's grid: 1 inside the dura, as counted in `icvMm3` */
  intracranial: Uint8Array;
  /** `null` when the source's voxels have a side longer than 1.5 mm: the cortex is not resolved */
  thickness: Thickness | null;
  /** widths and angle of the ventricles */
  linear: LinearMeasures;
  surface: Surface;
  secondOpinion: SecondOpinion | null;
  /** null without weights, or when disabled */
  deepStructures: DeepStructures | null;
  regionAgreement: RegionAgreement;
  stages: StageRecord[];
  quality: EngineQuality;
}

/** One lesion: a connected component of the FLAIR series. */
export interface Lesion {
  periMm3: number;
  deepMm3: number;
  /** voxel of the lesion nearest to its centre of mass, RAS mm on the result's grid */
  centreRasMm: [number, number, number];
  /** label that names the location, see `lesionRegion`; absent without a label map */
  nearLabel?: number | null;
  /** location of the lesion, see `LesionPlaces`; absent without a label map */
  place?: LesionPlace | null;
}

/** Deep structures that our contrast-agnostic network finds in a FLAIR series alone. */
export interface FlairDeepStructures extends DeepStructures {
  /** label map on the result's grid, 0 elsewhere; empty when the network's result was rejected */
  labels: Uint8Array;
  /** volume by label, 105 numbers; all 0 when the network's result was rejected */
  volumesMm3: number[];
}

/** White matter hyperintensities of one FLAIR series. */
export interface FlairResult {
  version: string;
  /**
   * shape of the grid of `intensities` and `mask`: that of the T1w result if there is one
   * otherwise 1 mm with axes right, anterior, superior
   */
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
  /** intensities 0..255, from the 1st to the 99.9th percentile inside the head */
  intensities: Uint8Array;
  /** lesion mask: 0 none, 1 periventricular, 2 deep */
  mask: Uint8Array;
  /** lesion mask on the series' own grid, from which the volumes are computed */
  scannerMask: Uint8Array;
  /** affine from FLAIR mm to T1w mm; identity without a T1w series */
  t1FromFlair: Affine<"Ras", "Ras">;
  /** source of the tissue classes used to find lesions */
  tissue: "t1" | "flair";
  periMm3: number;
  deepMm3: number;
  /** volume of cerebral white matter including lesions: denominator of the ratio */
  whiteMatterMm3: number;
  lesionCount: number;
  /** lesions that are large enough to be counted, largest first */
  lesions: Lesion[];
  /** low confidence: below 3 mL, and always with tissue classes from FLAIR */
  isLowConfidence: boolean;
  /**
   * normalised mutual information and overlap of the brain masks after registration
   * null without a T1w series
   */
  registration: { nmi: number; overlap: number } | null;
  /** ICV from FLAIR alone; null when a T1w series provides the ICV */
  icvMm3: number | null;
  /** null with a T1w series, without weights, or when disabled */
  deepStructures: FlairDeepStructures | null;
  grade: QualityGrade;
  warnings: EngineWarning[];
  stages: StageRecord[];
}

/** Reason why one of the two series has no result. */
export interface EngineFailureRecord {
  code: string;
  reason: string;
  message: string;
}

/** Response of one analysis: each given series has a result or a failure. */
export interface AnalysisOutcome {
  t1: EngineResult | null;
  flair: FlairResult | null;
  failures: { t1?: EngineFailureRecord; flair?: EngineFailureRecord };
}

/** Measurements of one visit in the common space halfway between all visits. */
export interface VisitResult {
  /** volume by label, 105 numbers; background is 0 */
  volumesMm3: number[];
  /** mean cortical thickness by label, mm; 0 if not cortical or too small */
  thicknessMm: number[];
  leftMm: number;
  rightMm: number;
  hasConverged: boolean;
}

/** Joint measurements of several visits of one patient. */
export interface LongitudinalResult {
  /** name and version of the engine */
  version: string;
  /** ICV of the average of all visits: a single value */
  icvMm3: number;
  /** visits in the given order */
  visits: VisitResult[];
  /** `null` without the product's network; either all visits have this result or none */
  deepStructures: DeepStructures | null;
  stages: StageRecord[];
}

/** One changed lesion of a comparison of two FLAIR series. */
export interface ChangedLesion {
  kind: LesionChangeKind;
  /** high confidence: brighter than normal white matter beyond doubt */
  isSure: boolean;
  /** volume of the changed voxels */
  changedMm3: number;
  /** volume of the whole lesion in the earlier and the later series */
  beforeMm3: number;
  afterMm3: number;
  /** difference in standard deviations of the noise */
  z: number;
  /** centre in scanner mm of the first and of the second series */
  centreRasMm: [first: [number, number, number], second: [number, number, number]];
}

/** Lesion changes between two FLAIR series of one patient. */
export interface FlairChangeResult {
  /** changes by decreasing confidence, at most 254 */
  lesions: ChangedLesion[];
  /** change map on each series' own grid: 0, or 1 + the index in `lesions` */
  marks: [first: Uint8Array, second: Uint8Array];
  /** correlation of both series in the halfway space */
  ncc: number;
  /** noise of the difference where the image is homogeneous, as fraction of normal white matter */
  noise: number;
  /** affine from first to second scanner mm, 16 numbers column-major */
  secondFromFirst: number[];
  stages: StageRecord[];
}
