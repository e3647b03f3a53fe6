import { type Affine, compose, type Shape } from "@/model/geometry.ts";
import type { Grid } from "@/viewer/grid.ts";

/** A volume that is brought onto another grid. */
export interface Source {
  voxels: ArrayLike<number>;
  shape: Shape;
  ijkFromRas: Affine<"Ijk", "Ras">;
  /** byte = (value − low) · scale */
  low: number;
  scale: number;
}

/**
 * One slice (k) of a grid from another volume, trilinear, as bytes; 0 outside.
 *
 * @param sourceFromViewer RAS mm of the source from those of the grid.
 */
export function resampleSlice(
  out: Uint8Array,
  grid: Grid,
  k: number,
  source: Source,
  sourceFromViewer: Affine<"Ras", "Ras">,
): void {
  const m = compose(compose(source.ijkFromRas, sourceFromViewer), grid.rasFromIjk);
  const { voxels, shape: [nx, ny, nz], low, scale } = source, [width, height] = grid.shape;
  const layer = nx * ny;
  for (let j = 0; j < height; j++) {
    let x = m[4]! * j + m[8]! * k + m[12]!,
      y = m[5]! * j + m[9]! * k + m[13]!,
      z = m[6]! * j + m[10]! * k + m[14]!;
    for (let i = 0; i < width; i++, x += m[0]!, y += m[1]!, z += m[2]!) {
      // half a voxel around the volume shows its border
      if (x < -0.5 || y < -0.5 || z < -0.5 || x > nx - 0.5 || y > ny - 0.5 || z > nz - 0.5) continue;
      const cx = Math.min(Math.max(x, 0), nx - 1), cy = Math.min(Math.max(y, 0), ny - 1);
      const cz = Math.min(Math.max(z, 0), nz - 1);
      const x0 = Math.floor(cx), y0 = Math.floor(cy), z0 = Math.floor(cz);
      const fx = cx - x0, fy = cy - y0, fz = cz - z0;
      const dx = fx > 0 ? 1 : 0, dy = fy > 0 ? nx : 0, dz = fz > 0 ? layer : 0;
      const at = x0 + nx * y0 + layer * z0;
      const a = voxels[at]! * (1 - fx) + voxels[at + dx]! * fx;
      const b = voxels[at + dy]! * (1 - fx) + voxels[at + dy + dx]! * fx;
      const c = voxels[at + dz]! * (1 - fx) + voxels[at + dz + dx]! * fx;
      const d = voxels[at + dz + dy]! * (1 - fx) + voxels[at + dz + dy + dx]! * fx;
      const value = (a * (1 - fy) + b * fy) * (1 - fz) + (c * (1 - fy) + d * fy) * fz;
      const byte = (value - low) * scale + 0.5;
      out[i + width * (j + height * k)] = byte <= 0 ? 0 : byte >= 255 ? 255 : byte;
    }
  }
}

/** Mean and spread of the bytes that are head, in both volumes. */
function levels(a: Uint8Array, b: Uint8Array): { a: [number, number]; b: [number, number] } {
  let n = 0, sa = 0, sb = 0, saa = 0, sbb = 0;
  for (let v = 0; v < a.length; v += 7) {
    const x = a[v]!, y = b[v]!;
    if (x < 25 || y < 25) continue;
    n++;
    sa += x;
    sb += y;
    saa += x * x;
    sbb += y * y;
  }
  const of = (sum: number, squares: number): [number, number] => {
    const mean = n ? sum / n : 0;
    return [mean, Math.sqrt(Math.max((n ? squares / n : 0) - mean * mean, 1))];
  };
  return { a: of(sa, saa), b: of(sb, sbb) };
}

/**
 * What is brighter or darker now: 128 where both are alike, up to 255 where the first is brighter, down to 1 where it is
 * darker, 0 outside of the head. Both are brought to one mean and spread before.
 */
export function differenceOf(now: Uint8Array, then: Uint8Array): Uint8Array {
  const { a, b } = levels(now, then), gain = a[1] / b[1], shift = a[0] - gain * b[0];
  const out = new Uint8Array(now.length);
  for (let v = 0; v < out.length; v++) {
    if (now[v]! < 25 && then[v]! < 25) continue;
    const difference = now[v]! - (gain * then[v]! + shift);
    out[v] = Math.min(Math.max(Math.round(128 + difference), 1), 255);
  }
  return out;
}

/** Differences below this are noise and the edges of a voxel, bytes. */
const SHOWN_FROM = 28;

/** Colours of {@link differenceOf}: red what is brighter now, blue what is darker; clear where nothing is. */
export function writeDifferenceColours(table: Uint32Array): void {
  for (let value = 0; value < 256; value++) {
    const away = value === 0 ? 0 : value - 128, strength = Math.min((Math.abs(away) - SHOWN_FROM) / 60, 1);
    const weak = Math.round(200 * (1 - Math.max(strength, 0)));
    const [r, g, b] = away > 0 ? [255, weak, 40] : [40, weak, 255];
    table[value] = (255 << 24 | b! << 16 | g! << 8 | r!) >>> 0;
  }
}

/** Values of {@link differenceOf} that are drawn. */
export const isShownDifference = (value: number): boolean => value > 0 && Math.abs(value - 128) >= SHOWN_FROM;
