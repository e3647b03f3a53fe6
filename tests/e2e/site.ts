// A real site in a process of its own, and a real Chromium in front of it.
import { textIn } from "@/model/text.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Locator, type Page } from "@playwright/test";
import { NO_NETWORKS, setGroupBefore } from "@/tests/sites/group_settings.ts";
import { addAdministratorBefore } from "@/tests/sites/sign_in/quick_user.ts";
import { until } from "@/tests/sites/until.ts";

/** Names of the buttons that open a study's report, in English. */
export const OPEN_REPORT = new RegExp(`^${textIn(worklistText.openReport, "en", { patient: "" })}`);

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const CHROMIUM = "/usr/bin/chromium";
export const hasChromium = existsSync(CHROMIUM);
export const EMAIL = "physician@hospital.test";
export const PASSWORD = "correct-horse-7";

/** Reason why tests in Chromium cannot run on this machine; "": they can. */
export const missingForBrowser = !hasChromium
  ? `no ${CHROMIUM}`
  : !existsSync(`${ROOT}static/build/manifest.json`)
  ? "static/build is not built"
  : "";

/** Registers a test in Chromium. Where it cannot run it is skipped, with the reason in its name. */
export function browserTest(
  name: string,
  fn: (context: Deno.TestContext) => void | Promise<void>,
): void {
  Deno.test({
    name: name + (missingForBrowser && ` (skipped: ${missingForBrowser})`),
    ignore: missingForBrowser !== "",
    // browsers and sites keep operations and connections open beyond a test
    sanitizeOps: false,
    sanitizeResources: false,
    fn,
  });
}

/** Flags of Debian's Chromium on a closed network; `gl` adds software WebGL. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
/**
 * What Playwright disables, of which a second switch takes the place, and the surfaces of the browser itself (bubbles of
 * its bar) that it loads ahead into a process of their own for each window.
 */
const DISABLED = [
  "PreloadTopChromeWebUI",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
];
FLAGS.push(`--disable-features=${DISABLED.join(",")}`);
const GL_FLAGS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

/** For machines that are much slower, or busy; as is the time that pages have. */
export const LAUNCH_MS = 120_000;

export const launchBrowser = (options: { gl?: boolean } = {}): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: options.gl ? [...FLAGS, ...GL_FLAGS] : FLAGS,
    timeout: LAUNCH_MS,
  });

export interface Site {
  url: string;
  dataDir: string;
  process: Deno.ChildProcess;
  /** What the server printed so far. */
  output(): string;
  /** Closes the pipes of its output: each further line is an error for who writes it. */
  loseOutput(): Promise<void>;
  /** Ends the server; `SIGKILL` as a power cut would. */
  stop(signal?: Deno.Signal): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts the server on a free port and waits until it serves. The data folder is kept when it was given.
 * @param options `command` "start": with what belongs to it in other processes; the server's alone by default, so that
 *   a signal reaches it.
 */
export async function startSite(
  options: {
    dataDir?: string;
    databaseUrl?: string | null;
    workers?: number;
    port?: number;
    command?: "start" | "serve";
    /** further variables, e.g. of an edge */
    env?: Record<string, string>;
    /** of Deno */
    flags?: readonly string[];
    /** a new site asks the networks too, as it does in a hospital: an analysis takes four times as long */
    networks?: boolean;
  } = {},
): Promise<Site> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "sulcus-site-"));
  const isEdge = options.env?.SULCUS_CORE_URL !== undefined;
  // a folder that is to be made by the server stays away
  const isNew = existsSync(dataDir) && readdirSync(dataDir).length === 0;
  if (!isEdge && isNew) {
    const place = { dataDir, databaseUrl: options.databaseUrl };
    if (!options.networks) await setGroupBefore(place, NO_NETWORKS);
    if (options.env?.SULCUS_ADMIN_PASSWORD === undefined) {
      await addAdministratorBefore(place, { email: EMAIL, password: PASSWORD });
    }
  }
  const process = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      ...(options.flags ?? []),
      "main.ts",
      options.command ?? "serve",
    ],
    cwd: ROOT,
    env: {
      NODE_ENV: "production",
      SULCUS_DATA_DIR: dataDir,
      // 0: the server picks one; a port that was free a moment ago may be taken by another test
      SULCUS_PORT: String(options.port ?? 0),
      // an edge has no accounts
      ...(isEdge ? {} : { SULCUS_ADMIN_EMAIL: EMAIL, SULCUS_ADMIN_PASSWORD: PASSWORD }),
      // whatever else fills the disk of this machine
      SULCUS_DISK_WARN: "100",
      SULCUS_DISK_ERROR: "100",
      ...(options.databaseUrl ? { SULCUS_DATABASE_URL: options.databaseUrl } : {}),
      ...(options.workers ? { SULCUS_WORKERS: String(options.workers) } : {}),
      ...options.env,
    },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let text = "";
  const readers: ReadableStreamDefaultReader<Uint8Array>[] = [];
  const ready = Promise.withResolvers<string>();
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder(), reader = stream.getReader();
    readers.push(reader);
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
      const url = text.match(/Sulcus serves (https?:\/\/\S+)/)?.[1];
      if (url) ready.resolve(url);
    }
  };
  const reading = Promise.allSettled([read(process.stdout), read(process.stderr)]);
  process.status.then((s) =>
    ready.reject(new Error(`Server ended with ${s.code} before it served: ${text}`))
  );
  ready.promise.catch(() => {});
  const url = await ready.promise;
  const stop = async (signal: Deno.Signal = "SIGTERM") => {
    try {
      process.kill(signal);
    } catch { /* it has already ended */ }
    await process.status;
    await reading;
  };
  return {
    url,
    dataDir,
    process,
    output: () => text,
    loseOutput: async () => void await Promise.all(readers.map((reader) => reader.cancel())),
    stop,
    async [Symbol.asyncDispose]() {
      await stop("SIGKILL");
      if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Waits until a site has searched for what a crash left behind, which it does while it serves. */
export async function searchedForLeftovers(url: string): Promise<void> {
  await until(async () => await (await fetch(`${url}/ready`)).text() === "ready\n");
}

/** A page at the size that the documents ask for, which fails the test on any script error. */
export async function openPage(
  browser: Browser,
  url: string,
): Promise<{ page: Page; errors: string[] }> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 910 },
    baseURL: url,
  });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  return { page, errors };
}

/** Waits until the sign-in page has started: before that its form goes the way of plain HTML. */
export const signInStarts = (page: Page): Promise<void> =>
  page.locator("[data-island=LoginForm][data-hydrated]").waitFor({ state: "attached" });

/** Signs in through the page, which then opens the worklist or the page of another URL path. */
export async function signIn(
  page: Page,
  email = EMAIL,
  password = PASSWORD,
  path = "/",
): Promise<void> {
  await page.goto(path === "/" ? "/login" : path);
  await signInStarts(page);
  await page.locator('input[name="email"]').fill(email);
  await page.locator('input[name="password"]').fill(password);
  await page.locator('button[type="submit"]').click();
  await page.waitForURL((url) => url.pathname === path);
  await (path === "/" ? answersClicks(page) : pageStarts(page));
}

/** Width and height as laid out, px: what moves while it appears has them too. */
export const sizeOf = (element: Locator): Promise<[number, number]> =>
  element.evaluate((e: HTMLElement) => [e.offsetWidth, e.offsetHeight]);

/** Waits until every part of a page that starts with it has: before that a click falls on plain HTML. */
export async function pageStarts(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const parts = document.querySelectorAll("[data-island][data-when=load]");
    return parts.length > 0 && [...parts].every((part) => part.hasAttribute("data-hydrated"));
  });
}

/** Waits until the worklist and its header have started: before that a click falls on plain HTML. */
export async function answersClicks(page: Page): Promise<void> {
  for (const island of ["Worklist", "HeaderBar"]) {
    await page.locator(`[data-island=${island}][data-hydrated]`).waitFor({ state: "attached" });
  }
}

/**
 * Waits until the sign-in page stands. Signing out can start two navigations to it (the button's, and the socket's
 * when it finds the session gone); only where they end counts.
 */
export async function waitForSignIn(page: Page): Promise<void> {
  await page.locator('input[name="password"]').waitFor();
  await page.waitForFunction(() =>
    location.pathname === "/login" && document.readyState === "complete"
  );
}

/** Goes back after signing out: the page of before is asked for anew, and leads to the sign-in page. */
export async function goBackToSignIn(page: Page): Promise<void> {
  await page.evaluate("globalThis.isSignedOut = true");
  await page.evaluate("history.back()");
  await page.waitForFunction("!globalThis.isSignedOut");
  await waitForSignIn(page);
}
