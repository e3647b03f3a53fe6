import type { Affine, Shape, Vec3 } from "@/model/geometry.ts";

/** Where a lesion grows in the white matter. */
export type LesionSite = "anywhere" | "deep" | "periventricular";

export interface HeadOptions {
  /** shape, folds and lesions follow from it */
  seed: number;
  /** grid of the model: 1 for pictures and analysis, 2 for quick geometry tests */
  resolutionMm: 1 | 2;
  /** cortical ribbon, mm before `scale` */
  corticalThicknessMm: number;
  /**
   * The ribbon has the wanted thickness by volume, and keeps it where the atlas knows no cortex
   * that deep; else it is thicker by up to a quarter of a voxel, and thins out there.
   */
  isRibbonWhole: boolean;
  /**
   * how far the wall of the [left, right] lateral ventricle moves outwards, mm; 0 = the atlas
   * (large)
   */
  ventriclesMm: [left: number, right: number];
  /** the same for the surface of the hippocampus; the ventricle beside it takes the space */
  hippocampiMm: [left: number, right: number];
  /** how far the fluid around the brain wins over the cortex: > 1 widens the sulci */
  atrophy: number;
  /** volumes of white matter lesions, mL; lesion n is left for even n, right for odd n */
  lesionsMl: number[];
  /** place of lesion n in the white matter; "anywhere" when absent */
  lesionSites: LesionSite[];
  /** size of the head; 1 = the atlas */
  scale: number;
  /** nod (chin up +), turn and tilt of the head, degrees, about the x, z and y axis */
  poseDeg: Vec3;
  /** place of the atlas origin in the scanner, RAS mm */
  positionMm: Vec3;
}

/**
 * A synthetic head on its own RAS grid: labels 1..104, 105 fluid around the brain, 0 all else, and
 * the two contrasts. Left and right differ: see `ventriclesMm`, and the capsule taped to the right
 * temple.
 */
export interface Head {
  options: HeadOptions;
  shape: Shape;
  resolutionMm: number;
  /** RAS mm of the scanner from the voxel index of this grid: pose, size and place */
  rasFromIjk: Affine<"Ras", "Ijk">;
  labels: Uint8Array;
  /** 1000 = white matter in T1w */
  t1: Uint16Array;
  flair: Uint16Array;
  /** centre of the capsule on the patient's right, RAS mm of the scanner */
  capsuleRasMm: Vec3;
  /** volume of each lesion, mL, in the order of the options */
  lesionsMl: number[];
}

/** A {@link Head} without its contrasts. */
export type HeadShape = Omit<Head, "t1" | "flair">;

/** Layers of the model that painting needs. */
export interface Layers {
  shape: Shape;
  resolutionMm: number;
  labels: Uint8Array;
  /** the template, 0..255, trilinear on this grid */
  template: Uint8Array;
  /** height of a plane in atlas mm */
  zMm: (k: number) => number;
  capsuleIjk: Vec3;
}
