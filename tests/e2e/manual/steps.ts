// What the tasks of the manual have in common.
import type { Download, Locator, Page } from "@playwright/test";
import { answersClicks, signIn } from "@/tests/e2e/site.ts";
import { WORKED } from "@/tests/sites/worked_site.ts";

/** Who walks, and where. */
export interface Walk {
  /** of the studies of {@link WORKED} */
  pids: readonly number[];
  /** called where the manual has a picture */
  look: (page: Page, picture: string) => Promise<void>;
  /** a second administrator, who accepts norms, countersigns and agrees */
  colleague?: { email: string; password: string };
  /** who rates images and reads cases */
  reader?: { email: string; password: string };
}
export type Step = (page: Page, controls: string[], walk: Walk) => Promise<void>;
/** Steps of each task, in the manual's order. */
export type Tasks = Readonly<Record<string, readonly Step[]>>;

/** Patient ID of the study that is deleted, and restored later. */
export const DELETED = "20115";

export const button = (place: Page | Locator, name: string) =>
  place.getByRole("button", { name, exact: true });
export const dialog = (page: Page) => page.locator("dialog[open]").last();
/** The study that has everything: both series, their results, an earlier study of the patient. */
export const pidOf = ({ pids }: Walk) =>
  pids[WORKED.findIndex(({ id, lesionsMl }) => id === "20481" && lesionsMl)]!;
export const rowOf = (page: Page, walk: Walk) => page.locator(`tr[data-pid="${pidOf(walk)}"]`);

export async function openList(page: Page): Promise<void> {
  await page.goto("/?size=20");
  await answersClicks(page);
}

/** An item of the menu, and what it opens. */
export const chooseInMenu: Step = async (page, [menu = "", item = ""]) => {
  await openList(page);
  await page.getByTitle(menu, { exact: true }).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
};

/** A dialog of the menu, once it holds what is stored. */
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

/** Presses, and takes the file that comes. */
export async function downloadBy(page: Page, press: () => Promise<void>): Promise<Download> {
  const [file] = await Promise.all([page.waitForEvent("download"), press()]);
  return file;
}

export const viewerIsOpen = async (page: Page) => {
  await page.locator("[data-island=SliceViewer][data-hydrated]").waitFor({ state: "attached" });
  await page.getByTestId("axial-view").locator("canvas").first().waitFor({ state: "attached" });
  await page.getByTestId("loaded-bytes").waitFor({ state: "detached" });
};

/** Once nothing in the dialog is asked for any more. */
export const isIdle = (page: Page) =>
  dialog(page).locator("[aria-busy=true]").waitFor({ state: "detached" });

/** Answers the question that comes before something changes. */
export async function answer(page: Page, name: string): Promise<void> {
  const question = page.getByRole("alertdialog");
  await button(question, name).click();
  await question.waitFor({ state: "detached" });
  await isIdle(page);
}

/** Signs another person in, in a browser of their own and in the language of the page. */
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

/** The settings' last section. */
export async function openNorms(page: Page): Promise<void> {
  await openList(page);
  await page.locator("header button[aria-haspopup=menu]").click();
  await page.getByRole("menuitem").first().click();
  await dialog(page).getByRole("tab").last().click();
  await dialog(page).getByRole("searchbox").waitFor();
}
