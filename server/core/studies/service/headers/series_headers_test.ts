import assert from "node:assert/strict";
import { headerOf } from "@/server/core/studies/service/headers/series_headers.ts";

Deno.test("headerOf() gives no column that an index of PostgreSQL refuses", () => {
  const name = { Alphabetic: "가".repeat(40_000) };
  const header = headerOf({
    "00100010": { vr: "PN", Value: [name, name] },
    "00100020": { vr: "LO", Value: ["가".repeat(60_000)] },
    "00080050": { vr: "SH", Value: Array(9999).fill("가".repeat(6)) },
  });
  const bytes = Object.entries(header).filter(([column]) => column !== "attributes")
    .map(([, value]) => new TextEncoder().encode(value!).length);
  assert.ok(Math.max(...bytes) < 2704, String(bytes));
  assert.equal(
    headerOf({ "00100020": { vr: "LO", Value: ["P-1", "P-2"] } }).patient_id,
    "P-1\\P-2",
  );
});
