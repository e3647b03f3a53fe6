/** Builds the volume of a series from its files, to be compared with dcm2niix's volume. */
import { type Affine, cross, type Shape, unit, type Vec3 } from "@/model/geometry.ts";
import type { Volume, VoxelArray } from "@/model/viewer/volume.ts";
import { affineOfStack, stackPositionMm } from "@/server/core/dicom/read/geometry.ts";
import type { Frame } from "@/server/core/dicom/read/frames.ts";
import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";
import type { SlicePlane } from "@/server/core/dicom/read/plane.ts";
import { AppError } from "@/model/errors.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";
import type { StoredValues } from "@/server/core/dicom/stack/codecs.ts";
import { type Grid, outputGrid } from "@/server/core/dicom/stack/grid.ts";
import { BitsCheck } from "@/server/core/dicom/stack/bits_check.ts";
import { LabelCheck } from "@/server/core/dicom/stack/label_check.ts";
import { LostPixels } from "@/server/core/dicom/stack/lost_pixels.ts";
import { paddingMask } from "@/server/core/dicom/stack/padding.ts";
import { bitFormatOf, openFrames, valueOf } from "@/server/core/dicom/stack/pixels.ts";

/** A file of the series on disk. */
export interface Source {
  path: string;
  header: InstanceHeader;
}

/** One slice of the stack: its file, and its image (frame) in that file. */
export interface SourceSlice {
  source: Source;
  frame: Frame;
  plane: SlicePlane;
}

export interface Stack {
  /** slices by increasing position along row × column */
  slices: readonly SourceSlice[];
  /** shape of the stack: [columns, rows, slices] */
  shape: Shape;
  rasFromIjk: Affine<"Ras", "Ijk">;
}

export interface BuiltVolume {
  volume: Volume;
  grid: Grid;
  /** value by which padding pixels were replaced; `undefined` if there were none */
  background: number | undefined;
  /** value from which MONOCHROME1 values were subtracted; `undefined` for MONOCHROME2 */
  inverseOf: number | undefined;
  /** whether High Bit contradicts the values, see {@link BitsCheck.isInLowestBits} */
  isInLowestBits: boolean;
}

/**
 * Maximum volume size, by the engine's memory: the voxels as stored, plus a copy in 32 bits.
 * See `decodeNifti`.
 */
const MAX_BYTES = 900e6;

/**
 * Mean direction of slices that vary slightly; exactly their direction if all are equal.
 */
function meanOrientation(planes: readonly SlicePlane[]): readonly [Vec3, Vec3] {
  const first = planes[0]!.orientationLps;
  const isSame = planes.every(({ orientationLps }) =>
    orientationLps.every((axis, n) => axis.every((x, at) => x === first[n]![at]))
  );
  if (isSame) return first;
  const mean = (n: 0 | 1) =>
    unit(
      [0, 1, 2].map((at) => planes.reduce((sum, p) => sum + p.orientationLps[n][at]!, 0)) as Vec3,
    );
  const row = mean(0), column = mean(1);
  return [row, unit(cross(cross(row, column), row))];
}

/**
 * Slices of the files in stack order, with the affine of the slices' grid.
 * @throws {AppError} reason `too_few_slices`.
 */
export function stackOf(sources: readonly Source[]): Stack {
  const slices = sources.flatMap((source): SourceSlice[] =>
    source.header.planes.map((plane, at) => ({ source, plane, frame: source.header.frames[at]! }))
  ).sort((a, b) => stackPositionMm(a.plane) - stackPositionMm(b.plane));
  if (slices.length < 2) {
    throw rejected("too_few_slices", "Cannot convert series: one slice", { slices: 1, minimum: 2 });
  }
  const { columns, rows } = slices[0]!.source.header, planes = slices.map(({ plane }) => plane);
  const orientationLps = meanOrientation(planes);
  return {
    slices,
    shape: [columns, rows, slices.length],
    rasFromIjk: affineOfStack([{ ...planes[0]!, orientationLps }, ...planes.slice(1)]),
  };
}

const isScaled = ({ slices }: Stack): boolean =>
  slices.some(({ frame }) => frame.slope !== 1 || frame.intercept !== 0);

/** Whether rescale slope or intercept differ between slices. */
export const isScaledBySlice = ({ slices }: Stack): boolean =>
  slices.some(({ frame }) =>
    frame.slope !== slices[0]!.frame.slope || frame.intercept !== slices[0]!.frame.intercept
  );

/** Allocates the voxels. @throws {AppError} reason `volume_too_large`, before the allocation. */
function allocate(stack: Stack): VoxelArray {
  const { header } = stack.slices[0]!.source, count = stack.shape.reduce((a, b) => a * b, 1);
  const isFloat = isScaled(stack), bytes = isFloat ? 4 : header.bitsAllocated / 8;
  if (count * (bytes + 4) > MAX_BYTES) {
    const millions = Math.round(count / 1e6);
    throw rejected("volume_too_large", `Cannot convert series: ${millions} million voxels`, {
      millions,
      maximum: Math.floor(MAX_BYTES / (bytes + 4) / 1e6),
    });
  }
  if (isFloat) return new Float32Array(count);
  if (header.bitsAllocated === 8) {
    return header.isSigned ? new Int8Array(count) : new Uint8Array(count);
  }
  return header.isSigned ? new Int16Array(count) : new Uint16Array(count);
}

/** Writes slices into the volume, and collects its value range and padding voxels. */
class Filler {
  /** padding voxels, one bit each */
  readonly #padded: Uint8Array | undefined;
  #lowest = Infinity;
  #highest = -Infinity;
  #hasPadding = false;
  readonly #bits = new BitsCheck();
  readonly #lost = new LostPixels();
  readonly #labels = new LabelCheck();

  constructor(readonly stack: Stack, readonly grid: Grid, readonly voxels: VoxelArray) {
    const hasPadding = stack.slices.some(({ source }) => source.header.padding !== undefined);
    if (hasPadding) this.#padded = new Uint8Array(Math.ceil(voxels.length / 8));
  }

  put(k: number, stored: StoredValues): void {
    const { source: { header }, frame } = this.stack.slices[k]!, { columns, rows } = header;
    const format = bitFormatOf(header);
    // rounded to single precision, as in NIfTI headers
    const slope = Math.fround(frame.slope), intercept = Math.fround(frame.intercept);
    const padding = paddingMask(stored, header);
    this.#bits.add(stored, header);
    this.#lost.add(k, stored, columns);
    this.#labels.add(stored, columns);
    const { start, steps } = this.grid;
    for (let row = 0, from = 0; row < rows; row++) {
      let to = start + row * steps[1] + k * steps[2];
      for (let column = 0; column < columns; column++, from++, to += steps[0]) {
        const voxel = valueOf(stored[from]!, format) * slope + intercept;
        this.voxels[to] = voxel;
        if (padding?.[from]) {
          this.#padded![to >> 3]! |= 1 << (to & 7);
          this.#hasPadding = true;
        } else {
          if (voxel < this.#lowest) this.#lowest = voxel;
          if (voxel > this.#highest) this.#highest = voxel;
        }
      }
    }
  }

  /**
   * Checks the pixels of the complete stack; call this after the last slice was added.
   * @throws {AppError} reasons `bits_stored`, `lost_pixels`, `label_map`.
   */
  checkPixels(): void {
    this.#bits.finish();
    this.#lost.finish();
    this.#labels.finish();
  }

  get isInLowestBits(): boolean {
    return this.#bits.isInLowestBits;
  }

  /**
   * Inverts a MONOCHROME1 volume, so that the highest value (air) becomes 0;
   * if the array type cannot hold that range, air becomes the type's lowest value.
   * @returns value from which all values were subtracted.
   */
  invert(): number {
    const lowest = this.#lowest, highest = this.#highest;
    if (highest === -Infinity) return 0;
    const isWide = this.voxels.constructor !== Float32Array &&
      highest - lowest >= 2 ** (8 * this.voxels.BYTES_PER_ELEMENT - 1);
    const from = isWide && lowest < 0 ? lowest + highest : highest;
    for (let at = 0; at < this.voxels.length; at++) this.voxels[at] = from - this.voxels[at]!;
    [this.#lowest, this.#highest] = [from - highest, from - lowest];
    return from;
  }

  /** Sets padding voxels to the image's lowest value, unless they are dark. @returns that value. */
  clearPadding(): number | undefined {
    const padded = this.#padded;
    if (!padded || !this.#hasPadding || this.#lowest === Infinity) return undefined;
    let isReplaced = false;
    for (let at = 0; at < this.voxels.length; at++) {
      if (!(padded[at >> 3]! & 1 << (at & 7))) continue;
      const value = this.voxels[at]!;
      if (value >= Math.min(0, this.#lowest) && value <= this.#lowest) continue;
      this.voxels[at] = this.#lowest;
      isReplaced = true;
    }
    return isReplaced ? this.#lowest : undefined;
  }
}

/** Converts an unsigned array to a signed one if all values fit, as dcm2niix does. */
function signedWherePossible(voxels: VoxelArray): VoxelArray {
  if (!(voxels instanceof Uint16Array) || voxels.some((value) => value > 32767)) return voxels;
  return new Int16Array(voxels.buffer as ArrayBuffer, voxels.byteOffset, voxels.length);
}

/**
 * Reads all slices into a volume, with only one file in memory. Unused bits are masked, slope
 * and intercept of each slice applied, MONOCHROME1 inverted, and padding set to background.
 *
 * @throws {AppError} `upload.format_not_supported`, reasons `volume_too_large`, `bits_stored`,
 * `lost_pixels`, `label_map`, `transfer_syntax` for frames with another compression, `conversion`
 * for a damaged frame. Disk errors are not converted.
 */
export async function buildVolume(stack: Stack): Promise<BuiltVolume> {
  const { header } = stack.slices[0]!.source;
  const grid = outputGrid(stack.shape, stack.rasFromIjk, header.acquisitionType === "3D");
  const filler = new Filler(stack, grid, allocate(stack));
  for (const [source, slices] of Map.groupBy(stack.slices.entries(), ([, slice]) => slice.source)) {
    const reader = await openFrames(source.path, source.header);
    try {
      for (const [k, { frame }] of slices) filler.put(k, await reader.read(frame.number));
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw rejected("conversion", `Cannot read a frame: ${String(error)}`, {}, { cause: error });
    } finally {
      reader.close();
    }
  }
  filler.checkPixels();
  const inverseOf = header.photometric === "MONOCHROME1" ? filler.invert() : undefined;
  const background = filler.clearPadding();
  return {
    volume: {
      voxels: signedWherePossible(filler.voxels),
      shape: grid.shape,
      // rounded to 32 bits, as in the NIfTI file that a site stores:
      // the command line stores no file, but must give identical results
      rasFromIjk: grid.rasFromIjk.map(Math.fround) as typeof grid.rasFromIjk,
    },
    grid,
    background,
    inverseOf,
    isInLowestBits: filler.isInLowestBits,
  };
}
