// Checks that elements can be told apart in contrast themes, and with the setting "more contrast".
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import type { PageColours } from "@/tests/e2e/page_colours.ts";

declare const colours: PageColours;

/** Minimum contrast of elements other than text (WCAG 1.4.11). */
const MIN_CONTRAST = 3;

/** Runs a function with each contrast setting of a system, and resets the setting. */
async function inEachContrast(page: Page, look: (name: string) => Promise<void>): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ forcedColors: "active", colorScheme });
    await look(`contrast theme, ${colorScheme}`);
    await page.emulateMedia({ forcedColors: "none", contrast: "more" });
    await look(`more contrast, ${colorScheme}`);
    await page.emulateMedia({ contrast: "no-preference", colorScheme: "light" });
  }
}

const EVERY_CONTROL = "button, select, textarea, input, [role=tab], [role=menuitem]";
/** Controls that need an edge; buttons are visible by their text or icon. */
const BOXES = "select, textarea, input, [role=switch]";

/**
 * Fails if a control has no edge (with normal colours: a box), if selected and unselected elements
 * look equal, or if a drawing of the page with normal colours is invisible.
 */
export async function assertToldApart(page: Page, where: string): Promise<void> {
  const drawings = await page.evaluateHandle(drawingsOf), lost: string[] = [];
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    const found = await page.evaluate(edgesLost, { least: MIN_CONTRAST, controls: BOXES });
    lost.push(...found.map((each) => `own colours, ${colorScheme}: ${each}`));
  }
  await inEachContrast(page, async (name) => {
    for (
      const found of [
        await page.evaluate(edgesLost, { least: MIN_CONTRAST, controls: EVERY_CONTROL }),
        await page.evaluate(choicesLost),
        await drawings.evaluate(drawingsLost, MIN_CONTRAST),
      ]
    ) lost.push(...found.map((each) => `${name}: ${each}`));
  });
  assert.deepEqual(lost, [], where);
}

/** Fails if focus is invisible in contrast themes; see {@link assertFocusSeen} for others. */
export async function assertFocusToldApart(page: Page, where: string): Promise<void> {
  const lost: string[] = [];
  await inEachContrast(page, async (name) => {
    lost.push(...(await page.evaluate(focusLost, MIN_CONTRAST)).map((each) => `${name}: ${each}`));
  });
  assert.deepEqual(lost, [], where);
}

/** Controls without a visible border, outline or background. */
function edgesLost({ least, controls }: { least: number; controls: string }): string[] {
  const isSeen = (
    width: string,
    style: string,
    colour: string,
    ground: ReturnType<typeof colours.behind>,
  ) => parseFloat(width) >= 1 && style !== "none" && colours.contrast(colour, ground) >= least;
  // an open dialog covers the rest of the page
  const part = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;
  const shown = [...part.querySelectorAll(controls)]
    .filter((control) =>
      colours.isShown(control) && !control.matches(":disabled, [inert] *, input[type=hidden]")
    );
  return shown.map((control) =>
    control.matches("button[role=switch]") ? control.lastElementChild! : control
  )
    .flatMap((control) => {
      const style = getComputedStyle(control), ground = colours.behind(control.parentElement);
      // native checkboxes, radio buttons and sliders have edges
      if (
        style.appearance !== "none" &&
        control.matches("[type=checkbox], [type=radio], [type=range]")
      ) {
        return [];
      }
      const hasEdge = isSeen(style.outlineWidth, style.outlineStyle, style.outlineColor, ground) ||
        isSeen(style.borderBottomWidth, style.borderBottomStyle, style.borderBottomColor, ground) ||
        colours.contrast(colours.behind(control), ground) >= least;
      return hasEdge ? [] : [`no edge: ${control.outerHTML.slice(0, 110)}`];
    });
}

/** Pressed, selected, checked or current elements that look like an unselected sibling. */
function choicesLost(): string[] {
  // as drawn: a background removed by a contrast theme counts as none
  const look = (element: Element) => {
    const s = getComputedStyle(element);
    const line = (width: string, style: string, colour: string) =>
      style !== "none" && `${width} ${colour}`;
    return [
      s.color,
      colours.behind(element),
      s.fontWeight,
      s.textDecorationLine,
      parseFloat(s.borderBottomWidth) > 0 &&
      line(s.borderBottomWidth, s.borderBottomStyle, s.borderBottomColor),
      line(s.outlineWidth, s.outlineStyle, s.outlineColor),
      s.boxShadow,
      s.transform,
    ].join("|");
  };
  // the state of a switch is visible by its moving part
  const whole = (element: Element) =>
    [element, ...element.matches("[role=switch]") ? element.querySelectorAll("span") : []].map(look)
      .join();
  const lost: string[] = [];
  for (const name of ["aria-pressed", "aria-selected", "aria-checked", "aria-current"]) {
    const isOff = (element: Element) =>
      element.getAttribute(name) === (name === "aria-current" ? null : "false");
    for (const chosen of document.querySelectorAll(`[${name}]:not([${name}=false])`)) {
      // native checkboxes show their state themselves
      if (!colours.isShown(chosen) || chosen.matches("input")) continue;
      const alike = [
        ...chosen.parentElement!.children,
        ...document.querySelectorAll(chosen.tagName),
      ];
      const other = alike.find((each) =>
        isOff(each) && each.role === chosen.role && colours.isShown(each)
      );
      if (other && whole(other) === whole(chosen)) {
        lost.push(`${name} not seen: ${chosen.outerHTML.slice(0, 110)}`);
      }
    }
  }
  const unseen = [...document.querySelectorAll("label:has(input:checked)")].filter((label) =>
    ![...label.querySelectorAll("input")].some(colours.isShown)
  );
  for (const chosen of unseen) {
    const other = [...chosen.parentElement!.children].find((other) =>
      other.matches("label:not(:has(input:checked))")
    );
    if (other && look(other) === look(chosen)) {
      lost.push(`:checked not seen: ${chosen.outerHTML.slice(0, 110)}`);
    }
  }
  return lost;
}

/** Controls that look equal with and without focus. */
function focusLost(least: number): string[] {
  const before = document.activeElement as HTMLElement | null, lost: string[] = [];
  const look = (element: Element) => {
    const { outlineWidth, outlineStyle, outlineColor } = getComputedStyle(element);
    const after = getComputedStyle(element, "::after");
    const isRing = outlineStyle === "auto" ||
      colours.contrast(outlineColor, colours.behind(element.parentElement)) >= least;
    return `${outlineStyle !== "none" && isRing && outlineWidth} ${
      after.content !== "none" && after.borderTopWidth
    }`;
  };
  before?.blur();
  for (
    const each of document.querySelectorAll<HTMLElement>(
      "button, a, input, select, textarea, [tabindex='0']",
    )
  ) {
    if (!colours.isShown(each)) continue;
    const unfocused = look(each);
    each.focus({ preventScroll: true, focusVisible: true } as FocusOptions);
    if (document.activeElement === each && look(each) === unfocused) {
      lost.push(`focus not seen: ${each.outerHTML.slice(0, 110)}`);
    }
    each.blur();
  }
  before?.focus({ preventScroll: true });
  return lost;
}

/** Drawings without text that have a background: dots, bars, and masked icons. */
function drawingsOf(): { element: Element; part: string | null }[] {
  return [...document.querySelectorAll("main *, header *, dialog *")].filter(colours.isShown)
    .flatMap((
      element,
    ) =>
      [null, "::before"].flatMap((part) => {
        const style = getComputedStyle(element, part);
        if (part !== null && style.content === "none") return [];
        const isBare = part !== null ||
          (element.childNodes.length === 0 && element.clientWidth <= 64);
        const ground = colours.behind(part === null ? element.parentElement : element);
        const isDrawn = isBare && colours.contrast(style.backgroundColor, ground) >= 2 ||
          style.backgroundImage.startsWith("url(");
        return isDrawn && !element.matches(".skeleton, progress, input") ? [{ element, part }] : [];
      })
    );
}

/** Drawings that are invisible now. */
function drawingsLost(
  drawings: { element: Element; part: string | null }[],
  least: number,
): string[] {
  return drawings.flatMap(({ element, part }) => {
    const style = getComputedStyle(element, part);
    const ground = colours.behind(part === null ? element.parentElement : element);
    const isDrawn = colours.contrast(style.backgroundColor, ground) >= least ||
      (parseFloat(style.borderTopWidth) > 0 &&
        colours.contrast(style.borderTopColor, ground) >= least);
    // a picture with fixed colours does not follow the theme
    const isFixed = style.backgroundImage.startsWith("url(");
    return isDrawn && !isFixed
      ? []
      : [`drawing lost ${part ?? ""}: ${element.outerHTML.slice(0, 110)}`];
  });
}
