// covers: S-145, S-245
// An administrator confirms only identities that were shown, and only as long as they are the same.
import assert from "node:assert/strict";
import { insertUser } from "@/server/core/accounts/storage/users.ts";
import { applyMessage } from "@/server/core/connections/service/hl7/apply_message.ts";
import { getConfirmation } from "@/server/core/connections/service/hl7/confirmed_records.ts";
import { repeatMessage } from "@/server/core/connections/service/hl7/messages_page.ts";
import { findMessage } from "@/server/core/connections/storage/hl7_messages.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { messagesTest } from "@/tests/sites/connections/applied_messages.ts";
import { adt } from "@/tests/sites/connections/hl7_messages.ts";
import { readStudies } from "@/tests/sites/connections/hl7_model.ts";
import { storeMessage } from "@/tests/sites/connections/stored_message.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

const KIM = { patientId: "1001", patientName: "Kim Anna", birthDate: "1960-01-01", sex: "female" };
const LEE = { patientId: "2002", patientName: "Lee Bob", birthDate: "1955-02-02", sex: "male" };
const UNCONFIRMED = { code: "message.unconfirmed" };

/** Kim Anna and Lee Bob, and a message that merges them. */
async function doubtfulMerge(db: Database) {
  await insertPatient(db, { ...newStudy(1), ...KIM, sex: "female" });
  await insertPatient(db, { ...newStudy(2), ...LEE, sex: "male" });
  await insertPatient(db, { ...newStudy(3), ...LEE, sex: "male" });
  const uid = (await insertUser(db, {
    email: "a@example.org",
    name: "A",
    passwordHash: "x",
    state: "active",
    role: "administrator",
    createdAt: "2026-01-06T00:00:00Z",
  }))!;
  const caller: Caller = { uid, sid: "s" };
  const services = { db, publish: () => {}, log: () => {} } as unknown as ServiceContext;
  const message = adt({
    event: "A40",
    control: "1",
    id: "1001",
    prior: "2002",
    name: "Kim^Anna",
    birth: "19600101",
    sex: "F",
  });
  const id = (await storeMessage(db, message))!;
  const apply = async () => {
    await db.transaction().execute((tx) => applyMessage(tx, id));
    const { state, reason } = (await findMessage(db, id))!;
    return [state, reason].filter(Boolean).join(" ");
  };
  assert.equal(await apply(), "failed other_person");
  return {
    apply,
    see: () => getConfirmation(services, id, caller),
    repeat: (confirmed?: string) => repeatMessage(services, id, caller, confirmed),
    ids: async () => (await readStudies(db)).map((one) => one.id),
  };
}

messagesTest(
  "a doubtful merge shows both people, and needs a confirmation of them",
  async ({ db }) => {
    const { see, repeat, apply, ids } = await doubtfulMerge(db);
    const { recorded, given, reason, confirmed } = await see();
    assert.equal(reason, "other_person");
    assert.deepEqual(recorded, [
      {
        patient_id: "2002",
        name: "Lee Bob",
        birth_date: "1955-02-02",
        sex: "male",
        studies: 2,
        orders: 0,
      },
      {
        patient_id: "1001",
        name: "Kim Anna",
        birth_date: "1960-01-01",
        sex: "female",
        studies: 1,
        orders: 0,
      },
    ]);
    assert.deepEqual(given, {
      patient_id: "1001",
      prior_id: "2002",
      name: "Kim Anna",
      birth_date: "1960-01-01",
      sex: "female",
    });
    await assert.rejects(repeat(), UNCONFIRMED);
    await assert.rejects(repeat("0".repeat(64)), UNCONFIRMED);
    assert.deepEqual(await ids(), ["1001", "2002", "2002"]);
    await repeat(confirmed);
    assert.equal(await apply(), "applied");
    assert.deepEqual(await ids(), ["1001", "1001", "1001"]);
  },
);

const CHANGES: readonly [string, (db: Database) => Promise<unknown>][] = [
  ["a new study", (db) => insertPatient(db, { ...newStudy(4), ...KIM, sex: "female" })],
  [
    "another birth date",
    (db) =>
      db.updateTable("patients").set({ patient_birthdate: "1961-01-01" }).where("pid", "=", 1)
        .execute(),
  ],
];

for (const [title, change] of CHANGES) {
  messagesTest(`a confirmation before ${title} is refused`, async ({ db }) => {
    const { see, repeat, ids } = await doubtfulMerge(db);
    const { confirmed } = await see();
    await change(db);
    const before = await ids();
    await assert.rejects(repeat(confirmed), UNCONFIRMED);
    assert.deepEqual(await ids(), before);
    await repeat((await see()).confirmed);
  });

  messagesTest(`a confirmed merge is not applied after ${title}`, async ({ db }) => {
    const { see, repeat, apply, ids } = await doubtfulMerge(db);
    await repeat((await see()).confirmed);
    await change(db);
    const before = await ids();
    assert.equal(await apply(), "failed other_person");
    assert.deepEqual(await ids(), before);
  });
}
