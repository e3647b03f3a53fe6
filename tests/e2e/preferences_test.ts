// Preferences of system or browser on a site as in everyday use: less motion, more contrast, forced
// colours, and a zoom that leaves 320 px. The focus must be visible with each of them.
import type { Page } from "@playwright/test";
import { THEME_COOKIE } from "@/model/theme.ts";
import { assertReachable } from "@/tests/e2e/accessibility.ts";
import { assertFocusToldApart, assertToldApart } from "@/tests/e2e/contrast.ts";
import { assertFocusSeen } from "@/tests/e2e/focus_seen.ts";
import { mainStates } from "@/tests/e2e/main_states.ts";
import { assertStill } from "@/tests/e2e/motion.ts";
import { knowColours } from "@/tests/e2e/page_colours.ts";
import { NARROWEST, narrowestPages } from "@/tests/e2e/reflow.ts";
import { browserTest, launchBrowser, signIn, signInStarts } from "@/tests/e2e/site.ts";
import { type Scene, startWorkedSite } from "@/tests/e2e/worked_scene.ts";

const WINDOW = { width: 1024, height: 768 };

browserTest("pages follow what people set in their system", async (t) => {
  const { site, pids, dataDir } = await startWorkedSite(), browser = await launchBrowser();
  try {
    const context = await browser.newContext({
      viewport: WINDOW,
      baseURL: site.url,
      // without animations, so that tests need not wait for them
      reducedMotion: "reduce",
    });
    await context.addCookies([{ name: THEME_COOKIE, value: "system", url: site.url }]);
    await knowColours(context);
    const page = await context.newPage(),
      of = { site, pids, language: "en" } satisfies Partial<Scene>;
    const look = async (page: Page, state: string) => {
      await assertStill(page, state);
      await assertToldApart(page, state);
    };
    const walk = async (page: Page, state: string) => {
      await assertFocusSeen(page, state);
      await assertFocusToldApart(page, state);
    };
    await t.step("sign-in, as any page", async () => {
      await page.goto("/login");
      await signInStarts(page);
      await look(page, "sign-in");
      await walk(page, "sign-in");
      await page.setViewportSize(NARROWEST);
      await assertReachable(page, "sign-in");
      await page.setViewportSize(WINDOW);
    });
    await signIn(page);
    await t.step(
      "nothing moves, everything is told apart in every contrast, and the focus is seen",
      () => mainStates(page, { ...of, look }, walk),
    );
    await t.step(
      "at 400 %, in 320 px, nothing but tables and images scrolls sideways",
      async () => {
        await page.setViewportSize(NARROWEST);
        await narrowestPages(page, { ...of, look: assertReachable });
      },
    );
  } finally {
    await browser.close();
    await site.stop();
    await Deno.remove(dataDir, { recursive: true });
  }
});
