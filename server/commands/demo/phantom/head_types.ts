import type { Affine, Shape, Vec3 } from "@/model/geometry.ts";

/** Location of a lesion in the white matter. */
export type LesionSite = "anywhere" | "deep" | "periventricular";

export interface HeadOptions {
  /** seed that determines shape, folds and lesions */
  seed: number;
  /** voxel size of the model: 1 for images and analysis, 2 for fast geometry tests */
  resolutionMm: 1 | 2;
  /** thickness of the cortical ribbon, mm before `scale` */
  corticalThicknessMm: number;
  /**
   * true: the ribbon has the requested thickness by volume everywhere,
   * even where the atlas has no cortex at that depth.
   * Otherwise it is up to a quarter of a voxel thicker, and thinner in those places.
   */
  isRibbonWhole: boolean;
  /**
   * outward displacement of the [left, right] lateral ventricle's wall, mm; 0 = the atlas (large)
   */
  ventriclesMm: [left: number, right: number];
  /**
   * outward displacement of the hippocampus' surface, mm; the ventricle next to it takes the space
   */
  hippocampiMm: [left: number, right: number];
  /** weight of CSF against cortex: > 1 widens the sulci */
  atrophy: number;
  /** volumes of white matter lesions, mL; lesion n is left for even n, right for odd n */
  lesionsMl: number[];
  /** location of each lesion in the white matter; "anywhere" when absent */
  lesionSites: LesionSite[];
  /** scale of the head relative to the atlas; 1 = same size */
  scale: number;
  /** head rotation: pitch (chin up +), yaw and roll, degrees, about the x, z and y axis */
  poseDeg: Vec3;
  /** position of the atlas origin in the scanner, RAS mm */
  positionMm: Vec3;
}

/**
 * A synthetic head on its own RAS grid:
 * labels 1..104, 105 for fluid around the brain, 0 elsewhere, and both contrasts.
 * Left and right differ: see `ventriclesMm`, and the capsule at the right temple.
 */
export interface Head {
  options: HeadOptions;
  shape: Shape;
  resolutionMm: number;
  /** RAS mm of the scanner from voxel index: pose, scale and position */
  rasFromIjk: Affine<"Ras", "Ijk">;
  labels: Uint8Array;
  /** T1w intensities; 1000 = white matter */
  t1: Uint16Array;
  flair: Uint16Array;
  /** centre of the capsule at the right temple, RAS mm of the scanner */
  capsuleRasMm: Vec3;
  /** volume of each lesion, mL, in the order of the options */
  lesionsMl: number[];
}

/** A {@link Head} without image contrasts. */
export type HeadShape = Omit<Head, "t1" | "flair">;

/** Layers of the model from which contrasts are synthesised. */
export interface Layers {
  shape: Shape;
  resolutionMm: number;
  labels: Uint8Array;
  /** template intensity, 0..255, trilinear on this grid */
  template: Uint8Array;
  /** height of the horizontal plane with index k, atlas mm */
  zMm: (k: number) => number;
  capsuleIjk: Vec3;
}
