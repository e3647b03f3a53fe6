// covers: S-210
import assert from "node:assert/strict";
import { acquisitionOf } from "@/model/registry/acquisition.ts";

const PROTOCOL = "3 T, TR 2300, TE 3, TI 900, 9°, 1 × 1 × 1 mm";

Deno.test("acquisitionOf() names makers, models and numbers of fixed lists, and never the header's text", () => {
  const of = (scanner: string | null, protocol = PROTOCOL) => acquisitionOf(scanner, protocol);
  assert.deepEqual(of("SIEMENS Skyra 45123"), {
    ...{ manufacturer: "Siemens", model: "Skyra", fieldT: 3, voxelMm: 1 },
  });
  assert.equal(of("SIEMENS MAGNETOM Vida 1")!.model, "Vida");
  assert.equal(of("SIEMENS Prisma_fit 166003")!.model, "Prisma_fit");
  assert.equal(of("GE MEDICAL SYSTEMS DISCOVERY MR750w 0001")!.model, "MR750w");
  assert.equal(of("Philips Medical Systems Ingenia Elition X 45")!.model, "Ingenia Elition");
  for (const odd of ["Kim Minsu Skyra", "", null, "SIEMENS Kim Minsu 12", "SIEMENS Skyrama"]) {
    assert.equal(of(odd)!.model, null, String(odd));
  }
  assert.deepEqual(of(null, "Kim T, TR 1, a × b × c mm"), {
    ...{ manufacturer: null, model: null, fieldT: null, voxelMm: null },
  });
  assert.deepEqual(
    ["2.9 T, 0.45 × 0.45 × 1.2 mm", "1.5 T, 2 × 2 × 60 mm", "2 T", "3 T, – × 1 × 1 mm"].map(
      (each) => {
        const { fieldT, voxelMm } = of(null, each);
        return [fieldT, voxelMm];
      },
    ),
    [[3, 1.5], [1.5, 6], [null, null], [3, null]],
  );
});
