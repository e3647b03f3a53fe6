// Browsers of the viewer benchmark, each with a window of 1280 × 800, and their memory.
import { type Browser, chromium, type Page } from "@/tests/browser.ts";
import { CHROMIUM, launchBrowser } from "@/tests/e2e/site.ts";

const VIEWPORT = { width: 1280, height: 800 };
const QUIET = [
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
];

const open = new Set<Browser>();
const kept = (browser: Browser): Browser => {
  open.add(browser);
  browser.on("disconnected", () => open.delete(browser));
  return browser;
};

/** Headless Chromium with WebGL rendered in software. */
export const softwareGl = async (): Promise<Browser> => kept(await launchBrowser({ gl: true }));

/** Closes the browsers that a part left open; gives up after 5 s if a browser does not respond. */
export async function closeBrowsers(): Promise<void> {
  const closing = [...open].map((browser) => browser.close().catch(() => {/* it has ended */}));
  const patience = new Promise((done) =>
    Deno.unrefTimer(setTimeout(done, 5000) as unknown as number)
  );
  await Promise.race([Promise.allSettled(closing), patience]);
}

/** Version of the measured browser. */
export async function browserVersion(): Promise<string> {
  const { stdout } = await new Deno.Command(CHROMIUM, { args: ["--version"], stderr: "null" })
    .output();
  return new TextDecoder().decode(stdout).trim();
}

export const hasXvfb =
  new Deno.Command("sh", { args: ["-c", "command -v Xvfb"], stdout: "null" }).outputSync()
    .success;

/** Chromium with a window on a virtual screen without a GPU: like a thin client, without WebGL. */
export async function thinClient(): Promise<{ browser: Browser; close(): Promise<void> }> {
  const screen = new Deno.Command("Xvfb", {
    args: ["-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = screen.stdout.getReader();
  let said = "";
  while (!said.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) throw new Error("Cannot start Xvfb: it ended");
    said += new TextDecoder().decode(value);
  }
  const end = async () => {
    await reader.cancel();
    screen.kill("SIGTERM");
    await screen.status;
  };
  try {
    const browser = kept(
      await chromium.launch({
        executablePath: CHROMIUM,
        headless: false,
        // without this, Playwright would enable software WebGL
        ignoreDefaultArgs: ["--enable-unsafe-swiftshader"],
        args: QUIET,
        env: { ...Deno.env.toObject(), DISPLAY: `:${said.trim()}` },
      }),
    );
    return { browser, close: () => browser.close().finally(end) };
  } catch (error) {
    await end();
    throw error;
  }
}

export async function newPage(browser: Browser): Promise<Page> {
  const page = await (await browser.newContext({ viewport: VIEWPORT })).newPage();
  page.setDefaultTimeout(120_000);
  return page;
}

/** Returns a function that reads the page's script time on the main thread so far, ms. */
export async function scriptClock(page: Page): Promise<() => Promise<number>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable");
  return async () => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "ScriptDuration")?.value ?? NaN) * 1000;
  };
}

/** Number of memory measurements and interval, ms; the minimum omits memory being freed. */
const READINGS = 5, BETWEEN_MS = 800;

/** Proportional set size of renderer and GPU processes, MB. */
async function readingMb(browser: Browser): Promise<number> {
  const devtools = await browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
  await devtools.detach();
  let kilobytes = 0;
  for (const { type, id } of processInfo) {
    if (type !== "renderer" && type !== "GPU") continue;
    const text = await Deno.readTextFile(`/proc/${id}/smaps_rollup`).catch(() => "");
    kilobytes += Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0);
  }
  return kilobytes / 1000;
}

/** Memory of the browser's pages and drawing after garbage collection, MB. */
export async function memoryMb(browser: Browser, page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  let least = Infinity;
  for (let reading = 0; reading < READINGS; reading++) {
    await devtools.send("HeapProfiler.collectGarbage");
    await page.waitForTimeout(BETWEEN_MS);
    least = Math.min(least, await readingMb(browser));
  }
  await devtools.detach();
  return least;
}
