import assert from "node:assert/strict";
import { safeNextPath } from "@/server/edge/session/same_site.ts";
import { byPrecision, pathToPattern } from "@/server/edge/web/router.ts";

Deno.test("pathToPattern() turns files into paths", () => {
  assert.equal(pathToPattern("index.tsx"), "/");
  assert.equal(pathToPattern("login.tsx"), "/login");
  assert.equal(pathToPattern("viewer/index.tsx"), "/viewer");
  assert.equal(pathToPattern("viewer/[pid].tsx"), "/viewer/:pid");
  assert.equal(pathToPattern("api/[...path].ts"), "/api/:path{.+}");
});

Deno.test("byPrecision() puts exact paths before named parts before catch-alls", () => {
  const files = ["api/[...path].ts", "viewer/[pid].tsx", "api/v1/ws.ts", "viewer/index.tsx"];
  assert.deepEqual(files.sort(byPrecision), [
    "api/v1/ws.ts",
    "viewer/index.tsx",
    "viewer/[pid].tsx",
    "api/[...path].ts",
  ]);
});

Deno.test("safeNextPath() never leads to another site", () => {
  assert.equal(safeNextPath("/viewer/3?tab=1"), "/viewer/3?tab=1");
  for (
    const next of [
      "//evil.test",
      "https://evil.test",
      "/\\evil.test",
      "/\t/evil.test",
      "/\t/[",
      "javascript:alert(1)",
      "",
      null,
    ]
  ) {
    assert.equal(safeNextPath(next), "/");
  }
});
