import type { Shape } from "@/model/geometry.ts";

const FAR = 1e9;

/**
 * Euclidean distance in voxels from each voxel centre to the nearest voxel with `isTarget` ≠ 0.
 * The distance is 0 inside the target. Exact and separable.
 * @see Felzenszwalb and Huttenlocher 2012, doi 10.4086/toc.2012.v008a019.
 */
export function distanceTo(isTarget: Uint8Array, shape: Shape): Float32Array {
  const [nx, ny, nz] = shape;
  const out = new Float32Array(isTarget.length);
  for (let i = 0; i < out.length; i++) out[i] = isTarget[i] ? 0 : FAR;
  const strides = [1, nx, nx * ny], longest = Math.max(nx, ny, nz);
  const line = new Float64Array(longest), result = new Float64Array(longest);
  const site = new Int32Array(longest), bound = new Float64Array(longest + 1);
  for (let axis = 0; axis < 3; axis++) {
    const n = shape[axis]!, step = strides[axis]!;
    const [b, c] = [0, 1, 2].filter((a) => a !== axis) as [number, number];
    for (let q = 0; q < shape[c]!; q++) {
      for (let p = 0; p < shape[b]!; p++) {
        const base = p * strides[b]! + q * strides[c]!;
        let touched = false;
        for (let i = 0; i < n; i++) {
          line[i] = out[base + i * step]!;
          touched ||= line[i]! < FAR;
        }
        if (!touched) continue;
        lowerEnvelope(line, n, result, site, bound);
        for (let i = 0; i < n; i++) out[base + i * step] = result[i]!;
      }
    }
  }
  for (let i = 0; i < out.length; i++) out[i] = Math.sqrt(out[i]!);
  return out;
}

/** Computes squared distances along one line: lower envelope of parabolas. */
function lowerEnvelope(
  line: Float64Array,
  n: number,
  result: Float64Array,
  site: Int32Array,
  bound: Float64Array,
): void {
  let k = -1;
  for (let q = 0; q < n; q++) {
    if (line[q]! >= FAR) continue;
    let s = -Infinity;
    while (k >= 0) {
      const v = site[k]!;
      s = (line[q]! + q * q - line[v]! - v * v) / (2 * (q - v));
      if (s > bound[k]!) break;
      k--;
    }
    k++;
    site[k] = q;
    bound[k] = k === 0 ? -Infinity : s;
    bound[k + 1] = Infinity;
  }
  for (let q = 0, j = 0; q < n; q++) {
    while (bound[j + 1]! < q) j++;
    result[q] = (q - site[j]!) ** 2 + line[site[j]!]!;
  }
}
