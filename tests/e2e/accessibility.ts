import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";

/** Waits until what appears has appeared: a half transparent dialog has other colours than a shown one. */
async function animationsEnd(page: Page): Promise<void> {
  await page.evaluate(() =>
    Promise.allSettled(
      document.getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
        .map(({ finished }) => finished),
    )
  );
}

/** Fails on serious and critical axe findings of the page as it stands, or of the part that a selector names. */
export async function assertAccessible(page: Page, where: string, part = "html"): Promise<void> {
  await animationsEnd(page);
  const { violations } = await new AxeBuilder({ page: page as never }).include(part).analyze();
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  assert.deepEqual(serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`), [], where);
}
