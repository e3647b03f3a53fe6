/**
 * Generates the pictures of the manual (static/manual) by performing its steps on a busy test site,
 * in each language; steps about norms use a site with control studies.
 *
 * deno run -A --config=deno.json tools/documents/manual_pictures.ts [--language en|ko]
 *
 * Needs a built site (`deno task build`), the tests' packages and Chromium.
 * Patients are synthetic, images are phantoms.
 */
import { mkdirSync } from "node:fs";
import type { Browser, Page } from "@/tests/browser.ts";
import { type Language, LANGUAGES } from "@/model/text.ts";
import { pictureFile, readManual } from "@/model/site/manual.ts";
import { EVIDENCE_TASKS, NORM_TASKS, walkManual } from "@/tests/e2e/manual/tasks.ts";
import { EMAIL, launchBrowser, PASSWORD, ROOT, type Site, startSite } from "@/tests/e2e/site.ts";
import { openScene, startWorkedSite } from "@/tests/e2e/worked_scene.ts";
import { addControls, SECOND } from "@/tests/sites/control_site.ts";

const SIZE = { width: 1280, height: 800 }, SCALE = 0.75, QUALITY = 72;

/** Takes a screenshot once all animations have ended. */
async function take(page: Page, file: string): Promise<void> {
  await page.waitForFunction(() =>
    document.getAnimations().every(({ playState, effect }) =>
      playState !== "running" || effect?.getComputedTiming().endTime === Infinity
    )
  );
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", {
    format: "jpeg",
    quality: QUALITY,
    clip: { x: 0, y: 0, ...SIZE, scale: SCALE },
  });
  await session.detach();
  await Deno.writeFile(ROOT + file, Uint8Array.fromBase64(data));
  console.log(file);
}

/** Performs the chosen tasks of the manual on a site and takes their screenshots. */
async function walk(
  browser: Browser,
  { site, pids, language }: { site: Site; pids: readonly number[]; language: Language },
  isWanted: (id: string) => boolean,
): Promise<void> {
  const page = await openScene(browser, { site, language }, SIZE);
  const manual = readManual(await Deno.readTextFile(`${ROOT}docs/manual/${language}.md`));
  const look = (page: Page, name: string) => take(page, pictureFile(name, language));
  await walkManual(page, manual, { pids, colleague: SECOND, look }, isWanted);
  await page.context().close();
}

async function onWorkedSite(browser: Browser, language: Language): Promise<void> {
  const { site, pids, dataDir } = await startWorkedSite();
  try {
    await walk(
      browser,
      { site, pids, language },
      (id) => !NORM_TASKS.includes(id) && !Object.hasOwn(EVIDENCE_TASKS, id),
    );
  } finally {
    await site.stop();
    await Deno.remove(dataDir, { recursive: true });
  }
}

async function onControlSite(browser: Browser, language: Language): Promise<void> {
  const dataDir = await Deno.makeTempDir({ prefix: "sulcus-controls-" });
  await addControls(dataDir, { email: EMAIL, password: PASSWORD });
  const site = await startSite({ dataDir });
  try {
    await walk(
      browser,
      { site, pids: [], language },
      (id) => ["do-sign-in", ...NORM_TASKS].includes(id),
    );
  } finally {
    await site.stop();
    await Deno.remove(dataDir, { recursive: true });
  }
}

if (import.meta.main) {
  const at = Deno.args.indexOf("--language"), only = at < 0 ? undefined : Deno.args[at + 1];
  const browser = await launchBrowser({ gl: true });
  mkdirSync(`${ROOT}static/manual`, { recursive: true });
  try {
    for (const language of LANGUAGES.filter((each) => only === undefined || each === only)) {
      await onWorkedSite(browser, language);
      await onControlSite(browser, language);
    }
  } finally {
    await browser.close();
  }
}
