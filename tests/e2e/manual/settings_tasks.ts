// Steps of tasks about settings with controls and norms, My Page and one-time codes.
import { Secret, TOTP } from "otpauth";
import {
  answer,
  button,
  dialog,
  isIdle,
  openAs,
  openFromMenu,
  openNorms,
  saveDialog,
  type Tasks,
} from "@/tests/e2e/manual/steps.ts";
import { EVIDENCE_TASKS } from "@/tests/e2e/manual/evidence_tasks.ts";
import { PASSWORD } from "@/tests/e2e/site.ts";

export const SETTINGS_TASKS: Tasks = {
  "do-settings": [
    openFromMenu,
    async (page, [automatic = ""], { look }) => {
      await look(page, "settings");
      await dialog(page).getByRole("switch", { name: automatic }).click();
    },
    saveDialog,
  ],
  "do-controls": [
    async (page, [menu = "", item = "", norms = ""], walk) => {
      await openFromMenu(page, [menu, item], walk);
      // the tab's name also contains its group
      await dialog(page).getByRole("tab").filter({ hasText: norms }).click();
      await dialog(page).getByRole("searchbox").waitFor();
    },
    async (page, [patient = "", search = ""]) => {
      await dialog(page).getByRole("searchbox", { name: patient, exact: true }).fill("P-7");
      await button(dialog(page), search).click();
    },
    async (page, [mark = ""], { look }) => {
      await dialog(page).getByRole("listitem").getByText(mark, { exact: true }).first().click();
      await dialog(page).getByRole("status").filter({ hasText: /^1|1건/ }).waitFor();
      await isIdle(page);
      await look(page, "norms");
    },
  ],
  "do-norms": [
    async (page, [propose = "", confirmed = ""]) => {
      await button(dialog(page), propose).click();
      await answer(page, confirmed);
    },
    async (page, [changes = ""]) => {
      await button(dialog(page), changes).click();
      // in the list below the proposal; search results contain the study too
      const changed = dialog(page).getByRole("listitem").getByRole("listitem");
      await changed.filter({ hasText: "P-7" }).first().waitFor();
    },
    async (page, [_norms = "", accept = "", confirmed = ""], { colleague }) => {
      const other = await openAs(page, colleague!);
      await openNorms(other);
      await button(dialog(other), accept).click();
      await answer(other, confirmed);
      await button(dialog(other), accept).waitFor({ state: "detached" });
      await other.context().close();
    },
    async (page, [changes = "", recompute = "", confirmed = ""]) => {
      await openNorms(page);
      await button(dialog(page), changes).click();
      await button(dialog(page), recompute).click();
      await answer(page, confirmed);
    },
    async (page, [undo = "", confirmed = ""]) => {
      await button(dialog(page), undo).click();
      await answer(page, confirmed);
      await button(dialog(page), undo).waitFor({ state: "detached" });
    },
  ],
  ...EVIDENCE_TASKS,
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
  "do-codes": [
    async (page, [menu = "", item = "", codes = ""], walk) => {
      await openFromMenu(page, [menu, item], walk);
      await dialog(page).getByRole("link", { name: codes, exact: true }).click();
      await page.waitForURL(/\/second-factor$/);
      await page.locator("[data-island=SecondFactor][data-hydrated]").waitFor({
        state: "attached",
      });
    },
    async (page, [password = "", begin = ""]) => {
      await page.getByLabel(password, { exact: true }).fill(PASSWORD);
      await button(page, begin).click();
    },
    async (page, [code = "", confirm = ""], { look }) => {
      const secret = Secret.fromBase32((await page.locator("form code").innerText()).trim());
      await look(page, "codes");
      await page.getByLabel(code, { exact: true }).fill(new TOTP({ secret }).generate());
      await button(page, confirm).click();
    },
    async (page, [goOn = ""]) => {
      await page.locator("[data-recovery-codes]").waitFor();
      await button(page, goOn).click();
      await page.waitForURL((url) => url.pathname === "/");
    },
  ],
};
