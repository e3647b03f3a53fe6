// The worklist as a weak computer shows it: a real site, a real Chromium, a processor four times slower.
import type { BrowserContext, CDPSession, Page } from "@playwright/test";
import {
  DEFAULT_WORKLIST_QUERY,
  PAGE_SIZES,
  type WorklistQuery,
  worklistQueryOf,
  worklistSearchOf,
} from "@/model/worklist_query.ts";
import type { Api } from "@/client/api/http.ts";
import { listPatients } from "@/client/api/patients.ts";
import { openSite } from "@/core/mod.ts";
import { addUser } from "@/core/services/users.ts";
import type { Row } from "@/bench/record.ts";
import { signInPage } from "@/bench/server_site.ts";
import { anyQuery } from "@/bench/worklist_parts/queries.ts";
import { launchBrowser, openPage, PASSWORD, signIn, startSite } from "@/tests/e2e/site.ts";
import { Random } from "@/tests/phantom/random.ts";

/** Page from the server; largest paint and blocked time of a load; from a query to its painted rows. All ms. */
const HTML_BAR_MS = 50, LCP_BAR_MS = 1500, TBT_BAR_MS = 200, PAINT_BAR_MS = 60;
const SLOW_DOWN = 4, LOADS = 7, PAGES = 60, QUERIES = 200, SEED = 11;
/** Blocked time is counted until the page has been quiet for long. */
const QUIET_MS = 2500;
/** Between two queries; rows that are seen without scrolling. */
const REST_MS = 60, IN_VIEW = 10;

const round = (value: number) => Math.round(value * 10) / 10;
const quantile = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(part * values.length))]!;

/** What the page notes while it loads. */
const WATCH_LOAD = `
  globalThis.load = { lcp: 0, fcp: 0, tasks: [] };
  new PerformanceObserver((list) => load.lcp = list.getEntries().at(-1).startTime)
    .observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => load.fcp = list.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0)
    .observe({ type: "paint", buffered: true });
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) load.tasks.push([startTime, duration]);
  }).observe({ type: "longtask", buffered: true });
`;

/**
 * Goes to an address as the back button does, and gives the ms until the frame with the rows in view was drawn: the
 * first task after the frame in which the list is no longer busy; and until the last row out of view was in its place.
 * `null` when it was drawn from what is known. It begins when the page is at rest.
 */
const TIME_QUERY = `async (address) => {
  const list = document.querySelector("section[aria-busy]");
  const pids = () => [...document.querySelectorAll("tr[data-pid]")].map((row) => Number(row.dataset.pid));
  await new Promise((resolve) => requestIdleCallback(resolve));
  history.pushState(null, "", address);
  let wasBusy = false;
  const start = performance.now();
  const isDone = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      const isBusy = list.getAttribute("aria-busy") === "true";
      if (isBusy) wasBusy = true;
      else if (wasBusy) (observer.disconnect(), resolve());
    });
    observer.observe(list, { attributes: true, attributeFilter: ["aria-busy"] });
    setTimeout(() => (observer.disconnect(), resolve()), 3000);
  });
  dispatchEvent(new PopStateEvent("popstate"));
  await isDone;
  await new Promise((resolve) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve();
    port2.postMessage(null);
  }));
  const painted = performance.now() - start, inView = pids().slice(0, ${IN_VIEW});
  while (list.querySelector("tbody")?.ariaBusy === "true") await new Promise((resolve) => setTimeout(resolve));
  const whole = performance.now() - start;
  await new Promise((resolve) => setTimeout(resolve, ${REST_MS}));
  return wasBusy ? { painted, whole, inView, pids: pids() } : null;
}`;

interface QueryTime {
  painted: number;
  whole: number;
  /** the first rows when they were painted, and all of them in the end */
  inView: number[];
  pids: number[];
}

/** ms of the page's thread, without what a busy machine makes it wait. */
async function threadMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? NaN);
}

/** One query: ms on the clock, ms of the page's thread until the list is complete, and whether its rows are right. */
interface TimedQuery {
  size: number;
  painted: number;
  whole: number;
  thread: number;
  isRight: boolean;
}

async function queryTimes(page: Page, queries: readonly WorklistQuery[], api: Api): Promise<TimedQuery[]> {
  const session = await slowed(page), times: TimedQuery[] = [];
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  for (const query of queries) {
    const before = await threadMs(session), address = `/${worklistSearchOf(query)}`;
    const time = await page.evaluate<QueryTime | null>(`(${TIME_QUERY})(${JSON.stringify(address)})`);
    if (time === null) continue;
    const thread = await threadMs(session) - before;
    const { patients } = await listPatients(api, { ...query, beyond: "last" });
    const right = patients.map(({ pid }) => pid);
    const isRight = right.join() === time.pids.join() &&
      right.slice(0, IN_VIEW).join() === time.inView.join();
    times.push({ size: query.page_size, painted: time.painted, whole: time.whole, thread, isRight });
  }
  await session.detach();
  return times;
}

const slowed = async (page: Page): Promise<CDPSession> => {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOW_DOWN });
  return session;
};

/** Largest paint and blocked time of one load with an empty cache. */
async function load(context: BrowserContext, address: string): Promise<{ lcp: number; tbt: number }> {
  const page = await context.newPage();
  try {
    const session = await slowed(page);
    await session.send("Network.enable");
    await session.send("Network.setCacheDisabled", { cacheDisabled: true });
    await page.addInitScript(WATCH_LOAD);
    await page.goto(address);
    await page.locator("[data-island=Worklist][data-hydrated]").waitFor({ state: "attached" });
    await page.waitForTimeout(QUIET_MS);
    const { lcp, fcp, tasks } = await page.evaluate<
      { lcp: number; fcp: number; tasks: [start: number, duration: number][] }
    >("load");
    // as Lighthouse counts: what a task takes beyond 50 ms, after the first paint
    const tbt = tasks.filter(([start, duration]) => start + duration > fcp)
      .reduce(
        (sum, [start, duration]) => sum + Math.max(0, Math.min(duration, start + duration - fcp) - 50),
        0,
      );
    return { lcp, tbt };
  } finally {
    await page.close();
  }
}

/** Figures of the page over a filled data folder, and the database that belongs to it (`null`: SQLite, in the folder). */
export async function browserRows(
  place: { dataDir: string; databaseUrl: string | null },
  count: number,
): Promise<Row[]> {
  const email = "bench-page@localhost", db = await openSite(place);
  await addUser(db, { email, password: PASSWORD }).catch(() => {/* from an earlier run */});
  await db.destroy();
  await using site = await startSite(place);
  const row = (name: string, value: number, bar: number | null, isRight = true): Row => ({
    suite: "worklist",
    name: `page with ${count} studies, ${name}`,
    value: round(value),
    unit: "ms",
    baseline: null,
    ratio: null,
    bar,
    ok: isRight && (bar === null || value <= bar),
  });
  const random = new Random(SEED);
  // as the address keeps them
  const queries = Array.from({ length: QUERIES }, () => {
    const query = { ...DEFAULT_WORKLIST_QUERY, ...anyQuery(random) } as WorklistQuery;
    return worklistQueryOf(new URLSearchParams(worklistSearchOf(query)));
  });

  const cookie = await signInPage(site.url, email, PASSWORD), html: number[] = [];
  const read = async (address: string) => {
    const start = performance.now();
    const text = await (await fetch(site.url + address, { headers: { cookie } })).text();
    html.push(performance.now() - start);
    return text;
  };
  for (let n = 0; n < 10; n++) await read("/");
  const hasRows = /<tr [^>]*data-pid=/.test(await read("/"));
  html.length = 0;
  for (const query of queries.slice(0, PAGES)) await read(`/${worklistSearchOf(query)}`);

  const browser = await launchBrowser();
  try {
    const { page, errors } = await openPage(browser, site.url);
    await signIn(page, email);
    await page.close();
    const context = browser.contexts()[0]!, loads: { lcp: number; tbt: number }[] = [];
    // the browser's session: another sign-in of the same user would end it
    const session = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    const api: Api = {
      origin: site.url,
      send: (request) => {
        const headers = new Headers(request.headers);
        headers.set("cookie", session);
        return fetch(new Request(request, { headers }));
      },
    };
    for (let n = 0; n < LOADS; n++) loads.push(await load(context, "/"));

    const fresh = await context.newPage();
    await fresh.goto("/");
    await fresh.locator("[data-island=Worklist][data-hydrated]").waitFor({ state: "attached" });
    // the parts of the page that come with the first filter
    await queryTimes(fresh, queries.slice(-10), api);
    const times = await queryTimes(fresh, queries.slice(0, -10), api);
    const shown = `from a query to its painted rows, ${times.length} queries, ${SLOW_DOWN}× slower`;
    const isRight = errors.length === 0 && times.length >= QUERIES / 2 && times.every((time) => time.isRight);
    const part = (key: "painted" | "whole" | "thread", which: readonly TimedQuery[], quantileOf: number) =>
      quantile(which.map((time) => time[key]), quantileOf);
    const bySize = PAGE_SIZES.flatMap((size) => {
      const which = times.filter((time) => time.size === size);
      const name = `${shown}, pages of ${size}`;
      return which.length === 0 ? [] : [
        row(`${name}, median`, part("painted", which, 0.5), null, isRight),
        row(`${name}, 95th percentile`, part("painted", which, 0.95), null, isRight),
        row(`${name}, until the last row out of view, median`, part("whole", which, 0.5), null, isRight),
      ];
    });
    return [
      row("HTML with its rows, median", quantile(html, 0.5), HTML_BAR_MS, hasRows),
      row("HTML with its rows, 95th percentile", quantile(html, 0.95), null, hasRows),
      row(
        `largest paint, ${SLOW_DOWN}× slower, median of ${LOADS}`,
        quantile(loads.map((l) => l.lcp), 0.5),
        LCP_BAR_MS,
      ),
      row(
        `blocked time, ${SLOW_DOWN}× slower, median of ${LOADS}`,
        quantile(loads.map((l) => l.tbt), 0.5),
        TBT_BAR_MS,
      ),
      row(`${shown}, median`, part("painted", times, 0.5), null, isRight),
      row(`${shown}, 95th percentile`, part("painted", times, 0.95), PAINT_BAR_MS, isRight),
      row(`${shown}, the page's thread alone, median`, part("thread", times, 0.5), null, isRight),
      row(`${shown}, the page's thread alone, 95th percentile`, part("thread", times, 0.95), null, isRight),
      ...bySize,
    ];
  } finally {
    await browser.close();
  }
}
