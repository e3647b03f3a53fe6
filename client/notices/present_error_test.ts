import assert from "node:assert/strict";
import { AppError, type ErrorCode, ERRORS } from "@/model/errors.ts";
import { modals, toasts } from "@/client/notices/notices.ts";
import { presentError } from "@/client/notices/present_error.ts";

/** Notices that an error causes; they are removed afterwards. */
function shown(error: unknown, ...rest: [] | ["worklist.some_error"]): string[] {
  presentError(error, ...rest);
  const codes = [
    ...toasts.value.map(({ code }) => code),
    ...modals.value.map(({ code }) => `modal ${code}`),
  ];
  toasts.value = [];
  modals.value = [];
  return codes;
}

Deno.test("presentError() shows an error once, where the table of errors says", () => {
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    // opens the page /403 instead of a notice
    if (code === "access.forbidden") continue;
    const isModal = ERRORS[code].surface === "modal";
    const expected = code === "token.missing"
      ? "modal token.expired"
      : isModal
      ? `modal ${code}`
      : code;
    assert.deepEqual(shown(new AppError(code, "Cannot go on")), [expected]);
  }
});

// covers: D1-8.10, D1-8.18
Deno.test("presentError() shows what is no error of ours as unknown, in the words of its part, and no abort", () => {
  assert.deepEqual(shown(new TypeError("x is not a function")), ["unknown"]);
  assert.deepEqual(shown(new TypeError("x is not a function"), "worklist.some_error"), [
    "worklist.some_error",
  ]);
  assert.deepEqual(shown(new DOMException("", "AbortError"), "worklist.some_error"), []);
});
