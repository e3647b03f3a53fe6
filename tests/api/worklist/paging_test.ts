// covers: D1-3.3
import assert from "node:assert/strict";
import { deletePatient, listPatients } from "@/client/api/studies/patients.ts";
import { AppError } from "@/model/errors.ts";
import { coreTest } from "@/tests/sites/core_site.ts";
import { addStudies } from "@/tests/sites/stored_studies.ts";

coreTest(
  "the next page goes on behind the row that was shown last, and says where it begins",
  async ({ api, dataDir }) => {
    await addStudies(dataDir, 9);
    const first = await listPatients(api, { page_size: 3 });
    assert.deepEqual(first.patients.map(({ pid }) => pid), [9, 8, 7]);
    await deletePatient(api, 8);
    const next = await listPatients(api, { page_size: 3, page_idx: 2, after: first.last! });
    assert.deepEqual(next.patients.map(({ pid }) => pid), [6, 5, 4]);
    assert.deepEqual([next.offset, next.total, next.page_idx], [2, 8, 2]);
    const back = await listPatients(api, { page_size: 3, before: next.first! });
    assert.deepEqual([back.patients.map(({ pid }) => pid), back.offset], [[9, 7, 6], 0]);
    const beyond = await listPatients(api, { page_size: 3, after: back.last!, beyond: "last" });
    assert.equal(beyond.patients.length, 3);

    for (const after of ["x", "W10", first.last!.slice(1)]) {
      await assert.rejects(
        () => listPatients(api, { after }),
        (error) =>
          error instanceof AppError && error.code === "input.invalid" &&
          error.details.field === "after",
        after,
      );
    }
    // a cursor by number does not fit an order by name
    await assert.rejects(() => listPatients(api, { sort_key: "patient_name", after: first.last! }));
  },
);
