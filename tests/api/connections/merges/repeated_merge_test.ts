// covers: S-145
// The same merge of patients sent several times is undone as one.
import assert from "node:assert/strict";
import { insertUser } from "@/server/core/accounts/storage/users.ts";
import { undoMerge } from "@/server/core/connections/service/hl7/undo_merge.ts";
import { listMerges } from "@/server/core/connections/storage/patient_merges.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { messagesTest } from "@/tests/sites/connections/applied_messages.ts";
import { adt } from "@/tests/sites/connections/hl7_messages.ts";
import { readStudies } from "@/tests/sites/connections/hl7_model.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

for (const events of [["A40", "A40"], ["A40", "A47"], ["A47", "A40", "A40"]]) {
  messagesTest(
    `a merge that is sent as ${events.join(", ")} is undone with studies and orders`,
    async ({ db, send, order, rows }) => {
      for (const [n, patientId] of ["A", "B"].entries()) {
        await insertPatient(db, { ...newStudy(n + 1), patientId });
      }
      const studies = async () => (await readStudies(db)).map(({ id, name }) => `${id} ${name}`);
      await order({ id: "A", name: "Name^A", accession: "A1", number: "N1" });
      const before = [await studies(), await rows()];
      for (const [n, event] of events.entries()) {
        const at = `2026030213${String(n).padStart(2, "0")}00`;
        await send(adt({ event, control: `M${n}`, id: "B", prior: "A", name: "Name^B", at }));
      }
      assert.deepEqual((await studies()).map((each) => each.slice(0, 2)), ["B ", "B "]);
      const uid = (await insertUser(db, {
        email: "a@example.org",
        name: "A",
        passwordHash: "x",
        state: "active",
        role: "administrator",
        createdAt: "2026-01-06T00:00:00Z",
      }))!;
      const services = { db, publish: () => {}, log: () => {} } as unknown as ServiceContext;
      const [last, ...former] = await listMerges(db, 10);
      await undoMerge(services, last!.id, { uid, sid: "s" });
      const [idsBefore, rowsBefore] = before;
      assert.deepEqual((await studies())[0], idsBefore![0]);
      assert.deepEqual(await rows(), rowsBefore);
      assert.ok(former.every(({ state }) => state === "superseded"));
    },
  );
}
