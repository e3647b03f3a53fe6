/**
 * Thin clients: load time of every page in Chromium with the processor slowed 1, 4 and 6 times, and
 * in Firefox ESR and WebKitGTK's browser, which cannot be slowed. Also the longest task and the
 * memory of each page. The site has data of everyday use and runs on the same machine.
 *
 * deno task bench clients [--rounds 3] [--only chromium|firefox|webkit] [--json FILE]; needs a built site.
 */
import { rmSync } from "node:fs";
import type { Page } from "@/tests/browser.ts";
import { finish, optionOf, type Row, rowMaker } from "@/bench/record.ts";
import { FirefoxPage, missingFirefox } from "@/tests/e2e/firefox.ts";
import { Screen } from "@/tests/e2e/screen.ts";
import { missingWebKit, WebKitPage } from "@/tests/e2e/webkit.ts";
import { EMAIL, launchBrowser, openPage, PASSWORD, signIn } from "@/tests/e2e/site.ts";
import { startWorkedSite } from "@/tests/e2e/worked_scene.ts";
import { until } from "@/tests/sites/until.ts";
import { WORKED } from "@/tests/sites/worked_site.ts";

const ROUNDS = Number(optionOf("rounds") ?? 3);
const SLOWER = [1, 4, 6];
/** Limits of a page: time to the largest paint, and script memory, MB (for a client with 2 GB). */
const LARGEST_PAINT_MS = 2500, MEMORY_MB = 300;
const make = rowMaker("clients", 0);

/** Path of each page, and its main island: once hydrated, the page handles input. */
const pagesOf = (pid: number): readonly [path: string, island: string][] => [
  ["/", "Worklist"],
  [`/viewer/${pid}`, "SliceViewer"],
  [`/report/${pid}`, "ReportViewer"],
  ["/status", "ServerStatus"],
  ["/help", "HeaderBar"],
  ["/bench", "KernelBench"],
];

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Script that records the largest paint and the longest task from the start of the page. */
const OBSERVE = `globalThis.seen = { paint: 0, task: 0 };
new PerformanceObserver((list) => { for (const e of list.getEntries()) seen.paint = Math.max(seen.paint, e.startTime); })
  .observe({ type: "largest-contentful-paint", buffered: true });
new PerformanceObserver((list) => { for (const e of list.getEntries()) seen.task = Math.max(seen.task, e.duration); })
  .observe({ type: "longtask", buffered: true });`;

interface Seen {
  paint: number;
  answers: number;
  task: number;
  heapMb: number;
}

async function open(page: Page, path: string, island: string): Promise<Seen> {
  await page.goto(path);
  await page.locator(`[data-island=${island}][data-hydrated]`).waitFor({ state: "attached" });
  const answers = await page.evaluate<number>("performance.now()");
  await page.waitForLoadState("networkidle");
  const { paint, task } = await page.evaluate<Seen>("seen");
  const heapMb = await page.evaluate<number>("performance.memory.usedJSHeapSize / 1e6");
  return { paint, answers, task, heapMb };
}

async function inChromium(url: string, pages: ReturnType<typeof pagesOf>): Promise<Row[]> {
  const browser = await launchBrowser(), { page } = await openPage(browser, url), rows: Row[] = [];
  try {
    await signIn(page);
    await page.addInitScript(OBSERVE);
    const session = await page.context().newCDPSession(page);
    for (const rate of SLOWER) {
      await session.send("Emulation.setCPUThrottlingRate", { rate });
      for (const [path, island] of pages) {
        const seen: Seen[] = [];
        for (let round = 0; round < ROUNDS; round++) seen.push(await open(page, path, island));
        const of = (what: keyof Seen) => median(seen.map((one) => one[what]));
        const name = path.replace(/\/\d+$/, "");
        const isBarred = rate === 4;
        rows.push(
          make(`${name} at ${rate}×: largest paint`, of("paint"), "ms", {
            bar: isBarred ? LARGEST_PAINT_MS : null,
            ok: !isBarred || of("paint") <= LARGEST_PAINT_MS,
          }),
          make(`${name} at ${rate}×: answers`, of("answers"), "ms"),
          make(`${name} at ${rate}×: longest task`, of("task"), "ms"),
        );
        if (rate > 1) continue;
        rows.push(
          make(`${name}: memory of its scripts`, of("heapMb"), "MB", {
            bar: MEMORY_MB,
            ok: of("heapMb") <= MEMORY_MB,
          }),
        );
      }
    }
    return rows;
  } finally {
    await browser.close();
  }
}

interface Driven {
  goto(url: string): Promise<void>;
  evaluate(expression: string): Promise<unknown>;
}

/** Waits until an island is hydrated; evaluation fails, and is retried, during navigation. */
const isStarted = (page: Driven, island: string) =>
  until(() =>
    page.evaluate(`document.querySelector("[data-island=${island}][data-hydrated]") !== null`)
      .catch(() => false)
  );

/** Time until each page handles input, in a browser with a signed-in user. */
async function answersIn(
  browser: string,
  page: Driven,
  url: string,
  pages: ReturnType<typeof pagesOf>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [path, island] of pages) {
    const answers: number[] = [], name = `${path.replace(/\/\d+$/, "")} in ${browser}: answers`;
    try {
      for (let round = 0; round < ROUNDS; round++) {
        await page.goto(url + path);
        await isStarted(page, island);
        answers.push(Number(await page.evaluate("performance.now()")));
      }
      rows.push(make(name, median(answers), "ms"));
    } catch (error) {
      rows.push(make(`${name} (${error})`, Infinity, "ms", { ok: false }));
    }
  }
  return rows;
}

async function inFirefox(url: string, pages: ReturnType<typeof pagesOf>): Promise<Row[]> {
  await using screen = await Screen.open();
  await using page = await FirefoxPage.open(screen);
  await page.goto(`${url}/login`);
  await isStarted(page, "LoginForm");
  for (const [name, text] of [["email", EMAIL], ["password", PASSWORD]] as const) {
    await page.evaluate(`document.querySelector('input[name="${name}"]').focus()`);
    await page.type(text);
  }
  await page.type("\uE007");
  await isStarted(page, "Worklist");
  return await answersIn("Firefox", page, url, pages);
}

async function inWebKit(url: string, pages: ReturnType<typeof pagesOf>): Promise<Row[]> {
  await using screen = await Screen.open();
  await using page = await WebKitPage.open(screen);
  await page.goto(`${url}/login`);
  await isStarted(page, "LoginForm");
  await page.type('input[name="email"]', EMAIL);
  await page.type('input[name="password"]', `${PASSWORD}\uE007`);
  await isStarted(page, "Worklist");
  return await answersIn("WebKitGTK", page, url, pages);
}

const only = optionOf("only") ?? "";
const { site, pids, dataDir } = await startWorkedSite();
const rows: Row[] = [];
try {
  const pages = pagesOf(
    pids[WORKED.findIndex(({ id, lesionsMl }) => id === "20481" && lesionsMl)]!,
  );
  const isWanted = (browser: string) => only === "" || only === browser;
  if (isWanted("chromium")) rows.push(...await inChromium(site.url, pages));
  if (isWanted("firefox") && missingFirefox === "") rows.push(...await inFirefox(site.url, pages));
  if (isWanted("webkit") && missingWebKit === "") rows.push(...await inWebKit(site.url, pages));
} finally {
  await site.stop();
  rmSync(dataDir, { recursive: true });
}
finish("deno task bench clients", `${WORKED.length} studies, median of ${ROUNDS}`, rows);
