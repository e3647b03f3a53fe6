// Every island and dialog of the production build throws once: the rest of the page stays, "Try
// again" restores it, and the server's log has one line without patient data.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import type { Patient } from "@/model/schema/studies/patients.ts";
import { surfaceFile } from "@/model/schema/studies/viewer_files.ts";
import { crashText } from "@/model/text/crash.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import {
  EMAIL,
  hasChromium,
  launchBrowser,
  PASSWORD,
  signInStarts,
  startSite,
} from "@/tests/e2e/site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { until } from "@/tests/sites/until.ts";
import { enter, serveViewer } from "@/tests/viewer/viewer_site.ts";

const ignore = !hasChromium;
const why = hasChromium ? "" : " (skipped: no /usr/bin/chromium)";
/** Error message with patient data, which the log must not contain. */
const MESSAGE = "no row of 'KIM^HANEUL' 20260105 Hong@hospital.test 김하늘 Haneul";
const PRIVATE = /HANEUL|20260105|hospital\.test|김|Haneul/;

interface Part {
  /** name of the part's file, without extension */
  name: string;
  /** opens the part on a page */
  open(page: Page): Promise<unknown>;
  /** selector of the rest of the page, which must stay */
  rest: string;
  /** whether the notice is in a dialog that Escape closes */
  isDialog?: boolean;
}

/** Makes a part of the page throw until `globalThis.isMended`. */
async function breakPart(page: Page, name: string): Promise<void> {
  await page.route(
    new RegExp(`/static/build/${name}-[0-9A-Z]+\\.js$`),
    async (route) => {
      const script = await (await route.fetch()).text();
      const broken = script.replace(
        /export\{([^{}]*?)([\w$]+) as default([^{}]*)\};?\s*$/,
        (_all, before, own, after) =>
          `function brokenPart(props){if(!globalThis.isMended)throw new Error(${
            JSON.stringify(MESSAGE)
          });` +
          `return ${own}(props)}export{${before}brokenPart as default${after}};`,
      );
      assert.notEqual(broken, script, `${name} has no default export`);
      await route.fulfill({ contentType: "text/javascript", body: broken });
    },
  );
}

/** Crashes a part, checks the page, restores the part. @param lines Crash entries in the log. */
async function checkPart(
  page: Page,
  part: Part,
  lines: () => string[],
): Promise<void> {
  const before = lines().length;
  await breakPart(page, part.name);
  await part.open(page);
  const notice = page.locator("[data-crash]");
  await notice.first().waitFor();
  assert.ok(
    await page.locator(part.rest).first().isVisible(),
    `${part.name}: the rest of the page is gone`,
  );
  await until(() => lines().length > before);
  if (part.isDialog) {
    await page.keyboard.press("Escape");
    await page.locator("dialog[open]").waitFor({ state: "detached" });
    await part.open(page);
    await notice.first().waitFor();
  }
  await page.evaluate("globalThis.isMended = true");
  await notice.getByRole("button", { name: "Try again" }).first().click();
  await notice.waitFor({ state: "detached" });
  const told = lines().slice(before);
  // a dialog is opened twice, so it crashes twice
  assert.equal(
    told.length,
    part.isDialog ? 2 : 1,
    `${part.name}:\n${told.join("\n")}`,
  );
  for (const line of told) {
    assert.match(line, /no row of \[text\]/);
    assert.doesNotMatch(line, PRIVATE);
  }
}

const HEADER = "[data-island=HeaderBar] header",
  ROW = "[data-island=Worklist] tbody tr";
const started = (page: Page, ...islands: string[]) =>
  Promise.all(
    islands.map((name) =>
      page.locator(`[data-island=${name}][data-hydrated]`).waitFor({
        state: "attached",
      })
    ),
  );
const at = (path: string, ...islands: string[]) => async (page: Page) => {
  if (new URL(page.url()).pathname !== path) await page.goto(path);
  await started(page, ...islands);
};
const worklist = at("/", "HeaderBar", "Worklist");
const button = (page: Page, name: string) =>
  page.getByRole("button", { name, exact: true }).first().click();
const menuItem = (place: number) => async (page: Page) => {
  await worklist(page);
  await page.locator("header button[aria-haspopup=menu]").click();
  await page.getByRole("menuitem").nth(place).click();
};

const PARTS: readonly Part[] = [
  { name: "HeaderBar", open: worklist, rest: ROW },
  { name: "Worklist", open: at("/"), rest: HEADER },
  { name: "notices_view", open: worklist, rest: ROW },
  { name: "ServerStatus", open: at("/status"), rest: HEADER },
  {
    name: "audit_log",
    open: async (page) => {
      await at("/status", "ServerStatus")(page);
      await page.getByRole("tab", { name: "Audit log" }).click();
    },
    rest: "[role=tablist]",
  },
  { name: "KernelBench", open: at("/bench"), rest: HEADER },
  { name: "ReportViewer", open: at("/report/1"), rest: "body" },
  {
    name: "UploadDialog",
    open: async (page) => {
      await worklist(page);
      await button(page, worklistText.upload.en);
    },
    rest: ROW,
    isDialog: true,
  },
  {
    name: "FilterDialog",
    open: async (page) => {
      await worklist(page);
      await button(page, worklistText.filter.en);
    },
    rest: ROW,
    isDialog: true,
  },
  {
    name: "KeyList",
    open: async (page) => {
      await worklist(page);
      await page.keyboard.press("?");
    },
    rest: ROW,
    isDialog: true,
  },
  { name: "settings_dialog", open: menuItem(0), rest: ROW, isDialog: true },
  { name: "about_dialog", open: menuItem(1), rest: ROW, isDialog: true },
  { name: "my_page_dialog", open: menuItem(2), rest: ROW, isDialog: true },
  {
    name: "header_menu",
    open: async (page) => {
      await worklist(page);
      await page.locator("header button[aria-haspopup=menu]").click();
    },
    rest: ROW,
  },
];

Deno.test({
  name:
    `a part of a page that throws leaves the rest of it as it is, and one line in the log${why}`,
  ignore,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t) {
    await using site = await startSite();
    await addReported(site.dataDir, 2);
    const browser = await launchBrowser();
    try {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 910 },
        baseURL: site.url,
      });
      context.setDefaultTimeout(60_000);
      const lines = () =>
        site.output().split("\n").filter((line) => line.includes("A page crashed"));
      await t.step("LoginForm", async () => {
        const page = await context.newPage();
        await checkPart(page, {
          name: "LoginForm",
          open: (page) => page.goto("/login"),
          rest: "body",
        }, lines);
        await page.close();
      });
      await t.step("LoginForm, in Korean", async () => {
        const korean = await browser.newContext({ baseURL: site.url });
        await korean.addCookies([{
          name: "language",
          value: "ko",
          url: site.url,
        }]);
        const page = await korean.newPage();
        await breakPart(page, "LoginForm");
        await page.goto("/login");
        await page.getByText(crashText.title.ko).waitFor();
        await page.evaluate("globalThis.isMended = true");
        await page.getByRole("button", { name: "다시 시도" }).click();
        await page.locator("[data-crash]").waitFor({ state: "detached" });
        await korean.close();
      });
      const first = await context.newPage();
      await first.goto("/login");
      await signInStarts(first);
      await first.locator('input[name="email"]').fill(EMAIL);
      await first.locator('input[name="password"]').fill(PASSWORD);
      await first.locator('button[type="submit"]').click();
      await first.waitForURL((url) => url.pathname === "/");
      await first.close();
      for (const part of PARTS) {
        await t.step(part.name, async () => {
          const page = await context.newPage();
          await checkPart(page, part, lines);
          await page.close();
        });
      }
      await t.step(
        "errors of handlers and of promises that nobody awaits",
        async () => {
          const page = await context.newPage(), before = lines().length;
          await worklist(page);
          await page.evaluate(`
          setTimeout(() => { throw new RangeError("Kim Haneul 20260105") });
          setTimeout(() => void Promise.reject(new TypeError("of Kim Haneul")));
        `);
          await until(() => lines().length >= before + 2);
          const told = lines().slice(before).join("\n");
          assert.match(told, /RangeError: \[name\] \[name\] #/);
          assert.match(told, /TypeError: of \[name\] \[name\]/);
          assert.ok(await page.locator(ROW).first().isVisible());
          await page.close();
        },
      );
    } finally {
      await browser.close();
    }
  },
});

const VIEWER: readonly Part[] = [
  { name: "SliceViewer", open: () => Promise.resolve(), rest: "body" },
  {
    name: "SurfacePane",
    open: () => Promise.resolve(),
    rest: "[data-testid=axial-view]",
  },
  {
    name: "side_panel",
    open: () => Promise.resolve(),
    rest: "[data-testid=axial-view]",
  },
  {
    name: "tools",
    open: () => Promise.resolve(),
    rest: "[data-testid=axial-view]",
  },
  {
    name: "help",
    open: async (page) => {
      await page.getByTestId("axial-view").locator("canvas").first().waitFor({ state: "attached" });
      // repeated, because the viewer handles keys only after its first picture
      await until(async () => {
        await page.keyboard.press("?");
        return await page.locator("[data-crash]").first().waitFor({ timeout: 2000 }).then(
          () => true,
          () => false,
        );
      });
    },
    rest: "[data-testid=axial-view]",
    isDialog: true,
  },
];

Deno.test({
  name: `a part of the viewer that throws leaves its other parts as they are${why}`,
  ignore,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t) {
    const said: string[] = [];
    const site = await serveViewer((level, message, fields) => {
      if (message === "A page crashed") {
        said.push(JSON.stringify({ level, message, ...fields }));
      }
    });
    const address = "/api/v1/patients/image/viewer/1?file=t1w_file&v=0011223344556677";
    const surface_files = Object.fromEntries(surfaceFile.options.map((field) => [field, address]));
    site.records.set(1, { surface_files: surface_files as Patient["surface_files"] });
    const browser = await launchBrowser();
    try {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 910 },
      });
      context.setDefaultTimeout(60_000);
      const first = await context.newPage();
      await enter(first, site.origin);
      await first.close();
      for (const part of VIEWER) {
        await t.step(part.name, async () => {
          const page = await context.newPage();
          const open = async (page: Page) => {
            if (page.url() === "about:blank") {
              await page.goto(`${site.origin}/viewer/1`);
            }
            await part.open(page);
          };
          await checkPart(page, { ...part, open }, () => said);
          await page.close();
        });
      }
    } finally {
      await browser.close();
      await site.close();
    }
  },
});
