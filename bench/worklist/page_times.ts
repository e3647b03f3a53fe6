// Times of the page on a processor slowed four times: a load, and a query until its painted rows.
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

/** Factor by which the page's processor is slowed down. */
export const SLOW_DOWN = 4;
/** Time after hydration during which blocked time is still counted, ms. */
const QUIET_MS = 2500;
/** Pause after a query, ms; number of rows visible without scrolling. */
const REST_MS = 60, IN_VIEW = 10;
/** Maximum wait for an idle page, ms: Chromium may report idle only in the next frame. */
const AT_REST_MS = 500;

/** Script that records paints and long tasks during a load. */
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

/** Adds the address to the history before the timing, as when the back button is used. */
const NOTE_ADDRESS = `(address) => history.pushState(null, "", address)`;

/** Resolves when a page that was brought to the front has been drawn and is idle. */
const AT_REST = `(async () => {
  await ${FRAME_IS_DRAWN};
  await new Promise((resolve) => setTimeout(resolve, ${REST_MS}));
  await new Promise((resolve) => requestIdleCallback(resolve, { timeout: ${AT_REST_MS} }));
})()`;

/**
 * Opens the current address as the back button does. Times in ms: until the frame with the visible
 * rows is drawn (the first task after the frame in which the list is no longer busy), and until the
 * last row is in place. `null` if the list came from the cache.
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
  /** visible rows when they were painted, and all rows at the end */
  inView: number[];
  pids: number[];
}

/** Processor time of the page's thread so far, ms, which excludes waiting for the processor. */
async function threadMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return 1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? NaN);
}

/** Times of one query, ms. */
export interface Times {
  /** elapsed time until the visible rows were drawn */
  painted: number;
  /** processor time of the page's thread until it was idle */
  thread: number;
}

/** Times of a query and of a bare page (`null` for another page size), and whether it was right. */
interface TimedQuery extends Times {
  size: number;
  /** elapsed time until the last row was in place, ms */
  whole: number;
  bare: Record<BareWay, Times> | null;
  isRight: boolean;
}

/** API address that the page requests for a list. */
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
 * Runs `run` on an idle page in front after `prepare`, and measures its thread time, ms. Only this
 * page is slowed down: Chromium slows a page by keeping its processor busy, even while the page
 * waits, and a second slow page would take the processor from the server.
 */
async function timed<T>(
  { page, session }: SlowPage,
  prepare: () => Promise<unknown>,
  run: () => Promise<T>,
): Promise<{ given: T; thread: number }> {
  // a page in the background draws only one frame per second
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

/** A page, and the DevTools session that slows it down. */
export interface SlowPage {
  page: Page;
  session: CDPSession;
}

/** Prepares a page for measuring its thread time. */
export async function slowPage(page: Page): Promise<SlowPage> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return { page, session };
}

/** Opens each query by its address, alternating with a bare page that requests the same. */
export async function queryTimes(
  shown: SlowPage,
  bare: SlowPage,
  queries: readonly WorklistQuery[],
  api: Api,
): Promise<TimedQuery[]> {
  const times: TimedQuery[] = [];
  /** times of the bare page, measured in alternation so that other load affects both */
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

/** Durations of worklist queries from click to new rows, ms; without queries that change no row. */
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
    // an existing page, because generated queries may be past the end
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

/** Largest paint and total blocking time of a load with an empty cache, ms. */
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
    // as in Lighthouse: the part of each task beyond 50 ms, after the first paint
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
