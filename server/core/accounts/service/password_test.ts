import assert from "node:assert/strict";
import {
  checkNewPassword,
  generatePassword,
  hashPassword,
  isPassword,
} from "@/server/core/accounts/service/password.ts";
import { passwordProblem } from "@/model/settings/password_rules.ts";

const LIST = new URL("./common_passwords.txt", import.meta.url);

Deno.test("checkNewPassword() refuses passwords known from breaches, however they are written", () => {
  for (
    const common of ["Password1!", "P@ssw0rd", "P@SSW0RD", "1qaz@WSX", "Qwer1234!", "ｐ@ssw0rd"]
  ) {
    assert.throws(() => checkNewPassword(common), { code: "password.common" }, common);
  }
  for (const fine of ["correct-horse-7", "sulcus-demo-1", generatePassword()]) {
    checkNewPassword(fine);
  }
});

Deno.test("checkNewPassword() says first what the rules ask for", () => {
  assert.throws(() => checkNewPassword("password"), {
    code: "password.policy",
    details: { needs: "at least one number" },
  });
});

Deno.test("the list of common passwords holds what the rules let through, each once and in lower case", async () => {
  const listed = (await Deno.readTextFile(LIST)).trimEnd().split("\n");
  assert.ok(listed.length > 4000, `${listed.length}`);
  assert.equal(new Set(listed).size, listed.length);
  for (const password of listed) {
    assert.equal(password, password.normalize("NFKC").toLowerCase());
    assert.equal(passwordProblem(password), null, password);
  }
});

Deno.test("a password may be long, with blanks and letters of any script, and counts to its last character", async () => {
  const long = "마흔 개의 말 1! ".repeat(20);
  checkNewPassword(long);
  const stored = await hashPassword(long);
  assert.deepEqual([await isPassword(long, stored), await isPassword(long.slice(0, -1), stored)], [
    true,
    false,
  ]);
});

Deno.test("isPassword() takes a password of many marks in linear time", async () => {
  const marks = "\u0315\u0300".repeat(100_000), startMs = performance.now();
  assert.equal(await isPassword(marks, null), false);
  // half an hour when all marks were sorted together
  assert.ok(performance.now() - startMs < 10_000);
});
