// The worklist in a browser, on a site with stored studies and one finished result.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { DEFAULT_LIST_VIEW } from "@/model/schema/worklist/list_view.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { saveListView } from "@/server/core/studies/service/list_view.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { addAdministratorBefore } from "@/tests/sites/sign_in/quick_user.ts";
import { addStudies, setCompleted } from "@/tests/sites/stored_studies.ts";
import {
  EMAIL,
  launchBrowser,
  openPage,
  PASSWORD,
  signIn,
  type Site,
  startSite,
} from "@/tests/e2e/site.ts";

/** Patient ids of five studies; the last two are of one patient. */
export const PATIENTS = ["A-1", "B-2", "C-3", "D-4", "D-4"] as const;

export const rows = (page: Page) => page.locator("tr[data-pid]");
export const box = (page: Page, id: string) => rows(page).filter({ hasText: id }).locator("input");
/** Patient IDs of the rows. */
export const shown = async (page: Page) =>
  (await rows(page).locator("td.col-patientId").allInnerTexts()).map((text) => text.trim());
/** The toolbar of the checked studies. */
export const bar = (page: Page) => page.getByRole("toolbar", { name: "Selected studies" });

interface ListSite {
  /** number of studies, or their patient ids */
  studies: number | readonly string[];
  /** number of the study with a finished result */
  finished: number;
  /** whether the user has chosen as many rows as fit into the window */
  isFit?: boolean;
}

/** Stores the choice "fit to window" for the only user. */
async function chooseFit(dataDir: string): Promise<void> {
  const db = await openBeside(dataDir);
  const { user_id } = await db.selectFrom("users").select("id as user_id")
    .executeTakeFirstOrThrow();
  const view = { ...DEFAULT_LIST_VIEW, is_fit: true };
  await saveListView({ db } as ServiceContext, view, { uid: user_id } as Caller);
  await db.destroy();
}

/** Opens the list of a new site as a signed-in user; afterwards `errors` must be empty. */
export async function withList(
  { studies, finished, isFit = false }: ListSite,
  body: (page: Page, site: Site, errors: string[]) => Promise<void>,
): Promise<void> {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-list-" });
  await addAdministratorBefore({ dataDir }, { email: EMAIL, password: PASSWORD });
  if (typeof studies === "number") await addStudies(dataDir, studies);
  else {
    await addStudies(dataDir, studies.length, (n) => ({
      patientId: studies[n - 1]!,
      studyDate: `2024-01-${String(n).padStart(2, "0")}`,
    }));
  }
  if (isFit) await chooseFit(dataDir);
  await setCompleted(dataDir, finished, "2026-02-03T10:00:00Z");
  await using site = await startSite({ dataDir });
  const browser = await launchBrowser();
  try {
    const { page, errors } = await openPage(browser, site.url);
    page.setDefaultTimeout(60_000);
    await signIn(page);
    await rows(page).first().waitFor();
    await body(page, site, errors);
    assert.deepEqual(errors, []);
  } finally {
    await browser.close();
    await site.stop();
    await Deno.remove(dataDir, { recursive: true });
  }
}
