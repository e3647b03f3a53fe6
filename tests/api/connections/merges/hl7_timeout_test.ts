// covers: S-147
// PostgreSQL ends a statement of a message that waits too long for a lock: the message is applied later.
import assert from "node:assert/strict";
import { MessageWorker } from "@/server/core/connections/service/hl7/message_worker.ts";
import { findMessage } from "@/server/core/connections/storage/hl7_messages.ts";
import { openPostgres } from "@/server/core/database/postgres.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { adt } from "@/tests/sites/connections/hl7_messages.ts";
import { readStudies } from "@/tests/sites/connections/hl7_model.ts";
import { storeMessage } from "@/tests/sites/connections/stored_message.ts";
import { postgresTest } from "@/tests/sites/databases.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";
import { until, untilEqual } from "@/tests/sites/until.ts";

const STATEMENT_MS = 500;

postgresTest(
  "a message whose statement times out is postponed and applied later, and others at once",
  async ({ url, open }) => {
    const other = await open(), inbox = await Deno.makeTempDir({ prefix: "sulcus-timeout-" });
    const db = await openPostgres(
      `${url}${url!.includes("?") ? "&" : "?"}statement_timeout=${STATEMENT_MS}`,
    );
    const errors: string[] = [];
    const log = (level: string, _: string, details?: { error?: string }) => {
      if (level === "error") errors.push(String(details?.error));
    };
    const worker = new MessageWorker(
      { db, log, publish: () => {} } as unknown as ServiceContext,
      inbox,
    );
    const namesOf = async () => (await readStudies(other)).map(({ name }) => name);
    try {
      for (const n of [1, 2]) await insertPatient(db, { ...newStudy(n), patientId: `P-${n}` });
      const ids: number[] = [];
      for (const [id, name] of [["P-1", "First"], ["P-1", "Second"], ["P-2", "Other"]] as const) {
        ids.push((await storeMessage(db, adt({ event: "A08", id, name, control: name })))!);
      }
      const [first, second] = ids as [number, number];
      // another transaction locks the study for longer than the statement timeout
      await other.transaction().execute(async (tx) => {
        await tx.selectFrom("patients").select("pid").where("pid", "=", 1).forUpdate().execute();
        worker.start();
        await until(async () => (await findMessage(db, first))!.reason !== null);
        const { state, reason } = (await findMessage(db, first))!;
        assert.deepEqual([state, reason], ["waiting", "not_applied"]);
        await untilEqual(namesOf, ["Name 1", "Other"]);
        assert.equal((await findMessage(db, second))!.state, "waiting");
      });
      assert.ok(errors.every((error) => error.includes("Cannot reach the database")), errors[0]);
      await untilEqual(namesOf, ["Second", "Other"]);
      for (const id of ids) assert.equal((await findMessage(db, id))!.state, "applied");
      const changes = await db.selectFrom("identity_changes").select("after").orderBy("id")
        .execute();
      const names = changes.map(({ after }) => JSON.parse(after).patientName);
      assert.deepEqual(names, ["Other", "First", "Second"]);
    } finally {
      await worker.close();
      await db.destroy();
      await other.destroy();
      await Deno.remove(inbox, { recursive: true });
    }
  },
);
