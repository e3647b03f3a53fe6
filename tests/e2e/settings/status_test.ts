// The page Server: for maintenance users, for other users, and the messages that all users see.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { openData } from "@/server/core/mod.ts";
import { grantCredits, setLicense } from "@/server/core/site/service/license_grant.ts";
import { returnCredit, spendCredit } from "@/server/core/site/service/license.ts";
import { addUser } from "@/server/core/accounts/service/users.ts";
import { assertAccessible, walkDialog } from "@/tests/e2e/accessibility.ts";
import {
  EMAIL,
  launchBrowser,
  missingForBrowser,
  openPage,
  pageStarts,
  signIn,
  startSite,
} from "@/tests/e2e/site.ts";
import { until } from "@/tests/sites/until.ts";
import { creditsText } from "@/model/text/account/credits.ts";
import { connectionText } from "@/model/text/site/connections.ts";
import { textIn } from "@/model/text.ts";

const why = missingForBrowser && ` (skipped: ${missingForBrowser})`;
const OTHER = "reader@hospital.test", PASSWORD = "correct-horse-8";

Deno.test({
  name:
    "maintenance users have a status page, others have 403; a full disk, credits and a refresh are told" +
    why,
  ignore: missingForBrowser !== "",
  async fn(t) {
    await using site = await startSite();
    const db = openData(site.dataDir);
    await addUser(db, { email: OTHER, name: "Reader", password: PASSWORD, role: "reader" });
    await setLicense(db, { isCounted: true });
    await grantCredits(db, 20);
    await spendCredit(db, { analysisId: 1, pid: 7, userId: 1 });
    await returnCredit(db, [1]);
    await db.destroy();
    const browser = await launchBrowser();
    const step = async (name: string, body: () => Promise<void>) => {
      if (!await t.step(name, body)) throw new Error(`${name}: failed`);
    };
    try {
      const { page, errors } = await openPage(browser, site.url);
      await signIn(page);

      // covers: D1-7.7
      await step("the menu leads to the server's storage, versions, workers and jobs", async () => {
        await page.locator("header button[aria-haspopup=menu]").click();
        await page.getByRole("menuitem", { name: "Server status" }).click();
        await page.waitForURL("**/status");
        for (const words of ["Storage", "Versions", "Workers", "Jobs", "No jobs yet."]) {
          await page.getByText(words, { exact: true }).waitFor();
        }
        await page.locator("[data-island=ServerStatus][data-hydrated]").waitFor({
          state: "attached",
        });
        await assertAccessible(page, "status, server");
      });

      await step("connections, accounts and deleted studies have a tab each", async () => {
        const tabs = [["Connections", "DICOM receiver"], ["Accounts", OTHER], [
          "Deleted studies",
          "No deleted studies",
        ]];
        for (const [name, words] of tabs) {
          await page.getByRole("tab", { name }).click();
          await page.getByText(words!).first().waitFor();
          await assertAccessible(page, `status, ${name}`);
        }
      });

      await step(
        "a connected system is removed, and its key renewed, when that is confirmed",
        async () => {
          await page.evaluate(async () => {
            const config = { ae_title: "ARCHIVE", host: "127.0.0.1", port: 11112 };
            const answer = await fetch("/api/v1/connections/peers", {
              method: "POST",
              headers: { "content-type": "application/json" },
              body: JSON.stringify({ name: "Archive", kind: "dicom", config }),
            });
            if (!answer.ok) throw new Error(await answer.text());
          });
          await page.reload();
          await pageStarts(page);
          await page.getByRole("tab", { name: "Connections" }).click();
          const row = page.getByRole("row").filter({ hasText: "Archive" });
          const question = page.getByRole("alertdialog"),
            key = page.locator("main code.select-all");
          const press = (name: string) => row.getByRole("button", { name, exact: true }).click();
          const dismissed = async (name: string) => {
            await press(name);
            await question.waitFor();
            await page.keyboard.press("Escape");
            await question.waitFor({ state: "detached" });
          };
          // asks before sending a test image, which would stay in the archive
          await dismissed("Test image");
          // the first key needs no confirmation, because it replaces none
          await press(connectionText.newKey.en);
          await key.waitFor();
          const first = await key.innerText();
          await dismissed(connectionText.renewKey.en);
          assert.equal(await key.innerText(), first);
          await press(connectionText.renewKey.en);
          await question.getByRole("button", { name: connectionText.renewKey.en }).click();
          await until(async () => await key.innerText() !== first);
          await dismissed("Delete");
          assert.equal(await row.count(), 1);
          await press("Delete");
          await question.getByText("Results still waiting to be sent to this system (0)").waitFor();
          await question.getByRole("button", { name: "Delete" }).click();
          await row.waitFor({ state: "detached" });
        },
      );

      await step("rules are put in order, and are not lost with their tab", async () => {
        const question = page.getByRole("alertdialog"),
          routing = page.getByRole("region", { name: "Rules" });
        const stations = routing.getByRole("textbox", { name: "Station" });
        const button = (name: RegExp) => routing.getByRole("button", { name });
        // waits until saving has ended: then there is nothing to save
        const save = async () => {
          await button(/^Save$/).click();
          await until(async () =>
            await button(/^Save$/).isDisabled() && await button(/^Test on/).isEnabled()
          );
        };
        for (const [at, name] of ["FIRST", "SECOND"].entries()) {
          await routing.getByRole("button", { name: "Add rule" }).click();
          await stations.nth(at).fill(name);
        }
        await routing.getByRole("button", { name: "Move up" }).nth(1).click();
        assert.deepEqual(await Promise.all([0, 1].map((at) => stations.nth(at).inputValue())), [
          "SECOND",
          "FIRST",
        ]);
        await page.getByRole("tab", { name: "Accounts" }).click();
        await question.waitFor();
        await page.keyboard.press("Escape");
        await question.waitFor({ state: "detached" });
        assert.equal(await stations.nth(0).inputValue(), "SECOND");
        await save();
        await page.getByRole("tab", { name: "Accounts" }).click();
        await page.getByText(OTHER).first().waitFor();
        // users cannot lock their own account
        const own = page.getByRole("row").filter({ hasText: EMAIL });
        assert.equal(await own.getByRole("button").count(), 0);
        assert.equal(await own.getByRole("combobox").isDisabled(), true);
        await page.getByRole("tab", { name: "Connections" }).click();
        await until(async () => await stations.count() === 2);
        assert.equal(await stations.nth(0).inputValue(), "SECOND");
        // rows are deleted without a question, because they are unsaved
        for (let n = 0; n < 2; n++) {
          await routing.getByRole("button", { name: "Delete" }).first().click();
        }
        await save();
      });

      await step("the audit log is searched, verified and saved as CSV, by keyboard", async () => {
        await page.getByRole("tab", { name: "Connections" }).click();
        await page.keyboard.press("ArrowRight");
        await page.getByRole("table", { name: "Audit log" }).waitFor();
        await page.getByLabel(/^Search by event/).fill("auth.login");
        await page.keyboard.press("Enter");
        await page.getByText("1–1 of 1").waitFor();
        await page.getByRole("button", { name: "Verify" }).click();
        await page.getByText(
          /^The log is intact: \d+ entries, verified up to entry \d+\. Last hash: [0-9a-f]{64}$/,
        ).waitFor();
        await assertAccessible(page, "status, audit log");
        const saving = page.waitForEvent("download");
        await page.getByRole("link", { name: "Export CSV" }).click();
        const saved = await saving;
        assert.match(saved.suggestedFilename(), /^audit_\d{4}-\d\d-\d\d\.csv$/);
        const csv = await readFile(await saved.path(), "utf8");
        assert.equal(csv.trimEnd().split("\r\n").length, 2);
        assert.match(csv, /auth\.login/);
      });

      // covers: D1-7.5
      await step("the credits are listed, by day, kind and order, and by month", async () => {
        await page.getByRole("tab", { name: "Audit log" }).focus();
        await page.keyboard.press("End");
        const log = page.getByRole("table", { name: "Log" });
        await log.getByText(textIn(creditsText.analysisOf, "en", { pid: 7 })).waitFor();
        await assertAccessible(page, "status, credits");
        await page.getByLabel("Order").selectOption("asc");
        await log.locator("tbody tr").first().getByText(creditsText.added.en).waitFor();
        await page.getByLabel(creditsText.kind.en).selectOption("rolledBack");
        await log.getByText(textIn(creditsText.analysisOf, "en", { pid: 7 })).waitFor({
          state: "detached",
        });
        await log.getByText(textIn(creditsText.backOf, "en", { pid: 7 })).waitFor();
        const month = page.getByRole("table", { name: "By month" }).locator("tbody tr");
        assert.deepEqual(
          await month.locator("td").allInnerTexts().then((cells) => cells.slice(1)),
          [
            "1",
            "1",
          ],
        );
        await page.getByRole("textbox", { name: "To", exact: true }).fill("2020-01-01");
        await page.getByText(creditsText.noEntries.en).waitFor();
        await page.getByText(creditsText.noneUsed.en).waitFor();
      });

      // covers: S-7
      await step("everybody reaches the log of credits from the header", async () => {
        const credits = page.getByRole("button", { name: "20 credits left" });
        await credits.click();
        const dialog = page.getByRole("dialog", { name: "Credits" });
        await dialog.getByText(creditsText.added.en).waitFor();
        await page.keyboard.press("Escape");
        await walkDialog(page, credits, "credits");
      });

      // covers: D1-8.4
      await step("a disk that fills up is told by its colour, once, and leads home", async () => {
        const told: [usage: number, level: string][] = [[81, "warn"], [96.4, "error"]];
        for (const [disk_usage, level] of told) {
          await page.route(
            "**/api/v1/status",
            (route) => route.fulfill({ json: { disk_usage, disk_warn: 80, disk_error: 95 } }),
          );
          await page.goto("/");
          const modal = page.getByRole("alertdialog");
          await modal.getByRole("heading", {
            name: `Low on server storage (${Math.round(disk_usage)}\u00a0% full)`,
          })
            .waitFor();
          await modal.locator(`[data-level=${level}]`).waitFor();
          await assertAccessible(page, `storage, ${level}`, "dialog");
          await modal.getByRole("button", { name: "Confirm" }).click();
          await modal.waitFor({ state: "detached" });
          await page.unroute("**/api/v1/status");
        }
      });

      // covers: D1-4.12, D1-7.6
      await step(
        "a token that ends during work is renewed over the socket, and the page stays",
        async () => {
          const sent: string[] = [];
          await page.routeWebSocket("**/api/v1/ws", (socket) => {
            const server = socket.connectToServer();
            server.onMessage((message) => socket.send(message));
            socket.onMessage((message) => {
              sent.push(String(message));
              server.send(message);
            });
            setTimeout(
              () => socket.send(JSON.stringify({ event: "auth_token_expired", uid: 1 })),
              300,
            );
            // the event is about another user, so the page ignores it
            setTimeout(
              () => socket.send(JSON.stringify({ event: "auth_token_expired", uid: 2 })),
              100,
            );
          });
          await page.goto("/");
          await until(() => sent.length > 0);
          assert.deepEqual(sent.map((text) => JSON.parse(text).event), ["auth_token_update"]);
          assert.equal(new URL(page.url()).pathname, "/");
          assert.equal(await page.getByRole("alertdialog").count(), 0);
        },
      );
      assert.deepEqual(errors, []);

      // covers: D1-4.13, D1-8.5, D1-8.12
      await step(
        "one that cannot be renewed is told in a toast, and the person signs in again",
        async () => {
          const answers: [status: number, code: string, words: string][] = [
            [502, "core.unreachable", "Occured an issue with the refresh token."],
            [401, "token.expired", "There seems to be an issue with the refresh token."],
          ];
          for (const [status, code, words] of answers) {
            await page.route(
              "**/api/v1/user",
              (route) => route.fulfill({ status, json: { status, code } }),
            );
            await page.goto("/");
            await page.locator(".toast").getByText(words).waitFor();
            await page.unroute("**/api/v1/user");
          }
          const modal = page.getByRole("alertdialog", { name: "Session Timeout" });
          await modal.getByText("Your session has expired. Please login again.").waitFor();
          await modal.getByRole("button", { name: "Confirm" }).click();
          await page.waitForURL("**/login");
        },
      );

      // covers: D1-6.2
      await step("who has no maintenance permission is sent to /403", async () => {
        const reader = await openPage(browser, site.url);
        await signIn(reader.page, OTHER, PASSWORD);
        await reader.page.locator("header button[aria-haspopup=menu]").click();
        await reader.page.getByRole("menuitem", { name: "My Page" }).waitFor();
        assert.equal(await reader.page.getByRole("menuitem", { name: "Server status" }).count(), 0);
        await reader.page.goto("/status");
        assert.equal(new URL(reader.page.url()).pathname, "/403");
        await reader.page.getByText("Unable to access the page.").waitFor();
        for (const path of ["status/details", "audit", "audit/verify", "audit/export"]) {
          const answer = await reader.page.request.get(`${site.url}/api/v1/${path}`);
          assert.equal(answer.status(), 403, path);
        }
      });
    } finally {
      await browser.close();
    }
  },
});
