// covers: S-147, S-206
import assert from "node:assert/strict";
import { openDatabase } from "@/server/core/database/database.ts";
import { MessageWriter } from "@/server/gate/receive/message_writer.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { Model, readOrderRows, readStudies } from "@/tests/sites/connections/hl7_model.ts";
import {
  inLetters,
  type Message,
  PATIENTS,
  randomMessage,
  randomOf,
  textOf,
} from "@/tests/sites/connections/random_messages.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";
import { until } from "@/tests/sites/until.ts";

const KILLS = Number(Deno.env.get("SULCUS_TEST_HL7_KILLS") ?? 6), PER_KILL = 12;
/** Orders alone: a thousand, of which the worker is killed among each 200. */
const ORDER_KILLS = 4, ORDERS_PER_KILL = 200;
const CONFIG = new URL("../../../deno.json", import.meta.url).pathname;
const WORKER =
  new URL("../../sites/connections/message_worker_process.ts", import.meta.url).pathname;

interface Killed {
  kills: number;
  perKill: number;
  messageOf: (random: (n: number) => number, sent: number) => Message;
}

/** Kills the worker between messages, and compares the stored state with the simple model. */
async function killAmong({ kills, perKill, messageOf }: Killed): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-killed-" });
  const path = `${folder}/sulcus.sqlite`, inbox = `${folder}/inbox`;
  for (const name of ["messages", "partial"]) {
    await Deno.mkdir(`${inbox}/${name}`, { recursive: true });
  }
  const db = openDatabase(path), random = randomOf(9), model = new Model();
  const writer = new MessageWriter(inbox);
  await writer.open();
  const start = async () => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", `--config=${CONFIG}`, WORKER, path, inbox],
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const reader = child.stdout.getReader();
    assert.equal((await reader.read()).done, false);
    await reader.cancel();
    return child;
  };
  const count = async () =>
    Number(
      (await db.selectFrom("hl7_messages").select((e) => e.fn.countAll().as("n"))
        .where("state", "!=", "waiting").executeTakeFirstOrThrow()).n,
    );
  try {
    for (let n = 1; n <= 20; n++) {
      const patientId = `P-${random(PATIENTS)}`, birthDate = "1950-01-01";
      const patientName = `Name I${inLetters(n)}`;
      await insertPatient(db, { ...newStudy(n), patientId, patientName, birthDate, sex: null });
      model.addStudy(patientId, patientName, birthDate, null);
    }
    let sent = 0;
    for (let kill = 0; kill <= kills; kill++) {
      const child = await start(), before = await count();
      for (let n = 0; n < perKill; n++, sent++) {
        const message = messageOf(random, sent);
        const note = { at: new Date().toISOString(), address: "", system: "HIS" };
        assert.ok(await writer.store(note, new TextEncoder().encode(textOf(message, `C${sent}`))));
        model.take(message);
      }
      // among the messages, wherever it is; the last one works to the end
      const enough = kill === kills ? sent : before + 1 + random(perKill);
      await until(async () => await count() >= enough);
      child.kill("SIGKILL");
      await child.status;
    }
    assert.deepEqual(await readStudies(db), model.studies);
    assert.deepEqual(await readOrderRows(db), model.rows);
    assert.equal(await count(), sent);
    assert.deepEqual([...Deno.readDirSync(`${inbox}/messages`)], []);
  } finally {
    writer.close();
    await db.destroy();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test(`a worker that is killed ${KILLS} times among messages loses none and applies none twice`, () =>
  killAmong({
    kills: KILLS,
    perKill: PER_KILL,
    messageOf: (random, sent) => randomMessage(random, sent),
  }));

Deno.test("a worker that is killed among 1,000 orders leaves the rows that a plain model has", () =>
  killAmong({
    kills: ORDER_KILLS,
    perKill: ORDERS_PER_KILL,
    messageOf: (random, sent) =>
      randomMessage(random, sent, ["order", "order", "change", "cancel"]),
  }));
