// covers: S-206
// HL7 change orders (XO) whose order number is shared by several accession numbers.
import assert from "node:assert/strict";
import type { Database } from "@/server/core/database/database.ts";
import { messagesTest } from "@/tests/sites/connections/applied_messages.ts";
import { order as orderText } from "@/tests/sites/connections/hl7_messages.ts";

const stateOf = async (db: Database) => {
  const { state, reason } = await db.selectFrom("hl7_messages").select(["state", "reason"])
    .orderBy("id", "desc").limit(1).executeTakeFirstOrThrow();
  return [state, reason].filter(Boolean);
};

messagesTest(
  "a change that names an accession number changes only that order of its number",
  async ({ order, rows, db }) => {
    const brain = { accession: "A1", number: "N1", procedure: "Brain" };
    const neck = { accession: "A2", number: "N1", procedure: "Neck" };
    await order({ ...brain, at: "202603011200" });
    await order({ ...neck, at: "202603011200" });
    await order({ ...neck, code: "XO", procedure: "MRA", at: "202603011300" });
    assert.deepEqual(await rows(), ["A1 P-1 Brain", "A2 P-1 MRA"]);
    // a change of order A1, older than the change of order A2, which it does not concern
    await order({ ...brain, code: "XO", procedure: "Head", at: "202603011230" });
    assert.deepEqual(await stateOf(db), ["applied"]);
    await order({ ...brain, procedure: "Head 2", at: "202603011240" });
    assert.deepEqual(await stateOf(db), ["applied"]);
    assert.deepEqual(await rows(), ["A1 P-1 Head 2", "A2 P-1 MRA"]);
    await order({ ...neck, id: "P-2", code: "XO", at: "202603011400" });
    assert.deepEqual(await rows(), ["A1 P-1 Head 2", "A2 P-2 Neck"]);
    // a change to a third accession number does not move the orders A1 and A2
    await order({ accession: "A3", number: "N1", code: "XO", at: "202603011500" });
    assert.deepEqual(await rows(), ["A1 P-1 Head 2", "A2 P-2 Neck", "A3 P-1 MRI"]);
  },
);

messagesTest(
  "a change of several accession numbers in one message takes none of them for another",
  async ({ send, order, rows }) => {
    await order({ accession: "A1", number: "N1", procedure: "Brain", at: "202603011200" });
    const change = (accession: string, procedure: string) =>
      orderText({ accession, number: "N1", procedure, code: "XO", at: "202603011300" }).split("\r");
    const first = change("A2", "Neck"), second = change("A1", "Head");
    const details = second.slice(second.findIndex((line) => line.startsWith("ORC")));
    await send([...first.slice(0, -1), ...details].join("\r"));
    assert.deepEqual(await rows(), ["A1 P-1 Head", "A2 P-1 Neck"]);
  },
);

messagesTest(
  "a change without an accession number follows its order number, or waits with its reason",
  async ({ db, order, rows }) => {
    const unnamed = { accession: "", number: "N1", code: "XO" };
    await order({ ...unnamed, at: "202603011100" });
    assert.deepEqual(await stateOf(db), ["failed", "order_not_found"]);
    await order({ accession: "A1", number: "N1", filler: "F1", at: "202603011200" });
    // the filler order number is not used as the accession number: the stored order has A1
    await order({ ...unnamed, filler: "F1", procedure: "Head", at: "202603011300" });
    assert.deepEqual(await rows(), ["A1 P-1 Head"]);
    await order({ ...unnamed, id: "P-2", procedure: "Neck", at: "202603011400" });
    assert.deepEqual(await rows(), ["A1 P-2 Neck"]);
    await order({ ...unnamed, id: "P-1", at: "202603011330" });
    assert.deepEqual(await stateOf(db), ["ignored", "older"]);
    await order({ accession: "A2", number: "N1", filler: "F2", id: "P-2", at: "202603011200" });
    const both = ["A1 P-2 Neck", "A2 P-2 MRI"];
    assert.deepEqual(await rows(), both);
    for (const id of ["P-2", "P-3"]) {
      await order({ ...unnamed, id, procedure: "Knee", at: "202603011500" });
      assert.deepEqual(await stateOf(db), ["failed", "several_orders"]);
      await order({ ...unnamed, id, filler: "F3", procedure: "Knee", at: "202603011500" });
      assert.deepEqual(await stateOf(db), ["failed", "several_orders"]);
    }
    assert.deepEqual(await rows(), both);
    // the filler order number identifies one of the two orders
    await order({ ...unnamed, id: "P-2", filler: "F2", procedure: "Knee", at: "202603011500" });
    assert.deepEqual(await rows(), ["A1 P-2 Neck", "A2 P-2 Knee"]);
  },
);

messagesTest(
  "the filler's number is the accession number of systems that send no other",
  async ({ order, rows }) => {
    const first = { accession: "", number: "N1", filler: "F1", procedure: "Brain" };
    await order({ ...first, at: "202603011200" });
    await order({ ...first, filler: "F2", procedure: "Neck", at: "202603011200" });
    await order({ ...first, filler: "F2", procedure: "MRA", code: "XO", at: "202603011300" });
    assert.deepEqual(await rows(), ["F1 P-1 Brain", "F2 P-1 MRA"]);
  },
);

messagesTest(
  "of two patients with one order number, a change without an accession number names the first",
  async ({ db, order, rows }) => {
    await order({ accession: "A1", number: "N1", id: "P-1", at: "202603011200" });
    await order({ accession: "A2", number: "N1", id: "P-2", at: "202603011200" });
    await order({ accession: "", number: "N1", code: "XO", procedure: "Head" });
    assert.deepEqual(await rows(), ["A1 P-1 Head", "A2 P-2 MRI"]);
    await order({ accession: "", number: "N1", id: "P-3", code: "XO", at: "202603011300" });
    assert.deepEqual(await stateOf(db), ["failed", "several_orders"]);
  },
);

messagesTest(
  "each accession number of one message is an order, and one too many waits with its reason",
  async ({ db, send, rows, order }) => {
    const steps = (code: string) =>
      orderText({ accession: "", number: "N1", procedure: "Brain", code, control: code })
        .replace("ORM^O01", "OMI^O23") + "IPC|A1|R1|1.2|S1|MR\rIPC|A2|R2|1.3|S2|MR\r";
    await send(steps("NW"));
    assert.deepEqual(await rows(), ["A1 P-1 Brain", "A2 P-1 Brain"]);
    await send(steps("CA"));
    assert.deepEqual(await rows(), []);
    for (let n = 0; n < 20; n++) await order({ accession: "A3", number: `M${n}` });
    await order({ accession: "A3", number: "M20", procedure: "Neck" });
    assert.deepEqual(await stateOf(db), ["failed", "too_many_orders"]);
  },
);
