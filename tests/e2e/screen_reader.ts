// The five main tasks for screen readers, by keyboard: announcements, their order, and names.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import type { Scene } from "@/tests/e2e/worked_scene.ts";
import { textIn } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { answersClicks } from "@/tests/e2e/site.ts";
import { until } from "@/tests/sites/until.ts";

/** Records the texts of live regions on a page. */
async function listen(page: Page): Promise<void> {
  await page.evaluate(() => {
    const said: string[] = [],
      live = "[aria-live=polite], [aria-live=assertive], [role=status], [role=alert]";
    const last = new WeakMap<Element, string>();
    const hear = (node: Node) => {
      const element = node instanceof Element ? node : node.parentElement;
      const regions = [
        ...(element ? [element.closest(live)] : []),
        ...(node instanceof Element ? node.querySelectorAll(live) : []),
      ];
      for (const region of regions) {
        const text = region?.textContent?.replace(/\s+/g, " ").trim() ?? "";
        if (region && text !== "" && last.get(region) !== text) said.push(text);
        if (region) last.set(region, text);
      }
    };
    new MutationObserver((changes) => {
      for (const { target, addedNodes } of changes) [target, ...addedNodes].forEach(hear);
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
    Object.assign(globalThis, { said });
  });
}

const saidOn = (page: Page) => page.evaluate<string[]>("said");

/** Waits until a live region announces a text. @throws with all announcements. */
async function hears(page: Page, what: RegExp): Promise<void> {
  await until(async () => (await saidOn(page)).some((text) => what.test(text))).catch(
    async (cause) => {
      throw new Error(`${what} was not said; said was: ${(await saidOn(page)).join(" | ")}`, {
        cause,
      });
    },
  );
}

/** Fails unless the parts occur in this order in the reading order, with anything in between. */
async function readsInOrder(
  page: Page,
  place: string,
  parts: readonly (string | RegExp)[],
): Promise<void> {
  const lines = (await page.locator(place).last().ariaSnapshot()).split("\n").map((line) =>
    line.trim()
  );
  let at = 0;
  for (const part of parts) {
    const found = lines.slice(at).findIndex((line) =>
      typeof part === "string" ? line.startsWith(`- ${part}`) : part.test(line)
    );
    assert.ok(
      found >= 0,
      `${part} is not read after ${lines[at - 1]} in:\n${lines.slice(at, at + 60).join("\n")}`,
    );
    at += found + 1;
  }
}

/** Checks that every control has a name. */
async function assertNamed(page: Page, place: string): Promise<void> {
  const operated =
    /^- (button|link|textbox|searchbox|checkbox|radio|switch|combobox|slider|spinbutton|tab|treeitem|menuitem|application|dialog)\b(?! ")/;
  const lines = (await page.locator(place).last().ariaSnapshot()).split("\n").map((line) =>
    line.trim()
  );
  assert.deepEqual(lines.filter((line) => operated.test(line)), [], place);
}

/** Finds, corrects, uploads, views and reports, in English only, as only words differ. */
export async function spokenTasks(page: Page, { pids, language }: Scene): Promise<void> {
  if (language !== "en") return;
  await page.goto("/?size=20");
  await answersClicks(page);
  await listen(page);
  await readsInOrder(page, "body", [
    'link "Sulcus, Go to Home"',
    'button "Help"',
    "main",
    'heading "Worklist" [level=1]',
    'button "Filter"',
    'searchbox "Search patient ID or name"',
    'button "Upload"',
    'table "Worklist"',
    'columnheader "Name"',
    /^- row "Select .*Completed/,
    'button "Open report for',
    'button "Open viewer for',
  ]);
  await assertNamed(page, "body");
  const search = page.getByRole("searchbox");
  await search.fill("20481");
  await search.press("Enter");
  await hears(page, /1–2 of 2/);
  await search.fill("nobody");
  await search.press("Enter");
  await hears(page, /No patients found/);
  await search.fill("");
  await search.press("Enter");
  await hears(page, /of 1\d$/);

  const row = page.locator(`tr[data-pid="${pids[9]}"]`);
  await row.focus();
  await row.press("e");
  const form = page.locator("tr[data-editing]");
  await form.waitFor();
  await assertNamed(page, "tr[data-editing]");
  const name = form.getByLabel("Name", { exact: true }), was = await name.inputValue();
  await name.fill("");
  await name.press("Enter");
  await hears(page, /input/i);
  await name.fill(was);
  await name.press("Escape");
  await form.waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Upload", exact: true }).first().press("Enter");
  await page.locator("dialog[open]").waitFor();
  await readsInOrder(page, "dialog[open]", [
    'dialog "Upload DICOM files"',
    'heading "Upload DICOM files"',
    'tab "Single Case" [selected]',
    'button "Choose folder"',
    'button "Choose files"',
    'radio "Automatic" [checked]',
    'button "Upload"',
  ]);
  await assertNamed(page, "dialog[open]");
  await page.keyboard.press("Escape");

  await page.goto(`/viewer/${pids[9]}`);
  await page.getByTestId("loaded-bytes").waitFor({ state: "detached" });
  await page.getByRole("treeitem").first().waitFor();
  await page.getByRole("toolbar", { name: "Viewer tools" }).waitFor();
  await listen(page);
  await readsInOrder(page, "body", [
    'heading "Kim Haneul',
    'tab "Parcellation" [selected]',
    'button "Mask"',
    'slider "Opacity"',
    `application "${textIn(viewerText.paneHelp, "en", { plane: "Axial" })}"`,
    /^- treeitem ".*\d/,
  ]);
  await assertNamed(page, "body");
  await page.getByRole("application", { name: /^Axial/ }).press("ArrowLeft");
  await hears(page, /mm|Outside/);

  await page.goto(`/report/${pids[9]}`);
  await page.locator("[data-island=ReportViewer][data-hydrated]").waitFor({ state: "attached" });
  await page.locator(".report-sheet").nth(1).waitFor();
  await readsInOrder(page, "body", [
    'link "Worklist"',
    'switch "Anonymize"',
    'button "Download PDF"',
    'checkbox "Cover" [checked]',
    'article "Cover',
    'heading "Sulcus Brain volume report Cover',
    'heading "Patient and study" [level=2]',
    'heading "Suggested by the software (not signed)" [level=2]',
    'article "Main Page',
    'heading "Volumes (mL)" [level=2]',
    'rowheader "Hippocampus',
  ]);
  await assertNamed(page, "body");
}
