// covers: S-237
// Pages that follow each other: lists fade, a patient's page is there at once, and nothing moves where the system says so.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import type { BrowserContext, Page } from "@playwright/test";
import { createSite } from "@/server/edge/site.ts";
import { CHROMIUM, hasChromium, launchBrowser, pageStarts } from "@/tests/e2e/site.ts";
import { EMAIL, PASSWORD, withCore } from "@/tests/sites/core_site.ts";
import { addReadStudy } from "@/tests/sites/read_study.ts";
import { until } from "@/tests/sites/until.ts";

const isBuilt = existsSync(new URL("../../static/build/manifest.json", import.meta.url));
const missing = !hasChromium ? `no ${CHROMIUM}` : !isBuilt ? "static/build is not built" : "";

/** The transition with which a page appeared. */
interface Appearance {
  hasTransition: boolean;
  /** pseudo-elements that were animated */
  animated: string[];
  /** whether a press reaches the page again */
  isOver: boolean;
}

/** Notes in each page how it appeared. */
function noteAppearance(): void {
  const seen: Appearance = { hasTransition: false, animated: [], isOver: true };
  Object.assign(globalThis, { seen });
  addEventListener("pagereveal", (event) => {
    const { viewTransition } = event as Event & { viewTransition: ViewTransition | null };
    if (viewTransition === null) return;
    Object.assign(seen, { hasTransition: true, isOver: false });
    viewTransition.ready.then(() => {
      seen.animated = document.getAnimations().flatMap(({ effect }) =>
        (effect as KeyframeEffect).pseudoElement ?? []
      ).filter((name) => name.startsWith("::view-transition"));
    });
    viewTransition.finished.then(() => seen.isOver = true);
  });
}

/** Goes to a page as a link does, and says how that page appeared. */
async function follow(page: Page, path: string): Promise<Appearance> {
  await Promise.all([
    page.waitForURL((url) => url.pathname === path),
    page.evaluate((path) => location.assign(path), path),
  ]);
  await pageStarts(page);
  await until(() => page.evaluate("seen.isOver"));
  return await page.evaluate("seen");
}

async function signedIn(context: BrowserContext, origin: string): Promise<Page> {
  context.setDefaultTimeout(180_000);
  await context.addInitScript(noteAppearance);
  const page = await context.newPage();
  await page.goto(`${origin}/login`);
  await page.evaluate(async ([email, password]) => {
    await fetch("/api/v1/auth/login", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email, password }),
    });
  }, [EMAIL, PASSWORD]);
  await page.goto(`${origin}/`);
  await pageStarts(page);
  return page;
}

Deno.test({
  name: `lists fade into each other, and no page is seen through a patient's${
    missing && ` (skipped: ${missing})`
  }`,
  ignore: missing !== "",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: (t) =>
    withCore(async ({ core, dataDir }) => {
      const pids = [await addReadStudy(dataDir), await addReadStudy(dataDir)];
      const site = await createSite({ core, settings: { dataDir: null } });
      const server = Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen() {} },
        (request, info) => site.fetch(request, info),
      );
      const origin = `http://127.0.0.1:${server.addr.port}`, browser = await launchBrowser();
      const [viewer, otherViewer] = pids.map((pid) => `/viewer/${pid}`) as [string, string];
      const viewport = { width: 1280, height: 910 };
      try {
        await t.step("lists", async () => {
          const page = await signedIn(await browser.newContext({ viewport }), origin);
          for (const path of ["/status", "/"]) {
            const seen = await follow(page, path);
            assert.ok(seen.hasTransition, path);
            assert.ok(seen.animated.includes("::view-transition-new(list-page)"), path);
            assert.ok(seen.animated.includes("::view-transition-old(list-page)"), path);
          }
        });
        await t.step("a patient's page, from and to everything", async () => {
          const page = await signedIn(await browser.newContext({ viewport }), origin);
          const report = `/report/${pids[0]}`;
          for (const path of [viewer, otherViewer, report, viewer, "/", report, "/status"]) {
            const seen = await follow(page, path);
            assert.ok(seen.hasTransition, path);
            assert.deepEqual(seen.animated, [], path);
          }
        });
        await t.step("the way back", async () => {
          const page = await signedIn(await browser.newContext({ viewport }), origin);
          await follow(page, viewer);
          await page.goBack();
          await page.waitForURL((url) => url.pathname === "/");
          await pageStarts(page);
          await page.locator(`tr[data-pid="${pids[0]}"]`).waitFor();
          await until(() => page.evaluate("seen.isOver"));
          assert.deepEqual(await page.evaluate("seen.animated"), []);
        });
        await t.step("with reduced motion", async () => {
          const context = await browser.newContext({ viewport, reducedMotion: "reduce" });
          const page = await signedIn(context, origin);
          for (const path of ["/status", "/", viewer]) {
            assert.equal((await follow(page, path)).hasTransition, false, path);
          }
        });
      } finally {
        await browser.close();
        await server.shutdown();
        site.close();
      }
    }),
});
