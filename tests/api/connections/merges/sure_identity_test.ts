// covers: S-144, S-145, S-245
// A message gives its identity to studies and orders of surely the same person, or waits visibly.
import assert from "node:assert/strict";
import { insertUser } from "@/server/core/accounts/storage/users.ts";
import { applyMessage } from "@/server/core/connections/service/hl7/apply_message.ts";
import { followMerges } from "@/server/core/connections/service/hl7/follow_merges.ts";
import { messageRows } from "@/server/core/connections/service/hl7/messages_page.ts";
import { findMessage } from "@/server/core/connections/storage/hl7_messages.ts";
import type { Database } from "@/server/core/database/database.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { confirmMessage } from "@/tests/sites/connections/confirmed_message.ts";
import { messagesTest } from "@/tests/sites/connections/applied_messages.ts";
import { adt, type AdtFields, order } from "@/tests/sites/connections/hl7_messages.ts";
import { readStudies } from "@/tests/sites/connections/hl7_model.ts";
import { inLetters, randomOf } from "@/tests/sites/connections/random_messages.ts";
import { storeMessage } from "@/tests/sites/connections/stored_message.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

const ROUNDS = Number(Deno.env.get("SULCUS_TEST_HL7") ?? 400);

interface Person {
  name: string;
  birth: string | null;
  sex: "male" | "female" | null;
}

let control = 0;
const text = (fields: Partial<AdtFields> & { id: string }) =>
  adt({ event: "A08", control: `S${++control}`, ...fields });

const apply = async (db: Database, message: string): Promise<number> => {
  const id = (await storeMessage(db, message))!;
  await db.transaction().execute((tx) => applyMessage(tx, id));
  return id;
};

const endOf = async (db: Database, id: number): Promise<string> => {
  const { state, reason } = (await findMessage(db, id))!;
  return [state, reason].filter(Boolean).join(" ");
};

let studies = 0;
/** Stores images of a person. */
const images = (db: Database, patientId: string, { name, birth, sex }: Person) =>
  db.transaction().execute(async (tx) => {
    const study = { ...newStudy(++studies), patientId, patientName: name, birthDate: birth, sex };
    await followMerges(tx, await insertPatient(tx, study));
  });

const recordsOf = async (db: Database) =>
  (await readStudies(db)).map(({ id, name, birth, sex }) =>
    [id, name, birth, sex].filter(Boolean).join(" ")
  );

const KIM: Person = { name: "Kim One", birth: "1950-01-01", sex: "male" };

/** An update of P-1, where only images of KIM are, and how it ends. */
const UPDATES: readonly [fields: Partial<AdtFields>, end: string, record: string][] = [
  // an ID that was given to a second person
  [{ name: "Lee^Two", birth: "19800202", sex: "F" }, "failed other_person", ""],
  [{ name: "Lee^Two", birth: "19800202", sex: "M" }, "failed other_person", ""],
  [{ name: "Lee^Two", birth: "19800202" }, "failed other_person", ""],
  // the family name is common
  [{ name: "Kim^Two", birth: "19800202", sex: "M" }, "failed other_person", ""],
  [{ name: "Kim^Two", birth: "19500101", sex: "F" }, "failed other_person", ""],
  [{ name: "Kim^One", birth: "19800202", sex: "F" }, "failed other_person", ""],
  [{ birth: "19800202" }, "failed other_person", ""],
  // an incomplete birth date: agreeing, or another one, which cannot be applied
  [{ name: "Lee^Two", birth: "1950" }, "applied", "P-1 Lee Two 1950-01-01 male"],
  [{ name: "Lee^Two", birth: "195001" }, "applied", "P-1 Lee Two 1950-01-01 male"],
  [{ name: "Kim^One", birth: "1999" }, "failed other_person", ""],
  [{ name: "Kim^One", birth: "195002", sex: "M" }, "failed other_person", ""],
  // a new name, and corrections
  [{ name: "Lee^Two", birth: "19500101", sex: "M" }, "applied", "P-1 Lee Two 1950-01-01 male"],
  [{ name: "Lee^Two" }, "applied", "P-1 Lee Two 1950-01-01 male"],
  [{ name: "ONE^KIM", birth: "19500110", sex: "M" }, "applied", "P-1 ONE KIM 1950-01-10 male"],
  [{ name: "Kim^One", birth: "19500101", sex: "F" }, "applied", "P-1 Kim One 1950-01-01 female"],
  // values that the message deletes are kept, and the message says so
  [
    { name: "Lee^Two", birth: '""', sex: "M" },
    "applied values_kept",
    "P-1 Lee Two 1950-01-01 male",
  ],
  [{ name: "Lee^Two", sex: '""' }, "applied values_kept", "P-1 Lee Two 1950-01-01 male"],
];

for (const [fields, end, record] of UPDATES) {
  const { name = "", birth = "", sex = "" } = fields;
  messagesTest(
    `${[name, birth, sex].filter(Boolean).join(" ")} for ${Object.values(KIM).join(" ")}: ${end}`,
    async ({ db }) => {
      const before = ["P-1 Kim One 1950-01-01 male"], after = record === "" ? before : [record];
      await images(db, "P-1", KIM);
      assert.equal(await endOf(db, await apply(db, text({ id: "P-1", ...fields }))), end);
      assert.deepEqual(await recordsOf(db), after);
      const [row] = await db.selectFrom("patients").select("hospital_at").execute();
      assert.equal(row!.hospital_at !== null, record !== "", "the row says so");
      // as a merge, of records that come from either ID
      await db.deleteFrom("patients").execute();
      await db.deleteFrom("hl7_messages").execute();
      for (const [prior, id] of [["P-3", "P-4"], ["P-6", "P-5"]] as const) {
        const own = id === "P-4" ? prior : id;
        await images(db, own, KIM);
        const merge = await apply(db, text({ event: "A40", id, prior, ...fields }));
        assert.equal(await endOf(db, merge), end);
        const expected = after.map((one) =>
          one.replace("P-1", end.startsWith("applied") ? id : own)
        );
        assert.deepEqual((await recordsOf(db)).slice(-1), expected);
      }
    },
  );
}

messagesTest(
  "an update of an ID that two people have needs a birth date, and counts for its person alone",
  async ({ db }) => {
    const LEE: Person = { name: "Lee Two", birth: "1980-02-02", sex: "female" };
    await images(db, "P-1", KIM);
    await images(db, "P-1", LEE);
    const update = async (fields: Partial<AdtFields>) =>
      await endOf(db, await apply(db, text({ id: "P-1", ...fields })));
    assert.equal(await update({ name: "Lee^New", sex: "F" }), "failed several_people");
    const lee = { name: "Lee^New", birth: "19800202", sex: "F", at: "20260301120000" };
    assert.equal(await update(lee), "applied");
    // older, but about the other person
    const kim = { name: "Kim^New", birth: "19500101", sex: "M", at: "20260301110000" };
    assert.equal(await update(kim), "applied");
    assert.equal(await update({ ...lee, name: "Lee^Old", at: "20260301110000" }), "ignored older");
    assert.deepEqual(await recordsOf(db), [
      "P-1 Kim New 1950-01-01 male",
      "P-1 Lee New 1980-02-02 female",
    ]);
    // a merge moves neither, also if the second person has an order only
    await images(db, "P-2", KIM);
    await apply(db, order({ id: "P-2", name: LEE.name, birth: "19800202", sex: "F" }));
    for (const prior of ["P-1", "P-2"]) {
      const merge = text({ event: "A47", id: "P-3", prior, name: "Kim^New", birth: "19500101" });
      assert.equal(await endOf(db, await apply(db, merge)), "failed several_people");
    }
  },
);

messagesTest(
  "an administrator may confirm a correction, which newer messages still outdate",
  async ({ db }) => {
    const services = { db } as unknown as ServiceContext;
    const uid = (await insertUser(db, {
      email: "a@example.org",
      name: "A",
      passwordHash: "x",
      state: "active",
      role: "administrator",
      createdAt: "2026-01-06T00:00:00Z",
    }))!;
    const repeat = async (id: number) => {
      await confirmMessage(services, id, { uid, sid: "s" });
      await db.transaction().execute((tx) => applyMessage(tx, id));
      return await endOf(db, id);
    };
    await images(db, "P-1", KIM);
    const given = { name: "Kim^New", birth: "19510101", sex: "M", at: "20260301110000" };
    const first = await apply(db, text({ id: "P-1", ...given }));
    const second = await apply(db, text({ id: "P-1", ...given, name: "Kim^Older" }));
    const merge = await apply(
      db,
      text({ event: "A40", id: "P-2", prior: "P-1", ...given, birth: "19520101", name: "Kim^P" }),
    );
    for (const id of [first, second, merge]) {
      assert.equal(await endOf(db, id), "failed other_person");
    }
    const page = await messageRows(db, { limit: 10 });
    assert.deepEqual(page.messages.map(({ id }) => id), [first, second, merge]);
    assert.equal(await repeat(first), "applied");
    assert.deepEqual(await recordsOf(db), ["P-1 Kim New 1951-01-01 male"]);
    await apply(db, text({ id: "P-1", ...given, name: "Kim^Newest", at: "20260301120000" }));
    assert.equal(await repeat(second), "ignored older");
    // a merge that newer messages contradict needs a confirmation of its own
    assert.equal(await repeat(merge), "failed older_merge");
    assert.deepEqual(await recordsOf(db), ["P-1 Kim Newest 1951-01-01 male"]);
    assert.equal(await repeat(merge), "applied");
    assert.deepEqual((await recordsOf(db))[0]!.slice(0, 3), "P-2");
  },
);

const BIRTHS = ["1950-01-01", "1963-03-03", "1980-02-02"], SEXES = ["male", "female"] as const;

/** The person of a number, with another name than before, and entries that are missing or wrong. */
function randomPerson(random: (n: number) => number, number: number, round: number): Person {
  const name = `Person ${inLetters(number)}`;
  return {
    name: random(2) === 0 ? name : `Renamed ${inLetters(round)}`,
    birth: [null, BIRTHS[(number + 1) % 3]!][random(12)] ?? (BIRTHS[number % 3]!),
    sex: [null, SEXES[(number + 1) % 2]!][random(12)] ?? (SEXES[number % 2]!),
  };
}

const contradictions = (a: Person, b: Person) =>
  [[a.birth, b.birth], [a.sex, b.sex]].filter(([x, y]) => x && y && x !== y).length;

/** Reasons for which a message waits in the list of administrators. */
const WAITING = ["other_person", "several_people", "shared_id", "merged_id", "older_merge"];

/** Rounds with the same ten IDs: later, most of them have too many people. */
const PER_TEN = 50;

type Owned = Person & { id: string };

/** Patient of each study and order. */
async function allRecords(db: Database): Promise<Owned[]> {
  const orders = await db.selectFrom("hospital_orders")
    .select(["patient_id as id", "patient_name as name", "birth_date as birth", "sex"])
    .orderBy("hospital_orders.id").execute();
  const studies = (await readStudies(db)).map(({ id, name, birth, sex }) => ({
    id,
    name,
    birth,
    sex,
  }));
  return [...studies, ...orders];
}

/** A changed record shows the person that it showed before. */
function assertSamePerson(before: Person, after: Person, note: string): void {
  const count = contradictions(before, after);
  assert.ok(count === 0 || (count === 1 && before.name === after.name), note);
}

messagesTest(
  `${ROUNDS} random messages give identities to surely the same person, or wait in the list`,
  async ({ db }) => {
    const random = randomOf(54), counts: Record<string, number> = {};
    // ten IDs for some rounds; images and messages of every other ID are of two persons
    const idOf = (round: number) => 10 * Math.floor(round / PER_TEN) + random(10);
    const personOf = (id: number) => id % 2 === 0 ? [id, id + 1][random(2)]! : id;
    for (let round = 0; round < ROUNDS; round++) {
      const n = idOf(round), id = `P-${n}`, person = randomPerson(random, personOf(n), round);
      const fields = {
        name: person.name.replace(" ", "^"),
        birth: person.birth?.replaceAll("-", "") ?? "",
        sex: person.sex === null ? "" : person.sex[0]!.toUpperCase(),
      };
      if (random(6) === 0) await images(db, id, person);
      if (random(8) === 0) {
        const numbers = { control: `O${round}`, accession: `A${round}`, number: `N${round}` };
        await apply(db, order({ id, ...numbers, ...fields }));
        continue;
      }
      const event = ["A08", "A31", "A08", "A31", "A08", "A40", "A47"][random(7)]!,
        isUpdate = event < "A40";
      const prior = `P-${idOf(round)}`;
      const late = random(4) === 0 ? random(10) : 0;
      const minute = String(Math.max(0, round % 60 - late)).padStart(2, "0");
      const day = String(1 + Math.floor(round / 60) % 28).padStart(2, "0");
      const message = { event, id, ...fields, at: `202603${day}12${minute}00` };
      const before = await allRecords(db);
      const stored = await apply(db, text(isUpdate ? message : { ...message, prior }));
      const { state, reason } = (await findMessage(db, stored))!, after = await allRecords(db);
      const end = `${event} ${[state, reason].filter(Boolean).join(" ")}`;
      counts[end] = (counts[end] ?? 0) + 1;
      if (state !== "applied") assert.deepEqual(after, before, end);
      if (state === "failed") assert.ok(WAITING.includes(reason!), end);
      const people = before.filter((one) => one.id === id);
      for (const [at, one] of before.entries()) {
        const now = after[at]!, note = JSON.stringify({ round, end, person, one, now, people });
        assertSamePerson(one, now, note);
        // without a birth date, all records of the ID must be of one person
        const isNamed = isUpdate && person.birth === null && one.name !== now.name;
        if (isNamed) assert.ok(people.every((other) => contradictions(one, other) === 0), note);
      }
    }
    for (const event of ["A08", "A31", "A40", "A47"]) {
      for (const end of ["applied", "failed other_person", "failed several_people"]) {
        assert.ok(counts[`${event} ${end}`], JSON.stringify(counts));
      }
    }
  },
);
