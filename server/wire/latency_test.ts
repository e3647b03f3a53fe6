import assert from "node:assert/strict";
import { latencySamples, observeAnswer } from "@/server/wire/latency.ts";
import { metricsText } from "@/server/wire/metrics.ts";

Deno.test("latencySamples() are a histogram of Prometheus: cumulative buckets by route, sum and count", () => {
  const route = "GET /test/:pid{[0-9]{1,15}}/x/:kind{a|b}";
  for (const seconds of [0.001, 0.01, 0.02, 0.3, 99]) observeAnswer(route, seconds);
  const lines = metricsText(latencySamples()).split("\n")
    .filter((line) => line.includes('route="GET /test/:pid/x/:kind"'));
  const values = lines.map((line) => Number(line.split(" ").at(-1)));
  assert.deepEqual(values.slice(0, 9), [2, 3, 3, 3, 4, 4, 4, 4, 5]);
  assert.match(lines[0]!, /^sulcus_http_request_seconds_bucket\{route="[^"]+",le="0.01"\} 2$/);
  assert.match(lines[8]!, /le="\+Inf"\} 5$/);
  assert.match(lines[9]!, /^sulcus_http_request_seconds_sum/);
  assert.match(lines[10]!, /^sulcus_http_request_seconds_count\{[^}]+\} 5$/);
});

Deno.test("observeAnswer() keeps a limited number of routes", () => {
  for (let n = 0; n < 2000; n++) observeAnswer(`GET /made-up/${n}`, 1);
  const routes = new Set(latencySamples().map(({ labels }) => labels?.route));
  assert.ok(routes.size <= 500);
});
