/**
 * Upload benchmark: Chromium reads a folder of 10,000 slices (2 GB) and uploads it to a site, while
 * the connection is cut three times. Measured: time until the table of studies is shown, longest
 * task of the page, upload rate, and memory of the server. A missing study or file, or more bytes
 * received than exist, fails the benchmark. The files are temporary.
 *
 * deno task bench upload [--studies N] [--json FILE]; needs a built site and Chromium.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Page } from "@/tests/browser.ts";
import { memoryOf } from "@/bench/machine/processes.ts";
import { finish, optionOf, type Row, rowMaker } from "@/bench/record.ts";
import { SLICES, writeStudies } from "@/bench/upload/upload_files.ts";
import { pageApi, signInPage } from "@/bench/server/server_site.ts";
import { uploadFiles } from "@/client/api/studies/patients.ts";
import { openData } from "@/server/core/mod.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { EMAIL, launchBrowser, openPage, PASSWORD, signIn, startSite } from "@/tests/e2e/site.ts";

/** Limits: time until the table of 10,000 files, s; longest task, ms; growth of the server, MB. */
const SCAN_BAR_S = 20, TASK_BAR_MS = 100, MEMORY_BAR_MB = 100;
/** Maximum ratio of received to existing bytes: multipart headers, but no file of 100 twice. */
const TAKEN_BAR = 1.005;

const studies = Number(optionOf("studies") ?? 100);
const round = (value: number) => Math.round(value * 1000) / 1000;

const rowOf = rowMaker("upload", 3);
/** A row with a maximum. */
const row = (
  name: string,
  value: number,
  unit: string,
  bar: number | null,
  isRight: boolean,
): Row => rowOf(name, value, unit, { bar, ok: isRight && (bar === null || value <= bar) });

/** ID of the child process of `pid` that has a given text in its command line. */
function childOf(pid: number, part: string): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(
    Number,
  );
  const child = children.find((one) => readFileSync(`/proc/${one}/cmdline`, "utf8").includes(part));
  if (child === undefined) throw new Error(`Cannot find the process ${part}`);
  return child;
}

/** Switches automatic analysis off, because only uploads are measured. */
async function withoutAnalyses(dataDir: string): Promise<void> {
  const db = openData(dataDir);
  await db.insertInto("settings").values({ scope: "user:1", key: "auto_analyze", value: "false" })
    .execute();
  await db.destroy();
}

/** Response times of the server for other users during the upload, ms: one request every 20 ms. */
async function askMeanwhile(url: string, signal: AbortSignal): Promise<number[]> {
  const waits: number[] = [];
  while (!signal.aborted) {
    const start = performance.now();
    // a failed request means that the site has stopped; the benchmark reports the reason elsewhere
    const answer = await fetch(`${url}/api/v1/status`).catch(() => null);
    if (answer === null) break;
    await answer.body?.cancel();
    waits.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return waits.sort((a, b) => a - b);
}

/** Duration of each cut of the connection, ms, and the fractions of stored studies when cut. */
const CUT_MS = 2000, CUTS_AT = [0.2, 0.45, 0.7];

/** Cuts the page's connection three times during the upload. @returns the number of cuts. */
async function cutMeanwhile(page: Page, dataDir: string, signal: AbortSignal): Promise<number> {
  const db = openData(dataDir),
    wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  try {
    for (const [n, part] of CUTS_AT.entries()) {
      const isReached = async () => {
        const { count } = await db.selectFrom("patients").select((e) =>
          e.fn.countAll<number>().as("count")
        )
          .executeTakeFirstOrThrow();
        return count >= 1 + part * studies;
      };
      while (!await isReached()) {
        if (signal.aborted) return n;
        await wait(200);
      }
      await page.context().setOffline(true);
      await wait(CUT_MS);
      await page.context().setOffline(false);
    }
    return CUTS_AT.length;
  } finally {
    await db.destroy();
  }
}

/** Counts the bytes of upload requests that the server accepted. */
function countTaken(page: Page): () => Promise<number> {
  const taken: Promise<number>[] = [];
  page.on("requestfinished", (request) => {
    if (request.method() !== "POST" || new URL(request.url()).pathname !== "/api/v1/patients") {
      return;
    }
    const sizeOf = async () => {
      const answer = await request.response();
      return answer?.ok() ? Number((await request.allHeaders())["content-length"]) : 0;
    };
    taken.push(sizeOf());
  });
  return async () => (await Promise.all(taken)).reduce((sum, size) => sum + size, 0);
}

/** Number of the studies' files that the site has stored. */
async function storedFiles(dataDir: string): Promise<number> {
  const db = openData(dataDir);
  const { count } = await db.selectFrom("instances").innerJoin(
    "patients",
    "patients.pid",
    "instances.pid",
  )
    .where("patient_id", "like", "LOAD-%").select((e) => e.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  await db.destroy();
  return count;
}

/** Script that records tasks over 50 ms, and the time at which the page received the files. */
const WATCH = `
  globalThis.tasks = [];
  globalThis.handedMs = 0;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      // the task in which the browser hands over the files begins with its own work
      const own = Math.max(0, (globalThis.chosenAt ?? 0) - startTime);
      if (own > 0 && own < duration) handedMs = own;
      tasks.push(own < duration ? duration - own : duration);
    }
  }).observe({ type: "longtask", buffered: true });
  addEventListener("change", () => globalThis.chosenAt = performance.now(), true);
`;

async function measure(folder: string, bytes: number): Promise<Row[]> {
  await using site = await startSite({ command: "start" });
  await withoutAnalyses(site.dataDir);
  const server = childOf(site.process.pid, "serve"),
    converter = childOf(site.process.pid, "converter.ts");
  const cold = memoryOf(server);
  // the first upload starts the converter, so its memory is not counted as growth
  const api = pageApi(site.url, await signInPage(site.url, EMAIL, PASSWORD));
  await uploadFiles(api, phantomSeries("short", "WARM-1"));
  const browser = await launchBrowser();
  const asking = new AbortController();
  let watching: ReturnType<typeof setInterval> | undefined;
  try {
    const { page, errors } = await openPage(browser, site.url);
    await page.addInitScript(WATCH);
    await signIn(page);
    await page.getByRole("button", { name: "Upload", exact: true }).first().click();
    const dialog = page.locator("dialog"), total = studies * SLICES;
    await dialog.getByRole("tab", { name: "Multi Case" }).click();
    await page.evaluate("tasks.length = 0");
    await dialog.locator("input[data-pick=folder]").setInputFiles(folder);
    await dialog.getByText(`${studies} of ${studies} studies selected`).waitFor({
      timeout: 300_000,
    });
    const [scanMs, scanTasks, handedMs] = await page.evaluate<[number, number[], number]>(
      "[performance.now() - chosenAt, tasks.splice(0), handedMs]",
    );
    const isRead = await dialog.getByText(`${total} files, `).isVisible();

    const before = memoryOf(server);
    let most = before, mostConverter = 0;
    watching = setInterval(() => {
      most = Math.max(most, memoryOf(server));
      mostConverter = Math.max(mostConverter, memoryOf(converter));
    }, 100);
    const start = performance.now(), asked = askMeanwhile(site.url, asking.signal);
    const takenBytes = countTaken(page), cutting = cutMeanwhile(page, site.dataDir, asking.signal);
    await dialog.getByRole("button", { name: "Upload", exact: true }).click();
    await dialog.getByRole("button", { name: "Done", exact: true }).waitFor({ timeout: 3_600_000 });
    const seconds = (performance.now() - start) / 1000;
    asking.abort();
    const waits = await asked,
      waitAt = (part: number) => waits[Math.floor(part * (waits.length - 1))]!;
    const isWhole = await page.getByText(`${studies} of ${studies} studies stored`).isVisible();
    const sendTasks = await page.evaluate<number[]>("tasks.splice(0)");
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const cuts = await cutting, taken = await takenBytes(), files = await storedFiles(site.dataDir);
    // errors of cut connections in the console are expected
    const faults = errors.filter((line) => !/ERR_INTERNET_DISCONNECTED/.test(line));
    const isRight = isRead && isWhole && faults.length === 0 && files === total;
    const after = memoryOf(server);
    return [
      row(`${total} files, until the table stands`, scanMs / 1000, "s", SCAN_BAR_S, isRead),
      row(
        "longest task of the page while reading",
        Math.max(0, ...scanTasks),
        "ms",
        TASK_BAR_MS,
        isRead,
      ),
      row(
        "the browser's own, before it: files of an input are handed over",
        handedMs,
        "ms",
        null,
        isRead,
      ),
      row(
        "longest task of the page while sending",
        Math.max(0, ...sendTasks),
        "ms",
        TASK_BAR_MS,
        isRight,
      ),
      row("sent, checked and stored", bytes / 1e6 / seconds, "MB/s", null, isRight),
      row(
        `${round(bytes / 1e9)} GB, from the first byte to the last study`,
        seconds,
        "s",
        null,
        isRight,
      ),
      row("times that the connection was cut", cuts, "", null, cuts === CUTS_AT.length),
      row("files stored", files, "", null, files === total),
      row(
        "bytes that the server took, of those there are",
        taken / bytes,
        "×",
        TAKEN_BAR,
        taken >= bytes,
      ),
      row("answer to others meanwhile, median", waitAt(0.5), "ms", null, isRight),
      row("answer to others meanwhile, 99th percentile", waitAt(0.99), "ms", null, isRight),
      row("answer to others meanwhile, longest", waitAt(1), "ms", null, isRight),
      row("server's memory at its start", cold, "MB", null, isRight),
      row("server's memory after one small study", before, "MB", null, isRight),
      row("growth of the server's memory, largest", most - before, "MB", MEMORY_BAR_MB, isRight),
      row("growth of the server's memory, after it", after - before, "MB", MEMORY_BAR_MB, isRight),
      row("memory of the process that converts, largest", mostConverter, "MB", null, isRight),
    ];
  } finally {
    asking.abort();
    clearInterval(watching);
    await browser.close();
  }
}

if (import.meta.main) {
  const folder = mkdtempSync(`${tmpdir()}/sulcus-upload-`);
  let rows: Row[];
  try {
    rows = await measure(folder, writeStudies(folder, studies));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  finish("deno task bench upload", `${studies} studies of ${SLICES} slices of 320 × 320`, rows);
}
