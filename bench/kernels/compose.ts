// Panes with and without overlay, on every plane; each kind of overlay.
import {
  addGain,
  addNative,
  addRow,
  type Kit,
  type Samples,
  SHAPE,
  timed,
} from "@/bench/kernel_runs/kernel_kit.ts";
import { plainCompose } from "@/viewer/bench/plain_compose.ts";
import { LAYERS } from "@/viewer/slices/compose.ts";
import {
  createPaneMapping,
  createScene,
  mapPane,
  PLANES,
  type ViewerType,
} from "@/viewer/scene.ts";

/** Pixels of a pane's side. */
const SIZE = 512;
const OVERLAYS: readonly [words: string, type: ViewerType, isVisible: boolean][] = [
  ["base only", "parcellation", false],
  ["with overlay", "parcellation", true],
  ["with thickness", "corticalThickness", true],
  ["with lesions", "wmh", true],
];

/** Largest difference of a channel between two panes. */
function difference(a: Uint8ClampedArray, b: Uint8ClampedArray): number {
  let most = 0;
  for (let n = 0; n < a.length; n++) most = Math.max(most, Math.abs(a[n]! - b[n]!));
  return most;
}

export async function rows(kit: Kit): Promise<void> {
  const { composer, grid } = kit, scene = createScene(grid);
  const out = new Uint32Array(SIZE * SIZE), copy = new Uint8Array(SIZE * SIZE * 4);
  for (const [pane, plane] of PLANES.entries()) {
    const mapping = createPaneMapping(plane);
    composer.sizePane(pane, SIZE, SIZE);
    mapPane(mapping, scene, grid, SIZE, SIZE);
    for (const [words, type, isVisible] of OVERLAYS) {
      // the kinds differ in their tables and values alone
      if (plane !== "axial" && type !== "parcellation") continue;
      scene.type = type;
      scene.overlays[type] = { isVisible, opacityPercent: 60 };
      // Both read the same bytes: two copies would push each other out of the caches. What the first picture asks for
      // moves them.
      composer.compose(pane, mapping, scene);
      const base = composer.volume(LAYERS[type].base),
        overlay = composer.volume(LAYERS[type].overlay);
      const table = composer.table(type).slice();
      const [ms, plainMs] = timed([
        () => composer.compose(pane, mapping, scene),
        () => plainCompose(SHAPE, base, overlay, table, mapping, scene, out),
      ]) as [Samples, Samples];
      const isRight = difference(composer.pixels(pane), new Uint8ClampedArray(out.buffer)) <= 1;
      const name = `compose ${plane} 512² ${words}`;
      addGain(kit, name, ms, plainMs, isRight);
      await addNative(kit, name, () => composer.compose(pane, mapping, scene));
    }
  }
  const [copyMs] = timed([() => copy.set(new Uint8Array(out.buffer))]) as [Samples];
  addRow(kit, "copy of 512² RGBA, the memory limit", copyMs, null, {});
}
