// Minimal page for comparison: no framework, no stylesheet; writes text into existing cells.
import type { BrowserContext, Page } from "@/tests/browser.ts";

/** Expression that resolves when the current frame has been drawn. */
export const FRAME_IS_DRAWN = `new Promise((resolve) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve();
    port2.postMessage(null);
  }))`;

const CELLS = 12;
const page = (rows: number) =>
  `<!doctype html><meta charset="utf-8"><title>Bare</title>
  <style>body { font: 13px sans-serif } table { width: 1200px; table-layout: fixed } td { height: 52px }</style>
  <table>${`<tr>${"<td>x</td>".repeat(CELLS)}</tr>`.repeat(rows)}</table>`;

/** Opens a bare page of the site with a table of `rows` rows, in the context's session. */
export async function openBarePage(context: BrowserContext, rows: number): Promise<Page> {
  const bare = await context.newPage();
  await bare.route(
    "**/bare",
    (route) => route.fulfill({ contentType: "text/html", body: page(rows) }),
  );
  await bare.goto("/bare");
  // an active route would delay every request of the page
  await bare.unroute("**/bare");
  return bare;
}

/** Measured on the bare page: a whole query, the response only, or writing a response. */
export const BARE_WAYS = ["query", "answer", "words"] as const;
export type BareWay = typeof BARE_WAYS[number];

const ASK = `async (address) => (await fetch(address)).json()`;

/** Requests an API address, writes the response into the cells; ms until the frame is drawn. */
const TIME_BARE = `async (address, way) => {
  const start = performance.now();
  const { patients } = way === "words" ? globalThis.answer : await (${ASK})(address);
  if (way === "answer") return performance.now() - start;
  for (const [at, { cells }] of [...document.querySelector("table").rows].entries()) {
    const row = patients[at];
    const words = row === undefined ? [] : [
      row.pid, row.t1_analysis_status, row.patient_id, row.patient_name, row.patient_sex, row.patient_age,
      row.patient_birthdate, row.study_date, row.is_t1_uploaded ? "T1w" : "", row.t1_analysis_date,
      row.label_list.map((label) => label.label_name).join(), row.history_count,
    ];
    for (let cell = 0; cell < ${CELLS}; cell++) cells[cell].firstChild.data = words[cell] ?? "-";
  }
  await ${FRAME_IS_DRAWN};
  return performance.now() - start;
}`;

/** Requests the response that {@link bareTime} writes in the mode `words`. */
export const askBefore = (bare: Page, address: string): Promise<void> =>
  bare.evaluate(
    `(async () => { globalThis.answer = await (${ASK})(${JSON.stringify(address)}) })()`,
  );

/** Duration in ms from the API request to the drawn text on a bare page. */
export const bareTime = (bare: Page, address: string, way: BareWay): Promise<number> =>
  bare.evaluate<number>(`(${TIME_BARE})(${JSON.stringify(address)}, "${way}")`);
