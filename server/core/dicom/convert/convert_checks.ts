import { AppError } from "@/model/errors.ts";
import {
  type Affine,
  applyAffine,
  compose,
  invert,
  type Shape,
  spacingMm,
  type Vec3,
} from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { cornersOf, stackPositionMm } from "@/server/core/dicom/read/geometry.ts";
import { type InstanceHeader, isNativeSyntax } from "@/server/core/dicom/read/instance.ts";
import { decodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { rejected } from "@/server/core/dicom/read/verdict.ts";

/** A file of the series with its slices' place in the stack. */
export interface Source {
  path: string;
  header: InstanceHeader;
}

const sizes = (shape: Shape) => shape.toSorted((a, b) => a - b).join("×");

/**
 * The one output that holds every slice; dcm2niix writes several when it takes slices for different images.
 * @throws {AppError} `upload.format_not_supported`, reason `conversion`.
 */
export function pickVolume(outputs: readonly Uint8Array[], shape: Shape): Volume {
  const volumes: Volume[] = [];
  for (const output of outputs) {
    try {
      const volume = decodeNifti(output, true);
      if (sizes(volume.shape) === sizes(shape)) volumes.push(volume);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
  if (volumes.length !== 1 || outputs.length !== 1) {
    throw rejected(
      "conversion",
      `Cannot convert series: ${outputs.length} outputs, ${volumes.length} complete`,
    );
  }
  return volumes[0]!;
}

const mismatch = (message: string) => rejected("geometry_mismatch", `Cannot trust geometry: ${message}`);

/**
 * Every corner of the header's grid must be a corner of the volume, within 1 % of the smallest voxel side.
 * @throws {AppError} `upload.format_not_supported`, reason `geometry_mismatch`.
 */
export function checkCorners(volume: Volume, shape: Shape, rasFromIjk: Affine<"Ras", "Ijk">): void {
  const toleranceMm = 0.01 * Math.min(...spacingMm(rasFromIjk));
  const have = cornersOf(volume.shape).map((c) => applyAffine(volume.rasFromIjk, c));
  for (const corner of cornersOf(shape)) {
    const wanted = applyAffine(rasFromIjk, corner);
    const nearest = Math.min(...have.map((p) => Math.hypot(...p.map((x, axis) => x - wanted[axis]!))));
    if (nearest > toleranceMm) throw mismatch(`corners differ by ${nearest.toFixed(3)} mm`);
  }
}

/** Slices looked at, as parts of the stack. */
const PROBED = [0.3, 0.5, 0.7];
const PROBES_PER_AXIS = 48;

/**
 * Stored pixels of three uncompressed slices against the volume's voxels at the same place in the patient:
 * their correlation must be 1 (the scale may differ by the maker's private slope). Compressed and multi-frame
 * series are judged by their corners alone.
 * @throws {AppError} as {@link checkCorners}.
 */
export async function checkVoxels(
  volume: Volume,
  rasFromIjk: Affine<"Ras", "Ijk">,
  sources: readonly Source[],
): Promise<void> {
  if (!sources.every((s) => isNativeSyntax(s.header.transferSyntax) && s.header.frameCount === 1)) return;
  const sorted = sources.toSorted((a, b) =>
    stackPositionMm(a.header.planes[0]!) - stackPositionMm(b.header.planes[0]!)
  );
  const volumeFromStack = compose(invert(volume.rasFromIjk), rasFromIjk);
  const [nx, ny] = volume.shape;
  for (const part of PROBED) {
    const k = Math.round(part * (sorted.length - 1));
    const { path, header } = sorted[k]!;
    const pixelAt = storedPixels(await Deno.readFile(path), header);
    const stored: number[] = [], converted: number[] = [];
    for (let p = 0; p < PROBES_PER_AXIS * PROBES_PER_AXIS; p++) {
      const i = Math.floor(((p % PROBES_PER_AXIS) + 0.5) / PROBES_PER_AXIS * header.columns);
      const j = Math.floor((Math.floor(p / PROBES_PER_AXIS) + 0.5) / PROBES_PER_AXIS * header.rows);
      const at = applyAffine(volumeFromStack, [i, j, k]).map(Math.round) as Vec3;
      stored.push(pixelAt(i, j));
      converted.push(volume.voxels[at[0] + nx * (at[1] + ny * at[2])] ?? NaN);
    }
    const r = correlation(stored, converted);
    if (!(r > 0.9999)) throw mismatch(`voxels of slice ${k} correlate ${r.toFixed(4)} with the file`);
  }
}

function storedPixels(bytes: Uint8Array, header: InstanceHeader): (column: number, row: number) => number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { offset, isBigEndian } = header.pixels!;
  return (column, row) => {
    const index = column + header.columns * row;
    if (header.bitsAllocated === 8) return view.getUint8(offset + index);
    const at = offset + 2 * index;
    return header.isSigned ? view.getInt16(at, !isBigEndian) : view.getUint16(at, !isBigEndian);
  };
}

/** Pearson's r; 1 when both are constant. */
function correlation(x: readonly number[], y: readonly number[]): number {
  const mean = (v: readonly number[]) => v.reduce((s, a) => s + a, 0) / v.length;
  const mx = mean(x), my = mean(y);
  let sxy = 0, sxx = 0, syy = 0;
  for (const [i, a] of x.entries()) {
    const b = y[i]!;
    sxy += (a - mx) * (b - my);
    sxx += (a - mx) ** 2;
    syy += (b - my) ** 2;
  }
  return sxx === 0 && syy === 0 ? 1 : sxy / Math.sqrt(sxx * syy);
}
