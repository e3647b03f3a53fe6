// Acceptance of a scanner in the browser: started by an administrator, pictures checked by a
// reader, signed by two people, printed. covers: S-151, S-152, S-154, S-155
import assert from "node:assert/strict";
import type { Browser, Page } from "@playwright/test";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import {
  browserTest,
  EMAIL,
  launchBrowser,
  openPage,
  pageStarts,
  PASSWORD,
  signIn,
  startSite,
} from "@/tests/e2e/site.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import {
  CHARTED_LABELS,
  measureAgain,
  ROUTINE_PROTOCOL,
  ROUTINE_SCANNER,
} from "@/tests/sites/routine_site.ts";
import { insertStop } from "@/server/core/norms/storage/stops.ts";
import { findingText } from "@/model/text/worklist/finding.ts";
import { reportText } from "@/model/text/report/report.ts";
import { stopsText } from "@/model/text/settings/stops.ts";
import { viewerRegionsText } from "@/model/text/viewer/viewer_regions.ts";
import { modalText } from "@/model/text/modals.ts";
import { acceptanceText } from "@/model/text/settings/acceptance.ts";
import { textIn } from "@/model/text.ts";
import { hasPoppler, runOnPdf } from "@/report/pdf/pdf_tools_fixture.ts";

const SECOND = "second@hospital.test", READER = "reader@hospital.test", STUDIES = 24;
const STOPPED = "GE Premier 9";
const pictures = Deno.env.get("PICTURE_FOLDER");

/** Signs a user in and opens the page of acceptance tests. */
async function opened(browser: Browser, url: string, email: string): Promise<Page> {
  const { page, errors } = await openPage(browser, url);
  page.setDefaultTimeout(120_000);
  await signIn(page, email);
  await page.goto("/acceptance");
  await pageStarts(page);
  page.on("close", () => assert.deepEqual(errors, []));
  return page;
}

/** Pictures of a page in both languages and sizes, to be looked at; none without a folder. */
async function photograph(
  page: Page,
  name: string,
  shown = "main :is(table, article)",
): Promise<void> {
  for (const language of pictures ? ["ko", "en"] : []) {
    await page.context().addCookies([{ name: "language", value: language, url: page.url() }]);
    await page.reload();
    await pageStarts(page);
    await page.locator(shown).first().waitFor();
    for (const [width, height] of [[1024, 768], [1280, 910]] as const) {
      await page.setViewportSize({ width, height });
      await page.screenshot({
        path: `${pictures}/${name}-${language}-${width}.png`,
        fullPage: true,
      });
    }
    const path = `${pictures}/${name}-${language}.pdf`;
    await Deno.writeFile(path, await page.pdf({ format: "A4", printBackground: true }));
  }
}

// covers: S-214
/** Answers the first two pictures in the viewer: by mouse, by keyboard, changed, and not for another study. */
async function answerInViewer(sheet: Page): Promise<void> {
  const [viewer] = await Promise.all([
    sheet.waitForEvent("popup"),
    sheet.getByRole("link", { name: acceptanceText.view.en }).first().click(),
  ]);
  viewer.setDefaultTimeout(120_000);
  const bar = viewer.getByTestId("acceptance-check");
  const pressed = (name: string) => bar.getByRole("button", { name, pressed: true }).waitFor();
  await bar.getByText(textIn(acceptanceText.inViewer, "en", { id: 1, n: 1, all: 10 })).waitFor();
  await assertAccessible(viewer, "viewer with the answers of an acceptance test");
  await bar.getByRole("button", { name: acceptanceText.wrong.en }).click();
  await pressed(acceptanceText.wrong.en);
  await viewer.keyboard.press("7");
  await pressed(acceptanceText.right.en);
  await bar.getByText(textIn(acceptanceText.checkedCount, "en", { n: 1, all: 10 })).waitFor();
  await photograph(viewer, "viewer-check", "[data-testid=acceptance-check]");
  await bar.getByRole("link", { name: acceptanceText.nextPicture.en }).click();
  await bar.getByText(textIn(acceptanceText.inViewer, "en", { id: 1, n: 2, all: 10 })).waitFor();
  await viewer.keyboard.press("9");
  await pressed(acceptanceText.unclear.en);
  await viewer.keyboard.press("7");
  await pressed(acceptanceText.right.en);
  // the answer to a picture is not given beside another study
  const address = new URL(viewer.url());
  address.searchParams.set("picture", "5");
  await viewer.goto(address.href);
  await bar.getByText(acceptanceText.otherStudy.en).waitFor();
  await viewer.keyboard.press("8");
  assert.equal(await bar.getByRole("button").count(), 0);
  await viewer.close();
  await sheet.reload();
  await pageStarts(sheet);
  await sheet.waitForFunction(() =>
    document.querySelectorAll("fieldset:enabled [aria-pressed=true]").length === 2
  );
}

browserTest("a scanner is accepted in the browser by a reader and two administrators", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-acceptance-" });
  await addReported(dataDir, STUDIES, 40);
  await measureAgain(dataDir, STUDIES, 0, 3, CHARTED_LABELS, { keepsGrid: true });
  const db = await openBeside(dataDir);
  for (
    const [email, role] of [
      [EMAIL, "administrator"],
      [SECOND, "administrator"],
      [READER, "reader"],
    ] as const
  ) await addQuickUser(db, { email, password: PASSWORD, name: null, role });
  // the last study is of a scanner that has been stopped
  await db.updateTable("series").set({ scanner: STOPPED }).where("pid", "=", STUDIES).execute();
  await insertStop(db, {
    scanner: STOPPED,
    protocol: ROUTINE_PROTOCOL,
    since: "2026-01-02",
    moved: [{ name: "overall", direction: "lower", date: "2026-01-02" }],
    stoppedAt: "2026-02-03T00:00:00.000Z",
  });
  await db.destroy();
  await using site = await startSite({ dataDir });
  const browser = await launchBrowser();
  try {
    const page = await opened(browser, site.url, EMAIL);
    await page.getByRole("cell", { name: ROUTINE_SCANNER }).waitFor();
    assert.equal(await page.getByRole("cell", { name: ROUTINE_PROTOCOL }).count(), 2);
    await assertAccessible(page, "scanners not accepted");
    await photograph(page, "list");
    await page.getByRole("combobox", { name: acceptanceText.scanner.en }).selectOption({
      label: `${ROUTINE_SCANNER} · ${ROUTINE_PROTOCOL}`,
    });
    await page.getByRole("button", { name: acceptanceText.begin.en, exact: true }).click();
    await page.getByRole("heading", { name: /^Acceptance test 1 –/ }).waitFor();
    await page.getByText(acceptanceText.checkFirst.en).waitFor();
    await assertAccessible(page, "acceptance test to be checked");
    await photograph(page, "checking");

    const reading = await opened(browser, site.url, READER);
    assert.equal(await reading.getByRole("button", { name: acceptanceText.begin.en }).count(), 0);
    await reading.getByRole("link", { name: textIn(acceptanceText.open, "en", { id: 1 }) })
      .click();
    const groups = reading.getByRole("group", { name: /^Segmentation of study/ });
    await groups.first().waitFor();
    assert.equal(await groups.count(), 10);
    await answerInViewer(reading);
    for (let place = 2; place < 10; place++) {
      const right = groups.nth(place).getByRole("button", {
        name: acceptanceText.right.en,
        exact: true,
      });
      await right.click();
      await reading.waitForFunction(
        (n) => document.querySelectorAll("fieldset:enabled [aria-pressed=true]").length === n + 1,
        place,
      );
    }
    assert.equal(await reading.getByRole("button", { name: acceptanceText.sign.en }).count(), 0);
    await reading.close();

    await page.reload();
    await pageStarts(page);
    await page.getByRole("radio", { name: acceptanceText.percentiles.en }).check();
    await page.getByLabel(acceptanceText.remark.en).fill("Room 2");
    await page.getByRole("button", { name: acceptanceText.sign.en, exact: true }).click();
    await page.getByText(acceptanceText.ownSignature.en).waitFor();
    assert.equal(
      await page.getByRole("button", { name: acceptanceText.countersign.en }).count(),
      0,
    );

    const other = await opened(browser, site.url, SECOND);
    await other.getByRole("link", { name: textIn(acceptanceText.open, "en", { id: 1 }) }).click();
    await other.getByRole("button", { name: acceptanceText.countersign.en }).click();
    const use = textIn(acceptanceText.inUse, "en", { use: acceptanceText.percentiles.en });
    await other.getByRole("heading", { name: acceptanceText.accepted.en }).waitFor();
    await other.getByText(use).waitFor();
    await assertAccessible(other, "acceptance in force");
    await photograph(other, "accepted");

    // on paper: everything that is signed, and none of the controls
    const pdf = await other.pdf({ format: "A4", printBackground: true });
    const text = hasPoppler ? await runOnPdf("pdftotext", ["-layout", "", "-"], pdf) : null;
    const words = text?.replaceAll(/\s+/g, " ");
    if (words) {
      for (
        const said of [
          ROUTINE_SCANNER,
          use,
          acceptanceText.limitsText.en.slice(0, 40),
          "Room 2",
          EMAIL,
          SECOND,
          READER,
          acceptanceText.secondSignature.en,
        ]
      ) assert.ok(words.includes(said), `${said} in ${words}`);
      for (const hidden of [acceptanceText.undo.en, acceptanceText.view.en]) {
        assert.ok(!words.includes(hidden), hidden);
      }
    }
    await other.getByRole("button", { name: acceptanceText.undo.en }).click();
    await other.getByRole("alertdialog")
      .getByRole("button", { name: modalText["acceptance.undo"].confirm!.en, exact: true })
      .click();
    await other.getByRole("heading", { name: acceptanceText.revoked.en }).waitFor();

    // the stopped scanner: why its studies have no percentiles, and the decision of two people
    await page.goto(`/report/${STUDIES}`);
    await page.getByText(reportText.scannerStopped.en).first().waitFor();
    await photograph(page, "stopped-report", ".report-sheet");
    await page.goto("/");
    await page.getByText(findingText.stopped.en).first().waitFor();
    assert.equal(await page.getByText(findingText.stopped.en).count(), 1);
    await photograph(page, "stopped-list", "table");
    await page.goto(`/viewer/${STUDIES}`);
    await page.getByRole("note").filter({ hasText: viewerRegionsText.reasonStopped.en })
      .waitFor();
    await photograph(page, "stopped-viewer", "[role=note]");
    await page.goto("/acceptance");
    await pageStarts(page);
    const reasonField = page.getByLabel(
      textIn(stopsText.reasonOf, "en", { scanner: STOPPED }),
    );
    await reasonField.waitFor();
    await assertAccessible(page, "a scanner with percentiles withheld");
    await photograph(page, "stops");
    await reasonField.fill("Coil replaced");
    await page.getByRole("button", { name: stopsText.release.en }).click();
    await page.getByText(stopsText.own.en).waitFor();
    await other.goto("/acceptance");
    await pageStarts(other);
    await other.getByRole("button", { name: stopsText.agree.en, exact: true }).click();
    await other.getByText(`${EMAIL} and ${SECOND} released the percentiles`).waitFor();
    await page.goto("/");
    await page.getByRole("row").nth(1).waitFor();
    await page.getByText(findingText.stopped.en).waitFor({ state: "detached" });
    await other.close();
    await page.close();
  } finally {
    await browser.close();
  }
  await Deno.remove(dataDir, { recursive: true }).catch(() => {});
});
