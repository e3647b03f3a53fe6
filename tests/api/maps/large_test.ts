// covers: S-222
// Large parametric maps over DICOMweb: other requests are answered meanwhile.
import assert from "node:assert/strict";
import dicomParser from "dicom-parser";
import { listPatients } from "@/client/api/studies/patients.ts";
import type { Grid } from "@/server/commands/demo/phantom/grid.ts";
import { acceptScanner } from "@/tests/sites/norms/accepted_scanner.ts";
import { type TestCore, withCore } from "@/tests/sites/core_site.ts";
import { analysedPhantom, studyFiles, T1 } from "@/tests/sites/dicom_study.ts";

const ROOT = "/api/v1/dicomweb/studies", MAP = "1.2.840.10008.5.1.4.1.1.30";
/** 256² pixels a slice: the map of the percentiles has some 25 MB. */
const LARGE: Grid = { ...T1, shape: [256, 256, 104], spacingMm: [0.9, 0.9, 0.9] };
/**
 * Answers that other requests get while a map of 25 pieces of 1 MiB is made or sent, at least: in
 * one piece it would let one or two through. Times are measured by benchmarks.
 */
const MIN_ANSWERS = 10;

/** Other requests that are answered, one after another, while something runs. */
async function answersDuring({ api }: TestCore, run: () => Promise<unknown>): Promise<number> {
  let answers = 0, isOver = false;
  const others = (async () => {
    for (; !isOver; answers++) {
      await listPatients(api, {});
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  })();
  await run();
  isOver = true;
  await others;
  return answers;
}

type Attributes = Record<string, { Value?: unknown[]; BulkDataURI?: string }>;

Deno.test("while large parametric maps are made and retrieved, other requests are answered", () =>
  withCore(async (test) => {
    const { api, core } = test, files = studyFiles({}, LARGE);
    await acceptScanner(test, await analysedPhantom(test, files));
    const study = dicomParser.parseDicom(files[0]!.bytes).string("x0020000d");
    const get = (path: string, accept: string) =>
      core.fetch(
        new Request(`http://core${ROOT}/${study}${path}`, {
          headers: { authorization: `Bearer ${api.token}`, accept },
        }),
      );
    const answers: Record<string, number> = {};
    let map: Attributes = {};
    answers.made = await answersDuring(test, async () => {
      const all = await (await get("/metadata", "application/dicom+json")).json() as Attributes[];
      map = all.find((one) =>
        one["00080016"]!.Value![0] === MAP && one["00700080"]!.Value![0] === "PERCENTILES"
      )!;
    });
    const path = `/series/${map["0020000E"]!.Value![0]}/instances/${map["00080018"]!.Value![0]}`;
    // JSON has no NaN, and null would say that there is no value
    const { BulkDataURI } = map["00280122"]!;
    const padding = await get(BulkDataURI!.split(study!)[1]!, "application/octet-stream");
    assert.deepEqual(new Float32Array((await padding.bytes()).buffer), Float32Array.of(NaN));
    const frames = Number(map["00280008"]!.Value![0]), frameBytes = 4 * 256 * 256;
    let whole = new Uint8Array();
    answers.whole = await answersDuring(test, async () => {
      whole = await (await get(path, "application/dicom")).bytes();
    });
    assert.ok(whole.length > 20e6, `${whole.length} bytes`);
    const offset = whole.length - frames * frameBytes;
    const frame = await (await get(`${path}/frames/${frames}`, "application/octet-stream")).bytes();
    assert.deepEqual(frame, whole.slice(offset + (frames - 1) * frameBytes));
    const picture = await get(`${path}/frames/${frames >> 1}/rendered`, "image/jpeg");
    assert.deepEqual([...(await picture.bytes()).subarray(0, 2)], [0xff, 0xd8]);
    assert.equal((await get(`${path}/frames/${frames + 1}`, "*/*")).status, 404);
    assert.ok(
      Object.values(answers).every((count) => count >= MIN_ANSWERS),
      JSON.stringify(answers),
    );
  }));
