// visit.ts URL EMAIL PASSWORD PATIENT [analyse]: checks a newly installed site. Signs in; with
// `analyse` uploads a phantom as PATIENT, waits for the analysis, opens the viewer's page with its
// volume, and downloads the report as PDF; otherwise the analysed patient must exist. Exits with 1
// on failure.
import assert from "node:assert/strict";
import { getReport, getReportPdf } from "@/client/api/report/report.ts";
import {
  getPatientRow,
  getVolume,
  listPatients,
  startAnalyses,
  uploadFiles,
} from "@/client/api/studies/patients.ts";
import { pageApi, signInPage } from "@/bench/server/server_site.ts";
import { isAnalyzing, isFailed } from "@/model/schema/studies/study.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

const [url = "", email = "", password = "", patientId = "", what] = Deno.args;
const say = (text: string) => void Deno.stdout.writeSync(new TextEncoder().encode(text + "\n"));
const MAX_ANALYSIS_MS = 30 * 60_000;

const cookie = await signInPage(url, email, password), api = pageApi(url, cookie);
say("signed in");

/** Waits until the analysis of a study has ended. */
async function analysed(pid: number): Promise<void> {
  const { t1_analysis_status: first } = await getPatientRow(api, pid);
  if (first === null) await startAnalyses(api, [pid]);
  for (const started = Date.now();;) {
    const { t1_analysis_status: status } = await getPatientRow(api, pid);
    assert.ok(!isFailed(status), `the analysis is ${status}`);
    if (status !== null && !isAnalyzing(status)) return;
    assert.ok(Date.now() - started < MAX_ANALYSIS_MS, `no result in time: ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

if (what === "analyse") {
  const answer = await uploadFiles(api, phantomSeries("whole", patientId)), { pid_list } = answer;
  assert.equal(pid_list.length, 1, `the upload: ${JSON.stringify(answer).slice(0, 2000)}`);
  say(`uploaded and converted: study ${pid_list[0]}`);
  await analysed(pid_list[0]!);
  say("analysed");
}
const rows = (await listPatients(api)).patients,
  row = rows.find((each) => each.patient_id === patientId);
assert.ok(row, `${patientId} is not among ${rows.length} patients`);
for (const path of ["/", `/viewer/${row.pid}`, `/report/${row.pid}`]) {
  const answer = await fetch(url + path, { headers: { cookie } }), text = await answer.text();
  assert.equal(answer.status, 200, path);
  assert.match(text, /^<!doctype html>/i, path);
}
const { shape } = await getVolume(api, row.pid);
await getReport(api, row.pid);
say(`viewer's page and volume of ${shape.join(" × ")}`);
const pdf = new Uint8Array(await (await getReportPdf(api, row.pid)).arrayBuffer());
assert.equal(new TextDecoder().decode(pdf.subarray(0, 5)), "%PDF-");
say(`report of ${pdf.length} bytes`);
