/**
 * Compares dcm2niix's reading of a series with the product's reading.
 * dcm2niix and this program are independent, and must produce the same image.
 */
import { AppError } from "@/model/errors.ts";
import {
  type Affine,
  applyAffine,
  compose,
  dot,
  invert,
  spacingMm,
  unit,
  type Vec3,
} from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { cornersOf, stackPositionMm } from "@/server/core/dicom/read/geometry.ts";
import { isLossySyntax } from "@/server/core/dicom/read/lossy.ts";
import { type InstanceHeader, isNativeSyntax } from "@/server/core/dicom/read/instance.ts";
import { decodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";
import { type BuiltVolume, isScaledBySlice, type Stack } from "@/server/core/dicom/stack/build.ts";
import { bitFormatOf } from "@/server/core/dicom/stack/pixels.ts";
import { jitterMm } from "@/server/core/dicom/stack/twin.ts";

/** Number of compared slices, spread over the stack; and of pixels per slice in each direction. */
const SLICES = 9, PIXELS_PER_AXIS = 48;
/**
 * Maximum difference between the two readings of a slice, as a fraction of the value range;
 * the second limit applies to images with lossy compression.
 */
const MAX_DIFFERENCE = 0.002, MAX_DIFFERENCE_LOSSY = 0.03;

/** Classes of series that dcm2niix reads incorrectly, so that dcm2niix cannot verify them. */
export type Unchecked =
  /** dcm2niix applies the first frame's slope to all frames; single slices agree */
  | "slope_by_frame"
  /** dcm2niix cannot read an image that is stored in several fragments */
  | "fragments"
  /** dcm2niix cannot read several compressed images in a file */
  | "compressed_frames"
  /** dcm2niix ignores High Bit and takes the lowest bits as stored bits */
  | "high_bit"
  /** dcm2niix reads signed 8-bit values as unsigned */
  | "signed_bytes"
  /** dcm2niix reads 8-bit pixels in big-endian 16-bit words as bytes */
  | "exchanged_bytes"
  /** dcm2niix stacks the images of a file in file order, regardless of their positions */
  | "frame_order"
  /** dcm2niix merges magnitude and other frames of a file into one volume */
  | "other_frames"
  /**
   * dcm2niix takes a position inside a sequence of unknown VR for the position of the file's image
   */
  | "unknown_sequence";

/**
 * Class of a series that dcm2niix reads incorrectly; `null`: dcm2niix must agree.
 * @param hasFragments Whether some image is stored in several fragments.
 * @param hasOutput Whether dcm2niix wrote any volume for the series.
 */
export function uncheckedClass(
  stack: Stack,
  hasFragments: boolean,
  hasOutput: boolean,
): Unchecked | null {
  const isSome = (test: (header: InstanceHeader) => boolean) =>
    stack.slices.some(({ source }) => test(source.header));
  if (hasFragments) return "fragments";
  if (!hasOutput && isSome((h) => h.frameCount > 1 && !isNativeSyntax(h.transferSyntax))) {
    return "compressed_frames";
  }
  if (isSome((h) => h.frames.length < h.frameCount)) return "other_frames";
  if (isSome((h) => h.hasUnknownSequence)) return "unknown_sequence";
  if (isSome((h) => bitFormatOf(h).shift > 0)) return "high_bit";
  if (isSome((h) => h.bitsAllocated === 8 && h.isSigned)) return "signed_bytes";
  if (isSome((h) => h.bitsAllocated === 8 && h.pixels!.isBigEndian && h.pixels!.isInWords)) {
    return "exchanged_bytes";
  }
  if (isOutOfOrder(stack)) return "frame_order";
  // dcm2niix uses each single-frame file's slope, except Philips' scale slope
  const isByFrame = isSome((h) => h.frameCount > 1 || /philips/i.test(h.manufacturer));
  return isByFrame && isScaledBySlice(stack) ? "slope_by_frame" : null;
}

/** Whether the frame order of a file differs from the spatial order. */
function isOutOfOrder({ slices }: Stack): boolean {
  const files = Map.groupBy(slices, ({ source }) => source).values();
  return files.some((images) => {
    const steps = images.slice(1).map(({ frame }, at) => frame.number - images[at]!.frame.number);
    return steps.some((step) => Math.sign(step) !== Math.sign(steps[0]!));
  });
}

/**
 * Parses a volume that dcm2niix wrote; `null` when invalid. A single slice has two dimensions.
 */
function partOf(output: Uint8Array): Volume | null {
  const view = new DataView(output.buffer, output.byteOffset, output.byteLength);
  if (output.length >= 348 && view.getInt16(40, true) === 2) view.setInt16(40, 3, true);
  try {
    return decodeNifti(output, true);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return null;
  }
}

/** A volume by dcm2niix on the voxel grid of the built volume, which this program made. */
interface PlacedPart {
  volume: Volume;
  /**
   * index in dcm2niix's voxel array of a voxel [i, j, k] of the built volume; `undefined` outside
   */
  indexAt(ijk: Readonly<Vec3>): number | undefined;
}

type BuiltFromPart = Affine<"Ijk", "Ijk">;

/** How closely dcm2niix's grid must agree with the built volume's. */
interface Tolerance {
  /** of corners, mm */
  cornerMm: number;
  /** of the step between slices, mm */
  stepMm: number;
}

/**
 * Possible maps from dcm2niix's voxels to the built volume's: by the affines, and with dcm2niix's
 * slice spacing replaced by the built volume's, with the first or the last slice kept in place.
 * dcm2niix computes the spacing from two slices, the built volume from all: rounded positions then
 * add up to large distances at the corners.
 */
function placements(
  builtFromPart: BuiltFromPart,
  part: Volume,
  sliceAxis: number,
  maximumOfStep: number,
): BuiltFromPart[] {
  const along = [0, 1, 2].map((axis) => builtFromPart[4 * axis + sliceAxis]!);
  const axis = along.reduce((most, x, at) => Math.abs(x) > Math.abs(along[most]!) ? at : most, 0);
  const step = along[axis]!, whole = Math.round(step);
  if (whole === 0 || Math.abs(step - whole) > maximumOfStep * Math.abs(whole)) {
    return [builtFromPart];
  }
  const stretched = [0, part.shape[axis]! - 1].map((kept) => {
    const map = builtFromPart.slice() as BuiltFromPart;
    map[4 * axis + sliceAxis] = whole;
    map[12 + sliceAxis]! += kept * (step - whole);
    return map;
  });
  return [builtFromPart, ...stretched];
}

/** Places dcm2niix's volume on the built volume's grid; `null` if corners do not fall on voxels. */
function place(part: Volume, built: BuiltVolume, tolerance: Tolerance): PlacedPart | null {
  const { volume, grid: { sliceAxis } } = built, spacing = spacingMm(volume.rasFromIjk);
  const isOnVoxels = (map: BuiltFromPart) =>
    cornersOf(part.shape).every((corner) =>
      applyAffine(map, corner).every((index, axis) => {
        const voxelIndex = Math.round(index);
        return voxelIndex >= 0 && voxelIndex < volume.shape[axis]! &&
          Math.abs(index - voxelIndex) * spacing[axis]! <= tolerance.cornerMm;
      })
    );
  const builtFromPart = placements(
    compose(invert(volume.rasFromIjk), part.rasFromIjk),
    part,
    sliceAxis,
    tolerance.stepMm / spacing[sliceAxis],
  ).find(isOnVoxels);
  if (!builtFromPart) return null;
  const partFromBuilt = invert(builtFromPart), [nx, ny, nz] = part.shape;
  return {
    volume: part,
    indexAt(ijk) {
      const at = applyAffine(partFromBuilt, ijk), [i, j, k] = at.map(Math.round) as Vec3;
      const isInside = i >= 0 && i < nx && j >= 0 && j < ny && k >= 0 && k < nz;
      // dcm2niix's volume may contain only every other slice
      return isInside && at.every((index) => Math.abs(index - Math.round(index)) < 0.45)
        ? i + nx * (j + ny * k)
        : undefined;
    },
  };
}

/** Voxel of the built volume at a pixel of the stack. */
function voxelOf({ grid }: BuiltVolume, pixel: Readonly<Vec3>): Vec3 {
  const index = grid.start + pixel.reduce((sum, at, axis) => sum + at * grid.steps[axis]!, 0);
  const [nx, ny] = grid.shape;
  return [index % nx, Math.floor(index / nx) % ny, Math.floor(index / (nx * ny))];
}

/** Values of one slice at the same positions in the built volume and in dcm2niix's volume. */
interface Pairs {
  ours: number[];
  theirs: number[];
}

function pairsOf(
  k: number,
  [columns, rows]: Readonly<Vec3>,
  built: BuiltVolume,
  part: PlacedPart,
): Pairs | null {
  const { volume: { voxels, shape: [nx, ny] }, background } = built,
    pairs: Pairs = { ours: [], theirs: [] };
  for (let p = 0; p < PIXELS_PER_AXIS ** 2; p++) {
    const column = Math.floor(((p % PIXELS_PER_AXIS) + 0.5) / PIXELS_PER_AXIS * columns);
    const row = Math.floor((Math.floor(p / PIXELS_PER_AXIS) + 0.5) / PIXELS_PER_AXIS * rows);
    const voxel = voxelOf(built, [column, row, k]), index = part.indexAt(voxel);
    if (index === undefined) return null;
    const value = voxels[voxel[0] + nx * (voxel[1] + ny * voxel[2])]!;
    // padding pixels are skipped: the built volume replaces them, dcm2niix keeps them
    if (value === background) continue;
    pairs.ours.push(value);
    pairs.theirs.push(part.volume.voxels[index]!);
  }
  return pairs;
}

/**
 * Least-squares line through value pairs, and the largest distance of a pair from this line,
 * as a fraction of the value range.
 */
function lineThrough({ ours, theirs }: Pairs): { factor: number; offset: number; spread: number } {
  const mean = (v: readonly number[]) => v.reduce((s, a) => s + a, 0) / v.length;
  const mx = mean(ours), my = mean(theirs);
  let sxy = 0, sxx = 0, syy = 0;
  for (const [n, x] of ours.entries()) {
    sxy += (x - mx) * (theirs[n]! - my);
    sxx += (x - mx) ** 2;
    syy += (theirs[n]! - my) ** 2;
  }
  const factor = sxx === 0 ? 0 : sxy / sxx;
  return { factor, offset: my - factor * mx, spread: Math.sqrt(syy / Math.max(1, ours.length)) };
}

/** Root mean square distance of value pairs from a line. */
const distance = (
  { ours, theirs }: Pairs,
  { factor, offset }: { factor: number; offset: number },
): number =>
  Math.sqrt(
    ours.reduce((sum, x, n) => sum + (theirs[n]! - factor * x - offset) ** 2, 0) /
      Math.max(1, ours.length),
  );

/** Maximum difference between positions and dcm2niix's positions for a sheared stack, in voxels. */
const MAX_SHEAR = 0.3;

/**
 * Lateral offset of the last slice from the normal of the first, mm, as a measure of shear.
 * dcm2niix stacks slices along the normal, regardless of their positions.
 */
function shearMm({ rasFromIjk, shape }: Stack): number {
  const [row, column, step] = [0, 1, 2].map((axis) =>
    [0, 1, 2].map((r) => rasFromIjk[4 * axis + r]!) as Vec3
  ) as [Vec3, Vec3, Vec3];
  return Math.hypot(dot(step, unit(row)), dot(step, unit(column))) * (shape[2] - 1);
}

/**
 * Largest difference between a gap between slices and the step of the stack, mm; gaps along the
 * normal, and distances of first pixels, from which dcm2niix takes its step.
 */
function stepJitterMm({ slices }: Stack): number {
  const planes = slices.map(({ plane }) => plane), positions = planes.map(stackPositionMm);
  const stepMm = (positions.at(-1)! - positions[0]!) / (positions.length - 1);
  return Math.max(
    ...planes.slice(1).flatMap(({ positionLpsMm }, at) => {
      const run = positionLpsMm.map((mm, axis) => mm - planes[at]!.positionLpsMm[axis]!);
      return [positions[at + 1]! - positions[at]!, Math.hypot(...run)]
        .map((gap) => Math.abs(gap - stepMm));
    }),
  );
}

const differ = (message: string) =>
  rejected("readings_differ", `Cannot trust a series: ${message}`);

/**
 * Value pairs of the slice in the volume (of several by dcm2niix) in which they best fit a line.
 * @throws {AppError} if no volume that dcm2niix wrote contains the slice.
 */
function bestPairs(
  k: number,
  stack: Stack,
  built: BuiltVolume,
  parts: readonly PlacedPart[],
): Pairs {
  const candidates = parts.flatMap((part) => pairsOf(k, stack.shape, built, part) ?? []);
  if (candidates.length === 0) throw differ(`dcm2niix has no slice in the place of slice ${k}`);
  const off = (pairs: Pairs) => {
    const line = lineThrough(pairs);
    return distance(pairs, line) / (line.spread || 1);
  };
  return candidates.reduce((best, each) => off(each) < off(best) ? each : best);
}

/**
 * Verifies that dcm2niix read the same image: one of its volumes has every slice at its position,
 * and values of nine slices, spread over the stack, differ only by a common factor and offset.
 *
 * @param outputs Volumes that dcm2niix wrote; it may divide the slices among several volumes.
 * @param isBySlice Whether each slice may have another factor.
 * @throws {AppError} `upload.format_not_supported`, reason `readings_differ`, with both readings.
 */
export function compareReadings(
  stack: Stack,
  built: BuiltVolume,
  outputs: readonly Uint8Array[],
  isBySlice = false,
): void {
  const smallestMm = Math.min(...spacingMm(stack.rasFromIjk));
  const tolerance: Tolerance = {
    cornerMm: 0.01 * smallestMm + jitterMm(stack, built) +
      Math.min(shearMm(stack), MAX_SHEAR * smallestMm),
    stepMm: 1.01 * stepJitterMm(stack),
  };
  const volumes = outputs.flatMap((output) => partOf(output) ?? []);
  const parts = volumes.flatMap((part) => place(part, built, tolerance) ?? []);
  const readings =
    `here ${built.volume.shape.join(" × ")}, dcm2niix ${outputs.length} outputs of ` +
    (volumes.map(({ shape }) => shape.join(" × ")).join(", ") || "another kind");
  const centre = [stack.shape[0] >> 1, stack.shape[1] >> 1] as const;
  const missing = stack.slices.findIndex((_, k) =>
    !parts.some((part) => part.indexAt(voxelOf(built, [...centre, k])) !== undefined)
  );
  if (missing >= 0) {
    throw differ(`dcm2niix has nothing in the place of slice ${missing}; ${readings}`);
  }
  const count = Math.min(SLICES, stack.slices.length), { header } = stack.slices[0]!.source;
  const places = Array.from(
    { length: count },
    (_, n) => Math.round((n + 0.5) / count * stack.slices.length - 0.5),
  );
  const slices = places.map((k) => bestPairs(k, stack, built, parts));
  const line = lineThrough({
    ours: slices.flatMap(({ ours }) => ours),
    theirs: slices.flatMap(({ theirs }) => theirs),
  });
  const isLossy = isLossySyntax(header.transferSyntax);
  const limit = (isLossy ? MAX_DIFFERENCE_LOSSY : MAX_DIFFERENCE) * line.spread;
  for (const [n, pairs] of slices.entries()) {
    if (distance(pairs, isBySlice ? lineThrough(pairs) : line) <= limit) continue;
    const mean = (v: readonly number[]) => (v.reduce((s, a) => s + a, 0) / v.length).toFixed(2);
    throw differ(
      `values of slice ${places[n]} have the mean ${mean(pairs.ours)} here and ${
        mean(pairs.theirs)
      } in dcm2niix, ` +
        `over all slices by the factor ${line.factor.toFixed(4)}; ${readings}`,
    );
  }
  const isInverted = built.inverseOf !== undefined;
  if (line.spread > 0 && line.factor > 0 === isInverted) {
    throw differ(`the factor is ${line.factor.toFixed(4)}; ${readings}`);
  }
}
