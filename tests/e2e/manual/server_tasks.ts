// Steps of administrators' tasks, and of measuring a computer's speed.
import type { Page } from "@playwright/test";
import { pageStarts } from "@/tests/e2e/site.ts";
import {
  button,
  DELETED,
  downloadBy,
  openStatusTab,
  type Step,
  type Tasks,
} from "@/tests/e2e/manual/steps.ts";

const connectionForm = (page: Page) => page.getByRole("tabpanel").locator("form").first();
const addConnection: Step = async (page, [add = ""]) => await button(page, add).click();

export const SERVER_TASKS: Tasks = {
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
    addConnection,
    async (page, names, { look }) => {
      const values = ["Archive", "ARCHIVE", "pacs.hospital.test"];
      for (const [n, value] of values.entries()) {
        await connectionForm(page).getByLabel(names[n]!, { exact: true }).fill(value);
      }
      await connectionForm(page).getByLabel(names[values.length]!, { exact: true }).check();
      await look(page, "connection");
    },
    async (page, [save = ""]) => {
      await button(connectionForm(page), save).click();
      await page.getByRole("cell", { name: "Archive", exact: true }).waitFor();
    },
    addConnection,
    async (page, [name = "", type = "", kind = "", maySend = "", addresses = ""]) => {
      const field = (label: string) => connectionForm(page).getByLabel(label, { exact: true });
      await field(name).fill("RIS");
      await connectionForm(page).getByRole("combobox", { name: type, exact: true })
        .selectOption({ label: kind });
      await field(maySend).check();
      await field(addresses).fill("10.1.2.4");
    },
    async (page, [save = ""]) => {
      await button(connectionForm(page), save).click();
      await page.getByRole("cell", { name: "RIS", exact: true }).waitFor();
    },
  ],
  "do-restore": [
    openStatusTab,
    async (page, [restore = ""], { look }) => {
      const study = page.getByRole("tabpanel").getByRole("row").filter({ hasText: DELETED });
      await study.waitFor();
      await look(page, "deleted");
      await button(study, restore).click();
      await study.waitFor({ state: "detached" });
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
      await pageStarts(page);
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
