import assert from "node:assert/strict";
import type { Locator, Page } from "@playwright/test";
import axe from "axe-core";

/** Waits until animations have ended, because colours differ while a dialog appears. */
async function animationsEnd(page: Page): Promise<void> {
  await page.evaluate(() =>
    Promise.allSettled(
      document.getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
        .map(({ finished }) => finished),
    )
  );
}

/**
 * Fails on every finding of axe on the page, or on the part given by a selector.
 * axe stays in the page and describes only its findings, which takes a seventh of its driver's
 * time.
 */
export async function assertAccessible(page: Page, where: string, part = "html"): Promise<void> {
  await animationsEnd(page);
  if (!await page.evaluate(() => "axe" in globalThis)) await page.evaluate(axe.source);
  const found = await page.evaluate(async (part) => {
    const inPage = (globalThis as unknown as { axe: typeof axe }).axe;
    // without preloading stylesheets and media, which only rules about films need; with the rule
    // about the size of controls (WCAG 2.2, 2.5.8), which is off by default
    const rules = { "target-size": { enabled: true } };
    const { violations } = await inPage.run(part, {
      resultTypes: ["violations"],
      preload: false,
      rules,
    });
    // `assertReachable()` checks elements that are covered by sticky ones
    const isCovered = ({ any }: { any: { data?: { messageKey?: string } }[] }) =>
      any.some(({ data }) => data?.messageKey === "partiallyObscured");
    return violations.flatMap(({ id, nodes }) => {
      const found = nodes.filter((node) => !isCovered(node));
      return found.length === 0 ? [] : [`${id}: ${found[0]!.html}`];
    });
  }, part);
  assert.deepEqual(found, [], where);
}

/** Checks that Tab stays inside the open dialog for a whole round, also backwards. */
export async function assertTrapped(page: Page, where: string): Promise<void> {
  const places = await page.locator("dialog[open]").last().locator(
    "button, a[href], input, select, textarea, [tabindex]",
  ).count();
  const outside = await page.evaluateHandle(() => {
    const seen: string[] = [];
    addEventListener("focusin", ({ target }) => {
      if (target instanceof Element && !target.closest("dialog[open]")) {
        seen.push(target.outerHTML.slice(0, 80));
      }
    });
    return seen;
  });
  for (let n = 0; n < Math.min(places, 40) + 3; n++) {
    await page.keyboard.press(n === 0 ? "Shift+Tab" : "Tab");
  }
  assert.deepEqual(await outside.jsonValue(), [], `${where}: Tab leads out of the dialog`);
}

/**
 * Goes through a dialog by keyboard: Enter on its button opens it, Tab stays inside, Escape closes
 * it, and the focus returns. Also fails on findings of axe.
 */
export async function walkDialog(page: Page, opener: Locator, where: string): Promise<void> {
  await opener.focus();
  await page.keyboard.press("Enter");
  const dialog = page.locator("dialog[open]");
  await dialog.waitFor();
  await dialog.locator("[aria-busy=true]").waitFor({ state: "detached" });
  await assertAccessible(page, where, "dialog");
  await assertTrapped(page, where);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  const button = await opener.elementHandle();
  await page.waitForFunction((element) => document.activeElement === element, button).catch(() => {
    throw new Error(`${where}: the focus does not come back`);
  });
}

/**
 * Fails if a control cannot be reached by vertical scrolling alone: it is outside of the window,
 * clipped, or covered. Only tables may scroll horizontally.
 */
export async function assertReachable(page: Page, where: string): Promise<void> {
  await animationsEnd(page);
  const lost = await page.evaluate(() => {
    const lost: string[] = [],
      open = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;
    const named = (element: Element) =>
      `${element.getAttribute("aria-label") ?? element.textContent?.trim().slice(0, 30)}: ${
        element.outerHTML.slice(0, 90)
      }`;
    const wide = document.documentElement.scrollWidth - innerWidth;
    if (wide > 0) lost.push(`the page is ${wide} px too wide`);
    const controls = open.querySelectorAll<HTMLElement>(
      "button, a[href], input, select, textarea, summary, [role=tab], [role=menuitem], [role=treeitem]",
    );
    for (const control of controls) {
      const style = getComputedStyle(control), size = control.getBoundingClientRect();
      // invisible, or for screen readers only: its label or button represents it
      if (size.width <= 2 || size.height <= 2 || style.visibility === "hidden") continue;
      if (control.closest("[inert], [popover]:not(:popover-open)")) continue;
      control.scrollIntoView({ block: "center", inline: "center" });
      const box = control.getBoundingClientRect();
      let sideways: Element | null = null;
      for (let each = control.parentElement; each; each = each.parentElement) {
        const { overflowX } = getComputedStyle(each), around = each.getBoundingClientRect();
        if (overflowX === "visible") continue;
        const scrolls = overflowX === "auto" || overflowX === "scroll";
        if (scrolls && each.scrollWidth > each.clientWidth + 1) sideways ??= each;
        if (!scrolls && (box.left < around.left - 2 || box.right > around.right + 2)) {
          lost.push(`cut off: ${named(control)}`);
        }
      }
      if (sideways && !sideways.querySelector("table")) {
        lost.push(`scrolled to sideways: ${named(control)}`);
      }
      if (!sideways && (box.left < -1 || box.right > innerWidth + 1)) {
        lost.push(`out of the window: ${named(control)}`);
      }
      const x = Math.min(Math.max(box.left + box.width / 2, 1), innerWidth - 1),
        y = box.top + box.height / 2;
      const hit = document.elementFromPoint(x, y);
      // a toast over the header closes by itself
      const isDropped = hit?.closest("header") && !control.closest("header");
      if (style.pointerEvents === "none" || isDropped) continue;
      const isIt = hit !== null &&
        (control.contains(hit) || hit.contains(control) || hit.closest("label") !== null);
      if (!isIt) lost.push(`under ${hit?.outerHTML.slice(0, 60)}: ${named(control)}`);
    }
    scrollTo(0, 0);
    document.querySelectorAll(".worklist-scroll").forEach((list) => list.scrollTo(0, 0));
    return [...new Set(lost)];
  });
  assert.deepEqual(lost, [], where);
}
