import { readFileSync } from "node:fs";
import type * as z from "zod/mini";
import { AppError } from "@/model/errors.ts";
import { affineFromRowMajor } from "@/model/geometry.ts";
import { loginRequest, oidcCompletion, oidcStart } from "@/model/schema/accounts/auth.ts";
import { peerPut, repeatRequest, routing } from "@/model/schema/connections/connections.ts";
import { excelJobRequest, exportSets } from "@/model/schema/report/excel.ts";
import { filterRequest } from "@/model/schema/worklist/filters.ts";
import { listView } from "@/model/schema/worklist/list_view.ts";
import { hanging } from "@/model/schema/reading/hanging.ts";
import { labelsPut } from "@/model/schema/worklist/labels.ts";
import { passwordPut } from "@/model/schema/site/license.ts";
import { analysesRequest, patientUpdate } from "@/model/schema/studies/patients.ts";
import { followRequest, refusalRequest, shownRequest } from "@/model/schema/studies/context.ts";
import { launchRequest } from "@/model/schema/studies/launch.ts";
import { storedStudiesRequest } from "@/model/schema/studies/upload.ts";
import {
  archivedSeriesRequest,
  archiveSearch,
  pullRequest,
} from "@/model/schema/connections/pacs.ts";
import { lesionVerdictPut } from "@/model/schema/reading/lesion_changes.ts";
import { measurementPost, measurementPut } from "@/model/schema/reading/measurements.ts";
import { strokePost, strokeSeries } from "@/model/schema/reading/strokes.ts";
import { reportTextPut, signaturePost, withdrawalPost } from "@/model/schema/report/report_text.ts";
import { mtaPut } from "@/model/schema/report/report.ts";
import { routineFile } from "@/model/schema/report/routine_norms.ts";
import { reportJobRequest } from "@/model/schema/report/report_job.ts";
import { factorCode, factorRequest } from "@/model/schema/accounts/second_factor.ts";
import { settingsPut } from "@/model/schema/site/settings.ts";
import { accountChange, newAccount } from "@/model/schema/accounts/users.ts";
import { decodeFloats, decodeIndices, decodeNpy } from "@/client/kernels/npy.ts";
import { initSync } from "@/wasm/pkg/kernels/bind_browser.js";
import { readInstance } from "@/server/core/dicom/read/instance.ts";
import { decodeNifti, encodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { groupSeries } from "@/server/core/dicom/read/series.ts";
import { encodeNpy } from "@/server/core/analyses/service/files/npy.ts";
import type { TestCore } from "@/tests/sites/core_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import type { Random } from "@/server/commands/demo/phantom/random.ts";
import { bodyOf } from "@/tests/fuzz/bodies.ts";
import { mutate } from "@/tests/fuzz/mutate.ts";

/** Feeds one made-up input to a reader; throws what a caller would not expect. */
export type Target = (random: Random) => void | Promise<void>;

const CORPUS = new URL("./corpus/", import.meta.url);

/** Files that once broke something, or that mutations start from, kept by kind. */
export const corpusOf = (kind: string): Uint8Array[] =>
  [...Deno.readDirSync(CORPUS)].filter(({ name }) => name.startsWith(`${kind}_`)).sort((a, b) =>
    a.name < b.name ? -1 : 1
  )
    .map(({ name }) => new Uint8Array(readFileSync(new URL(name, CORPUS))));

export const pick = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random.uniform() * list.length)]!;

/** An error of the product that says whose fault it is; `internal` would be ours. */
function expectTyped(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
  }
}

/** Headers come from another process as JSON, which has no NaN and no Infinity. */
function expectFinite(value: unknown): void {
  JSON.stringify(value, (key, one) => {
    if (typeof one === "number" && !Number.isFinite(one)) throw new Error(`${key} is ${one}`);
    return one;
  });
}

export function dicomTarget(): Target {
  const seeds = [
    ...phantomSeries("short", "FUZZ").slice(0, 3).map(({ bytes }) => bytes),
    ...corpusOf("dicom"),
  ];
  const options = {
    t1wTag: "",
    t2wTag: "",
    t1wIncludes: "",
    t2wIncludes: "",
    seriesType: undefined,
  };
  return (random) =>
    expectTyped(() => {
      const headers = [0, 1].map(() => readInstance(mutate(pick(random, seeds), random), "fuzz"));
      expectFinite(headers);
      groupSeries(headers.map((header, n) => ({ fileName: String(n), header })), options);
    });
}

export function niftiTarget(): Target {
  const shape: [number, number, number] = [4, 3, 2];
  const rasFromIjk = affineFromRowMajor<"Ras", "Ijk">([
    1,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    1,
  ]);
  const volume = { shape, voxels: Float32Array.from({ length: 24 }, (_, n) => n), rasFromIjk };
  const seeds = [encodeNifti(volume), ...corpusOf("nifti")];
  return (random) => expectTyped(() => void decodeNifti(mutate(pick(random, seeds), random)));
}

export function npyTarget(): Target {
  initSync({
    module: readFileSync(new URL("../../wasm/pkg/kernels/bind_browser_bg.wasm", import.meta.url)),
  });
  const seeds = [encodeNpy(new Uint8Array(24), [4, 3, 2]), ...corpusOf("npy")];
  return (random) => {
    const bytes = mutate(pick(random, seeds), random);
    for (
      const read of [
        () => decodeNpy(bytes, [4, 3, 2]),
        () => decodeFloats(bytes),
        () => decodeIndices(bytes),
      ]
    ) {
      expectTyped(() => void read());
    }
  };
}

/** Every call that takes JSON, by an address of it. */
export const BODIES: readonly [method: string, path: string, schema: z.ZodMiniType][] = [
  ["POST", "/api/v1/auth/login", loginRequest],
  ["PUT", "/api/v1/patients/1", patientUpdate],
  ["PUT", "/api/v1/patients/1/mta", mtaPut],
  ["PUT", "/api/v1/patients/1/report/text", reportTextPut],
  ["POST", "/api/v1/patients/1/report/text/signature", signaturePost],
  ["POST", "/api/v1/patients/1/report/text/withdrawal", withdrawalPost],
  ["POST", "/api/v1/analyses", analysesRequest],
  ["POST", "/api/v1/uploads/stored", storedStudiesRequest],
  ["PUT", "/api/v1/labels", labelsPut],
  ["POST", "/api/v1/filters", filterRequest],
  ["PUT", "/api/v1/filters/1", filterRequest],
  ["PUT", "/api/v1/worklist/view", listView],
  ["PUT", "/api/v1/viewer/hanging", hanging],
  ["POST", "/api/v1/patients/excel", excelJobRequest],
  ["POST", "/api/v1/patients/reports/pdf", reportJobRequest],
  ["PUT", "/api/v1/settings", settingsPut],
  ["PUT", "/vuuc/api/user", passwordPut],
  ["POST", "/api/v1/auth/oidc", oidcStart],
  ["POST", "/api/v1/auth/oidc/completion", oidcCompletion],
  ["POST", "/api/v1/second-factor", factorRequest],
  ["POST", "/api/v1/second-factor/confirmation", factorCode],
  ["POST", "/api/v1/users", newAccount],
  ["PUT", "/api/v1/users/1", accountChange],
  ["POST", "/api/v1/patients/excel/estimate", excelJobRequest],
  ["PUT", "/api/v1/worklist/export-sets", exportSets],
  ["POST", "/api/v1/patients/1/measurements", measurementPost],
  ["PUT", "/api/v1/patients/1/measurements/1", measurementPut],
  ["PUT", "/api/v1/patients/1/lesion-changes/1", lesionVerdictPut],
  ["POST", "/api/v1/patients/1/strokes", strokePost],
  ["POST", "/api/v1/patients/1/strokes/undo", strokeSeries],
  ["POST", "/api/v1/patients/1/strokes/redo", strokeSeries],
  ["POST", "/api/v1/patients/1/strokes/restore", strokeSeries],
  ["POST", "/api/v1/connections/peers", peerPut],
  ["PUT", "/api/v1/connections/peers/1", peerPut],
  ["POST", "/api/v1/connections/outbox/repeat", repeatRequest],
  ["PUT", "/api/v1/connections/routing", routing],
  ["POST", "/api/v1/connections/routing/test", routing],
  ["POST", "/api/v1/norms/routine/1/counts", routineFile],
  ["POST", "/api/v1/launch", launchRequest],
  ["POST", "/api/v1/context/follow", followRequest],
  ["POST", "/api/v1/context/refusal", refusalRequest],
  ["POST", "/api/v1/context/shown", shownRequest],
  ["POST", "/api/v1/pacs/1/search", archiveSearch],
  ["POST", "/api/v1/pacs/1/series", archivedSeriesRequest],
  ["POST", "/api/v1/pacs/1/pulls", pullRequest],
];
const QUERIES = [
  "/api/v1/patients?sort_key=pid&page_idx=1&page_size=5&state=new&sex=male&age_from=1&birth_from=2026/01/05&label_id_list=1,2",
  "/api/v1/utils/age?from_date=2000-01-01&to_date=2020-01-01",
  "/vuuc/api/user/credit/log?sort_by=asc&page=1&per_page=10",
  "/api/v1/audit?from=2026-01-01&page=1&per_page=10",
  "/api/v1/patients/1/report?report_type=t1&page_list=1,2&language=en",
  "/api/v1/patients/image/viewer/1?file=t1w_file",
  "/api/v1/secure/verts.npy?pid=1",
  "/api/v1/patients/1?fields=row",
];

/** Passwords cost a tenth of a second each: of those calls only some are made. */
const SLOW = 0.02;

/** Bodies made from the schemas, and queries; every answer must be below 500. */
export function apiTarget({ core, api }: TestCore): Target {
  return async (random) => {
    let [method, path, body] = ["GET", pick(random, QUERIES), undefined as string | undefined];
    if (random.uniform() < 0.75) {
      const [verb, where, schema] = pick(random, BODIES);
      if (/auth|second-factor|users$/.test(where) && random.uniform() > SLOW) return;
      method = verb;
      path = where;
      body = JSON.stringify(bodyOf(schema, random)) ?? "";
      if (random.uniform() < 0.1) {
        body = new TextDecoder().decode(mutate(new TextEncoder().encode(body), random));
      }
    } else {
      const [start, query] = path.split("?") as [string, string];
      const text = new TextDecoder().decode(mutate(new TextEncoder().encode(query), random));
      path = `${start}?${
        [...text].map((sign) =>
          /[\w=&/.,-]/.test(sign) ? sign : encodeURIComponent(sign.toWellFormed())
        )
          .join("")
      }`;
    }
    const answer = await core.fetch(
      new Request(`http://core${path}`, {
        method,
        body,
        headers: { authorization: `Bearer ${api.token}`, "content-type": "application/json" },
      }),
    );
    const text = await answer.text();
    if (answer.status >= 500) {
      throw new Error(`${method} ${path} ${body?.slice(0, 2000)}: ${answer.status} ${text}`);
    }
  };
}
