import assert from "node:assert/strict";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import { scoreBodiesOf } from "@/report/sheets/score_sheet.ts";
import type { Block, Sheet } from "@/report/sheets/sheet.ts";
import type { PageCode } from "@/model/report/pages.ts";
import { LANGUAGES, textIn } from "@/model/text.ts";
import { qualityWarningOf } from "@/model/text/quality.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import { coverPageText } from "@/model/text/report/pages/cover.ts";
import { scorePageText } from "@/model/text/report/pages/score.ts";
import { buildFlairReport } from "@/server/core/reports/service/report_flair.ts";
import {
  flairInput,
  fullReport,
  reportInput,
  textOfSheet,
  volumesAt,
} from "@/server/core/reports/service/report_fixture.ts";
import { cellsOf, type Input, rowsOf, textsOf } from "@/server/core/reports/service/sheet_cells.ts";

type Entries = Extract<Block, { kind: "entries" }>["entries"];
const entriesIn = (blocks: readonly Block[]): Entries =>
  blocks.flatMap((block) =>
    block.kind === "split"
      ? entriesIn([...block.left, ...block.right])
      : "entries" in block
      ? block.entries
      : []
  );
const entriesOf = ({ blocks }: Sheet) =>
  Object.fromEntries(entriesIn(blocks).map(({ label, value }) => [label, value]));

Deno.test("Cover has every cell of the model: patient, series, quality, opinion and the pages that follow", () => {
  const analysis: Input["analysis"] = {
    ...reportInput().analysis,
    volumesMm3: volumesAt(0),
    quality: { grade: "B", warnings: ["pair_unequal", "similarity_low"] },
    hasLesions: true,
  };
  const report = fullReport("en", { analysis, opinion: { opinion_id: 1, message: "Written." } });
  const [cover, ...rest] = reportSheetsOf(report);
  assert.deepEqual(entriesOf(cover!), {
    "Patient ID": "P1",
    Name: "김 지은",
    "Sex / Age": "Female / 70 years",
    "Birth date": "1955-05-05",
    "Study date": "2026-01-01",
    "Analysis date": "2026-01-02 00:00 UTC",
    [coverPageText.coverRating.en]: entriesOf(cover!)[coverPageText.coverRating.en],
    [coverPageText.coverReasons.en]: report.qc.warnings.map((code) => qualityWarningOf(code)!.en)
      .join(". "),
  });
  assert.match(entriesOf(cover!)[coverPageText.coverRating.en]!, /^B\b/);
  const voxels = "1.00\u00a0×\u00a01.00\u00a0×\u00a01.00\u00a0mm";
  assert.deepEqual(textsOf([cover!], "T1w"), [
    "T1w MPRAGE sagittal isotropic",
    `192 slices, ${voxels}`,
    "SIEMENS, 3.0 T",
    "2026-01-02 00:00 UTC",
  ]);
  assert.deepEqual(textsOf([cover!], "FLAIR"), [
    "FLAIR",
    `40 slices, ${voxels}`,
    "SIEMENS, 3.0 T",
    "2026-01-02 00:00 UTC",
  ]);
  const contents = [...cellsOf([cover!])].filter(([, cells]) => cells.length === 1);
  assert.deepEqual(contents.map(([name]) => name), [
    "Atrophy Score",
    ...new Set(rest.flatMap(({ title }) => title.split(" · "))),
  ]);
  for (const [name, cells] of contents) {
    assert.ok(
      [cover!, ...rest][Number(cells[0]!.text) - 1]!.title.split(" · ").includes(name),
      name,
    );
  }
  assert.ok(textOfSheet(cover!).includes("한국대학교병원"));
  assert.ok(textOfSheet(cover!).includes("Written."));
  assert.ok(!rest.flatMap(textOfSheet).includes("Written."), "not twice");
  const masked = reportSheetsOf(fullReport("en", { isAnonymized: true })).flatMap(textOfSheet).join(
    " ",
  );
  assert.ok(!masked.includes("김 지은") && masked.includes("Anonymized"));
  // neither the patient nor the physician who entered the MTA grade
  assert.ok(!masked.includes("Dr. Reader") && masked.includes("Entered 2026-01-02"), masked);
  assert.ok(reportSheetsOf(fullReport("en")).flatMap(textOfSheet).join(" ").includes("Dr. Reader"));
});

Deno.test("the Cover says once what it rates, in both languages, with and without the Atrophy Score", () => {
  for (const language of LANGUAGES) {
    for (const pages of [[1], [1, 2]] as PageCode[][]) {
      const [cover] = reportSheetsOf(fullReport(language, { pages }));
      const title = coverPageText.coverQuality[language];
      assert.deepEqual(textOfSheet(cover!).filter((text) => text === title), [title]);
    }
  }
});

Deno.test("Cover and Atrophy Score share one sheet; a score without its Cover, or one that does not fit, has its own", () => {
  for (const language of ["en", "ko"] as const) {
    const cover = { en: "Cover", ko: "표지" }[language],
      score = { en: "Atrophy Score", ko: "위축 점수" }[language];
    const titlesOf = (change: Input) =>
      reportSheetsOf(fullReport(language, change)).map(({ title }) =>
        title.split(" · ").filter((page) => page !== conclusionText.all[language]).join(" · ")
      ).filter((title) => title !== "");
    const main = { en: "Main Page", ko: "주요 결과" }[language];
    for (const lesions of [undefined, null]) {
      // of many findings the sentences need the sheet
      const { analysis } = reportInput(), usual = { ...analysis, volumesMm3: volumesAt(0) };
      const more = { analysis: usual, ...lesions === null ? { lesions } : {} };
      assert.deepEqual(titlesOf({ pages: [1, 2], ...more }), [`${cover} · ${score}`, main]);
      assert.deepEqual(titlesOf({ pages: [1], ...more }), [cover, main]);
      assert.deepEqual(titlesOf({ pages: [2], ...more }), [score, main]);
    }
    // nothing of the score's own sheet is missing on the shared one
    const analysis = { ...reportInput().analysis, volumesMm3: volumesAt(0) };
    const [own] = scoreBodiesOf(fullReport(language, { pages: [2], analysis }));
    const [shared] = reportSheetsOf(fullReport(language, { pages: [1, 2], analysis })),
      words = textOfSheet(shared!);
    const report = fullReport(language, { pages: [2], analysis }),
      { score: value } = report.atrophy_score!;
    assert.ok(
      words.includes(value.toFixed(1)) &&
        words.includes(textIn(scorePageText.scoreMethod, language)),
    );
    for (const { cells } of rowsOf(own!.blocks)) {
      assert.ok(words.includes(cells[1]!.text!), cells[0]!.text);
    }
    // corrections stand on every page, and there can be many
    const corrections = Array.from({ length: 20 }, () => ({
      series: "t1" as const,
      by: "Dr. Reader",
      at: "2026-01-02T03:04:05Z",
      strokes: 1,
    }));
    const full = fullReport(language, { pages: [1, 2] });
    const findings = { measurements: [], images: [], corrections, corrected_visits: [] };
    const crowded = reportSheetsOf({ ...full, findings });
    const titles = crowded.flatMap(({ title }) => title.split(" · "))
      .filter((title) => title !== conclusionText.all[language]);
    assert.deepEqual([...new Set(titles)], [
      cover,
      score,
      main,
    ]);
  }
});

Deno.test("Cover says of a FLAIR series alone why its quality is B", () => {
  const [cover] = reportSheetsOf(buildFlairReport(flairInput({}, { pages: [1] })));
  assert.match(entriesOf(cover!)[coverPageText.coverReasons.en]!, /^Only the FLAIR series/);
});

Deno.test("Cover and Main Page say that the analysed series was with contrast agent", () => {
  const plain = fullReport("ko"), enhanced = { has_contrast_agent: true };
  const series_list = plain.series_list.map((one) => ({
    ...one,
    ...(one.type === "t1" ? enhanced : {}),
  }));
  const report = { ...plain, series: { ...plain.series, ...enhanced }, series_list };
  const saysOf = (sheets: readonly Sheet[]) =>
    sheets.map((sheet) => JSON.stringify(sheet).includes("조영증강"));
  assert.deepEqual(saysOf(reportSheetsOf(report).slice(0, 2)), [true, true]);
  assert.ok(!saysOf(reportSheetsOf(plain)).includes(true));
});
