// Speed of the surface rasteriser on a mesh of 327,680 triangles, against the same work in plain typed-array JavaScript.
// deno run -A bench/kernel_parts/rasterise.ts [--json FILE]
import { finish, type Row } from "@/bench/record.ts";
import { initSync } from "@/wasm/pkg/kernels/bind_browser.js";
import { createCamera, orbit, type SurfaceCamera, VIEW_LENGTH, writeView } from "@/viewer/surface_camera.ts";
import { createSurfaceKernel, type SurfaceMesh } from "@/viewer/surface_kernel.ts";

const WASM = new URL("../../wasm/pkg/kernels/bind_browser_bg.wasm", import.meta.url);
const FRAMES = 40, BAR_MS = 50, BAR_TIMES = 3;
/** A pane of the 2 × 2 layout at 1280 × 910, and the default canvas. */
const SIZES = [[490, 380], [1280, 720]] as const;

/**
 * A folded ball of 70 × 85 × 65 mm: an icosahedron whose triangles are cut into four, again and again; 20 · 4^times.
 */
export function foldedBall(times: number): SurfaceMesh {
  const g = (1 + Math.sqrt(5)) / 2;
  let points: number[][] = [[-1, g, 0], [1, g, 0], [-1, -g, 0], [1, -g, 0]]
    .flatMap(([a, b, c]) => [[a!, b!, c!], [c!, a!, b!], [b!, c!, a!]]);
  // neighbours of a regular icosahedron are 2 apart
  const near = (a: number[], b: number[]) => Math.abs(Math.hypot(...a.map((v, k) => v - b[k]!)) - 2) < 1e-6;
  let faces: number[][] = [];
  for (let a = 0; a < 12; a++) {
    for (let b = a + 1; b < 12; b++) {
      for (let c = b + 1; c < 12; c++) {
        const [p, q, r] = [points[a]!, points[b]!, points[c]!];
        if (!near(p, q) || !near(q, r) || !near(r, p)) continue;
        const turn = p[0]! * (q[1]! * r[2]! - q[2]! * r[1]!) + p[1]! * (q[2]! * r[0]! - q[0]! * r[2]!) +
          p[2]! * (q[0]! * r[1]! - q[1]! * r[0]!);
        faces.push(turn > 0 ? [a, b, c] : [a, c, b]);
      }
    }
  }
  for (let time = 0; time < times; time++) {
    const middles = new Map<number, number>(), finer: number[][] = [];
    const middle = (a: number, b: number) => {
      const key = Math.min(a, b) * 2 ** 24 + Math.max(a, b);
      let at = middles.get(key);
      if (at === undefined) {
        at = points.push(points[a]!.map((v, k) => v + points[b]![k]!)) - 1;
        middles.set(key, at);
      }
      return at;
    };
    for (const [a, b, c] of faces as [number, number, number][]) {
      const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
      finer.push([a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]);
    }
    faces = finer;
    points = points.map((p) => p.map((v) => v / Math.hypot(...p)));
  }
  const positions = new Float32Array(points.length * 3), normals = new Float32Array(points.length * 3);
  for (const [n, [x, y, z]] of (points as [number, number, number][]).entries()) {
    const fold = 1 + 0.03 * Math.sin(14 * x + 3 * Math.sin(9 * y)) * Math.cos(13 * z + 2 * Math.sin(11 * x));
    positions.set([70 * x * fold, 85 * y * fold, 65 * z * fold], n * 3);
  }
  for (const [a, b, c] of faces as [number, number, number][]) {
    const edge = (from: number, to: number, k: number) => positions[to * 3 + k]! - positions[from * 3 + k]!;
    for (let k = 0; k < 3; k++) {
      const i = (k + 1) % 3, j = (k + 2) % 3;
      const part = edge(a, b, i) * edge(a, c, j) - edge(a, b, j) * edge(a, c, i);
      for (const v of [a, b, c]) normals[v * 3 + k]! += part;
    }
  }
  for (let n = 0; n < normals.length; n += 3) {
    const length = Math.hypot(normals[n]!, normals[n + 1]!, normals[n + 2]!);
    for (let k = 0; k < 3; k++) normals[n + k]! /= length;
  }
  return {
    positions,
    normals,
    faces: Uint32Array.from(faces.flat()),
    values: new Float32Array(points.length),
  };
}

/** The same picture in plain JavaScript: typed arrays made once, one pass over vertices and one over faces. */
function plainRasteriser({ positions, normals, faces }: SurfaceMesh, colours: Uint32Array, pixels: number) {
  const vertices = positions.length / 3, view = new Float32Array(VIEW_LENGTH);
  const sx = new Int32Array(vertices), sy = new Int32Array(vertices), depth = new Float32Array(vertices);
  const shaded = new Uint32Array(vertices);
  const seen = new Float32Array(pixels), face = new Uint32Array(pixels), out = new Uint32Array(pixels);
  const draw = (camera: SurfaceCamera, width: number, height: number): void => {
    writeView(view, camera, width, height);
    const [a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3] = view as unknown as number[];
    const focal = view[12]! * 64, near = view[13]!;
    const lx = view[15]!, ly = view[16]!, lz = view[17]!, hx = view[18]!, hy = view[19]!, hz = view[20]!;
    const ambient = view[21]!, diffuse = view[22]!, specular = view[23]! * 255;
    for (let v = 0, at = 0; v < vertices; v++, at += 3) {
      const x = positions[at]!, y = positions[at + 1]!, z = positions[at + 2]!;
      const d = c0! * x + c1! * y + c2! * z + c3!;
      const inverse = d >= near ? 1 / d : 0;
      depth[v] = inverse;
      sx[v] = (a0! * x + a1! * y + a2! * z + a3!) * focal * inverse + width * 32 + 0.5;
      sy[v] = height * 32 + 0.5 - (b0! * x + b1! * y + b2! * z + b3!) * focal * inverse;
      const nx = normals[at]!, ny = normals[at + 1]!, nz = normals[at + 2]!;
      const bright = ambient + diffuse * Math.max(lx * nx + ly * ny + lz * nz, 0);
      let gleam = Math.max(hx * nx + hy * ny + hz * nz, 0);
      gleam *= gleam;
      gleam *= gleam;
      gleam *= gleam;
      gleam *= gleam;
      gleam = gleam * specular + 0.5;
      const colour = colours[v]!;
      const r = Math.min((colour & 255) * bright + gleam, 255) | 0;
      const g = Math.min((colour >> 8 & 255) * bright + gleam, 255) | 0;
      const b = Math.min((colour >> 16 & 255) * bright + gleam, 255) | 0;
      shaded[v] = 0xff000000 | (b << 16) | (g << 8) | r;
    }
    const size = width * height;
    seen.fill(1 / view[14]!, 0, size);
    face.fill(0xffffffff, 0, size);
    out.fill(0xff000000, 0, size);
    for (let at = 0, number = 0; at < faces.length; at += 3, number++) {
      const i = faces[at]!, j = faces[at + 1]!, k = faces[at + 2]!;
      const ax = sx[i]!, ay = sy[i]!, bx = sx[j]!, by = sy[j]!, cx = sx[k]!, cy = sy[k]!;
      const area = (by - ay) * (cx - ax) - (bx - ax) * (cy - ay);
      if (area <= 0) continue;
      const minX = ax < bx ? ax < cx ? ax : cx : bx < cx ? bx : cx;
      const maxX = ax > bx ? ax > cx ? ax : cx : bx > cx ? bx : cx;
      const minY = ay < by ? ay < cy ? ay : cy : by < cy ? by : cy;
      const maxY = ay > by ? ay > cy ? ay : cy : by > cy ? by : cy;
      const x0 = Math.max((minX + 31) >> 6, 0), x1 = Math.min((maxX - 32) >> 6, width - 1);
      const y0 = Math.max((minY + 31) >> 6, 0), y1 = Math.min((maxY - 32) >> 6, height - 1);
      if (x0 > x1 || y0 > y1) continue;
      const za = depth[i]!, zb = depth[j]!, zc = depth[k]!;
      if (za === 0 || zb === 0 || zc === 0) continue;
      const px = (x0 << 6) + 32, py = (y0 << 6) + 32;
      let rowA = (cy - by) * (px - bx) - (cx - bx) * (py - by);
      let rowB = (ay - cy) * (px - cx) - (ax - cx) * (py - cy);
      let rowC = (by - ay) * (px - ax) - (bx - ax) * (py - ay);
      const rightA = (cy - by) << 6, rightB = (ay - cy) << 6, rightC = (by - ay) << 6;
      const belowA = (bx - cx) << 6, belowB = (cx - ax) << 6, belowC = (ax - bx) << 6;
      const part = 1 / area, colourA = shaded[i]!, colourB = shaded[j]!, colourC = shaded[k]!;
      for (let y = y0; y <= y1; y++) {
        let a = rowA, b = rowB, c = rowC;
        for (let p = y * width + x0, end = y * width + x1; p <= end; p++) {
          if ((a | b | c) >= 0) {
            const wa = a * part, wb = b * part, wc = c * part, z = wa * za + wb * zb + wc * zc;
            if (z > seen[p]!) {
              seen[p] = z;
              face[p] = number;
              const red = (colourA & 255) * wa + (colourB & 255) * wb + (colourC & 255) * wc + 0.5 | 0;
              const green = (colourA >> 8 & 255) * wa + (colourB >> 8 & 255) * wb +
                  (colourC >> 8 & 255) * wc + 0.5 | 0;
              const blue = (colourA >> 16 & 255) * wa + (colourB >> 16 & 255) * wb +
                  (colourC >> 16 & 255) * wc + 0.5 | 0;
              out[p] = 0xff000000 | (blue << 16) | (green << 8) | red;
            }
          }
          a += rightA;
          b += rightB;
          c += rightC;
        }
        rowA += belowA;
        rowB += belowB;
        rowC += belowC;
      }
    }
  };
  return { draw, out };
}

/** ms of a frame while the camera turns; other programs only ever slow a frame down, so the best one counts. */
function time(camera: SurfaceCamera, draw: () => void): number {
  let best = Infinity;
  for (let frame = 0; frame < FRAMES; frame++) {
    orbit(camera, 4, 1, 720, 720);
    const start = performance.now();
    draw();
    if (frame > 4) best = Math.min(best, performance.now() - start);
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
    const ms = time(camera, () => kernel.draw(camera, width, height, false));
    const smoothMs = time(camera, () => kernel.draw(camera, width, height, true));
    const plainMs = time(camera, () => plain.draw(camera, width, height));
    kernel.draw(camera, width, height, false);
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

if (import.meta.main) {
  initSync({ module: await Deno.readFile(WASM) });
  finish("deno run -A bench/kernel_parts/rasterise.ts --json FILE", "folded ball", rasteriseRows());
}
