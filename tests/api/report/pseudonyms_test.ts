// covers: S-245
// Pseudonyms of exported studies while patient IDs are edited, merged, given back and used again.
import assert from "node:assert/strict";
import { personsAmong } from "@/model/patient/one_person.ts";
import { insertUser } from "@/server/core/accounts/storage/users.ts";
import { undoMerge } from "@/server/core/connections/service/hl7/undo_merge.ts";
import { listMerges } from "@/server/core/connections/storage/patient_merges.ts";
import type { Database } from "@/server/core/database/database.ts";
import { pseudonym } from "@/server/core/dicom/deidentify/identity.ts";
import { deidentificationOf } from "@/server/core/exports/service/deidentified.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { purgeStudy, restoreStudy } from "@/server/core/studies/service/bin.ts";
import { updatePatient } from "@/server/core/studies/service/patient_edit.ts";
import { deletePatient } from "@/server/core/studies/service/patients.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { type Messages, messagesTest } from "@/tests/sites/connections/applied_messages.ts";
import { adt } from "@/tests/sites/connections/hl7_messages.ts";
import { randomOf } from "@/tests/sites/connections/random_messages.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

const CALLER = { uid: 1, role: "maintenance" } as unknown as Caller;

function siteOf({ db, send }: Messages) {
  const services = { db, publish() {}, log() {}, wakeJobs() {} } as unknown as ServiceContext;
  let studies = 0, sent = 0, uid: number | null = null;
  const administrator = async () => {
    uid ??= await insertUser(db, {
      email: "admin@site.test",
      name: "A",
      passwordHash: "x",
      state: "active",
      role: "administrator",
      createdAt: new Date().toISOString(),
    });
    return { ...CALLER, uid: uid! };
  };
  return {
    services,
    study: (patientId: string, birthDate = "1950-01-01", patientName = "Kim Minsu") =>
      insertPatient(db, { ...newStudy(++studies), patientId, patientName, birthDate }),
    named: async (pid: number) => pseudonym(await deidentificationOf(services, pid, "removed")),
    edit: async (pid: number, patient_id: string) => {
      const row = await db.selectFrom("patients").selectAll().where("pid", "=", pid)
        .executeTakeFirstOrThrow();
      await updatePatient(services, pid, {
        patient_id,
        patient_name: row.patient_name,
        patient_birthdate: row.patient_birthdate!,
        patient_sex: row.patient_sex!,
        study_date: `2026-02-${String(10 + pid)}`,
      }, CALLER);
    },
    merge: (prior: string, id: string, event = "A40") =>
      send(adt({ event, id, prior, control: `M${++sent}` })),
    undo: async () => {
      const [merge] = await listMerges(db, 1);
      await undoMerge(services, merge!.id, await administrator());
    },
  };
}

messagesTest(
  "an edited patient ID keeps the pseudonym, and its next owner gets another",
  async (messages) => {
    const { study, named, edit } = siteOf(messages);
    const kim = await study("A"), first = await named(kim);
    await edit(kim, "B");
    assert.equal(await named(kim), first);
    const next = await study("A", "1981-02-03", "Lee Jiwon");
    const names = [first, await named(next)];
    assert.notEqual(names[0], names[1]);
    // a later study of each
    assert.equal(await named(await study("B")), first);
    assert.equal(await named(await study("A", "1981-02-03", "Lee Jiwon")), names[1]);
    await edit(kim, "C");
    assert.equal(await named(kim), first, "beside a study that stayed");
  },
);

messagesTest(
  "a study that was filed under another's ID leaves that person's pseudonym",
  async (messages) => {
    const { study, named, edit } = siteOf(messages);
    const lee = await study("B"), kim = await study("B"), ofB = await named(lee);
    assert.equal(await named(kim), ofB, "one record, one person");
    await edit(kim, "A");
    const own = await named(kim);
    assert.notEqual(own, ofB);
    assert.equal(await named(lee), ofB);
    await edit(kim, "B");
    assert.equal(await named(kim), ofB, "given back");
  },
);

for (const event of ["A40", "A47"]) {
  messagesTest(
    `merged by ${event} one person has one pseudonym, and undone two have two`,
    async (messages) => {
      const { study, named, merge, undo } = siteOf(messages);
      const prior = await study("A"), other = await study("B");
      const ofA = await named(prior), ofB = await named(other);
      assert.notEqual(ofA, ofB);
      await merge("A", "B", event);
      assert.deepEqual([await named(prior), await named(other)], [ofB, ofB]);
      const later = await study("B");
      assert.equal(await named(later), ofB);
      await undo();
      assert.deepEqual([await named(prior), await named(other), await named(later)], [
        ofA,
        ofB,
        ofB,
      ]);
      // exported only while merged
      const late = await study("C");
      await merge("C", "B", event);
      assert.equal(await named(late), ofB);
      await undo();
      const names = new Set([await named(late), await named(other), await named(prior)]);
      assert.equal(names.size, 3);
      // one who was exported under the former ID alone keeps the pseudonym
      const moved = await study("D"), ofD = await named(moved);
      await merge("D", "E", event);
      assert.equal(await named(moved), ofD);
      assert.notEqual(await named(await study("F")), ofD);
    },
  );
}

const TIMES = ["before the merge", "across the merge", "after the merge"] as const;
for (const time of TIMES) {
  messagesTest(
    `a merged study that was deleted ${time} and restored or purged leaves each person's pseudonym`,
    async (messages) => {
      const { db } = messages, { services, study, named, merge, undo } = siteOf(messages);
      let cases = 0;
      for (const which of ["prior", "target"]) {
        for (const end of ["restore", "purge"]) {
          for (const isUndone of [false, true]) {
            const where = `${which}, ${end}${isUndone ? ", undone" : ""}`, n = ++cases;
            const ids = [`A-${n}`, `B-${n}`] as const;
            const [prior, target] = [await study(ids[0]), await study(ids[1])];
            const first = [await named(prior), await named(target)];
            const chosen = which === "prior" ? prior : target;
            const remove = () => deletePatient(services, chosen, CALLER);
            const finish = () =>
              end === "restore"
                ? restoreStudy(services, chosen, CALLER)
                : purgeStudy(services, chosen);
            if (time !== "after the merge") await remove();
            if (time === "before the merge") await finish();
            await merge(ids[0], ids[1]);
            if (time === "after the merge") await remove();
            if (time !== "before the merge") await finish();
            if (isUndone) await undo();
            const groups = await groupsOf(db), pair = [prior, target];
            const living = pair.filter((pid) => groups.has(pid));
            assert.equal(living.length, end === "restore" ? 2 : 1, where);
            const names = new Map<number, string>();
            for (const pid of living) names.set(pid, await named(pid));
            for (const [at, pid] of pair.entries()) {
              const name = names.get(pid);
              if (name === undefined) continue;
              assert.ok(first.includes(name), `${where}: another pseudonym`);
              if (isUndone) assert.equal(name, first[at], where);
            }
            if (living.length === 2) {
              const isOne = groups.get(prior)!.includes(target);
              assert.equal(isOne, !isUndone, where);
              assert.equal(names.get(prior) === names.get(target), isOne, where);
            }
            for (const id of ids) {
              const next = await named(await study(id, "1981-02-03", "Lee Jiwon"));
              assert.ok(!first.includes(next), `${where}: the next person with ${id}`);
            }
          }
        }
      }
    },
  );
}

async function groupsOf(db: Database): Promise<Map<number, number[]>> {
  const rows = await db.selectFrom("patients").selectAll().execute();
  return new Map(rows.map((row) => {
    const same = rows.filter((one) => one.patient_id === row.patient_id);
    const persons = personsAmong(same);
    const own = persons.isOne ? same : persons.sameAs(row, same);
    return [row.pid, own.length === 0 ? [row.pid] : own.map(({ pid }) => pid)];
  }));
}

messagesTest(
  "after any edits two studies share a pseudonym exactly if they are one person's",
  async (messages) => {
    const { db } = messages, { study, named } = siteOf(messages), random = randomOf(40);
    const pids: number[] = [], first = new Map<number, string>();
    for (let n = 0; n < 8; n++) pids.push(await study(`P-${n % 3}`));
    for (let round = 0; round < 40; round++) {
      for (let changes = 1 + random(3); changes > 0; changes--) {
        await db.updateTable("patients").set({
          patient_id: ["P-0", "P-1", "P-2", "P-3", "", "0"][random(random(4) === 0 ? 6 : 4)]!,
          patient_birthdate: [null, "1950-01-01", "1950-01-01", "1981-02-03"][random(4)]!,
        }).where("pid", "=", pids[random(pids.length)]!).execute();
      }
      const chosen = pids.filter(() => random(3) > 0), groups = await groupsOf(db);
      const names = new Map<number, string>();
      for (const pid of chosen) names.set(pid, await named(pid));
      for (const a of chosen) {
        first.set(a, first.get(a) ?? names.get(a)!);
        for (const b of chosen) {
          const isOne = groups.get(a)!.includes(b) || a === b;
          assert.equal(names.get(a) === names.get(b), isOne, `round ${round}: ${a} and ${b}`);
        }
      }
    }
  },
);
