// covers: S-145
// Findings after a merge and its undo equal those of a full computation, which takes half its time.
import assert from "node:assert/strict";
import { insertUser } from "@/server/core/accounts/storage/users.ts";
import { saveLongitudinal } from "@/server/core/analyses/storage/longitudinal.ts";
import { comparableVisits } from "@/server/core/analyses/service/comparable_visits.ts";
import { refreshFindings } from "@/server/core/analyses/service/finding.ts";
import { queueLongitudinal } from "@/server/core/analyses/service/queue_visits.ts";
import { applyMessage } from "@/server/core/connections/service/hl7/apply_message.ts";
import { undoMerge } from "@/server/core/connections/service/hl7/undo_merge.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { adt, type AdtFields } from "@/tests/sites/connections/hl7_messages.ts";
import { addArchive, addStudy, AT, person } from "@/tests/sites/connections/merged_studies.ts";
import { storeMessage } from "@/tests/sites/connections/stored_message.ts";
import { databaseTest } from "@/tests/sites/databases.ts";

/** Studies of OLD and KEPT that are compared with each other, and one of LONE, which is not. */
const PATIENTS = { OLD: [1, 2, 3], KEPT: [4, 5, 6], LONE: [7] };
const PIDS = Object.values(PATIENTS).flat();

const findingsOf = async (db: Database) =>
  (await db.selectFrom("patients")
    .select(["pid", "finding", "finding_rules", "deviation", "lesion_order"])
    .orderBy("pid").execute()).map((row) => JSON.stringify(row));

/** Stores a comparison of all studies of a patient, in which volumes fall. */
async function compare(db: Database, patientId: string): Promise<void> {
  const [visits] = await comparableVisits(db, patientId);
  await saveLongitudinal(db, patientId, {
    visits: visits!.map(({ pid, analysisId, studyDate }) => ({ pid, analysisId, studyDate })),
    engineVersion: "e",
    results: {
      icvMm3: 1_500_000,
      visits: visits!.map(({ pid, studyDate }, n) => ({
        pid,
        studyDate,
        volumesMm3: Array.from({ length: 105 }, () => 1000 - 100 * n),
        thicknessMm: [],
        sideMm: [2, 2] as [number, number],
        differences: [],
      })),
    },
    errorCode: null,
    finishedAt: AT,
  });
}

async function withPatients(db: Database): Promise<(id: number) => Promise<void>> {
  await addArchive(db);
  await db.transaction().execute(async (tx) => {
    for (const [id, pids] of Object.entries(PATIENTS)) {
      for (const pid of pids) await addStudy(tx, pid, id);
    }
  });
  for (const id of ["OLD", "KEPT"]) await compare(db, id);
  await refreshFindings(db, PIDS);
  const user = { email: "admin@hospital.test", name: null, passwordHash: "", createdAt: AT };
  const uid = (await insertUser(db, { ...user, role: "administrator", state: "active" }))!;
  const services = { db, publish: () => {}, log: () => {} } as unknown as ServiceContext;
  return async (id) => void await undoMerge(services, id, { uid, sid: "s" });
}

/** Findings as they are, then as a full computation makes them. */
async function assertComplete(db: Database, pids: readonly number[], note: string) {
  const stored = await findingsOf(db);
  await refreshFindings(db, PIDS);
  const computed = await findingsOf(db), isMeant = (_: string, at: number) => pids.includes(at + 1);
  assert.deepEqual(stored.filter(isMeant), computed.filter(isMeant), note);
}

const MERGES: readonly [string, Partial<AdtFields>][] = [
  ["the ID alone", {}],
  ["the name", { name: "Doe^Jane^Maria" }],
  ["the birth date", { birth: "19400520" }],
  ["the sex", { sex: "F" }],
];

for (const [what, fields] of MERGES) {
  databaseTest(
    `findings after a merge that changes ${what}, and after its undo, are those of a full computation`,
    async (database) => {
      const db = await database.open();
      try {
        const undo = await withPatients(db);
        assert.ok((await findingsOf(db)).some((one) => one.includes("percent")), "a change");
        for (const prior of ["OLD", "LONE"]) {
          const ids = { event: "A40", id: "KEPT", prior, control: prior };
          const text = adt({ ...person, ...fields, ...ids, at: "20260401120000" });
          const id = (await storeMessage(db, text))!;
          const outcome = await db.transaction().execute((tx) => applyMessage(tx, id));
          assert.equal(outcome?.state, "applied");
          await assertComplete(db, outcome!.changed, `${prior} at once`);
          // as the server does after the event of a changed study
          await queueLongitudinal(db, "KEPT");
          await assertComplete(db, PIDS, prior);
          await undo(outcome!.merge!);
          await assertComplete(db, PIDS, `${prior} undone`);
        }
      } finally {
        await db.destroy();
      }
    },
  );
}

databaseTest(
  "a merge that changes the ID alone computes only findings of compared or outdated studies",
  async (database) => {
    const db = await database.open();
    try {
      await withPatients(db);
      await db.updateTable("patients").set({ lesion_order: 77 }).execute();
      await db.updateTable("patients").set({ finding_rules: "0" }).where("pid", "=", 1).execute();
      await db.deleteFrom("longitudinal").where("patient_id", "=", "OLD").execute();
      const merge = async (prior: string) => {
        const ids = { event: "A47", id: "NEW", prior, control: prior };
        const id = (await storeMessage(db, adt({ ...person, ...ids })))!;
        await db.transaction().execute((tx) => applyMessage(tx, id));
      };
      for (const prior of Object.keys(PATIENTS)) await merge(prior);
      const kept = await db.selectFrom("patients").select("pid").where("lesion_order", "=", 77)
        .where("patient_id", "=", "NEW").orderBy("pid").execute();
      assert.deepEqual(kept.map(({ pid }) => pid), [2, 3, 7]);
    } finally {
      await db.destroy();
    }
  },
);
