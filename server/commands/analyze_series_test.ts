// covers: D1-3.2
import assert from "node:assert/strict";
import { AppError } from "@/model/errors.ts";
import {
  type Acquisition,
  TIMING,
  writeAcquisition,
} from "@/server/commands/demo/phantom/acquisitions.ts";
import { findSeries } from "@/server/commands/analyze_series.ts";
import { InflatedFiles } from "@/server/commands/inflated_files.ts";
import { deflated } from "@/tests/sites/series/deflated_file.ts";

/** Series of a folder that is written for a call; `asStored` changes the bytes of each file. */
async function find(
  acquisitions: readonly Acquisition[],
  kind: "t1" | "t2",
  choice?: number,
  asStored: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes,
) {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-series-" });
  try {
    for (const [n, acquisition] of acquisitions.entries()) {
      for (const { fileName, bytes } of writeAcquisition(acquisition, 1, n + 1)) {
        await Deno.writeFile(`${folder}/${fileName}`, asStored(bytes));
      }
    }
    await using inflated = new InflatedFiles();
    const series = await findSeries(folder, kind, inflated, choice ? uidOf(choice) : undefined);
    return [series.header.seriesDescription, series.files.length, series.kind];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Series Instance UID of a series by its number. */
const uidOf = (number: number): string => `2.25.000001${String(number).padStart(6, "0")}`;

const refusal = (lines: readonly RegExp[], reason: string) => (error: unknown): boolean => {
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.details.reason, reason);
  for (const line of lines) assert.match(error.message, line);
  return true;
};

const T1: Acquisition = { name: "t1_mprage", ...TIMING.mprage };
const T2: Acquisition = { name: "t2_tse", ...TIMING.t2 };
const DYNAMIC: Acquisition = {
  name: "t1_vibe",
  ...TIMING.tfe,
  attributes: [[0x00200105, "IS", "40"]],
};

Deno.test("findSeries() takes no series for a T1w or FLAIR that the tags do not show to be one", async () => {
  assert.deepEqual(await find([T2, T1], "t1"), ["t1_mprage", 50, "t1"]);
  await assert.rejects(
    find([T2, DYNAMIC], "t1"),
    refusal([
      /^Cannot find a T1-weighted series:$/m,
      /^t2_tse \(50 files, [\d.]+\): The DICOM tags show neither a T1w nor a FLAIR series$/m,
      /^t1_vibe \(50 files, [\d.]+\): The series has 40 time points, .* is not analyzed$/m,
      /^--series UID analyzes a series whatever its tags$/m,
    ], "unclassified"),
  );
  await assert.rejects(
    find([T1, { ...T2, slices: 9 }], "t2"),
    refusal([
      /^Cannot find a FLAIR series:$/m,
      /^t1_mprage \(50 files, [\d.]+\): This is a T1-weighted series$/m,
      /^--t2-series UID analyzes/m,
    ], "unclassified"),
  );
});

Deno.test("findSeries() takes the series that the user names, and refuses one that no choice helps", async () => {
  assert.deepEqual(await find([T1, T2], "t2", 2), ["t2_tse", 50, "t2"]);
  const better = { ...T1, name: "t1_better", stepMm: 2 };
  assert.deepEqual(await find([T1, better], "t1", 1), ["t1_mprage", 50, "t1"]);
  await assert.rejects(
    find([T1, DYNAMIC], "t1", 2),
    (error: AppError) => {
      refusal([/^t1_vibe \(50 files, [\d.]+\): The series has 40 time points/m], "time_points")(
        error,
      );
      assert.doesNotMatch(error.message, /t1_mprage|whatever its tags/);
      return true;
    },
  );
  await assert.rejects(
    find([T1], "t1", 7),
    refusal([/^No readable file has the Series Instance UID 2\.25\.000001000007$/m], "no_files"),
  );
});

Deno.test("findSeries() reads deflated files", async () => {
  assert.deepEqual(await find([T1], "t1", undefined, deflated), ["t1_mprage", 50, "t1"]);
});
