// Two studies analysed by a core over HTTP, and the same series analysed by the command.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Api } from "@/client/api/http.ts";
import { uploadFiles } from "@/client/api/studies/patients.ts";
import { setGroup } from "@/tests/sites/group_settings.ts";
import { allAnalysed, type TestCore } from "@/tests/sites/core_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { axes, type Grid, PLANES } from "@/server/commands/demo/phantom/grid.ts";
import { makeHead } from "@/server/commands/demo/phantom/head.ts";
import {
  FLAIR_SERIES,
  KOREAN_PATIENT,
  makeSeries,
  type PhantomFile,
  type SeriesOptions,
} from "@/server/commands/demo/phantom/dicom/series.ts";

/**
 * Grid for a study: coarse, so that it is written and sent in seconds, but fine enough for
 * thickness and the quality checks; the field of view ends close to the head, as in usual sagittal
 * slices.
 */
const T1: Grid = {
  shape: [132, 176, 160],
  centreRasMm: [0, -14, 6],
  directions: axes(PLANES.axial),
  spacingMm: [1.4, 1.4, 1.4],
};
const FLAIR: Grid = { ...T1, shape: [112, 124, 56], spacingMm: [2, 2, 4] };

export const LESIONS_ML = [4, 3, 3];

type File = PhantomFile & { bytes: Uint8Array<ArrayBuffer> };

/** Series of one patient with lesions of {@link LESIONS_ML}. */
export function lesionStudy(patientId: string): { t1: File[]; flair: File[] } {
  const head = makeHead({
    resolutionMm: 2,
    lesionsMl: LESIONS_ML,
    lesionSites: ["periventricular", "deep", "periventricular"],
  });
  const patient = { ...KOREAN_PATIENT, patientId };
  const write = (options: Partial<SeriesOptions>) =>
    makeSeries(head, { patient, ...options }).files as File[];
  return {
    t1: write({ grid: T1, sliceThicknessMm: T1.spacingMm[2] }),
    flair: write({ ...FLAIR_SERIES, patient, grid: FLAIR, sliceThicknessMm: FLAIR.spacingMm[2] }),
  };
}

/**
 * Uploads a T1w and FLAIR study (pid 1) for an analysis without bias correction, and a study that
 * is too short for the engine (pid 2) with bias correction.
 */
export async function analyseBoth(
  { api, dataDir }: TestCore,
  { t1, flair }: ReturnType<typeof lesionStudy>,
): Promise<void> {
  await setGroup(dataDir, { bias_correction: false });
  assert.deepEqual((await uploadFiles(api, [...t1, ...flair])).pid_list, [1]);
  await setGroup(dataDir, { bias_correction: true });
  assert.deepEqual((await uploadFiles(api, phantomSeries("short", "SHORT"))).pid_list, [2]);
  await allAnalysed(api);
}

/** Serves a core on a free port. */
export function serveCore({ core, api }: TestCore): { served: Api; stop: () => Promise<void> } {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, core.fetch);
  const origin = `http://127.0.0.1:${server.addr.port}`;
  return {
    served: { send: (request) => fetch(request), origin, token: api.token },
    stop: () => server.shutdown(),
  };
}

const SCRIPT = fileURLToPath(new URL("../../../server/commands/analyze.ts", import.meta.url));

/** Runs `deno task analyze` with arguments. @returns the output. */
export async function runAnalyze(...args: string[]): Promise<string> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", SCRIPT, ...args],
  });
  const { code, stdout, stderr } = await command.output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

/** Writes files into a new folder. */
export async function writeFolder(folder: string, files: readonly PhantomFile[]): Promise<string> {
  await Deno.mkdir(folder, { recursive: true });
  for (const { fileName, bytes } of files) await Deno.writeFile(`${folder}/${fileName}`, bytes);
  return folder;
}
