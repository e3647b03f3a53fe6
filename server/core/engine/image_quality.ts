import type { EngineWarning } from "@/server/core/engine/result.ts";

/** Quality measures of an image that are independent of the region labels. */
export interface ImageFigures {
  /** contrast-to-noise ratio: (white − grey) / SD of white matter */
  cnr: number;
  /** mean intensity of cortex divided by that of white matter */
  greyOverWhite: number;
  winningPosterior: number;
  /** fineness of detail along the worst axis: 0.25 for straight edges, 1 for noise */
  sharpness: number;
  /** strength of ghost images, see `wasm/analysis/src/ghosting.rs` */
  ghosting: number;
  /** longest side of an acquired voxel, mm */
  voxelMm: number;
}

/** A quality rule that an image violates, and whether the violation leads to grade C. */
export type Fired = [warning: EngineWarning, isC: boolean];

/** Maximum voxel side for which an image is expected to show detail of 1 mm. */
const FINE_MM = 1.2;

/**
 * Rules for the image quality. Their limits separate good images from images in which regions
 * lost 5 % of Dice overlap, or in which cortex or white matter were off by 10 %.
 * The limits were chosen on some heads and validated on other heads (docs/accuracy.md).
 */
export function imageRules(figures: ImageFigures): Fired[] {
  const { cnr, greyOverWhite, winningPosterior, sharpness, ghosting, voxelMm } = figures;
  // images with larger voxels are always blurred on a 1 mm grid,
  // so a rule judges the voxel size instead of the sharpness
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
