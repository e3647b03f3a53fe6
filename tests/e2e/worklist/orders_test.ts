// covers: S-207
// Hospital orders in the worklist: rows without actions, marked if a number belongs to two
// patients.
import assert from "node:assert/strict";
import { textIn } from "@/model/text.ts";
import { listStateText } from "@/model/text/worklist/list_state.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { openData } from "@/server/core/mod.ts";
import { insertOrder } from "@/server/core/studies/storage/hospital/hospital_orders.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { noteAccession } from "@/server/core/studies/service/orders/match_orders.ts";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import {
  hasChromium,
  launchBrowser,
  openPage,
  pageStarts,
  signIn,
  startSite,
} from "@/tests/e2e/site.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";

/** Folder for screenshots; none are taken by default. */
const PICTURES = Deno.env.get("TEST_PICTURES");

Deno.test({
  name: "the worklist shows orders as rows that cannot be opened, checked or edited",
  ignore: !hasChromium,
  fn: async () => {
    await using site = await startSite();
    const db = openData(site.dataDir), at = new Date().toISOString();
    const orderOf = (n: number, values: { procedure: string; patientName?: string }) => ({
      system: "RIS",
      accessionNumber: `2026-MR-${n}`,
      patientId: `P-${n}`,
      patientName: values.patientName ?? `Name ${n}`,
      birthDate: "1960-05-20",
      sex: "male" as const,
      eventMs: 0,
      items: [{ number: "", procedure: values.procedure, ms: 0, isInForce: true }],
      referrer: "Lee Jiwon",
      plannedOn: "2026-03-02",
      orderedAt: at,
      expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
      state: "ordered" as const,
      pid: null,
    });
    const hostile = `<img src=x onerror="document.title='taken'">`;
    for (const n of [1, 2]) await insertPatient(db, newStudy(n));
    await insertOrder(db, orderOf(1, { procedure: "MRI brain without contrast" }));
    await insertOrder(db, orderOf(3, { procedure: hostile, patientName: hostile }));
    await insertOrder(db, { ...orderOf(4, { procedure: "MRI" }), accessionNumber: "2026-MR-2" });
    for (const n of [1, 2]) await noteAccession(db, n, `2026-MR-${n}`);
    await db.destroy();
    const browser = await launchBrowser();
    try {
      for (const language of ["en", "ko"] as const) {
        const { page, errors } = await openPage(browser, site.url);
        await page.context().addCookies([{ name: "language", value: language, url: site.url }]);
        await signIn(page);
        await pageStarts(page);
        const ordered = page.locator("tr:has(.order-status)");
        await ordered.first().waitFor();
        assert.equal(await ordered.count(), 2);
        // orders can be neither checked, edited nor opened, by pointer or keyboard
        assert.equal(await ordered.locator("button, input").count(), 0);
        const before = page.url();
        await ordered.first().dblclick();
        await ordered.first().press("Enter");
        await ordered.first().press("e");
        assert.equal(page.url(), before);
        assert.equal(await page.locator("form").count(), 0);
        assert.equal(await page.title().then((title) => title.includes("taken")), false);
        await page.getByText(hostile).first().waitFor();
        const mark = textIn(worklistText.accessionDoubted, language);
        assert.equal(await page.locator(".accession-mark", { hasText: mark }).count(), 2);
        // the study that matched the first order keeps the procedure
        await page.locator('tr[data-pid="1"] .ordered-as').waitFor();
        const sizes = [[1280, 910], [1024, 768]] as const;
        for (const [width, height] of sizes) {
          await page.setViewportSize({ width, height });
          const facts = page.locator("tr:has(.order-status) .order-fact", { hasText: "2026-MR-" });
          const isCut = await facts.evaluateAll((all) =>
            all.map((e) => e.scrollWidth > e.clientWidth)
          );
          assert.deepEqual(isCut, [false, false], `accession numbers ${language} ${width}`);
          if (PICTURES) {
            await page.screenshot({ path: `${PICTURES}/orders_${language}_${width}.png` });
          }
        }
        await assertAccessible(page, `orders ${language}`);
        const chip = page.getByRole("button", { name: textIn(listStateText.ordered, language) });
        assert.match(await chip.innerText(), /2$/);
        await chip.click();
        await page.locator('tr[data-pid="1"]').waitFor({ state: "detached" });
        assert.equal(await ordered.count(), 2);
        assert.deepEqual(errors, []);
        await page.context().close();
      }
    } finally {
      await browser.close();
    }
  },
});
