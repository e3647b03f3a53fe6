// Shared code of the manual's tasks.
import type { Download, Locator, Page } from "@playwright/test";
import { answersClicks, signIn } from "@/tests/e2e/site.ts";
import { WORKED } from "@/tests/sites/worked_site.ts";

/** User and site with which a manual's tasks are performed. */
export interface Walk {
  /** study numbers in the order of {@link WORKED} */
  pids: readonly number[];
  /** called at each picture in the manual */
  look: (page: Page, picture: string) => Promise<void>;
  /** a second administrator, who accepts, countersigns and agrees */
  colleague?: { email: string; password: string };
  /** reader who rates images and reads cases */
  reader?: { email: string; password: string };
}
export type Step = (page: Page, controls: string[], walk: Walk) => Promise<void>;
/** Steps of each task, in the manual's order. */
export type Tasks = Readonly<Record<string, readonly Step[]>>;

/** Patient ID of the study that is deleted and later restored. */
export const DELETED = "20115";

export const button = (place: Page | Locator, name: string) =>
  place.getByRole("button", { name, exact: true });
export const dialog = (page: Page) => page.locator("dialog[open]").last();
/** Number of the study with both series, results and an earlier study of the patient. */
export const pidOf = ({ pids }: Walk) =>
  pids[WORKED.findIndex(({ id, lesionsMl }) => id === "20481" && lesionsMl)]!;
export const rowOf = (page: Page, walk: Walk) => page.locator(`tr[data-pid="${pidOf(walk)}"]`);

export async function openList(page: Page): Promise<void> {
  await page.goto("/?size=20");
  await answersClicks(page);
}

/** Opens an item of the menu. */
export const chooseInMenu: Step = async (page, [menu = "", item = ""]) => {
  await openList(page);
  await page.getByTitle(menu, { exact: true }).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
};

/** Opens a dialog of the menu, and waits until it has loaded. */
export const openFromMenu: Step = async (page, controls, walk) => {
  await chooseInMenu(page, controls, walk);
  await dialog(page).waitFor();
  await dialog(page).locator("[aria-busy=true]").waitFor({ state: "detached" });
};

export const openStatusTab: Step = async (page, [menu = "", item = "", tab = ""], walk) => {
  await chooseInMenu(page, [menu, item], walk);
  await page.locator("[data-island=ServerStatus][data-hydrated]").waitFor({ state: "attached" });
  await page.getByRole("tab", { name: tab, exact: true }).click();
  await page.getByRole("tabpanel").locator(":scope > *").first().waitFor();
};

const gone = (page: Page) => page.locator("dialog[open]").waitFor({ state: "detached" });
const pressInDialog: Step = async (page, [name = ""]) => await button(dialog(page), name).click();
export const saveDialog: Step = async (page, controls, walk) => {
  await pressInDialog(page, controls, walk);
  await gone(page);
};

/** Clicks a button and waits for the download. */
export async function downloadBy(page: Page, press: () => Promise<void>): Promise<Download> {
  const [file] = await Promise.all([page.waitForEvent("download"), press()]);
  return file;
}

export const viewerIsOpen = async (page: Page) => {
  await page.locator("[data-island=SliceViewer][data-hydrated]").waitFor({ state: "attached" });
  await page.getByTestId("axial-view").locator("canvas").first().waitFor({ state: "attached" });
  await page.getByTestId("loaded-bytes").waitFor({ state: "detached" });
};

/** Waits until the dialog has no running requests. */
export const isIdle = (page: Page) =>
  dialog(page).locator("[aria-busy=true]").waitFor({ state: "detached" });

/** Answers a confirmation dialog. */
export async function answer(page: Page, name: string): Promise<void> {
  const question = page.getByRole("alertdialog");
  await button(question, name).click();
  await question.waitFor({ state: "detached" });
  await isIdle(page);
}

/** Signs another user in, in a separate browser context with the page's language. */
export async function openAs(
  page: Page,
  { email, password }: { email: string; password: string },
): Promise<Page> {
  const context = await page.context().browser()!.newContext({
    baseURL: new URL(page.url()).origin,
  });
  context.setDefaultTimeout(120_000);
  await context.addCookies(
    (await page.context().cookies()).filter(({ name }) => name === "language"),
  );
  const other = await context.newPage();
  await signIn(other, email, password);
  return other;
}

/** Opens the last section of the settings. */
export async function openNorms(page: Page): Promise<void> {
  await openList(page);
  await page.locator("header button[aria-haspopup=menu]").click();
  await page.getByRole("menuitem").first().click();
  await dialog(page).getByRole("tab").last().click();
  await dialog(page).getByRole("searchbox").waitFor();
}
