import type { EngineWarning } from "@/server/core/engine/result.ts";

/** Quality measures of an image that do not depend on the segmentation. */
export interface ImageFigures {
  /** contrast-to-noise ratio: (white − grey) / SD of white matter */
  cnr: number;
  /** intensity of cortex relative to white matter */
  greyOverWhite: number;
  winningPosterior: number;
  /** detail along the axis with the least detail: 0.25 for straight edges, 1 for noise */
  sharpness: number;
  /** ghosting, see `wasm/analysis/src/ghosting.rs` */
  ghosting: number;
  /** longest side of an acquired voxel, mm */
  voxelMm: number;
}

/** A triggered quality rule, and whether the rule leads to grade C. */
export type Fired = [warning: EngineWarning, isC: boolean];

/** Maximum voxel size for which detail at 1 mm is expected. */
const FINE_MM = 1.2;

/**
 * Rules for the image quality. The limits separate good images from images in which regions lost
 * 5 % of Dice, or cortex or white matter were off by 10 %.
 * Chosen on some heads and validated on others (docs/accuracy.md).
 */
export function imageRules(figures: ImageFigures): Fired[] {
  const { cnr, greyOverWhite, winningPosterior, sharpness, ghosting, voxelMm } = figures;
  // images with larger voxels are always blurred on a 1 mm grid
  // therefore their voxel size is judged instead of the sharpness
  const isFine = voxelMm <= FINE_MM;
  const rules: [EngineWarning, isB: boolean, isC: boolean][] = [
    [
      "contrast_low",
      !(cnr >= 3.7 && greyOverWhite <= 0.8),
      !(cnr >= 3.2 && greyOverWhite <= 0.825),
    ],
    ["posterior_low", !(winningPosterior >= 0.922), !(winningPosterior >= 0.905)],
    ["image_blurred", isFine && !(sharpness >= 0.305), isFine && !(sharpness >= 0.29)],
    ["image_noisy", !(sharpness <= 0.55), !(sharpness <= 0.62)],
    ["ghosting", !(ghosting < 0.018), !(ghosting < 0.022)],
    ["voxels_large", !(voxelMm <= 1.5), !(voxelMm < 1.8)],
  ];
  return rules.filter(([, isB, isC]) => isB || isC).map(([warning, , isC]) => [warning, isC]);
}
