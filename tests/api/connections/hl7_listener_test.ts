// The report as HL7 message, read and acknowledged by a listener of somebody else's: the Python package hl7.
import assert from "node:assert/strict";
import { getSentResults, repeatResults, savePeer } from "@/client/api/connections/connections.ts";
import { insertOutbox } from "@/server/core/connections/storage/outbox.ts";
import { LateGate } from "@/tests/sites/connections/gate_site.ts";
import { noPython, startPython } from "@/tests/sites/connections/python_peers.ts";
import { openBeside, withCore } from "@/tests/sites/core_site.ts";
import { analysedPhantom, studyFiles, T1_RESULTS } from "@/tests/sites/dicom_study.ts";
import { until } from "@/tests/sites/until.ts";

interface Heard {
  code: string;
  measures: Record<string, number>;
  [field: string]: unknown;
}

Deno.test({
  name:
    `an independent HL7 listener reads the report, refuses it once, and acknowledges it ${noPython}`,
  ignore: noPython !== "",
  fn: () => {
    const gate = new LateGate();
    return withCore(async (test) => {
      const { api, dataDir } = test;
      await gate.open(dataDir);
      await using listener = await startPython<Heard>("hl7_listener.py", "AE");
      try {
        const pid = await analysedPhantom(test, studyFiles());
        const config = { host: "127.0.0.1", port: listener.port, results: ["hl7" as const] };
        const peerId = await savePeer(api, null, { name: "RIS", kind: "hl7", config });
        const db = await openBeside(dataDir);
        await db.updateTable("patients").set({ accession_number: "ACC-42" }).execute();
        await insertOutbox(db, [{ peerId, pid, run: "1,2", kind: "hl7" }], "2026-01-06T10:00:00Z");
        await db.destroy();
        const ended = (attempts: number) =>
          until(async () => {
            const [one] = (await getSentResults(api, pid)).results;
            return one?.attempts === attempts && one.state !== "sending" && one.state !== "waiting"
              ? one
              : null;
          });
        const refused = await ended(1);
        assert.equal(refused.state, "failed");
        assert.match(refused.last_error!, /^ack\/AE/);
        await repeatResults(api, [refused.id]);
        assert.deepEqual([(await ended(2)).state, listener.said().map(({ code }) => code)], [
          "sent",
          [
            "AE",
            "AA",
          ],
        ]);
        const [, { measures, ...heard }] = listener.said() as [Heard, Heard];
        assert.deepEqual(heard, {
          code: "AA",
          valid: true,
          type: "ORU^R01^ORU_R01",
          version: "2.5",
          patient: "SP-0001",
          name: "Kim^Haneul",
          accession: "ACC-42",
          units: ["mL"],
          document: ["AP", "PDF", "Base64"],
          pdf: "%PDF-",
        });
        assert.equal(measures["Intracranial volume"], Math.round(T1_RESULTS.icvMm3 / 10) / 100);
      } finally {
        await gate.close();
      }
    }, { gate: { ask: gate.ask, aeTitle: "SULCUS" } });
  },
});
