/**
 * Screenshots of every state of the pages around the worklist, for visual review: both languages,
 * the window size of D1, the smallest size, and 200 % zoom.
 *
 * deno run -A --config=deno.json tools/pages/state_pictures.ts FOLDER [--only PART …] [--language
 * en|ko] [--size 1280|1024|200] [--dark]
 *
 * Needs a built site (`deno task build`), the tests' packages and Chromium.
 */
import { mkdirSync } from "node:fs";
import type { Page } from "@/tests/browser.ts";
import { LANGUAGES } from "@/model/text.ts";
import { THEME_COOKIE } from "@/model/theme.ts";
import {
  dialogStates,
  editStates,
  listStates,
  trayStates,
  uploadStates,
} from "@/tests/e2e/states.ts";
import { endedStates, headerStates, readingStates } from "@/tests/e2e/states_around.ts";
import { openScene, type Scene, startWorkedSite } from "@/tests/e2e/worked_scene.ts";
import { launchBrowser, signIn } from "@/tests/e2e/site.ts";

const PARTS = {
  listStates,
  dialogStates,
  uploadStates,
  trayStates,
  headerStates,
  editStates,
  readingStates,
  endedStates,
};
const SIZES = {
  1280: { viewport: { width: 1280, height: 910 }, scale: 1 },
  1024: { viewport: { width: 1024, height: 768 }, scale: 1 },
  200: { viewport: { width: 1280, height: 910 }, scale: 2 },
};

const valuesOf = (flag: string) =>
  Deno.args.flatMap((arg, n) => arg === flag ? [Deno.args[n + 1]!] : []);

if (import.meta.main) {
  const [out] = Deno.args;
  if (!out) throw new Error("Cannot make pictures: name the folder for them");
  const only = valuesOf("--only"), languages = valuesOf("--language"), sizes = valuesOf("--size");
  const { site, pids, dataDir } = await startWorkedSite(), browser = await launchBrowser();
  try {
    for (
      const language of LANGUAGES.filter((each) =>
        languages.length === 0 || languages.includes(each)
      )
    ) {
      for (const [size, { viewport, scale }] of Object.entries(SIZES)) {
        if (sizes.length > 0 && !sizes.includes(size)) continue;
        const folder = `${out}/${language}-${size}`,
          page = await openScene(browser, { site, language }, viewport, scale);
        if (Deno.args.includes("--dark")) {
          await page.context().addCookies([{ name: THEME_COOKIE, value: "dark", url: site.url }]);
        }
        mkdirSync(folder, { recursive: true });
        let n = 0;
        const look = async (page: Page, state: string) => {
          await page.waitForFunction(() =>
            document.getAnimations().every(({ playState, effect }) =>
              playState !== "running" || effect?.getComputedTiming().endTime === Infinity
            )
          );
          const name = `${String(++n).padStart(2, "0")} ${state}`.replaceAll(/[^a-z0-9]+/g, "_");
          await page.screenshot({ path: `${folder}/${name}.png` });
        };
        const scene: Scene = { site, pids, language, look };
        await signIn(page);
        for (const [name, part] of Object.entries(PARTS)) {
          if (only.length > 0 && !only.includes(name)) continue;
          try {
            await part(page, scene);
          } catch (error) {
            console.error(`${language} ${size} ${name}: ${error}`);
            await page.screenshot({ path: `${folder}/${name}_failed.png` });
          }
        }
        await page.context().close();
        console.log(folder);
      }
    }
  } finally {
    await browser.close();
    await site.stop();
    await Deno.remove(dataDir, { recursive: true });
  }
}
