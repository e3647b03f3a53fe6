// What can be told apart in contrast themes of the system, and with more contrast.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import type { PageColours } from "@/tests/e2e/page_colours.ts";

declare const colours: PageColours;

/** Of what is no text (1.4.11). */
const MIN_CONTRAST = 3;

/** Does something in each of the contrasts that a system can ask for, and leaves the page without. */
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
/** What no text tells apart from its surroundings: a button has its words or its drawing. */
const BOXES = "select, textarea, input, [role=switch]";

/**
 * Fails where a control has no edge (in the page's own colours: a box), where what is chosen looks like what is not, and where a drawing has vanished that
 * stands there in the page's own colours.
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

/** Fails where a control looks with the focus as it does without it; {@link assertFocusSeen} is for the page's own colours. */
export async function assertFocusToldApart(page: Page, where: string): Promise<void> {
  const lost: string[] = [];
  await inEachContrast(page, async (name) => {
    lost.push(...(await page.evaluate(focusLost, MIN_CONTRAST)).map((each) => `${name}: ${each}`));
  });
  assert.deepEqual(lost, [], where);
}

/** Controls whose place cannot be seen: no border, no outline, no ground of their own. */
function edgesLost({ least, controls }: { least: number; controls: string }): string[] {
  const isSeen = (
    width: string,
    style: string,
    colour: string,
    ground: ReturnType<typeof colours.behind>,
  ) => parseFloat(width) >= 1 && style !== "none" && colours.contrast(colour, ground) >= least;
  // an open dialog lies over the rest
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
      // the browser's own checkboxes, radio buttons and sliders
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

/** What is pressed, selected, checked or current, and looks as one beside it that is not. */
function choicesLost(): string[] {
  // as it is drawn: a ground that a contrast theme took away is no other than none
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
  // a switch is seen by what moves in it
  const whole = (element: Element) =>
    [element, ...element.matches("[role=switch]") ? element.querySelectorAll("span") : []].map(look)
      .join();
  const lost: string[] = [];
  for (const name of ["aria-pressed", "aria-selected", "aria-checked", "aria-current"]) {
    const isOff = (element: Element) =>
      element.getAttribute(name) === (name === "aria-current" ? null : "false");
    for (const chosen of document.querySelectorAll(`[${name}]:not([${name}=false])`)) {
      // a native checkbox shows it by itself
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

/** Controls that look with the focus as they do without it. */
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

/** Drawings without words that have a ground of their own: dots, bars, and what a mask is cut out of. */
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

/** Those that are no longer there. */
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
    // a picture of fixed colours does not follow the theme
    const isFixed = style.backgroundImage.startsWith("url(");
    return isDrawn && !isFixed
      ? []
      : [`drawing lost ${part ?? ""}: ${element.outerHTML.slice(0, 110)}`];
  });
}
