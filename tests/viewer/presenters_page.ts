// Page script of presenters_test.ts: composes panes and shows them by both presenters (2D and
// WebGL).
import { choosePresenter } from "@/viewer/slices/choose_presenter.ts";
import { createComposer } from "@/viewer/slices/compose.ts";
import { gridOf } from "@/viewer/grid.ts";
import { createCanvasPresenter } from "@/viewer/slices/present_canvas.ts";
import { createReglPresenter } from "@/viewer/slices/present_regl.ts";
import type { CreatePresenter } from "@/viewer/slices/presenter.ts";
import { createPaneMapping, createScene, mapPane, PLANES, VIEWER_TYPES } from "@/viewer/scene.ts";
import { affineFromRows, type Shape } from "@/model/geometry.ts";

/** Content of a canvas, RGBA. */
function shownBy(canvas: HTMLCanvasElement): Uint8ClampedArray {
  const copy = document.createElement("canvas");
  copy.width = canvas.width;
  copy.height = canvas.height;
  const context = copy.getContext("2d")!;
  context.drawImage(canvas, 0, 0);
  return context.getImageData(0, 0, copy.width, copy.height).data;
}

/** Largest difference, 0..255, between the kernel's pixels and each presenter, at several sizes. */
async function largestDifferences(): Promise<Record<"canvas" | "regl", number>> {
  const module = await WebAssembly.compileStreaming(fetch("/kernels.wasm"));
  const shape: Shape = [40, 50, 45], voxels = 40 * 50 * 45;
  const base = Uint8Array.from({ length: voxels }, (_, v) => (v * 7919) >> 3);
  const labels = Uint8Array.from({ length: voxels }, (_, v) => Math.floor(v / 31) % 105);
  const grid = gridOf(shape, affineFromRows([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]));
  const scene = createScene(grid), mapping = createPaneMapping("coronal");
  scene.overlays.parcellation = { isVisible: true, opacityPercent: 60 };
  const composer = createComposer(module, shape);
  composer.volume("t1w").set(base);
  composer.volume("labels").set(labels);
  const differences = { canvas: 0, regl: 0 };
  const presenters: [keyof typeof differences, CreatePresenter][] = [
    ["canvas", createCanvasPresenter],
    ["regl", createReglPresenter],
  ];
  for (const [kind, create] of presenters) {
    const canvas = document.createElement("canvas");
    document.body.append(canvas);
    const presenter = create(canvas, () => {});
    for (
      const [width, height] of [[64, 64], [301, 203], [301, 203], [17, 90], [640, 391]] as const
    ) {
      composer.sizePane(0, width, height);
      scene.views.coronal.zoom *= 1.3;
      mapPane(mapping, scene, grid, width, height);
      composer.compose(0, mapping, scene);
      presenter.present(composer.pixels(0), width, height);
      const shown = shownBy(canvas), wanted = composer.pixels(0);
      if (shown.length !== wanted.length) differences[kind] = 255;
      for (let at = 0; at < wanted.length; at++) {
        differences[kind] = Math.max(differences[kind], Math.abs(shown[at]! - wanted[at]!));
      }
    }
    presenter.close();
  }
  composer.close();
  return differences;
}

/** mulberry32 generator, so that the scenes are equal in each run. */
function randomSource(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Largest difference, 0..255, between both presenters in any channel, over random scenes. */
async function differenceOfScenes(count: number): Promise<number> {
  const module = await WebAssembly.compileStreaming(fetch("/kernels.wasm")),
    random = randomSource(11);
  const shape: Shape = [40, 50, 45], voxels = 40 * 50 * 45;
  const composer = createComposer(module, shape);
  for (const slot of ["t1w", "flair"] as const) {
    composer.volume(slot).set(Uint8Array.from({ length: voxels }, () => random() * 256));
  }
  for (const slot of ["labels", "thickness", "lesions"] as const) {
    const values = slot === "labels" ? 105 : slot === "lesions" ? 3 : 256;
    composer.volume(slot).set(Uint8Array.from({ length: voxels }, () => random() * values));
  }
  const canvases = [createCanvasPresenter, createReglPresenter].map((create) => {
    const canvas = document.createElement("canvas");
    document.body.append(canvas);
    return { canvas, presenter: create(canvas, () => {}) };
  });
  const grid = gridOf(shape, affineFromRows([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]));
  let most = 0;
  for (let round = 0; round < count; round++) {
    const scene = createScene(grid), plane = PLANES[round % 3]!, mapping = createPaneMapping(plane);
    scene.type = VIEWER_TYPES[Math.floor(random() * 3)]!;
    scene.overlays[scene.type] = {
      isVisible: random() < 0.8,
      opacityPercent: Math.round(random() * 100),
    };
    Object.assign(scene.window, { width: 2 + random() * 400, level: random() * 256 });
    Object.assign(scene.views[plane], {
      zoom: 0.5 + random() * 8,
      panXMm: random() * 30 - 15,
      panYMm: random() * 30 - 15,
    });
    for (let axis = 0; axis < 3; axis++) scene.crosshairMm[axis] = random() * shape[axis]!;
    const width = 1 + Math.floor(random() * 320), height = 1 + Math.floor(random() * 240);
    composer.sizePane(0, width, height);
    mapPane(mapping, scene, grid, width, height);
    composer.compose(0, mapping, scene);
    for (const { presenter } of canvases) presenter.present(composer.pixels(0), width, height);
    const [first, second] = canvases.map(({ canvas }) => shownBy(canvas)) as [
      Uint8ClampedArray,
      Uint8ClampedArray,
    ];
    if (first.length !== width * height * 4 || second.length !== first.length) return 255;
    for (let at = 0; at < first.length; at++) {
      most = Math.max(most, Math.abs(first[at]! - second[at]!));
    }
  }
  for (const { presenter } of canvases) presenter.close();
  composer.close();
  return most;
}

/** Creates and closes many presenters, as in a long working day; then another one draws. */
function openMany(count: number): number[] {
  const pixels = new Uint8ClampedArray([10, 200, 30, 255]);
  let canvas = document.createElement("canvas");
  for (let n = 0; n < count; n++) {
    canvas = document.createElement("canvas");
    const presenter = createReglPresenter(canvas, () => {});
    presenter.present(pixels, 1, 1);
    if (n < count - 1) presenter.close();
  }
  return [...shownBy(canvas)];
}

async function chosen(forced: "canvas" | "regl" | null) {
  const { kind, reason, renderer } = await choosePresenter(forced);
  return { kind, reason, renderer };
}

Object.assign(globalThis, { openMany, largestDifferences, differenceOfScenes, chosen });
