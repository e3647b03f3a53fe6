// An intracranial volume that no head has, as after a failed segmentation: no output has a
// percentage of it, and the report has a warning.
// covers: S-135, S-233
import assert from "node:assert/strict";
import { Random } from "@/model/random.ts";
import { isIcvOdd } from "@/model/measured/region_data.ts";
import { LANGUAGES } from "@/model/text.ts";
import { reportText } from "@/model/text/report/report.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import type { Printed } from "@/tests/one_truth/figures.ts";
import { inDicom } from "@/tests/one_truth/in_dicom.ts";
import { inMessages } from "@/tests/one_truth/in_messages.ts";
import { inRegistry } from "@/tests/one_truth/in_registry.ts";
import { inTable } from "@/tests/one_truth/in_table.ts";
import { inList, inViewer } from "@/tests/one_truth/in_viewer.ts";
import { onPages } from "@/tests/one_truth/on_pages.ts";
import { patientsOfIcv, patientsWithoutNormAge, type Truth } from "@/tests/one_truth/patients.ts";

const OUTPUTS = [onPages, inViewer, inTable, inDicom, inMessages, inList, inRegistry];
/** Outputs for grade C; other parsers cannot read lesion volumes, which are then texts. */
const OUTPUTS_OF_GRADE_C = [inViewer, inTable, inList];

/** Percentages of the ICV in the report's data, from which its pages are made. */
const inReport = ({ report }: Truth): Printed[] =>
  [...report.main_page.rows, ...report.regions, ...report.aggregates].flatMap((row) =>
    Object.entries(row).filter(([name]) => name.startsWith("icv_percent")).map((
      [name, value],
    ): Printed => [`${name} % ICV`, "report", value === null ? "–" : String(value)])
  );

function percentagesOf(truth: Truth): Printed[] {
  const outputs = truth.report.qc.grade === "C" ? OUTPUTS_OF_GRADE_C : OUTPUTS;
  return [inReport, ...outputs].flatMap((of) => of(truth)).filter(([quantity, , figure]) =>
    quantity.endsWith("% ICV") && !["", "–"].includes(figure)
  );
}

/** Volumes below those of a newborn and above those of any head, mm³. */
const ABSURD = [1, 5000, 120_000, 10_000_000];

Deno.test("no output has a percentage of an intracranial volume that no head has, of any age, grade or series", () => {
  const random = new Random(41);
  const volumes = [
    ...ABSURD,
    ...Array.from({ length: 4 }, () => random.between(1000, 450_000)),
    ...Array.from({ length: 4 }, () => random.between(2_600_000, 20_000_000)),
  ];
  for (const icvMm3 of volumes) {
    for (const [name, truth] of Object.entries(patientsOfIcv(icvMm3))) {
      assert.deepEqual(percentagesOf(truth), [], `${name}, ${icvMm3} mm³`);
      const { report } = truth;
      assert.equal(report.qc.brain_icv_percent, null);
      assert.ok(
        report.qc.warnings.some((code) => code.startsWith("icv_")),
        `${name}, ${icvMm3} mm³: ${report.qc.warnings}`,
      );
      for (const language of LANGUAGES) {
        const words = JSON.stringify(reportSheetsOf({ ...report, language }));
        assert.ok(!words.includes(`"${reportText.brainIcv[language]}"`), name);
      }
    }
  }
});

Deno.test("a plausible intracranial volume has percentages in pages, viewer and table, none above 100", () => {
  for (const icvMm3 of [1_250_000, 1_700_000]) {
    for (const [name, truth] of Object.entries(patientsOfIcv(icvMm3))) {
      const percentages = percentagesOf(truth), places = percentages.map(([, place]) => place);
      assert.ok(places.includes("table") && places.includes("report"), name);
      assert.ok(truth.report.qc.grade === "C" || places.includes("Main Page"), name);
      assert.ok(!truth.results || places.includes("viewer"), name);
      assert.ok(percentages.every(([, , figure]) => Number(figure) < 100), name);
    }
  }
});

Deno.test("an intracranial volume smaller than the brain in it, or beyond three standard deviations, has no percentages of grade C either", () => {
  // for a woman: mean + 3 SD is 1.79 million mm³
  const adults = ["adult", "unknown age", "age above the norms", "grade C", "stopped scanner"];
  for (const [icvMm3, names] of [[700_000, adults], [2_000_000, [...adults, "child"]]] as const) {
    const patients = { ...patientsOfIcv(icvMm3), ...patientsWithoutNormAge(icvMm3) };
    for (const name of names) {
      const truth = patients[name]!, { warnings } = truth.report.qc;
      assert.deepEqual(percentagesOf(truth), [], `${name}, ${icvMm3} mm³`);
      assert.ok(warnings.some((code) => code.startsWith("icv_")), `${name}: ${warnings}`);
    }
  }
});

Deno.test("isIcvOdd() needs the sex alone; the lower limit of adults does not hold for children", () => {
  // mean ± 3 SD, corrected for the method's bias: 1218 to 1974 mL of men, 1031 to 1787 mL of women
  for (
    const [sex, small, usual, large] of [["male", 1100, 1700, 2150], [
      "female",
      900,
      1400,
      1950,
    ]] as const
  ) {
    for (const age of [null, 18, 45, 100, 101, 120]) {
      const odd = [small, usual, large].map((ml) => isIcvOdd(1000 * ml, { age, sex }));
      assert.deepEqual(odd, [true, false, true], `${sex}, ${age}`);
    }
    for (const age of [0, 6, 17]) {
      const odd = [small, usual, large].map((ml) => isIcvOdd(1000 * ml, { age, sex }));
      assert.deepEqual(odd, [false, false, true], `${sex}, ${age}`);
    }
  }
  assert.equal(isIcvOdd(2_000_000, { age: 45, sex: null }), false, "no norm without the sex");
  assert.equal(isIcvOdd(null, { age: 45, sex: "male" }), false);
});
