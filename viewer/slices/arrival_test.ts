// covers: S-226
import assert from "node:assert/strict";
import { affineFromRows, type Shape } from "@/model/geometry.ts";
import { ArrivedSlices, missingParts } from "@/viewer/slices/arrival.ts";
import { createComposer } from "@/viewer/slices/compose.ts";
import { gridOf } from "@/viewer/grid.ts";
import {
  createPaneMapping,
  createScene,
  mapPane,
  type PaneMapping,
  PLANES,
} from "@/viewer/scene.ts";

const wasmUrl = new URL("../../wasm/pkg/kernels/bind_browser_bg.wasm", import.meta.url);
const module = await WebAssembly.compile(await Deno.readFile(wasmUrl));
const ORDERS = [[0, 1, 2], [2, 0, 1], [1, 2, 0], [0, 2, 1], [1, 0, 2], [2, 1, 0]] as const;

/** Pseudorandom numbers in [0, 1), equal in every run. */
class Random {
  constructor(private state: number) {}
  uniform(): number {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    return this.state / 2 ** 32;
  }
}

/** A grid with axes in any order and direction, and a scene that shows any part of it. */
function randomView(random: Random, shape: Shape, round: number) {
  const rows = ORDERS[round % 6]!.map((axis) =>
    [0, 1, 2].map((a) =>
      a === axis ? (random.uniform() < 0.5 ? -1 : 1) * (0.5 + 2 * random.uniform()) : 0
    )
  );
  const grid = gridOf(shape, affineFromRows(rows.map((r) => [...r, random.uniform() * 50 - 25])));
  const scene = createScene(grid);
  scene.convention = random.uniform() < 0.5 ? "radiological" : "neurological";
  scene.overlays.parcellation = { isVisible: random.uniform() < 0.5, opacityPercent: 60 };
  for (const plane of PLANES) {
    scene.views[plane] = {
      zoom: 0.5 + 3 * random.uniform(),
      panXMm: 20 * random.uniform() - 10,
      panYMm: 20 * random.uniform() - 10,
    };
  }
  const at = shape.map((n) => Math.floor(random.uniform() * n));
  for (let r = 0; r < 3; r++) {
    scene.crosshairMm[r] = at.reduce(
      (sum, n, axis) => sum + grid.rasFromIjk[axis * 4 + r]! * n,
      grid.rasFromIjk[12 + r]!,
    );
  }
  return { grid, scene };
}

/** Slow reference: tests one pixel by the voxels that trilinear interpolation reads. */
function isMissingAt(mapping: PaneMapping, there: ReadonlySet<number>, size: number, at: number[]) {
  const k = mapping.origin[2]! + at[0]! * mapping.du[2]! + at[1]! * mapping.dv[2]!;
  if (Math.floor(k + 0.5) < 0 || Math.floor(k + 0.5) >= size) return false;
  const inside = Math.min(Math.max(k, 0), size - 1);
  return [Math.floor(inside), Math.ceil(inside)].some((slice) => !there.has(slice));
}

Deno.test("missingParts() covers exactly the pixels that read a missing slice; all others are those of the whole volume", () => {
  const random = new Random(226);
  let covered = 0, open = 0;
  for (let round = 0; round < 120; round++) {
    const size = () => 1 + Math.floor(random.uniform() * 18);
    const shape: Shape = [size(), size(), size()], voxels = shape[0] * shape[1] * shape[2];
    const volumes = { t1w: new Uint8Array(voxels), labels: new Uint8Array(voxels) };
    for (let v = 0; v < voxels; v++) {
      volumes.t1w[v] = 1 + random.uniform() * 255;
      volumes.labels[v] = random.uniform() * 105;
    }
    const whole = createComposer(module, shape), partial = createComposer(module, shape);
    const arrived = new ArrivedSlices(shape),
      there = new Set<number>(),
      slice = shape[0] * shape[1];
    for (const slot of ["t1w", "labels"] as const) whole.volume(slot).set(volumes[slot]);
    for (let slab = 0; slab < 3; slab++) {
      const first = Math.floor(random.uniform() * shape[2]);
      const count = Math.min(Math.floor(random.uniform() * 6), shape[2] - first);
      for (const slot of ["t1w", "labels"] as const) {
        const part = volumes[slot].subarray(first * slice, (first + count) * slice);
        partial.volume(slot).set(part, first * slice);
      }
      arrived.add(first * slice, count * slice);
      for (let k = first; k < first + count; k++) there.add(k);
    }
    assert.equal(arrived.isWhole, there.size === shape[2]);
    const { grid, scene } = randomView(random, shape, round);
    for (const [pane, plane] of PLANES.entries()) {
      const width = 1 + Math.floor(random.uniform() * 50),
        height = 1 + Math.floor(random.uniform() * 50);
      const mapping = createPaneMapping(plane);
      mapPane(mapping, scene, grid, width, height);
      const [full, some] = [whole, partial].map((composer) => {
        composer.sizePane(pane, width, height);
        composer.compose(pane, mapping, scene);
        return composer.pixels(pane).slice();
      });
      const { isRows, parts } = missingParts(mapping, arrived, shape[2]);
      for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
          const isCovered = parts.some(([first, end]) =>
            (isRows ? y : x) >= first && (isRows ? y : x) < end
          );
          if (isCovered !== isMissingAt(mapping, there, shape[2], [x, y])) {
            assert.fail(`round ${round}, ${plane}, ${x}, ${y}`);
          }
          if (isCovered) covered++;
          else {
            open++;
            const at = 4 * (y * width + x);
            const isSame = [0, 1, 2, 3].every((c) => some![at + c] === full![at + c]);
            if (!isSame) assert.fail(`another pixel: round ${round}, ${plane}, ${x}, ${y}`);
          }
        }
      }
    }
    whole.close();
    partial.close();
  }
  // the comparison must include many pixels of both kinds
  assert.ok(covered > 20_000 && open > 20_000, `${covered} covered, ${open} open`);
});

Deno.test("ArrivedSlices counts whole slices alone, each once", () => {
  const arrived = new ArrivedSlices([4, 5, 3]);
  arrived.add(1, 39);
  assert.deepEqual(arrived.missing(), [0, 2]);
  arrived.add(20, 20);
  arrived.add(0, 20);
  assert.deepEqual([arrived.isWhole, arrived.has(2), arrived.has(3), arrived.has(-1)], [
    false,
    false,
    false,
    false,
  ]);
  arrived.add(40, 20);
  assert.ok(arrived.isWhole);
});
