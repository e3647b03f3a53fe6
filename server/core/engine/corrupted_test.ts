// covers: S-127
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { AppError } from "@/model/errors.ts";
import { determinant } from "@/model/geometry.ts";
import type { Volume } from "@/model/viewer/volume.ts";
import { DEFAULT_RULES } from "@/model/dicom/classify.ts";
import { convertSeries } from "@/server/core/dicom/convert/convert.ts";
import { readInstance, readInstanceFile } from "@/server/core/dicom/read/instance.ts";
import { decodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { groupSeries, type InstanceFile } from "@/server/core/dicom/read/series.ts";
import type { Verdict } from "@/server/core/dicom/read/verdict.ts";
import { runEngine } from "@/server/core/engine/engine.ts";
import { type CorruptCase, corruptCases } from "@/tests/corrupt.ts";
import type { PhantomFile } from "@/server/commands/demo/phantom/dicom/series.ts";

/** How long a case may take on a slow machine, and how far the process may grow meanwhile, by what it goes through. */
const LIMITS: Readonly<Record<CorruptCase["kind"], { seconds: number; mb: number }>> = {
  nifti: { seconds: 15, mb: 400 },
  instance: { seconds: 25, mb: 700 },
  series: { seconds: 60, mb: 500 },
  volume: { seconds: 120, mb: 1300 },
};

/** What must be true of a volume that came out of a damaged input all the same. */
function assertWhole({ voxels, shape, rasFromIjk }: Volume): void {
  assert.ok(shape.every((n) => Number.isInteger(n) && n > 0));
  assert.equal(voxels.length, shape[0] * shape[1] * shape[2]);
  assert.ok(rasFromIjk.every(Number.isFinite) && Math.abs(determinant(rasFromIjk)) > 0);
}

/** The error behind a verdict. */
const rejectedAs = (verdict: Verdict | undefined) =>
  verdict && new AppError(verdict.code, `Cannot use ${verdict.fileName}: ${verdict.reason}`);

/** Groups and converts files as an upload does; every file must get a series or a verdict. */
async function ingest(files: readonly PhantomFile[]): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "corrupted_" });
  try {
    const instances: InstanceFile[] = [];
    let refusal: AppError | undefined;
    for (const { fileName, bytes } of files) {
      await Deno.writeFile(`${folder}/${fileName}`, bytes);
      try {
        instances.push({
          fileName,
          header: await readInstanceFile(`${folder}/${fileName}`, fileName),
        });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        refusal = error;
      }
    }
    const { studies, rejected } = groupSeries(instances, DEFAULT_RULES);
    const accepted = studies.flatMap((study) => study.series);
    assert.equal(
      rejected.length + accepted.reduce((n, s) => n + s.files.length, 0),
      instances.length,
    );
    if (accepted.length === 0) throw refusal ?? rejectedAs(rejected[0]);
    for (const { files: used } of accepted) {
      assertWhole(
        await convertSeries(
          used.map(({ fileName }) => ({ fileName, path: `${folder}/${fileName}` })),
        ),
      );
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function meet(input: CorruptCase): Promise<void> {
  switch (input.kind) {
    case "nifti":
      return assertWhole(decodeNifti(input.bytes()));
    case "instance":
      return void readInstance(input.bytes(), "damaged.dcm");
    case "series":
      return await ingest(input.files());
    case "volume": {
      const { t1 } = await runEngine({ t1: input.volume(), flair: null }, {
        biasCorrection: true,
        secondOpinion: false,
        deepStructures: false,
      });
      assert.equal(t1!.labels.length, t1!.shape[0] * t1!.shape[1] * t1!.shape[2]);
    }
  }
}

const STATUS = "/proc/self/status", REFERENCES = "/proc/self/clear_refs";

/** Starts the measurement of the largest resident size; Linux keeps it per process. */
const resetPeak = () => existsSync(REFERENCES) && Deno.writeTextFileSync(REFERENCES, "5");
const peakMb = () =>
  existsSync(STATUS)
    ? Number(/VmHWM:\s+(\d+)/.exec(Deno.readTextFileSync(STATUS))![1]) / 1000
    : Deno.memoryUsage().rss / 1e6;

/** Errors of the product that a damaged input may end in. `engine.crashed` is not among them. */
const EXPECTED = new Set([
  "engine.unsupported_input",
  "volume.affine_singular",
  "upload.format_not_supported",
]);

Deno.test("more than 500 damaged inputs each end in a typed error or a whole volume, in time and memory", async (t) => {
  const cases = corruptCases();
  assert.ok(cases.length >= 500);
  for (const kind of ["nifti", "instance", "series", "volume"] as const) {
    await t.step(kind, async () => {
      const { seconds, mb } = LIMITS[kind], wrong: string[] = [];
      let refused = 0;
      for (const input of cases.filter((c) => c.kind === kind)) {
        resetPeak();
        const before = Deno.memoryUsage().rss / 1e6, start = performance.now();
        try {
          await meet(input);
        } catch (error) {
          if (error instanceof AppError && EXPECTED.has(error.code)) refused++;
          else wrong.push(`${input.name}: ${error}`);
        }
        const took = (performance.now() - start) / 1000, grown = peakMb() - before;
        if (took > seconds) wrong.push(`${input.name}: ${took.toFixed(1)} s`);
        if (grown > mb) wrong.push(`${input.name}: ${grown.toFixed(0)} MB`);
      }
      assert.deepEqual(wrong, []);
      assert.ok(refused > 0);
    });
  }
});
