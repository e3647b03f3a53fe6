import assert from "node:assert/strict";
import { findingsBodiesOf } from "@/report/sheets/findings_sheet.ts";
import { fullReport } from "@/server/core/reports/service/report_fixture.ts";
import { measured } from "@/viewer/slices/marks/measure.ts";
import { byWhom, statisticsText } from "@/viewer/panels/reading/measure.tsx";

// covers: S-14
Deno.test("byWhom() says when by the clocks of the hospital, wherever the reader sits", () => {
  const at = "2026-02-03T18:04:05Z";
  assert.equal(byWhom("Kim", at, "Asia/Seoul", "en"), "Kim, 2026-02-04 03:04");
  assert.equal(byWhom("", at, "America/New_York", "ko"), "–, 2026-02-03 13:04");
});

Deno.test("statisticsText() has mean and spread as the image and the report have them", () => {
  const shape = { kind: "rectangle", plane: "axial", pointsMm: [0, 0, 0, 20, 20, 0] } as const;
  for (
    const [mean, sd] of [[812.44, 20.26], [150.23, 5.44], [55.61, 12.3], [9.55, 0.44]] as const
  ) {
    const statistics = { mean, sd, low: 1, high: 900, pixels: 30 };
    const [, shown, spread] = measured({ ...shape, pointsMm: [...shape.pointsMm], statistics })
      .match(/· ([\d.]+) ± ([\d.]+)$/)!;
    const words = `mean ${shown}, SD ${spread}`;
    assert.ok(statisticsText(statistics, "en").startsWith(`${words}, `), words);
    const report = fullReport("en"),
      point = { plane: shape.plane, points_mm: [...shape.pointsMm], statistics };
    const measurement = {
      ...point,
      id: 1,
      kind: shape.kind,
      series: "t1",
      note: "",
      created_by: "Kim",
    } as const;
    const findings = {
      measurements: [{ ...measurement, created_at: "2026-02-03T18:04:05Z" }],
      images: [],
      corrections: [],
      corrected_visits: [],
    };
    assert.ok(JSON.stringify(findingsBodiesOf({ ...report, findings })).includes(words), words);
  }
});
