// covers: S-156
// Percentiles of a site that has tested no scanner, in all places that print them.
import assert from "node:assert/strict";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import { qualityWarningText } from "@/model/text/quality.ts";
import { exportHeadText } from "@/model/text/worklist/export_columns.ts";
import { renewSystemKey, savePeer } from "@/client/api/connections/connections.ts";
import { getDicom } from "@/client/api/report/dicom.ts";
import { getExcel, startExcel } from "@/client/api/report/excel.ts";
import { getReport } from "@/client/api/report/report.ts";
import { getPatient, getPatientRow } from "@/client/api/studies/patients.ts";
import { queueResults } from "@/server/core/connections/service/result_queue.ts";
import { LateGate } from "@/tests/sites/connections/gate_site.ts";
import { openBeside, type TestCore, withCore } from "@/tests/sites/core_site.ts";
import { analysedPhantom, studyFiles } from "@/tests/sites/dicom_study.ts";
import { acceptScanner } from "@/tests/sites/norms/accepted_scanner.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { until } from "@/tests/sites/until.ts";

/** Texts of a study at each place that prints percentiles, except tables, and the mark there. */
async function printed(
  { api, core, dataDir }: TestCore,
  pid: number,
  messages: string[],
): Promise<Record<string, [text: string, mark: string]>> {
  const { t1_quality } = await getPatient(api, pid);
  const report = await getReport(api, pid, {});
  const sr = new TextDecoder("latin1").decode(
    await (await getDicom(api, pid, "measurements", {})).arrayBuffer(),
  );
  const ehr = await savePeer(api, null, {
    name: `EHR ${messages.length}`,
    kind: "fhir",
    config: { url: "http://ehr" },
  });
  const authorization = `Bearer ${await renewSystemKey(api, ehr)}`;
  const fhir = await core.fetch(
    new Request(`http://core/api/v1/fhir/DiagnosticReport/${pid}`, { headers: { authorization } }),
  );
  await savePeer(api, null, {
    name: `HIS ${messages.length}`,
    kind: "hl7",
    config: { host: "127.0.0.1", port: 2575, results: ["hl7"] },
  });
  const db = await openBeside(dataDir);
  await db.transaction().execute((tx) => queueResults(tx, pid));
  await db.updateTable("outbox").set({ lease_ms: null }).where("state", "=", "waiting").execute();
  await db.destroy();
  const before = messages.length;
  const hl7 = await until(() => Promise.resolve(messages[before] ?? null));
  const sentence = conclusionText.provisional.en, warning = qualityWarningText.scanner_not_accepted;
  const listed = (await getPatientRow(api, pid)).finding;
  return {
    list: [JSON.stringify(listed), `"is_provisional":true`],
    viewer: [t1_quality!.warnings.join(" "), "scanner_not_accepted"],
    conclusion: [report.conclusion!.sentences.join(" "), sentence],
    report: [report.qc.warnings.join(" "), "scanner_not_accepted"],
    SR: [sr, warning.en],
    FHIR: [await fhir.text(), sentence],
    HL7: [hl7, sentence],
  };
}

Deno.test("a site that has tested no scanner marks its percentiles wherever they are printed; an acceptance ends that", () => {
  const gate = new LateGate(), messages: string[] = [];
  const ask: typeof gate.ask = (task, signal) => {
    if (task.kind !== "mllp") return gate.ask(task, signal);
    messages.push(task.message);
    return Promise.resolve({ body: "MSH|^~\\&|EHR\rMSA|AA|1\r" });
  };
  return withCore(async (test) => {
    await gate.open(test.dataDir);
    try {
      const pid = await analysedPhantom(test, studyFiles());
      const missing: string[] = [];
      for (const [place, [text, mark]] of Object.entries(await printed(test, pid, messages))) {
        if (!text.includes(mark)) missing.push(place);
      }
      assert.deepEqual(missing, [], "places without the mark");
      await acceptScanner(test, pid);
      const left: string[] = [];
      for (const [place, [text, mark]] of Object.entries(await printed(test, pid, messages))) {
        if (text.includes(mark)) left.push(place);
      }
      assert.deepEqual(left, [], "places that keep the mark");
    } finally {
      await gate.close();
    }
  }, { gate: { ask, aeTitle: "SULCUS" } });
});

Deno.test("a table of a site that has tested no scanner marks its percentiles", () =>
  withCore(async ({ api, dataDir }) => {
    await addReported(dataDir, 1, 12);
    const { excel_id } = await startExcel(api, { pid_list: [1], format: "csv" });
    const csv = await until(async () => {
      const answer = await getExcel(api, excel_id);
      return "file" in answer ? await answer.file.text() : null;
    });
    assert.ok(csv.includes(exportHeadText.provisional.en));
  }, { workers: 1 }));
