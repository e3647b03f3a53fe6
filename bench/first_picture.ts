/**
 * Time until the viewer's page shows a true picture. Pages with server-rendered first pictures
 * alternate with pages without, each in a separate browser context with the program cached, and
 * NiiVue shows the same head. Also the server's extra cost when eight viewers open at once.
 *
 * deno task bench first_picture [--rounds 20] [--only loopback|10] [--no-peer] [--json FILE]; needs a built site.
 */
import type { Browser, BrowserContext, Page } from "@/tests/browser.ts";
import { slowLine } from "@/bench/machine/slow_line.ts";
import { closeBrowsers, softwareGl } from "@/bench/viewer/browser.ts";
import { PATIENT_256, serveBench } from "@/bench/viewer/site.ts";
import { finish, optionOf, type Row, rowMaker } from "@/bench/record.ts";
import { viewerIsLoaded } from "@/tests/viewer/viewer_picture.ts";
import { enter } from "@/tests/viewer/viewer_site.ts";

const ROUNDS = Number(optionOf("rounds") ?? 20), VIEWERS = 8;
const ONLY = optionOf("only") ?? "";
const MEGABIT = 1e6, PATH = `/viewer/${PATIENT_256}?testing`;
const make = rowMaker("first_picture", 0);

/** Speed of the connection, Mbit/s (`null`: loopback); slow-down of the processor; limit, ms. */
const CLIENTS: readonly [name: string, mbit: number | null, slower: number, bar: number | null][] =
  [
    ["loopback", null, 1, 250],
    ["10 Mbit/s, 20 ms, processor 4x", 10, 4, 700],
    ["10 Mbit/s, 20 ms, processor 6x", 10, 6, null],
  ];

/**
 * Script that records, ms after the navigation: paint of the server-rendered picture, first frame
 * of the axial canvas that contains the middle of the head, and end of the load.
 */
const OBSERVE = `globalThis.times = {};
new PerformanceObserver((list) => {
  for (const { element, startTime } of list.getEntries()) {
    if (element?.closest?.("[data-first-picture]")) times.picture ??= startTime;
  }
}).observe({ type: "largest-contentful-paint", buffered: true });
const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const look = () => {
  const canvas = document.querySelector("[data-plane=axial] canvas");
  if (canvas?.width > 0) {
    probe.clearRect(0, 0, 1, 1);
    probe.drawImage(canvas, canvas.width * 0.4, canvas.height * 0.4, 1, 1, 0, 0, 1, 1);
    if (probe.getImageData(0, 0, 1, 1).data[0] > 20) times.frame ??= performance.now();
  }
  if (globalThis.sliceViewer?.loading.value.kind === "loaded") times.loaded ??= performance.now();
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);`;

interface Times {
  picture?: number;
  frame: number;
  loaded: number;
  /** size of the page's HTML on the wire */
  bytes: number;
}

const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[
    Math.min(Math.floor(values.length * part), values.length - 1)
  ] ?? NaN;

async function open(browser: Browser, signedIn: BrowserContext, origin: string, slower: number) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 910 } });
  context.setDefaultTimeout(180_000);
  try {
    await context.addCookies(await signedIn.cookies());
    const page = await context.newPage();
    // loads the page once, so that the program and the volumes are in the browser's cache
    await page.goto(origin + PATH);
    await viewerIsLoaded(page);
    await page.addInitScript(OBSERVE);
    const session = await context.newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: slower });
    await page.goto(origin + PATH);
    await page.waitForFunction(() => (globalThis as { times?: Partial<Times> }).times?.loaded);
    const times = await page.evaluate("times") as Times;
    const bytes = await page.evaluate(
      "performance.getEntriesByType('navigation')[0].transferSize",
    );
    return { ...times, bytes: bytes as number };
  } finally {
    await context.close();
  }
}

type Way = "with" | "without";

async function clientRows(
  browser: Browser,
  signedIn: Record<Way, BrowserContext>,
  origins: Record<Way, string>,
  [name, mbit, slower, bar]: (typeof CLIENTS)[number],
): Promise<Row[]> {
  const lines = mbit === null
    ? []
    : [origins.with, origins.without].map((origin) => slowLine(origin, mbit * MEGABIT, 10));
  const ends = {
    with: lines[0]?.origin ?? origins.with,
    without: lines[1]?.origin ?? origins.without,
  };
  const seen: Record<Way, Times[]> = { with: [], without: [] };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const order: Way[] = round % 2 === 0 ? ["with", "without"] : ["without", "with"];
      for (const way of order) {
        seen[way].push(await open(browser, signedIn[way], ends[way], slower));
      }
    }
  } finally {
    for (const line of lines) await line.close();
  }
  const median = (way: Way, of: (times: Times) => number) => quantile(seen[way].map(of), 0.5);
  const first = (times: Times) => Math.min(times.picture ?? Infinity, times.frame);
  const shown = median("with", first), without = median("without", first);
  const pictured = seen.with.filter(({ picture }) => picture !== undefined).length;
  return [
    make(`${name}: first true picture`, shown, "ms", {
      baseline: without,
      bar: bar === null ? null : `≤ ${bar}`,
      ok: bar === null || shown <= bar,
    }),
    make(`${name}: pages that came with their pictures, of ${ROUNDS}`, pictured, "pages"),
    make(`${name}: first interactive frame`, median("with", (t) => t.frame), "ms", {
      baseline: median("without", (t) => t.frame),
    }),
    make(`${name}: whole volume`, median("with", (t) => t.loaded), "ms", {
      baseline: median("without", (t) => t.loaded),
    }),
    make(`${name}: page`, median("with", (t) => t.bytes) / 1000, "kB", {
      baseline: median("without", (t) => t.bytes) / 1000,
    }),
  ];
}

/** Response times of the page for eight simultaneous requests, and memory growth of this server. */
async function serverRows(
  signedIn: Record<Way, BrowserContext>,
  origins: Record<Way, string>,
): Promise<Row[]> {
  const cookieOf = async (way: Way) =>
    (await signedIn[way].cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  const cookies = { with: await cookieOf("with"), without: await cookieOf("without") };
  const burst = (way: Way, search: string) =>
    Promise.all(
      Array.from({ length: VIEWERS }, async () => {
        const start = performance.now(), headers = { cookie: cookies[way] };
        await (await fetch(origins[way] + PATH + search, { headers })).text();
        return performance.now() - start;
      }),
    );
  const times: Record<Way, number[]> = { with: [], without: [] };
  for (const way of ["with", "without"] as const) await burst(way, "");
  const before = Deno.memoryUsage().rss;
  for (let round = 0; round < ROUNDS; round++) {
    // a new window for each round, so that no picture comes from the cache
    for (const way of ["with", "without"] as const) {
      times[way].push(...await burst(way, `&window=${200 + round}_100`));
    }
  }
  const p95 = quantile(times.with, 0.95), grownMb = (Deno.memoryUsage().rss - before) / 2 ** 20;
  return [
    make(`${VIEWERS} viewers at once: page, p95`, p95, "ms", {
      baseline: quantile(times.without, 0.95),
      bar: "≤ 120",
      ok: p95 <= 120,
    }),
    // growth by both kinds of page; this process also contains the core with the volumes
    make("memory that this process has grown by", grownMb, "MB", {
      bar: "≤ 60",
      ok: grownMb <= 60,
    }),
  ];
}

async function peerRow(browser: Browser, origin: string): Promise<Row> {
  const page: Page = await browser.newPage({ viewport: { width: 1280, height: 910 } });
  page.setDefaultTimeout(300_000);
  await page.goto(`${origin}/`);
  await page.waitForFunction("globalThis.loaded");
  const ms = await page.evaluate("loaded") as number;
  await page.close();
  return make("loopback: first frame of NiiVue", ms, "ms");
}

const site = await serveBench(), rows: Row[] = [];
try {
  const browser = await softwareGl(), origins = { with: site.origin, without: site.unpictured };
  // separate contexts: a cookie belongs to a host regardless of the port
  const signedIn = { with: await browser.newContext(), without: await browser.newContext() };
  for (const way of ["with", "without"] as const) {
    await enter(await signedIn[way].newPage(), origins[way]);
  }
  for (const client of CLIENTS.filter(([name]) => name.startsWith(ONLY))) {
    rows.push(...await clientRows(browser, signedIn, origins, client));
  }
  rows.push(...await serverRows(signedIn, origins));
  if (!Deno.args.includes("--no-peer")) rows.push(await peerRow(browser, site.peer));
} finally {
  await closeBrowsers();
  await site.close();
}
finish("bench first_picture", `a drawn head of 256³, ${ROUNDS} rounds in turn`, rows);
