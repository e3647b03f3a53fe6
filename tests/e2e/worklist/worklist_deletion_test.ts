// Deleting studies while a colleague edits one of them, and undoing the deletion.
import assert from "node:assert/strict";
import { getPatient } from "@/client/api/studies/patients.ts";
import { textIn } from "@/model/text.ts";
import { worklistSelectionText } from "@/model/text/worklist/worklist_selection.ts";
import { patientEditText } from "@/model/text/worklist/patient_edit.ts";
import { until } from "@/tests/sites/until.ts";
import { hasChromium } from "@/tests/e2e/site.ts";
import { editing, pidsOf, row, withTwo } from "@/tests/e2e/worklist/two_browsers.ts";

const why = hasChromium ? "" : " (skipped: no /usr/bin/chromium)";

// covers: S-31
Deno.test({
  name: "a deletion names the colleague who edits, and Undo gives the studies back" + why,
  ignore: !hasChromium,
  fn: () =>
    withTwo(async ({ mine, theirs, robot }) => {
      await row(theirs, 5).press("e");
      await editing(theirs).getByLabel("Name").fill("Half");
      await row(mine, 5).getByText("Dr. Other").waitFor();
      const before = await pidsOf(mine);

      await row(mine, 6).getByRole("checkbox").check();
      await row(mine, 5).getByRole("checkbox").check();
      await mine.getByRole("toolbar").getByRole("button", { name: "Delete" }).click();
      const asked = mine.getByRole("alertdialog");
      await asked.getByText(/Deleted studies.* 30 days/).waitFor();
      const lines = await asked.locator("li").allTextContents();
      assert.equal(lines.length, 2);
      // the study with a colleague's edit comes first
      assert.match(lines[0]!, /P-5.*: .*Dr\. Other/);
      assert.match(lines[1]!, /P-6/);
      assert.doesNotMatch(lines[1]!, /Dr\. Other/);

      // after cancelling, nothing has changed
      await asked.getByRole("button", { name: "Cancel" }).click();
      await asked.waitFor({ state: "detached" });
      assert.equal((await getPatient(robot, 5)).pid, 5);
      assert.equal(await editing(theirs).getByLabel("Name").inputValue(), "Half");

      await mine.getByRole("toolbar").getByRole("button", { name: "Delete" }).click();
      await asked.getByText(textIn(worklistSelectionText.edited, "en", { user: "Dr. Other" }))
        .waitFor();
      await asked.getByRole("button", { name: "Delete" }).click();
      await row(mine, 5).waitFor({ state: "detached" });
      await assert.rejects(getPatient(robot, 5), { code: "study.deleted" });
      // the colleague gets a message and keeps the typed text until answering it
      const isGone = theirs.getByText(patientEditText.deletedKept.en);
      await isGone.waitFor();
      assert.equal(await editing(theirs).getByLabel("Name").inputValue(), "Half");

      await mine.locator(".toast").getByRole("button", { name: "Undo" }).click();
      await row(mine, 5).waitFor();
      await until(async () => (await pidsOf(mine)).join() === before.join());
      assert.equal((await getPatient(robot, 6)).patient_id, "P-6");
      // after the study was restored, the typed text can be saved
      await isGone.waitFor({ state: "detached" });
      await editing(theirs).getByLabel("Name").press("Enter");
      await editing(theirs).waitFor({ state: "detached" });
      assert.equal((await getPatient(robot, 5)).patient_name, "Half");
    }),
});

// covers: S-185
Deno.test({
  name: "an edit that begins while the question is open is asked about before it is lost" + why,
  ignore: !hasChromium,
  fn: () =>
    withTwo(async ({ mine, theirs, robot }) => {
      for (const pid of [5, 6]) await row(mine, pid).getByRole("checkbox").check();
      await mine.getByRole("toolbar").getByRole("button", { name: "Delete" }).click();
      const asked = mine.getByRole("alertdialog");
      await asked.getByText(/P-5/).waitFor();
      const editor = textIn(worklistSelectionText.edited, "en", { user: "Dr. Other" });
      assert.equal(await asked.getByText(editor).count(), 0);
      await row(theirs, 5).press("e");
      await editing(theirs).getByLabel("Name").fill("Half");

      await asked.getByRole("textbox").fill("sent twice");
      await asked.getByRole("button", { name: "Delete" }).click();
      await row(mine, 6).waitFor({ state: "detached" });
      // the edited study was not deleted, and the question names the colleague
      await asked.getByText(editor).waitFor();
      assert.equal(await asked.locator("li").count(), 1);
      assert.equal((await getPatient(robot, 5)).pid, 5);
      await asked.getByRole("button", { name: "Cancel" }).click();
      assert.equal(await editing(theirs).getByLabel("Name").inputValue(), "Half");
      await editing(theirs).getByLabel("Name").press("Enter");
      await editing(theirs).waitFor({ state: "detached" });
      assert.equal((await getPatient(robot, 5)).patient_name, "Half");
      // the study is still checked, and its edit has ended
      await mine.getByRole("toolbar").getByRole("button", { name: "Delete" }).click();
      await asked.getByRole("button", { name: "Delete" }).click();
      await row(mine, 5).waitFor({ state: "detached" });
    }),
});
