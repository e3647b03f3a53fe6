// A reading study in the browser: set up by an administrator, read in both arms without identity,
// with the results for the administrator. covers: S-252, S-253, S-255
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
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
import { modalText } from "@/model/text/modals.ts";
import { errorText } from "@/model/text/errors.ts";
import { readingStudyText as texts } from "@/model/text/settings/reading_study.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { viewerRegionsText } from "@/model/text/viewer/viewer_regions.ts";
import { textIn } from "@/model/text.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { until } from "@/tests/sites/until.ts";

const READER = "reader@hospital.test", CASES = 4;
const pictures = Deno.env.get("PICTURE_FOLDER");

/** Pictures of a page in both languages and sizes, to be looked at; none without a folder. */
async function photograph(page: Page, name: string, shown: string): Promise<void> {
  if (!pictures) return;
  for (const language of ["ko", "en"]) {
    await page.context().addCookies([{ name: "language", value: language, url: page.url() }]);
    await page.reload();
    await pageStarts(page);
    await page.locator(shown).first().waitFor();
    for (const [width, height] of [[1024, 768], [1280, 910]] as const) {
      await page.setViewportSize({ width, height });
      await page.screenshot({ path: `${pictures}/${name}-${language}-${width}.png` });
    }
  }
}

/** Whether a pane shows an image, that is, more than one colour. */
const isDrawn = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>("[data-plane=axial] canvas");
    if (!canvas || canvas.width === 0) return false;
    const copy = new OffscreenCanvas(64, 64), context = copy.getContext("2d")!;
    context.drawImage(canvas, 0, 0, 64, 64);
    return new Set(context.getImageData(0, 0, 64, 64).data).size > 10;
  });

/** Answers the current case. @returns its arm. */
async function readCase(page: Page, n: number): Promise<"with" | "without"> {
  const room = page.getByTestId("reading-room"), total = 2 * CASES;
  await room.getByText(textIn(texts.place, "en", { n, total })).waitFor();
  const shown = await page.getByTestId("reading-arm").textContent();
  const arm = shown === texts.armWith.en ? "with" : "without";
  await until(() => isDrawn(page));
  const hasControls = await page.getByTestId("overlay-controls").count() > 0;
  assert.equal(hasControls, arm === "with");
  if (arm === "with") {
    await page.getByRole("region", { name: viewerRegionsText.volumes.en }).waitFor();
  }
  assert.equal(await page.getByRole("link", { name: viewerText.report.en }).count(), 0);
  const form = page.getByRole("form", { name: texts.answer.en });
  const submit = form.getByRole("button", { name: texts.submit.en });
  assert.ok(await submit.isDisabled());
  await form.getByRole("radio", { name: String(1 + n % 5), exact: true }).check();
  assert.ok(await submit.isDisabled());
  await form.getByRole("radio", { name: n % 2 ? texts.yes.en : texts.no.en, exact: true }).focus();
  await page.keyboard.press("Space");
  await submit.click();
  const dialog = page.getByRole("alertdialog");
  if (n === 1) {
    // cancelling the confirmation stores nothing
    await dialog.getByRole("button", { name: modalText["reading_study.answer"].cancel!.en })
      .click();
    await submit.click();
  }
  await dialog.getByRole("button", {
    name: modalText["reading_study.answer"].confirm!.en,
    exact: true,
  }).click();
  return arm;
}

browserTest(
  "a reading study is set up, read in both arms and evaluated in the browser",
  async () => {
    const dataDir = await Deno.makeTempDir({ prefix: "sulcus-reading-" });
    const db = await openBeside(dataDir);
    await addQuickUser(db, {
      email: EMAIL,
      password: PASSWORD,
      name: "First",
      isMaintenance: true,
    });
    await addQuickUser(db, { email: READER, password: PASSWORD, name: "Reader", role: "reader" });
    await db.destroy();
    await addReported(dataDir, CASES, 32);
    await using site = await startSite({ dataDir });
    const browser = await launchBrowser();
    try {
      const { page, errors } = await openPage(browser, site.url);
      page.setDefaultTimeout(120_000);
      await signIn(page, EMAIL);
      await page.goto("/reading-studies");
      await pageStarts(page);
      await page.getByText(texts.none.en).waitFor();
      await page.getByLabel(texts.name.en, { exact: true }).fill("Hippocampus");
      await page.getByLabel(texts.question.en, { exact: true }).fill(
        "Is the hippocampus atrophic?",
      );
      await page.getByLabel(texts.washout.en).fill("0");
      await page.getByLabel(texts.positive.en).fill("1, 2");
      await page.getByLabel(texts.negative.en).fill("2 3 4");
      await page.getByLabel(READER).check();
      await page.getByText(textIn(texts.repeated, "en", { pid: 2 })).waitFor();
      assert.ok(await page.getByRole("button", { name: texts.begin.en }).isDisabled());
      await page.getByLabel(texts.negative.en).fill("3 4");
      await assertAccessible(page, "form of a new reading study");
      await page.getByRole("button", { name: texts.begin.en }).click();
      await page.getByRole("heading", { name: texts.progress.en }).waitFor();

      const reading = await openPage(browser, site.url), room = reading.page;
      room.setDefaultTimeout(120_000);
      // not through the worklist, whose findings would count as seen before the answers
      await signIn(room, READER, PASSWORD, "/reading-studies");
      assert.equal(await room.getByRole("button", { name: texts.begin.en }).count(), 0);
      const calls: string[] = [];
      room.on("request", (request) => void calls.push(new URL(request.url()).pathname));
      await room.getByRole("link", { name: texts.read.en }).click();
      const arms: string[] = [];
      const photographed = new Set<string>();
      for (let n = 1; n <= 2 * CASES; n++) {
        await room.getByTestId("reading-arm").waitFor();
        await room.getByText(textIn(texts.place, "en", { n, total: 2 * CASES })).waitFor();
        const arm = (await room.getByTestId("reading-arm").textContent())!;
        if (!photographed.has(arm)) {
          photographed.add(arm);
          await until(() => isDrawn(room));
          await assertAccessible(room, `a reading, ${arm}`);
          await photograph(
            room,
            arm === texts.armWith.en ? "reading-with" : "reading-without",
            "[data-testid=reading-room] canvas",
          );
          // neither the page nor its address identifies the patient
          const page = `${await room.content()} ${room.url()}`;
          assert.doesNotMatch(page, /P-\d|Name \d|1960|2026-01|\/viewer\/|\/report\//);
        }
        arms.push(await readCase(room, n));
      }
      await room.getByText(texts.done.en).waitFor();
      assert.deepEqual([...arms].sort(), [
        ..."with ".repeat(CASES).trim().split(" "),
        ..."without ".repeat(CASES).trim().split(" "),
      ]);
      // the page requested nothing from the clinical record
      const clinical = calls.filter((path) =>
        /^\/(viewer|report)\/|^\/api\/v1\/patients/.test(path)
      );
      assert.deepEqual(clinical, []);
      const files = calls.filter((path) => path.includes("/files/"));
      assert.ok(files.some((path) => path.endsWith("t1w_mask_file")));
      await room.goto("/reading/1");
      await room.getByText(texts.done.en).waitFor();
      await room.goto("/reading-studies");
      await room.getByText(texts.finished.en).waitFor();
      assert.deepEqual(reading.errors, []);
      // expected: the browser logs the refused page
      await room.goto("/reading/99");
      await room.getByText(errorText["entity.not_found"].en).waitFor();

      await page.reload();
      await pageStarts(page);
      await page.getByRole("table").filter({ hasText: texts.differences.en }).waitFor();
      await assertAccessible(page, "results of a reading study");
      await photograph(page, "results", "article table");
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: texts.exportCsv.en }).click(),
      ]);
      const csv = await Deno.readTextFile(await download.path());
      const lines = csv.trim().split("\r\n").slice(1).map((line) => line.split(","));
      assert.equal(lines.length, 2 * CASES);
      assert.ok(
        lines.every((cells) => Number(cells[9]) > 0 && Number(cells[9]) <= Number(cells[10])),
      );
      // results are unchanged, and no case was known outside of the study
      assert.ok(lines.every((cells) => cells.slice(-2).join() === "0,0"));
      assert.equal(await page.getByText(texts.knownHint.en).count(), 0);
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
    }
    await Deno.remove(dataDir, { recursive: true }).catch(() => {});
  },
);
