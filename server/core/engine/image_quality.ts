import type { EngineWarning } from "@/server/core/engine/result.ts";

/** Figures of the image itself, independent of its segmentation. */
export interface ImageFigures {
  /** white matter over grey in spreads of white matter */
  cnr: number;
  /** brightness of cortex over that of white matter */
  greyOverWhite: number;
  winningPosterior: number;
  /** detail along the axis that has least of it: 0.25 for straight edges, 1 for noise */
  sharpness: number;
  /** see `wasm/analysis/src/ghosting.rs` */
  ghosting: number;
  /** longest edge of a voxel as it was measured, mm */
  voxelMm: number;
}

/** A rule that fires, and whether it leaves no trust. */
export type Fired = [warning: EngineWarning, isC: boolean];

/** Voxels from which an image of 1 mm detail is expected. */
const FINE_MM = 1.2;

/**
 * The rules for the image. Limits separate good images from those with regions that lost a
 * twentieth of their Dice or with cortex or white matter off by a tenth; chosen on some heads and
 * judged on others (docs/accuracy.md).
 */
export function imageRules(figures: ImageFigures): Fired[] {
  const { cnr, greyOverWhite, winningPosterior, sharpness, ghosting, voxelMm } = figures;
  // of larger voxels their size speaks: on the grid of 1 mm they are blurred by themselves
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
