// covers: D1-9.6, D1-9.9, D2-9.4, S-7, S-48
// Every page and dialog in both languages: no axe findings, nothing wider than the smallest window.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { assertAccessible, assertTrapped } from "@/tests/e2e/accessibility.ts";
import {
  answersClicks,
  EMAIL,
  launchBrowser,
  missingForBrowser,
  PASSWORD,
  signInStarts,
  startSite,
} from "@/tests/e2e/site.ts";
import { Buffer } from "node:buffer";
import { BENCH_CASES } from "@/viewer/bench/cases.ts";
import { THEME_COOKIE } from "@/model/theme.ts";
import { LANGUAGES } from "@/model/text.ts";
import { helpText } from "@/model/text/help.ts";
import { helpOpenText } from "@/model/text/help_open.ts";
import { loginText } from "@/model/text/account/login.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { viewerPageText } from "@/model/text/viewer/viewer_page.ts";
import { viewerToolsText } from "@/model/text/viewer/viewer_tools.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { until } from "@/tests/sites/until.ts";
import { enter, serveViewer } from "@/tests/viewer/viewer_site.ts";

const why = missingForBrowser && ` (skipped: ${missingForBrowser})`;
const SMALLEST = { width: 1024, height: 910 };

/** Benchmark results of another computer, as saved by the benchmark page. */
const WARD = JSON.stringify({
  suite: "kernels",
  browser: "Mozilla/5.0 (X11; Linux x86_64) Chrome/139.0.0.0 Safari/537.36",
  cores: 4,
  measured_at: "2026-11-23T08:00:00.000Z",
  copy_bytes_per_second: 9e9,
  rows: BENCH_CASES.map((name, at) => ({ name, value: 1 + at, baseline: 4, ok: true })),
});

async function check(page: Page, where: string, part?: string): Promise<void> {
  await assertAccessible(page, where, part);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${where} is ${wide} px too wide`);
}

/** Closes a dialog by keyboard; focus stayed inside and returns to the button that opened it. */
async function leave(page: Page, what: string, opener: string | null = "button"): Promise<void> {
  await assertTrapped(page, what);
  await page.keyboard.press("Escape");
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  if (opener === null) return;
  await page.waitForFunction((selector) => document.activeElement?.matches(selector), opener).catch(
    () => {
      throw new Error(`${what}: the focus does not come back`);
    },
  );
}

for (const language of LANGUAGES) {
  Deno.test({
    name: `pages and dialogs are accessible at 1024 × 910, ${language}${
      language === "ko" ? ", dark" : ""
    }${why}`,
    ignore: missingForBrowser !== "",
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async () => {
      const viewer = await serveViewer(), browser = await launchBrowser();
      await using site = await startSite();
      const contextFor = async (url: string) => {
        const context = await browser.newContext({ viewport: SMALLEST, baseURL: url });
        context.setDefaultTimeout(60_000);
        // dark pages in one language, light ones in the other, so that both are checked
        await context.addCookies([
          { name: "language", value: language, url },
          { name: THEME_COOKIE, value: language === "ko" ? "dark" : "light", url },
        ]);
        return context;
      };
      try {
        const page = await (await contextFor(site.url)).newPage();
        await page.goto("/login");
        await signInStarts(page);
        assert.equal(await page.locator("html").getAttribute("lang"), language);
        await check(page, "sign-in");
        await page.getByRole("button", { name: loginText.forgotPassword[language] }).click();
        await page.locator("dialog").waitFor();
        await check(page, "forgot password");
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: helpOpenText.open[language], exact: true }).click();
        await page.locator("dialog").getByText(helpText.login1[language]).waitFor();
        await check(page, "help before the sign-in");
        await leave(page, "help before the sign-in");
        await page.locator("#email").fill(EMAIL);
        await page.locator("#password").fill(PASSWORD);
        await page.keyboard.press("Enter");
        await page.waitForURL(`${site.url}/`);
        await answersClicks(page);
        await check(page, "empty worklist");
        await page.getByRole("button", { name: worklistText.upload[language], exact: true }).first()
          .click();
        await page.locator("dialog").waitFor();
        await check(page, "upload");
        await leave(page, "upload");
        // states_test.ts checks the menu, its dialogs and its pages
        for (
          const path of [
            "/viewer",
            "/viewer/0",
            "/viewer/999",
            "/report",
            "/report/0",
            "/report/999",
            "/403",
            "/x",
          ]
        ) {
          await page.goto(path);
          if (path.endsWith("/999")) {
            await page.getByText(viewerPageText.noPatient[language]).first().waitFor();
          }
          await check(page, path);
        }

        const pane = await (await contextFor(viewer.origin)).newPage();
        await enter(pane, viewer.origin);
        await pane.goto(`${viewer.origin}/viewer/1`);
        await pane.getByTestId("axial-view").locator("canvas").first().waitFor({
          state: "attached",
        });
        // after the tools are there, the pane receives all keys
        await pane.getByRole("toolbar", { name: viewerText.toolbar[language] }).waitFor();
        await pane.locator("[data-island=SliceViewer][data-hydrated]").waitFor({
          state: "attached",
        });
        await pane.keyboard.press("o");
        await check(pane, "viewer");
        // the tools fit into one row in both languages
        const tops = await Promise.all(
          (["crosshair", "sidePanel"] as const).map(async (name) =>
            (await pane.getByRole("button", { name: viewerText[name][language] }).first()
              .boundingBox())?.y
          ),
        );
        assert.equal(tops[0], tops[1], `tools in two rows: ${tops}`);
        for (const tab of ["corticalThickness", "wmh", "parcellation"] as const) {
          await pane.getByRole("tab", { name: viewerText[tab][language] }).click();
          await pane.getByTestId("loaded-bytes").waitFor({ state: "detached" });
          await pane.keyboard.press("o");
          await check(pane, `viewer, ${tab}`);
          if (tab !== "wmh") continue;
          await pane.getByRole("button", { name: viewerText.wmhOnly[language] }).click();
          await check(pane, "viewer, WMH only");
          await pane.keyboard.press("Escape");
        }
        await pane.keyboard.press("o");
        for (const [key, what] of [["g", "mosaic"], ["f", "a view that fills it"]] as const) {
          await pane.keyboard.press(key);
          await check(pane, `viewer, ${what}`, "[data-panes]");
          await pane.keyboard.press("Escape");
        }
        await pane.getByRole("button", { name: viewerToolsText.picture[language] }).click();
        await check(pane, "viewer, picture menu", "#viewer-picture");
        await pane.keyboard.press("Escape");
        // one large view without side panel, a measurement, and playing slices
        await pane.getByRole("button", { name: viewerText.stacked[language] }).click();
        for (const key of ["]", "m", "c"]) await pane.keyboard.press(key);
        await pane.getByLabel(viewerToolsText.cineSpeed[language]).waitFor();
        await check(pane, "viewer, division 3", "[data-panes]");
        await check(pane, "viewer, tools in use", `[aria-label="${viewerText.toolbar[language]}"]`);
        for (const key of ["c", "m", "["]) await pane.keyboard.press(key);
        await pane.getByLabel(viewerToolsText.cineSpeed[language]).waitFor({ state: "detached" });
        await pane.getByRole("button", { name: viewerText.quarters[language] }).click();
        const name = language === "ko"
          ? /^제?[가-힣0-9 ]+, (좌측|우측|정중), /
          : /^[A-Z][a-z ]+, (Left|Right|Midline), /;
        await pane.waitForFunction(() =>
          document.querySelector("[data-testid=live-region]")?.textContent
        );
        // a region can be selected only after its labels have loaded
        await pane.getByTestId("loaded-bytes").waitFor({ state: "detached" });
        // level 3: one side of a region; a lobe (level 2) would collapse when clicked
        await pane.getByRole("treeitem", { level: 3 }).first().click();
        const sentence =
          /\d\.\d\d\smL, .*(percentile|백분위|norm|규준).*, [LR] [\d.]+ +[AP] [\d.]+ +[SI] [\d.]+\smm$/;
        let spoken = "";
        await until(async () => {
          spoken = await pane.getByTestId("live-region").innerText();
          return name.test(spoken) && sentence.test(spoken);
        }).catch((error) => assert.fail(`${error.message}; spoken was: ${spoken}`));
        await pane.keyboard.press("?");
        await pane.getByRole("dialog").waitFor();
        await check(pane, "viewer help");
        await leave(pane, "viewer help", null);
        for (
          const [pid, what] of [[4, "without norms"], [5, "with a FLAIR series alone"]] as const
        ) {
          await pane.goto(`${viewer.origin}/viewer/${pid}`);
          await pane.getByTestId("axial-view").locator("canvas").first().waitFor({
            state: "attached",
          });
          await check(pane, `viewer ${what}`);
        }
        const modal = pane.getByRole("alertdialog");
        // repeated until the page's socket is open
        await until(async () => {
          viewer.publish({ event: "study_update", pid: 5, uid: 2 });
          return await modal.isVisible();
        });
        await check(pane, "viewer whose patient was changed", "[role=alertdialog]");
        const looked = Promise.withResolvers<void>();
        await pane.route(/[?&]file=/, async (route) => {
          await looked.promise;
          await route.continue().catch(() => {});
        });
        await pane.goto(`${viewer.origin}/viewer/1`);
        await pane.getByRole("progressbar", { name: viewerText.loading[language] }).waitFor();
        await check(pane, "viewer that loads", "[role=tabpanel] > :not(aside)");
        looked.resolve();
        await pane.unroute(/[?&]file=/);
        await pane.goto(`${viewer.origin}/viewer/3`);
        await pane.getByRole("alert").first().waitFor();
        await check(pane, "viewer that failed to load");
        await pane.goto(`${viewer.origin}/`);
        await check(pane, "error page");
        await pane.goto(`${viewer.origin}/bench`);
        await pane.getByRole("main").getByRole("button").first().waitFor();
        await check(pane, "kernel benchmark");
        await pane.locator("input[type=file][accept*=json]").setInputFiles([
          { name: "ward.json", mimeType: "application/json", buffer: Buffer.from(WARD) },
          { name: "other.json", mimeType: "application/json", buffer: Buffer.from("{}") },
        ]);
        await pane.getByText("ward (Chrome 139, 4)").first().waitFor();
        await pane.getByRole("alert").filter({ hasText: "other.json" }).waitFor();
        await check(pane, "kernel benchmark beside another machine");
      } finally {
        await browser.close();
        await viewer.close();
      }
    },
  });
}
