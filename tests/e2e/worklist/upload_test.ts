// covers: D1-2.13, D1-2.14, D1-3.8, D1-8.23, S-11, S-15, S-19
// Uploading several patients at once in a browser.
import { gzipSync } from "node:zlib";
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { downloadZip } from "client-zip";
import type { Locator, Page } from "@playwright/test";
import {
  type Acquisition,
  TIMING,
  writeAcquisition,
} from "@/server/commands/demo/phantom/acquisitions.ts";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { hasChromium, launchBrowser, openPage, signIn, startSite } from "@/tests/e2e/site.ts";
import { uploadDialogText } from "@/model/text/worklist/upload_dialog.ts";
import { textIn } from "@/model/text.ts";

/**
 * Drags a file or folder over the page's corner and drops it at once in the middle of an element,
 * without a "dragover" between the element's "dragenter" and the drop, as with a quick hand or a
 * moving page.
 */
async function dropFile(page: Page, target: Locator, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    const box = (await target.boundingBox())!;
    const place = type === "drop"
      ? { x: box.x + box.width / 2, y: box.y + box.height / 2 }
      : { x: 4, y: 4 };
    await session.send("Input.dispatchDragEvent", {
      type,
      ...place,
      data: { items: [], files: [path], dragOperationsMask: 1 },
    });
  }
  await session.detach();
}

Deno.test({
  name:
    "Multi Case shows what a dropped folder, CD or ZIP archive holds, sends the chosen studies, asks before the page is left, and " +
    "goes on after a lost connection" +
    (hasChromium ? "" : " (skipped: no /usr/bin/chromium)"),
  ignore: !hasChromium,
  fn: async () => {
    const folder = mkdtempSync(join(tmpdir(), "sulcus-upload-"));
    const second = mkdtempSync(join(tmpdir(), "sulcus-upload-"));
    // a folder; a CD with files without extensions and an index file; and an archive
    for (const id of ["MULTI-1", "MULTI-2"]) {
      mkdirSync(join(folder, id));
      for (const [n, { fileName, bytes }] of phantomSeries("short", id).entries()) {
        writeFileSync(join(folder, id, id === "MULTI-1" ? fileName : `IM${n}`), bytes);
      }
    }
    const list = join(folder, "DICOMDIR"), archive = join(second, "MULTI-3.zip");
    writeFileSync(list, "what is on the CD");
    // every second image is also compressed separately
    const packed = phantomSeries("short", "MULTI-3").map(({ fileName, bytes }, n) => (
      n % 2
        ? { name: `CD/MULTI-3/${fileName}.gz`, input: new Uint8Array(gzipSync(bytes)) }
        : { name: `CD/MULTI-3/${fileName}`, input: bytes }
    ));
    writeFileSync(archive, await downloadZip(packed).bytes());
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
      // selecting only the CD's index file is not enough
      const place = dialog.locator("[data-autofocus]");
      await dropFile(page, place, list);
      await dialog.getByText(uploadDialogText.dicomdirAlone.en)
        .waitFor();
      // the second one is dropped while the first is being read
      for (const each of [folder, archive]) await dropFile(page, place, each);
      await dialog.getByText("3 of 3 studies selected").waitFor();
      await dialog.getByText(textIn(uploadDialogText.leftOut, "en", { count: 1 })).waitFor();
      await dialog.getByText("This is not a DICOM file.").waitFor();

      // one patient at a time, unless the tab for several patients is chosen
      await dialog.getByText(textIn(uploadDialogText.severalPatients, "en", { count: 3 }))
        .waitFor();
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
      const unpacked = dialog.getByRole("row", { name: /MULTI-3/ }).getByRole("cell");
      assert.equal(await unpacked.nth(4).innerText(), slices);
      await dialog.getByRole("checkbox", { name: /^Upload MULTI-1/ }).focus();
      await page.keyboard.press("Space");
      await dialog.getByText("2 of 3 studies selected").waitFor();

      // the first request hangs: leaving the page asks first; then the network is lost and comes
      // back
      let requests = 0;
      const left = Promise.withResolvers<void>(), asked: string[] = [];
      const isBack = Promise.withResolvers<void>();
      await page.route(/\/api\/v1\/(patients\?upload_id=|uploads\/[0-9a-f]{32})/, async (route) => {
        // the page first asks which files the server has
        if (requests === 0 && route.request().method() === "GET") return await route.continue();
        if (requests++ > 0) {
          await isBack.promise;
          return await route.continue();
        }
        await left.promise;
        await route.abort("connectionreset");
      });
      page.on("dialog", (question) => {
        asked.push(question.type());
        void question.dismiss().then(() => left.resolve());
      });
      await send.click();
      await dialog.getByRole("button", { name: "Pause" }).waitFor();
      await page.close({ runBeforeUnload: true });
      await left.promise;
      assert.deepEqual(asked, ["beforeunload"]);
      await dialog.getByText("Connection lost.").waitFor();
      await assertAccessible(page, "upload without connection");
      // the upload continues in the tray, which opens the dialog again
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("button", { name: /^Activity: 1 in progress/ }).click();
      await assertAccessible(page, "tray");
      await page.getByRole("button", { name: "Show", exact: true }).click();
      await dialog.getByRole("button", { name: "Cancel upload" }).click();
      await page.getByText("Cancel the upload?").waitFor();
      isBack.resolve();
      await page.getByRole("alertdialog").getByRole("button", { name: "Continue" }).click();
      await page.getByText("Upload completed. 2 / 2 uploaded").first().waitFor();
      assert.equal(await dialog.locator("[data-stage=stored]").count(), 2);
      await assertAccessible(page, "upload result");
      await dialog.getByRole("button", { name: "Done" }).click();
      await page.reload();
      assert.deepEqual(asked, ["beforeunload"], "nothing is asked when nothing is sent any more");
      for (const id of ["MULTI-2", "MULTI-3"]) {
        await page.locator("tr[data-pid]", { hasText: id }).waitFor();
      }
      assert.equal(await page.locator("tr[data-pid]").count(), 2);
      assert.deepEqual(errors.filter((error) => !error.includes("ERR_CONNECTION_RESET")), []);
    } finally {
      await browser.close();
      for (const each of [folder, second]) rmSync(each, { recursive: true, force: true });
    }
  },
});

const EXAMINATION: Acquisition[] = [
  { name: "AAHead_Scout", ...TIMING.scout, slices: 3 },
  { name: "t1_mprage_sag", ...TIMING.mprage, slices: 39 },
  { name: "t2_tse_tra", ...TIMING.t2 },
  { name: "t2_tirm_tra_dark-fluid", ...TIMING.flair },
];

Deno.test({
  name:
    "files dropped on the worklist are judged by series, before they are sent and in their study's row afterwards" +
    (hasChromium ? "" : " (skipped: no /usr/bin/chromium)"),
  ignore: !hasChromium,
  fn: async () => {
    const folder = mkdtempSync(join(tmpdir(), "sulcus-series-"));
    const oneSlice: Acquisition = { name: "t1_mprage", ...TIMING.mprage, slices: 1 };
    const files = [
      ...EXAMINATION.flatMap((one, n) => writeAcquisition(one, 1, n + 1)),
      ...writeAcquisition(oneSlice, 2, 9),
    ];
    for (const { fileName, bytes } of files) writeFileSync(join(folder, fileName), bytes);
    await using site = await startSite();
    const browser = await launchBrowser();
    try {
      const { page, errors } = await openPage(browser, site.url);
      await signIn(page);
      // files can be dropped as soon as the page is hydrated
      await page.locator("[data-island=Worklist][data-hydrated]").waitFor({ state: "attached" });
      await dropFile(page, page.locator("main"), folder);
      const dialog = page.locator("dialog");
      await dialog.getByText("1 of 2 studies selected").waitFor();
      await dialog.getByText(textIn(uploadDialogText.unusedPreselected, "en", { count: 1 }))
        .waitFor();
      await dialog.getByText("Not used: The series has 39 slices; at least 40 are needed.")
        .waitFor();
      await dialog.getByText("Not used: This is a localizer (scout), which is not analyzed.")
        .waitFor();
      await assertAccessible(page, "series before the upload");
      await dialog.getByRole("button", { name: "Upload", exact: true }).click();
      const row = dialog.locator("[data-stage=stored]");
      await row.getByText(uploadDialogText.stage_partly.en).waitFor();
      await row.getByText("Stored as T2w-FLAIR: t2_tirm_tra_dark-fluid, 50 slices").waitFor();
      await row.getByText("T1w not used: t1_mprage_sag, 39 slices").waitFor();
      await row.getByText("1 other series is not analyzed").waitFor();
      assert.equal(
        await row.getByRole("button", { name: /^Upload as/ }).count(),
        0,
        "a T2w is no T1w",
      );
      await assertAccessible(page, "series after the upload");
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});
