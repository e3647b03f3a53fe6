// covers: S-206, S-245
// Messages and images of 50 people with one patient ID, and orders that change patient and number.
import assert from "node:assert/strict";
import { noteAccession } from "@/server/core/studies/service/orders/match_orders.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { followMerges } from "@/server/core/connections/service/hl7/follow_merges.ts";
import { messagesTest } from "@/tests/sites/connections/applied_messages.ts";
import { adt, order } from "@/tests/sites/connections/hl7_messages.ts";
import { randomOf } from "@/tests/sites/connections/random_messages.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

const PEOPLE = 50, ROUNDS = 150;

interface Person {
  name: string;
  birth: string;
  sex: "male" | "female";
}

/** Pairs of twins: equal family name and birth date. */
const people = Array.from({ length: PEOPLE }, (_, n): Person => ({
  name: `Family${n >> 1} Given${n}`,
  birth: `19${50 + (n >> 1)}-03-04`,
  sex: n % 3 === 0 ? "male" : "female",
}));

/** Name, birth date and sex of a person in a message or in images; some values are missing. */
function entriesOf(n: number, random: (n: number) => number) {
  const { name, birth, sex } = people[n]!;
  return {
    name: random(6) === 0 ? "" : name,
    birth: random(4) === 0 ? null : birth,
    sex: random(4) === 0 ? null : sex,
  };
}

for (const id of ["0", "T-1"]) {
  messagesTest(
    `of ${PEOPLE} people with the ID ${id}, none gets an entry or an order of another`,
    async ({ db, send }) => {
      const random = randomOf(45);
      let sent = 0, studies = 0;
      const owners = new Map<number, number>();
      const placed = new Map<string, { accession: string; procedure: string }>();
      const images = async (n: number, accession: string, entries = entriesOf(n, random)) => {
        const study = { ...newStudy(++studies), patientId: id, patientName: entries.name };
        const pid = await db.transaction().execute(async (tx) => {
          const pid = await insertPatient(tx, {
            ...study,
            birthDate: entries.birth,
            sex: entries.sex,
          });
          await followMerges(tx, pid);
          await noteAccession(tx, pid, accession);
          return pid;
        });
        owners.set(pid, n);
      };
      for (let n = 0; n < 5; n++) await images(n * 2, "", people[n * 2]!);
      const ownAccession = (n: number) => random(5) === 0 ? "SHARED" : `A${n}`;
      const actions = [
        (n: number) => images(n, ownAccession(n)),
        (n: number) => {
          const { name, birth, sex } = entriesOf(n, random);
          const accession = ownAccession(n), code = ["NW", "NW", "XO", "CA"][random(4)]!;
          if (code !== "CA") placed.set(`O${sent + 1}`, { accession, procedure: `of ${n}` });
          return send(order({
            id,
            control: `O${++sent}`,
            accession,
            // order numbers of some placers are unique only within a department
            number: ["", `N${n}`, accession === "SHARED" ? "" : "N1"][random(3)]!,
            code,
            procedure: `of ${n}`,
            referrer: `Doctor^${n}`,
            name: name.replace(" ", "^"),
            birth: birth?.replaceAll("-", "") ?? "",
            sex: sex ? sex[0]!.toUpperCase() : "",
            at: `2026030110${String(10 + Math.floor(sent / 60))}${10 + sent % 50}`,
          }));
        },
        (n: number) => {
          const { name, birth, sex } = entriesOf(n, random);
          return send(adt({
            event: ["A08", "A08", "A31", "A40", "A47"][random(5)]!,
            ...random(2) ? { id, prior: "P-9" } : { id: random(2) ? id : "P-9", prior: id },
            control: `O${++sent}`,
            name: name.replace(" ", "^"),
            birth: birth?.replaceAll("-", "") ?? "",
            sex: sex ? sex[0]!.toUpperCase() : "",
          }));
        },
      ];
      for (let round = 0; round < ROUNDS; round++) {
        await actions[random(actions.length)]!(random(PEOPLE));
      }
      const isOf = (n: number, one: { patient_name: string }, birth: string | null, sex: unknown) =>
        ["", people[n]!.name].includes(one.patient_name) &&
        [null, people[n]!.birth].includes(birth) && [null, people[n]!.sex].includes(sex as "male");
      const rows = await db.selectFrom("patients").selectAll().execute();
      for (const row of rows) {
        const n = owners.get(row.pid)!, { patient_birthdate, patient_sex } = row;
        assert.equal(row.patient_id, id);
        assert.ok(isOf(n, row, patient_birthdate, patient_sex), JSON.stringify([n, row]));
        assert.equal(row.received_identity, null, "no message has changed a study");
        assert.equal(row.ordered_procedure, null, "no order is joined with images");
        assert.equal(row.referring_physician, null);
      }
      const orders = await db.selectFrom("hospital_orders").selectAll().execute();
      const applied = await db.selectFrom("hl7_messages").select("control_id")
        .where("state", "=", "applied").execute();
      for (const { control_id } of applied) {
        const one = placed.get(control_id);
        const isThere = orders.some((row) =>
          row.accession_number === one?.accession && row.items.includes(`"${one.procedure}"`)
        );
        assert.ok(!one || isThere, `${control_id}: no order is lost`);
      }
      for (const row of orders) {
        const items = JSON.parse(row.items) as { procedure: string }[];
        const procedures = new Set(items.map(({ procedure }) => procedure).filter(Boolean));
        if (items.length === 0 || procedures.size === 0) continue;
        assert.equal(procedures.size, 1, row.items);
        const n = Number([...procedures][0]!.slice(3));
        assert.ok(isOf(n, row, row.birth_date, row.sex), JSON.stringify([n, row]));
      }
      const failed = await db.selectFrom("hl7_messages").select(["event", "reason"])
        .where("state", "=", "failed").execute();
      const reasons = new Set(failed.map(({ reason }) => reason));
      assert.deepEqual([...reasons], [id === "0" ? "placeholder_id" : "shared_id"]);
      const updates = await db.selectFrom("hl7_messages").select(["state"])
        .where("event", "like", "ADT^%").where("patient_id", "=", id)
        .where("prior_id", "!=", id).execute();
      assert.ok(updates.length > 0 && updates.every(({ state }) => state === "failed"));
    },
  );
}

messagesTest(
  "an update or merge by a placeholder changes nobody, also with one study or order",
  async ({ db, send, order, rows }) => {
    const stateOf =
      async () => (await db.selectFrom("hl7_messages").select(["state", "reason"]).orderBy(
        "id",
        "desc",
      )
        .limit(1).executeTakeFirstOrThrow());
    const failed = { state: "failed", reason: "placeholder_id" };
    await order({ id: "ANON", name: "Kim^Minsu", accession: "A1" });
    await send(adt({ event: "A08", id: "ANON", control: "U1", name: "Other^Name" }));
    assert.deepEqual(await stateOf(), failed);
    await insertPatient(db, { ...newStudy(1), patientId: "000", patientName: "Lee" });
    await send(adt({ event: "A08", id: "000", control: "U2", name: "Other^Name" }));
    assert.deepEqual(await stateOf(), failed);
    await send(adt({ event: "A40", id: "P-2", prior: "000", control: "U3", name: "Other^Name" }));
    assert.deepEqual(await stateOf(), failed);
    await insertPatient(db, { ...newStudy(2), patientId: "P-2", patientName: "Park" });
    await send(adt({ event: "A40", id: "000", prior: "P-2", control: "U4", name: "Other^Name" }));
    assert.deepEqual(await stateOf(), failed);
    // a placeholder ID without images or orders is ignored, not refused
    await send(adt({ event: "A08", id: "UNKNOWN", control: "U5", name: "Other^Name" }));
    assert.deepEqual(await stateOf(), { state: "ignored", reason: "no_study" });
    assert.deepEqual(await rows(), ["A1 ANON Kim Minsu MRI"]);
    const names = await db.selectFrom("patients").select("patient_name").orderBy("pid").execute();
    assert.deepEqual(names.map(({ patient_name }) => patient_name), ["Lee", "Park"]);
  },
);

messagesTest(
  "no order of a person is taken, hidden or changed by an order of another with the same ID",
  async ({ db, order, rows }) => {
    const kim = { id: "ANON", name: "Kim^Minsu", birth: "19500304", at: "202603011200" };
    const lee = { id: "ANON", name: "Lee^Jiwon", birth: "19600304", at: "202603011300" };
    const stateOf = async () =>
      (await db.selectFrom("hl7_messages").select(["state", "reason"]).orderBy("id", "desc")
        .limit(1).executeTakeFirstOrThrow()).reason;
    await order({ ...kim, accession: "A1", number: "N1" });
    const first = ["A1 ANON Kim Minsu MRI"];
    // changes with an order number of another department, with and without name and birth date
    await order({ ...lee, accession: "A2", number: "N1", code: "XO" });
    await order({ ...lee, name: "", birth: "", accession: "A3", number: "N1", code: "XO" });
    const all = [...first, "A2 ANON Lee Jiwon MRI", "A3 ANON MRI"];
    assert.deepEqual(await rows(), all);
    for (const number of [{ number: "N1" }, { number: "N1", filler: "F1" }]) {
      const isNamed = "filler" in number;
      await order({ ...lee, ...number, accession: isNamed ? "A1" : "", code: "XO" });
      assert.equal(await stateOf(), "placeholder_id");
    }
    assert.deepEqual(await rows(), all);
    // a cancellation by a filler order number that another filler uses as well
    await order({ ...lee, accession: "", number: "", filler: "F5", code: "CA" });
    await order({ ...kim, accession: "A5", number: "N5", filler: "F5" });
    assert.deepEqual((await rows()).at(-1), "A5 ANON Kim Minsu MRI");
    // without an order number, equal name and birth date do not identify the order
    await order({ ...kim, accession: "A6" });
    await order({ ...kim, accession: "A6", code: "CA", at: "202603011400" });
    assert.equal(await stateOf(), "placeholder_id");
    assert.deepEqual((await rows()).at(-1), "A6 ANON Kim Minsu MRI");
  },
);

interface Placed {
  accession: string;
  patient: string;
  procedure: string;
  minute: number;
}

messagesTest(
  "orders whose changes name another patient and another number are where the last one says",
  async ({ db, send }) => {
    const random = randomOf(78), numbers = 8;
    const pick = () => ({ accession: `A${random(6)}`, patient: `P-${random(4)}` });
    const studies: { accession: string; patient: string }[] = [];
    const model = new Map<string, Placed>();
    let sent = 0;
    const give = async (number: string, code: string, one: Placed) => {
      const at = new Date(Date.UTC(2026, 0, 1, 0, one.minute)).toISOString()
        .replaceAll(/[-:T]/g, "").slice(0, 12);
      const { accession, patient: id, procedure } = one;
      await send(order({ id, control: `X${++sent}`, accession, number, code, procedure, at }));
      const last = model.get(number);
      if (!last || last.minute <= one.minute) model.set(number, one);
    };
    const check = async (note: string) => {
      const placed = (accession: string, patient: string) =>
        [...model.values()].filter((one) => one.accession === accession && one.patient === patient)
          .map(({ procedure }) => procedure).toSorted();
      const rows = await db.selectFrom("hospital_orders").selectAll()
        .where("state", "!=", "cancelled").execute();
      const orders = rows.flatMap((row) =>
        (JSON.parse(row.items) as { procedure: string }[]).map(({ procedure }) =>
          [row.accession_number, row.patient_id, procedure].join(" ")
        )
      );
      const expected = [...model.values()].map((one) =>
        [one.accession, one.patient, one.procedure].join(" ")
      );
      assert.deepEqual(orders.toSorted(), expected.toSorted(), note);
      const stored = await db.selectFrom("patients").selectAll().orderBy("pid").execute();
      for (const [n, { accession, patient }] of studies.entries()) {
        const procedures = stored[n]!.ordered_procedure?.split(" / ").toSorted() ?? [];
        assert.deepEqual(procedures, placed(accession, patient), `${note}: study ${n}`);
      }
    };
    for (let round = 0; round < 60; round++) {
      // the new orders of this round, and up to five changes, in any order of arrival
      const messages: (() => Promise<void>)[] = [], number = `N${round}.${random(numbers)}`;
      messages.push(() => give(number, "NW", { ...pick(), procedure: `${number} new`, minute: 0 }));
      const changes = random(6);
      for (let minute = 1; minute <= changes; minute++) {
        const one = { ...pick(), procedure: `${number} ${minute}`, minute };
        messages.push(() => give(number, random(2) ? "XO" : "XX", one));
      }
      for (const message of messages.sort(() => random(3) - 1)) {
        await message();
        if (random(3) === 0 && studies.length < 30) {
          const study = pick();
          const pid = await insertPatient(db, {
            ...newStudy(studies.length + 1),
            patientId: study.patient,
          });
          studies.push(study);
          await db.transaction().execute((tx) => noteAccession(tx, pid, study.accession));
        }
      }
      if (round % 6 === 5) {
        await check(`after round ${round}`);
        if (model.size > 24) {
          await db.deleteFrom("hospital_orders").execute();
          await db.updateTable("patients").set({ ordered_procedure: null }).execute();
          model.clear();
        }
      }
    }
  },
);

messagesTest(
  "a change of the accession number alone keeps the order's patient, physician and day",
  async ({ db, order, rows }) => {
    const first = { number: "N1", name: "Kim^Minsu", referrer: "Lee^Jiwon", planned: "20260401" };
    await order({ ...first, accession: "A1", procedure: "Brain", at: "202603011200" });
    await order({
      accession: "A2",
      number: "N1",
      code: "XO",
      procedure: "Head",
      at: "202603011300",
    });
    assert.deepEqual(await rows(), ["A2 P-1 Kim Minsu Head"]);
    const { referrer, planned_on } = await db.selectFrom("hospital_orders").selectAll()
      .where("accession_number", "=", "A2").executeTakeFirstOrThrow();
    assert.deepEqual([referrer, planned_on], ["Lee Jiwon", "2026-04-01"]);
    // two orders with one placer order number: a change to a third accession number moves neither
    await order({ accession: "B1", number: "N2", at: "202603011200" });
    await order({ accession: "B2", number: "N2", at: "202603011200" });
    await order({ accession: "B3", number: "N2", code: "XO", at: "202603011300" });
    assert.deepEqual((await rows()).slice(1), ["B1 P-1 MRI", "B2 P-1 MRI", "B3 P-1 MRI"]);
  },
);
