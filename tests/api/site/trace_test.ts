import assert from "node:assert/strict";
import { login } from "@/client/api/accounts/auth.ts";
import { exportOf, exportSpans, traceIdOf } from "@/server/commands/operate/span_export.ts";
import { createCore } from "@/server/core/mod.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { until } from "@/tests/sites/until.ts";

const EMAIL = "physician@hospital.test", PASSWORD = "correct-horse-7";

/** A simulated trace collector that records all spans. */
function startCollector() {
  const spans: ReturnType<typeof exportOf>["resourceSpans"][0]["scopeSpans"][0]["spans"] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      assert.deepEqual([request.method, new URL(request.url).pathname], ["POST", "/v1/traces"]);
      for (
        const { scopeSpans } of (await request.json() as ReturnType<typeof exportOf>).resourceSpans
      ) {
        spans.push(...scopeSpans.flatMap((scope) => scope.spans));
      }
      return Response.json({});
    },
  );
  return { spans, url: `http://127.0.0.1:${server.addr.port}`, stop: () => server.shutdown() };
}

Deno.test("the name of a request is in its answer, the log, every line of the job that it queued, and its spans", async () => {
  const collector = startCollector(), endTraces = exportSpans(collector.url, () => {});
  const lines: { message: string; trace?: unknown; stage?: unknown }[] = [];
  const core = await createCore({
    dataDir: null,
    workers: 1,
    adminEmail: EMAIL,
    adminPassword: PASSWORD,
    log: (_level, message, fields) => void lines.push({ message, ...fields }),
  });
  try {
    const api = { send: core.fetch, origin: "http://core" };
    const { access_token } = await login(api, { email: EMAIL, password: PASSWORD });
    const form = new FormData();
    for (const { fileName, bytes } of phantomSeries("short", "TRACE-1")) {
      form.append("dicom_files", new Blob([bytes]), fileName);
    }
    const answer = await core.fetch(
      new Request("http://core/api/v1/patients", {
        method: "POST",
        body: form,
        headers: { authorization: `Bearer ${access_token}`, "x-request-id": "click-0001" },
      }),
    );
    assert.equal(answer.headers.get("x-request-id"), "click-0001");
    await answer.body?.cancel();
    // the engine refuses an incomplete head, which also ends the analysis
    await until(() =>
      lines.some(({ message, trace }) => trace === "click-0001" && /Cannot|Job done/.test(message))
    );
    const traced = lines.filter(({ trace }) => trace === "click-0001").map(({ message }) =>
      message
    );
    for (const message of ["Upload taken in", "Job started", "Stage"]) {
      assert.ok(traced.includes(message), message);
    }
    assert.ok(
      !lines.some(({ message, trace }) => message === "Signed in" && trace === "click-0001"),
    );
    const told = lines.filter(({ trace }) => trace === "click-0001").flatMap(({ message, stage }) =>
      message === "Stage" ? [`stage ${stage}`] : []
    );
    await core.close();
    await endTraces();
    const spans = collector.spans.filter(({ traceId }) => traceId === traceIdOf("click-0001"));
    const call = spans.find(({ name }) => name === "POST /api/v1/patients")!;
    const job = spans.find(({ name }) => name === "job analysis")!;
    assert.deepEqual([call.parentSpanId, job.parentSpanId], [undefined, call.spanId]);
    const stages = spans.filter(({ parentSpanId }) => parentSpanId === job.spanId).map(({ name }) =>
      name
    );
    assert.ok(stages.length > 0 && stages.every((name) => told.includes(name)), stages.join());
    assert.equal(spans.length, 2 + stages.length);
    // URLs may contain patient IDs, so spans must not contain them
    assert.ok(!JSON.stringify(collector.spans).includes("TRACE-1"));
  } finally {
    await core.close();
    await endTraces();
    await collector.stop();
  }
});

Deno.test("traceIdOf() is the request's name where that is a UUID, else always the same of it", () => {
  const id = crypto.randomUUID();
  assert.equal(traceIdOf(id), id.replaceAll("-", ""));
  assert.match(traceIdOf("click-0001"), /^[0-9a-f]{32}$/);
  assert.equal(traceIdOf("click-0001"), traceIdOf("click-0001"));
});
