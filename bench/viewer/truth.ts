// Computes the expected content of a pane, pixel by pixel and without the kernels.
import type { Picture } from "@/bench/viewer/ours.ts";
import type { BenchVolumes } from "@/bench/viewer/phantom.ts";
import { regionOf } from "@/model/regions/regions.ts";

/** Grey value of a voxel value 0..255 with a window (PS3.3 C.11.2.1.2.1). */
function greyOf(value: number, { width, level }: Picture["window"]): number {
  const part = (value - (level - 0.5)) / (width - 1) + 0.5;
  return Math.min(Math.max(part, 0), 1) * 255;
}

/**
 * Number of wrong pixels, with all region masks at 100 %: a labelled pixel must have exactly its
 * region's colour, any other the grey of the four nearest voxels, within 1 of 255.
 */
export function wrongPixels({ shape, base, labels }: BenchVolumes, picture: Picture): number {
  const { origin, du, dv, across, down, through } = picture.mapping,
    stride = [1, shape[0], shape[0] * shape[1]];
  const slice = Math.round(origin[through]!) * stride[through]!;
  let wrong = 0;
  for (let y = 0, at = 0; y < picture.height; y++) {
    for (let x = 0; x < picture.width; x++, at += 4) {
      const u = origin[across]! + x * du[across]!, v = origin[down]! + y * dv[down]!;
      const i = Math.floor(u + 0.5), j = Math.floor(v + 0.5);
      const shown = [0, 1, 2].map((c) => picture.pixels.charCodeAt(at + c));
      let wanted: readonly number[] = [0, 0, 0], slack = 0;
      if (i >= 0 && j >= 0 && i < shape[across]! && j < shape[down]!) {
        const label = labels[slice + i * stride[across]! + j * stride[down]!]!;
        if (label !== 0) wanted = regionOf(label)!.rgb;
        else {
          const a = Math.min(Math.max(u, 0), shape[across]! - 1),
            b = Math.min(Math.max(v, 0), shape[down]! - 1);
          const value = (p: number, q: number) =>
            base[
              slice + Math.min(p, shape[across]! - 1) * stride[across]! +
              Math.min(q, shape[down]! - 1) * stride[down]!
            ]!;
          const p = Math.floor(a), q = Math.floor(b), s = a - p, t = b - q;
          const mean = (value(p, q) * (1 - s) + value(p + 1, q) * s) * (1 - t) +
            (value(p, q + 1) * (1 - s) + value(p + 1, q + 1) * s) * t;
          wanted = Array<number>(3).fill(greyOf(mean, picture.window));
          slack = 1.01;
        }
      }
      if (shown.some((channel, c) => Math.abs(channel - wanted[c]!) > slack)) wrong++;
    }
  }
  return wrong;
}

/** Number of labelled pixels; without any, a black picture would have no wrong pixel either. */
export function labelledPixels(picture: Picture): number {
  let count = 0;
  for (let at = 0; at < picture.pixels.length; at += 4) {
    const [r, g, b] = [0, 1, 2].map((c) => picture.pixels.charCodeAt(at + c));
    if (r !== g || g !== b) count++;
  }
  return count;
}
