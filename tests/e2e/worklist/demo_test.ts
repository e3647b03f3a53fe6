// Demo patients in a browser: loaded on an empty site, loaded completely, labelled, and removed.
import assert from "node:assert/strict";
import { AppError } from "@/model/errors.ts";
import { DEMO_LABEL } from "@/model/schema/site/demo.ts";
import { textIn } from "@/model/text.ts";
import { toastText } from "@/model/text/toasts.ts";
import { firstRunText } from "@/model/text/worklist/first_run.ts";
import { createSite } from "@/server/edge/site.ts";
import { EMAIL, openBeside, PASSWORD, withCore } from "@/tests/sites/core_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { hasChromium, launchBrowser, openPage, signIn } from "@/tests/e2e/site.ts";

/** Generator of demo patients; the disk is full for the second one until `isFull` is cleared. */
const demo = {
  count: 2,
  isFull: true,
  make: (place: number) =>
    place === 1 && demo.isFull
      ? Promise.reject(new AppError("storage.full", "Cannot make a patient"))
      : Promise.resolve({ files: phantomSeries("short", `SP-${place}`) }),
};

Deno.test({
  name:
    "demo patients come by one press on an empty site, the rest and their removal are in the menu" +
    (hasChromium ? "" : " (skipped: no /usr/bin/chromium)"),
  ignore: !hasChromium,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    withCore(async ({ core, dataDir }) => {
      const db = await openBeside(dataDir),
        site = await createSite({ core, settings: { dataDir: null } });
      const server = Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen() {} },
        (request, info) => site.fetch(request, info),
      );
      const browser = await launchBrowser();
      try {
        const { page, errors } = await openPage(browser, `http://127.0.0.1:${server.addr.port}`);
        await signIn(page, EMAIL, PASSWORD);
        const row = (id: string) => page.locator("tr[data-pid]", { hasText: id });
        const inMenu = async (name: string) => {
          await page.locator("header button[aria-haspopup=menu]").click();
          await page.getByRole("menuitem", { name }).click();
        };
        await page.getByRole("button", { name: "Load demo patients" }).click();
        await row("SP-0").locator(".col-labels").getByText(DEMO_LABEL).waitFor();
        // a toast, because the panel that would show the error is gone
        await page.locator(".toast").getByText(
          textIn(toastText["demo.failed"].text, "en", { n: 1, total: 2, reason: "" }),
        ).waitFor();

        demo.isFull = false;
        await inMenu(firstRunText.loadRest.en);
        // new rows appear only on request, so that no row moves
        await page.getByText("1 new study").waitFor();
        await page.getByRole("button", { name: "Show" }).click();
        await row("SP-1").locator(".col-labels").getByText(DEMO_LABEL).waitFor();
        assert.equal(await page.locator("tr[data-pid]").count(), 2);

        // ends the analyses, because studies under analysis are not deleted
        await db.updateTable("analyses").set({ status: "failed" }).execute();
        await inMenu("Delete demo patients");
        await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
        await page.getByRole("button", { name: "Load demo patients" }).waitFor();
        assert.equal(await page.locator("tr[data-pid]").count(), 0);
        assert.deepEqual(errors, []);
      } finally {
        await browser.close();
        site.close();
        await server.shutdown();
        await db.destroy();
      }
      // ignores the disk usage of this machine
    }, { demo, diskLimits: { warn: 100, error: 100 } }),
});
