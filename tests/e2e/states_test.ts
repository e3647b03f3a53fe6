// covers: D1-9.9, S-7, S-48
// In every state around the worklist: no axe findings, all controls reachable, and Escape and ×
// only close dialogs. In English in the smallest window, in Korean at 200 % zoom.
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import { assertAccessible, assertReachable, assertTrapped } from "@/tests/e2e/accessibility.ts";
import { readManual } from "@/model/site/manual.ts";
import { LANGUAGES } from "@/model/text.ts";
import { EVIDENCE_TASKS, TASKS, tasksOf, walkManual } from "@/tests/e2e/manual/tasks.ts";
import { spokenTasks } from "@/tests/e2e/screen_reader.ts";
import { launchBrowser, missingForBrowser, ROOT, signIn } from "@/tests/e2e/site.ts";
import {
  dialogStates,
  editStates,
  listStates,
  trayStates,
  uploadStates,
} from "@/tests/e2e/states.ts";
import { endedStates, headerStates, readingStates } from "@/tests/e2e/states_around.ts";
import { openScene, type Scene, startWorkedSite } from "@/tests/e2e/worked_scene.ts";

const PARTS = {
  listStates,
  dialogStates,
  uploadStates,
  trayStates,
  headerStates,
  editStates,
  readingStates,
  spokenTasks,
  endedStates,
};
/** Tasks of the manual in other tests; `tools/documents/manual_pictures.ts` performs all. */
const DONE_ELSEWHERE = [
  ...Object.keys(EVIDENCE_TASKS),
  "do-bench",
  "do-codes",
  "do-connect",
  "do-controls",
  "do-export",
  "do-label",
  "do-measure",
  "do-my-page",
  "do-norms",
  "do-upload",
];
/** Calls with a method for changes that change nothing. */
const ASKS = /\/(estimate|stored|age|crashes|search)$/;

Deno.test("each task of the manual is done by a script, step by step", async () => {
  for (const language of LANGUAGES) {
    const manual = readManual(await Deno.readTextFile(`${ROOT}docs/manual/${language}.md`));
    assert.deepEqual(
      tasksOf(manual).map(({ id, steps }) => [id, steps.length]),
      Object.entries(TASKS).map(([id, steps]) => [id, steps.length]),
    );
  }
});

async function check(page: Page, state: string): Promise<void> {
  const isOpen = await page.locator("dialog[open]").count() > 0;
  await assertAccessible(page, state, isOpen ? "dialog" : undefined);
  // the viewer's lists scroll by themselves, and its tests click everything in them;
  // an open tray covers elements below it until Escape
  if (!/^viewer|with the tray$/.test(state)) await assertReachable(page, state);
}

for (
  const { language, viewport, scale } of [
    { language: "en", viewport: { width: 1024, height: 768 }, scale: 1 },
    { language: "ko", viewport: { width: 1280, height: 910 }, scale: 2 },
  ] as const
) {
  Deno.test({
    name:
      `every state is accessible and within reach at ${viewport.width} × ${viewport.height}, ${
        100 * scale
      } %, ` +
      language + (missingForBrowser && ` (skipped: ${missingForBrowser})`),
    ignore: missingForBrowser !== "",
    sanitizeOps: false,
    sanitizeResources: false,
    fn: async (t) => {
      const { site, pids, dataDir } = await startWorkedSite(), browser = await launchBrowser();
      try {
        const page = await openScene(browser, { site, language }, viewport, scale),
          written: string[] = [];
        page.on("request", (request) => {
          const { pathname } = new URL(request.url());
          if (!["GET", "HEAD"].includes(request.method()) && !ASKS.test(pathname)) {
            written.push(`${request.method()} ${pathname}`);
          }
        });
        /** Closes a dialog by Escape and by ×, which must change nothing; the focus returns. */
        const leave: Scene["leave"] = async (page, state, reopen) => {
          const gone = () => page.locator("dialog[open]").waitFor({ state: "detached" });
          written.length = 0;
          await assertTrapped(page, state);
          await page.keyboard.press("Escape");
          await gone();
          await reopen();
          await page.locator("dialog[open]").locator(
            "button[aria-label=Close], button[aria-label=닫기]",
          )
            .first().click();
          await gone();
          assert.deepEqual(written, [], `${state}: leaving it did something`);
        };
        await signIn(page);
        for (const [name, part] of Object.entries(PARTS)) {
          const isGood = await t.step(
            name,
            () => part(page, { site, pids, language, look: check, leave }),
          );
          // after a failure, an open dialog would disturb the next part
          if (isGood) continue;
          console.error("open at the failure:", await page.locator("dialog[open]").allInnerTexts());
          await page.goto("/");
        }
        await page.context().close();
        if (language === "en") return;
        // the session has ended, so this step begins by signing in
        await t.step("what the manual tells to do can be done", async () => {
          const manual = readManual(await Deno.readTextFile(`${ROOT}docs/manual/${language}.md`));
          const page = await openScene(browser, { site, language }, { width: 1280, height: 910 });
          const walk = { pids, look: () => Promise.resolve() };
          await walkManual(page, manual, walk, (id) => !DONE_ELSEWHERE.includes(id));
        });
      } finally {
        await browser.close();
        await site.stop();
        await Deno.remove(dataDir, { recursive: true });
      }
    },
  });
}
