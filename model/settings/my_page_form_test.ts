// covers: D1-9.1
import assert from "node:assert/strict";
import { logoProblem, type MyPageForm, myPageProblems } from "@/model/settings/my_page_form.ts";

const FORM: MyPageForm = {
  name: "Kim",
  hospitalName: "Hospital",
  current: "",
  next: "",
  confirmation: "",
};
const of = (change: Partial<MyPageForm>, savesNames = true) =>
  myPageProblems({ ...FORM, ...change }, savesNames);

// covers: D1-5.9
Deno.test("myPageProblems() asks for both names, and for no password when none is wanted", () => {
  assert.deepEqual(of({}), {});
  assert.deepEqual(of({ name: " ", hospitalName: "" }), {
    name: "required",
    hospitalName: "required",
  });
  assert.deepEqual(of({ name: "x".repeat(101) }), { name: "tooLong" });
});

Deno.test("myPageProblems() asks for no hospital name when the password alone is changed", () => {
  const next = "correct-horse-9";
  const password = { current: "correct-horse-8", next, confirmation: next };
  assert.deepEqual(of({ hospitalName: "", ...password }, false), {});
  assert.deepEqual(of({ hospitalName: "", ...password }), { hospitalName: "required" });
  assert.deepEqual(of({ hospitalName: "", ...password, confirmation: "" }, false), {
    confirmation: "required",
  });
});

// covers: D1-5.9, D1-5.10
Deno.test("myPageProblems() asks for all three passwords, the rules, a change and the same twice", () => {
  assert.deepEqual(of({ current: "a" }), { next: "required", confirmation: "required" });
  assert.deepEqual(of({ next: "correct-horse-9", confirmation: "correct-horse-9" }), {
    current: "required",
  });
  for (const next of ["short-1", "no-number-here", "nospecial123"]) {
    assert.deepEqual(of({ current: "a", next, confirmation: next }), { next: "policy" });
  }
  const same = "correct-horse-7";
  assert.deepEqual(of({ current: same, next: same, confirmation: same }), { next: "unchanged" });
  assert.deepEqual(of({ current: same, next: "correct-horse-8", confirmation: "other" }), {
    confirmation: "mismatch",
  });
  assert.deepEqual(
    of({ current: same, next: "correct-horse-8", confirmation: "correct-horse-8" }),
    {},
  );
});

// covers: D1-5.12
Deno.test("logoProblem() goes by the content and the size", () => {
  const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47]),
    jpeg = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0]);
  assert.deepEqual([logoProblem(png, 10), logoProblem(jpeg, 10)], [null, null]);
  assert.equal(logoProblem(Uint8Array.from([0x47, 0x49, 0x46]), 10), "logo.format");
  assert.equal(logoProblem(png, (1 << 20) + 1), "logo.too_large");
});
