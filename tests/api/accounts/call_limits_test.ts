// covers: S-119
import assert from "node:assert/strict";
import { ENDPOINTS } from "@/model/api/endpoints.ts";
import { getAudit } from "@/client/api/site/audit.ts";
import { getExcelProgress, startExcel } from "@/client/api/report/excel.ts";
import { type Api, call, requestOf } from "@/client/api/http.ts";
import { listPatients, startAnalyses } from "@/client/api/studies/patients.ts";
import { colleague, withCore } from "@/tests/sites/core_site.ts";
import { addStudies } from "@/tests/sites/stored_studies.ts";

const CALLS_PER_MINUTE = 3;
const excel = (api: Api) => startExcel(api, { pid_list: [1], format: "csv" });

Deno.test("costly calls of one user are bounded: 429 with the time to wait, and others are not concerned", () =>
  withCore(async ({ api, open, dataDir }) => {
    await addStudies(dataDir, 1);
    const { excel_id } = await excel(api);
    await excel(api);
    // analyses, exports and reports share one limit
    await startAnalyses(api, [999]);
    for (let n = 0; n < 3; n++) {
      await assert.rejects(excel(api), { code: "call.too_often", status: 429 });
    }
    const json = { pid_list: [1], format: "csv" };
    const refused = await open.send(
      requestOf(api, "/api/v1/patients/excel", { method: "POST", json }),
    );
    const seconds = Number(refused.headers.get("retry-after"));
    assert.ok(seconds > 0 && seconds <= 60 / CALLS_PER_MINUTE, `${seconds}`);
    assert.deepEqual((await refused.json()).details, { seconds });

    await getExcelProgress(api, excel_id);
    await listPatients(api);
    await excel(await colleague(open, dataDir));
    const { entries } = await getAudit(api, { event: "export.start" });
    const outcomes = entries.filter(({ user_id }) => user_id === 1).map(({ outcome }) => outcome);
    assert.deepEqual(
      outcomes,
      ["call.too_often", "ok", "ok"],
      "one entry for all refusals in a row",
    );
  }, { callsPerMinute: CALLS_PER_MINUTE }));

Deno.test("files of the viewer are bounded too, ten times as high", () =>
  withCore(async ({ api, dataDir }) => {
    await addStudies(dataDir, 1);
    const file = () =>
      call(api, "/api/v1/patients/image/viewer/1", { query: { file: "t1w_file" } });
    for (let n = 0; n < 10; n++) await assert.rejects(file(), { code: "study.not_analyzed" });
    await assert.rejects(file(), { code: "call.too_often" });
    await excel(api);
  }, { callsPerMinute: 1 }));

// takes all DICOMweb and FHIR calls from the table, so that new calls are tested too
Deno.test("calls of other systems are bounded: searches, drawn images and FHIR as files, objects and frames higher", () =>
  withCore(async ({ api }) => {
    const calls = Object.keys(ENDPOINTS).filter((call) => /\/(dicomweb|fhir)\//.test(call));
    assert.ok(calls.length > 20);
    const paths: Record<string, string> = {
      type: "Patient",
      frame: "1",
      frames: "1",
      tag: "7FE00010",
    };
    const outcome = async (name: string) => {
      const [method, pattern] = name.split(" ") as [string, string];
      const path = pattern.replace(/:(\w+)(\{[^/]*\})?/g, (_, key) => paths[key] ?? "1");
      const answer = await api.send(requestOf(api, path, { method }));
      const { code } = await answer.json().catch(() => ({}));
      return code;
    };
    const isOfObjects = (name: string) =>
      /^POST|wado$|\/(frames|bulkdata)\/[^/]+$|\/instances\/[^/]+$/.test(name);
    for (const [group, perMinute] of [[false, 10], [true, 50]] as const) {
      const ofGroup = calls.filter((name) => isOfObjects(name) === group);
      for (let n = 0; n < perMinute; n++) {
        const name = ofGroup[n % ofGroup.length]!;
        assert.notEqual(await outcome(name), "call.too_often", name);
      }
      for (const name of ofGroup) {
        // the limit allows one more call per second, so three calls at once exceed it
        const outcomes = [await outcome(name), await outcome(name), await outcome(name)];
        assert.ok(outcomes.includes("call.too_often"), name);
      }
    }
  }, { callsPerMinute: 1 }));
