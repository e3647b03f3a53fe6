// covers: D1-2.5
import assert from "node:assert/strict";
import { compareIds } from "@/model/patient/id_order.ts";

Deno.test("compareIds() compares numbers in IDs by value, as people count", () => {
  const order = ["", "7", "12", "A-2", "A-10", "A-10-9", "A-10-11", "P-2", "P-10", "p-11", "P-100"];
  for (const [at, id] of order.entries()) {
    for (const later of order.slice(at + 1)) {
      assert.ok(compareIds(id, later) < 0, `${id} before ${later}`);
      assert.ok(compareIds(later, id) > 0, `${later} after ${id}`);
    }
  }
  assert.equal(compareIds("P-007", "P-7"), 0);
  // digits beyond the precision of a number
  assert.ok(compareIds("900719925474099301", "900719925474099302") < 0);
});
