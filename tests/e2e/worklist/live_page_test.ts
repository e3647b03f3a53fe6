// A page that stays open while the site restarts, is upgraded, or changes its language.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import {
  answersClicks,
  launchBrowser,
  missingForBrowser,
  openPage,
  ROOT,
  signIn,
  startSite,
} from "@/tests/e2e/site.ts";
import { lastingPort } from "@/tests/sites/lasting_port.ts";
import { until } from "@/tests/sites/until.ts";
import { sessionText } from "@/model/text/account/session.ts";
import { textIn } from "@/model/text.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";

const why = missingForBrowser && ` (skipped: ${missingForBrowser})`;

// covers: D1-4.9, S-22
Deno.test({
  name: "an open worklist finds the restarted server by itself and shows how the analysis goes on" +
    why,
  ignore: missingForBrowser !== "",
  fn: async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "sulcus-live-")),
      folder = mkdtempSync(join(tmpdir(), "series-"));
    for (const file of phantomSeries("whole", "LIVE-1")) {
      writeFileSync(join(folder, file.fileName), file.bytes);
    }
    const browser = await launchBrowser();
    // networks make the analysis long enough to continue after the restart
    let site = await startSite({ dataDir, port: lastingPort(), networks: true });
    try {
      const { page } = await openPage(browser, site.url);
      await signIn(page);
      await page.getByRole("button", { name: "Upload", exact: true }).first().click();
      await page.locator("input[data-pick=folder]").setInputFiles(folder);
      await page.getByText(/^\d+ files?, /).waitFor();
      await page.locator("dialog").getByRole("button", { name: "Upload", exact: true }).click();
      await page.getByRole("button", { name: "Done" }).click();
      await page.locator("tr[data-pid]").getByText(/Waiting|Analyzing/).waitFor();
      await page.evaluate("globalThis.notReloaded = true");
      const row = page.locator("tr[data-pid]"), before = await row.innerText();

      await site.stop("SIGKILL");
      const lost = page.getByText(sessionText.connectionLost.en);
      await lost.waitFor();
      await page.getByText(textIn(worklistText.stale, "en", { time: "" })).waitFor();
      assert.equal(await page.locator("tr[data-pid]").count(), 1);
      site = await startSite({ dataDir, port: Number(new URL(site.url).port) });
      await lost.waitFor({ state: "detached", timeout: 60_000 });
      await row.getByText(/Analyzing \d+\s%/).waitFor({ timeout: 120_000 });
      await until(async () => await row.innerText() !== before);
      assert.equal(await page.evaluate("globalThis.notReloaded"), true);

      // simulates a page restored from memory, as Chromium does not keep pages with `no-store`
      await page.evaluate(
        "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))",
      );
      await page.waitForFunction("globalThis.notReloaded === undefined");
      await page.goto("/?sort=patient_id&dir=asc&size=20");
      await answersClicks(page);
      await page.getByRole("button", { name: "한국어" }).click();
      await page.getByRole("heading", { name: "워크리스트" }).waitFor();
      assert.equal(new URL(page.url()).search, "?sort=patient_id&dir=asc&size=20");
    } finally {
      await browser.close();
      await site.stop("SIGKILL");
      for (const path of [dataDir, folder]) rmSync(path, { recursive: true, force: true });
    }
  },
});

// covers: D1-4.32, D1-4.33, S-22, S-24
Deno.test({
  name:
    "a page of an earlier version loads itself anew when a part of it is gone; old service workers go" +
    why,
  ignore: missingForBrowser !== "",
  fn: async () => {
    await using site = await startSite();
    const browser = await launchBrowser();
    try {
      const { page } = await openPage(browser, site.url);
      await signIn(page);
      await page.evaluate("globalThis.isOldPage = true");
      const part = "**/static/build/UploadDialog-*.js";
      await page.route(part, (route) => route.fulfill({ status: 404, body: "" }));
      const loaded = page.waitForEvent("load");
      await page.getByRole("button", { name: "Upload", exact: true }).first().click();
      await loaded;
      assert.equal(
        await page.evaluate("globalThis.isOldPage"),
        undefined,
        "the page was loaded anew",
      );
      await page.unroute(part);
      await answersClicks(page);
      await page.getByRole("button", { name: "Upload", exact: true }).first().click();
      await page.locator("dialog").waitFor();

      // a missing part reloads the page once; then an error is shown, and the page stays
      const missing = "**/static/build/about_dialog-*.js";
      await page.route(missing, (route) => route.fulfill({ status: 404, body: "" }));
      const openAbout = async () => {
        await page.locator("header button[aria-haspopup=menu]").click();
        await page.getByRole("menuitem", { name: "About" }).click();
      };
      const again = page.waitForEvent("load");
      await page.keyboard.press("Escape");
      await openAbout();
      await again;
      await answersClicks(page);
      await page.evaluate("globalThis.isOldPage = true");
      await openAbout();
      await page.locator(".toast").getByText("An unknown error has occurred.").waitFor();
      assert.equal(
        await page.evaluate("globalThis.isOldPage"),
        true,
        "the page was loaded anew again",
      );
      // a failed list is reloaded when the network is back, and a failed part when it is used again
      const filter = page.getByRole("button", { name: "Filter", exact: true });
      await page.context().setOffline(true);
      await page.getByText(sessionText.connectionLost.en).waitFor();
      await filter.click();
      await page.locator(".toast").getByText("The server cannot be reached.").waitFor();
      await page.getByRole("searchbox").fill("nobody");
      await page.getByText(worklistText.staleOther.en.split("{")[0]!).waitFor();
      await page.context().setOffline(false);
      await page.getByText("No patients match “nobody”").waitFor();
      await page.getByRole("searchbox").fill("");
      await page.getByText("No patients yet").waitFor();
      await filter.click();
      await page.getByRole("dialog", { name: "Search filters" }).waitFor();

      // a missing part that the page loads by itself causes no endless reloads
      const own = "**/static/build/header_license-*.js";
      await page.route(own, (route) => route.fulfill({ status: 404, body: "" }));
      let loads = 0;
      page.on("request", (request) => loads += Number(request.isNavigationRequest()));
      await page.reload({ waitUntil: "commit" });
      await page.locator(".toast").getByText("An unknown error has occurred.").waitFor();
      await page.getByRole("heading", { name: "Worklist" }).waitFor();
      assert.equal(loads, 2);
      await page.unroute(own);

      const script = readdirSync(`${ROOT}static/build`).find((name) =>
        /^kernels_worker-\w+\.js$/.test(name)
      )!;
      const workers = "navigator.serviceWorker.getRegistrations().then((all) => all.length)";
      await page.evaluate(
        `navigator.serviceWorker.register("/static/build/${script}", { type: "module" }).then(() => {})`,
      );
      assert.equal(await page.evaluate(workers), 1);
      await page.reload();
      // the page reloads once more, so the evaluation is repeated
      await page.waitForFunction(`${workers}.then((count) => count === 0)`);
    } finally {
      await browser.close();
    }
  },
});
