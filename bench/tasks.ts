/**
 * Frequent tasks of a physician as a script in a browser on a processor slowed down four times:
 * clicks and keys, counted by the page, and seconds. The figures before are of the worklist without
 * its later columns, marks and tray (commit cb550ff), measured with the same studies and counter,
 * and the steps needed then, on one day and machine; docs/benchmarks.md compares both.
 *
 * deno task bench tasks [--json FILE]
 */
import type { Page } from "@/tests/browser.ts";
import { createCore } from "@/server/core/mod.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import {
  answersClicks,
  EMAIL,
  launchBrowser,
  openPage,
  PASSWORD,
  signIn,
  startSite,
} from "@/tests/e2e/site.ts";
import { finish, type Row, rowMaker } from "@/bench/record.ts";

const STUDIES = 60, SLOWER = 4, EXPORTED = 10, ROUNDS = 3;
const make = rowMaker("tasks");

interface Task {
  name: string;
  /** clicks and keys in the earlier worklist, and median seconds of six rounds */
  before: { presses: number; seconds: number };
  run(page: Page): Promise<void>;
}

const row = (page: Page, id: string) => page.locator("tr[data-pid]").filter({ hasText: id });

/** Tasks in the order of a working day; P-59 and P-60 are studies of one patient. */
const TASKS: readonly Task[] = [
  {
    name: "find a patient and see what stands out",
    // a search; then the result was only visible in the opened report
    before: { presses: 6, seconds: 1.7 },
    run: async (page) => {
      await page.keyboard.press("/");
      await page.keyboard.type("P-31");
      await row(page, "P-31").locator(".col-finding").getByText(/pct/).waitFor();
    },
  },
  {
    name: "open the last report",
    before: { presses: 1, seconds: 1.4 },
    run: async (page) => {
      await page.locator("tr[data-pid] .report-button").first().click();
      await page.waitForURL(/\/report\//);
      await page.locator(".report-sheet").first().waitFor();
    },
  },
  {
    name: "compare with the prior study",
    // one after the other: row, prior study in the history, back, and the study itself
    before: { presses: 5, seconds: 4.2 },
    run: async (page) => {
      await row(page, "TWICE").first().locator("td").nth(3).click();
      await page.locator(".history-open").getByRole("link", { name: "Compare" }).click();
      await page.waitForURL(/\/viewer\/\d+\?compare=\d+/);
      // waits until both studies are drawn
      await page.locator("[data-compared]").waitFor();
      await page.getByTestId("other-axial-view").locator("canvas").first().waitFor();
    },
  },
  {
    name: `export ${EXPORTED} studies`,
    // five rows per page: check all, next page, check all, export, format, export
    before: { presses: 6, seconds: 2.1 },
    run: async (page) => {
      await page.getByLabel("Select all on this page").click();
      await page.getByRole("toolbar").getByRole("button", { name: "Export" }).click();
      const saved = page.waitForEvent("download");
      await page.locator("dialog").getByRole("button", { name: "Export", exact: true }).click();
      await saved;
    },
  },
];

/** Counts clicks and keys across page changes. */
function countPresses(): void {
  for (const type of ["pointerdown", "keydown"]) {
    addEventListener(type, ({ isTrusted }) => {
      if (isTrusted) sessionStorage.presses = Number(sessionStorage.presses ?? 0) + 1;
    }, true);
  }
}

async function measure(): Promise<Row[]> {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-tasks-" });
  const core = await createCore({
    dataDir,
    workers: 0,
    adminEmail: EMAIL,
    adminPassword: PASSWORD,
  });
  await core.close();
  // small hippocampi give each row a finding
  await addReported(dataDir, STUDIES, 20, (label) => label === 19 || label === 20 ? -4 : 0);
  const db = await openBeside(dataDir);
  await db.updateTable("patients").set({ patient_sex: "female", patient_age: 66 }).execute();
  await db.updateTable("patients").set({ study_date: "2024-01-05" }).where("pid", "=", STUDIES - 1)
    .execute();
  await db.updateTable("patients").set({ patient_id: "TWICE" }).where("pid", ">", STUDIES - 2)
    .execute();
  await db.destroy();
  await using site = await startSite({ dataDir });
  const browser = await launchBrowser(), rows: Row[] = [];
  try {
    const { page } = await openPage(browser, site.url);
    await signIn(page);
    // one page shows all exported rows; the list stores the choice
    await page.getByLabel("Rows per page").selectOption(String(EXPORTED));
    await page.context().addInitScript(countPresses);
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    for (const { name, before, run } of TASKS) {
      const seconds: number[] = [];
      let presses = 0;
      for (let round = 0; round < ROUNDS; round++) {
        await page.goto("/");
        await answersClicks(page);
        await page.evaluate("sessionStorage.presses = 0");
        const started = performance.now();
        await run(page);
        seconds.push((performance.now() - started) / 1000);
        presses = await page.evaluate<number>("Number(sessionStorage.presses)");
      }
      // fewer clicks and keys than before, but at least one
      const bar = Math.max(1, before.presses - 1), baseline = before.presses;
      rows.push(make(`${name}: presses`, presses, "", { baseline, bar, ok: presses <= bar }));
      const median = seconds.sort((a, b) => a - b)[ROUNDS >> 1]!;
      rows.push(
        make(`${name}: time, median of ${ROUNDS}`, median, "s", { baseline: before.seconds }),
      );
    }
  } finally {
    await browser.close();
    await Deno.remove(dataDir, { recursive: true }).catch(() => {});
  }
  return rows;
}

if (import.meta.main) {
  finish(
    "deno task bench tasks",
    `${STUDIES} studies, processor ${SLOWER} times slower`,
    await measure(),
  );
}
