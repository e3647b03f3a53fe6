import assert from "node:assert/strict";
import { headOf } from "@/server/core/exports/service/column_heads_fixture.ts";
import { methodErrorOf } from "@/model/norms/method_error.ts";
import { limitsOf, rankOfZ, zOfPercentile } from "@/model/norms/percentile_rank.ts";
import { REGIONS } from "@/model/regions/regions.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { bandText } from "@/model/text/report/band_names.ts";
import { exportFieldText, exportMeaningText } from "@/model/text/worklist/export_columns.ts";
import {
  excelRowOf,
  exportColumnsOf,
  type ExportedStudy,
} from "@/server/core/exports/service/excel_columns.ts";
import { registryColumns, registryHead } from "@/model/registry/columns.ts";
import { type Language, LANGUAGES, textIn } from "@/model/text.ts";
import { bandNameOf } from "@/server/core/norms/service/band_names.ts";
import { volumesAt } from "@/server/core/reports/service/report_fixture.ts";

const COLUMNS = exportColumnsOf(), EXCEL_HEAD = COLUMNS.map(({ title }) => title);
const row = {
  pid: 1,
  patient_age: 70,
  patient_sex: "female",
  label_list: [],
} as unknown as PatientRow;
const results = {
  volumesMm3: volumesAt((label) => label === 19 ? -4 : 0),
  icvMm3: 1_409_000,
  quality: { grade: "A" },
  thicknessMm: volumesAt(0).map((_, label) => label > 36 ? 2.26 : 0),
} as unknown as NonNullable<ExportedStudy["results"]>;
const cells = excelRowOf(COLUMNS, { row, results, flair: null });
const cell = (title: string) => {
  const at = EXCEL_HEAD.indexOf(title);
  assert.ok(at >= 0, title);
  return cells[at];
};

Deno.test("excelRowOf() has one cell under every title, and every title once", () => {
  assert.equal(cells.length, EXCEL_HEAD.length);
  assert.equal(new Set(EXCEL_HEAD).size, EXCEL_HEAD.length);
  assert.ok(
    !EXCEL_HEAD.some((title) => /callosum|Cerebrospinal/.test(title)),
    "what is no measurement",
  );
});

Deno.test("excelRowOf() gives the percent of the intracranial volume, and names white matter with lesions so", () => {
  const volumes = (results as { volumesMm3: number[] }).volumesMm3;
  const percent = Math.round(100 * 100 * (volumes[19]! + volumes[20]!) / 1_409_000) / 100;
  assert.equal(cell(headOf("Hippocampus", "total", "icv_percent")), percent);
  assert.equal(typeof cell(headOf("Brain stem", "", "icv_percent")), "number");
  assert.equal(typeof cell(headOf("Cerebral cortex", "total", "icv_percent")), "number");
  const flair = {
    periMm3: 6000,
    deepMm3: 4000,
    whiteMatterMm3: 400_000,
    lesionCount: 3,
    icvMm3: 1_500_000,
  };
  const alone = excelRowOf(COLUMNS, {
    row,
    results: null,
    flair: flair as unknown as ExportedStudy["flair"],
  });
  const of = (title: string) => alone[EXCEL_HEAD.indexOf(title)];
  assert.deepEqual(
    (["wmh", "wmh_icv", "wmh_white_matter", "lesions"] as const).map((key) =>
      of(exportFieldText[key].en)
    ),
    [10, 0.67, 2.5, 3],
  );
});

Deno.test("excelRowOf() gives percentile, interval and band; the interval alone without a band", () => {
  assert.equal(
    cell(headOf("Hippocampus", "left", "rank_icv", "band")),
    "very low",
  );
  assert.ok(Number(cell(headOf("Hippocampus", "left", "rank_icv", "percentile"))) < 0.01);
  assert.ok(
    Number(
      cell(
        headOf("Hippocampus", "left", "rank_icv", "high"),
      ),
    ) < 5,
  );
  assert.equal(
    cell(headOf("Lateral ventricle", "total", "rank_icv", "band")),
    "expected range",
  );
  assert.equal(
    typeof cell(headOf("Temporal lobe cortex", "total", "rank_icv", "percentile")),
    "number",
  );
  const bandless = REGIONS.filter(({ label, hemisphere }) =>
    hemisphere === "L" && methodErrorOf(String(label), "volume")?.hasBands === false
  );
  for (const { part } of bandless) {
    assert.equal(cell(headOf(part, "left", "rank_icv", "percentile")), null);
    const low = cell(
        headOf(part, "left", "rank_icv", "low"),
      ),
      high = cell(
        headOf(part, "left", "rank_icv", "high"),
      );
    // an interval that says nothing has no ends
    assert.ok(low === null ? high === null : Number(high) - Number(low) < 90, part);
    assert.equal(
      cell(headOf(part, "left", "rank_icv", "band")),
      low === null ? "not determined" : "not graded",
    );
  }
  assert.ok(bandless.length > 0);
});

Deno.test("the words of a table are in the language of its heads: bands, states, norms", () => {
  const columns = exportColumnsOf(undefined, "ko");
  const analysed = {
    ...row,
    t1_analysis_status: "completed",
    t2_analysis_status: "failed",
  } as PatientRow;
  const cells = excelRowOf(columns, { row: analysed, results, flair: null });
  const ofCodes = new Set<string>(
    (["sex", "t1_grade", "t2_grade"] as const).map((key) => exportFieldText[key].ko),
  );
  const words = columns.flatMap(({ type, title }, at) =>
    type === "text" && typeof cells[at] === "string" && !ofCodes.has(title)
      ? [cells[at] as string]
      : []
  );
  const inEnglish = words.filter((word) => !/[가-힣]/.test(word));
  // of the norms the name is the one of their publication
  assert.deepEqual([...new Set(inEnglish)], [
    cells[columns.findIndex(({ title }) => title === exportFieldText.norms.ko)],
  ]);
  for (const word of ["매우 낮음", "완료", "실패", "판정 없음"]) {
    assert.ok(words.includes(word), word);
  }
});

// covers: S-240
Deno.test("a head says what is measured; no end of an interval reads as a finding or reference range", () => {
  for (const language of LANGUAGES) {
    const heads = exportColumnsOf(undefined, language).map(({ title }) => title);
    assert.equal(new Set(heads).size, heads.length);
    const ends = heads.filter((head) => /limit|\bend\b|[하상]한/.test(head));
    // each has a value, a lower and an upper end
    assert.ok(ends.length > heads.length / 3 && ends.length % 2 === 0);
    for (const head of ends) {
      assert.match(head, /measurement error|측정 오차/, head);
    }
    for (
      const head of heads.filter((head) => /percentile|compared|백분위|비교한/.test(head))
    ) {
      if (head === exportFieldText.norms[language]) continue;
      assert.match(head, /volume|thickness|부피|두께/, head);
      assert.match(head, /age|나이/, head);
    }
    // words of the cells are explained in brackets
    const unexplained = heads.map((head) => head.replace(/\([^)]*\)/g, ""));
    assert.deepEqual(unexplained.filter((head) => /\b(?:low|high)\b/i.test(head)), []);
  }
});

// covers: S-240
Deno.test("a head is understood without the product: nouns, units in brackets, examinations", () => {
  for (const language of LANGUAGES) {
    const heads = exportColumnsOf(undefined, language).map(({ title }) => title);
    const unclear = heads.filter((head) =>
      // a unit outside of brackets, a study that reads as research, a side without its other
      /, (?:mL|mm)\b|\bstudy\b|\btotal\b|대비 %$|오차 범위|판정/i.test(head)
    );
    assert.deepEqual(unclear, []);
    const cortex = heads.filter((head) => /thickness \(mm\)|두께\(mm\)/.test(head));
    assert.equal(cortex.length, 68);
    assert.deepEqual(cortex.filter((head) => !/cortex|^[좌우]측 .*피질/i.test(head)), []);
  }
});

Deno.test("the explanation of a category defines every value that its cells can have", () => {
  const defined = {
    bandTissue: ["low1", "low2"],
    bandFluid: ["high1", "high2"],
  } as const;
  for (const language of LANGUAGES) {
    for (const [column, graded] of Object.entries(defined)) {
      const meaning = exportMeaningText[column as keyof typeof defined][language];
      const values = ["usual", "notDistinguishable", "doubt", "notDetermined", "none"] as const;
      for (const key of [...graded, ...values, "notDeterminedDoubt"] as const) {
        // one sentence for each value, which begins with the value
        const sentence = new RegExp(`(^|\\. )${bandText[key][language]}: [^.:]+\\. `);
        assert.match(meaning, sentence, `${column} ${language}`);
      }
    }
  }
});

Deno.test("the explanation of a category is true of each rank that has the category", () => {
  // the 25th percentile: a value that is 85 % certain to be below it by the measurement alone
  const reading = { limits: limitsOf([5, 25]), isInverted: false }, sd = 0.9;
  const uncertain = rankOfZ(zOfPercentile(25) - sd * zOfPercentile(85), sd, reading);
  const sides = { ...uncertain, possible_level: 0, is_usual: false, doubt: "sides" as const };
  const words: Record<Language, [RegExp, RegExp]> = {
    en: [
      /possibly low.*?: at least 50\s% certain [^.]* 90\s% [^.]*80\s%/,
      /the value, or the difference between/,
    ],
    ko: [/가능성[^.]* 50\s% 이상[^.]*80\s%[^.]*90\s%/, /값 또는 좌우 차이/],
  };
  for (const language of LANGUAGES) {
    const meaning = exportMeaningText.bandTissue[language], [possibly, doubt] = words[language];
    assert.equal(
      bandNameOf(uncertain, false, language),
      textIn(bandText.possibly, language, { possible: bandText.low1[language] }),
    );
    assert.match(meaning, possibly);
    assert.equal(bandNameOf(sides, false, language), bandText.doubt[language]);
    assert.match(meaning, doubt);
  }
});

// covers: S-240
Deno.test("no key of a file for a registry ends like a finding", () => {
  for (const figures of ["volumes", "percentiles"] as const) {
    const keys = registryHead(registryColumns(figures, true));
    assert.deepEqual(keys.filter((key) => /_(?:low|high)$/.test(key)), []);
  }
});
