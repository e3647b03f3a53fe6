/**
 * dcm2niix's reading of a series against ours: two programs that know nothing of each other must
 * see one image.
 */
import { AppError } from "@/model/errors.ts";
import { applyAffine, compose, dot, invert, spacingMm, unit, type Vec3 } from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { cornersOf } from "@/server/core/dicom/read/geometry.ts";
import { isLossySyntax } from "@/server/core/dicom/read/lossy.ts";
import { type InstanceHeader, isNativeSyntax } from "@/server/core/dicom/read/instance.ts";
import { decodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";
import { type BuiltVolume, isScaledBySlice, type Stack } from "@/server/core/dicom/stack/build.ts";
import { bitFormatOf } from "@/server/core/dicom/stack/pixels.ts";
import { jitterMm } from "@/server/core/dicom/stack/twin.ts";

/** Slices that are compared, spread over the stack, and pixels of each. */
const SLICES = 9, PIXELS_PER_AXIS = 48;
/**
 * Largest share of the values' spread that the readings of a slice may differ by, without and with
 * lossy compression.
 */
const MAX_DIFFERENCE = 0.002, MAX_DIFFERENCE_LOSSY = 0.03;

/** Why dcm2niix is no check of a series; each is a class on which it is known to fail. */
export type Unchecked =
  /** it gives every frame the slope of the first; each slice alone agrees */
  | "slope_by_frame"
  /** it makes nothing of images in several fragments */
  | "fragments"
  /** it makes nothing of several compressed images in a file */
  | "compressed_frames"
  /** it takes the lowest bits for the stored ones, wherever High Bit says that they are */
  | "high_bit"
  /** it takes signed values of 8 bits for unsigned ones */
  | "signed_bytes"
  /** it takes 8-bit pixels in words of big-endian files for bytes */
  | "exchanged_bytes"
  /** it stacks the images of a file as they come, wherever they are */
  | "frame_order"
  /** it makes one volume of the magnitude and the other frames of a file */
  | "other_frames"
  /** it takes a position inside a sequence of unknown representation for the file's */
  | "unknown_sequence";

/**
 * Which of those classes a series belongs to; `null`: dcm2niix must agree.
 * @param hasFragments Some image is stored in several pieces. @param hasOutput dcm2niix made
 *   something of the series.
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
  // of single images it takes each one's slope, but for the scale of Philips
  const isByFrame = isSome((h) => h.frameCount > 1 || /philips/i.test(h.manufacturer));
  return isByFrame && isScaledBySlice(stack) ? "slope_by_frame" : null;
}

/** Whether images of one file follow one another otherwise than their places do. */
function isOutOfOrder({ slices }: Stack): boolean {
  const files = Map.groupBy(slices, ({ source }) => source).values();
  return files.some((images) => {
    const steps = images.slice(1).map(({ frame }, at) => frame.number - images[at]!.frame.number);
    return steps.some((step) => Math.sign(step) !== Math.sign(steps[0]!));
  });
}

/** A file of dcm2niix as a volume; `null` when it is none. A single slice has two dimensions. */
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

/** A part of a series whose voxel grid coincides with the built volume's. */
interface PlacedPart {
  volume: Volume;
  /** index into the part's voxels for a voxel of the built volume; `undefined` outside the part */
  indexAt(ijk: Readonly<Vec3>): number | undefined;
}

/** Places a part on the volume's grid; `null` when its corners are not voxels of it. */
function place(part: Volume, built: BuiltVolume, toleranceMm: number): PlacedPart | null {
  const { volume } = built, partFromBuilt = compose(invert(part.rasFromIjk), volume.rasFromIjk);
  const builtFromPart = compose(invert(volume.rasFromIjk), part.rasFromIjk);
  const spacing = spacingMm(volume.rasFromIjk);
  for (const corner of cornersOf(part.shape)) {
    const at = applyAffine(builtFromPart, corner);
    const isVoxel = at.every((index, axis) => {
      const voxelIndex = Math.round(index);
      return voxelIndex >= 0 && voxelIndex < volume.shape[axis]! &&
        Math.abs(index - voxelIndex) * spacing[axis]! <= toleranceMm;
    });
    if (!isVoxel) return null;
  }
  const [nx, ny, nz] = part.shape;
  return {
    volume: part,
    indexAt(ijk) {
      const at = applyAffine(partFromBuilt, ijk), [i, j, k] = at.map(Math.round) as Vec3;
      const isInside = i >= 0 && i < nx && j >= 0 && j < ny && k >= 0 && k < nz;
      // a part may hold every other slice only
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

/** Values of one slice at the same places, ours and dcm2niix's. */
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
    // padding, which dcm2niix keeps
    if (value === background) continue;
    pairs.ours.push(value);
    pairs.theirs.push(part.volume.voxels[index]!);
  }
  return pairs;
}

/**
 * The line through pairs with the least squares, and the largest distance from it as a share of
 * their spread.
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

/** Root mean square distance of pairs from a line. */
const distance = (
  { ours, theirs }: Pairs,
  { factor, offset }: { factor: number; offset: number },
): number =>
  Math.sqrt(
    ours.reduce((sum, x, n) => sum + (theirs[n]! - factor * x - offset) ** 2, 0) /
      Math.max(1, ours.length),
  );

/** Largest part of a voxel by which dcm2niix's place may differ from a sheared stack's. */
const MAX_SHEAR = 0.3;

/**
 * How far the last slice is beside the first one's normal, mm: directions of few decimals do that.
 * dcm2niix stacks along the normal, whatever the positions say.
 */
function shearMm({ rasFromIjk, shape }: Stack): number {
  const [row, column, step] = [0, 1, 2].map((axis) =>
    [0, 1, 2].map((r) => rasFromIjk[4 * axis + r]!) as Vec3
  ) as [Vec3, Vec3, Vec3];
  return Math.hypot(dot(step, unit(row)), dot(step, unit(column))) * (shape[2] - 1);
}

const differ = (message: string) =>
  rejected("readings_differ", `Cannot trust a series: ${message}`);

/**
 * Of the parts that hold a slice the pairs that are nearest to one line. @throws {AppError} when
 * none holds it.
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
 * Makes sure that dcm2niix saw the same image: every slice is in one of its outputs, in the same
 * place, and the values of nine slices, over all of them, differ from ours by one common factor
 * (and offset) alone.
 *
 * @param outputs Its files; it writes several where it takes slices for different images.
 * @param isBySlice Each slice may have a factor of its own.
 * @throws {AppError} `upload.format_not_supported`, reason `readings_differ`; the message has both
 *   readings.
 */
export function compareReadings(
  stack: Stack,
  built: BuiltVolume,
  outputs: readonly Uint8Array[],
  isBySlice = false,
): void {
  const smallestMm = Math.min(...spacingMm(stack.rasFromIjk));
  const toleranceMm = 0.01 * smallestMm + jitterMm(stack, built) +
    Math.min(shearMm(stack), MAX_SHEAR * smallestMm);
  const volumes = outputs.flatMap((output) => partOf(output) ?? []);
  const parts = volumes.flatMap((part) => place(part, built, toleranceMm) ?? []);
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
