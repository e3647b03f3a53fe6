// covers: S-203, S-205, S-206
// HL7 orders, changes and cancellations that arrive out of order: they are ordered by message time.
import assert from "node:assert/strict";
import type { Database } from "@/server/core/database/database.ts";
import { messagesTest } from "@/tests/sites/connections/applied_messages.ts";
import { order as orderText } from "@/tests/sites/connections/hl7_messages.ts";

const NW = "202603011200", XO = "202603011300", CA = "202603011400", LAST = "202603011500";

const statesOf = async (db: Database) =>
  (await db.selectFrom("hl7_messages").select(["state", "reason"]).orderBy("id").execute())
    .map(({ state, reason }) => [state, reason].filter(Boolean).join(" "));

messagesTest(
  "an order that arrives after its change keeps the change, and fills in what the change leaves out",
  async ({ db, order, rows }) => {
    const first = { accession: "A1", number: "N1", at: NW }, name = "Park";
    const details = { birth: "19500520", sex: "M", referrer: "Lee", planned: "20260401" };
    await order({ ...first, code: "XO", name, procedure: "Head", at: XO });
    await order({ ...first, ...details, name: "PARK", procedure: "Brain" });
    assert.deepEqual(await rows(), [`A1 P-1 ${name} Head`]);
    const one = await db.selectFrom("hospital_orders").selectAll().executeTakeFirstOrThrow();
    assert.deepEqual(
      [one.birth_date, one.sex, one.referrer, one.planned_on],
      ["1950-05-20", "male", "Lee", "2026-04-01"],
    );
    await order({ accession: "A2", number: "N2", code: "XO", procedure: "", at: XO });
    await order({ accession: "A2", number: "N2", procedure: "Neck", at: NW });
    assert.deepEqual((await rows())[1], "A2 P-1 Neck");
    // order and change have the same time, because some systems send times without seconds
    await order({ accession: "A3", number: "N3", code: "XO", procedure: "Knee", at: XO });
    await order({ accession: "A3", number: "N3", procedure: "Hip", at: XO });
    assert.deepEqual((await rows())[2], "A3 P-1 Knee");
  },
);

messagesTest(
  "a change without an accession number is applied when its order arrives, and not before",
  async ({ db, order, rows }) => {
    const change = { accession: "", code: "XO", procedure: "Head", at: XO };
    await order({ ...change, number: "N1" });
    await order({ ...change, number: "N2", id: "P-2" });
    assert.deepEqual(await statesOf(db), ["failed order_not_found", "failed order_not_found"]);
    await order({ accession: "A1", number: "N1", procedure: "Brain", at: NW });
    assert.deepEqual(await rows(), ["A1 P-1 Head"]);
    // the change of N2, which arrived before the order, assigns the order to patient P-2
    await order({ accession: "A2", number: "N2", procedure: "Neck", at: NW });
    assert.deepEqual(await rows(), ["A1 P-1 Head", "A2 P-2 Head"]);
    assert.deepEqual(await statesOf(db), ["applied", "applied", "applied", "applied"]);
    // the change is filed under the filler order number until the order gives the accession number
    await order({ ...change, number: "N3", filler: "F3" });
    assert.deepEqual((await rows())[2], "F3 P-1 Head");
    await order({ accession: "A3", number: "N3", filler: "F3", procedure: "Knee", at: NW });
    assert.deepEqual((await rows()).slice(2), ["A3 P-1 Head"]);
    // if the system sends no accession numbers, the order stays under the filler order number
    await order({ ...change, number: "N4", filler: "F4" });
    await order({ accession: "", number: "N4", filler: "F4", procedure: "Knee", at: NW });
    assert.deepEqual((await rows()).slice(3), ["F4 P-1 Head"]);
  },
);

messagesTest(
  "a cancellation is remembered where its accession number has another order, or images",
  async ({ order, rows, images, procedure }) => {
    await order({ accession: "A1", number: "N2", procedure: "MRA", at: NW });
    await order({ accession: "A1", number: "N1", code: "CA", at: CA });
    await order({ accession: "A1", number: "N1", procedure: "Brain", at: NW });
    assert.deepEqual(await rows(), ["A1 P-1 MRA"]);
    await images();
    assert.equal(await procedure(), "MRA");
    await order({ accession: "A1", number: "N3", code: "OC", at: CA });
    await order({ accession: "A1", number: "N3", procedure: "Neck", at: NW });
    assert.equal(await procedure(), "MRA");
    // an order that is newer than the cancellation of the same order number is in force
    await order({ accession: "A1", number: "N3", procedure: "Neck", at: LAST });
    assert.equal(await procedure(), "MRA / Neck");
    // the cancellation does not apply to an order of another patient with the same numbers
    await order({ id: "P-2", accession: "A1", number: "N3", procedure: "Hip", at: NW });
    assert.deepEqual(await rows(), ["A1 P-2 Hip"]);
  },
);

messagesTest(
  "a cancellation by accession number or order number alone is remembered, too",
  async ({ db, order, rows }) => {
    // a cancellation with order numbers, but without an accession number
    await order({ accession: "", number: "N1", filler: "F1", code: "CA", at: CA });
    await order({ accession: "A1", number: "N1", procedure: "Brain", at: NW });
    assert.deepEqual(await rows(), []);
    // such a cancellation applies to all accession numbers of the order, including later ones
    await order({ accession: "A2", number: "N2", at: NW });
    await order({ accession: "", number: "N2", code: "CA", at: CA });
    await order({ accession: "A3", number: "N2", at: NW });
    assert.deepEqual(await rows(), []);
    await order({ accession: "A3", number: "N2", at: LAST });
    assert.deepEqual(await rows(), ["A3 P-1 MRI"]);
    // a cancellation with an accession number, but without an order number
    await order({ accession: "A4", number: "N4", at: NW });
    await order({ accession: "A4", code: "CA", at: CA });
    await order({ accession: "A4", number: "N5", at: NW });
    await order({ accession: "A4", number: "N6", code: "XO", at: XO });
    assert.deepEqual(await rows(), ["A3 P-1 MRI"]);
    // a newer cancellation of order N8 does not cancel order N7, which is older than that message
    await order({ accession: "A4", number: "N8", code: "CA", at: "202603011600" });
    await order({ accession: "A4", number: "N7", at: LAST });
    assert.deepEqual(await rows(), ["A3 P-1 MRI", "A4 P-1 MRI"]);
    // an order without an order number is cancelled by a message that has an order number
    await order({ accession: "A9", number: "N9", code: "CA", at: CA });
    await order({ accession: "A9", at: NW });
    assert.deepEqual(await rows(), ["A3 P-1 MRI", "A4 P-1 MRI"]);
    const states = await statesOf(db);
    assert.ok(!states.some((state) => state.startsWith("failed")), JSON.stringify(states));
  },
);

messagesTest(
  "a cancellation before its order is remembered, whatever rows its accession number has",
  async ({ db, order, rows }) => {
    const cancelledFirst = async (accession: string, number: string, id = "P-1") => {
      await order({ id, accession, number, code: "CA", at: CA });
      await order({ id, accession, number, procedure: "Late", at: NW });
    };
    // another patient's order, and an order that is cancelled itself
    await order({ id: "P-2", accession: "A1", number: "N1", procedure: "Brain", at: NW });
    await cancelledFirst("A1", "N2");
    await cancelledFirst("A1", "N1");
    assert.deepEqual(await rows(), ["A1 P-2 Brain"]);
    await order({ id: "P-2", accession: "A1", number: "N1", code: "CA", at: CA });
    await cancelledFirst("A1", "N3", "P-2");
    assert.deepEqual(await rows(), []);
    // a change (XO) that is older than the cancellation, and a row that has all order numbers it can
    await order({ accession: "A2", number: "M0", procedure: "Neck", at: NW });
    for (let n = 1; n < 20; n++) await order({ accession: "A2", number: `M${n}`, procedure: "" });
    await cancelledFirst("A2", "M20");
    await order({ accession: "A2", number: "M20", code: "XO", procedure: "Later", at: XO });
    assert.deepEqual(await rows(), ["A2 P-1 Neck"]);
    assert.ok((await statesOf(db)).slice(-2).every((state) => state.endsWith("older")));
  },
);

messagesTest(
  "a change that arrives after the cancellation of the changed order moves it, still cancelled",
  async ({ order, rows }) => {
    await order({ accession: "A1", number: "N1", at: NW });
    await order({ accession: "A2", number: "N1", code: "CA", at: CA });
    await order({ accession: "A2", number: "N1", code: "XO", at: XO });
    assert.deepEqual(await rows(), []);
    await order({ accession: "A1", number: "N1", at: NW });
    assert.deepEqual(await rows(), []);
    // a change to another patient, and a cancellation without an accession number
    await order({ accession: "B1", number: "N2", at: NW });
    await order({ accession: "", number: "N2", id: "P-2", code: "CA", at: CA });
    await order({ accession: "B1", number: "N2", id: "P-2", code: "XO", at: XO });
    assert.deepEqual(await rows(), []);
    // cancellation, change and order arrive in reverse order
    await order({ accession: "C2", number: "N3", id: "P-2", code: "CA", at: CA });
    await order({ accession: "C2", number: "N3", id: "P-2", code: "XO", at: XO });
    await order({ accession: "C1", number: "N3", at: NW });
    assert.deepEqual(await rows(), []);
  },
);

messagesTest(
  "an old order of the former patient does not come back after newer orders of the new patient",
  async ({ order, rows }) => {
    await order({ accession: "A1", number: "N1", id: "P-2", code: "XO", at: XO });
    await order({ accession: "A1", number: "N1", id: "P-2", procedure: "Head", at: CA });
    await order({ accession: "A1", number: "N1", id: "P-1", procedure: "Brain", at: NW });
    assert.deepEqual(await rows(), ["A1 P-2 Head"]);
    // an order that is newer than the change is a separate order: it keeps accession number B1
    await order({ accession: "B1", number: "N2", procedure: "Brain", at: CA });
    await order({ accession: "B2", number: "N2", procedure: "Neck", code: "XO", at: XO });
    assert.deepEqual((await rows()).slice(1), ["B1 P-1 Brain", "B2 P-1 Neck"]);
  },
);

for (const isFirst of [true, false]) {
  messagesTest(
    `of two orders with one number, a change of one that comes ${
      isFirst ? "first" : "second"
    } takes none from the other`,
    async ({ order, rows }) => {
      const brain = { accession: "A1", number: "N1", procedure: "Brain", at: NW };
      const neck = { accession: "A2", number: "N1", procedure: "Neck", at: NW };
      if (!isFirst) await order(brain);
      await order({ ...neck, procedure: "MRA", code: "XO", at: XO });
      if (isFirst) await order(brain);
      // until order A2 arrives, the change seems to have moved the order from A1 to A2
      assert.deepEqual(await rows(), ["A2 P-1 MRA"]);
      await order(neck);
      assert.deepEqual((await rows()).toSorted(), ["A1 P-1 Brain", "A2 P-1 MRA"]);
    },
  );
}

messagesTest(
  "equal order numbers of two placers with their authorities are two orders",
  async ({ order, rows }) => {
    const ward = { accession: "A1", number: "N1^WARD", procedure: "Brain", at: NW };
    const clinic = { accession: "A2", number: "N1^CLINIC", procedure: "Neck", at: NW };
    await order(ward);
    // the clinic's change and cancellation arrive, but not the order that they concern
    await order({ ...clinic, id: "P-2", code: "XO", at: XO });
    assert.deepEqual(await rows(), ["A1 P-1 Brain", "A2 P-2 Neck"]);
    await order({ ...clinic, accession: "", code: "CA", at: CA });
    await order({ ...clinic, accession: "", id: "P-3", code: "XO", procedure: "Hip", at: LAST });
    await order({ ...clinic, accession: "A1", code: "CA", at: CA });
    assert.deepEqual(await rows(), ["A1 P-1 Brain", "A2 P-3 Hip"]);
    // a message without an assigning authority matches the order number of any authority
    await order({ ...ward, number: "N1", accession: "", code: "CA", at: CA });
    assert.deepEqual(await rows(), ["A2 P-3 Hip"]);
  },
);

messagesTest(
  "a change of patient and accession number at once moves the order whole",
  async ({ db, order, rows }) => {
    const first = { accession: "A1", number: "N1", referrer: "Lee", planned: "20260401" };
    await order({ ...first, name: "Kim^Minsu", birth: "19500520", procedure: "Brain", at: NW });
    const change = { accession: "A2", number: "N1", id: "P-2", code: "XO", at: XO };
    await order({ ...change, procedure: "" });
    assert.deepEqual(await rows(), ["A2 P-2 Brain"]);
    const one = await db.selectFrom("hospital_orders").selectAll()
      .where("accession_number", "=", "A2").executeTakeFirstOrThrow();
    assert.deepEqual([one.referrer, one.planned_on, one.birth_date], [
      "Lee",
      "2026-04-01",
      null,
    ]);
    await order({ ...first, at: NW });
    assert.deepEqual(await rows(), ["A2 P-2 Brain"]);
  },
);

messagesTest(
  "a cancellation of one of several orders in a message leaves the others",
  async ({ send, order, rows }) => {
    await order({ accession: "A1", number: "N1", procedure: "Brain", at: NW });
    await order({ accession: "A1", number: "N2", procedure: "MRA", at: NW });
    const text = (number: string, code: string, procedure: string) =>
      orderText({ accession: "A1", number, code, procedure, at: XO }).split("\r");
    const first = text("N1", "CA", ""), second = text("N2", "XO", "Neck");
    const details = second.slice(second.findIndex((line) => line.startsWith("ORC")));
    await send([...first.slice(0, -1), ...details].join("\r"));
    assert.deepEqual(await rows(), ["A1 P-1 Neck"]);
  },
);
