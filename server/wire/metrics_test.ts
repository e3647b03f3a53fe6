import assert from "node:assert/strict";
import { countedSamples, countMetric, gauge, metricsText } from "@/server/wire/metrics.ts";

Deno.test("metricsText() keeps figures of one name together and escapes labels", () => {
  const text = metricsText([
    gauge("disk_bytes", "of the disk", 5, { of: 'a"b\\c\nd' }),
    gauge("up", "whether", 1),
    gauge("disk_bytes", "of the disk", 7.5, { of: "e" }),
  ]);
  assert.equal(
    text,
    '# HELP disk_bytes of the disk\n# TYPE disk_bytes gauge\ndisk_bytes{of="a\\"b\\\\c\\nd"} 5\n' +
      'disk_bytes{of="e"} 7.5\n# HELP up whether\n# TYPE up gauge\nup 1\n',
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
