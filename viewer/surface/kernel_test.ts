import assert from "node:assert/strict";
import { AppError } from "@/model/errors.ts";
import {
  createCamera,
  orbit,
  type SurfaceCamera,
  VIEW_LENGTH,
  writeView,
  zoom,
} from "@/viewer/surface/camera.ts";
import { createSurfaceKernel, MESH_REFUSALS, type SurfaceMesh } from "@/viewer/surface/kernel.ts";
import { initSync } from "@/wasm/pkg/kernels/bind_browser.js";

const root = new URL("../../", import.meta.url);
initSync({ module: await Deno.readFile(new URL("wasm/pkg/kernels/bind_browser_bg.wasm", root)) });

/** mulberry32: pseudorandom numbers, equal on all machines. */
function randomSource(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Random triangles from tiny ones to the size of the picture, some without area. */
function randomMesh(random: () => number, count: number): SurfaceMesh & { colours: Uint32Array } {
  const positions: number[] = [], normals: number[] = [];
  for (let n = 0; n < count; n++) {
    const size = 10 ** (1 + random() * 1.2), centre = [0, 1, 2].map(() => random() * 120 - 60);
    for (let corner = 0; corner < 3; corner++) {
      const isFlat = n % 13 === 0 && corner === 2;
      const place = isFlat
        ? positions.slice(-3)
        : centre.map((mm) => mm + (random() * 2 - 1) * size);
      const normal = [random() - 0.5, random() - 0.5, random() - 0.5];
      positions.push(...place);
      normals.push(...normal.map((v) => v / Math.hypot(...normal)));
    }
  }
  return {
    positions: Float32Array.from(positions),
    normals: Float32Array.from(normals),
    faces: Uint32Array.from({ length: count * 3 }, (_, n) => n),
    values: new Float32Array(count * 3),
    colours: Uint32Array.from({ length: count * 3 }, () => 0xff000000 | (random() * 2 ** 24)),
  };
}

/** Slow reference: tests every triangle at each pixel, with barycentric weights in f64. */
function naive(
  mesh: ReturnType<typeof randomMesh>,
  camera: SurfaceCamera,
  width: number,
  height: number,
) {
  const view = new Float32Array(VIEW_LENGTH);
  writeView(view, camera, width, height);
  const dot = (at: number, v: number[]) =>
    v.reduce((sum, value, r) => sum + view[at + r]! * value, 0);
  const even = (value: number) => {
    const near = Math.round(value);
    return near - value === 0.5 && near % 2 !== 0 ? near - 1 : near;
  };
  const corner = (v: number) => {
    const p = [...mesh.positions.subarray(v * 3, v * 3 + 3)],
      n = [...mesh.normals.subarray(v * 3, v * 3 + 3)];
    const [x, y, z] = [0, 4, 8].map((at) => dot(at, p) + view[at + 3]!) as [number, number, number];
    const bright = view[21]! + view[22]! * Math.max(dot(15, n), 0);
    const gleam = 255 * view[23]! * Math.max(dot(18, n), 0) ** 16;
    const rgb = [0, 8, 16].map((s) =>
      Math.round(Math.min((mesh.colours[v]! >>> s & 255) * bright + gleam, 255))
    );
    const at = [width / 2 + view[12]! * x / z, height / 2 - view[12]! * y / z];
    return {
      at: at.map((pixels) => even(pixels * 64) / 64) as [number, number],
      inverse: 1 / z,
      z,
      rgb,
    };
  };
  const triangles = Array.from(
    { length: mesh.faces.length / 3 },
    (_, n) => [0, 1, 2].map((k) => corner(n * 3 + k)),
  );
  const cross = ([ax, ay]: number[], [bx, by]: number[], [cx, cy]: number[]) =>
    (bx! - ax!) * (cy! - ay!) - (by! - ay!) * (cx! - ax!);
  return Array.from({ length: width * height }, (_, pixel) => {
    const p = [pixel % width + 0.5, Math.floor(pixel / width) + 0.5];
    let seen = { face: -1, inverse: 1 / view[14]!, rgb: [0, 0, 0] };
    for (const [face, [a, b, c]] of triangles.entries()) {
      const area = cross(a!.at, b!.at, c!.at);
      if (area >= 0) continue;
      const weights = [cross(b!.at, c!.at, p), cross(c!.at, a!.at, p), cross(a!.at, b!.at, p)].map((
        w,
      ) => w / area);
      const mix = (pick: (k: number) => number) =>
        weights.reduce((sum, w, k) => sum + w * pick(k), 0);
      if (weights.some((w) => w < 0)) continue;
      const inverse = mix((k) => [a, b, c][k]!.inverse);
      if (inverse <= seen.inverse) continue;
      seen = {
        face,
        inverse,
        rgb: [0, 1, 2].map((channel) => mix((k) => [a, b, c][k]!.rgb[channel]!)),
      };
    }
    return seen;
  });
}

Deno.test("draw() in WebAssembly agrees with the naive twin on random triangles", () => {
  const random = randomSource(0x5eed);
  let pixels = 0, wrong = 0, covered = 0;
  for (let round = 0; round < 8; round++) {
    const mesh = randomMesh(random, 120), width = 31 + 9 * round, height = 64 - 5 * round;
    const kernel = createSurfaceKernel(mesh), camera = createCamera(mesh.positions);
    // all vertices are in front of the near plane, at which only the native test cuts triangles
    camera.distance = 1.5;
    orbit(camera, 40 * round, 9 * round, 100, 100);
    kernel.colours().set(mesh.colours);
    kernel.draw(camera, width, height, false);
    const shown = kernel.pixels();
    for (const [at, seen] of naive(mesh, camera, width, height).entries()) {
      const across = (at % width + 0.5) / width, down = (Math.floor(at / width) + 0.5) / height;
      const face = kernel.faceAt(across, down), depth = kernel.depthAt(across, down);
      pixels++;
      if (seen.face >= 0) covered++;
      const isNear = seen.face < 0 ? depth === 0 : Math.abs(depth * seen.inverse - 1) < 1e-4;
      const isAlike = seen.rgb.every((value, k) => Math.abs(shown[at * 4 + k]! - value) <= 2);
      if (!isNear || (face === seen.face && !isAlike) || shown[at * 4 + 3] !== 255) wrong++;
    }
    kernel.close();
  }
  assert.ok(covered * 8 > pixels, `${covered} of ${pixels} pixels show a triangle`);
  // a vertex on the border of two samples may be rounded differently in f32
  assert.ok(wrong * 500 <= pixels, `${wrong} of ${pixels} pixels differ`);
});

Deno.test("draw() follows sizes, smooth pictures and views from inside without growing after the first", () => {
  const mesh = randomMesh(randomSource(7), 400), kernel = createSurfaceKernel(mesh);
  const camera = createCamera(mesh.positions);
  kernel.draw(camera, 120, 90, true);
  const memory = kernel.pixels().buffer;
  for (let frame = 0; frame < 60; frame++) {
    orbit(camera, 7, 3, 100, 100);
    zoom(camera, frame < 30 ? 2 : -2);
    const [width, height] = [[120, 90], [60, 45], [33, 77], [1, 1], [120, 90]][frame % 5]! as [
      number,
      number,
    ];
    kernel.draw(camera, width, height, frame % 2 === 0);
    assert.equal(kernel.pixels().length, width * height * 4);
    assert.equal(kernel.pixels().buffer, memory, "no memory is asked for while it draws");
  }
  assert.throws(() => kernel.draw(camera, 1e5, 1e5, false), RangeError);
  kernel.close();
});

Deno.test("createSurfaceKernel() refuses meshes that cannot be drawn", () => {
  const good = randomMesh(randomSource(1), 4);
  const reason = (change: Partial<SurfaceMesh>) => {
    try {
      createSurfaceKernel({ ...good, ...change }).close();
    } catch (error) {
      assert.ok(error instanceof AppError);
      return error.details.reason;
    }
  };
  assert.equal(reason({}), undefined);
  assert.equal(reason({ faces: Uint32Array.of(0, 1, 12) }), "surface.index");
  assert.equal(reason({ faces: Uint32Array.of(0, 1) }), "surface.length");
  assert.equal(reason({ normals: good.normals.subarray(3) }), "surface.length");
  assert.equal(
    reason({ positions: good.positions.map((v, n) => n === 5 ? NaN : v) }),
    "surface.coordinate",
  );
});

Deno.test("MESH_REFUSALS are the kernel's refusals", async () => {
  const rust = await Deno.readTextFile(new URL("wasm/kernels/src/raster/mesh.rs", root));
  const refusals = [...rust.matchAll(/^ {4}(\w+) = (\d+),$/gm)].map((
    [, name, n],
  ) => [Number(n), name!]);
  const ours = [...MESH_REFUSALS.entries()].slice(1).map((
    [n, code],
  ) => [n, code.replace("surface.", "")]);
  assert.deepEqual(refusals.map(([n, name]) => [n, String(name).toLowerCase()]), ours);
});
