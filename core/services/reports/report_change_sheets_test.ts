import assert from "node:assert/strict";
import type { ReportResponse } from "@/model/schema/report/report.ts";
import { textIn } from "@/model/text.ts";
import { lesionChangeText } from "@/model/text/report/report_lesion_changes.ts";
import { protocolFieldText } from "@/model/text/report/pages/longitudinal.ts";
import { lesionChangeBodiesOf } from "@/report/sheets/lesion_change_sheet.ts";
import { longitudinalBodiesOf } from "@/report/sheets/longitudinal_sheet.ts";
import { trajectoryBodiesOf } from "@/report/sheets/trajectory_sheet.ts";
import { fullReport } from "@/core/services/reports/report_fixture.ts";

const CHANGED: NonNullable<ReportResponse["flair_longitudinal"]> = {
  visits: ["2024-01-01", "2026-01-01"].map((study_date, n) => ({
    pid: n === 0 ? 3 : 7,
    study_date,
    total: 4.2 + n,
    peri: 3.1 + n,
    deep: 1.1,
    ratio_percent: 0.93,
    lesion_count: 11 + n,
    is_low_confidence: false,
    protocol_differences: n === 0 ? ["scanner"] : [],
  })),
  changes: {
    prior: { pid: 3, study_date: "2024-01-01" },
    state: "compared",
    lesions: (["new", "enlarging", "shrinking", "gone"] as const).map((kind, lesion) => ({
      lesion,
      kind,
      is_sure: lesion !== 1,
      changed_ml: 0.06,
      before_ml: 0.1,
      after_ml: 0.16,
      centre_ras_mm: [10, -20, 30] as [number, number, number],
      is_confirmed: lesion === 0 ? true : lesion === 3 ? false : null,
      decided_at: null,
      decided_by: lesion === 0 ? "Dr. Reader" : "",
    })),
  },
};

Deno.test("Longitudinal of FLAIR has each study's volumes and the lesions that changed, without refused ones", () => {
  for (const language of ["en", "ko"] as const) {
    const bodies = lesionChangeBodiesOf({ ...fullReport(language), flair_longitudinal: CHANGED });
    const texts = JSON.stringify(bodies);
    assert.equal(bodies.length, 1);
    for (const text of ["2024-01-01 *", "5.20", "Dr. Reader"]) assert.ok(texts.includes(text), text);
    const words = lesionChangeText;
    assert.ok(texts.includes(words.new[language]) && texts.includes(words.shrinking[language]));
    assert.ok(!texts.includes(`"${words.gone[language]}"`), "what a reader refused is not listed");
    assert.ok(texts.includes(textIn(words.refused, language, { n: 1 })));
    assert.ok(texts.includes(textIn(words.possible, language, { kind: words.enlarging[language] })));
    assert.ok(texts.includes(textIn(protocolFieldText.scanner, language)));
  }
  assert.deepEqual(lesionChangeBodiesOf(fullReport("en")), []);
});

Deno.test("Longitudinal says in words what it does not compare, and where its limits come from", () => {
  const report = fullReport("en"), limits = { pairs: 5, percent: { brain: 0.8 } };
  const [body] = trajectoryBodiesOf({ ...report, left_out_visits: ["2014-01-01"], change_limits: limits });
  const texts = JSON.stringify(body);
  assert.ok(texts.includes("2019-01-01, acquired with another scanner or protocol"), texts.slice(0, 900));
  assert.ok(texts.includes("2014-01-01, whose analysis has quality grade C"));
  assert.ok(texts.includes("5 pairs") && texts.includes("0.8 %"));
  // the page of the changes does not name other limits
  const changes = (of: typeof report) => JSON.stringify(longitudinalBodiesOf(of));
  assert.ok(changes(report).includes("1\u00a0% brain, cortex and white matter"));
  const own = changes({ ...report, change_limits: limits });
  assert.ok(
    own.includes("this site's own repeated scans") && !own.includes("1\u00a0% brain"),
    own.slice(-900),
  );
  assert.ok(JSON.stringify(trajectoryBodiesOf(report)).includes("no repeated scans"));
  const { trajectory: _, ...without } = report;
  assert.deepEqual(trajectoryBodiesOf(without), []);
});
