// A table of norms in the settings: a fault is named by row and column, the table is compared with
// the published norms by a plot, accepted by another administrator and taken back.
// covers: S-217
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
import { addRoutine } from "@/tests/sites/routine_site.ts";
import { Buffer } from "node:buffer";
import { filledExample } from "@/tests/sites/norms/example_norms.ts";
import { modalText } from "@/model/text/modals.ts";
import { textIn } from "@/model/text.ts";
import { normsText } from "@/model/text/settings/local_norms.ts";
import { normTableText, tableProblemIn } from "@/model/text/settings/norm_tables.ts";

const atIcv = (icv: number) => textIn(normTableText.atIcv, "en", { icv: String(icv) });
const LARGER = filledExample().replace("# title: Example", "# title: Larger").replace(
  /,(\d\.\d{3}),(0\.\d{3})$/gm,
  (_, mean, sd) => `,${(Number(mean) + 0.5).toFixed(3)},${sd}`,
);
const fileOf = (text: string) => ({
  name: "norms.csv",
  mimeType: "text/csv",
  buffer: Buffer.from(text),
});

browserTest("a table of norms is checked, plotted and taken back in the settings", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-tables-" });
  await addRoutine(dataDir, 3, 0);
  const db = await openBeside(dataDir);
  const account = { email: EMAIL, password: PASSWORD, name: null };
  await addQuickUser(db, { ...account, role: "administrator" });
  await db.destroy();
  await using site = await startSite({ dataDir });
  const browser = await launchBrowser();
  try {
    const { page, errors } = await openPage(browser, site.url);
    page.setDefaultTimeout(60_000);
    await signIn(page);
    await page.locator("header button[aria-haspopup=menu]").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Settings" }).click();
    const dialog = page.getByRole("dialog", { name: "Settings" });
    await dialog.getByRole("tab", { name: "Group: Norms" }).click();
    const input = dialog.getByLabel(normTableText.import.en);
    await input.setInputFiles(fileOf(LARGER.replace("left,male,20", "left,male,2O")));
    const fault = { reason: "number", row: 7, column: "age" };
    await dialog.getByText(tableProblemIn(fault, "en")!).waitFor();
    await dialog.getByText(normsText.noNorms.en).waitFor();

    await input.setInputFiles(fileOf(LARGER));
    await dialog.getByText(normTableText.proposed.en).waitFor();
    const plot = dialog.getByRole("img", { name: /imported and published norms by age/ });
    await plot.waitFor();
    assert.equal(await plot.locator("polyline").count(), 6);
    await dialog.getByText(atIcv(1409)).filter({ hasText: /\+1\d\.\d\s% at / }).waitFor();
    await dialog.getByLabel(normTableText.sex.en).selectOption("male");
    await dialog.getByText(atIcv(1596)).waitFor();
    await assertAccessible(page, "imported norms");
    const picture = Deno.env.get("PICTURE_FILE");
    if (picture) {
      await plot.scrollIntoViewIfNeeded();
      await page.screenshot({ path: picture });
      await page.setViewportSize({ width: 1024, height: 768 });
      await plot.scrollIntoViewIfNeeded();
      await page.screenshot({ path: picture.replace(".png", "_1024.png") });
    }
    await dialog.getByText(textIn(normsText.madeFromTable, "en", { title: "Larger" })).waitFor();
    await dialog.getByText(normsText.ownProposal.en).waitFor();
    await dialog.getByRole("button", { name: normsText.undo.en }).click();
    await page.getByRole("alertdialog")
      .getByRole("button", { name: modalText["norm.revoke"].confirm!.en, exact: true }).click();
    await dialog.getByText(/^Revoked /).waitFor();
    await plot.waitFor({ state: "detached" });
    // expected: the browser logs the refused file
    assert.equal(errors.length, 1);
    assert.match(errors[0]!, /status of 422/);
  } finally {
    await browser.close();
  }
  await Deno.remove(dataDir, { recursive: true }).catch(() => {});
});
