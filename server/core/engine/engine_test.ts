// covers: S-127
import assert from "node:assert/strict";
import { basename } from "node:path";
import { AppError, type ErrorCode } from "@/model/errors.ts";
import {
  type Affine,
  affineFromRows,
  applyAffine,
  type Shape,
  type Vec3,
} from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import {
  conformVolume,
  type EngineHooks,
  type EngineOptions,
  resampleLabels,
  runEngine,
} from "@/server/core/engine/engine.ts";
import { until } from "@/tests/sites/until.ts";

const OPTIONS = { biasCorrection: true, secondOpinion: false, deepStructures: false };

const fixture = (name: string) => new URL(`./worker/${name}_worker_fixture.ts`, import.meta.url);

/** Fills a volume with a function of the position in RAS mm. */
function volumeOf(
  shape: Shape,
  rasFromIjk: Affine<"Ras", "Ijk">,
  value: (mm: Vec3) => number,
): Volume {
  const voxels = new Int16Array(shape[0] * shape[1] * shape[2]);
  let at = 0;
  for (let k = 0; k < shape[2]; k++) {
    for (let j = 0; j < shape[1]; j++) {
      for (let i = 0; i < shape[0]; i++) voxels[at++] = value(applyAffine(rasFromIjk, [i, j, k]));
    }
  }
  return { voxels, shape, rasFromIjk };
}

const plain = (step: number, origin: Vec3) =>
  affineFromRows<"Ras", "Ijk">([
    [step, 0, 0, origin[0]],
    [0, step, 0, origin[1]],
    [0, 0, step, origin[2]],
    [0, 0, 0, 1],
  ]);

/** A bright ball with a dark centre: not a head. */
const ball = (radius: number) => ([x, y, z]: Vec3) => {
  const r = Math.hypot(x, y, z);
  return r > radius ? 0 : r < radius / 2 ? 300 : 900;
};

async function failure(work: Promise<unknown>): Promise<AppError> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    return error;
  }
  throw new Error("did not fail");
}

const rejects = async (work: Promise<unknown>, code: ErrorCode, reason?: string) => {
  const error = await failure(work);
  assert.equal(error.code, code, error.message);
  assert.equal(error.details.reason, reason, error.message);
};

const runT1 = (volume: Volume, ...rest: [EngineOptions, EngineHooks?, URL?]) =>
  runEngine({ t1: volume, flair: null }, ...rest);

const small = volumeOf([40, 40, 40], plain(4, [-80, -80, -80]), ball(60));

Deno.test("runEngine() turns a WebAssembly trap into engine.crashed and the process goes on", async () => {
  const seen: string[] = [];
  const hooks = { onProgress: (_: number, stage: string) => void seen.push(stage) };
  const error = await failure(runT1(small, OPTIONS, hooks, fixture("trap")));
  assert.equal(error.code, "engine.crashed");
  assert.match(error.message, /RuntimeError: unreachable/);
  assert.deepEqual(seen, ["register"]);
  assert.equal((await conformVolume(small)).voxels.length, 256 ** 3);
});

Deno.test("runEngine() reads no weights that only a FLAIR alone needs, before it is analysed alone", async () => {
  const read: string[] = [], { readFile } = Deno;
  Deno.readFile = (path, options) => {
    read.push(basename(String(path)));
    return readFile(path, options);
  };
  try {
    const options = { ...OPTIONS, deepStructures: true };
    await rejects(
      runEngine({ t1: small, flair: small }, options, {}, fixture("trap")),
      "engine.crashed",
    );
  } finally {
    Deno.readFile = readFile;
  }
  assert.deepEqual(read, ["deep_structures.bin"]);
});

Deno.test("runEngine() reports a worker that dies at its start as engine.crashed", async () => {
  await rejects(runT1(small, OPTIONS, {}, fixture("exit")), "engine.crashed");
});

/** Threads of this process that are workers, by their names, each of its own. */
const workerThreads = () =>
  [...Deno.readDirSync("/proc/self/task")].map(({ name }) => {
    try {
      return Deno.readTextFileSync(`/proc/self/task/${name}/comm`).trim();
    } catch {
      return "";
    }
  }).filter((name) => name.startsWith("worker-"));

Deno.test({
  name: "runEngine() leaves no thread behind that goes on after an abort" +
    (Deno.build.os === "linux" ? "" : " (skipped: threads are not listed here)"),
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    const controller = new AbortController(), before = workerThreads();
    let own: string[] = [];
    const onProgress = () => {
      own = workerThreads().filter((name) => !before.includes(name));
      controller.abort();
    };
    const hooks = { signal: controller.signal, onProgress };
    await rejects(
      runT1(small, { ...OPTIONS, threads: 2 }, hooks, fixture("lasting")),
      "job.canceled",
    );
    assert.equal(own.length, 2);
    await until(() => !workerThreads().some((name) => own.includes(name)));
  },
});

Deno.test("runEngine() stops at an abort", async () => {
  const controller = new AbortController();
  const hooks = { signal: controller.signal, onProgress: () => controller.abort() };
  await rejects(runT1(small, OPTIONS, hooks), "job.canceled");
  await rejects(runT1(small, OPTIONS, { signal: controller.signal }), "job.canceled");
});

Deno.test("runEngine() refuses what is no head with a reason", async () => {
  const uniform = volumeOf([30, 30, 30], plain(4, [-60, -60, -60]), () => 0);
  await rejects(runT1(uniform, OPTIONS), "engine.unsupported_input", "empty");
  const cut = volumeOf([30, 40, 40], plain(4, [-58, -80, -80]), ball(75));
  await rejects(runT1(cut, OPTIONS), "engine.unsupported_input", "field of view");
  const error = await failure(runT1(small, OPTIONS));
  assert.equal(error.code, "engine.unsupported_input");
  assert.ok(
    ["registration failed", "contrast"].includes(String(error.details.reason)),
    error.message,
  );
});

Deno.test("runEngine() refuses a grid that cannot be", async () => {
  await rejects(
    runT1({ ...small, shape: [40, 40, 41] }, OPTIONS),
    "engine.unsupported_input",
    "shape",
  );
  await rejects(
    runT1({ ...small, rasFromIjk: plain(0, [0, 0, 0]) }, OPTIONS),
    "volume.affine_singular",
    "affine",
  );
});

Deno.test("conformVolume() puts every voxel where the affine says, for oblique and left-handed grids", async () => {
  const oblique = affineFromRows<"Ras", "Ijk">([
    [-0.2, 1.9, 0.1, -70],
    [1.8, 0.2, 0.4, -95],
    [0.3, 0.1, -2.1, 75],
    [0, 0, 0, 1],
  ]);
  const blob: Vec3 = [21, -17, 12];
  const near = ([x, y, z]: Vec3) =>
    1000 * Math.exp(-((x - blob[0]) ** 2 + (y - blob[1]) ** 2 + (z - blob[2]) ** 2) / 200);
  const { voxels, shape, rasFromIjk } = await conformVolume(volumeOf([90, 80, 70], oblique, near));
  assert.deepEqual(shape, [256, 256, 256]);
  const sum: Vec3 = [0, 0, 0];
  let total = 0;
  voxels.forEach((v, at) => {
    if (v < 20) return;
    const mm = applyAffine(rasFromIjk, [
      at % 256,
      Math.floor(at / 256) % 256,
      Math.floor(at / 65536),
    ]);
    for (const a of [0, 1, 2] as const) sum[a] += v * mm[a];
    total += v;
  });
  for (const a of [0, 1, 2] as const) {
    assert.ok(Math.abs(sum[a] / total - blob[a]) < 0.1, `${a}: ${sum[a] / total}`);
  }
});

Deno.test("resampleLabels() brings a label map to another grid and back", async () => {
  const shape: Shape = [20, 24, 18];
  const rasFromIjk = plain(2, [-20, -24, -18]);
  const voxels = Uint8Array.from({ length: 20 * 24 * 18 }, (_, at) => at % 105);
  const labels: Volume = { voxels, shape, rasFromIjk };
  const fine = {
    shape: [60, 72, 54] as Shape,
    rasFromIjk: plain(2 / 3, [-20 - 2 / 3, -24 - 2 / 3, -18 - 2 / 3]),
  };
  const up = await resampleLabels(labels, fine);
  assert.ok(up instanceof Uint8Array);
  assert.equal(up.filter((v) => v === 7).length, voxels.filter((v) => v === 7).length * 27);
  assert.deepEqual(await resampleLabels({ voxels: up, ...fine }, labels), voxels);
  const wide = Int32Array.from(voxels, (v) => v * 1000);
  const back = await resampleLabels({ ...labels, voxels: wide }, labels);
  assert.deepEqual(back, wide);
});
