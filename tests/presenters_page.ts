// Bundled for the browser by presenters_test.ts: composes panes and shows them through both presenters.
import { choosePresenter } from "@/viewer/choose_presenter.ts";
import { createComposer } from "@/viewer/compose.ts";
import { gridOf } from "@/viewer/grid.ts";
import { createCanvasPresenter } from "@/viewer/present_canvas.ts";
import { createReglPresenter } from "@/viewer/present_regl.ts";
import type { CreatePresenter } from "@/viewer/presenter.ts";
import { createPaneMapping, createScene, mapPane } from "@/viewer/scene.ts";
import { affineFromRows, type Shape } from "@/model/geometry.ts";

/** What a canvas shows, RGBA. */
function shownBy(canvas: HTMLCanvasElement): Uint8ClampedArray {
  const copy = document.createElement("canvas");
  copy.width = canvas.width;
  copy.height = canvas.height;
  const context = copy.getContext("2d")!;
  context.drawImage(canvas, 0, 0);
  return context.getImageData(0, 0, copy.width, copy.height).data;
}

/** Largest difference, of 255, between the kernel's pixels and what each presenter shows, over several sizes. */
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
    for (const [width, height] of [[64, 64], [301, 203], [301, 203], [17, 90], [640, 391]] as const) {
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

async function chosen(forced: "canvas" | "regl" | null) {
  const { kind, reason, renderer } = await choosePresenter(forced);
  return { kind, reason, renderer };
}

Object.assign(globalThis, { largestDifferences, chosen });
