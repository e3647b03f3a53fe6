import assert from "node:assert/strict";
import { storageLevel } from "@/model/site/storage_level.ts";

// covers: D1-8.4
Deno.test("storageLevel() is red above the error limit, orange above the warn limit, and white up to it", () => {
  const levels = [0, 80, 80.1, 95, 95.1, 100].map((percent) => storageLevel(percent, 80, 95));
  assert.deepEqual(levels, ["ok", "ok", "warn", "warn", "error", "error"]);
});
