// Finding the label under the pointer, at random points of every pane.
import { addRow, type Kit, type Samples, timed } from "@/bench/kernel_runs/kernel_kit.ts";
import { medianOf } from "@/viewer/bench/paired_timing.ts";
import { createPicked, pick } from "@/viewer/slices/marks/pick.ts";
import { createPaneMapping, createScene, mapPane, PLANES } from "@/viewer/scene.ts";
import { valueUnder } from "@/viewer/voxel_kernels.ts";

const SIZE = 512, POINTS = 10_000;
/** Maximum duration of a search, ms, so that the delay is not noticeable. */
const MAX_MS = 4;

export function rows(kit: Kit): void {
  const { composer, grid, labels } = kit, scene = createScene(grid), picked = createPicked();
  const mappings = PLANES.map((plane) => {
    const mapping = createPaneMapping(plane);
    mapPane(mapping, scene, grid, SIZE, SIZE);
    return mapping;
  });
  // low-discrepancy sequence (R2), which covers the pane evenly
  const points = Array.from(
    { length: POINTS },
    (_, n) => [n * 0.754877666 % 1 * SIZE | 0, n * 0.569840291 % 1 * SIZE | 0] as const,
  );
  const atEvery = (value: (pane: number, x: number, y: number) => number): number => {
    let sum = 0;
    for (let n = 0; n < POINTS; n++) sum += value(n % 3, points[n]![0] + 0.5, points[n]![1] + 0.5);
    return sum;
  };
  const inKernel = (pane: number, x: number, y: number) =>
    valueUnder(composer, "labels", mappings[pane]!, x, y);
  const inPage = (pane: number, x: number, y: number) => {
    pick(picked, mappings[pane]!, grid, labels, x, y);
    return picked.isInside ? picked.label : -1;
  };
  const [ms, plainMs] = timed([() => atEvery(inKernel), () => atEvery(inPage)]) as [
    Samples,
    Samples,
  ];
  let isRight = true;
  atEvery((pane, x, y) => {
    isRight &&= inKernel(pane, x, y) === inPage(pane, x, y);
    return 0;
  });
  const bar = `right answer, ≤ ${MAX_MS} ms a pick`;
  addRow(kit, `region pick, ${POINTS} points, the page's own`, plainMs, null, {
    most: 1,
    isRight: isRight && medianOf(plainMs) / POINTS <= MAX_MS,
    bar,
  });
  addRow(kit, `region pick, ${POINTS} points, the kernel's against the page's own`, ms, plainMs, {
    isRight,
  });
}
