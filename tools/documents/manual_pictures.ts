/**
 * The pictures of the manual, static/manual: its steps are done on a site in the middle of its work, in each language.
 *
 * deno run -A --config=deno.json tools/documents/manual_pictures.ts [--language en|ko]
 *
 * Needs a built site (`deno task build`), the tests' packages and Chromium. The patients are made up, their images phantoms.
 */
import { mkdirSync } from "node:fs";
import { LANGUAGES } from "@/model/text.ts";
import { pictureFile, readManual } from "@/model/site/manual.ts";
import { walkManual } from "@/tests/e2e/manual_tasks.ts";
import { launchBrowser, ROOT } from "@/tests/e2e/site.ts";
import { openScene, startWorkedSite } from "@/tests/e2e/states.ts";

const SIZE = { width: 1280, height: 800 }, SCALE = 0.75, QUALITY = 72;

if (import.meta.main) {
  const at = Deno.args.indexOf("--language"), only = at < 0 ? undefined : Deno.args[at + 1];
  const browser = await launchBrowser({ gl: true });
  mkdirSync(`${ROOT}static/manual`, { recursive: true });
  try {
    for (const language of LANGUAGES.filter((each) => only === undefined || each === only)) {
      const { site, pids, dataDir } = await startWorkedSite();
      try {
        const page = await openScene(browser, { site, language }, SIZE);
        const manual = readManual(await Deno.readTextFile(`${ROOT}docs/manual/${language}.md`));
        await walkManual(page, manual, {
          pids,
          look: async (page, name) => {
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
            await Deno.writeFile(ROOT + pictureFile(name, language), Uint8Array.fromBase64(data));
            console.log(pictureFile(name, language));
          },
        });
        await page.context().close();
      } finally {
        await site.stop();
        await Deno.remove(dataDir, { recursive: true });
      }
    }
  } finally {
    await browser.close();
  }
}
