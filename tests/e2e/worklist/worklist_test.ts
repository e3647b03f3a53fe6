// Signing in, uploading, following an analysis and finding a study again, in a browser.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { openData } from "@/server/core/mod.ts";
import { allowNetwork, forgetNetwork } from "@/server/core/accounts/service/allowed_networks.ts";
import { addUser, removeUser, setUserState } from "@/server/core/accounts/service/users.ts";
import { assertAccessible, walkDialog } from "@/tests/e2e/accessibility.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import {
  answersClicks,
  EMAIL,
  hasChromium,
  launchBrowser,
  OPEN_REPORT,
  openPage,
  PASSWORD,
  signIn,
  signInStarts,
  startSite,
  waitForSignIn,
} from "@/tests/e2e/site.ts";
import { toastText } from "@/model/text/toasts.ts";
import { refusalText } from "@/model/text/worklist/refusals.ts";

const ignore = !hasChromium;
const why = hasChromium ? "" : " (skipped: no /usr/bin/chromium)";

const row = (page: Page, patientId: string) => page.locator("tr[data-pid]", { hasText: patientId });

/** Uploads a folder by the dialog, and closes the dialog. */
async function upload(page: Page, folder: string): Promise<void> {
  await page.getByRole("button", { name: "Upload", exact: true }).first().click();
  await page.locator("input[data-pick=folder]").setInputFiles(folder);
  await page.getByText(/^\d+ files?, /).waitFor();
  await page.locator("dialog").getByRole("button", { name: "Upload", exact: true }).click();
  await page.getByRole("button", { name: "Done" }).waitFor();
}

// covers: D1-4.2, D1-4.4, D1-4.5, D1-4.6, D1-4.7, D1-6.3, D1-8.7, D1-8.11, S-4
Deno.test({
  name:
    "sign-in says what is wrong, leads back to the page asked for, and nothing is left after sign-out" +
    why,
  ignore,
  fn: async () => {
    await using site = await startSite();
    const browser = await launchBrowser();
    try {
      const { page, errors } = await openPage(browser, site.url);
      await page.goto("/?size=20");
      assert.equal(new URL(page.url()).pathname, "/login");
      await signInStarts(page);
      await page.waitForFunction(() => document.activeElement?.id === "email");
      await assertAccessible(page, "sign-in");

      const toast = (words: string) =>
        page.locator(".toast").getByText(words, { exact: true }).waitFor();
      await page.keyboard.press("Enter");
      await toast("Please check your Email.");
      await page.locator("#email").fill(EMAIL);
      await page.keyboard.press("Enter");
      await toast("Please check your password.");
      await page.locator("#password").fill("wrong");
      await page.keyboard.press("Enter");
      await toast("Email or password do not match.");
      assert.equal(await page.locator("[aria-invalid=true]").count(), 2);
      const told = page.locator("#password").evaluate((field) =>
        document.getElementById(field.getAttribute("aria-describedby")!)?.textContent
      );
      assert.equal(await told, "Email or password do not match.");
      assert.equal(
        errors.splice(0).length,
        1,
        "the refused sign-in is the only line in the console",
      );

      // with the right password, the page says why the account cannot sign in
      const db = openData(site.dataDir),
        guest = { email: "guest@hospital.test", password: "correct-horse-8" };
      await addUser(db, guest);
      const refused = async (words: string) => {
        await page.locator("#email").fill(guest.email);
        await page.locator("#password").fill(guest.password);
        await page.keyboard.press("Enter");
        await toast(words);
      };
      await setUserState(db, guest.email, "waiting");
      await refused("Waiting for approval.");
      await setUserState(db, guest.email, "device");
      await refused("This is a device account, not a user account.");
      await setUserState(db, guest.email, "suspended");
      await refused("This account has been suspended.");
      await setUserState(db, guest.email, "active");
      await allowNetwork(db, "10.1.0.0/16", null);
      await refused("Unauthorized IP address.");
      await forgetNetwork(db, "10.1.0.0/16");
      await removeUser(db, guest.email);
      await refused("This account cannot be found.");
      for (let n = 0; n < 5; n++) {
        await page.request.post("/api/v1/auth/login", { data: { ...guest, password: "wrong" } });
      }
      await refused("Restricting login attempts. Please try again after a short while.");
      await db.destroy();
      errors.length = 0;

      const forgot = page.getByRole("button", { name: "Forgot Password" });
      await walkDialog(page, forgot, "forgot password");
      await forgot.click();
      await page.getByText("Please contact the hospital administrator to retrieve your password.")
        .waitFor();
      await page.keyboard.press("Escape");
      await page.locator("dialog").waitFor({ state: "detached" });

      await page.getByRole("button", { name: "한국어" }).click();
      await page.getByRole("heading", { name: "로그인" }).waitFor();
      assert.equal(await page.locator("html").getAttribute("lang"), "ko");
      // the page was reloaded
      await signInStarts(page);
      await page.getByRole("button", { name: "EN", exact: true }).click();
      await page.getByRole("heading", { name: "Sign in" }).waitFor();
      await signInStarts(page);
      assert.equal(await page.locator("[aria-invalid=true]").count(), 0);

      await page.locator("#email").fill(EMAIL);
      await page.locator("#password").fill(PASSWORD);
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.pathname === "/" && url.search === "?size=20");
      await page.getByText("No patients yet").waitFor();
      assert.doesNotMatch(await page.locator("main").innerText(), /0–0/);
      assert.equal(await page.evaluate("document.cookie.includes('sulcus_session')"), false);
      await assertAccessible(page, "empty worklist");

      await page.getByRole("button", { name: "Administrator" }).click();
      await page.getByRole("menuitem", { name: "Sign Out" }).click();
      await page.getByText("Are you sure you want to sign out?").waitFor();
      const confirm = page.locator("dialog").getByRole("button", { name: "Sign Out" });
      assert.ok(await confirm.evaluate((button) => button === document.activeElement));
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      assert.ok(
        await page.evaluate(
          "document.activeElement === document.body || !!document.activeElement.closest('dialog')",
        ),
        "the focus stays in the dialog",
      );
      // the response is delayed, during which the page must not send requests
      await page.route("**/auth/logout", async (route) => {
        const response = await route.fetch();
        await new Promise((resolve) => setTimeout(resolve, 500));
        await route.fulfill({ response });
      });
      await confirm.click();
      await waitForSignIn(page);
      await toast(toastText["session.signed_out"].text.en);
      // going back to the worklist leads to the sign-in page and shows nothing
      const asked = page.waitForURL((url) => url.searchParams.get("next") === "/?size=20");
      await page.evaluate("history.back()");
      await asked;
      await waitForSignIn(page);
      assert.equal(await page.getByRole("heading", { name: "Worklist" }).count(), 0);
      assert.deepEqual(errors, []);
      assert.equal(
        await page.evaluate("document.documentElement.dataset.hydrationError"),
        undefined,
      );
    } finally {
      await browser.close();
    }
  },
});

// covers: D1-2.3, D1-2.5, D1-2.8, D1-2.10, D1-2.11, D1-2.14, D1-3.3, D1-4.35, D1-4.36, D1-4.37, D1-5.17
// covers: D1-8.17, D2-4.2
Deno.test({
  // first_patient_test.ts tests a completed analysis
  name: "an uploaded study goes waiting → analysing → failed without reload, and again when asked" +
    why,
  ignore,
  fn: async () => {
    const folder = mkdtempSync(join(tmpdir(), "sulcus-upload-"));
    for (const [name, id] of [["bad", "SHORT-1"], ["mixed", "SHORT-2"]] as const) {
      mkdirSync(join(folder, name));
      for (const file of phantomSeries("short", id)) {
        writeFileSync(join(folder, name, file.fileName), file.bytes);
      }
    }
    writeFileSync(join(folder, "mixed", "notes.txt"), "not an image");
    writeFileSync(join(folder, "mixed", "broken.dcm"), "not DICOM either");
    await using site = await startSite();
    const browser = await launchBrowser();
    try {
      const { page, errors } = await openPage(browser, site.url);
      await signIn(page);
      await page.evaluate("globalThis.wasNotReloaded = true");

      await page.getByRole("button", { name: "Upload", exact: true }).first().click();
      await page.locator("dialog").getByRole("button", { name: "Upload", exact: true }).click();
      await page.getByText(refusalText.noFile.en).waitFor();
      await assertAccessible(page, "upload dialog");
      await page.keyboard.press("Escape");

      await upload(page, join(folder, "mixed"));
      await page.getByText("1 / 1 uploaded").first().waitFor();
      await page.getByText("This is not a DICOM file.").waitFor();
      await assertAccessible(page, "upload result");
      await page.getByRole("button", { name: "Done" }).click();
      await row(page, "SHORT-2").getByText(/Waiting|Analyzing|Failed/).waitFor();
      assert.equal(
        await row(page, "SHORT-2").getByRole("button", { name: OPEN_REPORT }).isDisabled(),
        true,
      );
      await upload(page, join(folder, "bad"));
      await page.getByRole("button", { name: "Done" }).click();
      await row(page, "SHORT-1").getByText("Failed", { exact: true }).waitFor({ timeout: 120_000 });
      await row(page, "SHORT-1").getByRole("img", { name: "T1w Analysis failed." }).hover();
      await row(page, "SHORT-1").getByRole("tooltip", { name: "T1w Analysis failed." }).waitFor();
      await row(page, "SHORT-1").getByText("SHORT-1", { exact: true }).first().dblclick();
      for (
        const words of [
          "T1w Analysis failed.",
          "There are no data available to generate the viewer. ",
        ]
      ) {
        await page.locator(".toast").getByText(words).waitFor();
      }
      await row(page, "SHORT-1").getByRole("button", { name: /the whole head/ }).click();
      await page.locator("dialog").getByText(/the whole head/).waitFor();
      await page.locator("dialog").getByRole("button", { name: "Confirm" }).click();
      await row(page, "SHORT-1").getByRole("button", { name: "Analyze again" }).click();
      await row(page, "SHORT-1").getByText(/Waiting|Analyzing/).waitFor();
      await row(page, "SHORT-1").getByText("Failed", { exact: true }).waitFor({ timeout: 120_000 });

      await row(page, "SHORT-2").getByText("Failed", { exact: true }).waitFor({ timeout: 120_000 });
      // the tray shows failures of automatic and requested analyses
      await page.locator(".tray-button").click();
      for (const id of ["SHORT-1", "SHORT-2"]) {
        await page.locator(".tray-panel li").filter({ hasText: id }).getByText(
          "T1w analysis failed",
        )
          .waitFor();
      }
      await page.locator(".tray-button").click();
      await page.locator(".tray-panel").waitFor({ state: "detached" });
      assert.equal(await page.evaluate("globalThis.wasNotReloaded"), true);
      await assertAccessible(page, "worklist");

      // the address contains search and sorting, and going back undoes them
      await page.getByRole("button", { name: "Patient ID" }).click();
      await page.waitForURL((url) => url.search === "?sort=patient_id&dir=asc");
      assert.match(await page.locator("tr[data-pid]").first().innerText(), /SHORT-1/);
      await page.getByRole("searchbox").fill("short-2");
      await row(page, "SHORT-1").waitFor({ state: "detached" });
      await page.waitForURL((url) => url.searchParams.get("search") === "short-2");
      // going back once undoes the whole search, with any number of letters
      await page.goBack();
      await row(page, "SHORT-1").waitFor();
      assert.equal(new URL(page.url()).search, "?sort=patient_id&dir=asc");
      await page.getByRole("searchbox").fill("nobody");
      await page.getByText("No patients match “nobody”").waitFor();
      await page.getByRole("searchbox").press("Escape");
      await row(page, "SHORT-1").waitFor();
      await page.reload();
      await answersClicks(page);
      assert.match(await page.locator("tr[data-pid]").first().innerText(), /SHORT-1/);
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

// covers: D1-4.3, D1-4.11, D1-4.17, D1-8.6
Deno.test({
  name: "a sign-in elsewhere ends this one with the Multi Login message" + why,
  ignore,
  fn: async () => {
    await using site = await startSite();
    const browser = await launchBrowser();
    try {
      const first = await openPage(browser, site.url), second = await openPage(browser, site.url);
      // the page reloads the list once its socket is open, and then receives events
      const isHeard = (page: Page) =>
        page.waitForRequest((request) => /\/api\/v1\/patients\?/.test(request.url()));
      const hears = isHeard(first.page);
      await signIn(first.page);
      await hears;
      await signIn(second.page);
      await first.page.getByText(
        "New Login Location Detected. You have been automatically logged out.",
      )
        .waitFor();
      // no patient data remain behind the message
      await first.page.locator("main").getByText(/\S/).first().waitFor({ state: "detached" });
      await first.page.locator("dialog").getByRole("button", { name: "Confirm" }).click();
      await first.page.waitForURL("**/login");
      await second.page.reload();
      assert.equal(new URL(second.page.url()).pathname, "/");

      // a sign-in in one tab does not end the other tabs of the browser, which share the new
      // session
      const tab = await second.page.context().newPage(), tabHears = isHeard(tab);
      await tab.goto("/");
      await tabHears;
      const knows = tab.waitForResponse((answer) =>
        answer.url().endsWith("/api/v1/user") && answer.ok()
      );
      await signIn(second.page);
      await knows;
      await tab.getByRole("searchbox").fill("nobody");
      await tab.getByText("No patients match “nobody”").waitFor();
      assert.equal(await tab.getByRole("alertdialog").count(), 0);
    } finally {
      await browser.close();
    }
  },
});
