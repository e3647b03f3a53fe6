// covers: S-144
// A message that cannot be applied because a stored row is damaged does not block other patients.
import assert from "node:assert/strict";
import { getConnections, repeatMessage, savePeer } from "@/client/api/connections/connections.ts";
import { openBeside, withCore } from "@/tests/sites/core_site.ts";
import { databaseTest } from "@/tests/sites/databases.ts";
import { LateGate } from "@/tests/sites/connections/gate_site.ts";
import { adt } from "@/tests/sites/connections/hl7_messages.ts";
import { storeMessage } from "@/tests/sites/connections/stored_message.ts";
import { Hl7Sender } from "@/tests/sites/connections/hl7_sender.ts";
import { addStudies, setCompleted } from "@/tests/sites/stored_studies.ts";
import { until, untilEqual } from "@/tests/sites/until.ts";

const AT = "2026-01-06T00:00:00Z", STUDIES = 3, BEHIND = 205;

/** HL7 time, minutes after the beginning of a day. */
const minutesAfter = (n: number): string =>
  new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString().replaceAll(/[-:T]/g, "").slice(0, 14);

databaseTest(
  "a message about a damaged study fails visibly, and those about others are applied",
  async (database) => {
    const gate = new LateGate();
    await withCore(
      async ({ api, dataDir }) => {
        await addStudies(dataDir, STUDIES);
        for (let pid = 1; pid <= STUDIES; pid++) await setCompleted(dataDir, pid, AT);
        const open = await gate.open(dataDir), db = await openBeside(dataDir);
        const config = { may_send: true, addresses: ["127.0.0.1"], id_authority: "" };
        await savePeer(api, null, { name: "HIS", kind: "hl7", config });
        const { results } = await db.selectFrom("analyses").select("results").where("pid", "=", 1)
          .executeTakeFirstOrThrow();
        const setResults = (text: string | null) =>
          db.updateTable("analyses").set({ results: text }).where("pid", "=", 1).execute();
        // a sex that the messages add, so that findings are computed from the results
        await db.updateTable("patients").set({ patient_sex: null }).where("pid", "=", 1).execute();
        await setResults('{"damaged');
        // the gate reads settings once a second, and may refuse the first connections
        const sender = await until(async () => {
          const one = await Hl7Sender.connect(open.hl7Port!);
          if (await one.send(adt({ event: "A03", id: "", control: "0" })).catch(() => null)) {
            return one;
          }
          one.close();
        });
        const nameOf = async (pid: number) =>
          (await db.selectFrom("patients").select("patient_name").where("pid", "=", pid)
            .executeTakeFirstOrThrow()).patient_name;
        const failed = async () =>
          (await getConnections(api)).messages.filter(({ state }) => state === "failed");
        try {
          // more messages than the worker applies in one batch
          await db.transaction().execute(async (tx) => {
            for (let n = 0; n < BEHIND; n++) {
              const fields = { id: "P-1", name: `Lee^A${n}`, control: `A${n}`, sex: "F" };
              await storeMessage(tx, adt({ event: "A08", at: minutesAfter(n), ...fields }));
            }
          });
          await sender.send(adt({ event: "A08", id: "P-2", name: "Kim^B", control: "B" }));
          await untilEqual(() => nameOf(2), "Kim B");
          await until(async () => (await failed()).length > 0);
          const [message] = await failed();
          assert.equal(message!.reason, "not_applied");
          await setResults(results);
          // the newer messages have been applied, so the repeated message is outdated
          await untilEqual(() => nameOf(1), `Lee A${BEHIND - 1}`);
          await repeatMessage(api, message!.id);
          await untilEqual(async () => {
            const { state, reason } = await db.selectFrom("hl7_messages")
              .select(["state", "reason"]).where("id", "=", message!.id).executeTakeFirstOrThrow();
            return [state, reason];
          }, ["ignored", "older"]);
          assert.equal(await nameOf(1), `Lee A${BEHIND - 1}`);
        } finally {
          sender.close();
          await gate.close();
          await db.destroy();
        }
      },
      { gate: { ask: gate.ask, aeTitle: "SULCUS" } },
      database,
    );
  },
);
