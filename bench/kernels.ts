// Speed of the image kernels against the best plain JavaScript and against a copy of the same bytes.
// deno run -A bench/kernels.ts [--json FILE]
import { gzipSync } from "node:zlib";
import { finish, type Row } from "@/bench/record.ts";
import { affineFromRows, type Shape } from "@/model/geometry.ts";
import { LABEL_COUNT, regionOf } from "@/model/regions.ts";
import { plainCompose } from "@/viewer/bench/plain_compose.ts";
import { createComposer } from "@/viewer/compose.ts";
import { gridOf } from "@/viewer/grid.ts";
import { createPaneMapping, createScene, mapPane, PLANES } from "@/viewer/scene.ts";

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
      const plainMs = time(() => plainCompose(SHAPE, base, labels, table, mapping, scene, out));
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
