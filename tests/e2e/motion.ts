// Motion on a page, also of elements that are not hovered or opened yet.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";

/** Maximum duration that is not perceived as motion, s. */
const MAX_S = 0.01;

/** Fails on a running animation, or a style with an animation or a transition's duration. */
export async function assertStill(page: Page, where: string): Promise<void> {
  const moving = await page.evaluate((maxS) => {
    const isLong = (times: string) => times.split(",").some((time) => parseFloat(time) > maxS);
    const running = document.getAnimations().map((animation) =>
      `runs: ${(animation.effect as KeyframeEffect).target?.outerHTML.slice(0, 90)}`
    );
    const styled = [...document.querySelectorAll("*")].flatMap((element) =>
      [null, "::before", "::after", "::backdrop"].flatMap((part) => {
        const { animationName, animationDuration, transitionDuration, scrollBehavior } =
          getComputedStyle(
            element,
            part,
          );
        const isMoving = (animationName !== "none" && isLong(animationDuration)) ||
          isLong(transitionDuration) ||
          scrollBehavior === "smooth";
        return isMoving ? [`has ${part ?? "a"} movement: ${element.outerHTML.slice(0, 90)}`] : [];
      })
    );
    return [...new Set([...running, ...styled])];
  }, MAX_S);
  assert.deepEqual(moving, [], where);
}
