// The worklist on a slow computer: a whole site, Chromium, and a processor slowed four times.
import type { BrowserContext } from "@/tests/browser.ts";
import {
  DEFAULT_WORKLIST_QUERY,
  PAGE_SIZES,
  type WorklistQuery,
  worklistQueryOf,
  worklistSearchOf,
} from "@/model/worklist/worklist_query.ts";
import type { Api } from "@/client/api/http.ts";
import { openSite } from "@/server/core/mod.ts";
import { addUser } from "@/server/core/accounts/service/users.ts";
import type { Row } from "@/bench/record.ts";
import { signInPage } from "@/bench/server/server_site.ts";
import { type BareWay, openBarePage } from "@/bench/worklist/bare_page.ts";
import { POINTING_MS } from "@/bench/worklist/pressed.ts";
import { anyQuery } from "@/bench/worklist/queries.ts";
import {
  launchBrowser,
  openPage,
  PASSWORD,
  signIn,
  type Site,
  startSite,
} from "@/tests/e2e/site.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import {
  load,
  pressedTimes,
  queryTimes,
  SLOW_DOWN,
  type SlowPage,
  slowPage,
  type Times,
} from "@/bench/worklist/page_times.ts";

/** Limits, ms: HTML response; largest paint and blocked time of a load; query to painted rows. */
const HTML_BAR_MS = 50, LCP_BAR_MS = 1500, TBT_BAR_MS = 200, PAINT_BAR_MS = 120;
/** Number of queries made by clicks, and of those also opened by address, beside a bare page. */
const QUERIES = 500, ADDRESSES = 30;
/** Number of queries made by clicks if nothing else is measured. */
const PRESSES = 80;
/** Number of queries for each longer page. */
const LONGER = 20;
const LOADS = 7, PAGES = 60, SEED = 11;
/** One of this number of queries requests a longer page than the default. */
const LONGER_EVERY = 4;

const round = (value: number) => Math.round(value * 10) / 10;
const quantile = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(part * values.length))]!;

type MakeRow = (
  name: string,
  value: number,
  bar: number | null,
  isRight?: boolean,
  baseline?: number | null,
) => Row;

/** Returns a function that makes rows about a page with a number of studies, ms. */
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

/** Queries of all runs, normalised by conversion to an address and back. */
function madeQueries(): WorklistQuery[] {
  const random = new Random(SEED);
  return Array.from({ length: QUERIES }, (_, n) => {
    const query = { ...DEFAULT_WORKLIST_QUERY, ...anyQuery(random) } as WorklistQuery;
    if (n % LONGER_EVERY > 0) query.page_size = DEFAULT_WORKLIST_QUERY.page_size;
    return worklistQueryOf(new URLSearchParams(worklistSearchOf(query)));
  });
}

/** Data folder and database of the benchmark's core. */
interface Place {
  dataDir: string;
  databaseUrl: string | null;
}

const EMAIL = "bench-page@localhost";

/** A site with a filled data folder and a user with {@link EMAIL}. */
async function openBenchSite(place: Place): Promise<Site> {
  const db = await openSite(place);
  await addUser(db, { email: EMAIL, password: PASSWORD }).catch(() => {/* from an earlier run */});
  await db.destroy();
  return await startSite(place);
}

/** A signed-in browser, and an API client with its session, which a second sign-in would end. */
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

/** Median and 95th percentile of the time from click to painted rows, and of the thread time. */
const pressedRows = (pressed: readonly Times[], row: MakeRow, isRight: boolean): Row[] => {
  const name =
    `from a press ${shownAs}, ${pressed.length} queries, pointed at for ${POINTING_MS} ms`;
  const part = (key: keyof Times, of: number) => quantile(pressed.map((times) => times[key]), of);
  return [
    row(`${name}, median`, part("painted", 0.5), null, isRight),
    row(`${name}, 95th percentile`, part("painted", 0.95), PAINT_BAR_MS, isRight),
    row(`${name}, the page's thread alone, 95th percentile`, part("thread", 0.95), null, isRight),
  ];
};

/** Rows about clicks only: some of the queries, in about a minute. */
export async function pressRows(place: Place, count: number): Promise<Row[]> {
  await using site = await openBenchSite(place);
  const { browser, context, api, errors } = await signedInBrowser(site.url);
  try {
    const list = await openList(context), { page_size } = DEFAULT_WORKLIST_QUERY;
    const queries = madeQueries().map((query) => ({ ...query, page_size }));
    // loads the code that is needed for the first filter
    await pressedTimes(list, queries.slice(-5), api);
    const pressed = await pressedTimes(list, queries.slice(0, PRESSES), api);
    return pressedRows(pressed, rowOf(count), errors.length === 0 && pressed.length >= PRESSES / 2);
  } finally {
    await browser.close();
  }
}

/** Rows about the page with a filled data folder; `databaseUrl` is `null` for SQLite. */
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
    // loads the code that is needed for the first filter
    await queryTimes(shownPage, bare, queries.slice(-10), api);
    const times = await queryTimes(shownPage, bare, queries.slice(0, ADDRESSES), api);
    const sized = (page_size: number, count: number) =>
      pressedTimes(
        shownPage,
        queries.slice(0, count).map((query) => ({ ...query, page_size })),
        api,
      );
    const pressed = await sized(DEFAULT_WORKLIST_QUERY.page_size, QUERIES);
    const isRight = errors.length === 0 && times.every((time) => time.isRight) &&
      pressed.length >= QUERIES / 2;
    const part = <Key extends string>(
      key: Key,
      which: readonly Record<Key, number>[],
      quantileOf: number,
    ) => quantile(which.map((time) => time[key]), quantileOf);
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
