// Speed of the surface rasteriser for a mesh of 327,680 triangles during a rotation of the camera.
import {
  addGain,
  addNative,
  addRow,
  type Kit,
  type Samples,
  timed,
} from "@/bench/kernel_runs/kernel_kit.ts";
import { medianOf } from "@/viewer/bench/paired_timing.ts";
import { foldedBall } from "@/viewer/bench/folded_ball.ts";
import { plainRasteriser } from "@/viewer/bench/plain_rasterise.ts";
import {
  createCamera,
  orbit,
  type SurfaceCamera,
  VIEW_LENGTH,
  writeView,
} from "@/viewer/surface/camera.ts";
import { createSurfaceKernel } from "@/viewer/surface/kernel.ts";

const VIEWS = 6, BAR_MS = 50;
/** Pane sizes in px: one of a 2 × 2 layout in a window of 1280 × 910, and the default canvas. */
const SIZES = [[490, 380], [1280, 720]] as const;

const mesh = foldedBall(7);
const colours = Uint32Array.from(
  mesh.values,
  (_, n) => 0xff000000 | (n * 2654435761 >>> 8 & 0x3f3f3f) + 0x808080,
);

/** Cameras along one full turn. */
function cameras(): SurfaceCamera[] {
  const camera = createCamera(mesh.positions);
  return Array.from({ length: VIEWS }, () => {
    orbit(camera, 720 / VIEWS, 20, 720, 720);
    return structuredClone(camera);
  });
}

/** Mesh and views in the format that native_times.rs reads. */
export function meshFile(): Uint8Array {
  const views = SIZES.flatMap(([width, height]) =>
    cameras().flatMap((camera) => {
      const view = new Float32Array(VIEW_LENGTH);
      writeView(view, camera, width, height);
      return [Uint32Array.of(width, height), view];
    })
  );
  const counts = Uint32Array.of(mesh.positions.length / 3, mesh.faces.length / 3, views.length / 2);
  const parts = [counts, mesh.positions, mesh.normals, mesh.faces, colours, ...views];
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of parts) {
    out.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return out;
}

/** Fraction of the pixels that differ by more than 2 of 255 in any channel. */
function partThatDiffers(a: Uint8ClampedArray, b: Uint8ClampedArray): number {
  let count = 0;
  for (let n = 0; n < a.length; n += 4) {
    let most = 0;
    for (let k = 0; k < 3; k++) most = Math.max(most, Math.abs(a[n + k]! - b[n + k]!));
    if (most > 2) count++;
  }
  return count / (a.length / 4);
}

export async function rows(kit: Kit): Promise<void> {
  const kernel = createSurfaceKernel(mesh), views = cameras();
  kernel.colours().set(colours);
  const most = Math.max(...SIZES.map(([width, height]) => width * height));
  const plain = plainRasteriser(mesh, colours, most);
  for (const [width, height] of SIZES) {
    const drag = (camera: SurfaceCamera) => kernel.draw(camera, width, height, false);
    const rest = (camera: SurfaceCamera) => kernel.draw(camera, width, height, true);
    // a round draws all views, as the frames of a drag follow each other
    const drags = () => views.forEach(drag), rests = () => views.forEach(rest);
    const others = () => views.forEach((camera) => plain.draw(camera, width, height));
    const perFrame = (rounds: Samples) => rounds.map((sum) => sum / VIEWS);
    const rounds = timed([drags, others, rests]) as [Samples, Samples, Samples];
    const [ms, plainMs, smoothMs] = [perFrame(rounds[0]), perFrame(rounds[1]), perFrame(rounds[2])];
    const isRight = views.every((camera) => {
      drag(camera);
      plain.draw(camera, width, height);
      const want = new Uint8ClampedArray(plain.out.buffer, 0, width * height * 4);
      return partThatDiffers(kernel.pixels(), want) < 0.002;
    });
    const name = `rasterise ${mesh.faces.length / 3} triangles, ${width} × ${height}`;
    const bar = `right answer, ≤ ${BAR_MS} ms`;
    addRow(kit, `${name}, a frame of a drag`, ms, null, {
      most: 1,
      isRight: isRight && medianOf(ms) <= BAR_MS,
      bar,
    });
    addRow(kit, `${name}, the smooth frame at rest`, smoothMs, null, {
      most: 1,
      isRight,
      bar: "right answer",
    });
    addGain(kit, name, ms, plainMs, isRight);
    let n = 0;
    for (
      const [words, draw] of [["a frame of a drag", drag], [
        "the smooth frame at rest",
        rest,
      ]] as const
    ) {
      const next = () => draw(views[n = (n + 1) % VIEWS]!);
      await addNative(kit, `rasterise ${width} × ${height}, ${words}`, next);
    }
  }
  kernel.close();
}
