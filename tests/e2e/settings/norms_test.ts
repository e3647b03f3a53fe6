// Controls and local norms in the settings, by keyboard where it matters.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { CHROMIUM, hasChromium, launchBrowser, openPage, ROOT, signIn, startSite } from "@/tests/e2e/site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";

const isBuilt = existsSync(`${ROOT}static/build/manifest.json`);
const missing = !hasChromium ? `no ${CHROMIUM}` : !isBuilt ? "static/build is not built" : "";

Deno.test({
  name: `controls are marked, compared and proposed in the settings${missing && ` (skipped: ${missing})`}`,
  ignore: missing !== "",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const dataDir = await Deno.makeTempDir({ prefix: "sulcus-norms-" });
    await addReported(dataDir, 21, 12);
    const db = await openBeside(dataDir);
    for (let pid = 1; pid <= 21; pid++) {
      if (pid !== 7) {
        await db.insertInto("controls").values({ pid, marked_at: "2026-01-06T00:00:00Z", marked_by: null })
          .execute();
      }
    }
    await db.destroy();
    await using site = await startSite({ dataDir });
    const browser = await launchBrowser();
    try {
      const { page, errors } = await openPage(browser, site.url);
      page.setDefaultTimeout(60_000);
      await signIn(page);
      await page.locator("header button[aria-haspopup=menu]").click();
      await page.getByRole("menuitem", { name: "Settings" }).click();
      const dialog = page.getByRole("dialog", { name: "Settings" });
      await dialog.getByRole("tab", { name: "Group: Norms" }).click();
      await dialog.getByText("20 controls, measured by sulcus-engine 0.1.0").waitFor();
      assert.ok(!await dialog.getByRole("button", { name: "Propose norms" }).isDisabled());

      await dialog.getByRole("searchbox").fill("P-7");
      await page.keyboard.press("Enter");
      await dialog.getByRole("button", { name: "Mark study 7 as a control" }).click();
      await dialog.getByText("1 marked.").waitFor();
      await dialog.getByRole("button", { name: "Remove study 7 from the controls" }).waitFor();
      await dialog.getByText("21 controls, measured by sulcus-engine 0.1.0").waitFor();
      await assertAccessible(page, "norms");
      if (Deno.env.get("NORMS_PICTURES")) {
        await page.screenshot({ path: `${Deno.env.get("NORMS_PICTURES")}/norms_1.png` });
      }

      // Escape only closes the question
      await dialog.getByRole("button", { name: "Propose norms" }).click();
      const question = page.getByRole("alertdialog").or(page.getByRole("dialog", { name: "Propose norms" }))
        .last();
      await question.waitFor();
      await page.keyboard.press("Escape");
      await dialog.getByText("None have been proposed.").waitFor();
      await dialog.getByRole("button", { name: "Propose norms" }).click();
      await question.getByRole("button", { name: "Propose", exact: true }).click();
      await dialog.getByText("Another administrator must accept them.").waitFor();
      await dialog.getByRole("button", { name: "What would change" }).click();
      await dialog.getByText("Stored results that would change").waitFor();
      await dialog.getByText(/measures change/).first().waitFor();
      await assertAccessible(page, "norms");
      if (Deno.env.get("NORMS_PICTURES")) {
        await page.screenshot({ path: `${Deno.env.get("NORMS_PICTURES")}/norms_2.png` });
      }
      await dialog.getByRole("button", { name: "Undo", exact: true }).click();
      await page.getByText("All results that use them return to their previous values.").waitFor();
      await page.getByRole("button", { name: "Undo", exact: true }).last().click();
      await dialog.getByText(/^Revoked /).waitFor();
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
    }
    await Deno.remove(dataDir, { recursive: true }).catch(() => {});
  },
});
