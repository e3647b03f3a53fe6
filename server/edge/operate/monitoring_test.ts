// covers: S-128
import assert from "node:assert/strict";
import { createCore } from "@/server/core/mod.ts";
import { ALARMS } from "@/server/commands/operate/alarms.ts";
import { METRICS } from "@/server/wire/metrics.ts";
import { createSite } from "@/server/edge/site.ts";
import { until } from "@/tests/sites/until.ts";

const TOKEN = "0123456789abcdef0123456789abcdef";

async function openSite(metricsToken: string | null) {
  const core = await createCore({ dataDir: null, workers: 0 });
  const site = await createSite({ core, settings: { dataDir: null, metricsToken } });
  return {
    core,
    ask: async (path: string, headers: Record<string, string> = {}, hostname = "127.0.0.1") => {
      const info = { remoteAddr: { transport: "tcp" as const, hostname, port: 4321 } };
      const answer = await site.fetch(
        new Request(`http://hospital.test${path}`, { headers }),
        info,
      );
      return { status: answer.status, text: await answer.text() };
    },
    async [Symbol.asyncDispose]() {
      site.close();
      await core.close();
    },
  };
}

Deno.test("/health lives with the process, /ready with the database", async () => {
  await using site = await openSite(null);
  assert.deepEqual(await site.ask("/health"), { status: 200, text: "ok\n" });
  await until(async () => (await site.ask("/ready")).text === "ready\n");
  await site.core.close();
  assert.deepEqual(await site.ask("/health"), { status: 200, text: "ok\n" });
  assert.deepEqual(await site.ask("/ready"), { status: 503, text: "not ready\n" });
});

Deno.test("/metrics shows jobs, stages, disk, memory and sockets to this machine alone, not to a proxy on it", async () => {
  await using site = await openSite(null);
  await site.ask("/login");
  await site.ask("/api/v1/auth/methods");
  await site.ask("/no-such-page/Kim^Minjun");
  const { status, text } = await site.ask("/metrics");
  assert.equal(status, 200);
  for (
    const line of [
      /^sulcus_jobs\{status="queued"\} 0$/m,
      /^sulcus_http_requests_total\{status="200"\} \d+$/m,
      /^sulcus_disk_free_bytes \d+$/m,
      /^process_resident_memory_bytes \d+$/m,
      /^sulcus_sockets 0$/m,
      /^sulcus_http_request_seconds_bucket\{route="GET \/login",le="\+Inf"\} [1-9]\d*$/m,
      /^sulcus_http_request_seconds_bucket\{route="GET \/api\/v1\/auth\/methods",le="\+Inf"\} [1-9]\d*$/m,
      /^sulcus_http_request_seconds_count\{route="other"\} [1-9]\d*$/m,
      /^sulcus_database_up 1$/m,
      /^sulcus_commitments_open 0$/m,
    ]
  ) assert.match(text, line);
  assert.ok(!/Minjun|\/api\/:path/.test(text), "routes, not addresses, and each call once");
  // as Prometheus reads it: names, labels, one number
  for (const line of text.trimEnd().split("\n")) {
    assert.match(line, /^(# (HELP|TYPE) \w+ .+|[a-z_]+(\{[^{}]*\})? [\d.e+-]+)$/, line);
  }
  assert.equal((await site.ask("/metrics", {}, "10.1.2.3")).status, 404);
  assert.equal((await site.ask("/metrics", { "x-forwarded-for": "10.1.2.3" })).status, 404);
  assert.equal(
    (await site.ask("/metrics", { authorization: `Bearer ${TOKEN}` }, "10.1.2.3")).status,
    404,
  );
});

Deno.test("/metrics with a token is for whoever shows it, from anywhere", async () => {
  await using site = await openSite(TOKEN);
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  assert.equal((await site.ask("/metrics", bearer(TOKEN), "10.1.2.3")).status, 200);
  assert.equal(
    (await site.ask("/metrics", bearer(TOKEN.replace("0", "1")), "10.1.2.3")).status,
    404,
  );
  assert.equal((await site.ask("/metrics")).status, 404);
});

Deno.test("every figure of /metrics is in the table of metrics, and the documents name no other", async () => {
  await using site = await openSite(null);
  const { text } = await site.ask("/metrics"),
    read = (path: string) => Deno.readTextFile(new URL(path, import.meta.url));
  for (const [, name] of text.matchAll(/^# TYPE (\w+)/gm)) assert.ok(name! in METRICS, name);
  const names = new Set(
    Object.keys(METRICS).flatMap((
      name,
    ) => [name, `${name}_bucket`, `${name}_sum`, `${name}_count`]),
  );
  const page = await read("../../../docs/site/monitoring.md");
  const documents = await read("../../../docs/grafana.json") + page;
  for (const [name] of documents.matchAll(/\b(sulcus|process)_[a-z]+_?[a-z_]*\b/g)) {
    if (!name.startsWith("sulcus_VERSION")) assert.ok(names.has(name), name);
  }
  for (const name of ALARMS) assert.match(page, new RegExp(`^\\| \`${name}\` `, "m"));
});
