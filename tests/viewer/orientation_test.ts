// covers: S-42
// Left and right, from the scanner to the screen. The phantom passes through DICOM files,
// conversion, the engine's conform and resampling, and the viewer, in all 48 storage orders and
// three oblique ones. Side marks, mm and label under the cursor must be true for the patient.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { volumeOf } from "@/server/core/dicom/convert/series_volume.ts";
import {
  type Affine,
  affineFromRows,
  applyAffine,
  invert,
  type Shape,
  type Vec3,
} from "@/model/geometry.ts";
import { regionOf } from "@/model/regions/regions.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import {
  axes,
  type Grid as StackGrid,
  ORIENTATIONS,
  rasFromGrid,
  tilted,
} from "@/server/commands/demo/phantom/grid.ts";
import type { Head } from "@/server/commands/demo/phantom/head_types.ts";
import { keptHead } from "@/server/commands/demo/phantom/kept_head.ts";
import { makeSeries } from "@/server/commands/demo/phantom/dicom/series.ts";
import {
  labelAt,
  type Landmark,
  landmarksOf,
  truthOn,
} from "@/server/commands/demo/phantom/truth.ts";
import { directedMm } from "@/viewer/slices/marks/annotate.ts";
import { createComposer } from "@/viewer/slices/compose.ts";
import { gridOf } from "@/viewer/grid.ts";
import { marksOf } from "@/viewer/slices/orientation.ts";
import { createPicked, pick, pixelX, pixelY } from "@/viewer/slices/marks/pick.ts";
import { createPaneMapping, createScene, mapPane, PLANES } from "@/viewer/scene.ts";
import * as engineWasm from "@/wasm/pkg/engine/bind_engine.js";

const root = new URL("../../", import.meta.url);
const kernels = await WebAssembly.compile(
  await Deno.readFile(new URL("wasm/pkg/kernels/bind_browser_bg.wasm", root)),
);
engineWasm.initSync({
  module: await Deno.readFile(new URL("wasm/pkg/engine/bind_engine_bg.wasm", root)),
});
const atlas = (name: string) =>
  gunzipSync(Deno.readFileSync(new URL(`server/core/engine/atlas/${name}.npy.gz`, root)));
const engine = new engineWasm.Engine(
  atlas("template"),
  atlas("prior_labels"),
  atlas("prior_weights"),
);

const head: Head = keptHead({ resolutionMm: 2 });
const landmarks: Landmark[] = landmarksOf(head);

/**
 * A coarse stack that contains the whole head in any storage order; sizes and spacings differ by
 * axis. Oblique stacks are finer, because their voxels extend farther from the centre than the
 * tolerance.
 */
function stackOf(directions: readonly [Vec3, Vec3, Vec3]): StackGrid {
  const isOblique = directions.flat().some((x) => Math.abs(x) > 1e-9 && Math.abs(x) < 1 - 1e-9);
  const sizes = isOblique ? [100, 122, 110] : [60, 70, 64];
  const spacings = isOblique ? [1.9, 2, 2.1] : [3.2, 3.4, 3.6];
  const main = directions.map((d) =>
    d.reduce((best, x, r) => Math.abs(x) > Math.abs(d[best]!) ? r : best, 0)
  );
  return {
    shape: main.map((r) => sizes[r]!) as Shape,
    centreRasMm: [0, -14, 10],
    directions: [...directions],
    spacingMm: main.map((r) => spacings[r]!) as Vec3,
  };
}

/** Combines label and intensity in one value, so that both pass through the same processing. */
const pack = (label: number, grey: number) => label * 256 + Math.min(grey >> 3, 255);

/**
 * Writes the head as a DICOM series with these values, and converts it like an upload, but without
 * a worker. The pixels are the last bytes of a file, and are replaced.
 */
async function convertHead(stack: StackGrid, folder: string): Promise<Volume> {
  const series = makeSeries(head, {
    grid: stack,
    sliceThicknessMm: stack.spacingMm[2],
    noise: 0,
    biasField: 0,
  });
  const { labels } = truthOn(head, stack.shape, rasFromGrid(stack));
  const pixels = stack.shape[0] * stack.shape[1];
  const files = series.files.map(({ fileName, bytes }, slice) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset + bytes.byteLength - pixels * 2);
    for (let p = 0; p < pixels; p++) {
      const v = slice * pixels + p;
      view.setInt16(p * 2, pack(labels[v]!, series.voxels[v]!), true);
    }
    const path = `${folder}/${fileName}`;
    Deno.writeFileSync(path, bytes);
    return { fileName, path };
  });
  return (await volumeOf(files)).volume;
}

interface Case {
  name: string;
  directions: [Vec3, Vec3, Vec3];
}

const CASES: Case[] = [
  ...ORIENTATIONS.map((letters) => ({ name: letters, directions: axes(letters) })),
  { name: "axial, tilted 18°", directions: tilted(axes("LPS"), [18, 0, 0]) },
  { name: "sagittal, turned 11° and 7°", directions: tilted(axes("PIL"), [0, 11, 7]) },
  { name: "coronal, tilted 25°, 10° and -20°", directions: tilted(axes("LIP"), [25, 10, -20]) },
];

/** Grid of the viewer's files: RAS+, coarse for speed. */
const VIEW_SHAPE: Shape = [104, 124, 116];
const VIEW_RAS: Affine<"Ras", "Ijk"> = affineFromRows([
  [2, 0, 0, -103],
  [0, 2, 0, -137],
  [0, 0, 2, -106],
]);

/** Conforms and resamples a volume to the viewer's grid by the engine, like an analysis. */
function toViewer({ voxels, shape, rasFromIjk }: Volume): { base: Uint8Array; labels: Uint8Array } {
  const size = new Uint32Array(shape), viewSize = new Uint32Array(VIEW_SHAPE);
  const grey = new Uint8Array(voxels.length), labelMap = new Uint8Array(voxels.length);
  for (let v = 0; v < voxels.length; v++) {
    grey[v] = voxels[v]! & 255;
    labelMap[v] = voxels[v]! >> 8;
  }
  engine.conform_u8(grey, size, rasFromIjk);
  const base = engineWasm.resample_nearest_u8(
    engine.conformed(),
    new Uint32Array([256, 256, 256]),
    engine.conformed_ras_from_ijk(),
    viewSize,
    VIEW_RAS,
  );
  const labels = engineWasm.resample_nearest_u8(labelMap, size, rasFromIjk, viewSize, VIEW_RAS);
  return { base, labels };
}

/** Direction of each side mark's letter, RAS. */
const LETTER: Record<string, Vec3> = {
  R: [1, 0, 0],
  L: [-1, 0, 0],
  A: [0, 1, 0],
  P: [0, -1, 0],
  S: [0, 0, 1],
  I: [0, 0, -1],
};

/** Contradictions to the true head, as texts; empty if everything is correct. */
function disagreements(base: Uint8Array, labels: Uint8Array): string[] {
  const wrong: string[] = [];
  const grid = gridOf(VIEW_SHAPE, VIEW_RAS), scene = createScene(grid);
  const composer = createComposer(kernels, VIEW_SHAPE);
  composer.volume("t1w").set(base);
  composer.volume("labels").set(labels);
  const picked = createPicked();
  for (const convention of ["radiological", "neurological"] as const) {
    scene.convention = convention;
    for (const [pane, plane] of PLANES.entries()) {
      const mapping = createPaneMapping(plane), marks = marksOf(grid, plane, convention);
      composer.sizePane(pane, 320, 240);
      for (const { label, rasMm } of landmarks) {
        const say = (what: string) =>
          wrong.push(`${convention} ${plane} ${regionOf(label)!.name}: ${what}`);
        scene.crosshairMm.set(rasMm);
        mapPane(mapping, scene, grid, 320, 240);
        const x = pixelX(mapping, grid, rasMm), y = pixelY(mapping, grid, rasMm);
        // moving towards the letter's direction in the patient moves towards that edge of the pane
        for (
          const [edge, dx, dy] of [["left", -1, 0], ["right", 1, 0], ["top", 0, -1], [
            "bottom",
            0,
            1,
          ]] as const
        ) {
          const step = LETTER[marks[edge]]!, there = rasMm.map((mm, r) => mm + 10 * step[r]!);
          const [sx, sy] = [pixelX(mapping, grid, there) - x, pixelY(mapping, grid, there) - y];
          if (sx * dx + sy * dy <= 0 || Math.abs(sx * dy) + Math.abs(sy * dx) > 1e-6) {
            say(`mark ${marks[edge]}`);
          }
        }
        const wantedRight = plane === "sagittal" ? "P" : convention === "radiological" ? "L" : "R";
        if (marks.right !== wantedRight) say(`${marks.right} on the right`);
        pick(picked, mapping, grid, labels, x, y);
        if (picked.label !== label) say(`label ${picked.label} under the cursor`);
        if (labelAt(head, [...picked.rasMm] as Vec3) !== label) {
          say("mm read-out of another structure");
        }
        if (Math.max(...rasMm.map((mm, r) => Math.abs(mm - picked.rasMm[r]!))) > 1.0001) {
          say("mm read-out");
        }
        scene.overlays.parcellation.isVisible = true;
        composer.compose(pane, mapping, scene);
        const at = 4 * (Math.floor(x) + 320 * Math.floor(y));
        const rgb = [...composer.pixels(pane).subarray(at, at + 3)];
        if (rgb.join() !== regionOf(label)!.rgb.join()) say(`colour ${rgb}`);
      }
    }
  }
  composer.close();
  return wrong;
}

const looked = new Map<string, ReturnType<typeof toViewer> & { wrong: string[] }>();

/** Contradictions of a displayed volume; equal volumes of several storage orders count once. */
function look(volume: Volume) {
  const { voxels, shape, rasFromIjk } = volume;
  const place = [...shape, ...rasFromIjk].map((value) => (value + 0).toFixed(9)).join();
  const key = createHash("sha256").update(place)
    .update(new Uint8Array(voxels.buffer, voxels.byteOffset, voxels.byteLength)).digest("hex");
  let found = looked.get(key);
  if (!found) {
    const shown = toViewer(volume);
    looked.set(key, found = { ...shown, wrong: disagreements(shown.base, shown.labels) });
  }
  return found;
}

/** Grey value at a position in the patient, from the composed axial pane without overlay. */
function greyAt(base: Uint8Array, rasMm: Vec3): number {
  const [i, j, k] = applyAffine(invert(VIEW_RAS), rasMm).map(Math.round) as Vec3;
  return base[i + VIEW_SHAPE[0] * (j + VIEW_SHAPE[1] * k)]!;
}

const mirror = (volume: Uint8Array): Uint8Array => {
  const nx = VIEW_SHAPE[0], out = volume.slice();
  for (let row = 0; row < out.length; row += nx) out.subarray(row, row + nx).reverse();
  return out;
};

Deno.test("the phantom's marks, mm and labels are true in all 48 storage orders and three oblique ones", async (t) => {
  const folder = await Deno.makeTempDir({ prefix: "sulcus_orientation_" });
  assert.equal(new Set(CASES.map((c) => c.name)).size, 51);
  const convert = ({ name, directions }: Case) => {
    Deno.mkdirSync(`${folder}/${name}`);
    return convertHead(stackOf(directions), `${folder}/${name}`);
  };
  try {
    for (const one of CASES) {
      const { name } = one, volume = await convert(one);
      await t.step(name, () => {
        const { base, labels, wrong } = look(volume);
        assert.deepEqual(wrong, []);
        // the bright capsule is on the patient's right, and not at the mirrored position
        const [x, y, z] = head.capsuleRasMm, centre = head.rasFromIjk;
        const middle = applyAffine(centre, [
          head.shape[0] / 2,
          head.shape[1] / 2,
          head.shape[2] / 2,
        ]);
        const right = greyAt(base, [x, y, z]), left = greyAt(base, [2 * middle[0] - x, y, z]);
        assert.ok(
          right > 60 && left < right / 2,
          `capsule ${right} on the right, ${left} on the left`,
        );
        if (name === "LPS" || name === "ASR") {
          assert.ok(
            disagreements(base, mirror(labels)).length > 50,
            "a mirrored label map must be noticed",
          );
        }
      });
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("directedMm() names the patient's side of each coordinate", () => {
  assert.equal(directedMm([12.34, -5, 0]), "R 12.3  P 5.0  S 0.0");
  assert.equal(directedMm([-12.36, 5, -7.25]), "L 12.4  A 5.0  I 7.3");
});
