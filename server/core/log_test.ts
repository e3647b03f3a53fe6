import assert from "node:assert/strict";
import { createLog } from "@/server/core/log.ts";

Deno.test("createLog() writes one line for each message, with the text of an error", () => {
  const lines: string[] = [];
  const log = createLog("info", (line) => void lines.push(line));
  log("debug", "Not written");
  log("error", "Cannot show a page", {
    error: new TypeError("x is\nnot there"),
    path: "/viewer/1",
  });
  assert.equal(lines.length, 1);
  assert.equal(lines[0]!.indexOf("\n"), lines[0]!.length - 1);
  const { level, message, error, path } = JSON.parse(lines[0]!);
  assert.deepEqual([level, message, path], ["error", "Cannot show a page", "/viewer/1"]);
  assert.match(error, /TypeError: x is\nnot there/);
});
