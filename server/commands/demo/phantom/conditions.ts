import type { Vec3 } from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { axes, PLANES, tilted } from "@/server/commands/demo/phantom/grid.ts";
import { makeHead } from "@/server/commands/demo/phantom/head.ts";
import type { Head, HeadOptions } from "@/server/commands/demo/phantom/head_types.ts";
import {
  FLAIR_SERIES,
  scanVolume,
  T1_SERIES,
} from "@/server/commands/demo/phantom/dicom/series.ts";

/** Properties of a simulated scan of a phantom. */
export interface Condition {
  name: string;
  /** standard deviation of Rician noise, percent of white matter */
  noisePercent: number;
  /** gain of the receive field, percent: see `SeriesOptions.biasField` */
  biasPercent: number;
  /** slice thickness and spacing, mm; in-plane 1 mm */
  sliceMm: number;
  /** head rotation: pitch, yaw and roll, degrees */
  rotationDeg: Vec3;
}

const USUAL = { noisePercent: 3, biasPercent: 20, sliceMm: 1, rotationDeg: [0, 0, 0] as Vec3 };

/**
 * All conditions that benchmarks measure: each property varied alone, then all of them together.
 */
export const CONDITIONS: readonly Condition[] = [
  { ...USUAL, name: "usual" },
  ...[1, 5, 7, 9].map((noisePercent) => ({
    ...USUAL,
    noisePercent,
    name: `noise ${noisePercent} %`,
  })),
  ...[0, 40].map((biasPercent) => ({ ...USUAL, biasPercent, name: `bias ${biasPercent} %` })),
  ...[2, 3, 4].map((sliceMm) => ({ ...USUAL, sliceMm, name: `slices of ${sliceMm} mm` })),
  ...([[20, 0, 0], [-20, 0, 0], [0, 20, 0], [0, 0, -20]] as Vec3[]).map((rotationDeg) => ({
    ...USUAL,
    rotationDeg,
    name: `turned ${rotationDeg.join(", ")}°`,
  })),
  {
    name: "noise 6 %, bias 40 %, slices of 2 mm, turned",
    noisePercent: 6,
    biasPercent: 40,
    sliceMm: 2,
    rotationDeg: [-12, 8, 10],
  },
];

/** Conditions that the reduced benchmark measures. */
export const FEW_CONDITIONS: readonly Condition[] = CONDITIONS.filter(({ name }) =>
  ["usual", "noise 9 %", "bias 40 %", "slices of 3 mm", "turned -20, 0, 0°", "turned 0, 0, -20°"]
    .includes(
      name,
    )
);

/** T1w of a head, axial slices; the field of view covers the whole head at every rotation. */
export function scanT1(head: Head, { noisePercent, biasPercent, sliceMm }: Condition): Volume {
  return scanVolume(head, {
    ...T1_SERIES,
    grid: {
      shape: [224, 256, Math.round(248 / sliceMm)],
      centreRasMm: [0, -14, 0],
      directions: axes(PLANES.axial),
      spacingMm: [1, 1, sliceMm],
    },
    sliceThicknessMm: sliceMm,
    noise: noisePercent / 100,
    biasField: biasPercent / 100,
  });
}

/** FLAIR of a head: oblique axial slices of 3 to 5 mm, 0.9 mm in-plane. */
export function scanFlair(
  head: Head,
  sliceMm: number,
  { noisePercent, biasPercent }: Condition,
): Volume {
  return scanVolume(head, {
    ...FLAIR_SERIES,
    grid: {
      shape: [256, 256, Math.round(186 / sliceMm)],
      centreRasMm: [0, -14, 16],
      directions: tilted(axes(PLANES.axial), [9, -3, 2]),
      spacingMm: [0.9, 0.9, sliceMm],
    },
    sliceThicknessMm: sliceMm,
    noise: noisePercent / 100,
    biasField: biasPercent / 100,
  });
}

/** Generates the head of a condition. */
export const headOf = ({ rotationDeg }: Condition, options: Partial<HeadOptions> = {}): Head =>
  makeHead({ ...options, poseDeg: rotationDeg });
