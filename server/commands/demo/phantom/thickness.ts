import type { Shape } from "@/model/geometry.ts";
import { isCortex } from "@/model/regions/regions.ts";
import { distanceTo } from "@/server/commands/demo/phantom/distance.ts";
import { CSF } from "@/server/commands/demo/phantom/folds.ts";
import type { HeadShape } from "@/server/commands/demo/phantom/head_types.ts";
import { ribbonOf } from "@/server/commands/demo/phantom/ribbon.ts";

/** True cortical thickness of a phantom with a closed cortical ribbon. */
interface ThicknessTruth {
  /** thickness of the ribbon as generated, constant, in scanner mm */
  builtMm: number;
  /** thickness measured by {@link readThickness} on the voxels, mm */
  read: { meanMm: number; byLabelMm: number[] };
}

/**
 * Maximum distance of measured grey voxels to white matter, mm: farther voxels fill a whole gyrus.
 */
const NEAR_WHITE_MM = 1.5;

/**
 * Measures the thickness from labels: at each cortical voxel near white matter,
 * the distance to white matter plus the distance to the outside, border to border, averaged.
 * Underestimates curved surfaces by 0.17 (thickness 2 voxels)
 * to 0.3 voxels (thickness 4), because the nearest of many centres is used.
 *
 * @param isWhite  ≠ 0 on the inner side of the cortex; `isOutside` ≠ 0 on its outer side.
 * @param mm  Voxel size.
 */
export function readThickness(
  labels: Uint8Array,
  isWhite: Uint8Array,
  isOutside: Uint8Array,
  shape: Shape,
  mm: number,
): ThicknessTruth["read"] {
  const inner = distanceTo(isWhite, shape), outer = distanceTo(isOutside, shape);
  const sums = new Float64Array(105), counts = new Float64Array(105);
  for (let v = 0; v < labels.length; v++) {
    const label = labels[v]!;
    // less ½ voxel: distances are to a voxel's centre, but the border is at the voxel's face
    if (!isCortex(label) || (inner[v]! - 0.5) * mm >= NEAR_WHITE_MM) continue;
    sums[label]! += (inner[v]! + outer[v]! - 1) * mm;
    counts[label]!++;
  }
  const total = (values: Float64Array) => values.reduce((a, b) => a + b, 0);
  return {
    meanMm: total(sums) / total(counts),
    byLabelMm: [...sums].map((sum, label) => counts[label]! > 0 ? sum / counts[label]! : 0),
  };
}

/**
 * Thickness of a head's cortex above its cerebral white matter.
 * @throws {RangeError} for a ribbon with gaps, of which the true thickness is unknown.
 */
export function thicknessOf(head: HeadShape): ThicknessTruth {
  const { labels, shape, options } = head;
  if (!options.isRibbonWhole) {
    throw new RangeError("Cannot determine the thickness of an incomplete ribbon");
  }
  const isWhite = labels.map((l) => l === 1 || l === 2 || l === 28 ? 1 : 0);
  const isOutside = labels.map((l) => l === 0 || l === CSF ? 1 : 0);
  const mm = head.resolutionMm * options.scale;
  return {
    builtMm: ribbonOf(options.corticalThicknessMm / head.resolutionMm).thickness * mm,
    read: readThickness(labels, isWhite, isOutside, shape, mm),
  };
}
