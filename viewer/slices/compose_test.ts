import assert from "node:assert/strict";
import { affineFromRows } from "@/model/geometry.ts";
import { REGIONS } from "@/model/regions/regions.ts";
import { createComposer, writeVoxels } from "@/viewer/slices/compose.ts";
import { DEEP, jet, LESION_COLOURS } from "@/viewer/colours.ts";
import { gridOf } from "@/viewer/grid.ts";
import {
  createPaneMapping,
  createScene,
  mapPane,
  type PaneMapping,
  PLANES,
} from "@/viewer/scene.ts";
import type { Scene, ViewerType } from "@/viewer/scene.ts";
import { npy_layout } from "@/wasm/pkg/kernels/bind_browser.js";

const wasmUrl = new URL("../../wasm/pkg/kernels/bind_browser_bg.wasm", import.meta.url);
const module = await WebAssembly.compile(await Deno.readFile(wasmUrl));

/** mulberry32: pseudorandom numbers, equal on all machines. */
function randomSource(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

type Volumes = { shape: [number, number, number]; base: Uint8Array; labels: Uint8Array };

/** Slow reference of the kernel: computes one pixel by PS3.3 C.11.2.1.2.1. */
function naivePixel(
  { shape, base, labels }: Volumes,
  mapping: PaneMapping,
  scene: Scene,
  x: number,
  y: number,
): [number, number, number] {
  const p = [0, 1, 2].map((a) => mapping.origin[a]! + x * mapping.du[a]! + y * mapping.dv[a]!);
  const nearest = p.map((c) => Math.floor(c + 0.5));
  if (nearest.some((n, a) => n < 0 || n >= shape[a]!)) return [0, 0, 0];
  const index = (q: number[]) => q[0]! + shape[0] * (q[1]! + shape[1] * q[2]!);
  let value = 0;
  for (let corner = 0; corner < 8; corner++) {
    let weight = 1;
    const at = p.map((c, a) => {
      const inside = Math.min(Math.max(c, 0), shape[a]! - 1),
        low = Math.floor(inside),
        upper = corner >> a & 1;
      weight *= upper ? inside - low : 1 - (inside - low);
      return Math.min(low + upper, shape[a]! - 1);
    });
    if (weight > 0) value += weight * base[index(at)]!;
  }
  const { width: w, level: c } = scene.window;
  const grey = value <= c - 0.5 - (w - 1) / 2
    ? 0
    : value > c - 0.5 + (w - 1) / 2
    ? 255
    : ((value - (c - 0.5)) / (w - 1) + 0.5) * 255;
  const label = labels[index(nearest)]!, rgb = REGIONS.find((r) => r.label === label)?.rgb;
  const alpha = scene.overlays.parcellation.isVisible && rgb
    ? Math.round(scene.overlays.parcellation.opacityPercent * 2.55) / 255
    : 0;
  return [0, 1, 2].map((k) => grey * (1 - alpha) + (rgb?.[k] ?? 0) * alpha) as [
    number,
    number,
    number,
  ];
}

function composerOf({ shape, base, labels }: Volumes) {
  const composer = createComposer(module, shape);
  composer.volume("t1w").set(base);
  composer.volume("labels").set(labels);
  return composer;
}

function randomVolumes(random: () => number, shape: [number, number, number]): Volumes {
  const voxels = shape[0] * shape[1] * shape[2];
  return {
    shape,
    base: Uint8Array.from({ length: voxels }, () => random() * 256),
    labels: Uint8Array.from({ length: voxels }, () => random() * 105),
  };
}

Deno.test("compose() on the WASM build equals the naive twin on random volumes, grids and views", () => {
  const random = randomSource(7);
  for (let round = 0; round < 60; round++) {
    const size = () => 1 + Math.floor(random() * 20);
    const volumes = randomVolumes(random, [size(), size(), size()]);
    const order = [[0, 1, 2], [2, 0, 1], [1, 2, 0], [0, 2, 1], [1, 0, 2], [2, 1, 0]][round % 6]!;
    const rows = order.map((axis) =>
      [0, 1, 2].map((a) => a === axis ? (random() < 0.5 ? -1 : 1) * (0.5 + 2 * random()) : 0)
    );
    const grid = gridOf(volumes.shape, affineFromRows(rows.map((r) => [...r, random() * 50 - 25])));
    const scene = createScene(grid);
    scene.window.width = 2 + random() * 300;
    scene.window.level = random() * 256;
    scene.overlays.parcellation = {
      isVisible: random() < 0.7,
      opacityPercent: Math.round(random() * 100),
    };
    scene.convention = random() < 0.5 ? "radiological" : "neurological";
    const composer = composerOf(volumes);
    for (const [pane, plane] of PLANES.entries()) {
      const width = 1 + Math.floor(random() * 60), height = 1 + Math.floor(random() * 60);
      Object.assign(scene.views[plane], {
        zoom: 0.5 + random() * 5,
        panXMm: random() * 20 - 10,
        panYMm: random() * 20 - 10,
      });
      const mapping = createPaneMapping(plane);
      mapPane(mapping, scene, grid, width, height);
      composer.sizePane(pane, width, height);
      composer.compose(pane, mapping, scene);
      const pixels = composer.pixels(pane);
      assert.equal(pixels.length, width * height * 4);
      for (let at = 0; at < width * height; at++) {
        const want = naivePixel(volumes, mapping, scene, at % width, Math.floor(at / width));
        assert.equal(pixels[at * 4 + 3], 255);
        for (let k = 0; k < 3; k++) {
          const got = pixels[at * 4 + k]!;
          assert.ok(
            Math.abs(got - want[k]!) <= 1.01,
            `round ${round} ${plane} pixel ${at}: ${got}, not ${want[k]}`,
          );
        }
      }
    }
    composer.close();
  }
});

// covers: D2-4.4
Deno.test("setVisible() takes one label's colour out of the picture and gives it back", () => {
  const volumes: Volumes = {
    shape: [4, 4, 4],
    base: new Uint8Array(64).fill(10),
    labels: new Uint8Array(64).fill(13),
  };
  const grid = gridOf(volumes.shape, affineFromRows([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]));
  const scene = createScene(grid);
  scene.overlays.parcellation.isVisible = true;
  const composer = composerOf(volumes);
  const mapping = createPaneMapping("axial");
  mapPane(mapping, scene, grid, 8, 8);
  composer.sizePane(0, 8, 8);
  const centre = () => {
    composer.compose(0, mapping, scene);
    return [...composer.pixels(0).subarray((4 * 8 + 4) * 4, (4 * 8 + 4) * 4 + 3)];
  };
  const colour = [...REGIONS.find((r) => r.label === 13)!.rgb];
  assert.deepEqual(centre(), colour);
  composer.setVisible("parcellation", 13, false);
  assert.deepEqual(centre(), [10, 10, 10]);
  composer.setVisible("parcellation", 13, true);
  assert.deepEqual(centre(), colour);
  composer.close();
});

Deno.test("createComposer() refuses shapes that cannot be", () => {
  for (const shape of [[4, 0, 4], [4, 4, -1], [1.5, 4, 4], [1 << 12, 1 << 12, 1 << 12]]) {
    assert.throws(() => createComposer(module, shape as [number, number, number]), {
      code: "engine.unsupported_input",
    });
  }
});

Deno.test("compose() lays each overlay over its base; what is not loaded is black or not drawn", () => {
  const grid = gridOf([8, 8, 8], affineFromRows([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]));
  const scene = createScene(grid), composer = createComposer(module, [8, 8, 8]);
  const mapping = createPaneMapping("axial");
  mapPane(mapping, scene, grid, 8, 8);
  composer.sizePane(7, 8, 8);
  const shown = (type: ViewerType) => {
    scene.type = type;
    scene.overlays[type].isVisible = true;
    composer.compose(7, mapping, scene);
    return [...composer.pixels(7).subarray((4 * 8 + 4) * 4, (4 * 8 + 4) * 4 + 3)];
  };
  assert.deepEqual(shown("parcellation"), [0, 0, 0]);
  composer.volume("t1w").fill(10);
  composer.volume("flair").fill(20);
  assert.deepEqual([shown("parcellation"), shown("wmh")], [[10, 10, 10], [20, 20, 20]]);
  composer.volume("labels").fill(19);
  composer.volume("thickness").fill(255);
  composer.volume("lesions").fill(DEEP);
  assert.deepEqual(shown("parcellation"), [...REGIONS.find((r) => r.label === 19)!.rgb]);
  assert.deepEqual(shown("corticalThickness"), [...jet(1)]);
  assert.deepEqual(shown("wmh"), [...LESION_COLOURS[DEEP]]);
  composer.setVisible("wmh", DEEP, false);
  assert.deepEqual(shown("wmh"), [20, 20, 20]);
  composer.drop("thickness");
  assert.deepEqual([composer.has("thickness"), shown("corticalThickness")], [false, [10, 10, 10]]);
  assert.equal(composer.volume("thickness")[0], 0);
  composer.close();
});

Deno.test("npy_layout() on the WASM build reads a header and names refusals by number", () => {
  const text = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 4), }\n";
  const head = new Uint8Array([0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, text.length, 0]);
  const file = new Uint8Array([...head, ...new TextEncoder().encode(text)]);
  const kind = "u".charCodeAt(0);
  assert.deepEqual([...npy_layout(file, file.length + 24)], [
    0,
    file.length,
    kind,
    1,
    2,
    3,
    4,
    0,
    0,
  ]);
  assert.deepEqual([...npy_layout(file, file.length + 23)], [7]);
  assert.deepEqual([...npy_layout(new Uint8Array(20), 20)], [1]);
});

Deno.test("writeVoxels() writes what set() would, and no page of zeros", () => {
  const random = randomSource(77), PAGE = 4096;
  class Watched extends Uint8Array<ArrayBuffer> {
    readonly writes: [at: number, length: number][] = [];
    override set(values: ArrayLike<number>, at = 0) {
      this.writes.push([at, values.length]);
      super.set(values, at);
    }
  }
  for (let round = 0; round < 50; round++) {
    const wanted = new Uint8Array(20 * PAGE), start = Math.floor(random() * 200);
    const volume = new Watched(new ArrayBuffer(start + wanted.length), start);
    for (let run = 0; run < 6; run++) {
      const at = Math.floor(random() * wanted.length);
      wanted.fill(1 + Math.floor(random() * 255), at, at + Math.floor(random() * 6000));
    }
    for (let at = 0, length = 0; at < wanted.length; at += length) {
      length = 1 + Math.floor(random() * 15_000);
      writeVoxels(volume, at, wanted.slice(at, at + length));
    }
    assert.deepEqual(new Uint8Array(volume), wanted);
    assert.ok(volume.writes.length > 0);
    for (const [at, length] of volume.writes) {
      const [first, last] = [start + at, start + at + length - 1].map((byte) =>
        Math.floor(byte / PAGE)
      );
      assert.equal(first, last, "a write reaches into another page");
      assert.ok(
        wanted.subarray(at, at + length).some((value) => value !== 0),
        "zeros were written",
      );
    }
  }
});
