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

Deno.test("createLog() keeps time, level and text of a line, whatever the fields are called", () => {
  const lines: string[] = [];
  const log = createLog("info", (line) => void lines.push(line));
  // @ts-expect-error a field of this name would replace the text
  const misnamed = () => log("warn", "Cannot apply a message", { message: 9 });
  misnamed();
  const named = { time: "then", level: "none", message: "9", hl7_message: 9 };
  log("error", "Cannot read", named as Record<string, unknown>);
  const [first, second] = lines.map((line) => JSON.parse(line));
  assert.deepEqual([first.message, first.field_message], ["Cannot apply a message", 9]);
  assert.deepEqual(second, {
    time: second.time,
    level: "error",
    message: "Cannot read",
    field_time: "then",
    field_level: "none",
    field_message: "9",
    hl7_message: 9,
  });
  assert.notEqual(second.time, "then");
});
