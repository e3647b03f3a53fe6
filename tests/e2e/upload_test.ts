// Uploading several patients at once, in a real browser on a real site.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import { phantomSeries } from "@/tests/api/phantom_series.ts";
import { hasChromium, launchBrowser, openPage, signIn, startSite } from "@/tests/e2e/site.ts";

Deno.test({
  name:
    "Multi Case shows what a folder holds, sends the chosen studies, and goes on after a lost connection" +
    (hasChromium ? "" : " (skipped: no /usr/bin/chromium)"),
  ignore: !hasChromium,
  fn: async () => {
    const folder = mkdtempSync(join(tmpdir(), "sulcus-upload-"));
    for (const id of ["MULTI-1", "MULTI-2", "MULTI-3"]) {
      mkdirSync(join(folder, id));
      for (const file of phantomSeries("short", id)) {
        writeFileSync(join(folder, id, file.fileName), file.bytes);
      }
    }
    writeFileSync(join(folder, "notes.txt"), "not an image");
    writeFileSync(join(folder, "broken.dcm"), "not DICOM either");
    await using site = await startSite();
    const browser = await launchBrowser();
    try {
      const { page, errors } = await openPage(browser, site.url);
      await signIn(page);
      await page.getByRole("button", { name: "Upload", exact: true }).first().click();
      const dialog = page.locator("dialog");
      const send = dialog.getByRole("button", { name: "Upload", exact: true });
      await dialog.locator("input[data-pick=folder]").setInputFiles(folder);
      await dialog.getByText("3 of 3 studies selected").waitFor();
      await dialog.getByText("1 files are left out").waitFor();
      await dialog.getByText("This is not a DICOM file.").waitFor();

      // one patient only, unless the other tab is chosen
      await dialog.getByText("The files are of 3 patients.").waitFor();
      await send.click();
      assert.equal(await dialog.locator("[data-stage]").count(), 0);
      await dialog.getByRole("tab", { name: "Single Case" }).focus();
      await page.keyboard.press("ArrowRight");
      const chosen = dialog.getByRole("tab", { name: "Multi Case" });
      assert.equal(await chosen.getAttribute("aria-selected"), "true");

      const cells = dialog.getByRole("row", { name: /MULTI-2/ }).getByRole("cell");
      const slices = String(phantomSeries("short", "MULTI-2").length);
      assert.equal(await cells.nth(3).innerText(), "MULTI-2");
      assert.equal(await cells.nth(4).innerText(), slices);
      await assertAccessible(page, "upload table");
      await dialog.getByRole("checkbox", { name: /^Upload MULTI-3/ }).focus();
      await page.keyboard.press("Space");
      await dialog.getByText("2 of 3 studies selected").waitFor();

      // the network is gone at the first request, and comes back
      let lost = 0;
      await page.route("**/api/v1/patients?upload_id=*", (route) => {
        if (lost++ > 0) return route.continue();
        return route.abort("connectionreset");
      });
      await send.click();
      await dialog.getByText("The connection is lost.").waitFor();
      await assertAccessible(page, "upload without connection");
      await page.keyboard.press("Escape");
      await page.getByText("Cancel the upload?").waitFor();
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByText("Upload completed. 2 / 2 uploaded").first().waitFor();
      assert.equal(await dialog.locator("[data-stage=stored]").count(), 2);
      await assertAccessible(page, "upload result");
      await dialog.getByRole("button", { name: "Done" }).click();
      await page.locator("tr[data-pid]", { hasText: "MULTI-2" }).waitFor();
      assert.equal(await page.locator("tr[data-pid]").count(), 2);
      assert.deepEqual(errors.filter((error) => !error.includes("ERR_CONNECTION_RESET")), []);
    } finally {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});
