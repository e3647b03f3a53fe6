// covers: S-147
// A message that ends the server's process at each attempt does not hold up others after restarts.
import assert from "node:assert/strict";
import { insertUser } from "@/server/core/accounts/storage/users.ts";
import { dropMessage, repeatMessage } from "@/server/core/connections/service/hl7/messages_page.ts";
import { findMessage } from "@/server/core/connections/storage/hl7_messages.ts";
import { type Database, openDatabase } from "@/server/core/database/database.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { adt } from "@/tests/sites/connections/hl7_messages.ts";
import { readStudies } from "@/tests/sites/connections/hl7_model.ts";
import { storeMessage } from "@/tests/sites/connections/stored_message.ts";
import { databaseTest } from "@/tests/sites/databases.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";
import { until, untilEqual } from "@/tests/sites/until.ts";

const CONFIG = new URL("../../../../deno.json", import.meta.url).pathname;
const WORKER =
  new URL("../../../sites/connections/killing_worker_process.ts", import.meta.url).pathname;
/** Attempts that the server makes at most. */
const ATTEMPTS = 3;

const startWorker = (database: string, inbox: string) =>
  new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", `--config=${CONFIG}`, WORKER, database, inbox, "Fatal Name"],
    stderr: "inherit",
  }).spawn();

/** An update of a patient's name. */
const update = (db: Database, id: string, name: string) =>
  storeMessage(db, adt({ event: "A08", id, name, control: name }));

async function administrator(db: Database): Promise<Caller> {
  const uid = await insertUser(db, {
    email: "a@example.org",
    name: "A",
    passwordHash: "x",
    state: "active",
    role: "administrator",
    createdAt: "2026-01-06T00:00:00Z",
  });
  return { uid: uid!, sid: "s" };
}

const namesOf = async (db: Database) => (await readStudies(db)).map(({ name }) => name);

databaseTest(
  "a message that kills the process at each attempt fails after three, and others are applied",
  async ({ url, open }) => {
    const folder = await Deno.makeTempDir({ prefix: "sulcus-attempts-" });
    const path = `${folder}/sulcus.sqlite`, db = url === null ? openDatabase(path) : await open();
    const start = () => startWorker(url ?? path, folder);
    try {
      for (const n of [1, 2]) {
        await insertPatient(db, { ...newStudy(n), patientId: `P-${n}` });
      }
      const fatal = (await update(db, "P-1", "Fatal^Name"))!;
      await update(db, "P-1", "Next^Name");
      await update(db, "P-2", "Other^Name");
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        assert.equal((await start().status).signal, "SIGKILL", `attempt ${attempt}`);
        const { state } = (await findMessage(db, fatal))!;
        assert.equal(state, "waiting");
        // without the pause between attempts
        await db.updateTable("hl7_messages").set({ not_before_ms: 0 }).execute();
      }
      const worker = start();
      let hasEnded = false;
      void worker.status.then(() => hasEnded = true);
      await until(async () => {
        assert.ok(!hasEnded, "the process ended once more");
        return (await findMessage(db, fatal))!.state !== "waiting";
      });
      await untilEqual(() => namesOf(db), ["Next Name", "Other Name"]);
      worker.kill("SIGKILL");
      await worker.status;
      const { state, reason } = (await findMessage(db, fatal))!;
      assert.deepEqual([state, reason], ["failed", "not_applied"]);
      // an administrator's repetition has attempts of its own
      const services = { db } as unknown as ServiceContext, caller = await administrator(db);
      await repeatMessage(services, fatal, caller);
      assert.equal((await start().status).signal, "SIGKILL");
      assert.equal((await findMessage(db, fatal))!.state, "waiting");
      await dropMessage(services, fatal, caller);
      assert.equal((await findMessage(db, fatal))!.state, "dropped");
      assert.deepEqual(await namesOf(db), ["Next Name", "Other Name"]);
    } finally {
      await db.destroy();
      await Deno.remove(folder, { recursive: true });
    }
  },
);
