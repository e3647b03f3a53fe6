import assert from "node:assert/strict";
import {
  auditDetailsIn,
  auditDetailText,
  auditEventIn,
  auditEventsNamed,
  auditEventText,
  auditText,
} from "@/model/text/site/audit_events.ts";
import { connectionEventText } from "@/model/text/site/connection_events.ts";
import { textIn } from "@/model/text.ts";

const SERVER = new URL("../../server/", import.meta.url);

/** Sources of the server, without tests. */
async function* sources(folder: URL): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* sources(new URL(`${name}/`, folder));
    else if (name.endsWith(".ts") && !name.endsWith("_test.ts")) {
      yield await Deno.readTextFile(new URL(name, folder));
    }
  }
}
const texts = await Array.fromAsync(sources(SERVER));

Deno.test("every event that the server writes into the audit log has words", async () => {
  const table = await Deno.readTextFile(new URL("core/http/audited.ts", SERVER));
  const events = new Set([...table.matchAll(/"([a-z_]+\.[a-z_]+)"/g)].map(([, event]) => event!));
  for (const text of texts) {
    for (const [, event] of text.matchAll(/\bevent: "([a-z_]+\.[a-z_]+)"/g)) events.add(event!);
  }
  assert.ok(events.size >= 62, `${events.size} events`);
  assert.deepEqual([...events].filter((event) => !Object.hasOwn(auditEventText, event)), []);
});

Deno.test("every event of the connection log has words", () => {
  const events = new Set<string>();
  for (const text of texts) {
    for (const [, of] of text.matchAll(/\blogConnection\(([^;]*)/g)) {
      for (const [, event] of of!.matchAll(/\bevent: "(\w+)"/g)) events.add(event!);
    }
    const answers = /\bnoteAnswer\([^;"]*?(?:=== "\w+" \? )?"(\w+)"(?: : "(\w+)")?/g;
    for (const [, ...named] of text.matchAll(answers)) {
      for (const event of named) if (event) events.add(event);
    }
  }
  assert.ok(events.size >= 10, [...events].join());
  assert.deepEqual([...events].filter((event) => !Object.hasOwn(connectionEventText, event)), []);
});

Deno.test("details of an event have names", () => {
  const keys = new Set<string>();
  for (const text of texts) {
    for (const [, of] of text.matchAll(/"auditDetails", \{([^}]*)\}/g)) {
      for (const [, key] of of!.matchAll(/(?:^|[\s,{])(\w+)(?=[,:}\s]|$)/g)) keys.add(key!);
    }
  }
  for (const key of ["user", "role", "norm", "measurement", "lesion"]) {
    assert.ok(keys.has(key), key);
  }
  assert.equal(auditDetailsIn({ user: 3, other: "x" }, "en"), "account: 3, other: x");
  assert.ok(Object.hasOwn(auditDetailText, "system"));
});

Deno.test("auditEventIn() says commands of the server, and the code of an event of another version", () => {
  assert.equal(auditEventIn("study.view", "ko"), "검사 조회");
  assert.equal(
    auditEventIn("admin.user.add", "en"),
    textIn(auditText.command, "en", { command: "user add" }),
  );
  assert.equal(auditEventIn("later.event", "en"), "later.event");
});

Deno.test("auditEventsNamed() finds events by their words in either language", () => {
  assert.deepEqual(auditEventsNamed("STUDY RESTORED"), ["study.restore"]);
  assert.deepEqual(auditEventsNamed("검사 복원"), ["study.restore"]);
  assert.deepEqual(auditEventsNamed("no such words"), []);
});
