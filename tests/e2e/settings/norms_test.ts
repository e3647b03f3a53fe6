// Controls and local norms in the settings, as in the manual, by two administrators.
import assert from "node:assert/strict";
import { readManual } from "@/model/site/manual.ts";
import { normsText } from "@/model/text/settings/local_norms.ts";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import { NORM_TASKS, walkManual } from "@/tests/e2e/manual/tasks.ts";
import {
  browserTest,
  EMAIL,
  launchBrowser,
  openPage,
  PASSWORD,
  ROOT,
  signIn,
  startSite,
} from "@/tests/e2e/site.ts";
import { addControls, SECOND } from "@/tests/sites/control_site.ts";

browserTest(
  "controls are marked, compared, proposed, accepted and taken back in the settings",
  async () => {
    const dataDir = await Deno.makeTempDir({ prefix: "sulcus-norms-" });
    await addControls(dataDir, { email: EMAIL, password: PASSWORD });
    await using site = await startSite({ dataDir });
    const browser = await launchBrowser();
    try {
      const { page, errors } = await openPage(browser, site.url);
      page.setDefaultTimeout(60_000);
      await signIn(page);
      const manual = readManual(await Deno.readTextFile(`${ROOT}docs/manual/en.md`));
      const dialog = page.getByRole("dialog", { name: "Settings" });
      await walkManual(page, manual, {
        pids: [],
        colleague: SECOND,
        look: async (page) => {
          await dialog.getByText("21 controls, Sulcus engine 0.1.0").waitFor();
          await assertAccessible(page, "norms");
        },
      }, (id) => NORM_TASKS.includes(id));

      // Escape closes only the confirmation
      await dialog.getByText(/^Revoked /).waitFor();
      const propose = dialog.getByRole("button", { name: "Propose norms" });
      const changes = dialog.getByRole("button", { name: normsText.changes.en });
      await propose.click();
      await page.getByRole("alertdialog").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("alertdialog").waitFor({ state: "detached" });
      assert.equal(await changes.count(), 0);
      await propose.click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Propose", exact: true })
        .click();
      await dialog.getByText(normsText.ownProposal.en).waitFor();
      await changes.click();
      await dialog.getByText(/measures change/).first().waitFor();
      await assertAccessible(page, "norms");
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
    }
    await Deno.remove(dataDir, { recursive: true }).catch(() => {});
  },
);
