// Every question and message in a browser: Escape and the close button close it and do nothing
// else.
import assert from "node:assert/strict";
import * as esbuild from "esbuild";
import type { Page } from "@playwright/test";
import { ERRORS } from "@/model/errors.ts";
import { MODAL_CODES, QUESTION_CODES } from "@/model/notice_codes.ts";
import { modalContentOf, toastContentOf } from "@/client/notices/notice_text.ts";
import { hasChromium, launchBrowser, ROOT } from "@/tests/e2e/site.ts";

const ignore = !hasChromium;
const why = hasChromium ? "" : " (skipped: no /usr/bin/chromium)";

/** Page script: shows the modals for `ask` and `inform`, and records the answers. */
const PAGE_SCRIPT = `
import { createElement, useState } from "react";
import { createRoot } from "react-dom/client";
import NoticesView from "@/components/notices/notices_view.tsx";
import { chooseInModal, informInModal, presentToast } from "@/client/notices/present_error.ts";
globalThis.tell = presentToast;
globalThis.answers = [];
globalThis.ask = (code) => void chooseInModal(code).then((answer) => answers.push(answer));
globalThis.inform = (code) => informInModal(code, {}, () => answers.push("confirm"));
import { Dialog } from "@/components/dialog/Dialog.tsx";
/** A dialog that refuses with a toast, and one button that saves and says so. */
function Form() {
  const [isOpen, setOpen] = useState(false), close = () => setOpen(false);
  const button = (id, onClick) => createElement("button", { id, onClick, key: id }, id);
  const parts = [
    button("refuse", () => presentToast("label.required")),
    button("save", () => { presentToast("label.saved"); close(); }),
  ];
  const dialog = createElement(Dialog, { title: "Form", onClose: close, key: "form" }, parts);
  return [button("open", () => setOpen(true)), isOpen && dialog];
}
createRoot(document.querySelector("main"))
  .render([createElement(NoticesView, { key: "notices" }), createElement(Form, { key: "form" })]);
`;

async function pageScript(): Promise<string> {
  const { outputFiles } = await esbuild.build({
    stdin: { contents: PAGE_SCRIPT, resolveDir: ROOT, loader: "tsx" },
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    format: "iife",
    target: "es2022",
    jsx: "automatic",
    alias: { "@": ROOT.replace(/\/$/, "") },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  await esbuild.stop();
  return outputFiles[0]!.text;
}

const dialogOf = (page: Page) => page.locator("dialog[open]");
const answersOf = (page: Page) => page.evaluate<string[]>("answers.splice(0)");
const call = (page: Page, how: "ask" | "inform", code: string) =>
  page.evaluate(`${how}(${JSON.stringify(code)})`);

Deno.test({
  name: `Escape and × close every question as its Cancel does, and answer no message${why}`,
  ignore,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await page.setContent("<!doctype html><html lang=en><body><main></main></body></html>");
      await page.addScriptTag({ content: await pageScript() });
      for (const code of QUESTION_CODES) {
        const { cancel } = modalContentOf(code, {}, "en");
        const ways = {
          escape: () => page.keyboard.press("Escape"),
          // selected by label, because a question may have an answer "Close"
          close: () => dialogOf(page).locator("button[aria-label=Close]").click(),
          cancel: () => dialogOf(page).getByRole("button", { name: cancel!, exact: true }).click(),
        };
        for (const [way, leave] of Object.entries(ways)) {
          await call(page, "ask", code);
          await dialogOf(page).waitFor();
          await leave();
          await dialogOf(page).waitFor({ state: "detached" });
          assert.deepEqual(await answersOf(page), ["cancel"], `${code}: ${way}`);
        }
      }
      const errors = Object.entries(ERRORS).filter(([, { surface }]) => surface === "modal");
      const questions: readonly string[] = QUESTION_CODES;
      const messages = [
        ...MODAL_CODES.filter((code) => !questions.includes(code)),
        ...errors.map(([code]) => code),
      ];
      for (const code of messages) {
        await call(page, "inform", code);
        await dialogOf(page).waitFor();
        // twice, because Chromium closes a dialog by a second Escape even if the first was
        // prevented
        await page.keyboard.press("Escape");
        await page.keyboard.press("Escape");
        await dialogOf(page).waitFor();
        assert.deepEqual(
          await answersOf(page),
          [],
          `${code}: it leads somewhere, which is read first`,
        );
        await dialogOf(page).getByRole("button", { name: "Confirm" }).click();
        await dialogOf(page).waitFor({ state: "detached" });
        assert.deepEqual(await answersOf(page), ["confirm"], code);
      }
      // toasts stay when the dialog that contained them is removed
      const toast = (text: string) => page.locator(".toast").filter({ hasText: text }).waitFor();
      await page.evaluate("document.body.append(document.createElement('dialog'))");
      await page.evaluate("document.querySelector('dialog').showModal(), tell('settings.updated')");
      await dialogOf(page).locator(".toast").waitFor();
      await page.evaluate("document.querySelector('dialog').remove(), tell('settings.failed')");
      await toast(toastContentOf("settings.failed", {}, "en").text);
    } finally {
      await browser.close();
    }
  },
});

// covers: S-12
Deno.test({
  name: `a toast goes with the dialog that it is about, and the result of saving stays${why}`,
  ignore,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await page.setContent("<!doctype html><html lang=en><body><main></main></body></html>");
      await page.addScriptTag({ content: await pageScript() });
      const toast = page.locator(".toast"), openForm = page.locator("#open");
      // the first one, because the toast has a close button too
      const closeButton = dialogOf(page).locator("button[aria-label=Close]").first();
      const ways = {
        escape: () => page.keyboard.press("Escape"),
        enter: () => closeButton.press("Enter"),
        // a screen reader clicks without pointer events
        script: () => closeButton.evaluate((button) => (button as HTMLElement).click()),
      };
      for (const [way, leave] of Object.entries(ways)) {
        await openForm.press("Enter");
        await dialogOf(page).locator("#refuse").press("Enter");
        await toast.waitFor();
        await leave();
        await dialogOf(page).waitFor({ state: "detached" });
        // the toast was closed with its form, long before its display time was over
        assert.equal(await toast.count(), 0, way);
      }
      await page.evaluate("tell('worklist.some_error')");
      await toast.waitFor();
      await openForm.press("Enter");
      await page.keyboard.press("Escape");
      await dialogOf(page).waitFor({ state: "detached" });
      assert.equal(await toast.count(), 1, "of the page behind the dialog");
      await openForm.press("Enter");
      await dialogOf(page).locator("#save").press("Enter");
      await dialogOf(page).waitFor({ state: "detached" });
      await toast.getByText(toastContentOf("label.saved", {}, "en").text).waitFor();
    } finally {
      await browser.close();
    }
  },
});
