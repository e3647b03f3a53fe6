// Panes with and without overlay, on every plane.
import { addGain, addRow, type Kit, SHAPE, timeAlone, timed } from "@/bench/kernel_kit.ts";
import { plainCompose } from "@/viewer/bench/plain_compose.ts";
import { createPaneMapping, createScene, mapPane, PLANES } from "@/viewer/scene.ts";

/** Pixels of a pane's side. */
const SIZE = 512;

/** Largest difference of a channel between two panes. */
function difference(a: Uint8ClampedArray, b: Uint8ClampedArray): number {
  let most = 0;
  for (let n = 0; n < a.length; n++) most = Math.max(most, Math.abs(a[n]! - b[n]!));
  return most;
}

export function rows(kit: Kit): void {
  const { composer, grid, base, labels } = kit, scene = createScene(grid);
  const table = composer.table("parcellation").slice();
  const out = new Uint32Array(SIZE * SIZE), copy = new Uint8Array(SIZE * SIZE * 4);
  for (const [pane, plane] of PLANES.entries()) {
    const mapping = createPaneMapping(plane);
    composer.sizePane(pane, SIZE, SIZE);
    mapPane(mapping, scene, grid, SIZE, SIZE);
    for (const isVisible of [false, true]) {
      scene.overlays.parcellation = { isVisible, opacityPercent: 60 };
      const [ms, plainMs] = timed([
        () => composer.compose(pane, mapping, scene),
        () => plainCompose(SHAPE, base, labels, table, mapping, scene, out),
      ]) as [number, number];
      const isRight = difference(composer.pixels(pane), new Uint8ClampedArray(out.buffer)) <= 1;
      const name = `compose ${plane} 512² ${isVisible ? "with overlay" : "base only"}`;
      timeAlone(kit, name, () => composer.compose(pane, mapping, scene));
      addGain(kit, name, ms, plainMs, isRight);
    }
  }
  const [copyMs] = timed([() => copy.set(new Uint8Array(out.buffer))]) as [number];
  addRow(kit, "copy of 512² RGBA, the memory limit", copyMs, null, {});
}
