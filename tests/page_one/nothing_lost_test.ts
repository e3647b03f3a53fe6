// Page one states the strongest findings in order, and counts the others with the page that has
// them; beside a physician's text it states each finding that the text does not repeat.
// covers: D2-1.1, S-130
import assert from "node:assert/strict";
import { statementsOfFindings } from "@/model/findings/sentences.ts";
import { OPINIONS, opinionText } from "@/model/report/opinions.ts";
import type { Certainty, Finding } from "@/model/schema/report/finding.ts";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { type Language, LANGUAGES } from "@/model/text.ts";
import { partName, REGION_GROUP_TEXT } from "@/model/text/regions.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import { reportText } from "@/model/text/report/report.ts";
import { longitudinalPageText } from "@/model/text/report/pages/longitudinal.ts";
import { scorePageText } from "@/model/text/report/pages/score.ts";
import { heightOf } from "@/report/sheets/height.ts";
import { type Block, type Sheet, SHEET_HEIGHT } from "@/report/sheets/sheet.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import { textOfSheet } from "@/server/core/reports/service/report_fixture.ts";
import { generatedStudy } from "@/tests/page_one/generated_studies.ts";
import { blocksOf } from "@/tests/page_one/printed_rows.ts";

const COUNT = Number(Deno.env.get("GENERATED_STUDIES") ?? 30);
const PAGES = [[1], [], [1, 512], [1, 2, 8, 32, 64, 128, 512, 1024], [2, 16, 32], [1, 2]];
const LEVELS: readonly Certainty[] = ["firm", "single", "possible"];

/** The report of a generated study in a language. */
function reportIn(seed: number, language: Language): ReportResponse {
  const { report, korean } = generatedStudy(seed);
  return language === "en"
    ? report
    : { ...report, language, conclusion: { ...report.conclusion!, sentences: [...korean] } };
}

/** Texts below each heading with these words, up to the next block of another kind. */
function below(sheets: readonly Sheet[], heading: string): string[] {
  const texts: string[] = [];
  let isBelow = false;
  for (const block of sheets.flatMap(({ blocks }) => blocksOf(blocks))) {
    if (block.kind === "heading") isBelow = block.text === heading;
    else if (block.kind !== "text") isBelow = false;
    else if (isBelow) texts.push(block.text);
  }
  return texts;
}

/** Count and pages in a sentence about findings without space on a page. */
function counted(texts: readonly string[], language: Language) {
  const pattern = {
    en: /^… and (\d+) more results?: see pages? (.*)\.$/,
    ko: /^… 외 결과 (\d+)건: (.*)쪽을 참고하십시오\.$/,
  }[language];
  const found = texts.flatMap((text) => pattern.exec(text) ?? []);
  return found.length === 0
    ? null
    : { count: Number(found[1]), pages: found[2]!.split(", ").map(Number) };
}

/** Name of a finding's structure as in the tables. */
function nameOf(finding: Finding, language: Language): string {
  if (finding.kind === "score") return scorePageText.scoreMethod[language];
  if (finding.kind === "change") return longitudinalPageText.change[language].split("{")[0]!;
  if (finding.kind === "lesions") return reportText.wmh[language];
  if (finding.part === "cortex") return reportText.cortex[language];
  if (finding.part === "brain") return reportText.brain[language];
  if (finding.part === "Cerebral white matter") return reportText.whiteMatter[language];
  if (finding.part === "Lateral ventricle") return reportText.lateralVentricles[language];
  const group = (REGION_GROUP_TEXT as Record<string, Record<Language, string>>)[finding.part];
  return group ? group[language] : partName(finding.part, language);
}

const has = (sheet: Sheet, words: string) =>
  textOfSheet(sheet).some((text) => text.includes(words));

/** Texts below a heading on the first sheet that has it; the score's page may repeat them. */
function onFirst(sheets: readonly Sheet[], heading: string): string[] {
  const first = sheets.find((sheet) => below([sheet], heading).length > 0);
  return first ? below([first], heading) : [];
}

/** Asserts that each `expected` finding is in `texts`, or counted with a page that has it. */
function assertNoneLost(
  report: ReportResponse,
  sheets: readonly Sheet[],
  texts: readonly string[],
  expected: readonly Finding[],
  name: string,
): void {
  const { language } = report, { findings, sentences, stated } = report.conclusion!;
  const shown = sentences.flatMap((text, at) => texts.includes(text) ? stated[at]! : []);
  const omitted = expected.filter((finding) => !shown.includes(findings.indexOf(finding)));
  const short = counted(texts, language);
  assert.equal(short?.count ?? 0, omitted.length, `${name}: ${texts.join(" | ")}`);
  const all = below(sheets, conclusionText.all[language]);
  for (const finding of omitted) {
    const isThere = short!.pages.some((page) => {
      const sheet = sheets[page - 1];
      return sheet && (has(sheet, nameOf(finding, language)) ||
        statementsOfFindings([finding], language).every(({ text }) => all.includes(text)));
    });
    assert.ok(isThere, `${name}: ${JSON.stringify(finding)} is not on ${short!.pages}`);
  }
  // strongest first: no finding is omitted before a weaker one of the same certainty and kind
  const order = sentences.flatMap((text, at) =>
    stated[at]!.length > 0 ? [texts.includes(text)] : []
  );
  if (!report.signed_text) assert.ok(order.lastIndexOf(true) < (order.indexOf(false) + 1 || 99));
  // a sentence names up to six findings; the others are in a table or on the page of all findings
  for (const [at, of] of stated.entries()) {
    if (!texts.includes(sentences[at]!)) continue;
    for (const index of of.slice(6)) {
      const isThere = sheets.some((sheet) => has(sheet, nameOf(findings[index]!, language)));
      assert.ok(isThere || all.length > 0, `${name}: ${JSON.stringify(findings[index])}`);
    }
  }
}

Deno.test(`page one names or counts every finding, of ${COUNT} generated studies`, () => {
  let short = 0;
  for (let seed = 1; seed <= COUNT; seed++) {
    for (const language of LANGUAGES) {
      const report = reportIn(seed, language);
      for (const pages of PAGES) {
        const sheets = reportSheetsOf({ ...report, page_list: pages });
        const texts = onFirst(sheets, conclusionText.automatic[language]);
        const name = `seed ${seed}, ${language}, pages ${pages}`;
        assertNoneLost(report, sheets, texts, report.conclusion!.findings, name);
        if (counted(texts, language)) short++;
        // notes that belong to no single finding are never omitted
        for (const [at, text] of report.conclusion!.sentences.entries()) {
          const isNote = report.conclusion!.stated[at]!.length === 0 &&
            text.startsWith(conclusionText.doubt[language].split("{")[0]!);
          if (isNote) assert.ok(texts.includes(text), `${name}: ${text}`);
        }
        const cover = pages.includes(1) ? sheets.slice(0, 1) : [];
        for (const { blocks } of cover) {
          assert.ok(heightOf(blocks) <= SHEET_HEIGHT, `${name}: ${heightOf(blocks)}`);
        }
      }
    }
  }
  assert.ok(short > COUNT / 4, `${short} shortened pages prove little`);
});

/** Texts that a physician might sign: usual words, standard opinions, parts of the suggestion. */
function physiciansTexts({ conclusion }: ReportResponse, language: Language, seed: number) {
  const { findings, sentences } = conclusion!;
  const own = LEVELS.flatMap((level) =>
    statementsOfFindings(findings.filter(({ certainty }) => certainty === level), language)
  ).map(({ text }) => text);
  return [
    { en: "Normal for age.", ko: "연령 대비 정상 범위입니다." }[language],
    { en: "No atrophy. Hippocampi normal.", ko: "위축 소견 없음. 양측 해마 정상." }[language],
    { en: "Follow-up in 12 months.", ko: "12개월 후 추적 관찰." }[language],
    sentences.join("\n"),
    own.filter((_, at) => (at + seed) % 2 === 0).join("\n") || "-",
    ...OPINIONS.map(({ key }) => opinionText(key, language, []).message),
  ];
}

Deno.test("a signed text leaves no marked finding unsaid on page one, whatever it says", () => {
  let beside = 0, alone = 0;
  for (let seed = 1; seed <= Math.ceil(COUNT / 8); seed++) {
    for (const language of LANGUAGES) {
      const report = reportIn(seed, language), { findings, sentences, state } = report.conclusion!;
      for (const textLanguage of LANGUAGES) {
        for (const text of physiciansTexts(reportIn(seed, textLanguage), textLanguage, seed)) {
          const signed = {
            text,
            language: textLanguage,
            author: "Dr Kim",
            signed_at: "2026-01-07T08:09:10.000Z",
            is_outdated: false,
          };
          for (const pages of [[1, 512], []]) {
            const sheets = reportSheetsOf({ ...report, page_list: pages, signed_text: signed });
            const texts = below(sheets, conclusionText.beside[language]);
            const name = `seed ${seed}, ${language}, ${pages}: ${text}`;
            const repeated = (finding: Finding) =>
              LEVELS.some((level) =>
                statementsOfFindings(
                  findings.filter(({ certainty }) => certainty === level),
                  textLanguage,
                ).some((one) => one.findings.includes(finding) && text.includes(one.text))
              );
            const shown = sentences.flatMap((sentence, at) =>
              texts.includes(sentence) ? report.conclusion!.stated[at]! : []
            );
            const unsaid = findings.filter((finding, at) =>
              finding.certainty !== "possible" && !repeated(finding) && !shown.includes(at)
            );
            assert.ok(
              unsaid.length <= (counted(texts, language)?.count ?? 0),
              `${name}: ${JSON.stringify(unsaid)}`,
            );
            if (state === "usual" && text === sentences.join("\n")) {
              assert.deepEqual(texts, [], `${name}: agrees`);
            }
            texts.length > 0 ? beside++ : alone++;
          }
        }
      }
    }
  }
  assert.ok(beside > 20 && alone > 20, `${beside} beside, ${alone} alone`);
});

Deno.test("a chosen opinion that a finding contradicts is marked, and a suggested one never is", () => {
  const noticesOf = (blocks: readonly Block[]) =>
    blocksOf(blocks).flatMap((block) => block.kind === "notice" ? [block.text] : []);
  const marked = new Map<string, number>();
  for (let seed = 1; seed <= COUNT; seed++) {
    for (const language of LANGUAGES) {
      const report = reportIn(seed, language), { agreeing, state, findings } = report.conclusion!;
      assert.ok(agreeing.length > 0, `seed ${seed}: ${state} has no opinion`);
      assert.equal(agreeing.includes("usual"), state === "usual");
      const isFirm = findings.some(({ certainty }) => certainty === "firm");
      assert.ok(
        !isFirm || !agreeing.includes("uncertain") && !agreeing.includes("no_norms") ||
          !report.reference.in_range,
      );
      for (const { key } of OPINIONS) {
        const opinion = opinionText(key, language, []);
        for (const pages of [[1, 2], []]) {
          const sheets = reportSheetsOf({ ...report, page_list: pages, opinion });
          const isMarked = sheets.flatMap(({ blocks }) => noticesOf(blocks))
            .includes(conclusionText.disagrees[language]);
          assert.equal(isMarked, !agreeing.includes(key), `seed ${seed}, ${key}, ${pages}`);
          if (isMarked) marked.set(key, (marked.get(key) ?? 0) + 1);
          // the software's findings are printed on the same page
          const texts = onFirst(sheets, conclusionText.automatic[language]);
          assertNoneLost(report, sheets, texts, findings, `seed ${seed}, ${key}`);
        }
      }
    }
  }
  assert.equal(marked.size, OPINIONS.length, "every opinion has been contradicted");
});
