// What the manual (docs/manual) tells people to do, done: each step of each task, by the names of the controls that the
// step itself says, in its language. For a test, and for the manual's pictures.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Download, Locator, Page } from "@playwright/test";
import { controlsOf, type Manual } from "@/model/site/manual.ts";
import { answersClicks, EMAIL, PASSWORD, signInStarts, waitForSignIn } from "@/tests/e2e/site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { WORKED } from "@/tests/sites/worked_site.ts";

/** Who walks, and where. */
export interface Walk {
  /** of the studies of {@link WORKED} */
  pids: readonly number[];
  /** called where the manual has a picture */
  look: (page: Page, picture: string) => Promise<void>;
}
type Step = (page: Page, controls: string[], walk: Walk) => Promise<void>;

const button = (place: Page | Locator, name: string) => place.getByRole("button", { name, exact: true });
const dialog = (page: Page) => page.locator("dialog[open]").last();
/** The study that has everything: both series, their results, an earlier study of the patient. */
const pidOf = ({ pids }: Walk) => pids[WORKED.findIndex(({ id, lesionsMl }) => id === "20481" && lesionsMl)]!;
const rowOf = (page: Page, walk: Walk) => page.locator(`tr[data-pid="${pidOf(walk)}"]`);

async function openList(page: Page): Promise<void> {
  await page.goto("/?size=20");
  await answersClicks(page);
}

/** An item of the menu, and what it opens. */
const chooseInMenu: Step = async (page, [menu = "", item = ""]) => {
  await openList(page);
  await page.getByTitle(menu, { exact: true }).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
};

/** A dialog of the menu, once it holds what is stored. */
const openFromMenu: Step = async (page, controls, walk) => {
  await chooseInMenu(page, controls, walk);
  await dialog(page).waitFor();
  await dialog(page).locator("[aria-busy=true]").waitFor({ state: "detached" });
};

const openStatusTab: Step = async (page, [menu = "", item = "", tab = ""], walk) => {
  await chooseInMenu(page, [menu, item], walk);
  await page.locator("[data-island=ServerStatus][data-hydrated]").waitFor({ state: "attached" });
  await page.getByRole("tab", { name: tab, exact: true }).click();
  await page.getByRole("tabpanel").locator(":scope > *").first().waitFor();
};

const gone = (page: Page) => page.locator("dialog[open]").waitFor({ state: "detached" });
const pressInDialog: Step = async (page, [name = ""]) => await button(dialog(page), name).click();
const saveDialog: Step = async (page, controls, walk) => {
  await pressInDialog(page, controls, walk);
  await gone(page);
};

/** Presses, and takes the file that comes. */
async function downloadBy(page: Page, press: () => Promise<void>): Promise<Download> {
  const [file] = await Promise.all([page.waitForEvent("download"), press()]);
  return file;
}

const viewerIsOpen = async (page: Page) => {
  await page.locator("[data-island=SliceViewer][data-hydrated]").waitFor({ state: "attached" });
  await page.getByTestId("axial-view").locator("canvas").first().waitFor({ state: "attached" });
  await page.getByTestId("loaded-bytes").waitFor({ state: "detached" });
};

/** What each step of a task is. A task begins where the one before it ended, or opens its own page. */
export const TASKS: Readonly<Record<string, readonly Step[]>> = {
  "do-sign-in": [
    async (page, [email = "", password = ""]) => {
      await page.goto("/login");
      await signInStarts(page);
      await page.getByLabel(email, { exact: true }).fill(EMAIL);
      await page.getByLabel(password, { exact: true }).fill(PASSWORD);
    },
    async (page, [signIn = ""]) => {
      await button(page, signIn).click();
      await page.waitForURL((url) => url.pathname === "/");
      await answersClicks(page);
    },
  ],
  "do-sign-out": [
    chooseInMenu,
    async (page, [confirm = ""]) => {
      await button(page.getByRole("alertdialog"), confirm).click();
      await waitForSignIn(page);
    },
  ],
  "do-find": [
    async (page, [search = ""], { look }) => {
      await openList(page);
      await look(page, "worklist");
      const box = page.getByRole("searchbox", { name: search, exact: true });
      await box.fill("2048");
      await box.press("Enter");
      await page.waitForURL(/search=2048/);
    },
    async (page, [filter = ""]) => {
      await openList(page);
      await button(page, filter).click();
      await dialog(page).waitFor();
    },
    async (page, [ageFrom = "", search = ""], { look }) => {
      await dialog(page).getByLabel(ageFrom, { exact: true }).fill("60");
      await look(page, "filters");
      await button(dialog(page), search).click();
      await page.waitForURL(/age_from=60/);
    },
    async (page, [clear = ""]) => {
      await button(page, clear).click();
      await page.waitForURL((url) => !url.searchParams.has("age_from"));
    },
  ],
  "do-label": [
    async (page, [labels = ""], walk) => {
      await openList(page);
      await rowOf(page, walk).getByRole("checkbox").check();
      await button(page.getByRole("toolbar"), labels).click();
      await dialog(page).waitFor();
    },
    async (page, [name = "", add = ""], { look }) => {
      await dialog(page).getByLabel(name, { exact: true }).fill("Tumor board");
      await button(dialog(page), add).click();
      await dialog(page).getByText("Tumor board").first().waitFor();
      await look(page, "labels");
    },
    saveDialog,
  ],
  "do-edit": [
    async (page, [edit = ""], walk) => {
      await openList(page);
      await rowOf(page, walk).hover();
      await rowOf(page, walk).getByTitle(edit, { exact: true }).click();
      await page.locator("tr[data-editing]").waitFor();
    },
    async (page, [name = "", save = ""]) => {
      const form = page.locator("tr[data-editing]");
      await form.getByLabel(name, { exact: true }).fill("Kim Haneul");
      await button(form, save).click();
      await form.waitFor({ state: "detached" });
    },
  ],
  "do-export": [
    async (page, [all = ""]) => {
      await openList(page);
      await button(page, all).click();
      await dialog(page).waitFor();
    },
    async (page, [xlsx = "", csv = ""], { look }) => {
      for (const format of [xlsx, csv]) {
        await dialog(page).getByRole("radio", { name: new RegExp(`^${format}`) }).check();
      }
      await dialog(page).locator("[aria-busy=true]").waitFor({ state: "detached" });
      await look(page, "export");
    },
    async (page, [start = ""]) => {
      const file = await downloadBy(page, () => button(dialog(page), start).click());
      assert.match(file.suggestedFilename(), /\.csv$/);
    },
  ],
  "do-upload": [
    async (page, [upload = ""]) => {
      await openList(page);
      await button(page, upload).first().click();
      await dialog(page).waitFor();
    },
    async (page, [files = "", folder = ""], { look }) => {
      await button(dialog(page), folder).waitFor();
      const [chooser] = await Promise.all([
        page.waitForEvent("filechooser"),
        button(dialog(page), files).click(),
      ]);
      await chooser.setFiles(
        phantomSeries("short", "30771").map(({ fileName, bytes }) => ({
          name: fileName,
          mimeType: "application/dicom",
          buffer: Buffer.from(bytes),
        })),
      );
      await dialog(page).locator("table").waitFor();
      await look(page, "upload");
    },
    async (page, [start = ""]) => {
      await button(dialog(page), start).click();
      await dialog(page).locator("[data-stage=stored]").waitFor();
    },
    saveDialog,
  ],
  "do-view": [
    async (page, [viewer = ""], walk) => {
      await openList(page);
      await rowOf(page, walk).getByTitle(viewer, { exact: true }).click();
      await page.waitForURL(/\/viewer\//);
      await viewerIsOpen(page);
    },
    async (page, [mask = ""]) => {
      await button(page, mask).click();
    },
    async (page, _controls, { look }) => {
      await page.getByRole("treeitem").nth(1).click();
      await look(page, "viewer");
    },
    async (page, [thickness = "", lesions = ""]) => {
      for (const name of [thickness, lesions]) {
        const tab = page.getByRole("tab", { name, exact: true });
        if (await tab.isEnabled()) await tab.click();
      }
    },
  ],
  "do-measure": [
    async (page, [panel = ""], walk) => {
      await page.goto(`/viewer/${pidOf(walk)}`);
      await viewerIsOpen(page);
      await page.getByRole("button", { name: panel, exact: true }).click();
    },
    async (page, [ruler = ""], { look }) => {
      await button(page, ruler).first().click();
      const box = (await page.getByTestId("axial-view").boundingBox())!;
      await page.mouse.move(box.x + box.width * 0.4, box.y + box.height / 2);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 4 });
      await page.mouse.up();
      await page.getByText(/\d mm/).first().waitFor();
      await look(page, "measure");
    },
    async (page, [save = ""]) => {
      const saved = page.waitForResponse((answer) => answer.request().method() !== "GET" && answer.ok());
      await button(page, save).click();
      await saved;
    },
  ],
  "do-report": [
    async (page, [report = ""], walk) => {
      await openList(page);
      await rowOf(page, walk).getByTitle(report, { exact: true }).click();
      await page.waitForURL(/\/report\//);
      await page.locator("[data-island=ReportViewer][data-hydrated]").waitFor({ state: "attached" });
      await page.locator(".report-sheet").first().waitFor();
    },
    async (page, [anonymize = ""], { look }) => {
      await page.getByRole("switch", { name: anonymize, exact: true }).check();
      await page.waitForURL(/anonymize=true/);
      await page.getByText("20481").first().waitFor({ state: "detached" });
      await look(page, "report");
    },
    async (page, [download = "", print = ""]) => {
      await button(page, print).waitFor();
      const file = await downloadBy(page, () => button(page, download).click());
      assert.match(file.suggestedFilename(), /\.pdf$/);
    },
  ],
  "do-settings": [
    openFromMenu,
    async (page, [automatic = ""], { look }) => {
      await look(page, "settings");
      await dialog(page).getByRole("switch", { name: automatic }).click();
    },
    saveDialog,
  ],
  "do-my-page": [
    openFromMenu,
    async (page, [name = "", hospital = "", current = ""], { look }) => {
      await dialog(page).getByLabel(name, { exact: true }).fill("Kim Jiho");
      await dialog(page).getByLabel(hospital, { exact: true }).fill("Hanbit Hospital");
      await dialog(page).getByLabel(current, { exact: true }).waitFor();
      await look(page, "my-page");
    },
    saveDialog,
  ],
  "do-account": [
    openStatusTab,
    async (page, [email = "", add = ""], { look }) => {
      await page.getByRole("textbox", { name: email, exact: true }).fill("reader@hospital.test");
      await look(page, "accounts");
      await button(page, add).click();
    },
    (page) => page.getByRole("status").filter({ hasText: "reader@hospital.test" }).waitFor(),
  ],
  "do-connect": [
    openStatusTab,
    async (page, [add = ""]) => {
      await button(page, add).click();
    },
    async (page, names, { look }) => {
      const values = ["Archive", "ARCHIVE", "pacs.hospital.test"];
      for (const [n, name] of names.entries()) {
        await page.getByRole("tabpanel").locator("form").getByLabel(name, { exact: true }).fill(values[n]!);
      }
      await look(page, "connection");
    },
    async (page, [save = ""]) => {
      const form = page.getByRole("tabpanel").locator("form").first();
      await button(form, save).click();
      await page.getByRole("cell", { name: "Archive", exact: true }).waitFor();
    },
  ],
  "do-audit": [
    openStatusTab,
    async (page, [verify = ""], { look }) => {
      await button(page, verify).click();
      await page.getByRole("status").filter({ hasText: /[0-9a-f]{12}/ }).waitFor();
      await look(page, "audit");
    },
  ],
  "do-bench": [
    async (page, [measure = ""]) => {
      await page.goto("/bench");
      await button(page, measure).click();
    },
    async (page, [download = "", compare = ""], { look }) => {
      await button(page, download).waitFor({ timeout: 120_000 });
      await page.getByText(compare, { exact: true }).waitFor();
      await look(page, "bench");
      await downloadBy(page, () => button(page, download).click());
    },
  ],
};

/** Tasks of a manual in their order, with their steps. */
export function tasksOf({ sections }: Manual): { id: string; steps: string[] }[] {
  const tasks: { id: string; steps: string[] }[] = [];
  for (const { kind, name, text } of sections.flatMap(({ lines }) => lines)) {
    if (kind === "heading" && name) tasks.push({ id: name, steps: [] });
    else if (kind === "step") tasks.at(-1)?.steps.push(text);
  }
  return tasks;
}

/** Does what the manual says; signing out comes last. @throws with the step that could not be done. */
export async function walkManual(page: Page, manual: Manual, walk: Walk, skipped: readonly string[] = []) {
  const tasks = tasksOf(manual).filter(({ id }) => !skipped.includes(id));
  const last = tasks.filter(({ id }) => id === "do-sign-out");
  for (const { id, steps } of [...tasks.filter((task) => !last.includes(task)), ...last]) {
    for (const [n, text] of steps.entries()) {
      try {
        await TASKS[id]![n]!(page, controlsOf(text), walk);
      } catch (cause) {
        throw new Error(`The manual's step cannot be done: ${id}, ${n + 1}. ${text}: ${cause}`, { cause });
      }
    }
  }
}
