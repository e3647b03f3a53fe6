// Queries made with the mouse: the pointer rests on a column's name or a page button, then clicks.
import type { Page } from "@/tests/browser.ts";
import { type WorklistQuery, worklistSearchOf } from "@/model/worklist/worklist_query.ts";
import { columnKey } from "@/model/schema/worklist/list_view.ts";
import { COLUMNS } from "@/components/worklist/table/columns.tsx";

/** Average time from reaching a control to pressing it, ms, according to instant.page. */
export const POINTING_MS = 300;
/** Time for which the mouse button is held, ms; the click takes effect on release. */
const HOLDING_MS = 80;

/** Last step to a query: the query before, and the control that leads to the query. */
export interface Step {
  before: WorklistQuery;
  /** selector of the control */
  control: string;
  after: WorklistQuery;
}

/** Maximum page size for which the page buttons are visible without scrolling. */
const MAX_ROWS_ABOVE = 10;

/** Last step to a query: the next page, or the reversed order, which leads to the first page. */
export function lastStep(query: WorklistQuery): Step {
  const { sort_direction, sort_key, page_idx, page_size } = query;
  if (page_idx > 1 && page_size <= MAX_ROWS_ABOVE) {
    return {
      before: { ...query, page_idx: page_idx - 1 },
      control: ".page-numbers button:nth-child(2)",
      after: query,
    };
  }
  const other = sort_direction === "asc" ? "desc" : "asc";
  const column = columnKey.options.find((key) => COLUMNS[key].sort === sort_key);
  return {
    before: { ...query, sort_direction: other },
    control: `thead th.col-${column} button`,
    after: { ...query, page_idx: 1 },
  };
}

/** Expression for the numbers of the displayed studies. */
export const SHOWN_PIDS =
  `[...document.querySelectorAll("tr[data-pid]")].map((row) => Number(row.dataset.pid))`;

/** Opens a state of the list as the back button does; resolves when its rows are displayed. */
const GO_TO = `(address, pids) => new Promise((resolve) => {
  history.pushState(null, "", address);
  dispatchEvent(new PopStateEvent("popstate"));
  const look = () => ${SHOWN_PIDS}.join() === pids.join() &&
    document.querySelector("section[aria-busy]").ariaBusy === "false" ? resolve() : setTimeout(look, 10);
  look();
})`;

/**
 * Resolves with the ms from the release of the next click until the frame with `pids` as first rows
 * is drawn. Installed before the click, so that its own cost is hardly measured.
 */
const WATCH = `(pids) => {
  const list = document.querySelector("section[aria-busy]"), { port1, port2 } = new MessageChannel();
  const first = "tr[data-pid='" + pids[0] + "']";
  let start = null;
  addEventListener("pointerup", ({ timeStamp }) => start = timeStamp, { once: true, capture: true });
  globalThis.painted = new Promise((resolve, reject) => {
    const observer = new MutationObserver(() => {
      if (start === null || !list.querySelector(first)) return;
      if (${SHOWN_PIDS}.slice(0, pids.length).join() !== pids.join()) return;
      observer.disconnect();
      requestAnimationFrame(() => port2.postMessage(null));
    });
    port1.onmessage = () => resolve(performance.now() - start);
    observer.observe(list, { attributes: true, childList: true, characterData: true, subtree: true });
    setTimeout(() => reject(new Error("The rows did not come")), 5000);
  });
}`;

/** Opens the query before the last step. */
export const goTo = (page: Page, query: WorklistQuery, pids: readonly number[]): Promise<void> =>
  page.evaluate(
    `(${GO_TO})(${JSON.stringify(`/${worklistSearchOf(query)}`)}, ${JSON.stringify(pids)})`,
  );

/** Duration in ms from the release of a click on a control until the visible rows are drawn. */
export async function pressedTime(
  page: Page,
  control: string,
  inView: readonly number[],
): Promise<number> {
  await page.evaluate(`(${WATCH})(${JSON.stringify(inView)})`);
  const { x, y, width, height } = (await page.locator(control).boundingBox())!;
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.waitForTimeout(POINTING_MS);
  await page.mouse.down();
  await page.waitForTimeout(HOLDING_MS);
  await page.mouse.up();
  const painted = await page.evaluate<number>("painted");
  await page.mouse.move(0, 0);
  return painted;
}
