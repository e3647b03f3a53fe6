// covers: S-232
// Pointing at or focusing a link loads the next page's scripts, but neither the page nor a study.
import assert from "node:assert/strict";
import { createSite } from "@/server/edge/site.ts";
import { browserTest, launchBrowser, pageStarts } from "@/tests/e2e/site.ts";
import { EMAIL, PASSWORD, withCore } from "@/tests/sites/core_site.ts";
import { addReadStudy } from "@/tests/sites/read_study.ts";
import { until } from "@/tests/sites/until.ts";

/** Name prefix of each page's script in the build. */
const SCRIPT = { viewer: "SliceViewer", report: "ReportViewer" };

browserTest(
  "pointer and focus load the program of viewer and report, never the page or the study",
  () =>
    withCore(async ({ core, dataDir }) => {
      const pid = await addReadStudy(dataDir);
      const site = await createSite({ core, settings: { dataDir: null } });
      const server = Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen() {} },
        (request, info) => site.fetch(request, info),
      );
      const origin = `http://127.0.0.1:${server.addr.port}`, browser = await launchBrowser();
      try {
        const context = await browser.newContext({ viewport: { width: 1280, height: 910 } });
        context.setDefaultTimeout(180_000);
        const page = await context.newPage();
        await page.goto(`${origin}/login`);
        assert.doesNotMatch(await page.content(), new RegExp(SCRIPT.viewer));
        await page.evaluate(async ([email, password]) => {
          await fetch("/api/v1/auth/login", {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ email, password }),
          });
        }, [EMAIL, PASSWORD]);
        const requests: string[] = [];
        page.on("request", (request) => requests.push(new URL(request.url()).pathname));
        /** Whether a page's script and, for the viewer, the kernels were requested. */
        const has = (name: keyof typeof SCRIPT) =>
          requests.some((path) => path.startsWith(`/static/build/${SCRIPT[name]}`)) &&
          (name !== "viewer" || requests.some((path) => /\/kernels-\w+\.wasm$/.test(path)));
        const leads = page.locator(`tr[data-pid="${pid}"] .viewer-button`);
        const report = page.locator(`tr[data-pid="${pid}"] .report-button`);
        for (const way of ["pointer", "focus"] as const) {
          await page.goto("about:blank");
          await page.goto(`${origin}/`);
          await pageStarts(page);
          requests.length = 0;
          assert.ok(!has("viewer") && !has("report"));
          const start = async (at: typeof leads) => {
            // repeated, because the page listens only when it is idle
            await page.mouse.move(5, 5);
            await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
            await (way === "pointer" ? at.hover() : at.focus());
          };
          await until(async () => (await start(leads), has("viewer")));
          await until(async () => (await start(report), has("report")));
          // no script is requested twice
          await start(leads);
          await start(report);
          assert.equal(
            new Set(requests.filter((path) => path.startsWith("/static"))).size,
            requests.filter((path) => path.startsWith("/static")).length,
          );
          const opened = requests.filter((path) =>
            /\/(viewer|report)\/|\/patients\/\d+$/.test(path)
          );
          assert.deepEqual(opened, []);
        }
      } finally {
        await browser.close();
        await server.shutdown();
        site.close();
      }
    }),
);
