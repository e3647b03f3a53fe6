import assert from "node:assert/strict";
import { identityOf } from "@/report/model/page.ts";
import { fullReport } from "@/server/core/reports/service/report_fixture.ts";

Deno.test("identityOf() marks an age and a date of birth that contradict, in both languages", () => {
  for (const [language, mark] of [["en", "(to be checked)"], ["ko", "(확인 필요)"]] as const) {
    const marksAt = (birthdate: string) => {
      const report = fullReport(language, { pages: [] });
      report.patient.patient_birthdate = birthdate;
      return identityOf(report).flatMap(({ value }, index) => value.includes(mark) ? [index] : []);
    };
    assert.deepEqual(marksAt("1955-05-05"), []);
    assert.deepEqual(marksAt("1900-01-01"), [2, 3]);
  }
});
