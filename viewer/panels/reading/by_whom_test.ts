import assert from "node:assert/strict";
import { byWhom } from "@/viewer/panels/reading/measure.tsx";

// covers: S-14
Deno.test("byWhom() says when by the clocks of the hospital, wherever the reader sits", () => {
  const at = "2026-02-03T18:04:05Z";
  assert.equal(byWhom("Kim", at, "Asia/Seoul", "en"), "Kim, 2026-02-04 03:04");
  assert.equal(byWhom("", at, "America/New_York", "ko"), "–, 2026-02-03 13:04");
});
