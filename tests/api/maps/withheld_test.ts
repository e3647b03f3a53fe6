// covers: S-222, S-223
// Percentile maps at other systems when percentiles are withheld after they were sent.
import assert from "node:assert/strict";
import type { DataSet } from "dicom-parser";
import { revokeAcceptance } from "@/client/api/report/acceptance.ts";
import { noteChanges } from "@/server/core/connections/service/result_queue.ts";
import type { Database } from "@/server/core/database/database.ts";
import { agreeToDecision, insertStop, proposeDecision } from "@/server/core/norms/storage/stops.ts";
import { objectsOf, sendingTest } from "@/tests/sites/connections/sending_site.ts";
import { openBeside, type TestCore } from "@/tests/sites/core_site.ts";
import { analysedPhantom, studyFiles } from "@/tests/sites/dicom_study.ts";
import { ACCEPTED, acceptScanner } from "@/tests/sites/norms/accepted_scanner.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { until } from "@/tests/sites/until.ts";

const MAP = "1.2.840.10008.5.1.4.1.1.30", NOTE = "1.2.840.10008.5.1.4.1.1.88.59";
const OTHER = { email: "other@hospital.test", password: "correct-horse-8", name: "Other" };

const uidOf = (one: DataSet) => one.string("x00080018")!;
const ofClass = (paths: readonly string[], sopClass: string) =>
  objectsOf(paths).get(sopClass) ?? [];
/** Objects that the note rejects. */
const rejectedBy = (note: DataSet): string[] =>
  (note.elements.x0040a375?.items ?? []).flatMap(({ dataSet }) =>
    (dataSet!.elements.x00081115?.items ?? []).flatMap(({ dataSet }) =>
      (dataSet!.elements.x00081199?.items ?? []).map(({ dataSet }) => dataSet!.string("x00081155")!)
    )
  );

/** A study of a scanner that is accepted for percentiles. */
async function studyOf(test: TestCore): Promise<{ pid: number; acceptance: number }> {
  const pid = await analysedPhantom(test, studyFiles());
  return { pid, acceptance: await acceptScanner(test, pid) };
}

/** Waits until the archive has another file of a class; queued files are sent immediately. */
const nextOf = (db: Database, received: () => string[], sopClass: string, before: number) =>
  until(async () => {
    await db.updateTable("outbox").set({ lease_ms: null }).where("state", "=", "waiting").execute();
    const files = received();
    return ofClass(files, sopClass).length > before ? files : null;
  });

sendingTest(
  "a percentile map is rejected where it was sent when its scanner is stopped, and sent again after the release",
  async (test, send, received) => {
    const db = await openBeside(test.dataDir);
    try {
      const { pid } = await studyOf(test);
      const [map] = ofClass(await send(pid, { results: ["percentiles", "thickness"] }), MAP)
        .filter((one) => one.string("x00700080") === "PERCENTILES");
      const at = new Date().toISOString();
      const id = await db.transaction().execute(async (tx) => {
        const place = { ...ACCEPTED, since: null, moved: [] };
        const id = await insertStop(tx, { ...place, stoppedAt: at });
        await noteChanges(tx, [pid], "norms");
        return id;
      });
      const stopped = await nextOf(db, received, NOTE, 0);
      const [note] = ofClass(stopped, NOTE);
      assert.deepEqual(rejectedBy(note!), [uidOf(map!)]);
      // released by two people
      await addQuickUser(db, OTHER);
      await db.transaction().execute(async (tx) => {
        const [first, second] = await tx.selectFrom("users").select("id").orderBy("id").execute();
        const now = new Date().toISOString(), release = { decision: "release" as const };
        const proposal = { ...release, reason: "repaired" };
        await proposeDecision(tx, id, proposal, { userId: first!.id, at: now });
        const seen = { ...release, proposed_at: now, changed_at: at };
        assert.ok(await agreeToDecision(tx, id, seen, { userId: second!.id, at: now }));
        await noteChanges(tx, [pid], "norms");
      });
      const maps = ofClass(await nextOf(db, received, MAP, 2), MAP)
        .filter((one) => one.string("x00700080") === "PERCENTILES");
      assert.equal(new Set(maps.map(uidOf)).size, 2);
    } finally {
      await db.destroy();
    }
  },
);

sendingTest(
  "a percentile map is rejected where it was sent when the acceptance of its scanner is withdrawn",
  async (test, send, received) => {
    const db = await openBeside(test.dataDir);
    try {
      const { pid, acceptance } = await studyOf(test);
      const [map] = ofClass(await send(pid, { results: ["percentiles"] }), MAP);
      await revokeAcceptance(test.api, acceptance);
      const [note] = ofClass(await nextOf(db, received, NOTE, 0), NOTE);
      assert.deepEqual(rejectedBy(note!), [uidOf(map!)]);
      assert.equal(ofClass(received(), MAP).length, 1);
    } finally {
      await db.destroy();
    }
  },
);
