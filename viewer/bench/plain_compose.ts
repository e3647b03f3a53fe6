import type { Shape } from "@/model/geometry.ts";
import type { PaneMapping, Scene } from "@/viewer/scene.ts";

/**
 * Image compositor in the fastest plain JavaScript that we know, the benchmark's reference:
 * per-column tables, typed arrays, one pass. The overlay shows all values above the base image.
 *
 * @param shape Shape of both volumes, [nx, ny, nz], i fastest.
 * Every label in `labels` must have a colour in `table`.
 * @param table Colours by label, little-endian RGB.
 * @param out   RGBA words of the pane, rows from the top.
 */
export function plainCompose(
  shape: Shape,
  base: Uint8Array,
  labels: Uint8Array,
  table: Uint32Array,
  mapping: PaneMapping,
  scene: Scene,
  out: Uint32Array,
): void {
  const strides = [1, shape[0], shape[0] * shape[1]];
  const { across, down, through, width, height } = mapping;
  const overlay = scene.overlays[scene.type];
  const alpha = overlay.isVisible ? Math.round(overlay.opacityPercent * 2.55) : 0;
  const scale = 255 / (scene.window.width - 1), centre = scene.window.level - 0.5;
  const column = new Int32Array(width * 3), fraction = new Float32Array(width);
  for (let x = 0; x < width; x++) {
    const at = mapping.origin[across]! + x * mapping.du[across]!;
    const inside = Math.min(Math.max(at, 0), shape[across]! - 1), first = Math.floor(inside);
    const nearest = Math.floor(at + 0.5);
    column[x * 3] = first * strides[across]!;
    column[x * 3 + 1] = Math.min(first + 1, shape[across]! - 1) * strides[across]!;
    column[x * 3 + 2] = nearest < 0 || nearest >= shape[across]! ? -1 : nearest * strides[across]!;
    fraction[x] = inside - first;
  }
  for (let y = 0, pixel = 0; y < height; y++) {
    const at = mapping.origin[down]! + y * mapping.dv[down]!, nearest = Math.floor(at + 0.5);
    const isRowInside = nearest >= 0 && nearest < shape[down]!;
    const inside = Math.min(Math.max(at, 0), shape[down]! - 1),
      first = Math.floor(inside),
      t = inside - first;
    const slice = mapping.slice * strides[through]!;
    const upper = slice + first * strides[down]!;
    const lower = slice + Math.min(first + 1, shape[down]! - 1) * strides[down]!;
    const row = slice + nearest * strides[down]!;
    for (let x = 0; x < width; x++, pixel++) {
      const c = column[x * 3 + 2]!;
      if (!isRowInside || c < 0) {
        out[pixel] = 0xff000000;
        continue;
      }
      const a = column[x * 3]!, b = column[x * 3 + 1]!, f = fraction[x]!;
      const u = base[upper + a]! + (base[upper + b]! - base[upper + a]!) * f;
      const l = base[lower + a]! + (base[lower + b]! - base[lower + a]!) * f;
      const grey = Math.min(Math.max((u + (l - u) * t - centre) * scale + 127.5, 0), 255) + 0.5 | 0;
      const label = alpha === 0 ? 0 : labels[row + c]!;
      if (label === 0) {
        out[pixel] = 0xff000000 | grey * 0x010101;
        continue;
      }
      const rgb = table[label]!, under = grey * (255 - alpha) + 127;
      const r = ((rgb & 255) * alpha + under) / 255 | 0,
        g = ((rgb >> 8 & 255) * alpha + under) / 255 | 0;
      out[pixel] = 0xff000000 | (((rgb >> 16 & 255) * alpha + under) / 255 << 16) | (g << 8) | r;
    }
  }
}
