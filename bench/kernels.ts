// Speed of the image kernels against the best plain JavaScript and against a copy of the same bytes.
// deno run -A bench/kernels.ts [--json FILE]
import { gzipSync } from "node:zlib";
import { finish, type Row } from "@/bench/record.ts";
import { affineFromRows, type Shape } from "@/model/geometry.ts";
import { LABEL_COUNT, regionOf } from "@/model/regions.ts";
import { createComposer } from "@/viewer/compose.ts";
import { gridOf } from "@/viewer/grid.ts";
import {
  createPaneMapping,
  createScene,
  mapPane,
  type PaneMapping,
  PLANES,
  type Scene,
} from "@/viewer/scene.ts";

const WASM = new URL("../wasm/pkg/kernels/bind_browser_bg.wasm", import.meta.url);
const SIZE = 512, ROUNDS = 60, SHAPE: Shape = [192, 224, 208];

/** Other programs only ever slow a run down: the best one is the kernel. */
const best = (values: number[]) => Math.min(...values);

/** ms of a call, after warming up. */
function time(call: () => void): number {
  for (let n = 0; n < 10; n++) call();
  return best(Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    call();
    return performance.now() - start;
  }));
}

/** The same pane in plain JavaScript: per-column tables, typed arrays, a window table, one pass. */
function plainCompose(
  base: Uint8Array,
  labels: Uint8Array,
  table: Uint32Array,
  mapping: PaneMapping,
  scene: Scene,
  out: Uint32Array,
): void {
  const strides = [1, SHAPE[0], SHAPE[0] * SHAPE[1]];
  const { across, down, through, width, height } = mapping;
  const alpha = scene.overlays.parcellation.isVisible
    ? Math.round(scene.overlays.parcellation.opacityPercent * 2.55)
    : 0;
  const scale = 255 / (scene.window.width - 1), centre = scene.window.level - 0.5;
  const column = new Int32Array(width * 3), fraction = new Float32Array(width);
  for (let x = 0; x < width; x++) {
    const at = mapping.origin[across]! + x * mapping.du[across]!;
    const inside = Math.min(Math.max(at, 0), SHAPE[across]! - 1), first = Math.floor(inside);
    const nearest = Math.floor(at + 0.5);
    column[x * 3] = first * strides[across]!;
    column[x * 3 + 1] = Math.min(first + 1, SHAPE[across]! - 1) * strides[across]!;
    column[x * 3 + 2] = nearest < 0 || nearest >= SHAPE[across]! ? -1 : nearest * strides[across]!;
    fraction[x] = inside - first;
  }
  for (let y = 0, pixel = 0; y < height; y++) {
    const at = mapping.origin[down]! + y * mapping.dv[down]!, nearest = Math.floor(at + 0.5);
    const isRowInside = nearest >= 0 && nearest < SHAPE[down]!;
    const inside = Math.min(Math.max(at, 0), SHAPE[down]! - 1),
      first = Math.floor(inside),
      t = inside - first;
    const slice = mapping.slice * strides[through]!;
    const upper = slice + first * strides[down]!;
    const lower = slice + Math.min(first + 1, SHAPE[down]! - 1) * strides[down]!;
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
      const r = ((rgb & 255) * alpha + under) / 255 | 0, g = ((rgb >> 8 & 255) * alpha + under) / 255 | 0;
      out[pixel] = 0xff000000 | (((rgb >> 16 & 255) * alpha + under) / 255 << 16) | (g << 8) | r;
    }
  }
}

/** Largest difference of a channel between two panes. */
function difference(a: Uint8ClampedArray, b: Uint8ClampedArray): number {
  let most = 0;
  for (let n = 0; n < a.length; n++) most = Math.max(most, Math.abs(a[n]! - b[n]!));
  return most;
}

function run(bytes: Uint8Array<ArrayBuffer>): Row[] {
  const voxels = SHAPE[0] * SHAPE[1] * SHAPE[2];
  const base = Uint8Array.from({ length: voxels }, (_, v) => 128 + 100 * Math.sin(v / 37) + (v * 31 % 17));
  const labels = Uint8Array.from({ length: voxels }, (_, v) => (v / 9 | 0) % (LABEL_COUNT + 40));
  for (let v = 0; v < voxels; v++) if (labels[v]! >= LABEL_COUNT) labels[v] = 0;
  const table = Uint32Array.from({ length: LABEL_COUNT }, (_, label) => {
    const [r, g, b] = regionOf(label)?.rgb ?? [0, 0, 0];
    return (b << 16) | (g << 8) | r;
  });
  const grid = gridOf(SHAPE, affineFromRows([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]));
  const scene = createScene(grid), composer = createComposer(new WebAssembly.Module(bytes), SHAPE);
  composer.volume("t1w").set(base);
  composer.volume("labels").set(labels);
  const out = new Uint32Array(SIZE * SIZE), copy = new Uint8Array(SIZE * SIZE * 4);
  const rows: Row[] = [];
  const row = (
    name: string,
    value: number,
    unit: string,
    baseline: number | null,
    bar: string,
    ok: boolean,
  ) =>
    rows.push({
      suite: "kernels",
      name,
      value: Number(value.toFixed(4)),
      unit,
      baseline: baseline === null ? null : Number(baseline.toFixed(4)),
      ratio: baseline === null ? null : Number((value / baseline).toFixed(3)),
      bar,
      ok,
    });
  for (const [pane, plane] of PLANES.entries()) {
    const mapping = createPaneMapping(plane);
    composer.sizePane(pane, SIZE, SIZE);
    mapPane(mapping, scene, grid, SIZE, SIZE);
    for (const isVisible of [false, true]) {
      scene.overlays.parcellation = { isVisible, opacityPercent: 60 };
      const ms = time(() => composer.compose(pane, mapping, scene));
      const plainMs = time(() => plainCompose(base, labels, table, mapping, scene, out));
      const isRight = difference(composer.pixels(pane), new Uint8ClampedArray(out.buffer)) <= 1;
      const name = `compose ${plane} 512² ${isVisible ? "with overlay" : "base only"}, against plain JS`;
      row(name, ms, "ms", plainMs, "right answer, ratio < 1", isRight && ms < plainMs);
    }
  }
  const copyMs = time(() => copy.set(new Uint8Array(out.buffer)));
  row("copy of 512² RGBA, the memory limit", copyMs, "ms", null, "-", true);
  const zipped = gzipSync(bytes, { level: 9 }).length / 1000;
  row("kernels WASM, gzip", zipped, "kB", 60, "≤ 60 kB", zipped <= 60);
  composer.close();
  return rows;
}

const rows = run(await Deno.readFile(WASM));
finish("deno task bench kernels --json FILE", "synthetic 256³ volume with label map", rows);
