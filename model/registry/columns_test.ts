// covers: S-210
import assert from "node:assert/strict";
import { measureStudy } from "@/model/measured/measured_study.ts";
import { acquisitionOf } from "@/model/registry/acquisition.ts";
import { cellAt, COARSEST, WITHHELD_CELL } from "@/model/registry/cells.ts";
import { registryColumns, registryRow, shownCell } from "@/model/registry/columns.ts";
import { Random } from "@/model/random.ts";

Deno.test("a row is the same in every state of its scanner, or says nothing of scanner and person", () => {
  const random = new Random(8), acquisition = acquisitionOf("SIEMENS Skyra 1", "3 T, 1 × 1 × 1 mm");
  const patient = {
    patient_birthdate: null,
    study_date: null,
    patient_age: 65,
    patient_sex: "female" as const,
  };
  const measured = measureStudy({ patient, t1: null, flair: null });
  const known = {
    person: "a",
    age: 65,
    sex: "female" as const,
    year: 2026,
    engine: "sulcus-engine 1",
  };
  for (let round = 0; round < 200; round++) {
    const level = Math.floor(random.uniform() * (COARSEST + 1));
    const cell = cellAt({ ...acquisition, ...known }, level);
    for (const kind of ["volumes", "percentiles"] as const) {
      const rowOf = (figures: typeof measured) =>
        registryRow(registryColumns(kind, true), {
          cell: shownCell(cell, figures, kind),
          figures,
          t1Status: "completed",
          flairStatus: null,
          text: null,
          textWithheld: null,
        });
      // shapes that only the columns of warnings read
      const base = {
        ...measured,
        t1: {} as never,
        quality: { grade: "A", warnings: ["noise", "scanner_not_accepted"] } as never,
      };
      const plain = rowOf(base), nothing = JSON.stringify(Object.values(WITHHELD_CELL));
      const unaccepted = rowOf({ ...base, normWarnings: ["scanner_not_accepted"] as never });
      assert.deepEqual(unaccepted, plain);
      for (const normReason of ["scanner_stopped", "scanner_unread"] as const) {
        const figures = { ...base, normReason };
        const stopped = rowOf(figures);
        if (kind === "volumes") assert.deepEqual(stopped, plain);
        else {
          const shown = JSON.stringify(Object.values(shownCell(cell, figures, kind)));
          assert.equal(shown, nothing);
        }
        assert.ok(!JSON.stringify(stopped).includes("scanner_"));
      }
      assert.equal(JSON.stringify(plain).includes("noise"), level === 0);
    }
  }
});
