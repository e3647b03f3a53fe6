// Composing panes on every plane, with and without each kind of overlay.
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

/** Side of a pane, pixels. */
const SIZE = 512;
const OVERLAYS: readonly [words: string, type: ViewerType, isVisible: boolean][] = [
  ["base only", "parcellation", false],
  ["with overlay", "parcellation", true],
  ["with thickness", "corticalThickness", true],
  ["with lesions", "wmh", true],
];

/** Largest difference between two panes in any colour channel. */
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
      // other overlays differ only in colour table and values, so they are measured on one plane
      if (plane !== "axial" && type !== "parcellation") continue;
      scene.type = type;
      scene.overlays[type] = { isVisible, opacityPercent: 60 };
      // both functions read the same memory: two copies would evict each other from the caches;
      // composing once first lets the composer allocate, which moves the arrays
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
