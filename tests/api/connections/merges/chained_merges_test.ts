// covers: S-145
// Chains of patient merges, in each order of arrival and of message times.
import assert from "node:assert/strict";
import { applyMessage } from "@/server/core/connections/service/hl7/apply_message.ts";
import { followMerges } from "@/server/core/connections/service/hl7/follow_merges.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { messagesTest } from "@/tests/sites/connections/applied_messages.ts";
import { adt } from "@/tests/sites/connections/hl7_messages.ts";
import { readStudies } from "@/tests/sites/connections/hl7_model.ts";
import { storeMessage } from "@/tests/sites/connections/stored_message.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

interface Link {
  prior: string;
  id: string;
  hour: number;
}

const chain: [first: Link, second: Link][] = [];
for (const [first, second] of [[10, 5], [10, 10], [5, 10]] as const) {
  const inner = { prior: "A", id: "B", hour: first }, outer = { prior: "C", id: "A", hour: second };
  chain.push([inner, outer], [outer, inner]);
}

for (const links of chain) {
  const name = links.map(({ prior, id, hour }) => `${prior} to ${id} at ${hour}`).join(", ");
  messagesTest(
    `studies of a chain end under its last ID, or a merge waits: ${name}`,
    async ({ db, send }) => {
      for (const [n, patientId] of ["A", "C"].entries()) {
        await insertPatient(db, { ...newStudy(n + 1), patientId });
      }
      for (const { prior, id, hour } of links) {
        const at = `20260301${String(hour).padStart(2, "0")}0000`;
        await send(adt({ event: "A40", control: `${prior}${hour}`, id, prior, at }));
      }
      const failed = await db.selectFrom("hl7_messages").select("reason")
        .where("state", "=", "failed").execute();
      const ids = (await readStudies(db)).map(({ id }) => id);
      if (failed.length > 0) {
        // a newer message had used A as a valid ID before the older merge arrived
        assert.deepEqual([failed, ids], [[{ reason: "older_merge" }], ["A", "A"]]);
        assert.ok(links[0]!.id === "A" && links[0]!.hour > links[1]!.hour);
      } else assert.deepEqual(ids, ["B", "B"]);
      const states = await db.selectFrom("patient_merges").select("state").distinct().execute();
      assert.deepEqual(states, [{ state: "active" }]);
    },
  );
}

messagesTest(
  "a merge into a former ID waits if it names another person, and so does a second merge of one ID",
  async ({ db, send }) => {
    const merge = (prior: string, id: string, hour: number, birth = "") =>
      send(adt({
        event: "A40",
        control: `${prior}${id}`,
        id,
        prior,
        birth,
        at: `20260301${hour}0000`,
      }));
    const last = async () =>
      await db.selectFrom("hl7_messages").select(["state", "reason"]).orderBy("id", "desc")
        .executeTakeFirstOrThrow();
    for (const [n, patientId] of ["A", "B", "C"].entries()) {
      await insertPatient(db, { ...newStudy(n + 1), patientId });
    }
    await merge("A", "B", 10);
    await merge("C", "A", 11, "19990909");
    assert.deepEqual(await last(), { state: "failed", reason: "merged_id" });
    await merge("A", "D", 12);
    assert.deepEqual(await last(), { state: "failed", reason: "merged_id" });
    await db.transaction().execute(async (tx) =>
      await followMerges(tx, await insertPatient(tx, { ...newStudy(4), patientId: "A" }))
    );
    assert.deepEqual((await readStudies(db)).map(({ id }) => id), ["B", "B", "C", "B"]);
    // the hospital reverses the merge of A into B
    await merge("B", "A", 13);
    assert.deepEqual((await readStudies(db)).map(({ id }) => id), ["A", "A", "C", "A"]);
  },
);

messagesTest(
  "a message waits for an earlier one about the same patient, whichever is applied first",
  async ({ db }) => {
    await insertPatient(db, { ...newStudy(1), patientId: "A" });
    const store = (event: string, fields: { id: string; prior?: string; name?: string }) =>
      storeMessage(db, adt({ event, control: event, ...fields }));
    const first = await store("A31", { id: "A", name: "First" });
    const merge = await store("A40", { id: "B", prior: "A" });
    const last = await store("A08", { id: "B", name: "Last" });
    const apply = (id: number | null) =>
      db.transaction().execute((tx) => applyMessage(tx, id!)).then((outcome) => outcome?.state);
    assert.deepEqual([await apply(last), await apply(merge)], [undefined, undefined]);
    assert.deepEqual([await apply(first), await apply(merge), await apply(last)], [
      "applied",
      "applied",
      "applied",
    ]);
    assert.deepEqual((await readStudies(db)).map(({ id, name }) => [id, name]), [["B", "Last"]]);
  },
);
