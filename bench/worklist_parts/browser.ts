// The worklist as a weak computer shows it: a real site, a real Chromium, a processor four times slower.
import type { BrowserContext, CDPSession, Page } from "@/tests/browser.ts";
import {
  DEFAULT_WORKLIST_QUERY,
  PAGE_SIZES,
  type WorklistQuery,
  worklistQueryOf,
  worklistSearchOf,
} from "@/model/worklist/worklist_query.ts";
import type { Api } from "@/client/api/http.ts";
import { listPatients } from "@/client/api/studies/patients.ts";
import { openSite } from "@/core/mod.ts";
import { addUser } from "@/core/services/accounts/users.ts";
import type { Row } from "@/bench/record.ts";
import { signInPage } from "@/bench/server_parts/server_site.ts";
import {
  askBefore,
  BARE_WAYS,
  bareTime,
  type BareWay,
  FRAME_IS_DRAWN,
  openBarePage,
} from "@/bench/worklist_parts/bare_page.ts";
import { goTo, lastStep, POINTING_MS, pressedTime, SHOWN_PIDS } from "@/bench/worklist_parts/pressed.ts";
import { anyQuery } from "@/bench/worklist_parts/queries.ts";
import { launchBrowser, openPage, PASSWORD, signIn, type Site, startSite } from "@/tests/e2e/site.ts";
import { Random } from "@/tests/phantom/random.ts";

/** Page from the server; largest paint and blocked time of a load; from a query to its painted rows. All ms. */
const HTML_BAR_MS = 50, LCP_BAR_MS = 1500, TBT_BAR_MS = 200, PAINT_BAR_MS = 120;
/** Queries that are pressed, and of these those that are also gone to by their address, beside a bare page. */
const QUERIES = 500, ADDRESSES = 30;
/** Queries that are pressed where nothing else is measured. */
const PRESSES = 80;
/** Queries of each longer page. */
const LONGER = 20;
const SLOW_DOWN = 4, LOADS = 7, PAGES = 60, SEED = 11;
/** Blocked time is counted until the page has been quiet for long. */
const QUIET_MS = 2500;
/** Of so many queries one asks for a longer page than the one that everybody begins with. */
const LONGER_EVERY = 4;
/** Around a query; rows that are seen without scrolling. */
const REST_MS = 60, IN_VIEW = 10;
/** Chromium may not call a page idle until its next frame. */
const AT_REST_MS = 500;

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

interface Times {
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
interface SlowPage {
  page: Page;
  session: CDPSession;
}

async function slowPage(page: Page): Promise<SlowPage> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return { page, session };
}

async function queryTimes(
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
      const { given: painted, thread } = await timed(bare, prepare, () => bareTime(page, address, way));
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
    times.push({ size, painted, whole, thread, bare: isUsual ? await besides(query) : null, isRight });
  }
  return times;
}

/** A query by its last step: the times until its rows in view were drawn; `null` where they are those from before. */
async function pressedTimes(
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

type MakeRow = (
  name: string,
  value: number,
  bar: number | null,
  isRight?: boolean,
  baseline?: number | null,
) => Row;

/** Rows of a page with so many studies, ms. */
const rowOf = (count: number): MakeRow => (name, value, bar, isRight = true, baseline = null) => ({
  suite: "worklist",
  name: `page with ${count} studies, ${name}`,
  value: round(value),
  unit: "ms",
  baseline: baseline === null ? null : round(baseline),
  ratio: baseline === null ? null : Math.round(100 * value / baseline) / 100,
  bar,
  ok: isRight && (bar === null || value <= bar),
});

/** The queries of every run, as the address keeps them. */
function madeQueries(): WorklistQuery[] {
  const random = new Random(SEED);
  return Array.from({ length: QUERIES }, (_, n) => {
    const query = { ...DEFAULT_WORKLIST_QUERY, ...anyQuery(random) } as WorklistQuery;
    if (n % LONGER_EVERY > 0) query.page_size = DEFAULT_WORKLIST_QUERY.page_size;
    return worklistQueryOf(new URLSearchParams(worklistSearchOf(query)));
  });
}

/** Where a benchmark's core keeps its data. */
interface Place {
  dataDir: string;
  databaseUrl: string | null;
}

const EMAIL = "bench-page@localhost";

/** A site over a filled data folder in which {@link EMAIL} may sign in. */
async function openBenchSite(place: Place): Promise<Site> {
  const db = await openSite(place);
  await addUser(db, { email: EMAIL, password: PASSWORD }).catch(() => {/* from an earlier run */});
  await db.destroy();
  return await startSite(place);
}

/** A browser that is signed in, and calls with its session: another sign-in of the same user would end it. */
async function signedInBrowser(url: string) {
  const browser = await launchBrowser();
  const { page, errors } = await openPage(browser, url);
  await signIn(page, EMAIL);
  await page.close();
  const context = browser.contexts()[0]!;
  const session = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  const api: Api = {
    origin: url,
    send: (request) => {
      const headers = new Headers(request.headers);
      headers.set("cookie", session);
      return fetch(new Request(request, { headers }));
    },
  };
  return { browser, context, api, errors };
}

async function openList(context: BrowserContext): Promise<SlowPage> {
  const fresh = await context.newPage();
  await fresh.goto("/");
  await fresh.locator("[data-island=Worklist][data-hydrated]").waitFor({ state: "attached" });
  return await slowPage(fresh);
}

const shownAs = `to the painted rows, ${SLOW_DOWN}× slower`;

/** Median and 95th percentile from a press to the painted rows, and of the page's thread, which a busy machine leaves. */
const pressedRows = (pressed: readonly Times[], row: MakeRow, isRight: boolean): Row[] => {
  const name = `from a press ${shownAs}, ${pressed.length} queries, pointed at for ${POINTING_MS} ms`;
  const part = (key: keyof Times, of: number) => quantile(pressed.map((times) => times[key]), of);
  return [
    row(`${name}, median`, part("painted", 0.5), null, isRight),
    row(`${name}, 95th percentile`, part("painted", 0.95), PAINT_BAR_MS, isRight),
    row(`${name}, the page's thread alone, 95th percentile`, part("thread", 0.95), null, isRight),
  ];
};

/** The presses alone: some of the queries, in about a minute. */
export async function pressRows(place: Place, count: number): Promise<Row[]> {
  await using site = await openBenchSite(place);
  const { browser, context, api, errors } = await signedInBrowser(site.url);
  try {
    const list = await openList(context), { page_size } = DEFAULT_WORKLIST_QUERY;
    const queries = madeQueries().map((query) => ({ ...query, page_size }));
    // the parts of the page that come with the first filter
    await pressedTimes(list, queries.slice(-5), api);
    const pressed = await pressedTimes(list, queries.slice(0, PRESSES), api);
    return pressedRows(pressed, rowOf(count), errors.length === 0 && pressed.length >= PRESSES / 2);
  } finally {
    await browser.close();
  }
}

/** Figures of the page over a filled data folder, and the database that belongs to it (`null`: SQLite, in the folder). */
export async function browserRows(
  place: Place,
  count: number,
): Promise<Row[]> {
  await using site = await openBenchSite(place);
  const row = rowOf(count), queries = madeQueries();

  const cookie = await signInPage(site.url, EMAIL, PASSWORD), html: number[] = [];
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

  const { browser, context, api, errors } = await signedInBrowser(site.url);
  try {
    const loads: { lcp: number; tbt: number }[] = [];
    for (let n = 0; n < LOADS; n++) loads.push(await load(context, "/"));

    const shownPage = await openList(context);
    const bare = await slowPage(await openBarePage(context, DEFAULT_WORKLIST_QUERY.page_size));
    // the parts of the page that come with the first filter
    await queryTimes(shownPage, bare, queries.slice(-10), api);
    const times = await queryTimes(shownPage, bare, queries.slice(0, ADDRESSES), api);
    const sized = (page_size: number, count: number) =>
      pressedTimes(shownPage, queries.slice(0, count).map((query) => ({ ...query, page_size })), api);
    const pressed = await sized(DEFAULT_WORKLIST_QUERY.page_size, QUERIES);
    const isRight = errors.length === 0 && times.every((time) => time.isRight) &&
      pressed.length >= QUERIES / 2;
    const part = <Key extends string>(key: Key, which: readonly Record<Key, number>[], quantileOf: number) =>
      quantile(which.map((time) => time[key]), quantileOf);
    const usual = times.filter(({ bare }) => bare !== null);
    const beside = (key: "painted" | "thread", what: string, quantileOf: number) => {
      const baseline = quantile(usual.map(({ bare }) => bare!.query[key]), quantileOf);
      const name = `from an address ${shownAs}, ${usual.length} queries, ${what}`;
      return row(name, part(key, usual, quantileOf), null, isRight, baseline);
    };
    const ofBare = (way: BareWay, key: keyof Times, what: string) =>
      [["median", 0.5], ["95th percentile", 0.95]].map(([name, of]) =>
        row(
          `a bare page: ${what}, ${name}`,
          quantile(usual.map(({ bare }) => bare![way][key]), Number(of)),
          null,
        )
      );
    const byPress = pressedRows(pressed, row, isRight);
    for (const size of PAGE_SIZES.filter((size) => size !== DEFAULT_WORKLIST_QUERY.page_size)) {
      const which = await sized(size, LONGER), name = `from a press ${shownAs}, pages of ${size}`;
      byPress.push(
        row(`${name}, median`, part("painted", which, 0.5), null, isRight),
        row(`${name}, 95th percentile`, part("painted", which, 0.95), null, isRight),
      );
    }
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
      ...byPress,
      beside("painted", "median", 0.5),
      beside("painted", "95th percentile", 0.95),
      beside("thread", "the page's thread alone, median", 0.5),
      beside("thread", "the page's thread alone, 95th percentile", 0.95),
      ...ofBare("answer", "painted", "the answer alone"),
      ...ofBare("words", "painted", "its words alone"),
    ];
  } finally {
    await browser.close();
  }
}
