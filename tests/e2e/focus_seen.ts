// Focus: visible at every position that Tab reaches (WCAG 2.4.7), and not covered (2.4.11).
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import type { PageColours } from "@/tests/e2e/page_colours.ts";

declare const colours: PageColours;

const MIN_CONTRAST = 3, MIN_PX = 2, MAX_PLACES = 150;

/**
 * Faults of the current focus on the light and the dark page; `null` if this element was checked
 * before. Runs in the page, so it can use nothing outside of the function.
 */
function focusLost(
  { least, leastPx, isFirst }: { least: number; leastPx: number; isFirst: boolean },
): string[] | null {
  const here = globalThis as unknown as { placesSeen: Set<Element> };
  if (isFirst) here.placesSeen = new Set();
  const focused = document.activeElement;
  if (!focused || focused === document.body) return [];
  if (here.placesSeen.has(focused)) return null;
  here.placesSeen.add(focused);
  const lost: string[] = [],
    named = focused.outerHTML.slice(0, 110),
    root = document.documentElement;
  // a visually hidden input is represented by its label, a list by its active item
  const item = document.getElementById(focused.getAttribute("aria-activedescendant") ?? "");
  const shown = item ?? (colours.isShown(focused) ? focused : focused.closest("label") ?? focused);
  const isMarked = (element: Element, part: string | null = null) => {
    const s = getComputedStyle(element, part), own = colours.behind(element);
    const around = colours.behind(element.parentElement);
    // the browser's own focus ring
    if (s.outlineStyle === "auto") return true;
    const isSeen = (width: string, colour: string, ground: typeof own) =>
      parseFloat(width) >= leastPx && colours.contrast(colour, ground) >= least;
    const ground = parseFloat(s.outlineOffset) < 0 ? own : around;
    if (s.outlineStyle !== "none" && isSeen(s.outlineWidth, s.outlineColor, ground)) return true;
    if (part !== null) {
      return s.content !== "none" && isSeen(s.borderTopWidth, s.borderTopColor, own);
    }
    return s.boxShadow.split(/,(?![^(]*\))/).some((shadow) => {
      const [, colour, lengths] = /(\w+\([^)]*\)) (.*)/.exec(shadow) ?? [];
      const spread = lengths?.split(" ")[3] ?? "0";
      return colour !== undefined &&
        isSeen(spread, colour, lengths!.includes("inset") ? own : around);
    });
  };
  const before = root.dataset.theme;
  for (const theme of ["light", "dark"]) {
    root.dataset.theme = theme;
    const isSeen = [shown, focused].some((element) =>
      isMarked(element) || isMarked(element, "::after")
    );
    if (!isSeen) lost.push(`not seen, ${theme}: ${named}`);
  }
  root.dataset.theme = before;
  const { left, top, right, bottom } = shown.getBoundingClientRect();
  // the part of the element that is inside the window
  const from = [Math.max(left, 0), Math.max(top, 0)] as const;
  const size = [
    Math.min(right, innerWidth) - from[0],
    Math.min(bottom, innerHeight) - from[1],
  ] as const;
  const isBare = [[0.5, 0.5], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]].some(([x, y]) => {
    const hit = document.elementFromPoint(from[0] + x! * size[0], from[1] + y! * size[1]);
    return hit !== null &&
      (shown.contains(hit) ||
        hit.contains(focused) && hit.closest("main, header, dialog") !== null);
  });
  if (!isBare) lost.push(`hidden: ${named}`);
  return lost;
}

/** Goes round the page, or its open dialog, by Tab. */
export async function assertFocusSeen(page: Page, where: string): Promise<void> {
  const lost: string[] = [];
  let places = 0;
  for (; places < MAX_PLACES; places++) {
    await page.keyboard.press("Tab");
    const found = await page.evaluate(focusLost, {
      least: MIN_CONTRAST,
      leastPx: MIN_PX,
      isFirst: places === 0,
    });
    if (found === null) break;
    lost.push(...found);
  }
  assert.deepEqual(lost, [], where);
  assert.ok(places > 5 && places < MAX_PLACES, `${where}: Tab came to ${places} places`);
}
