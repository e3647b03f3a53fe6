// Checks that every pixel of a mask has its label's colour, and that the label under the pointer is
// the drawn one; for tests and the benchmark.
import { affineFromRows, type Shape } from "@/model/geometry.ts";
import { createComposer } from "@/viewer/slices/compose.ts";
import { gridOf } from "@/viewer/grid.ts";
import { createPicked, pick } from "@/viewer/slices/marks/pick.ts";
import { createPaneMapping, createScene, mapPane, PLANES } from "@/viewer/scene.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";

const SHAPE: Shape = [61, 53, 47];
const PANE = { width: 240, height: 200 };

/** A composer with random labels below `values`, half of them background, over greys 1..255. */
function composerOf(module: WebAssembly.Module, values: number, random: Random) {
  const composer = createComposer(module, SHAPE), labels = composer.volume("labels");
  for (let v = 0; v < labels.length; v++) {
    labels[v] = random.uniform() < 0.5 ? 0 : Math.floor(random.uniform() * values);
  }
  const base = composer.volume("t1w");
  for (let v = 0; v < base.length; v++) base[v] = 1 + Math.floor(random.uniform() * 255);
  return composer;
}

const grid = gridOf(SHAPE, affineFromRows([[1, 0, 0, -30], [0, -1.2, 0, 30], [0, 0, 1.1, -25]]));

/** A different view in each round: zoom, pan and slice. */
function viewOf(round: number, random: Random) {
  const scene = createScene(grid), plane = PLANES[round % 3]!, mapping = createPaneMapping(plane);
  scene.overlays.parcellation.isVisible = true;
  const pan = () => random.uniform() * 20 - 10;
  Object.assign(scene.views[plane], {
    zoom: 0.5 + random.uniform() * 8,
    panXMm: pan(),
    panYMm: pan(),
  });
  for (let r = 0; r < 3; r++) scene.crosshairMm[r]! += random.uniform() * 30 - 15;
  mapPane(mapping, scene, grid, PANE.width, PANE.height);
  return { scene, mapping };
}

/**
 * Number of pixels that, with masks at 100 % opacity, are neither a colour of the table nor, for
 * label 0, a grey of the base image.
 *
 * @param module The compiled kernels.
 * @param values Number of labels, 1..256: 0..values − 1, none of them grey in the colour table.
 */
export function coloursNotInTable(module: WebAssembly.Module, values: number): number {
  const random = new Random(values), composer = composerOf(module, values, random);
  const table = composer.table("parcellation"), colours = new Set<number>();
  // red never equals blue, so that no colour of the table is a grey
  for (let value = 0; value < 256; value++) {
    table[value] = (0xff000000 | (255 - value) << 16 | 128 << 8 | value) >>> 0;
  }
  for (let value = 1; value < values; value++) colours.add(table[value]!);
  composer.sizePane(0, PANE.width, PANE.height);
  const picked = createPicked();
  let wrong = 0;
  for (let round = 0; round < 12; round++) {
    const { scene, mapping } = viewOf(round, random);
    composer.compose(0, mapping, scene);
    const { buffer, byteOffset } = composer.pixels(0), labels = composer.labels;
    const words = new Uint32Array(buffer, byteOffset, PANE.width * PANE.height);
    for (const [at, word] of words.entries()) {
      pick(picked, mapping, grid, labels, at % PANE.width + 0.5, Math.floor(at / PANE.width) + 0.5);
      const isGrey = (word & 255) === (word >> 8 & 255) && (word & 255) === (word >> 16 & 255);
      if (picked.label === 0 ? !isGrey : word !== table[picked.label] || !colours.has(word)) {
        wrong++;
      }
    }
  }
  composer.close();
  return wrong;
}

/** Number of random points at which the picked label differs from the label drawn there. */
export function labelsNotDrawn(module: WebAssembly.Module, points: number): number {
  const random = new Random(7), composer = composerOf(module, 105, random);
  const table = composer.table("parcellation");
  for (let value = 0; value < 256; value++) {
    table[value] = (0xff000000 | 200 << 16 | 100 << 8 | value) >>> 0;
  }
  composer.sizePane(0, PANE.width, PANE.height);
  const picked = createPicked(), perView = 100;
  let wrong = 0;
  for (let round = 0; round < points / perView; round++) {
    const { scene, mapping } = viewOf(round, random);
    composer.compose(0, mapping, scene);
    const pixels = composer.pixels(0), labels = composer.labels;
    for (let n = 0; n < perView; n++) {
      const x = random.uniform() * PANE.width, y = random.uniform() * PANE.height;
      const at = (Math.floor(y) * PANE.width + Math.floor(x)) * 4;
      pick(picked, mapping, grid, labels, x, y);
      const isDrawn = pixels[at + 2] === 200 && pixels[at + 1] === 100;
      if ((isDrawn ? pixels[at] : 0) !== picked.label) wrong++;
    }
  }
  composer.close();
  return wrong;
}
