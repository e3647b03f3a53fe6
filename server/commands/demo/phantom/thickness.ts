import type { Shape } from "@/model/geometry.ts";
import { isCortex } from "@/model/regions/regions.ts";
import { distanceTo } from "@/server/commands/demo/phantom/distance.ts";
import { CSF } from "@/server/commands/demo/phantom/folds.ts";
import type { HeadShape } from "@/server/commands/demo/phantom/head_types.ts";
import { ribbonOf } from "@/server/commands/demo/phantom/ribbon.ts";

/** True cortical thickness of a phantom without holes in its cortical ribbon. */
interface ThicknessTruth {
  /** thickness the ribbon was built with, everywhere, in the scanner's mm */
  builtMm: number;
  /** the measures that {@link readThickness} finds in its voxels, mm */
  read: { meanMm: number; byLabelMm: number[] };
}

/** Grey voxels nearer to white matter than this are read, mm: elsewhere a gyrus is all cortex. */
const NEAR_WHITE_MM = 1.5;

/**
 * Reads the thickness from labels: at each cortical voxel near white matter the distance to white
 * matter plus the distance to the outside, from border to border; then the mean. Reads 0.17 (for 2
 * voxels) to 0.3 (for 4) voxels too little on curved surfaces, because the nearest of many centres
 * is taken.
 *
 * @param isWhite  ≠ 0 inside the cortex; `isOutside` beyond it.
 * @param mm  Side of a voxel.
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
    // distances are between centres: a border is half a voxel before its first voxel
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
 * The thickness of a head's cortex, over its cerebral white matter.
 * @throws {RangeError} when the ribbon is not whole: then nothing is known but the labels.
 */
export function thicknessOf(head: HeadShape): ThicknessTruth {
  const { labels, shape, options } = head;
  if (!options.isRibbonWhole) {
    throw new RangeError("Cannot tell the thickness of a ribbon that is not whole");
  }
  const isWhite = labels.map((l) => l === 1 || l === 2 || l === 28 ? 1 : 0);
  const isOutside = labels.map((l) => l === 0 || l === CSF ? 1 : 0);
  const mm = head.resolutionMm * options.scale;
  return {
    builtMm: ribbonOf(options.corticalThicknessMm / head.resolutionMm).thickness * mm,
    read: readThickness(labels, isWhite, isOutside, shape, mm),
  };
}
