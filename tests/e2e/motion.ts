// What moves on a page, or would move when it is pointed at or opened.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";

/** Longer than this is seen as a movement, s. */
const MAX_S = 0.01;

/** Fails where an animation runs, or where a style has one or a transition that takes time. */
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
