// covers: S-121
// A row shows the delivery of a study's results to other systems, and can send them again.
import { insertOutbox } from "@/server/core/connections/storage/outbox.ts";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import { hasChromium, pageStarts } from "@/tests/e2e/site.ts";
import { PATIENTS, rows, withList } from "@/tests/e2e/worklist/list_site.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { connectionText } from "@/model/text/site/connections.ts";

Deno.test({
  name: "a result that could not be sent is named in the row, and sent again from its list",
  ignore: !hasChromium,
  fn: () =>
    withList({ studies: PATIENTS, finished: 1 }, async (page, site) => {
      // by the page's session, which a second sign-in would end
      const peerId = await page.evaluate(async () => {
        const config = { ae_title: "PACS", host: "127.0.0.1", port: 1 };
        const answer = await fetch("/api/v1/connections/peers", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ name: "Archive", kind: "dicom", config }),
        });
        return ((await answer.json()) as { id: number }).id;
      });
      const db = await openBeside(site.dataDir), now = new Date().toISOString();
      await insertOutbox(
        db,
        ["report", "regions"].map((kind) => ({ peerId, pid: 1, run: "1", kind })),
        now,
      );
      await db.updateTable("outbox").set({ state: "sent", sent_at: now }).execute();
      await db.updateTable("outbox").set({ state: "failed", last_error: "unreachable/refused" })
        .where("kind", "=", "regions").execute();
      await db.destroy();
      await page.reload();
      await pageStarts(page);
      const row = rows(page).filter({ hasText: PATIENTS[0] });
      await row.getByRole("button", { name: /: Not delivered$/ }).click();
      const dialog = page.getByRole("dialog", { name: /^Sent: / });
      const failed = dialog.getByRole("row").filter({ hasText: "Regions (SEG)" });
      await failed.getByText(`${connectionText.failure_unreachable.en}: refused`).waitFor();
      await dialog.getByRole("row").filter({ hasText: "Report (PDF)" }).getByText("Archive")
        .waitFor();
      await assertAccessible(page, "worklist, sent results");
      await failed.getByRole("button", { name: "Send again" }).click();
      await failed.getByText("Waiting").waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      // updated by an event, without a reload
      await row.getByRole("button", { name: /To be sent$/ }).waitFor();
    }),
});
