// covers: S-138
// Left is left in a picture: a bright block in the patient's left, front and top, in all 48 storage orders.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { PNG } from "pngjs";
import { initSync } from "@/wasm/pkg/kernels/bind_browser.js";
import {
  affineFromRows,
  applyAffine,
  invert,
  rowMajor,
  type Shape,
  type Vec3,
} from "@/model/geometry.ts";
import { ORIENTATIONS } from "@/server/commands/demo/phantom/grid.ts";
import { encodeArray } from "@/server/core/analyses/service/files/npy.ts";
import { readCrossed } from "@/server/edge/first_picture/crossed_slices.ts";
import { drawPanes } from "@/server/edge/first_picture/draw_panes.ts";
import type { DrawnPane, PictureView } from "@/server/edge/first_picture/picture_view.ts";
import { gridOf } from "@/viewer/grid.ts";
import { type Convention, createScene, PLANES } from "@/viewer/scene.ts";

const module = await WebAssembly.compile(
  await Deno.readFile(new URL("../../../wasm/pkg/kernels/bind_browser_bg.wasm", import.meta.url)),
);
const { memory } = initSync({ module });
const TITLES = { axial: "Axial", coronal: "Coronal", sagittal: "Sagittal" };
/** Directions of the letters, and voxels along right, front and top. */
const RAS: Record<string, Vec3> = {
  R: [1, 0, 0],
  L: [-1, 0, 0],
  A: [0, 1, 0],
  P: [0, -1, 0],
  S: [0, 0, 1],
  I: [0, 0, -1],
};
const SIZES: Vec3 = [22, 26, 24];
const PANE = 120;

/** A volume stored as `letters` say, its middle at 0 mm; bright at the left, in front and above. */
function stored(letters: string) {
  const axes = [...letters].map((letter) => RAS[letter]!);
  const mainOf = (axis: Vec3) => axis.findIndex((part) => part !== 0);
  const shape = axes.map((axis) => SIZES[mainOf(axis)]!) as Shape;
  const rows = [0, 1, 2].map((r) => {
    const steps = axes.map((axis) => axis[r]!);
    return [...steps, -steps.reduce((sum, step, a) => sum + step * Math.floor(shape[a]! / 2), 0)];
  });
  const rasFromIjk = affineFromRows<"Ras", "Ijk">(rows as Parameters<typeof affineFromRows>[0]);
  const voxels = new Uint8Array(shape[0] * shape[1] * shape[2]).fill(40);
  const ijkFromRas = invert(rasFromIjk);
  /** Through the middle slices: every plane shows its two of three. */
  const places: Vec3[] = [[-7, 0, 0], [0, 8, 0], [0, 0, 7]];
  for (const place of places) {
    const [i, j, k] = applyAffine(ijkFromRas, place).map(Math.round) as Vec3;
    for (let dk = -2; dk <= 2; dk++) {
      for (let dj = -2; dj <= 2; dj++) {
        for (let di = -2; di <= 2; di++) {
          voxels[i + di + shape[0] * (j + dj + shape[1] * (k + dk))] = 250;
        }
      }
    }
  }
  return { shape, rasFromIjk, voxels };
}

/** Whether a place of a pane, 0..1 from its left top, is in the bright block. */
function isBright({ png }: DrawnPane, across: number, down: number): boolean {
  const { width, height, data } = PNG.sync.read(Buffer.from(png));
  const at = Math.floor(across * width) + width * Math.floor(down * height);
  return data[4 * at]! > 200;
}

/** Where a letter stands, 0..1 from the left top. */
function placeOf({ marks, width, height }: DrawnPane, letter: string): [number, number] {
  const [, x, y] = new RegExp(`x="([\\d.]+)" y="([\\d.]+)"[^>]*>${letter}</text>`).exec(marks)!;
  return [Number(x) / width, Number(y) / height];
}

async function drawn(letters: string, convention: Convention): Promise<DrawnPane[]> {
  const { shape, rasFromIjk, voxels } = stored(letters);
  const grid = gridOf(shape, rasFromIjk), { views, overlays, window } = createScene(grid);
  const at = shape.map((n) => Math.floor(n / 2)) as Vec3;
  async function* file() {
    yield encodeArray(voxels, [shape[2], shape[1], shape[0]]);
  }
  const base = await readCrossed(file(), memory, { kind: "intensity", shape, at });
  const look: PictureView["look"] = {
    type: "parcellation",
    convention,
    window,
    scale: null,
    overlays,
    views,
    isCrosshairVisible: false,
    isOneScale: true,
  };
  const view: PictureView = {
    shape,
    affine: rowMajor(rasFromIjk),
    panes: PLANES.map((plane) => ({ plane, width: PANE, height: PANE })),
    ratio: 1,
    titles: TITLES,
    crosshairMm: [0, 0, 0],
    look,
    shownValues: null,
  };
  return drawPanes(module, { view, base, overlay: null, field: null });
}

for (const convention of ["radiological", "neurological"] as const) {
  Deno.test(`drawPanes() shows left at the letter L in every storage order, ${convention}`, async () => {
    assert.equal(ORIENTATIONS.length, 48);
    const leftward = convention === "radiological" ? 1 : -1;
    for (const letters of ORIENTATIONS) {
      const [axial, coronal, sagittal] = await drawn(letters, convention);
      // pixels from the middle to each block, in voxels of the largest side: 26 voxels fill a pane
      const mm = (voxels: number) => voxels / 26;
      const expected: [DrawnPane, string, Vec3][] = [
        [axial!, "L", [leftward * 7, 0, 0]],
        [axial!, "A", [0, -8, 0]],
        [coronal!, "L", [leftward * 7, 0, 0]],
        [coronal!, "S", [0, -7, 0]],
        [sagittal!, "A", [-8, 0, 0]],
        [sagittal!, "S", [0, -7, 0]],
      ];
      for (const [pane, letter, [x, y]] of expected) {
        const name = `${letters} ${pane.plane} ${letter}`;
        assert.ok(isBright(pane, 0.5 + mm(x), 0.5 + mm(y)), `${name}: no block on its side`);
        assert.ok(!isBright(pane, 0.5 - mm(x), 0.5 - mm(y)), `${name}: a block across`);
        const [across, down] = placeOf(pane, letter);
        if (x !== 0) assert.ok((across - 0.5) * x > 0.3, `${name}: letter at ${across}`);
        if (y !== 0) assert.ok((down - 0.5) * y > 0.3, `${name}: letter at ${down}`);
      }
    }
  });
}

Deno.test("drawPanes() writes images without names, times or texts", async () => {
  for (const { png } of await drawn("RAS", "radiological")) {
    const chunks: string[] = [], view = new DataView(png.buffer);
    for (let at = 8; at < png.length; at += 12 + view.getUint32(at)) {
      chunks.push(new TextDecoder().decode(png.subarray(at + 4, at + 8)));
    }
    assert.deepEqual(chunks, ["IHDR", "IDAT", "IEND"]);
  }
});
