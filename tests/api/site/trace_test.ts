import assert from "node:assert/strict";
import { login } from "@/client/api/accounts/auth.ts";
import { createCore } from "@/core/mod.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { until } from "@/tests/sites/until.ts";

const EMAIL = "physician@hospital.test", PASSWORD = "correct-horse-7";

Deno.test("the name of a request is in its answer, the log, and every line of the job that it queued", async () => {
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
    // the engine refuses a head that is cut off: that is an end too
    await until(() =>
      lines.some(({ message, trace }) => trace === "click-0001" && /Cannot|Job done/.test(message))
    );
    const traced = lines.filter(({ trace }) => trace === "click-0001").map(({ message }) => message);
    for (const message of ["Upload taken in", "Job started", "Stage"]) {
      assert.ok(traced.includes(message), message);
    }
    assert.ok(!lines.some(({ message, trace }) => message === "Signed in" && trace === "click-0001"));
  } finally {
    await core.close();
  }
});
