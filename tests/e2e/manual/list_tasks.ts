// Steps of tasks about signing in, the worklist and uploads.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { answersClicks, EMAIL, PASSWORD, signInStarts, waitForSignIn } from "@/tests/e2e/site.ts";
import {
  button,
  chooseInMenu,
  DELETED,
  dialog,
  downloadBy,
  openList,
  rowOf,
  saveDialog,
  type Tasks,
} from "@/tests/e2e/manual/steps.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

export const LIST_TASKS: Tasks = {
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
  "do-delete": [
    async (page, [remove = ""]) => {
      await openList(page);
      await page.getByRole("row").filter({ hasText: DELETED }).getByRole("checkbox").check();
      await button(page.getByRole("toolbar"), remove).click();
    },
    async (page, [reason = "", remove = ""]) => {
      const question = page.getByRole("alertdialog");
      await question.getByLabel(reason, { exact: true }).fill("Another patient's images");
      await button(question, remove).click();
      await page.getByRole("row").filter({ hasText: DELETED }).waitFor({ state: "detached" });
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
};
