// covers: S-205, S-206
// Orders with placer and filler order numbers, changes that assign an order to another patient, and
// the maximum number of stored orders.
import assert from "node:assert/strict";
import { trimOrders } from "@/server/core/studies/storage/hospital/hospital_orders.ts";
import { messagesTest } from "@/tests/sites/connections/applied_messages.ts";

messagesTest(
  "an order whose placer and filler numbers differ is cancelled by either of them",
  async ({ order, rows }) => {
    const ways = [
      { number: "N1", filler: "F1" },
      { number: "N2" },
      { number: "", filler: "F3" },
      { number: "", filler: "F4", accession: "A4" },
      { number: "N5", filler: "F5", accession: "A5" },
    ];
    for (const [i, way] of ways.entries()) {
      const n = i + 1, numbers = { accession: `A${n}`, number: `N${n}`, filler: `F${n}` };
      await order({ ...numbers, procedure: "Brain", at: "202603011200" });
      assert.deepEqual(await rows(), [`A${n} P-1 Brain`]);
      // cancellations of another patient's order, and of another order of this patient
      await order({ accession: "", ...way, id: "P-2", code: "CA", at: "202603011201" });
      await order({ accession: "", number: "N9", filler: "F9", code: "CA", at: "202603011201" });
      assert.deepEqual(await rows(), [`A${n} P-1 Brain`]);
      await order({ accession: "", ...way, code: "CA", at: "202603011202" });
      assert.deepEqual(await rows(), [], JSON.stringify(way));
      // a change that arrives after the cancellation, but is older
      await order({ ...numbers, code: "XO", at: "202603011201" });
      assert.deepEqual(await rows(), [], JSON.stringify(way));
    }
  },
);

messagesTest(
  "a cancellation by the filler's number alone is remembered for an order that comes later",
  async ({ order, rows }) => {
    await order({ accession: "", number: "", filler: "F1", code: "CA", at: "202603011300" });
    await order({ accession: "A1", number: "N1", filler: "F1", at: "202603011200" });
    assert.deepEqual(await rows(), []);
    await order({ accession: "A2", number: "N2", filler: "F2", at: "202603011200" });
    assert.deepEqual(await rows(), ["A2 P-1 MRI"]);
  },
);

messagesTest(
  "orders of a placer that a filler has under one number are cancelled one by one, or together",
  async ({ order, rows }) => {
    const both = async (at: string) => {
      await order({ accession: "A1", number: "N1", filler: "F1", procedure: "Brain", at });
      await order({ accession: "A1", number: "N2", filler: "F1", procedure: "MRA", at });
      assert.deepEqual(await rows(), ["A1 P-1 Brain / MRA"]);
    };
    await both("202603011200");
    await order({ accession: "A1", number: "N1", filler: "F1", code: "CA", at: "202603011201" });
    assert.deepEqual(await rows(), ["A1 P-1 MRA"]);
    await both("202603011202");
    await order({ accession: "", number: "", filler: "F1", code: "CA", at: "202603011203" });
    assert.deepEqual(await rows(), []);
  },
);

messagesTest(
  "a change that names another patient gives the order's row to that patient, and makes no second one",
  async ({ order, rows, images, procedure, db }) => {
    const first = { accession: "A1", number: "N1", filler: "F1", id: "P-1" };
    const person = { name: "Kim^Minsu", birth: "19500520", sex: "M" }, other = ["Lee", "Jiwon"];
    await order({ ...first, ...person, procedure: "Brain", at: "202603011200" });
    const [before] = await db.selectFrom("hospital_orders").select("id").execute();
    await order({ ...first, id: "P-2", code: "XO", name: other.join("^"), at: "202603011300" });
    assert.deepEqual(await rows(), [`A1 P-2 ${other.join(" ")} MRI`]);
    const all = await db.selectFrom("hospital_orders").selectAll().execute();
    assert.deepEqual(
      all.map(({ id, birth_date, sex }) => [id, birth_date, sex]),
      [[before!.id, null, null]],
    );
    // an order that arrives after the change, but is older
    await order({ ...first, procedure: "Brain", at: "202603011259" });
    assert.deepEqual(await rows(), [`A1 P-2 ${other.join(" ")} MRI`]);
    // a change back to P-1, then images; another change to P-2 separates the order from the images
    await order({ ...first, code: "XO", procedure: "Head", at: "202603011400" });
    await images();
    assert.equal(await procedure(), "Head");
    await order({ ...first, id: "P-2", code: "XO", procedure: "Head", at: "202603011500" });
    assert.equal(await procedure(), null);
    assert.deepEqual(await rows(), ["A1 P-2 Head"]);
  },
);

messagesTest(
  "a change of one of two orders under an accession number leaves the other with its patient",
  async ({ order, rows }) => {
    await order({ accession: "A1", number: "N1", procedure: "Brain", at: "202603011200" });
    await order({ accession: "A1", number: "N2", procedure: "MRA", at: "202603011200" });
    await order({ accession: "A1", number: "N2", id: "P-2", code: "XO", at: "202603011300" });
    assert.deepEqual(await rows(), ["A1 P-1 Brain", "A1 P-2 MRI"]);
    // a new order (NW) moves no other order: equal numbers of two patients are two rows
    await order({ accession: "A1", number: "N1", id: "P-3", at: "202603011400" });
    assert.deepEqual(await rows(), ["A1 P-1 Brain", "A1 P-2 MRI", "A1 P-3 MRI"]);
  },
);

messagesTest(
  "above their limit, the orders without images that expire first are deleted",
  async ({ db, order, rows, images }) => {
    await order({ accession: "A1", at: "202603011200" });
    await images();
    for (const [n, planned] of ["20270401", "20270101", "20270301", "20270201"].entries()) {
      await order({ accession: `B${n}`, number: `N${n}`, planned });
    }
    assert.equal(await trimOrders(db, 4), 0);
    assert.equal(await trimOrders(db, 2), 2);
    assert.deepEqual(await rows(), ["B0 P-1 MRI", "B2 P-1 MRI"]);
    const left = await db.selectFrom("hospital_orders").select("state").orderBy("id").execute();
    assert.deepEqual(left.map(({ state }) => state), ["arrived", "ordered", "ordered"]);
  },
);
