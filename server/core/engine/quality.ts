import { hasPercentile, isBrain, isCortex, PARTS, REGIONS } from "@/model/regions/regions.ts";
import atlas from "@/server/core/engine/atlas/regions.json" with { type: "json" };
import { type Fired, type ImageFigures, imageRules } from "@/server/core/engine/image_quality.ts";
import type { EngineWarning, QualityGrade } from "@/server/core/engine/result.ts";

/** Measures of a T1w analysis to which the quality rules are applied. */
export interface QualityFigures extends ImageFigures {
  ncc: number;
  /** local correlation of the image with the template, at 2 mm resolution */
  lncc: number;
  isRetried: boolean;
  /** fraction 0..1 of the brain's voxels at which the nonlinear transform folds */
  foldedFraction: number;
  /** affine registration: rotation vector (rad), translation (mm), log scales, shears */
  affineParameters: readonly number[];
  hasConverged: boolean;
  icvMm3: number;
  /** volume by label, mm³ */
  volumesMm3: readonly number[];
  /** centroid of each label in atlas mm, index = label; `null` for a label without voxels */
  centresMm: readonly ([number, number, number] | null)[];
}

/** A quality rule that an analysis violates, with the best grade that the violation allows. */
type Rule = [EngineWarning, isB: boolean, isC: boolean];

/**
 * White matter hypointensities: a label without an atlas prior, which is set from FLAIR lesions.
 */
const HYPOINTENSITIES = 28;
const DEEPEST_LABEL = 36;
/** Warnings for a poor image; two of them together give grade C. */
const SIGNS: readonly EngineWarning[] = [
  "contrast_low",
  "posterior_low",
  "image_blurred",
  "image_noisy",
  "ghosting",
  "pair_unequal",
  "outliers",
];
const CENTRE_LIMIT = 4, VOLUME_LIMIT_SD = 5, ROTATION_LIMIT_RAD = 35 * Math.PI / 180;

const atlasRegions = atlas.regions.filter(({ label }) => label >= 1 && label <= 104);

const isWithin = (value: number, low: number, high: number) => value >= low && value <= high;

/** Mahalanobis distance of a point from the voxels of a region in the atlas. */
function distanceTo(
  { atlas_mm, atlas_cov }: typeof atlasRegions[number],
  mm: readonly number[],
): number {
  const [a, b, c] = atlas_cov[0] as [number, number, number];
  const [, d, e] = atlas_cov[1] as [number, number, number];
  const f = atlas_cov[2]![2]!;
  const [x, y, z] = mm.map((v, i) => v - atlas_mm[i]!) as [number, number, number];
  const det = a * (d * f - e * e) - b * (b * f - c * e) + c * (b * e - c * d);
  const square = x * x * (d * f - e * e) + y * y * (a * f - c * c) + z * z * (a * d - b * b) +
    2 * (x * y * (c * e - b * f) + x * z * (b * e - c * d) + y * z * (b * c - a * e));
  return Math.sqrt(Math.max(0, square / det));
}

/**
 * Number of regions with a centroid more than 4 SD from the region's position in the atlas.
 * SD is the standard deviation of the positions of the region's voxels.
 */
export function countOutliers(centresMm: QualityFigures["centresMm"]): number {
  return atlasRegions.filter((region) => {
    const centre = centresMm[region.label];
    return centre && region.atlas_cov && distanceTo(region, centre) > CENTRE_LIMIT;
  }).length;
}

/**
 * Whether a label's fraction of the brain volume is within 5 SD of the atlas' source brains.
 * Cortical parcels are not checked: their percentiles already include the segmentation error,
 * and small parcels violated the rule in every normal head.
 */
function isUsualSize(volumesMm3: readonly number[], brainMm3: number): boolean {
  return atlasRegions.every((
    { label, source_brain_fraction_mean: mean, source_brain_fraction_sd: sd },
  ) =>
    !hasPercentile(label) || isCortex(label) || !mean || !sd ||
    Math.abs(volumesMm3[label]! / brainMm3 - mean) <= VOLUME_LIMIT_SD * sd
  );
}

function isPairUnequal(volumesMm3: readonly number[]): boolean {
  return PARTS.some(({ group, labels: [left, right] }) => {
    if (right === undefined || left > DEEPEST_LABEL) return false;
    if (group !== "deep grey" && group !== "medial temporal") return false;
    return !isWithin(volumesMm3[left]! / volumesMm3[right]!, 0.6, 1.67);
  });
}

/**
 * Quality grade of a T1w analysis, with all violated rules.
 * The rules' limits were measured on held-out heads; see docs/accuracy.md.
 */
export function assess(
  figures: QualityFigures,
): { grade: QualityGrade; warnings: EngineWarning[] } {
  const { ncc, lncc, affineParameters, icvMm3, volumesMm3 } = figures;
  const sumOf = (isMember: (label: number) => boolean) =>
    volumesMm3.reduce((sum, v, label) => isMember(label) ? sum + v : sum, 0);
  const brainMm3 = sumOf(isBrain), outliers = countOutliers(figures.centresMm);
  const cortexToWhite = sumOf(isCortex) / (volumesMm3[1]! + volumesMm3[2]!);
  const turn = Math.hypot(...affineParameters.slice(0, 3));
  const isExtreme = turn > ROTATION_LIMIT_RAD ||
    affineParameters.slice(6, 9).some((s) => !isWithin(Math.exp(s), 0.75, 1.25));
  const isEmpty = REGIONS.some((r) =>
    r.label !== HYPOINTENSITIES && hasPercentile(r.label) && !(volumesMm3[r.label]! > 0)
  );
  const rules: Rule[] = [
    ["registration_retried", figures.isRetried, false],
    ["correlation_low", !(ncc >= 0.79), !(ncc >= 0.75)],
    ["similarity_low", !(lncc >= 0.52), !(lncc >= 0.45)],
    ["folding", !(figures.foldedFraction <= 0.001), false],
    ["pose_extreme", isExtreme, isExtreme],
    ["not_converged", !figures.hasConverged, false],
    ["icv_out_of_range", !isWithin(icvMm3, 1.0e6, 2.1e6), false],
    // an atrophic brain with large ventricles may fill only 63 % of the skull
    [
      "brain_icv_ratio_out_of_range",
      !isWithin(brainMm3 / icvMm3, 0.62, 0.92),
      !isWithin(brainMm3 / icvMm3, 0.55, 0.95),
    ],
    [
      "cortex_white_ratio_out_of_range",
      !isWithin(cortexToWhite, 0.8, 1.6),
      !isWithin(cortexToWhite, 0.7, 1.9),
    ],
    ["volume_outside_norms", !isUsualSize(volumesMm3, brainMm3), false],
    ["region_empty", isEmpty, false],
    ["pair_unequal", isPairUnequal(volumesMm3), false],
    ["outliers", outliers > 2, outliers >= 8],
  ];
  const fired: Fired[] = [
    ...imageRules(figures),
    ...rules.filter(([, isB, isC]) => isB || isC).map(([warning, , isC]): Fired => [warning, isC]),
  ];
  const signs = fired.filter(([warning]) => SIGNS.includes(warning)).length;
  const grade = signs >= 2 || fired.some(([, isC]) => isC) ? "C" : fired.length > 0 ? "B" : "A";
  return { grade, warnings: fired.map(([warning]) => warning) };
}
