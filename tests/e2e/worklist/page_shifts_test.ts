// covers: S-238
// No layout shifts while pages load, at all widths from a phone to a wide screen.
import assert from "node:assert/strict";
import type { Browser, Page } from "@playwright/test";
import { createSite } from "@/server/edge/site.ts";
import { browserTest, launchBrowser, pageStarts } from "@/tests/e2e/site.ts";
import { EMAIL, PASSWORD, withCore } from "@/tests/sites/core_site.ts";
import { addReadStudy } from "@/tests/sites/read_study.ts";
import { enter, serveViewer } from "@/tests/viewer/viewer_site.ts";

const WIDTHS = [412, 768, 1024, 1280, 1920];
/** Maximum sum of layout shifts; "good" is below .1 in the worst second (web.dev/cls). */
const MAX_SHIFT = 0.02;

/** Records layout shifts without user input, and the elements that moved. */
function countShifts(): void {
  const moved: { value: number; elements: string[] }[] = [];
  Object.assign(globalThis, { moved });
  type Shift = PerformanceEntry & {
    value: number;
    hadRecentInput: boolean;
    sources: { node?: Node }[];
  };
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries() as Shift[]) {
      if (hadRecentInput) continue;
      const elements = sources.map(({ node }) =>
        (node instanceof Element ? node : node?.parentElement)?.outerHTML.slice(0, 90) ?? "?"
      );
      moved.push({ value, elements });
    }
  }).observe({ type: "layout-shift", buffered: true });
}

interface Shown {
  path: string;
  /** waits until the last part of the page is loaded */
  isWhole: (page: Page) => Promise<unknown>;
}

async function assertStillAt(
  browser: Browser,
  width: number,
  signIn: (page: Page) => Promise<void>,
  { path, isWhole }: Shown,
): Promise<void> {
  const context = await browser.newContext({ viewport: { width, height: 800 } });
  try {
    context.setDefaultTimeout(180_000);
    await context.addInitScript(countShifts);
    const page = await context.newPage();
    await signIn(page);
    await page.goto(new URL(path, page.url()).href);
    await pageStarts(page);
    await isWhole(page);
    // after two frames the layout is complete
    await page.evaluate(() =>
      new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
    );
    const moved = await page.evaluate("moved") as { value: number; elements: string[] }[];
    const sum = moved.reduce((sum, { value }) => sum + value, 0);
    assert.ok(sum <= MAX_SHIFT, `${path} at ${width}: ${sum} ${JSON.stringify(moved)}`);
  } finally {
    await context.close();
  }
}

/** Waits for the viewer's tools, which are loaded last. */
const hasTools = (page: Page) => page.locator(".later-tools button").nth(8).waitFor();

browserTest("viewers move nothing while they start or fail, at every width", async () => {
  const site = await serveViewer(), browser = await launchBrowser();
  const shown: Shown[] = [
    { path: "/viewer/1", isWhole: hasTools },
    { path: "/viewer/5", isWhole: hasTools },
    {
      path: "/viewer/3",
      isWhole: async (page) => {
        await page.locator("[role=tabpanel] [role=alert]").waitFor();
        await page.locator(".toast").first().waitFor();
      },
    },
  ];
  try {
    for (const width of WIDTHS) {
      for (const page of shown) {
        await assertStillAt(browser, width, (page) => enter(page, site.origin), page);
      }
    }
  } finally {
    await browser.close();
    await site.close();
  }
});

browserTest(
  "worklist and report move nothing while they start, at every width",
  () =>
    withCore(async ({ core, dataDir }) => {
      const pid = await addReadStudy(dataDir);
      const site = await createSite({ core, settings: { dataDir: null } });
      const server = Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen() {} },
        (request, info) => site.fetch(request, info),
      );
      const origin = `http://127.0.0.1:${server.addr.port}`, browser = await launchBrowser();
      const signIn = async (page: Page) => {
        await page.goto(`${origin}/login`);
        await page.evaluate(async ([email, password]) => {
          await fetch("/api/v1/auth/login", {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ email, password }),
          });
        }, [EMAIL, PASSWORD]);
      };
      const settled = (page: Page) => page.waitForLoadState("networkidle");
      try {
        for (const width of WIDTHS) {
          for (const path of ["/", `/report/${pid}`]) {
            await assertStillAt(browser, width, signIn, { path, isWhole: settled });
          }
        }
      } finally {
        await browser.close();
        await server.shutdown();
        site.close();
      }
    }),
);
