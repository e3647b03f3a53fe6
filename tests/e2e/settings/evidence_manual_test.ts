// The manual's tasks of acceptance, control charts, withheld percentiles and reading studies, done
// as it says, in both languages.
// covers: S-231
import assert from "node:assert/strict";
import { readManual } from "@/model/site/manual.ts";
import { LANGUAGES } from "@/model/text.ts";
import { insertStop } from "@/server/core/norms/storage/stops.ts";
import { EVIDENCE_TASKS, walkManual } from "@/tests/e2e/manual/tasks.ts";
import {
  browserTest,
  EMAIL,
  launchBrowser,
  openPage,
  PASSWORD,
  ROOT,
  signIn,
  startSite,
} from "@/tests/e2e/site.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { CHARTED_LABELS, measureAgain, ROUTINE_PROTOCOL } from "@/tests/sites/routine_site.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";

const COLLEAGUE = { email: "chief@hospital.test", password: PASSWORD };
const READER = { email: "reader@hospital.test", password: PASSWORD };
const STUDIES = 24, STOPPED = "Zeta MR 9";

browserTest(
  "a scanner is accepted, charted and stopped, and a reading study run, as the manual says",
  async () => {
    const dataDir = await Deno.makeTempDir({ prefix: "sulcus-evidence-" });
    await addReported(dataDir, STUDIES, 40);
    await measureAgain(dataDir, STUDIES, 0, 3, CHARTED_LABELS, { keepsGrid: true });
    const db = await openBeside(dataDir);
    for (const email of [EMAIL, COLLEAGUE.email]) {
      await addQuickUser(db, { email, password: PASSWORD, name: null, role: "administrator" });
    }
    await addQuickUser(db, { ...READER, name: null, role: "reader" });
    await db.updateTable("series").set({ scanner: STOPPED }).where("pid", "=", STUDIES).execute();
    await insertStop(db, {
      scanner: STOPPED,
      protocol: ROUTINE_PROTOCOL,
      since: "2026-01-02",
      moved: [{ name: "overall", direction: "lower", date: "2026-01-02" }],
      stoppedAt: "2026-02-03T00:00:00.000Z",
    });
    await db.destroy();
    await using site = await startSite({ dataDir });
    const browser = await launchBrowser();
    try {
      for (const language of LANGUAGES) {
        const { page, errors } = await openPage(browser, site.url);
        page.setDefaultTimeout(120_000);
        await page.context().addCookies([{ name: "language", value: language, url: site.url }]);
        await signIn(page, EMAIL);
        const manual = readManual(
          await Deno.readTextFile(`${ROOT}docs/manual/${language}.md`),
        );
        const walk = {
          // cases of its own for each language: a case read once today is in its washout interval
          pids: language === "en" ? [1, 2] : [3, 4],
          colleague: COLLEAGUE,
          reader: READER,
          look: () => Promise.resolve(),
        };
        await walkManual(page, manual, walk, (id) => Object.hasOwn(EVIDENCE_TASKS, id));
        assert.deepEqual(errors, []);
        await page.context().close();
      }
    } finally {
      await browser.close();
    }
    await Deno.remove(dataDir, { recursive: true }).catch(() => {});
  },
);
