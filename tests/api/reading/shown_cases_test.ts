// Walks over all calls of the API as a reader with unanswered readings: a response with results of
// a case must have recorded the case as seen, or be refused.
// covers: S-230
import assert from "node:assert/strict";
import { gunzipSync, inflateRawSync } from "node:zlib";
import { sql } from "kysely";
import { ENDPOINTS } from "@/model/api/endpoints.ts";
import { login } from "@/client/api/accounts/auth.ts";
import { type Api, call, requestOf } from "@/client/api/http.ts";
import { addReadingStudy, getReadingStudy } from "@/client/api/reading/reading_studies.ts";
import { hasPoppler, runOnPdf } from "@/report/pdf/pdf_tools_fixture.ts";
import type { Database } from "@/server/core/database/database.ts";
import { createApi } from "@/server/core/http/app.ts";
import { shownCases } from "@/server/core/http/shown_cases.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { openBeside, withCore } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { until } from "@/tests/sites/until.ts";

/** The unanswered case; a later study of its patient; another case, which is not walked to. */
const CASE = 1, LATER = 2, OTHER = 3;
/** Volume of each hippocampus of the case, mm³, and the ways in which a response writes it. */
const PLANTED_MM3 = 98_765.4, PLANTED = /98765|98[.,]765|98\.77|98\.8(?!\d)/;

Deno.test("each call that answers with content declares the studies it shows", () => {
  const silent = Object.entries(ENDPOINTS).filter(([, { answer, file, shows }]) =>
    (answer || file) && shows === undefined
  );
  assert.deepEqual(silent.map(([call]) => call), []);
});

/** Content of the entries of a ZIP archive, read from its central directory. */
function zipEntries(bytes: Uint8Array): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const entries: Uint8Array[] = [];
  for (let at = 0; at + 46 < bytes.length; at++) {
    if (view.getUint32(at, true) !== 0x02014b50) continue;
    const size = view.getUint32(at + 20, true), local = view.getUint32(at + 42, true);
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const stored = bytes.subarray(start, start + size);
    entries.push(view.getUint16(at + 10, true) === 8 ? inflateRawSync(stored) : stored);
  }
  return entries;
}

/** Text of a response, also of PDF files and archives in it. */
async function textOf(bytes: Uint8Array): Promise<string> {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return await textOf(gunzipSync(bytes));
  const text = new TextDecoder("latin1").decode(bytes);
  if (text.startsWith("PK")) {
    const parts = [];
    for (const entry of zipEntries(bytes)) parts.push(await textOf(entry));
    return parts.join("\n");
  }
  const start = text.indexOf("%PDF-"), end = text.lastIndexOf("%%EOF");
  if (start < 0 || end < 0 || !hasPoppler) return text;
  const pdf = bytes.slice(start, end + 6);
  return `${text}\n${await runOnPdf("pdftotext", ["-layout", "", "-"], pdf)}`;
}

/** Whether a JSON value contains a row of the case with results. */
function hasFinding(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasFinding);
  if (typeof value !== "object" || value === null) return false;
  const { pid, finding, quality_grade } = value as Record<string, unknown>;
  const hasResults = [finding, quality_grade].some((each) => each !== undefined && each !== null);
  return pid === CASE && hasResults || Object.values(value).some(hasFinding);
}

/** Whether a response contains results of the case, or one of its pictures. */
async function showsCase(path: string, response: Response): Promise<boolean> {
  const bytes = new Uint8Array(await response.clone().arrayBuffer());
  const type = response.headers.get("content-type") ?? "", text = await textOf(bytes);
  if (/json/.test(type) && hasFinding(JSON.parse(text))) return true;
  const isOfCase = path.includes(`/patients/${CASE}/`) || path.includes(`pid=${CASE}`) ||
    path.includes(`/viewer/${CASE}?`);
  return PLANTED.test(text) || isOfCase && /^image\/|octet-stream|gzip/.test(type);
}

/** Two visits of one patient with planted volumes, and a third study. */
async function plant(db: Database): Promise<void> {
  const { results } = await db.selectFrom("analyses").select("results").where("pid", "=", CASE)
    .executeTakeFirstOrThrow();
  const planted = JSON.parse(results!);
  for (const label of [17, 53]) planted.volumesMm3[label] = PLANTED_MM3;
  await db.updateTable("analyses").set({ results: JSON.stringify(planted) })
    .where("pid", "=", CASE).execute();
  const { patient_id, patient_name } = await db.selectFrom("patients")
    .select(["patient_id", "patient_name"]).where("pid", "=", CASE).executeTakeFirstOrThrow();
  await db.updateTable("patients").set({ patient_id, patient_name }).where("pid", "=", LATER)
    .execute();
  await db.updateTable("patients").set({ study_date: "2025-01-05" }).where("pid", "=", CASE)
    .execute();
  // the reader's entries are removed after each call, so that the next call must record anew
  await sql`DROP TRIGGER audit_no_delete`.execute(db);
}

/** Starts export jobs of the reader and waits for their files. @returns paths of the files. */
async function jobs(reader: Api): Promise<Record<string, string>> {
  const start = async (path: string, json: unknown) =>
    await (await call(reader, path, { method: "POST", json })).json();
  const pid_list = [LATER];
  const reports = await start("/api/v1/patients/reports/pdf", { pid_list });
  const table = await start("/api/v1/patients/excel", {
    format: "csv",
    pid_list: [CASE, LATER],
    language: "en",
  });
  const files = {
    reports: `/api/v1/patients/reports/pdf/${reports.uuid}`,
    table: `/api/v1/patients/excel/${table.excel_id}`,
  };
  for (const path of Object.values(files)) {
    await until(async () => {
      const response = await reader.send(requestOf(reader, path));
      await response.body?.cancel();
      return response.status === 200;
    });
  }
  return files;
}

/** Paths with which a call is tried: for both studies of the patient, or known examples. */
async function pathsOf(
  route: string,
  { files, db }: { files: Record<string, string>; db: Database },
): Promise<string[]> {
  const both = [LATER, CASE], path = route.slice(route.indexOf(" ") + 1);
  const uids = await db.selectFrom("patients").select(["pid", "study_uid"])
    .where("pid", "in", both).orderBy("pid", "desc").execute();
  if (path.startsWith("/api/v1/patients/reports/pdf")) {
    return path.includes(":id")
      ? [files.reports + (path.endsWith("progress") ? "/progress" : "")]
      : [`${path}?pid_list=${LATER}`];
  }
  if (path.startsWith("/api/v1/patients/excel/:id")) {
    return [files.table + (path.endsWith("progress") ? "/progress" : "")];
  }
  if (path.includes("/image/viewer/")) {
    return both.map((pid) => `/api/v1/patients/image/viewer/${pid}?file=t1w_mask_file`);
  }
  if (path.includes("/secure/")) return both.map((pid) => `/api/v1/secure/verts.npy?pid=${pid}`);
  if (path.includes("/settings/assessment/")) {
    return both.map((pid) => `/api/v1/settings/assessment/${pid}`);
  }
  if (path === "/api/v1/fhir/:type{[A-Za-z]{4,20}}") {
    return ["Patient", "ImagingStudy", "DiagnosticReport", "Observation"].flatMap((type) =>
      ["P-1", "P-2"].map((id) => `/api/v1/fhir/${type}?patient.identifier=${id}&identifier=${id}`)
    );
  }
  if (path.startsWith("/api/v1/fhir/:type")) {
    return ["ImagingStudy", "DiagnosticReport", "Observation"].flatMap((type) =>
      both.flatMap((pid) => [`/api/v1/fhir/${type}/${pid}`, `/api/v1/fhir/${type}/${pid}-1`])
    );
  }
  if (path.includes(":study")) {
    return uids.map(({ study_uid }) =>
      path.replace(/:study\{[^}]*\}\}?/, study_uid).replace(/:\w+\{[^}]*\}\}?/g, "1")
    );
  }
  if (path === "/api/v1/patients/:pid{[0-9]+}") {
    return both.flatMap((pid) => [
      `/api/v1/patients/${pid}`,
      `/api/v1/patients/${pid}?fields=row`,
    ]);
  }
  const filled = (pid: number) =>
    path.replace(/:pid\{[^}]*\}/, String(pid)).replace(/:kind\{.*\}$/, "report")
      .replace(/:id\{[^}]*\}\}?/g, "9999").replace(/:\w+(\{[^}]*\}\}?)?/g, "1");
  return path.includes(":pid") ? both.map(filled) : [filled(CASE)];
}

/** Calls that change the reader's own session or load the demo. */
const SKIPPED = /auth\/|second-factor|vuuc\/api\/user$|\/demo|DELETE /;
/** Calls that must have shown the case, so that the walk is not empty. */
const MUST_SHOW = [
  "GET /api/v1/patients",
  "GET /api/v1/patients/:pid{[0-9]+}",
  "GET /api/v1/patients/:pid{[0-9]+}/history",
  "GET /api/v1/patients/:pid{[0-9]+}/report",
  "GET /api/v1/patients/:pid{[0-9]+}/report/pdf",
  "GET /api/v1/patients/:pid{[0-9]+}/thumbnail",
  "GET /api/v1/patients/excel/:id{[0-9a-f-]{36}}",
  "GET /api/v1/patients/image/viewer/:pid",
];

Deno.test("no call shows a reader results of an unanswered case without recording it", () =>
  withCore(async ({ api, open, dataDir }) => {
    await addReported(dataDir, 3, 8);
    const db = await openBeside(dataDir);
    try {
      await plant(db);
      const credentials = { email: "reader@hospital.test", password: "correct-horse-9" };
      await addQuickUser(db, { ...credentials, name: "reader", role: "administrator" });
      const reader = { ...open, token: (await login(open, credentials)).access_token };
      await until(async () => {
        const { patients } = await (await call(api, "/api/v1/patients?page_size=50")).json();
        return patients.every((row: { is_finding_pending?: boolean }) => !row.is_finding_pending);
      });
      const files = await jobs(reader);
      const id = await addReadingStudy(api, {
        title: "Blinded",
        question: "Is the hippocampus atrophic?",
        scale: "five",
        asks_decision: true,
        asks_region: false,
        arms: ["without"],
        washout_days: 0,
        cases: [{ pid: CASE, reference: true }, { pid: OTHER, reference: false }],
        readers: [2],
      });
      const forget = () => db.deleteFrom("audit").where("user_id", "=", 2).execute();
      const isMarked = async () =>
        (await db.selectFrom("audit").select("seq").where("user_id", "=", 2)
          .where("pid", "=", CASE).where("outcome", "=", "ok").where("event", "in", [
            "reading_study.seen",
            "study.view",
            "report.view",
            "image.view",
            "report.print",
          ]).execute()).length > 0;
      // history, comparison and report of the later study show the case
      for (const part of ["history", "comparables", "report"]) {
        await forget();
        await (await call(reader, `/api/v1/patients/${LATER}/${part}`)).body?.cancel();
        const { readers } = await getReadingStudy(api, id);
        assert.deepEqual(readers.map(({ known_cases }) => known_cases), [1], part);
      }

      const calls = Object.keys(ENDPOINTS).filter((route) => !SKIPPED.test(route));
      const reads = calls.filter((route) => route.startsWith("GET "));
      const shown = new Set<string>(), missed: string[] = [], refused = new Set<string>();
      for (const route of [...reads, ...calls.filter((each) => !reads.includes(each))]) {
        const [method] = route.split(" ");
        for (const path of await pathsOf(route, { files, db })) {
          await forget();
          const body = method === "GET" ? {} : { method, json: {} };
          const response = await reader.send(requestOf(reader, path, body));
          if (response.status === 409 && /blinded/.test(await response.clone().text())) {
            refused.add(route);
          }
          if (!response.ok || !await showsCase(path, response)) {
            await response.body?.cancel();
            continue;
          }
          await response.body?.cancel();
          shown.add(route);
          const isBlinded = ENDPOINTS[route]!.shows === "blinded";
          if (!isBlinded && !await isMarked()) missed.push(`${route} ${path}`);
        }
      }
      assert.deepEqual(missed, []);
      // clinical calls are never refused
      assert.deepEqual([...refused], []);
      assert.deepEqual(MUST_SHOW.filter((route) => !shown.has(route)), [], [...shown].join("\n"));
    } finally {
      await db.destroy();
    }
  }, { workers: 1, callsPerMinute: 0 }));

Deno.test("a new call without a declaration is refused to readers", () =>
  withCore(async ({ api, open, dataDir }) => {
    await addReported(dataDir, 2, 8);
    const db = await openBeside(dataDir);
    try {
      const credentials = { email: "reader@hospital.test", password: "correct-horse-9" };
      await addQuickUser(db, { ...credentials, name: "reader", role: "reader" });
      const reader = { ...open, token: (await login(open, credentials)).access_token };
      const route = "GET /api/v1/undeclared", table = ENDPOINTS as Record<string, unknown>;
      table[route] = { may: "look", summary: "A new call.", file: ["text/plain"] };
      const services = { db, log: () => {} } as unknown as ServiceContext;
      const undeclared = createApi(
        services,
        [(app) => app.get("/api/v1/undeclared", () => new Response("98.77 mL"))],
        [shownCases(services)],
      );
      const ask = async (from: Api) =>
        (await undeclared.fetch(requestOf(from, "/api/v1/undeclared"))).status;
      try {
        assert.equal(await ask(reader), 200);
        const cases = [{ pid: 1, reference: true }, { pid: 2, reference: false }];
        await addReadingStudy(api, {
          title: "Blinded",
          question: "Is the hippocampus atrophic?",
          scale: "five",
          asks_decision: true,
          asks_region: false,
          arms: ["without"],
          washout_days: 0,
          cases,
          readers: [2],
        });
        assert.deepEqual([await ask(reader), await ask(api)], [409, 200]);
      } finally {
        delete table[route];
      }
    } finally {
      await db.destroy();
    }
  }));
