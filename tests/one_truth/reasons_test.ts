// Without percentiles, every output states the reason that applies to the study, and no other.
// covers: D2-1.1, S-155
import assert from "node:assert/strict";
import { PLAIN_METHOD } from "@/model/norms/percentile_rank.ts";
import type { NormReason } from "@/model/schema/studies/patients.ts";
import { type Language, LANGUAGES } from "@/model/text.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import { fullReport, reportInput } from "@/server/core/reports/service/report_fixture.ts";
import type { ReportInput } from "@/server/core/reports/service/report_model.ts";
import { suggestedIn } from "@/tests/one_truth/texts.ts";

const SENTENCES: Record<NormReason, Record<Language, string>> = {
  quality: conclusionText.noneByQuality,
  age_outside_norms: conclusionText.noneByAge,
  age_unknown: conclusionText.noneByUnknownAge,
  sex_unknown: conclusionText.noneByUnknownSex,
  scanner_stopped: conclusionText.noneByScanner,
  scanner_unread: conclusionText.noneByUnreadScanner,
  scanner_refused: conclusionText.noneByRefusal,
};
/** A word of each reason that occurs in no other reason. */
const WORDS: Record<NormReason, Record<Language, RegExp>> = {
  quality: { en: /quality/, ko: /품질/ },
  age_outside_norms: { en: /range of the norms/, ko: /규준의 적용 범위/ },
  age_unknown: { en: /age is unknown/, ko: /나이를 알 수/ },
  sex_unknown: { en: /\bsex\b/, ko: /성별/ },
  scanner_stopped: { en: /lasting change/, ko: /변화/ },
  scanner_unread: { en: /header/, ko: /헤더/ },
  scanner_refused: { en: /acceptance test/, ko: /인수 시험/ },
};
/** Beginning of all reasons. */
const BEGINNINGS = { en: "Not determined", ko: "판정할 수 없음" };

type Change = { study?: Partial<ReportInput>; patient?: Partial<ReportInput["patient"]> };
const CHANGES: Record<NormReason, Change> = {
  quality: {
    study: { analysis: { ...reportInput().analysis, quality: { grade: "C", warnings: [] } } },
  },
  age_outside_norms: { patient: { age: 6 } },
  age_unknown: { patient: { age: null } },
  sex_unknown: { patient: { sex: null } },
  scanner_stopped: { study: { method: { ...PLAIN_METHOD, isStopped: true } } },
  scanner_unread: { study: { method: { ...PLAIN_METHOD, isStopped: true, isUnread: true } } },
  scanner_refused: { study: { method: { ...PLAIN_METHOD, isStopped: true, isRefused: true } } },
};

for (const [reason, { study, patient }] of Object.entries(CHANGES)) {
  for (const language of LANGUAGES) {
    Deno.test(`${reason}: sheet, message and FHIR give this reason only, in ${language}`, () => {
      const report = fullReport(language, study, patient);
      assert.equal(report.reference.reason, reason);
      const outputs = suggestedIn({ report, results: null, flair: null, age: 70 });
      assert.deepEqual(Object.keys(outputs).sort(), ["Cover", "FHIR", "HL7"]);
      const expected = SENTENCES[reason as NormReason][language];
      for (const [other, words] of Object.entries(WORDS)) {
        assert.equal(words[language].test(expected), other === reason, `${other}: ${expected}`);
      }
      for (const [place, text] of Object.entries(outputs)) {
        assert.ok(text.includes(expected), `${place}: ${text}`);
        const count = text.split(BEGINNINGS[language]).length - 1;
        assert.equal(count, 1, `${place}: ${text}`);
      }
    });
  }
}
