// Times of a page on a processor four times slower: a load, and from a query to its painted rows.
import type { BrowserContext, CDPSession, Page } from "@/tests/browser.ts";
import {
  DEFAULT_WORKLIST_QUERY,
  type WorklistQuery,
  worklistSearchOf,
} from "@/model/worklist/worklist_query.ts";
import type { Api } from "@/client/api/http.ts";
import { listPatients } from "@/client/api/studies/patients.ts";
import {
  askBefore,
  BARE_WAYS,
  bareTime,
  type BareWay,
  FRAME_IS_DRAWN,
} from "@/bench/worklist/bare_page.ts";
import { goTo, lastStep, pressedTime, SHOWN_PIDS } from "@/bench/worklist/pressed.ts";

/** How much slower the page's processor is. */
export const SLOW_DOWN = 4;
/** Blocked time is counted until the page has been quiet for long. */
const QUIET_MS = 2500;
/** Around a query; rows that are seen without scrolling. */
const REST_MS = 60, IN_VIEW = 10;
/** Chromium may not call a page idle until its next frame. */
const AT_REST_MS = 500;

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

/** Another address, which the browser notes for a while; the back button finds that done. */
const NOTE_ADDRESS = `(address) => history.pushState(null, "", address)`;

/** Resolves when a page that has come to the front has been drawn, and is at rest. */
const AT_REST = `(async () => {
  await ${FRAME_IS_DRAWN};
  await new Promise((resolve) => setTimeout(resolve, ${REST_MS}));
  await new Promise((resolve) => requestIdleCallback(resolve, { timeout: ${AT_REST_MS} }));
})()`;

/**
 * Goes to the address that was noted, as the back button does, and gives the ms until the frame with the rows in view
 * was drawn: the first task after the frame in which the list is no longer busy; and until the last row out of view was
 * in its place. `null` when it was drawn from what is known.
 */
const TIME_QUERY = `async () => {
  const list = document.querySelector("section[aria-busy]");
  const pids = () => ${SHOWN_PIDS};
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
  await ${FRAME_IS_DRAWN};
  const painted = performance.now() - start, inView = pids().slice(0, ${IN_VIEW});
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

/** Times of one query. */
export interface Times {
  /** ms on the clock until the rows in view were drawn */
  painted: number;
  /** ms of the page's thread until it was at rest */
  thread: number;
}

/** One query: its times, those of a bare page that asks the same (`null`: not of this size), and whether it is right. */
interface TimedQuery extends Times {
  size: number;
  /** ms on the clock until the last row out of view was in its place */
  whole: number;
  bare: Record<BareWay, Times> | null;
  isRight: boolean;
}

/** The address that the page asks the API for a list. */
async function apiAddress(query: WorklistQuery): Promise<string> {
  let address = "";
  const send = (request: Request) => {
    address = request.url;
    return Promise.resolve(Response.json({ patients: [], total: 0, page_idx: 1, page_size: 5 }));
  };
  await listPatients({ origin: "http://site", send }, { ...query, beyond: "last" });
  return address.slice("http://site".length);
}

/**
 * What `run` gives on a page that is in front, slowed down and at rest after `prepare`, and the ms of its thread. Only
 * this page is slowed down: Chromium does it by keeping the page's processor busy, also while the page waits, and a
 * second page would take the processor that the server needs.
 */
async function timed<T>(
  { page, session }: SlowPage,
  prepare: () => Promise<unknown>,
  run: () => Promise<T>,
): Promise<{ given: T; thread: number }> {
  // a page behind another gets one frame a second
  await page.bringToFront();
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOW_DOWN });
  try {
    await prepare();
    await page.evaluate(AT_REST);
    const before = await threadMs(session), given = await run();
    return { given, thread: await threadMs(session) - before };
  } finally {
    await session.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  }
}

/** A page with what slows it down. */
export interface SlowPage {
  page: Page;
  session: CDPSession;
}

/** A page whose thread is timed. */
export async function slowPage(page: Page): Promise<SlowPage> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return { page, session };
}

/** Goes to each query by its address, and asks a bare page the same in turn. */
export async function queryTimes(
  shown: SlowPage,
  bare: SlowPage,
  queries: readonly WorklistQuery[],
  api: Api,
): Promise<TimedQuery[]> {
  const times: TimedQuery[] = [];
  /** in turn with the page: whatever else the machine does falls on both */
  const besides = async (query: WorklistQuery) => {
    const address = await apiAddress(query), { page } = bare, all: [BareWay, Times][] = [];
    for (const way of BARE_WAYS) {
      const prepare = () => way === "words" ? askBefore(page, address) : Promise.resolve();
      const { given: painted, thread } = await timed(
        bare,
        prepare,
        () => bareTime(page, address, way),
      );
      all.push([way, { painted, thread }]);
    }
    return Object.fromEntries(all) as Record<BareWay, Times>;
  };
  for (const query of queries) {
    const address = JSON.stringify(`/${worklistSearchOf(query)}`);
    const { given: time, thread } = await timed(
      shown,
      () => shown.page.evaluate(`(${NOTE_ADDRESS})(${address})`),
      () => shown.page.evaluate<QueryTime | null>(`(${TIME_QUERY})()`),
    );
    if (time === null) continue;
    const { patients } = await listPatients(api, { ...query, beyond: "last" });
    const right = patients.map(({ pid }) => pid);
    const isRight = right.join() === time.pids.join() &&
      right.slice(0, IN_VIEW).join() === time.inView.join();
    const size = query.page_size, isUsual = size === DEFAULT_WORKLIST_QUERY.page_size;
    const { painted, whole } = time;
    times.push({
      size,
      painted,
      whole,
      thread,
      bare: isUsual ? await besides(query) : null,
      isRight,
    });
  }
  return times;
}

/** A query by its last step: the times until its rows in view were drawn; `null` where they are those from before. */
export async function pressedTimes(
  shown: SlowPage,
  queries: readonly WorklistQuery[],
  api: Api,
): Promise<(Times & { size: number })[]> {
  const times: (Times & { size: number })[] = [];
  const jsonResponse = async (query: WorklistQuery) => {
    const { patients, total, page_idx } = await listPatients(api, { ...query, beyond: "last" });
    return { pids: patients.map(({ pid }) => pid), total, page_idx };
  };
  for (const asked of queries) {
    // a page that there is
    const { page_idx } = await jsonResponse(asked),
      { before, control, after } = lastStep({ ...asked, page_idx });
    const old = await jsonResponse(before), { pids } = await jsonResponse(after);
    if (old.pids.slice(0, IN_VIEW).join() === pids.slice(0, IN_VIEW).join()) continue;
    const { given: painted, thread } = await timed(
      shown,
      () => goTo(shown.page, before, old.pids),
      () => pressedTime(shown.page, control, pids.slice(0, IN_VIEW)),
    );
    times.push({ size: asked.page_size, painted, thread });
  }
  return times;
}

const slowed = async (page: Page): Promise<CDPSession> => {
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOW_DOWN });
  return session;
};

/** Largest paint and blocked time of one load with an empty cache. */
export async function load(
  context: BrowserContext,
  address: string,
): Promise<{ lcp: number; tbt: number }> {
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
        (sum, [start, duration]) =>
          sum + Math.max(0, Math.min(duration, start + duration - fcp) - 50),
        0,
      );
    return { lcp, tbt };
  } finally {
    await page.close();
  }
}
