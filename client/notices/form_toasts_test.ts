// covers: S-12
import assert from "node:assert/strict";
import { addToast, removeToasts, toasts } from "@/client/notices/notices.ts";

Deno.test("removeToasts() removes those of the codes, and no other", () => {
  addToast({ code: "label.required", values: {} });
  addToast({ code: "label.saved", values: {} });
  addToast({ code: "label.duplicate", values: {} });
  removeToasts(["label.required", "label.duplicate"]);
  assert.deepEqual(toasts.value.map(({ code }) => code), ["label.saved"]);
  removeToasts(["label.saved"]);
  assert.deepEqual(toasts.value, []);
});
