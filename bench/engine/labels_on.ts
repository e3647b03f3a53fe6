import { type Affine, compose, invert, type Shape } from "@/model/geometry.ts";
import type { EngineResult } from "@/server/core/engine/result.ts";

/**
 * Resamples the engine's labels to another grid, by nearest voxel; 0 outside of the analysed grid.
 * @param moved Maps points of the other grid to the analysed head; identity by default.
 */
export function labelsOn(
  result: EngineResult,
  to: { shape: Shape; rasFromIjk: Affine<"Ras", "Ijk"> },
  moved?: Affine<"Ras", "Ras">,
): Uint8Array {
  const rasFromIjk = moved === undefined ? to.rasFromIjk : compose(moved, to.rasFromIjk);
  const m = compose(invert(result.rasFromIjk), rasFromIjk) as unknown as Float64Array;
  const [nx, ny, nz] = to.shape, [sx, sy, sz] = result.shape, out = new Uint8Array(nx * ny * nz);
  for (let k = 0, v = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, v++) {
        const x = Math.round(m[0]! * i + m[4]! * j + m[8]! * k + m[12]!);
        const y = Math.round(m[1]! * i + m[5]! * j + m[9]! * k + m[13]!);
        const z = Math.round(m[2]! * i + m[6]! * j + m[10]! * k + m[14]!);
        if (x >= 0 && y >= 0 && z >= 0 && x < sx && y < sy && z < sz) {
          out[v] = result.labels[x + sx * (y + sy * z)]!;
        }
      }
    }
  }
  return out;
}
