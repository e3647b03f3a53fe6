// covers: D2-2.20
// The report's page on screen and paper: nothing covers a sheet, and each sheet is one printed
// page.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { pageTitle, reportPageText } from "@/model/text/report/report_page_names.ts";
import { hasChromium, launchBrowser, openPage, signIn, startSite } from "@/tests/e2e/site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";

/** Names of elements that cover a sheet inside the window. */
const overSheets = (page: Page, selector: string) =>
  page.evaluate((selector) => {
    const sheets = [...document.querySelectorAll(".report-sheet")].map((e) =>
      e.getBoundingClientRect()
    );
    return [...document.querySelectorAll(selector)].flatMap((element) => {
      const box = element.getBoundingClientRect();
      const isOver = box.width > 0 && sheets.some((sheet) =>
        box.left < sheet.right && box.right > sheet.left && box.top < sheet.bottom &&
        box.bottom > sheet.top
      );
      return isOver ? [element.textContent ?? ""] : [];
    });
  }, selector);

/**
 * Words that are wider than their cell or extend into a sheet's margin. Drawings and the watermark
 * have their own size.
 */
function wordsOutside(): string[] {
  const outside: string[] = [];
  for (const sheet of document.querySelectorAll(".report-sheet")) {
    const body = sheet.querySelector(".report-body")!.getBoundingClientRect();
    const walker = document.createTreeWalker(sheet.querySelector(".report-body")!, 4);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const words = node.textContent!.trim(), parent = node.parentElement!;
      if (words === "" || parent.closest("svg, .visually-hidden") !== null) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const edge = Math.min(
        body.right,
        parent.closest("td, th")?.getBoundingClientRect().right ?? Infinity,
      );
      const excess = range.getBoundingClientRect().right - edge;
      if (excess > 1) outside.push(`${words}: ${Math.round(excess)} px`);
    }
  }
  return [...new Set(outside)];
}

Deno.test({
  name: `the report's page: beside the sheets, and on paper${
    hasChromium ? "" : " (skipped: needs Chromium)"
  }`,
  ignore: !hasChromium,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t) {
    await using site = await startSite({ env: { SULCUS_LANGUAGE: "ko", TZ: "Asia/Seoul" } });
    await addReported(site.dataDir, 1);
    const browser = await launchBrowser(), { page, errors } = await openPage(browser, site.url);
    page.setDefaultTimeout(20_000);
    try {
      await signIn(page);
      await page.goto("/report/1");
      await page.locator(".report-sheet").first().waitFor();
      await page.locator("[data-island=ReportViewer][data-hydrated]").waitFor({
        state: "attached",
      });

      await t.step(
        "a site in Korean has Korean reports at its own clocks until their reader chooses",
        async () => {
          assert.equal(await page.locator(".report-sheet").first().getAttribute("lang"), "ko");
          const words = await page.locator(".report-sheet").first().innerText();
          assert.match(words, /2026-01-06 10:00 GMT\+9/);
          await page.getByRole("button", { name: "EN", exact: true }).click();
          await page.locator(".report-sheet[lang=en]").first().waitFor();
          // the page keeps its language
          assert.equal(await page.locator("html").getAttribute("lang"), "ko");
        },
      );

      await t.step(
        "pages are chosen one after the other while a slow report has not come",
        async () => {
          const isFree = Promise.withResolvers<void>();
          await page.route(/\/patients\/1\/report\?/, async (route) => {
            await isFree.promise;
            await route.continue();
          });
          const menu = page.locator(".report-menu");
          const boxes = ([512, 1024] as const).map((code) =>
            menu.getByRole("checkbox", { name: reportPageText[code].ko, exact: true })
          );
          const sheets = page.locator(".report-sheet"), count = await sheets.count();
          const titled = async () => {
            const texts = (await sheets.allTextContents()).slice(1);
            return ([512, 1024] as const).filter((code) =>
              texts.some((text) => text.includes(pageTitle[code].en))
            );
          };
          assert.deepEqual(await titled(), [512, 1024]);
          for (const box of boxes) await box.uncheck();
          isFree.resolve();
          await page.waitForFunction(() =>
            !document.querySelector(".report-desk")!.matches("[aria-busy=true]")
          );
          for (const box of boxes) assert.equal(await box.isChecked(), false);
          assert.deepEqual(await titled(), []);
          assert.ok(await sheets.count() < count);
          for (const box of boxes) await box.check();
          await page.unroute(/\/patients\/1\/report\?/);
        },
      );

      for (const [width, height] of [[1024, 768], [1280, 910], [1920, 1080]] as const) {
        await t.step(
          `no button and no message covers a sheet at ${width} × ${height}`,
          async () => {
            await page.setViewportSize({ width, height });
            assert.deepEqual(await overSheets(page, "main button, main a, .report-menu"), []);
            // comparing needs a second study, so a message appears
            await page.locator(".report-menu").getByText(reportPageText[64].ko, { exact: true })
              .click();
            await page.locator(".toast").first().waitFor();
            assert.deepEqual(await overSheets(page, ".toast"), []);
          },
        );
      }

      for (const language of ["en", "ko"] as const) {
        await t.step(
          `no word leaves its cell or the margins of its sheet, ${language}`,
          async () => {
            await page.getByRole("button", {
              name: language === "en" ? "EN" : "한국어",
              exact: true,
            })
              .click();
            await page.locator(`.report-sheet[lang=${language}]`).first().waitFor();
            assert.deepEqual(await page.evaluate(wordsOutside), []);
          },
        );
      }

      await t.step(
        "paper has as many sheets as the report has pages, and no sheet loses its end",
        async () => {
          const cut = await page.locator(".report-body").evaluateAll((bodies) =>
            bodies.flatMap((body, n) => body.scrollHeight > body.clientHeight ? [n + 1] : [])
          );
          assert.deepEqual(cut, []);
          const pages = await page.locator(".report-sheet").count();
          const pdf = new TextDecoder("latin1").decode(await page.pdf({ preferCSSPageSize: true }));
          assert.equal(pdf.match(/\/Type\s*\/Page\b(?!s)/g)?.length, pages);
          assert.ok(pages > 5);
        },
      );
      assert.deepEqual(errors, []);
    } finally {
      await browser.close();
    }
  },
});
