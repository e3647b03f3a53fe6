// Two physicians with one list and record, each in a separate browser.
import assert from "node:assert/strict";
import type { Browser, Page } from "@playwright/test";
import type { Api } from "@/client/api/http.ts";
import { login } from "@/client/api/accounts/auth.ts";
import { openData } from "@/server/core/mod.ts";
import { addUser } from "@/server/core/accounts/service/users.ts";
import { addStudies, setCompleted } from "@/tests/sites/stored_studies.ts";
import {
  answersClicks,
  launchBrowser,
  openPage,
  signIn,
  type Site,
  startSite,
} from "@/tests/e2e/site.ts";

const OTHER = { email: "other@hospital.test", password: "correct-horse-8", name: "Dr. Other" };
const ROBOT = { email: "robot@hospital.test", password: "correct-horse-9", name: "Robot" };

export const row = (page: Page, pid: number) => page.locator(`tr[data-pid="${pid}"]`);
export const editing = (page: Page) => page.locator("tr[data-editing]");
export const pidsOf = (page: Page) =>
  page.locator("tr[data-pid]").evaluateAll((rows) =>
    rows.map((each) => Number(each.getAttribute("data-pid")))
  );

interface TwoBrowsers {
  site: Site;
  mine: Page;
  theirs: Page;
  /** API client of a third user */
  robot: Api;
}

/** Runs a test with eight studies, number 8 analysed, and two browsers on the worklist. */
export async function withTwo(body: (scene: TwoBrowsers) => Promise<void>): Promise<void> {
  await using site = await startSite();
  const db = openData(site.dataDir);
  for (const user of [OTHER, ROBOT]) await addUser(db, user);
  await db.destroy();
  await addStudies(site.dataDir, 8, (n) => n === 4 ? { patientName: "=1+2" } : {});
  await setCompleted(site.dataDir, 8, "2026-01-06T10:00:00Z");
  const open: Api = { origin: site.url, send: (request) => fetch(request) };
  const { access_token } = await login(open, ROBOT);
  const browser: Browser = await launchBrowser();
  try {
    const [first, second] = [await openPage(browser, site.url), await openPage(browser, site.url)];
    await signIn(first.page);
    await signIn(second.page, OTHER.email, OTHER.password);
    for (const { page } of [first, second]) {
      await answersClicks(page);
      await page.evaluate("globalThis.notReloaded = true");
    }
    await body({
      site,
      mine: first.page,
      theirs: second.page,
      robot: { ...open, token: access_token },
    });
    const scriptErrors = [...first.errors, ...second.errors].filter((line) =>
      !/status of 4\d\d/.test(line)
    );
    assert.deepEqual(scriptErrors, []);
  } finally {
    await browser.close();
  }
}
