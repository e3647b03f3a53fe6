// covers: D1-3.3
// Paging in a browser while a study of the page is deleted.
import assert from "node:assert/strict";
import { shown, withList } from "@/tests/e2e/worklist/list_site.ts";
import { fittingRows } from "@/components/worklist/view/use_fit_rows.ts";
import { hasChromium } from "@/tests/e2e/site.ts";
import { until } from "@/tests/sites/until.ts";

const why = hasChromium ? "" : " (skipped: no /usr/bin/chromium)";
const IDS = Array.from({ length: 12 }, (_, n) => `P-${String(n + 1).padStart(2, "0")}`);
const LONG_IDS = Array.from(
  { length: 30 },
  (_, n) => `HOSPITAL-2026-${String(n).padStart(6, "0")}`,
);

Deno.test({
  name:
    `Next goes on behind the last row that is shown, and a page is full again after a deletion${why}`,
  ignore: !hasChromium,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    withList({ studies: IDS, finished: 1 }, async (page) => {
      const next = page.getByRole("button", { name: "Next page" }),
        seen = new Set(await shown(page));
      assert.deepEqual([...seen], IDS.slice(7).reverse());
      const status = await page.evaluate(async () =>
        (await fetch("/api/v1/patients/11", { method: "DELETE" })).status
      );
      assert.equal(status, 204);
      // the page has received the event and is full again
      await until(async () => (await shown(page)).includes("P-07"));
      for (const id of await shown(page)) seen.add(id);
      for (const last of ["P-02", "P-01"]) {
        await next.click();
        await until(async () => (await shown(page)).includes(last));
        for (const id of await shown(page)) seen.add(id);
      }
      assert.deepEqual([...seen].sort(), IDS);
      assert.equal(await next.isDisabled(), true);
      assert.ok((await page.locator(".list-pages").innerText()).includes("–11 of 11"));
    }),
});

Deno.test({
  name:
    `a list that fits the window has as many rows as it has room for, also from an empty page on${why}`,
  ignore: !hasChromium,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () =>
    withList({ studies: LONG_IDS, finished: 1, isFit: true }, async (page) => {
      // an empty list has another height than a full one
      await page.goto("/?search=nobody");
      await until(() => /size=\d+/.test(page.url()));
      await page.goto("/");
      for (const height of [910, 1080]) {
        await page.setViewportSize({ width: 1280, height });
        const room = fittingRows(height - 296, "comfortable");
        await until(async () => (await shown(page)).length === room);
        // column names are above their cells
        const lefts = (selector: string) =>
          page.locator(selector).evaluateAll((cells) =>
            cells.map((cell) => Math.round(cell.getBoundingClientRect().left))
          );
        assert.deepEqual(
          await lefts("tbody tr:first-child > .cell"),
          await lefts("thead tr > .cell"),
        );
        // the list ends at the bottom of the window
        const bar = (await page.locator(".list-pages").boundingBox())!;
        assert.ok(height - bar.y - bar.height < 60, `${height - bar.y - bar.height} px are empty`);
      }
    }),
});
