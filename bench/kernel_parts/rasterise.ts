// Speed of the surface rasteriser on a mesh of 327,680 triangles, against the same work in plain typed-array JavaScript.
// deno run -A bench/kernel_parts/rasterise.ts [--json FILE]
import type { Kit } from "@/bench/kernel_kit.ts";
import { finish, type Row } from "@/bench/record.ts";
import { initSync } from "@/wasm/pkg/kernels/bind_browser.js";
import { foldedBall } from "@/viewer/bench/folded_ball.ts";
import { plainRasteriser } from "@/viewer/bench/plain_rasterise.ts";
import { createCamera, orbit, type SurfaceCamera } from "@/viewer/surface_camera.ts";
import { createSurfaceKernel } from "@/viewer/surface_kernel.ts";

export { foldedBall };

const WASM = new URL("../../wasm/pkg/kernels/bind_browser_bg.wasm", import.meta.url);
const FRAMES = 120, BAR_MS = 50, BAR_TIMES = 3;
/** A pane of the 2 × 2 layout at 1280 × 910, and the default canvas. */
const SIZES = [[490, 380], [1280, 720]] as const;

/**
 * ms of a frame of each while the camera turns, drawn one after the other; other programs only ever slow a frame down, so
 * the best one counts.
 */
function time(camera: SurfaceCamera, draws: readonly (() => void)[]): number[] {
  const best = draws.map(() => Infinity);
  for (let frame = 0; frame < FRAMES; frame++) {
    orbit(camera, 4, 1, 720, 720);
    for (const [n, draw] of draws.entries()) {
      const start = performance.now();
      draw();
      if (frame > 4) best[n] = Math.min(best[n]!, performance.now() - start);
    }
  }
  return best;
}

/** Part of the pixels that differ by more than 2 of 255 in a channel. */
function partThatDiffers(a: Uint8ClampedArray, b: Uint8ClampedArray): number {
  let count = 0;
  for (let n = 0; n < a.length; n += 4) {
    let most = 0;
    for (let k = 0; k < 3; k++) most = Math.max(most, Math.abs(a[n + k]! - b[n + k]!));
    if (most > 2) count++;
  }
  return count / (a.length / 4);
}

/** Rows of the suite `kernels`; the kernels must have been started. */
export function rasteriseRows(): Row[] {
  const mesh = foldedBall(7), triangles = mesh.faces.length / 3, rows: Row[] = [];
  const colours = Uint32Array.from(
    mesh.values,
    (_, n) => 0xff000000 | (n * 2654435761 >>> 8 & 0x3f3f3f) + 0x808080,
  );
  const kernel = createSurfaceKernel(mesh), camera = createCamera(mesh.positions);
  kernel.colours().set(colours);
  const [most] = SIZES.map(([width, height]) => width * height).sort((a, b) => b - a);
  const plain = plainRasteriser(mesh, colours, most!);
  for (const [width, height] of SIZES) {
    const [ms, plainMs] = time(camera, [
      () => kernel.draw(camera, width, height, false),
      () => plain.draw(camera, width, height),
    ]) as [number, number];
    const [smoothMs] = time(camera, [() => kernel.draw(camera, width, height, true)]) as [number];
    kernel.draw(camera, width, height, false);
    plain.draw(camera, width, height);
    const wrong = partThatDiffers(
      kernel.pixels(),
      new Uint8ClampedArray(plain.out.buffer, 0, width * height * 4),
    );
    const name = `rasterise ${triangles} triangles, ${width} × ${height}`;
    const row = (what: string, value: number, baseline: number | null, bar: string, ok: boolean): Row => ({
      suite: "kernels",
      name: `${name}, ${what}`,
      value: Number(value.toFixed(3)),
      unit: "ms",
      baseline: baseline === null ? null : Number(baseline.toFixed(3)),
      ratio: baseline === null ? null : Number((value / baseline).toFixed(3)),
      bar,
      ok: ok && wrong < 0.002,
    });
    rows.push(
      row("a frame of a drag", ms, null, `right answer, ≤ ${BAR_MS} ms`, ms <= BAR_MS),
      row("the smooth frame at rest", smoothMs, null, "right answer", true),
      row("against plain JS", ms, plainMs, `≤ 1/${BAR_TIMES} of plain JS`, ms * BAR_TIMES <= plainMs),
    );
  }
  kernel.close();
  return rows;
}

export const rows = (kit: Kit): void => void kit.rows.push(...rasteriseRows());

if (import.meta.main) {
  initSync({ module: await Deno.readFile(WASM) });
  finish("deno run -A bench/kernel_parts/rasterise.ts --json FILE", "folded ball", rasteriseRows());
}
