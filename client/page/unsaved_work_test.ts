// covers: S-221
import assert from "node:assert/strict";
import {
  checkUnsaved,
  discardUnsaved,
  hasUnsavedForm,
  hasUnsavedWork,
  keepUnsaved,
} from "@/client/page/unsaved_work.ts";

/** Whether the browser would ask before the page is left. */
function isAsked(): boolean {
  return !dispatchEvent(new Event("beforeunload", { cancelable: true }));
}

Deno.test({
  name: "keepUnsaved() has the browser ask until the last form is saved, or the user has confirmed",
  // the browser asks again some seconds later, if the user did not leave the page
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () => {
    const first = keepUnsaved(), second = keepUnsaved();
    first();
    assert.deepEqual([hasUnsavedForm(), hasUnsavedWork(), isAsked()], [true, true, true]);
    discardUnsaved();
    assert.equal(isAsked(), false);
    second();
    assert.deepEqual([hasUnsavedForm(), hasUnsavedWork()], [false, false]);
  },
});

Deno.test("checkUnsaved() is work that the browser does not ask about", () => {
  let isPainting = false;
  const stop = checkUnsaved(() => isPainting);
  assert.equal(hasUnsavedWork(), false);
  isPainting = true;
  assert.deepEqual([hasUnsavedWork(), hasUnsavedForm(), isAsked()], [true, false, false]);
  stop();
  assert.equal(hasUnsavedWork(), false);
});
