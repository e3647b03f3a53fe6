// covers: D1-2.11, D2-2.16
// The path of a first patient in a browser: sign in, upload, wait, view, print, sign out.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import { regionOf } from "@/model/regions/regions.ts";
import type { Grid } from "@/server/commands/demo/phantom/grid.ts";
import { makeHead } from "@/server/commands/demo/phantom/head.ts";
import { makeSeries, T1_GRID } from "@/server/commands/demo/phantom/dicom/series.ts";
import { labelAt } from "@/server/commands/demo/phantom/truth.ts";
import {
  answersClicks,
  EMAIL,
  goBackToSignIn,
  hasChromium,
  launchBrowser,
  OPEN_REPORT,
  openPage,
  pageStarts,
  signIn,
  startSite,
  waitForSignIn,
} from "@/tests/e2e/site.ts";

import { until } from "@/tests/sites/until.ts";

const ANALYSIS_LIMIT_MS = 240_000;

/**
 * Texts that extend beyond the viewer's bar at the top or bottom that contains them, with the
 * longest possible status line.
 */
const textsBeyondBars = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    document.querySelector("[data-testid=crosshair-readout]")!.textContent = "percentile ".repeat(
      40,
    );
    return [...document.querySelectorAll("header, footer")].flatMap((bar) => {
      const limits = bar.getBoundingClientRect();
      return [...bar.querySelectorAll("p, span, a")].filter((element) => {
        const { top, bottom, height } = element.getBoundingClientRect();
        return height > 2 && !element.closest("[popover]") &&
          (top < limits.top - 1 || bottom > limits.bottom + 1);
      }).map(({ textContent }) => textContent ?? "");
    });
  });

/** Crosshair position, RAS mm, and the status line's text for it. */
async function readCrosshair(
  page: Page,
): Promise<{ rasMm: [number, number, number]; text: string }> {
  const text = await page.getByTestId("crosshair-readout").innerText();
  const m = text.match(/([LR]) ([\d.]+)\s+([AP]) ([\d.]+)\s+([SI]) ([\d.]+)\smm/);
  assert.ok(m, `no position in "${text}"`);
  const sign = (letter: string) => "RAS".includes(letter) ? 1 : -1;
  return {
    rasMm: [sign(m[1]!) * Number(m[2]), sign(m[3]!) * Number(m[4]), sign(m[5]!) * Number(m[6])],
    text,
  };
}

Deno.test({
  name: "a first patient: sign in, upload, live worklist, viewer, report, sign out",
  ignore: !hasChromium,
  async fn(t) {
    let isRoadOpen = true;
    /** Runs a step; steps after a failed one are skipped, because they depend on it. */
    const step = async (name: string, body: () => Promise<void>) => {
      if (isRoadOpen) isRoadOpen = await t.step(name, body);
    };
    const folder = mkdtempSync(join(tmpdir(), "sulcus-series-"));
    const head = makeHead({ seed: 11, resolutionMm: 2 });
    // coarse, so that it is generated and sent quickly; the engine resamples it to 1 mm
    const grid: Grid = { ...T1_GRID, shape: [102, 102, 88], spacingMm: [2.5, 2.5, 2] };
    for (const file of makeSeries(head, { grid, sliceThicknessMm: 2 }).files) {
      writeFileSync(join(folder, file.fileName), file.bytes);
    }
    writeFileSync(join(folder, "notes.dcm"), "this is no image");
    await using site = await startSite();
    const browser = await launchBrowser();
    const { page, errors } = await openPage(browser, site.url);
    try {
      await step("a wrong password is refused with the hospital's wording", async () => {
        await page.goto("/");
        assert.equal(new URL(page.url()).pathname, "/login");
        await pageStarts(page);
        await page.locator('input[name="email"]').fill(EMAIL);
        await page.locator('input[name="password"]').fill("wrong");
        await page.locator('button[type="submit"]').click();
        await page.locator(".toast").getByText("Email or password do not match.").waitFor();
        await assertAccessible(page, "sign-in");
      });

      await step(
        "the upload says which file was refused and why, and stores the rest",
        async () => {
          await signIn(page);
          errors.length = 0; // without the refused sign-in, which the browser logged
          await page.getByRole("button", { name: "Upload", exact: true }).first().click();
          await page.locator('input[data-pick="folder"]').setInputFiles(folder);
          await page.getByRole("dialog").getByRole("button", { name: "Upload", exact: true }).last()
            .click();
          await page.getByText("1 / 1 uploaded").first().waitFor({ timeout: 60_000 });
          await page.getByRole("dialog").locator("summary").first().click();
          await page.getByRole("dialog").getByText("notes.dcm").waitFor();
          await assertAccessible(page, "upload result");
          await page.keyboard.press("Escape");
        },
      );

      // covers: D2-4.2
      await step(
        "the row goes from analysing with percent to completed without reload",
        async () => {
          await page.evaluate("globalThis.notReloaded = true");
          const row = page.locator("tr[data-pid]"),
            report = row.getByRole("button", { name: OPEN_REPORT });
          await row.getByText(/Analyzing \d+\s%/).waitFor({ timeout: ANALYSIS_LIMIT_MS });
          assert.equal(await report.isDisabled(), true);
          await row.getByText("Completed").waitFor({ timeout: ANALYSIS_LIMIT_MS });
          await row.getByText(/^\d{4}-\d{2}-\d{2}$/).last().waitFor();
          assert.equal(await report.isDisabled(), false);
          assert.equal(await page.evaluate("globalThis.notReloaded"), true);
          await assertAccessible(page, "worklist");
        },
      );

      // covers: D1-2.10
      await step(
        "Enter and a double click open the viewer; left is on the right of the picture",
        async () => {
          await page.locator("tr[data-pid]").focus();
          await page.keyboard.press("Enter");
          await page.waitForURL(/\/viewer\/\d+$/);
          await page.goBack();
          await answersClicks(page);
          await page.locator("tr[data-pid]").dblclick();
          await page.waitForURL(/\/viewer\/\d+$/);
          await page.getByRole("button", { name: "Mask", exact: true }).click();
          await page.getByTestId("loaded-bytes").waitFor({ state: "detached" });
          const pane = (await page.getByTestId("axial-view").boundingBox())!;
          let agreed = 0, tried = 0;
          for (const across of [-0.14, -0.1, 0.1, 0.14]) {
            for (const down of [-0.12, 0, 0.12]) {
              const { text: before } = await readCrosshair(page);
              await page.mouse.click(
                pane.x + pane.width * (0.5 + across),
                pane.y + pane.height * (0.5 + down),
              );
              await until(async () => (await readCrosshair(page)).text !== before);
              const { rasMm, text } = await readCrosshair(page);
              assert.equal(Math.sign(rasMm[0]), -Math.sign(across), `picture side of ${text}`);
              const region = regionOf(labelAt(head, rasMm));
              if (!region || region.hemisphere === "") continue;
              tried++;
              if (text.includes(region.hemisphere === "L" ? "Left" : "Right")) agreed++;
            }
          }
          assert.ok(tried >= 8, `only ${tried} points in the brain`);
          assert.ok(
            agreed >= tried - 1,
            `side agrees with the truth at ${agreed} of ${tried} points`,
          );
          await assertAccessible(page, "viewer");
          assert.deepEqual(await textsBeyondBars(page), []);
        },
      );

      await step("the report shows the main page and downloads as PDF", async () => {
        await page.getByRole("link", { name: "Report" }).click();
        await page.waitForURL(/\/report\/\d+/);
        await page.getByText("Intracranial volume (ICV)").first().waitFor();
        await assertAccessible(page, "report");
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: "Download PDF" }).or(
            page.getByRole("link", { name: "Download PDF" }),
          )
            .click(),
        ]);
        const bytes = Deno.readFileSync(await download.path());
        assert.equal(new TextDecoder().decode(bytes.subarray(0, 5)), "%PDF-");
      });

      await step(
        "a Korean page shows the English report, and the Korean one when asked",
        async () => {
          await page.context().addCookies([{ name: "language", value: "ko", url: site.url }]);
          await page.reload();
          assert.equal(await page.locator("html").getAttribute("lang"), "ko");
          await page.getByText("Intracranial volume (ICV)").first().waitFor();
          await page.locator("[data-island=ReportViewer][data-hydrated]").waitFor({
            state: "attached",
          });
          await page.getByRole("button", { name: "한국어" }).last().click();
          await page.getByText("두개강내 용적").first().waitFor();
          await page.context().addCookies([{ name: "language", value: "en", url: site.url }]);
        },
      );

      assert.deepEqual(errors, []);
      await step("after signing out the back button shows the sign-in page", async () => {
        await page.goto("/");
        await pageStarts(page);
        await page.getByRole("button", { name: "Administrator" }).click();
        await page.getByRole("menuitem", { name: "Sign Out" }).click();
        await page.getByRole("alertdialog").getByRole("button", { name: "Sign Out" }).click();
        await waitForSignIn(page);
        await goBackToSignIn(page);
        assert.equal(await page.locator("tr[data-pid]").count(), 0);
      });
    } finally {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});
