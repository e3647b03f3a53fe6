import assert from "node:assert/strict";
import { type Language, LANGUAGES, textIn } from "@/model/text.ts";
import { longitudinalPageText, protocolFieldText } from "@/model/text/report/pages/longitudinal.ts";
import { lesionChangeText } from "@/model/text/report/report_lesion_changes.ts";
import { reportSheetsOf } from "@/report/sheets/sheets.ts";
import { fullReport, LESION_CHANGES } from "@/server/core/reports/service/report_fixture.ts";
import { flat, textsOf } from "@/server/core/reports/service/sheet_cells.ts";

Deno.test("Longitudinal marks a study of unknown acquisition as such, not as one of another scanner", () => {
  for (const language of LANGUAGES) {
    const report = fullReport(language, { pages: [64] }), [first, ...others] = report.longitudinal!;
    const longitudinal = [
      first!,
      ...others.map((visit, at) => ({
        ...visit,
        same_protocol: at > 1,
        protocol_differences: at === 1 ? ["scanner"] : [],
      })),
    ];
    const sheets = reportSheetsOf({ ...report, longitudinal });
    const [unknown, other] = others;
    for (const [visit, mark] of [[unknown, "†"], [other, "*"]] as const) {
      assert.ok(textsOf(sheets, `${visit!.study_date} ${mark}`).length > 0, mark);
    }
    const says = (text: Record<Language, string>, date: string) =>
      flat(sheets).includes(
        textIn(text, language, {
          dates: date,
          reference: textIn(longitudinalPageText.firstStudy, language),
          fields: textIn(protocolFieldText.scanner, language),
        }),
      );
    assert.ok(says(longitudinalPageText.unknownAcquisition, unknown!.study_date));
    assert.ok(says(longitudinalPageText.otherAcquisition, other!.study_date));
  }
});

// covers: S-162
Deno.test("the FLAIR comparison marks a study of unknown acquisition", () => {
  for (const language of LANGUAGES) {
    const report = fullReport(language, { pages: [64] }), found = LESION_CHANGES;
    const [first, ...others] = found.visits;
    for (const isUnknown of [false, true]) {
      const visits = [
        { ...first!, protocol_differences: [], is_acquisition_unknown: isUnknown },
        ...others,
      ];
      const sheets = reportSheetsOf({ ...report, flair_longitudinal: { ...found, visits } });
      const notice = textIn(longitudinalPageText.unknownAcquisition, language, {
        dates: first!.study_date,
        reference: textIn(longitudinalPageText.thisStudy, language),
      });
      assert.equal(flat(sheets).includes(notice), isUnknown);
      const mark = isUnknown ? " †" : "";
      assert.ok(textsOf(sheets, `${first!.study_date}${mark}`).length > 0);
    }
  }
});

Deno.test("the FLAIR comparison marks a study whose lesions were segmented in another way", () => {
  for (const language of LANGUAGES) {
    const report = fullReport(language, { pages: [64] }), found = LESION_CHANGES;
    const [first, ...others] = found.visits;
    for (const isOther of [false, true]) {
      const visits = [
        { ...first!, protocol_differences: ["scanner"], is_other_method: isOther },
        ...others,
      ];
      const sheets = reportSheetsOf({ ...report, flair_longitudinal: { ...found, visits } });
      const notice = textIn(lesionChangeText.otherMethod, language, { dates: first!.study_date });
      assert.equal(flat(sheets).includes(notice), isOther);
      assert.ok(textsOf(sheets, `${first!.study_date} *${isOther ? " ‡" : ""}`).length > 0);
    }
  }
});

Deno.test("the FLAIR comparison says which volumes noise alone may change", () => {
  for (const language of LANGUAGES) {
    const report = fullReport(language, { pages: [64] }), found = LESION_CHANGES;
    const [first, ...others] = found.visits;
    for (
      const [is_low_confidence, is_unreliable] of [[false, false], [true, false], [true, true]]
    ) {
      const visits = [
        {
          ...first!,
          protocol_differences: [],
          is_low_confidence: is_low_confidence!,
          is_unreliable,
        },
        ...others,
      ];
      const sheets = reportSheetsOf({ ...report, flair_longitudinal: { ...found, visits } });
      const notice = textIn(lesionChangeText.uncertain, language, { dates: first!.study_date });
      // a volume of grade C is already marked as not reliable, so the notice is omitted
      const isMarked = is_low_confidence! && !is_unreliable;
      assert.equal(flat(sheets).includes(notice), isMarked);
      assert.ok(textsOf(sheets, `${first!.study_date}${isMarked ? " §" : ""}`).length > 0);
    }
  }
});
