// Norms from routine studies in the settings: computed, shown with a plot, proposed; and control
// charts of a scanner that has changed. covers: S-141
import assert from "node:assert/strict";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import {
  browserTest,
  EMAIL,
  launchBrowser,
  openPage,
  PASSWORD,
  signIn,
  startSite,
} from "@/tests/e2e/site.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { addRoutine, measureAgain } from "@/tests/sites/routine_site.ts";
import { driftText } from "@/model/text/settings/drift.ts";
import { routineText } from "@/model/text/settings/routine_norms.ts";
import { normsText } from "@/model/text/settings/local_norms.ts";

browserTest(
  "norms of routine studies are computed, plotted and proposed in the settings",
  async () => {
    const dataDir = await Deno.makeTempDir({ prefix: "sulcus-routine-" });
    await addRoutine(dataDir, 130, 0.5);
    const db = await openBeside(dataDir);
    await addQuickUser(db, {
      email: EMAIL,
      password: PASSWORD,
      name: null,
      role: "administrator",
    });
    await db.destroy();
    await using site = await startSite({ dataDir });
    const browser = await launchBrowser();
    try {
      const { page, errors } = await openPage(browser, site.url);
      page.setDefaultTimeout(30_000);
      await signIn(page);
      await page.locator("header button[aria-haspopup=menu]").focus();
      await page.keyboard.press("Enter");
      await page.getByRole("menuitem", { name: "Settings" }).click();
      const dialog = page.getByRole("dialog", { name: "Settings" });
      await dialog.getByRole("tab", { name: "Group: Norms" }).click();
      await dialog.getByRole("button", { name: routineText.compute.en }).click();
      await dialog.getByText("130 patients, Sulcus engine 0.1.0").waitFor();
      const plot = dialog.getByRole("img", { name: /z scores of 130 routine studies/ });
      await plot.waitFor();
      assert.equal(await plot.locator("polyline").count(), 2);
      await assertAccessible(page, "norms of routine studies");
      const picture = Deno.env.get("PICTURE_FILE");
      if (picture) {
        await plot.scrollIntoViewIfNeeded();
        await page.screenshot({ path: picture });
      }
      await dialog.getByRole("button", { name: routineText.propose.en }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Propose", exact: true })
        .click();
      await dialog.getByText("130 routine studies from 1 site, Sulcus engine 0.1.0").waitFor();
      await dialog.getByText(normsText.ownProposal.en).waitFor();

      await dialog.getByRole("button", { name: driftText.compute.en }).click();
      await dialog.getByText(driftText.steady.en).waitFor();
      await measureAgain(dataDir, 130, (pid) => pid > 105 ? -1.8 : 0.5, 1);
      // removes the stored verdicts, because each result is normally judged only once
      const db = await openBeside(dataDir);
      await db.deleteFrom("drift_groups").execute();
      await db.destroy();
      await dialog.getByRole("button", { name: driftText.compute.en }).click();
      const [changed] = driftText.moved.en.split("{list}");
      const moved = new RegExp(`^${changed}.*[Hh]ippocampus.* ${driftText.lower.en} since `);
      await dialog.getByText(moved).waitFor();
      const chart = dialog.getByRole("img", { name: /control chart of 130 studies/ });
      await chart.waitFor();
      assert.equal(await chart.locator("polyline").count(), 2);
      await assertAccessible(page, "control charts");
      const second = Deno.env.get("SECOND_PICTURE_FILE");
      if (second) {
        await chart.scrollIntoViewIfNeeded();
        await page.screenshot({ path: second });
      }
      // two people must agree to a restart of the control charts
      const propose = dialog.getByRole("button", { name: driftText.proposeRestart.en });
      assert.ok(await propose.isDisabled());
      await dialog.getByRole("textbox", { name: driftText.restartReason.en }).fill("Coil replaced");
      await propose.click();
      await dialog.getByText(driftText.restartOwn.en).waitFor();
      await dialog.getByText(/: Coil replaced$/).waitFor();
      await assertAccessible(page, "restart of control charts");
      await dialog.getByRole("button", { name: driftText.withdrawRestart.en }).click();
      await propose.waitFor();
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
    }
    await Deno.remove(dataDir, { recursive: true }).catch(() => {});
  },
);
