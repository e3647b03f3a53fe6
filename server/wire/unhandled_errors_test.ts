import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { askLine, connectTo, unhandledErrorsAt } from "@/server/wire/line_socket.ts";
import { UnhandledErrors } from "@/server/wire/unhandled_errors.ts";
import { until } from "@/tests/sites/until.ts";

const FIXTURE = fileURLToPath(new URL("./unhandled_errors_fixture.ts", import.meta.url));
const start = (...args: string[]) =>
  new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", FIXTURE, ...args],
    stdout: "null",
    stderr: "null",
  }).spawn();

Deno.test("keepServing() keeps a process alive after every kind of error, and counts and logs them", async () => {
  const folder = await Deno.makeTempDir(), path = `${folder}/socket`, child = start("serve", path);
  try {
    await until(async () => (await unhandledErrorsAt(path) ?? 0) >= 108);
    const connection = (await connectTo(path, 5000))!;
    const answer = await askLine<unknown, { count: number; lines: string[] }>(connection, {});
    connection.close();
    const text = answer!.lines.join("\n");
    for (
      const each of ["the program", "an emitter", "a worker", "rejection of a worker", "undefined"]
    ) {
      assert.match(text, new RegExp(each));
    }
    assert.ok(answer!.lines.length < 20, "the same fault is a single line");
  } finally {
    child.kill("SIGKILL");
    await child.status;
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("keepServing() does not hide a broken start", async () => {
  for (const kind of ["start", "rejected-start"]) {
    assert.equal((await start(kind).status).code, 1, kind);
  }
});

Deno.test("UnhandledErrors logs each kind once a minute, with the number of those since", () => {
  const lines: Record<string, unknown>[] = [];
  let now = 0;
  const errors = new UnhandledErrors((_level, _message, fields) => lines.push(fields), () => now);
  const fault = new Error("a"),
    other = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
  for (let n = 0; n < 50; n++) errors.add("exception", fault);
  errors.add("exception", other);
  assert.equal(lines.length, 2);
  now = 60_001;
  errors.add("exception", fault);
  assert.deepEqual([lines.length, lines[2]!.moreSinceLastLine, errors.count], [3, 49, 52]);
  // unlimited kinds take limited memory
  for (let n = 0; n < 10_000; n++) errors.add("rejection", `kind ${n}`);
  assert.equal(errors.count, 10_052);
});
