import assert from "node:assert/strict";
import { renderToString } from "react-dom/server";
import type { SiteStatus } from "@/model/schema/site/status.ts";
import { LANGUAGES } from "@/model/text.ts";
import { errorText } from "@/model/text/errors.ts";
import { ServerPanel } from "@/components/administration/ServerPanel.tsx";

const AT = "2026-01-05T09:00:00Z";
const STATUS: SiteStatus = {
  product: "Sulcus",
  version: "0.1.0",
  engine_version: null,
  runtime: "Deno",
  database: "sqlite",
  started_at: AT,
  disk: { total_bytes: 2e9, free_bytes: 1e9, usage: 50, warn: 80, error: 95 },
  workers: { threads: 1, busy: 0 },
  jobs: {
    counts: { queued: 0, running: 0, done: 0, failed: 1, canceled: 0 },
    list: [{
      id: 1,
      kind: "analysis",
      status: "failed",
      percent: 0,
      created_at: AT,
      finished_at: AT,
      error: "engine.crashed",
      pids: [7],
    }],
  },
};

Deno.test("ServerPanel says in words why a job failed; the code is its tooltip", () => {
  for (const language of LANGUAGES) {
    const page = renderToString(<ServerPanel status={STATUS} language={language} />);
    assert.ok(page.includes(errorText["engine.crashed"][language]), language);
    assert.ok(page.includes('title="engine.crashed"') && !page.includes(">engine.crashed<"));
  }
});
