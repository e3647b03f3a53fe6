import assert from "node:assert/strict";
import { preferredLanguage } from "@/server/edge/pages/language.ts";

Deno.test("preferredLanguage() is the first of ours that a browser asks for, by its weights", () => {
  assert.equal(preferredLanguage("ko-KR,ko;q=0.9,en-US;q=0.8,en;q=0.7"), "ko");
  assert.equal(preferredLanguage("en-US,en;q=0.9,ko;q=0.8"), "en");
  assert.equal(preferredLanguage("de, ko;q=0.5, en;q=0.4"), "ko");
  assert.equal(preferredLanguage("en;q=0.1, KO"), "ko");
  assert.equal(preferredLanguage("ko;q=0, en;q=x"), null);
  assert.equal(preferredLanguage("fr"), null);
  assert.equal(preferredLanguage(undefined), null);
});
