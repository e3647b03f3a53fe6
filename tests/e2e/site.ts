// A site as a separate process, and Chromium as its browser.
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

/** Reason why tests in Chromium cannot run on this machine; "" if they can. */
export const missingForBrowser = !hasChromium
  ? `no ${CHROMIUM}`
  : !existsSync(`${ROOT}static/build/manifest.json`)
  ? "static/build is not built"
  : "";

/** Registers a test in Chromium; if it cannot run, it is skipped, with the reason in its name. */
export function browserTest(
  name: string,
  fn: (context: Deno.TestContext) => void | Promise<void>,
): void {
  Deno.test({
    name: name + (missingForBrowser && ` (skipped: ${missingForBrowser})`),
    ignore: missingForBrowser !== "",
    // browsers and sites keep operations and connections open after a test
    sanitizeOps: false,
    sanitizeResources: false,
    fn,
  });
}

/** Flags of Debian's Chromium without internet access; `gl` adds software WebGL. */
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
 * Features that Playwright disables (a second switch replaces its list), and Chromium's own user
 * interface, which it preloads into separate processes for each window.
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

/** Time limit for slow or busy machines, as long as that of pages, ms. */
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
  /** output of the server so far */
  output(): string;
  /** closes the pipes of the output, so that each further line causes a write error */
  loseOutput(): Promise<void>;
  /** stops the server; `SIGKILL` simulates a power cut */
  stop(signal?: Deno.Signal): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts the server on a free port and waits until it serves. A given data folder is kept.
 * @param options `command` "start" starts all processes; default: only the server, so that signals
 *   reach it directly.
 */
export async function startSite(
  options: {
    dataDir?: string;
    databaseUrl?: string | null;
    workers?: number;
    port?: number;
    command?: "start" | "serve";
    /** further environment variables, e.g. for an edge */
    env?: Record<string, string>;
    /** flags for Deno */
    flags?: readonly string[];
    /** new sites use the networks, as in hospitals, so that analyses take four times as long */
    networks?: boolean;
  } = {},
): Promise<Site> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "sulcus-site-"));
  const isEdge = options.env?.SULCUS_CORE_URL !== undefined;
  // a data folder that the server must create is not created here
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
      // 0: the server selects a port; a port that seems free may be taken by another test
      SULCUS_PORT: String(options.port ?? 0),
      // an edge has no accounts
      ...(isEdge ? {} : { SULCUS_ADMIN_EMAIL: EMAIL, SULCUS_ADMIN_PASSWORD: PASSWORD }),
      // ignores the disk usage of this machine
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

/** Waits until the site's background search for files left by a crash has ended. */
export async function searchedForLeftovers(url: string): Promise<void> {
  await until(async () => await (await fetch(`${url}/ready`)).text() === "ready\n");
}

/** A page of the size in the documents, which collects script errors. */
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

/** Waits until the sign-in page is hydrated; before, its form is submitted as plain HTML. */
export const signInStarts = (page: Page): Promise<void> =>
  page.locator("[data-island=LoginForm][data-hydrated]").waitFor({ state: "attached" });

/** Signs in by the page, which then opens the worklist or another URL path. */
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

/** Width and height in the layout, px, which animations do not change. */
export const sizeOf = (element: Locator): Promise<[number, number]> =>
  element.evaluate((e: HTMLElement) => [e.offsetWidth, e.offsetHeight]);

/** Waits until all islands that hydrate at once are ready; clicks before that have no effect. */
export async function pageStarts(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const parts = document.querySelectorAll("[data-island][data-when=load]");
    return parts.length > 0 && [...parts].every((part) => part.hasAttribute("data-hydrated"));
  });
}

/** Waits until worklist and header are hydrated; clicks before that have no effect. */
export async function answersClicks(page: Page): Promise<void> {
  for (const island of ["Worklist", "HeaderBar"]) {
    await page.locator(`[data-island=${island}][data-hydrated]`).waitFor({ state: "attached" });
  }
}

/**
 * Waits until the sign-in page is loaded. Signing out can start two navigations to it (by the
 * button, and by the socket when the session has ended); only the last one counts.
 */
export async function waitForSignIn(page: Page): Promise<void> {
  await page.locator('input[name="password"]').waitFor();
  await page.waitForFunction(() =>
    location.pathname === "/login" && document.readyState === "complete"
  );
}

/** Goes back after signing out: the previous page is reloaded and leads to the sign-in page. */
export async function goBackToSignIn(page: Page): Promise<void> {
  await page.evaluate("globalThis.isSignedOut = true");
  await page.evaluate("history.back()");
  await page.waitForFunction("!globalThis.isSignedOut");
  await waitForSignIn(page);
}
