import assert from "node:assert/strict";
import { countedSamples, countMetric, metricsText, sample } from "@/server/wire/metrics.ts";

Deno.test("metricsText() keeps figures of one name together and escapes labels", () => {
  const text = metricsText([
    sample("sulcus_jobs", 5, { of: 'a"b\\c\nd' }),
    sample("sulcus_database_up", 1),
    sample("sulcus_jobs", 7.5, { of: "e" }),
  ]);
  assert.equal(
    text,
    '# HELP sulcus_jobs jobs by status\n# TYPE sulcus_jobs gauge\nsulcus_jobs{of="a\\"b\\\\c\\nd"} 5\n' +
      'sulcus_jobs{of="e"} 7.5\n# HELP sulcus_database_up whether the database answers\n' +
      "# TYPE sulcus_database_up gauge\nsulcus_database_up 1\n",
  );
});

Deno.test("countMetric() adds by name and labels, and stops at a bound of series", () => {
  const mine = () => countedSamples().filter(({ labels }) => labels?.stage?.startsWith("test"));
  countMetric("sulcus_stage_runs_total", { stage: "test" });
  countMetric("sulcus_stage_runs_total", { stage: "test" }, 2);
  assert.deepEqual(mine().map(({ value }) => value), [3]);
  for (let n = 0; n < 3000; n++) countMetric("sulcus_stage_runs_total", { stage: `test ${n}` });
  assert.ok(countedSamples().length <= 1000);
});
