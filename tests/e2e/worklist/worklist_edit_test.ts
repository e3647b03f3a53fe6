// One record and two physicians: only one can edit at a time, and no typed text is lost.
import assert from "node:assert/strict";
import { deletePatient, getPatient } from "@/client/api/studies/patients.ts";
import { textIn } from "@/model/text.ts";
import { toastText } from "@/model/text/toasts.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { patientEditText } from "@/model/text/worklist/patient_edit.ts";
import { openData } from "@/server/core/mod.ts";
import { assertAccessible } from "@/tests/e2e/accessibility.ts";
import { answersClicks, hasChromium, OPEN_REPORT } from "@/tests/e2e/site.ts";
import { editing, row, withTwo } from "@/tests/e2e/worklist/two_browsers.ts";
import { until } from "@/tests/sites/until.ts";

const why = hasChromium ? "" : " (skipped: no /usr/bin/chromium)";

// covers: D1-2.7, D1-2.8, D1-4.36, D1-4.38, D1-4.39, D1-4.40, D1-4.43, D1-4.44, D1-5.16, D1-8.9, D1-8.22
// covers: D1-8.24, S-25, S-26, S-27, S-28, S-29, S-30, S-31, S-35, S-36, S-37
Deno.test({
  name: "a record is edited by one at a time, and nothing typed is lost to the other" + why,
  ignore: !hasChromium,
  fn: () =>
    withTwo(async ({ site, mine, theirs, robot }) => {
      // the form opens by a key and validates its fields; Escape asks if text was typed
      await row(mine, 7).focus();
      await mine.keyboard.press("e");
      await editing(mine).waitFor();
      assert.equal(await editing(mine).getByRole("button", { name: OPEN_REPORT }).count(), 0);
      const name = editing(mine).getByLabel("Name");
      assert.ok(
        await editing(mine).getByLabel("Patient ID").evaluate((input) =>
          input === document.activeElement
        ),
      );
      await assertAccessible(mine, "edit form");
      await name.fill("Kim\tMinsu");
      await mine.keyboard.press("Enter");
      await mine.getByText(`Name: ${patientEditText.controlCharacter.en}`)
        .waitFor();
      await name.fill("x".repeat(101));
      await editing(mine).getByLabel("Birth date", { exact: true }).fill("2026-02-01");
      await mine.keyboard.press("Enter");
      await mine.getByText("Name: Cannot exceed 100 characters.").waitFor();
      await mine.getByText("Please check age.").first().waitFor();
      await assertAccessible(mine, "edit form with problems");
      await mine.keyboard.press("Escape");
      await mine.locator("dialog").getByRole("button", { name: "Keep editing" }).click();
      assert.equal((await name.inputValue()).length, 101);

      // the other user sees the editor's name, and cannot edit
      const notice = row(theirs, 7).getByText(
        textIn(worklistText.editing, "en", { user: "Administrator" }),
      );
      await notice.waitFor();
      // the name is completely visible at every size, and rows grow only where space is limited
      for (
        const [width, height, rowHeight] of [[1024, 768], [640, 455], [1280, 910, 52]] as const
      ) {
        await theirs.setViewportSize({ width, height });
        const { isWhole, rowIs } = await notice.evaluate((each) => {
          const row = each.closest("tr")!.getBoundingClientRect(), cell = each.closest("td")!;
          const words = document.createRange();
          words.selectNodeContents(each);
          const inside = (inner: DOMRect, outer: DOMRect) =>
            inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top &&
            inner.bottom <= outer.bottom;
          const rects = [...words.getClientRects()];
          return {
            isWhole: rects.length > 0 &&
              rects.every((rect) =>
                inside(rect, row) && inside(rect, cell.getBoundingClientRect())
              ),
            rowIs: row.height,
          };
        });
        assert.ok(isWhole, `${width} × ${height}`);
        if (rowHeight) assert.ok(rowIs <= rowHeight + 1, `${rowIs} px`);
      }
      await row(theirs, 7).getByRole("button", { name: "Edit Name 7" }).click();
      await theirs.locator("dialog").getByText(
        textIn(worklistText.editing, "en", { user: "Administrator" }),
      ).waitFor();
      await theirs.locator("dialog").getByRole("button", { name: "Confirm" }).click();

      // after saving: a toast, both rows updated, and the claim released
      await name.fill("Hong");
      await editing(mine).getByLabel("Birth date", { exact: true }).fill("1970-01-06");
      await mine.keyboard.press("Enter");
      await mine.getByText(toastText["edit.saved"].text.en).first().waitFor();
      await editing(mine).waitFor({ state: "detached" });
      // the focus is on the row
      await until(() => row(mine, 7).evaluate((each) => each === document.activeElement));
      await row(theirs, 7).getByText("Hong").waitFor();
      await row(theirs, 7).getByText("is editing this study").waitFor({ state: "detached" });
      assert.equal((await getPatient(robot, 7)).patient_age, 55);

      // the new identity belongs to another study of that patient and day
      await row(mine, 7).press("e");
      await editing(mine).getByLabel("Patient ID").fill("P-6");
      await mine.keyboard.press("Enter");
      await mine.getByText("Duplicate data exist.").first().waitFor();
      await mine.keyboard.press("Escape");
      await mine.locator("dialog").getByRole("button", { name: "Discard" }).click();
      await row(mine, 7).getByText("P-7").waitFor();

      // conflict by a change: the claim expired, and the other user saved
      await row(mine, 6).press("e");
      await name.fill("Mine");
      const db = openData(site.dataDir);
      await db.deleteFrom("edit_claims").execute();
      await db.destroy();
      await row(theirs, 6).press("e");
      await editing(theirs).getByLabel("Name").fill("Theirs");
      await theirs.keyboard.press("Enter");
      await mine.getByText(textIn(patientEditText.changed, "en", { values: "Name Theirs" }))
        .waitFor();
      assert.equal(await name.inputValue(), "Mine");
      await assertAccessible(mine, "edit with another's change");
      await mine.getByRole("button", { name: "Keep my values" }).click();
      await mine.keyboard.press("Enter");
      await editing(mine).waitFor({ state: "detached" });
      await row(theirs, 6).getByText("Mine").waitFor();

      // conflict by a deletion, which also removes the study's check
      for (const pid of [4, 5]) await row(mine, pid).getByRole("checkbox").check();
      await row(mine, 5).press("e");
      await name.fill("Typed");
      await row(theirs, 5).getByRole("checkbox").check();
      await theirs.getByRole("toolbar").waitFor();
      await theirs.keyboard.press("Delete");
      await theirs.locator("dialog").getByText("1 study will be moved to Deleted studies")
        .waitFor();
      await theirs.locator("dialog").getByRole("button", { name: "Delete" }).click();
      await theirs.getByText("1 study deleted.").first().waitFor();
      await mine.getByText(
        /^The study was deleted by another user, so your changes cannot be saved/,
      )
        .waitFor();
      assert.equal(await name.inputValue(), "Typed");
      // row and question agree, and neither discards the text by itself
      await name.press("Escape");
      const question = mine.getByRole("alertdialog", { name: "Study deleted" });
      await question.getByText(/your changes for .* cannot be saved/).waitFor();
      await mine.keyboard.press("Escape");
      await question.waitFor({ state: "detached" });
      assert.equal(await name.inputValue(), "Typed");
      await editing(mine).getByRole("button", { name: "Close" }).click();
      // the accessible name of close buttons contains nothing else
      await question.locator("button", { hasText: /^Close$/ }).click();
      await row(mine, 5).waitFor({ state: "detached" });
      const bar = mine.getByRole("toolbar");
      await bar.getByText("1 selected").waitFor();

      // the other user deletes the study while this page shows the confirmation
      await bar.getByRole("button", { name: "Delete" }).click();
      await deletePatient(robot, 4);
      await row(mine, 4).waitFor({ state: "detached" });
      await mine.locator("dialog").getByRole("button", { name: "Delete" }).click();
      await mine.getByText("1 study deleted.").first().waitFor();

      // an analysis started before the page got its event: editing, analysing and deleting are
      // refused
      const setStatus = async (status: "waiting" | "completed") => {
        const db = openData(site.dataDir);
        await db.updateTable("analyses").set({ status }).where("pid", "=", 8).execute();
        await db.destroy();
      };
      await row(mine, 8).press("e");
      await name.fill("Kept");
      await setStatus("waiting");
      await mine.keyboard.press("Enter");
      await mine.getByText(/^The study is being analyzed\. Your changes are kept/).waitFor();
      assert.equal(await name.inputValue(), "Kept");
      await setStatus("completed");
      await mine.keyboard.press("Escape");
      await mine.locator("dialog").getByRole("button", { name: "Discard" }).click();
      const refused = async (action: string, words: RegExp) => {
        await row(mine, 8).getByRole("checkbox").check();
        await setStatus("waiting");
        await bar.getByRole("button", { name: action }).click();
        await mine.locator("dialog").getByRole("button", { name: action }).click();
        await mine.locator(".toast").getByText(words).waitFor();
        await setStatus("completed");
      };
      await refused("Analyze", /^8 is being analyzed\.$/);
      await mine.getByRole("searchbox").fill("p-8");
      await row(mine, 7).waitFor({ state: "detached" });
      await refused("Delete", /^1 of 1 study could not be deleted: .*being analyzed\.$/);

      // after editing an analysed study, the page asks whether to analyse again, and returns home
      await mine.getByRole("searchbox").fill("P-8");
      await mine.waitForURL((url) => url.search === "?search=P-8");
      await row(mine, 8).press("e");
      await editing(mine).getByLabel("Sex").selectOption("female");
      await mine.keyboard.press("Enter");
      await mine.locator("dialog").getByText("Edit analyzed info").waitFor();
      await mine.locator("dialog").getByRole("button", { name: "Keep the results" }).click();
      await mine.locator("dialog").getByText("Patient information updated").waitFor();
      await mine.locator("dialog").getByRole("button", { name: "Confirm" }).click();
      await mine.waitForURL((url) => url.search === "");

      // the other answer starts an analysis, which the other user sees
      await answersClicks(mine);
      await row(mine, 8).press("e");
      await editing(mine).getByLabel("Sex").selectOption("male");
      await mine.keyboard.press("Enter");
      await mine.locator("dialog").getByRole("button", { name: "Analyze again" }).click();
      await mine.locator("dialog").getByText(/the study is being analyzed again/).waitFor();
      const loaded = mine.waitForEvent("load");
      await mine.locator("dialog").getByRole("button", { name: "Confirm" }).click();
      await loaded;
      await row(theirs, 8).getByText("Failed", { exact: true }).waitFor({ timeout: 120_000 });
      assert.equal(await theirs.evaluate("globalThis.notReloaded"), true);
    }),
});
