// The list at the widths of hospital screens, in both languages, with few and many rows.
// PICTURES_DIR=FOLDER stores a screenshot of each.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { LANGUAGES } from "@/model/text.ts";
import { addStudies, setCompleted } from "@/tests/sites/stored_studies.ts";
import { hasChromium, launchBrowser, openPage, signIn, startSite } from "@/tests/e2e/site.ts";
import { until } from "@/tests/sites/until.ts";

const why = hasChromium ? "" : " (skipped: no /usr/bin/chromium)";
const WIDTHS = [[1024, 768], [1280, 910], [1920, 1080]] as const, SIZES = [5, 20] as const;
const STUDIES = 24;
const NAMES = ["김하늘", "Hong Gildong", "Nguyễn Thị Minh Khai", "山田 太郎", "Müller Jürgen"];
const LONG = {
  patientId: "KR-SNUH-2026-0000000000012345",
  patientName: "Wolfeschlegelsteinhausenbergerdorff Hubert Blaine Christian Maximilian",
};

/** Texts cut off without a title, wrapped IDs and dates, and parts outside of the window. */
const measure = () => {
  const isTold = (element: Element | null): boolean =>
    element !== null &&
    (element.hasAttribute("title") || element.hasAttribute("aria-describedby") ||
      isTold(element.parentElement));
  const hasText = (element: Element) =>
    [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent!.trim() !== "");
  const seen = [...document.body.querySelectorAll<HTMLElement>("body *")].filter((element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    !element.closest(".visually-hidden") && hasText(element)
  );
  const cut = seen.filter((element) => {
    const isClipped = getComputedStyle(element).overflowX !== "visible";
    return isClipped && element.scrollWidth > element.clientWidth + 1 && !isTold(element);
  });
  /** Whether a cell's visible texts are on several lines. */
  const isWrapped = (cell: Element) => {
    const words = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), rects: DOMRect[] = [];
    for (let node = words.nextNode(); node; node = words.nextNode()) {
      if (node.parentElement!.closest(".visually-hidden")) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      rects.push(...range.getClientRects());
    }
    return rects.some(({ top }) => top >= Math.min(...rects.map(({ bottom }) => bottom)) - 1);
  };
  const single = ["patientId", "number", "birth", "study", "age", "sex"].map((key) =>
    `td.col-${key}`
  );
  const wrapped = [...document.querySelectorAll(single.join())].filter((cell) =>
    // long IDs may wrap in a narrow window
    isWrapped(cell) && (cell.textContent!.length <= 24 || innerWidth >= 1600)
  );
  const outside = [...document.querySelectorAll("header *, [role=toolbar] *, nav *, button")]
    .filter((element) =>
      element.checkVisibility({ visibilityProperty: true }) && !element.closest(".worklist-scroll")
    )
    .filter((element) => {
      const { left, right, width } = element.getBoundingClientRect();
      return width > 0 && (left < -1 || right > innerWidth + 1);
    });
  const name = (element: Element) =>
    `${element.tagName}.${element.className}: ${element.textContent!.slice(0, 40)}`;
  return {
    cut: cut.map(name),
    wrapped: wrapped.map(name),
    outside: outside.map(name),
    isWide: document.documentElement.scrollWidth > innerWidth + 1,
  };
};

async function show(page: Page, url: string, language: string, size: number, isLong: boolean) {
  await page.context().addCookies([{ name: "language", value: language, url }]);
  await page.goto(isLong ? `/?size=${size}&search=SNUH` : `/?size=${size}`);
  await page.locator("[data-island=Worklist][data-hydrated]").waitFor({ state: "attached" });
  const count = isLong ? 1 : Math.min(size, STUDIES);
  await until(async () => await page.locator("tr[data-pid]").count() === count);
  await page.evaluate(() => document.fonts.ready);
}

// covers: S-188
Deno.test({
  name: `no text of the list is cut without its title, at any width, in any language${why}`,
  ignore: !hasChromium,
  async fn() {
    const folder = Deno.env.get("PICTURES_DIR");
    await using site = await startSite();
    await addStudies(site.dataDir, STUDIES, (n) =>
      n === 22 ? LONG : {
        patientId: n === 20 ? "" : `P-${1000 + n}`,
        patientName: n === 20 ? "" : NAMES[n % NAMES.length]!,
        birthDate: n === 18 ? "1900-01-01" : "1960-05-20",
        sex: n % 2 ? "male" : "female",
      });
    for (const pid of [24, 22, 21, 19]) {
      await setCompleted(site.dataDir, pid, "2026-02-03T10:00:00Z");
    }
    const browser = await launchBrowser();
    try {
      const { page } = await openPage(browser, site.url);
      await signIn(page);
      for (const [width, height] of WIDTHS) {
        await page.setViewportSize({ width, height });
        for (const language of LANGUAGES) {
          for (
            const [size, isLong] of [...SIZES.map((n) => [n, false] as const), [5, true]] as const
          ) {
            const name = `${width}_${language}_${isLong ? "long" : size}`;
            await show(page, site.url, language, size, isLong);
            if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
            const { cut, wrapped, outside, isWide } = await page.evaluate(measure);
            assert.deepEqual([cut, wrapped, outside, isWide], [[], [], [], false], name);
          }
        }
      }
    } finally {
      await browser.close();
    }
  },
});
